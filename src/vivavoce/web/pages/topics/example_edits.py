"""Forms that change examples: add, write anew, move, split off into a new topic, delete."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.errors import InputError, StaleError
from vivavoce.store.database import Store
from vivavoce.store.rows import ExampleRow, Project
from vivavoce.web.access import Editor, InStore, ProjectInPath
from vivavoce.web.answers import done, words_of
from vivavoce.web.field_faults import fault_at
from vivavoce.web.forms import MOST_WHY, Fields, Form
from vivavoce.web.language import Words
from vivavoce.web.pages.topics.choosing import Ticked, TickedExamples, chosen_examples, find_target, read_ticks
from vivavoce.web.pages.topics.joining import Joined, join_changes, keep_shown, read_shown
from vivavoce.web.pages.topics.topic_edits import FormView, clash_words, form_page, listed, why_field
from vivavoce.web.pages.topics.topics import topic_page, topic_path
from vivavoce.web.parts import Field, hidden_field
from vivavoce.workspace.topics import examples
from vivavoce.workspace.topics.names import MOST_NAME
from vivavoce.workspace.topics.topics import get_topic, split_topic

router = APIRouter()


@router.post("/p/{slug}/examples")
def add_examples(request: Request, who: Editor, store: InStore, project: ProjectInPath, form: Form) -> Response:
    """Add examples to a topic: one on each line."""
    here, lines = form.text("from") or None, form.lines("text")
    try:
        form.check()
        added = examples.add_examples(
            store, who.actor, project, lines, topic_id=here, why=form.text("why", most=MOST_WHY)
        )
    except InputError as error:
        return topic_page(request, store, project, here, typed="\n".join(lines), error=error)
    said = _added(words_of(request), added.added, len(added.known))
    return done(topic_path(project, here), said, project=project, edit=added.edit)


@router.post("/p/{slug}/examples/move")
def move_examples(request: Request, who: Editor, store: InStore, project: ProjectInPath, form: Form) -> Response:
    """Give examples to another topic."""
    ticked, why = read_ticks(form, "example"), form.text("reason", most=MOST_WHY)
    here = ticked.here or None
    try:
        form.check()
        chosen = chosen_examples(store, project, ticked)
        target = find_target(store, project, form.text("target"))
        to = target.id if target else None
        edit = examples.move_examples(store, who.actor, project, chosen, topic_id=to, why=why)
    except InputError as error:
        return topic_page(request, store, project, here, ticked=ticked, why=why, error=error)
    said = words_of(request).ngettext("%(num)s example is moved.", "%(num)s examples are moved.", len(set(chosen)))
    return done(topic_path(project, here), said, project=project, edit=edit)


@router.get("/p/{slug}/examples/split")
def ask_split(
    request: Request,
    who: Editor,
    store: InStore,
    project: ProjectInPath,
    ticked: TickedExamples,
) -> Response:
    """Ask for the name of the topic that chosen examples become."""
    return _split_page(request, store, project, ticked)


@router.post("/p/{slug}/examples/split")
def split(request: Request, who: Editor, store: InStore, project: ProjectInPath, form: Form) -> Response:
    """Make a new topic of chosen examples."""
    ticked = read_ticks(form, "example")
    try:
        chosen = chosen_examples(store, project, ticked)
        made = split_topic(store, who.actor, project, chosen, form.text("name"), why=form.text("why", most=MOST_WHY))
    except InputError as error:
        return _split_page(request, store, project, ticked, form=form, error=error)
    said = words_of(request).gettext("The new topic is made. Now write its answer.")
    return done(topic_path(project, made.topic.id), said, project=project, edit=made.edit)


@router.get("/p/{slug}/examples/delete")
def ask_delete(
    request: Request,
    who: Editor,
    store: InStore,
    project: ProjectInPath,
    ticked: TickedExamples,
) -> Response:
    """Ask before examples are deleted."""
    words, back = words_of(request), topic_path(project, ticked.here or None)
    rows = examples.find_examples(store, project, chosen_examples(store, project, ticked))
    lead = words.ngettext("%(num)s example is deleted.", "%(num)s examples are deleted.", len(rows))
    texts, more = listed([row.text for row in rows])
    fields = (*ticked.fields("example"), why_field(words))
    action = f"/p/{project.slug}/examples/delete"
    button = words.gettext("Delete")
    view = FormView(lead, action, back, button, fields, danger=True, listed=texts, more=more)
    return form_page(request, project, words.gettext("Delete examples"), view)


@router.post("/p/{slug}/examples/delete")
def delete_examples(request: Request, who: Editor, store: InStore, project: ProjectInPath, form: Form) -> Response:
    """Delete examples."""
    why, ticked = form.text("why", most=MOST_WHY), read_ticks(form, "example")
    edit = examples.delete_examples(store, who.actor, project, chosen_examples(store, project, ticked), why=why)
    said = words_of(request).gettext("Deleted.")
    return done(topic_path(project, ticked.here or None), said, project=project, edit=edit)


@router.get("/p/{slug}/examples/{example_id}")
def edit_example(request: Request, who: Editor, store: InStore, project: ProjectInPath, example_id: str) -> Response:
    """Show the form that writes an example anew."""
    (row,) = examples.find_examples(store, project, [example_id])
    return _example_page(request, store, project, row)


@router.post("/p/{slug}/examples/{example_id}")
def change_example(
    request: Request, who: Editor, store: InStore, project: ProjectInPath, *, example_id: str, form: Form
) -> Response:
    """Write an example anew."""
    (row,) = examples.find_examples(store, project, [example_id])
    try:
        edit = examples.change_example(
            store,
            who.actor,
            project,
            example_id,
            text=form.text("text"),
            language=form.text("language"),
            seen=form.text("seen"),
            why=form.text("why", most=MOST_WHY),
        )
    except StaleError as error:
        # What is shown beside what was typed must be the state that the new form stands for.
        (row,) = examples.find_examples(store, project, [example_id])
        return _example_page(request, store, project, row, form=form, error=error)
    except InputError as error:
        return _example_page(request, store, project, row, form=form, error=error)
    return done(topic_path(project, row.topic_id), words_of(request).gettext("Saved."), project=project, edit=edit)


# --- pages -------------------------------------------------------------------------------------------------------


def _split_page(
    request: Request,
    store: Store,
    project: Project,
    ticked: Ticked,
    *,
    form: Fields | None = None,
    error: InputError | None = None,
) -> Response:
    words = words_of(request)
    rows = examples.find_examples(store, project, chosen_examples(store, project, ticked))
    lead = words.ngettext(
        "%(num)s example becomes a topic of its own.", "%(num)s examples become a topic of their own.", len(rows)
    )
    name = Field(
        "name",
        words.gettext("Name of the new topic"),
        value=form.text("name") if form else "",
        required=True,
        most=MOST_NAME,
        error=fault_at(error, "name"),
    )
    texts, more = listed([row.text for row in rows])
    fields = (*ticked.fields("example"), name, why_field(words, form))
    view = FormView(
        lead,
        f"/p/{project.slug}/examples/split",
        topic_path(project, ticked.here or None),
        words.gettext("Make the topic"),
        fields,
        listed=texts,
        more=more,
        error=error,
    )
    return form_page(request, project, words.gettext("Split off a topic"), view)


def _example_page(
    request: Request,
    store: Store,
    project: Project,
    row: ExampleRow,
    *,
    form: Fields | None = None,
    error: InputError | None = None,
) -> Response:
    words = words_of(request)
    now = _said_now(words, store, project, row)
    joined = _joined(words, now, form, error)
    seen, shown = examples.example_mark(row), keep_shown(now)
    if form is not None and not isinstance(error, StaleError):
        seen, shown = form.text("seen"), form.text("shown", most=100_000)
    fields = (
        _example_field(words, joined, "text", error),
        _example_field(words, joined, "language", error),
        why_field(words, form),
        hidden_field("seen", seen),
        hidden_field("shown", shown),
    )
    lead = words.gettext("Write the message as a visitor would write it.")
    action, back = f"/p/{project.slug}/examples/{row.id}", topic_path(project, row.topic_id)
    view = FormView(lead, action, back, words.gettext("Save"), fields, error=error, theirs=joined.theirs)
    return form_page(request, project, words.gettext("One example"), view)


def _said_now(words: Words, store: Store, project: Project, row: ExampleRow) -> dict[str, str]:
    home = get_topic(store, project, row.topic_id).name if row.topic_id else words.gettext("Out of scope")
    return {"text": row.text, "language": row.language, "topic": home}


def _joined(words: Words, now: dict[str, str], form: Fields | None, error: InputError | None) -> Joined:
    if form is None:
        return Joined(now, ())
    shown = read_shown(form.text("shown", most=100_000))
    # The topic is not in the form: whoever sends it leaves the example where it is.
    typed = {"text": form.text("text"), "language": form.text("language"), "topic": shown.get("topic", "")}
    if not isinstance(error, StaleError):
        return Joined(typed, ())
    return join_changes(shown, now, typed, _titles(words))


def _titles(words: Words) -> dict[str, str]:
    return {
        "text": words.gettext("Message"),
        "language": words.gettext("Language"),
        "topic": words.gettext("Topic"),
    }


def _example_field(words: Words, joined: Joined, name: str, error: InputError | None) -> Field:
    wrong = fault_at(error, name) or clash_words(words, joined, name)
    title, said = _titles(words)[name], joined.values[name]
    if name == "text":
        return Field(name, title, "textarea", said, required=True, rows=3, error=wrong)
    return Field(name, title, value=said, most=20, required=True, error=wrong)


def _added(words: Words, added: int, known: int) -> str:
    said = words.ngettext("%(num)s example is added.", "%(num)s examples are added.", added)
    if not known:
        return said
    there = words.ngettext("%(num)s was there already.", "%(num)s were there already.", known)
    return f"{said} {there}"
