"""All topics of nearly the same name, merged with one button."""

from __future__ import annotations

from collections.abc import Collection

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.web.failures import status_of
from vivavoce.web.forms import MAX_WHY, Form
from vivavoce.web.pages.topics.topic_edits import why_field
from vivavoce.web.pages.topics.topic_page import topic_path
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.topics.twins import TwinTopics, list_twin_topics, merge_twins

router = APIRouter()


@router.get("/p/{slug}/topics/twins")
def show_twins(visit: ReaderVisit) -> Response:
    """Show the topics of nearly the same name; those that can be merged without a choice are ticked."""
    return _twins_page(visit)


@router.post("/p/{slug}/topics/twins")
def merge_ticked(visit: EditorVisit, form: Form) -> Response:
    """Merge the ticked groups."""
    ticked = form.all("group")
    try:
        edit = merge_twins(*visit.acting, ticked, why=form.text("why", most=MAX_WHY))
    except InputError as error:
        return _twins_page(visit, ticked, error)
    text = visit.words.ngettext("%(num)s group merged.", "%(num)s groups merged.", len(set(ticked)))
    return visit.done(f"{visit.base}/topics/twins", text, edit)


def _twins_page(visit: Visit, ticked: Collection[str] | None = None, error: InputError | None = None) -> Response:
    words, groups = visit.words, list_twin_topics(*visit.here)
    view = View(
        lead=words.ngettext(
            "%(num)s group of topics differs only in case, spelling or plural.",
            "%(num)s groups of topics differ only in case, spelling or plural.",
            len(groups),
        ),
        topics=f"{visit.base}/topics",
        groups=[_group_view(visit, group, ticked) for group in groups],
        may_edit=visit.who.may("editor"),
        can_merge=any(not group.differ for group in groups),
        why=why_field(words, None),
        error=error,
    )
    status = status_of(error) if error else 200
    return visit.page("topics/twins.html", words.gettext("Topics with similar names"), view=view, status=status)


def _group_view(visit: Visit, group: TwinTopics, ticked: Collection[str] | None) -> View:
    topics = (group.into, *group.others)
    chosen = "&".join(f"topic={topic.id}" for topic in topics)
    return View(
        id=group.into.id,
        names=[
            (Link(topic.name, topic_path(visit.project, topic.id)), size)
            for topic, size in zip(topics, group.sizes, strict=True)
        ],
        into=group.into.name,
        differ=group.differ,
        merge=f"{visit.base}/topics/merge?{chosen}",
        ticked=group.sure and not group.differ if ticked is None else group.into.id in ticked,
    )
