"""Topics that become one: which of them remains, and what becomes of the answers of the others."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.errors import InputError, UsageError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Topic
from vivavoce.web.access import Editor, InStore, ProjectInPath
from vivavoce.web.answers import done, words_of
from vivavoce.web.field_faults import fault_at
from vivavoce.web.formats import Writer
from vivavoce.web.forms import MOST_WHY, Fields, Form
from vivavoce.web.language import Words
from vivavoce.web.pages.topics.choosing import Ticked, TickedTopics, chosen_topics, no_choice, read_ticks
from vivavoce.web.pages.topics.topic_edits import FormView, form_page, listed, why_field
from vivavoce.web.pages.topics.topics import topic_path
from vivavoce.web.parts import Choice, Field
from vivavoce.workspace.topics import topics as topic_uses
from vivavoce.workspace.topics.topics import ANSWER_CHOICES, AnswerChoice, Loss, weigh_topics

router = APIRouter()


@router.get("/p/{slug}/topics/merge")
def ask_merge(
    request: Request, who: Editor, store: InStore, project: ProjectInPath, ticked: TickedTopics
) -> Response:
    """Ask before topics are merged: into which one, and what becomes of the other answers."""
    return _merge_page(request, store, project, ticked)


@router.post("/p/{slug}/topics/merge")
def merge_topics(request: Request, who: Editor, store: InStore, project: ProjectInPath, form: Form) -> Response:
    """Merge topics into one."""
    ticked, into = read_ticks(form, "topic"), form.text("into")
    answer = form.choice("answer", ("", *ANSWER_CHOICES))
    try:
        form.check()
        if not into:
            raise UsageError(say("no topic is chosen"), where="into", remedy=say("choose the topic that remains"))
        kept: AnswerChoice | None = next((one for one in ANSWER_CHOICES if one == answer), None)
        chosen, why = chosen_topics(store, project, ticked), form.text("why", most=MOST_WHY)
        edit = topic_uses.merge_topics(store, who.actor, project, chosen, into, answer=kept, why=why)
    except InputError as error:
        return _merge_page(request, store, project, ticked, form=form, error=error)
    said = words_of(request).gettext("The topics are one now.")
    return done(topic_path(project, into), said, project=project, edit=edit)


def _merge_page(
    request: Request,
    store: Store,
    project: Project,
    ticked: Ticked,
    *,
    form: Fields | None = None,
    error: InputError | None = None,
) -> Response:
    words, path = words_of(request), f"/p/{project.slug}/topics"
    loss = weigh_topics(store, project, chosen_topics(store, project, ticked))
    names, more = listed([topic.name for topic in loss.topics])
    fields = (
        *ticked.fields("topic"),
        *_merge_fields(words, store, project, loss, form=form, error=error),
        why_field(words, form),
    )
    button = words.gettext("Merge")
    view = FormView(
        _lead(words, loss), f"{path}/merge", path, button, fields, danger=True, listed=names, more=more, error=error
    )
    view = replace(view, answers=_answers(store, project, loss, form.text("into") if form else ""))
    return form_page(request, project, words.gettext("Merge topics"), view)


def _lead(words: Words, loss: Loss) -> str:
    count = Writer(words).number(loss.examples)
    if len(loss.topics) == 1:
        return words.ngettext(
            "The topic goes, and its %(examples)s example comes to another one, not twice.",
            "The topic goes, and its %(examples)s examples come to another one, none twice.",
            loss.examples,
            examples=count,
        )
    return words.ngettext(
        "These topics become one; up to %(examples)s example comes together, not twice.",
        "These topics become one; up to %(examples)s examples come together, none twice.",
        loss.examples,
        examples=count,
    )


def _answers(store: Store, project: Project, loss: Loss, into: str) -> tuple[Topic, ...]:
    """Return the topics whose answers are to be looked at: those chosen, and the one that remains."""
    known = {topic.id for topic in loss.topics}
    found = loss.topics
    if into and into not in known and into in topic_uses.topic_names(store, project):
        found = (*found, topic_uses.get_topic(store, project, into))
    return tuple(topic for topic in found if topic.answers)


def _merge_fields(
    words: Words, store: Store, project: Project, loss: Loss, *, form: Fields | None, error: InputError | None
) -> tuple[Field, Field]:
    chosen = {topic.id: topic.name for topic in loss.topics}
    names = topic_uses.topic_names(store, project)
    others = {key: name for key, name in names.items() if key not in chosen}
    targets = (Choice(key, name) for key, name in (chosen if len(chosen) > 1 else others).items())
    into, answer = (form.text("into"), form.text("answer")) if form else ("", "")
    return (
        Field(
            "into",
            words.gettext("The topic that remains"),
            "select",
            into,
            error=fault_at(error, "into"),
            choices=(no_choice(words), *targets),
            required=True,
        ),
        Field(
            "answer",
            words.gettext("What becomes of the other answers"),
            "select",
            answer,
            error=fault_at(error, "answer"),
            choices=_answer_choices(words),
        ),
    )


def _answer_choices(words: Words) -> tuple[Choice, ...]:
    ways = {
        "": words.gettext("ask me where two of them have an answer"),
        "fill": words.gettext("keep those of the remaining topic, and add them where it has none"),
        "keep": words.gettext("keep those of the remaining topic alone"),
        "take": words.gettext("take those of the others instead"),
        "join": words.gettext("keep both, one under the other"),
    }
    return tuple(Choice(key, said) for key, said in ways.items())
