"""What a change of examples would do, beside every button that saves one; a harmful one is saved when asked twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from vivavoce.errors import VivaError
from vivavoce.web.forms import Fields
from vivavoce.web.listing import LARGEST
from vivavoce.web.option_forms import query_fields
from vivavoce.web.pages.exams.remedy_rows import MAX_BROKEN, changed_words, points_words
from vivavoce.web.pages.topics.choosing import chosen_examples, chosen_topics, find_target, read_ticks
from vivavoce.web.rendering import View
from vivavoce.web.visits import EditorVisit, Visit
from vivavoce.workspace.exams import intents, runs
from vivavoce.workspace.exams.checking import (
    BulkAction,
    Check,
    check_change,
    draft_bulk,
    draft_move,
    draft_settlement,
)
from vivavoce.workspace.exams.remedies import Draft
from vivavoce.workspace.topics.examples import find_examples
from vivavoce.workspace.topics.names import MAX_NAME

router = APIRouter(prefix="/p/{slug}")
Kind = Literal["ticked", "settle", "split", "delete", "merge", "retire"]
# Before the id of a group of texts that say nearly the same, in the name of the field that says where they belong.
SETTLED = "group-"


@router.get("/check")
def show_check(visit: EditorVisit, kind: Annotated[Kind, Query()] = "ticked") -> Response:
    """Tell what a change would do that a form holds: a part of its page, or a page of its own."""
    form = query_fields(visit.request)
    try:
        view = View(lines=[_line_view(visit, *line) for line in _list_lines(visit, form, kind)], fault=None)
    except VivaError as error:
        view = View(lines=[], fault=error)
    if visit.request.headers.get("x-fragment"):
        return visit.part("exams/check.html", view)
    title = visit.words.gettext("Expected effect")
    return visit.page("exams/check_page.html", title, view=View(check=view, harm=None))


def _list_lines(visit: Visit, form: Fields, kind: Kind) -> Iterator[tuple[str, Draft, bool]]:
    """Yield what can be done with what a form holds: its title, the draft, whether examples are deleted."""
    words = visit.words
    match kind:
        case "ticked":
            yield from _list_bulk(visit, form)
        case "settle":
            yield words.gettext("The decided texts"), draft_settlement(*visit.here, read_settled(form)), False
        case "split":
            ids = chosen_examples(visit, read_ticks(form, "example"))
            name = form.text("name", most=MAX_NAME) or words.gettext("New topic")
            yield "", Draft("split", name_topics(visit, ids), ids, name=name), False
        case "delete":
            yield "", Draft("out_of_scope", examples=chosen_examples(visit, read_ticks(form, "example"))), True
        case "merge":
            topics, into = chosen_topics(visit, read_ticks(form, "topic")), form.text("into")
            yield "", Draft("merge", (*(own for own in topics if own != into), into)), False
        case "retire":
            yield "", Draft("retire", chosen_topics(visit, read_ticks(form, "topic"))), False


def read_settled(form: Fields) -> dict[str, str]:
    """Return which topic (id) was chosen for which group of texts."""
    return {name.removeprefix(SETTLED): value for name, value in form.texts() if name.startswith(SETTLED) and value}


def _list_bulk(visit: Visit, form: Fields) -> Iterator[tuple[str, Draft, bool]]:
    """Yield what the buttons below a list do with its ticked rows; nothing while none is ticked."""
    words, target = visit.words, form.text("target")
    if read_settled(form):
        yield from _list_lines(visit, form, "settle")
    if not (form.all("question") or form.all("example") or form.flag("all")):
        return
    topic = find_target(visit, target) if target else None
    if topic is not None:
        title = words.gettext("Move to %(topic)s", topic=topic.name)
        yield title, draft_ticked(visit, form, "move", topic.id), False
    if form.flag("each"):
        yield words.gettext("Move each to the topic it went to"), draft_ticked(visit, form, "each"), False
    if topic is None:
        draft = draft_ticked(visit, form, "out_of_scope")
        yield words.gettext("Out of scope"), draft, False
        yield words.gettext("Delete"), draft, True


def draft_ticked(visit: Visit, form: Fields, action: BulkAction, topic_id: str | None = None) -> Draft:
    """Return what a button does with what is ticked: questions of an exam, or examples."""
    if number := form.whole("run", 0, low=0, high=LARGEST):
        run = runs.show_run(*visit.here, number, intents.KIND).run
        places = [int(place) for place in form.all("question") if place.isascii() and place.isdigit()]
        return draft_bulk(*visit.here, run, places, action, topic_id)
    ids = chosen_examples(visit, read_ticks(form, "example"))
    return draft_move(ids, name_topics(visit, ids), topic_id if action == "move" else None)


def name_topics(visit: Visit, ids: Sequence[str]) -> tuple[str, ...]:
    """Return the topics (ids) of examples, each once."""
    rows = find_examples(*visit.here, ids)
    return tuple(dict.fromkeys(row.topic_id for row in rows if row.topic_id is not None))


def _line_view(visit: Visit, title: str, draft: Draft, is_deletion: bool) -> View:
    check = check_change(*visit.here, draft, is_deletion=is_deletion)
    if check is None:
        return View(title=title, unknown=True)
    effect = check.effect
    clear = effect is not None and effect.low is not None and effect.high is not None and effect.low * effect.high > 0
    return View(
        title=title,
        unknown=False,
        points=points_words(visit, effect) if effect else "",
        tone="" if not clear or effect is None else "good" if (effect.difference or 0) > 0 else "bad",
        unsure=effect is not None and not clear,
        changed=_count_changed(visit, check),
        broken=check.broken[:MAX_BROKEN],
        count=len(check.broken),
    )


def _count_changed(visit: Visit, check: Check) -> str:
    """Say how many questions become correct, those that are moved among them, and how many others break."""
    improved = check.improved if check.is_deletion else check.forecast.improved
    return changed_words(visit, len(improved), len(check.broken))


def refuse_harm(visit: Visit, form: Fields, check: Check | None, back: str) -> Response | None:
    """Return the page that asks before a harmful change is saved; None where it may be saved at once."""
    if check is None or not check.harms or form.flag("anyway"):
        return None
    words, asked = visit.words, visit.request.url
    harm = View(
        title=harm_sentence(visit, check),
        action=f"{asked.path}?{asked.query}" if asked.query else asked.path,
        fields=[(name, value) for name, value in form.texts() if name != "anyway"],
        back=back,
    )
    line = _line_view(visit, "", check.draft, check.is_deletion)
    view = View(check=View(lines=[line], fault=None), harm=harm)
    return visit.page("exams/check_page.html", words.gettext("Check before saving"), view=view, status=409)


def harm_sentence(visit: Visit, check: Check) -> str:
    """Say how many questions a harmful change breaks."""
    return visit.words.ngettext(
        "%(num)s question that works will stop working.",
        "%(num)s questions that work will stop working.",
        len(check.broken),
    )


def say_check(visit: Visit, check: Check | None) -> str:
    """Say what a change that was saved was forecast to do, with a blank before it; nothing where nobody can tell."""
    if check is None:
        return ""
    words, changed = visit.words, _count_changed(visit, check)
    if check.effect is None:
        return " " + words.gettext("Forecast for the others: %(changed)s.", changed=changed)
    points = points_words(visit, check.effect)
    return " " + words.gettext("Forecast: %(points)s points, %(changed)s.", points=points, changed=changed)
