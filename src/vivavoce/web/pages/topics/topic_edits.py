"""Forms that change topics. What deletes something asks before; what two people changed at once is merged."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.errors import InputError, StaleError
from vivavoce.store.rows import Topic
from vivavoce.web.failures import status_of
from vivavoce.web.forms import MAX_WHY, Fields, Form, fault_at
from vivavoce.web.language import Words
from vivavoce.web.pages.topics.choosing import TickedTopics, chosen_topics, read_ticks
from vivavoce.web.pages.topics.topic_page import topic_path
from vivavoce.web.parts import Field, FieldKind, hidden_field
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import EditorVisit, Visit
from vivavoce.workspace.topics import topics as topic_uses
from vivavoce.workspace.topics.names import MAX_NAME
from vivavoce.workspace.topics.topics import mark_of, weigh_topics

router = APIRouter()
LISTED = 20
ANSWER = "answer-"


@router.get("/p/{slug}/topics/new")
def new_topic(visit: EditorVisit) -> Response:
    """Show the form for a new topic."""
    return _topic_form(visit, None, None)


@router.post("/p/{slug}/topics")
def add_topic(visit: EditorVisit, form: Form) -> Response:
    """Make a topic."""
    examples = form.lines("text")
    try:
        form.check()
        added = topic_uses.add_topic(*visit.acting, **_read_topic(form, visit.project.languages), examples=examples)
    except InputError as error:
        return _topic_form(visit, None, form, error)
    text = visit.words.gettext("Topic created.")
    return visit.done(topic_path(visit.project, added.topic.id), text, added.edit)


def _read_topic(form: Fields, languages: Iterable[str]) -> dict[str, Any]:
    answers = {code: form.text(f"{ANSWER}{code}", most=20_000) for code in languages}
    texts = {name: form.text(name) for name in ("name", "description", "owner")}
    return {**texts, "answers": answers, "why": form.text("why", most=MAX_WHY)}


@router.get("/p/{slug}/topics/{topic_id}/edit")
def edit_topic(visit: EditorVisit, topic_id: str) -> Response:
    """Show the form that changes a topic."""
    return _topic_form(visit, topic_uses.get_topic(*visit.here, topic_id), None)


@router.post("/p/{slug}/topics/{topic_id}/edit")
def change_topic(visit: EditorVisit, topic_id: str, form: Form) -> Response:
    """Rename, describe, answer or give away a topic."""
    topic = topic_uses.get_topic(*visit.here, topic_id)
    languages = dict.fromkeys([*visit.project.languages, *topic.answers])
    try:
        edit = topic_uses.change_topic(
            *visit.acting, topic_id, **_read_topic(form, languages), seen=form.text("seen")
        )
    except StaleError as error:
        # What is shown beside what was typed must be the state that the new form stands for.
        return _topic_form(visit, topic_uses.get_topic(*visit.here, topic_id), form, error)
    except InputError as error:
        return _topic_form(visit, topic, form, error)
    return visit.done(topic_path(visit.project, topic_id), visit.words.gettext("Saved."), edit)


def _topic_form(visit: Visit, topic: Topic | None, form: Fields | None, error: InputError | None = None) -> Response:
    words, project = visit.words, visit.project
    path = topic_path(project, topic.id) if topic else f"{visit.base}/topics"
    answers = topic.answers if topic else {}
    codes = dict.fromkeys([*project.languages, *answers])
    now = {name: getattr(topic, name, "") for name in ("name", "description", "owner")}
    now |= {f"{ANSWER}{code}": answers.get(code, "") for code in codes}
    titles = {
        "name": words.gettext("Name"),
        "description": words.gettext("Description"),
        "owner": words.gettext("Owner"),
        **{f"{ANSWER}{code}": words.gettext("Answer (%(language)s)", language=code) for code in codes},
    }
    joined = join_form(form, error, now, titles)

    def field(name: str, kind: FieldKind = "textarea", **more: Any) -> Field:
        wrong = joined.fault_at(words, error, name)
        return Field(name, titles[name], kind, joined.values[name], error=wrong, **more)

    first_help = words.gettext("One message per line, as visitors write them.")
    typed = "\n".join(form.lines("text")) if form else ""
    first_examples = Field("text", words.gettext("Examples"), "textarea", typed, help=first_help)
    fields = (
        field("name", "text", required=True, most=MAX_NAME),
        field("description", rows=2),
        field("owner", "text", most=topic_uses.MAX_OWNER),
        *(field(f"{ANSWER}{code}") for code in codes),
        *(() if topic else (first_examples,)),
        why_field(words, form),
        *(state_fields(form, error, mark_of(topic), now) if topic else ()),
    )
    return form_page(
        visit,
        topic.name if topic else words.gettext("New topic"),
        lead=words.gettext("Edit this topic. Saving makes one change, which you can undo.")
        if topic
        else words.gettext("Create a topic: what visitors ask about, and one answer."),
        action=f"{path}/edit" if topic else path,
        cancel=path,
        button=words.gettext("Save") if topic else words.gettext("Create topic"),
        fields=fields,
        theirs=joined.theirs,
        help_texts=_form_help(words),
        error=error,
    )


def _form_help(words: Words) -> tuple[tuple[str, str], ...]:
    return (
        (
            words.gettext("A good topic"),
            words.gettext("It covers one thing that visitors ask about and that one answer settles."),
        ),
        (
            words.gettext("Examples"),
            words.gettext(
                "Write at least five, better twenty, as visitors really type them: short, long, with typos. "
                "Ten real messages are worth more than fifty invented ones."
            ),
        ),
        (words.gettext("Owner"), words.gettext("Who decides about this topic and its answer.")),
    )


def deletion_help(words: Words) -> tuple[tuple[str, str], ...]:
    """Return what stands beside the question whether to delete."""
    return (
        (
            words.gettext("You can undo this"),
            words.gettext("You can restore anything deleted here from the list of changes."),
        ),
        (words.gettext("Results stay"), words.gettext("Results of earlier exams are not affected.")),
    )


@router.get("/p/{slug}/topics/delete")
def ask_delete(visit: EditorVisit, ticked: TickedTopics) -> Response:
    """Ask before topics are deleted."""
    words, path = visit.words, f"{visit.base}/topics"
    loss = weigh_topics(*visit.here, chosen_topics(visit, ticked))
    return form_page(
        visit,
        words.gettext("Delete topics"),
        lead=words.ngettext(
            "This deletes %(num)s topic with its examples (%(examples)s) and answers (%(answers)s).",
            "This deletes %(num)s topics with their examples (%(examples)s) and answers (%(answers)s).",
            len(loss.topics),
            examples=visit.write.number(loss.examples),
            answers=loss.answers,
        ),
        action=f"{path}/delete",
        cancel=path,
        button=words.ngettext("Delete %(num)s topic", "Delete %(num)s topics", len(loss.topics)),
        fields=(*ticked.fields("topic"), why_field(words)),
        danger=True,
        check="retire",
        names=[topic.name for topic in loss.topics],
        help_texts=deletion_help(words),
    )


@router.post("/p/{slug}/topics/delete")
def delete_topics(visit: EditorVisit, form: Form) -> Response:
    """Delete topics with their examples."""
    chosen = chosen_topics(visit, read_ticks(form, "topic"))
    edit = topic_uses.delete_topics(*visit.acting, chosen, why=form.text("why", most=MAX_WHY))
    text = visit.words.gettext("Deleted.")
    return visit.done(f"{visit.base}/topics", text, edit)


def form_page(
    visit: Visit,
    title: str,
    *,
    lead: str,
    action: str,
    cancel: str,
    button: str,
    fields: tuple[Field, ...],
    danger: bool = False,
    check: str = "",
    names: Sequence[str] = (),
    theirs: tuple[View, ...] = (),
    help_texts: Sequence[tuple[str, str]] = (),
    error: InputError | None = None,
) -> Response:
    """Return a page that is one form with help beside it.

    `check`: a kind of change whose forecast the form shows. `names`: what it is about; `theirs`: what others changed
    meanwhile; `help_texts`: titles with texts.
    """
    view = View(
        lead=lead,
        action=action,
        cancel=cancel,
        button=button,
        fields=fields,
        danger=danger,
        check=check,
        listed=names[:LISTED],
        more=max(0, len(names) - LISTED),
        theirs=theirs,
        help=help_texts,
        crumbs=(Link(visit.words.gettext("Topics"), f"{visit.base}/topics"),),
        error=error,
    )
    status = status_of(error) if error else 200
    return visit.page("topics/topic_form.html", title, view=view, status=status)


def why_field(words: Words, form: Fields | None = None) -> Field:
    """Return the field for the reason, which the history shows."""
    return Field("why", words.gettext("Reason"), value=form.text("why") if form else "", most=MAX_WHY)


MAX_LETTERS = 1_000_000


@dataclass(frozen=True, slots=True)
class Joined:
    """What the form says now, and what the others changed: `clash` where whoever sent the form did so too."""

    values: Mapping[str, str]
    theirs: tuple[View, ...] = ()

    def fault_at(self, words: Words, error: InputError | None, name: str) -> str:
        """Return what is wrong with a field, or what to do about it where two people changed it."""
        clashes = any(change.clash for change in self.theirs if change.name == name)
        both = words.gettext("You both changed this. Your version is shown here and replaces theirs when you save.")
        return fault_at(error, name) or (both if clashes else "")


def join_form(
    form: Fields | None,
    error: InputError | None,
    now: Mapping[str, str],
    titles: Mapping[str, str],
    unsent: tuple[str, ...] = (),
) -> Joined:
    """Return what a form says: as it is kept, as it was typed, or both joined where somebody was faster.

    `unsent` are parts that the form shows but does not send: they stay as they were.
    """
    if form is None:
        return Joined(now)
    shown = _read_shown(form.text("shown", most=MAX_LETTERS))
    typed = {
        name: shown.get(name, "") if name in unsent else form.text(name, most=100_000).replace("\r\n", "\n")
        for name in now
    }
    return join_changes(shown, now, typed, titles) if isinstance(error, StaleError) else Joined(typed)


def join_changes(
    shown: Mapping[str, str], now: Mapping[str, str], typed: Mapping[str, str], titles: Mapping[str, str]
) -> Joined:
    """Join what was typed with what others saved since the form was shown; where both did, what was typed stays."""
    values = {name: now[name] if typed[name] == shown.get(name, "") else typed[name] for name in typed}
    theirs = (
        View(
            name=name,
            title=titles[name],
            before=shown.get(name, ""),
            after=now[name],
            clash=values[name] != now[name],
        )
        for name in typed
        if shown.get(name, "") != now[name]
    )
    return Joined(values, tuple(theirs))


def state_fields(
    form: Fields | None, error: InputError | None, seen: str, now: Mapping[str, str]
) -> tuple[Field, Field]:
    """Return what a form carries of the state that it shows: a newer one only where the changes are shown too."""
    if form is not None and not isinstance(error, StaleError):
        return hidden_field("seen", form.text("seen")), hidden_field("shown", form.text("shown", most=MAX_LETTERS))
    return hidden_field("seen", seen), hidden_field("shown", json.dumps(dict(now)))


def _read_shown(text: str) -> dict[str, str]:
    """Return what a form showed; nothing where that was lost on the way, so that all of it counts as changed."""
    try:
        shown = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return {str(name): str(value) for name, value in shown.items()} if isinstance(shown, dict) else {}
