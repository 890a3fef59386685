"""Forms that change topics and examples. What deletes or joins something asks before, with numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.errors import InputError, StaleError
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Topic
from vivavoce.web.access import Editor, InStore, ProjectInPath
from vivavoce.web.answers import done, page, words_of
from vivavoce.web.failures import status_of
from vivavoce.web.field_faults import fault_at
from vivavoce.web.formats import Writer
from vivavoce.web.forms import MOST_WHY, Fields, Form
from vivavoce.web.language import Words
from vivavoce.web.pages.topics.choosing import Ticked, TickedTopics, chosen_topics, read_ticks
from vivavoce.web.pages.topics.joining import Joined, Theirs, join_changes, keep_shown, read_shown
from vivavoce.web.pages.topics.topics import topic_path
from vivavoce.web.parts import Field, hidden_field
from vivavoce.workspace.topics import topics as topic_uses
from vivavoce.workspace.topics.names import MOST_NAME
from vivavoce.workspace.topics.topics import mark_of, weigh_topics

router = APIRouter()
LISTED = 20
ANSWER = "answer-"


@dataclass(frozen=True, slots=True)
class FormView:
    """A form: what it is about, its fields as they are filled in, and why it was refused.

    `answers`: topics whose answers are to be looked at before.
    """

    lead: str
    action: str
    cancel: str
    button: str
    fields: tuple[Field, ...]
    danger: bool = False
    listed: tuple[str, ...] = ()
    more: int = 0
    error: InputError | None = None
    theirs: tuple[Theirs, ...] = ()
    answers: tuple[Topic, ...] = ()


# --- making and changing a topic ---------------------------------------------------------------------------------


@router.get("/p/{slug}/topics/new")
def new_topic(request: Request, who: Editor, project: ProjectInPath) -> Response:
    """Show the form for a new topic."""
    return _topic_form(request, project, None, None)


@router.post("/p/{slug}/topics")
def add_topic(request: Request, who: Editor, store: InStore, project: ProjectInPath, form: Form) -> Response:
    """Make a topic."""
    examples = form.lines("text")
    try:
        form.check()
        made = topic_uses.add_topic(
            store,
            who.actor,
            project,
            form.text("name"),
            description=form.text("description"),
            owner=form.text("owner"),
            answers={code: form.text(f"{ANSWER}{code}", most=20_000) for code in project.languages},
            examples=examples,
            why=form.text("why", most=MOST_WHY),
        )
    except InputError as error:
        return _topic_form(request, project, None, form, error)
    said = words_of(request).gettext("The topic is made.")
    return done(topic_path(project, made.topic.id), said, project=project, edit=made.edit)


@router.get("/p/{slug}/topics/{topic_id}/edit")
def edit_topic(request: Request, who: Editor, store: InStore, project: ProjectInPath, topic_id: str) -> Response:
    """Show the form that changes a topic."""
    return _topic_form(request, project, topic_uses.get_topic(store, project, topic_id), None)


@router.post("/p/{slug}/topics/{topic_id}/edit")
def change_topic(
    request: Request, who: Editor, store: InStore, project: ProjectInPath, *, topic_id: str, form: Form
) -> Response:
    """Rename, describe, answer or give away a topic."""
    topic = topic_uses.get_topic(store, project, topic_id)
    try:
        edit = topic_uses.change_topic(
            store,
            who.actor,
            project,
            topic_id,
            name=form.text("name"),
            description=form.text("description"),
            owner=form.text("owner"),
            answers={code: form.text(f"{ANSWER}{code}", most=20_000) for code in _languages(project, topic)},
            seen=form.text("seen"),
            why=form.text("why", most=MOST_WHY),
        )
    except StaleError as error:
        # What is shown beside what was typed must be the state that the new form stands for.
        return _topic_form(request, project, topic_uses.get_topic(store, project, topic_id), form, error)
    except InputError as error:
        return _topic_form(request, project, topic, form, error)
    return done(topic_path(project, topic_id), words_of(request).gettext("Saved."), project=project, edit=edit)


def _topic_form(
    request: Request, project: Project, topic: Topic | None, form: Fields | None, error: InputError | None = None
) -> Response:
    words = words_of(request)
    path = topic_path(project, topic.id) if topic else f"/p/{project.slug}/topics"
    lead = words.gettext("Everything that the topic says is here; saving is one change that can be undone.")
    joined = _joined(words, project, topic, form, error)
    fields = _topic_fields(words, project, topic, form=form, error=error, joined=joined)
    button = words.gettext("Save") if topic else words.gettext("Make the topic")
    action = f"{path}/edit" if topic else path
    view = FormView(lead, action, path, button, fields, error=error, theirs=joined.theirs)
    title = topic.name if topic else words.gettext("A new topic")
    return form_page(request, project, title, view)


def _joined(
    words: Words, project: Project, topic: Topic | None, form: Fields | None, error: InputError | None
) -> Joined:
    """Return what the form says: as it is kept, as it was typed, or both joined where somebody was faster."""
    titles, now = _titles(words, project, topic), _said_now(project, topic)
    if form is None:
        return Joined(now, ())
    typed = {name: form.text(name, most=100_000).replace("\r\n", "\n") for name in now}
    if not isinstance(error, StaleError):
        return Joined(typed, ())
    return join_changes(read_shown(form.text("shown", most=1_000_000)), now, typed, titles)


def _said_now(project: Project, topic: Topic | None) -> dict[str, str]:
    answers = {f"{ANSWER}{code}": topic.answers.get(code, "") if topic else "" for code in _languages(project, topic)}
    if topic is None:
        return {"name": "", "description": "", "owner": "", **answers}
    return {"name": topic.name, "description": topic.description, "owner": topic.owner, **answers}


def _titles(words: Words, project: Project, topic: Topic | None) -> dict[str, str]:
    codes = _languages(project, topic)
    return {
        "name": words.gettext("Name"),
        "description": words.gettext("What it is about"),
        "owner": words.gettext("Who looks after it"),
        **{f"{ANSWER}{code}": words.gettext("Answer (%(language)s)", language=code) for code in codes},
    }


def _topic_fields(
    words: Words,
    project: Project,
    topic: Topic | None,
    *,
    form: Fields | None,
    error: InputError | None,
    joined: Joined,
) -> tuple[Field, ...]:
    titles, said = _titles(words, project, topic), joined.values

    def wrong(name: str) -> str:
        return fault_at(error, name) or clash_words(words, joined, name)

    spoken = (
        Field(name, titles[name], "textarea", said[name], error=wrong(name))
        for name in titles
        if name.startswith(ANSWER)
    )
    return (
        Field("name", titles["name"], value=said["name"], required=True, most=MOST_NAME, error=wrong("name")),
        Field(
            "description", titles["description"], "textarea", said["description"], rows=2, error=wrong("description")
        ),
        Field("owner", titles["owner"], value=said["owner"], most=topic_uses.MOST_OWNER, error=wrong("owner")),
        *spoken,
        *(() if topic else (_first_examples(words, form),)),
        why_field(words, form),
        *(_marks(project, topic, form, error) if topic else ()),
    )


def _marks(project: Project, topic: Topic, form: Fields | None, error: InputError | None) -> tuple[Field, Field]:
    """Return what the form carries of the state that it shows: a newer one only where the changes are shown too."""
    if form is not None and not isinstance(error, StaleError):
        seen, shown = form.text("seen"), form.text("shown", most=1_000_000)
    else:
        seen, shown = mark_of(topic), keep_shown(_said_now(project, topic))
    return hidden_field("seen", seen), hidden_field("shown", shown)


def _languages(project: Project, topic: Topic | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*project.languages, *(topic.answers if topic else ())]))


def _first_examples(words: Words, form: Fields | None) -> Field:
    typed = "\n".join(form.lines("text")) if form else ""
    said = words.gettext("One message on each line, as visitors write them.")
    return Field("text", words.gettext("Examples"), "textarea", typed, help=said)


# --- deleting topics ---------------------------------------------------------------------------------------------


@router.get("/p/{slug}/topics/delete")
def ask_delete(
    request: Request,
    who: Editor,
    store: InStore,
    project: ProjectInPath,
    ticked: TickedTopics,
) -> Response:
    """Ask before topics are deleted."""
    return _delete_page(request, store, project, ticked)


@router.post("/p/{slug}/topics/delete")
def delete_topics(request: Request, who: Editor, store: InStore, project: ProjectInPath, form: Form) -> Response:
    """Delete topics with their examples."""
    chosen = chosen_topics(store, project, read_ticks(form, "topic"))
    edit = topic_uses.delete_topics(store, who.actor, project, chosen, why=form.text("why", most=MOST_WHY))
    said = words_of(request).gettext("Deleted.")
    return done(f"/p/{project.slug}/topics", said, project=project, edit=edit)


def _delete_page(request: Request, store: Store, project: Project, ticked: Ticked) -> Response:
    words, path = words_of(request), f"/p/{project.slug}/topics"
    loss = weigh_topics(store, project, chosen_topics(store, project, ticked))
    lead = words.ngettext(
        "%(num)s topic is deleted with its examples (%(examples)s) and answers (%(answers)s).",
        "%(num)s topics are deleted with their examples (%(examples)s) and answers (%(answers)s).",
        len(loss.topics),
        examples=Writer(words).number(loss.examples),
        answers=loss.answers,
    )
    names, more = listed([topic.name for topic in loss.topics])
    button = words.gettext("Delete")
    fields = (*ticked.fields("topic"), why_field(words))
    view = FormView(lead, f"{path}/delete", path, button, fields, danger=True, listed=names, more=more)
    return form_page(request, project, words.gettext("Delete topics"), view)


# --- what forms share --------------------------------------------------------------------------------------------


def form_page(request: Request, project: Project, title: str, view: FormView) -> Response:
    """Return a page that is one form."""
    status = status_of(view.error) if view.error else 200
    return page(request, "topics/topic_form.html", title, view=view, project=project, section="topics", status=status)


def why_field(words: Words, form: Fields | None = None) -> Field:
    """Return the field for the reason, which the history shows."""
    return Field("why", words.gettext("Why"), value=form.text("why") if form else "", most=MOST_WHY)


def clash_words(words: Words, joined: Joined, name: str) -> str:
    """Return what to do about a field that two people changed."""
    if not joined.clashes_at(name):
        return ""
    return words.gettext("Both of you changed this. Here is what you wrote; it replaces theirs when you save.")


def listed(names: Sequence[str]) -> tuple[tuple[str, ...], int]:
    """Return the first names, and how many more there are."""
    return tuple(names[:LISTED]), max(0, len(names) - LISTED)
