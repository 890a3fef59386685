"""Topics that become one: which of them remains, and what becomes of the answers of the others."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.errors import InputError, UsageError
from vivavoce.messages import say
from vivavoce.web.failures import status_of
from vivavoce.web.forms import MAX_WHY, Fields, Form, fault_at
from vivavoce.web.language import Words
from vivavoce.web.pages.exams.checks import refuse_harm, say_check
from vivavoce.web.pages.topics.choosing import Ticked, TickedTopics, chosen_topics, no_choice, read_ticks
from vivavoce.web.pages.topics.topic_edits import why_field
from vivavoce.web.pages.topics.topic_page import topic_path
from vivavoce.web.parts import Choice, Field
from vivavoce.web.rendering import View
from vivavoce.web.visits import EditorVisit, Visit
from vivavoce.workspace.exams.checking import check_change
from vivavoce.workspace.exams.remedies import Draft, apply_draft
from vivavoce.workspace.topics import topics as topic_uses
from vivavoce.workspace.topics.overview import topic_state
from vivavoce.workspace.topics.topics import (
    ANSWER_CHOICES,
    AnswerChoice,
    Content,
    Loss,
    look_into,
    torn_languages,
    weigh_topics,
)

router = APIRouter()
# So many questions of each topic are seen at once; the others are one click away.
SHOWN = 8


@router.get("/p/{slug}/topics/merge")
def ask_merge(visit: EditorVisit, ticked: TickedTopics) -> Response:
    """Ask before topics are merged: into which one, and what becomes of the other answers."""
    return _merge_page(visit, ticked)


@router.post("/p/{slug}/topics/merge")
def merge_topics(visit: EditorVisit, form: Form) -> Response:
    """Merge topics into one."""
    ticked, into = read_ticks(form, "topic"), form.text("into")
    answer = form.choice("answer", ("", *ANSWER_CHOICES))
    try:
        form.check()
        if not into:
            raise UsageError(say("no topic selected"), where="into", remedy=say("choose the topic to keep"))
        kept: AnswerChoice | None = next((name for name in ANSWER_CHOICES if name == answer), None)
        chosen, why = chosen_topics(visit, ticked), form.text("why", most=MAX_WHY)
        sources = tuple(own for own in chosen if own != into)
        draft = Draft("merge", (*sources, into))
        check = check_change(*visit.here, draft) if sources else None
        if refusal := refuse_harm(visit, form, check, f"{visit.base}/topics"):
            return refusal
        edit = apply_draft(*visit.acting, draft, answer=kept, why=why).edit
    except InputError as error:
        return _merge_page(visit, ticked, form=form, error=error)
    text = visit.words.gettext("Topics merged.") + say_check(visit, check)
    return visit.done(topic_path(visit.project, into), text, edit)


def _merge_page(
    visit: Visit, ticked: Ticked, *, form: Fields | None = None, error: InputError | None = None
) -> Response:
    """Show the topics side by side, with what each would bring; the largest is chosen to remain."""
    words, path = visit.words, f"{visit.base}/topics"
    loss = weigh_topics(*visit.here, chosen_topics(visit, ticked))
    into = form.text("into") if form else ""
    known = [topic.id for topic in loss.topics]
    if into and into not in known:
        known.append(into)
    if len(known) == 1:
        return _partner_page(visit, loss, error)
    contents = look_into(*visit.here, known)
    into = into or max(contents, key=lambda one: (one.size, bool(one.topic.answers))).topic.id
    answer = form.text("answer") if form else ""
    view = View(
        lead=_lead(visit, loss),
        action=f"{path}/merge",
        cancel=path,
        carried=ticked.fields("topic"),
        contents=contents,
        shown=SHOWN,
        into=into,
        fault=fault_at(error, "into"),
        fields=(_answer_field(words, contents, answer, error), why_field(words, form)),
        differ=bool(torn_languages(one.topic for one in contents)),
        error=error,
    )
    status = status_of(error) if error else 200
    return visit.page("topics/merge.html", words.gettext("Merge topics"), view=view, status=status)


def _answer_field(words: Words, contents: Sequence[Content], answer: str, error: InputError | None) -> Field:
    """Return what can become of the answers; nothing is chosen beforehand where one would be lost."""
    ways = {
        "": words.gettext("choose what to do"),
        "fill": words.gettext("keep the answers of the kept topic, and add others where it has none"),
        "keep": words.gettext("keep only the answers of the kept topic"),
        "take": words.gettext("use the answers of the other topics instead"),
        "join": words.gettext("keep both, one below the other"),
    }
    if not torn_languages(one.topic for one in contents):
        answer = answer or "fill"
    choices = tuple(Choice(key, title) for key, title in ways.items())
    title = words.gettext("What happens to the other answers")
    return Field("answer", title, "select", answer, error=fault_at(error, "answer"), choices=choices)


def _partner_page(visit: Visit, loss: Loss, error: InputError | None) -> Response:
    """Ask for the other topic: the one of nearly the same name, or the most confused one, is chosen beforehand."""
    words, path, (topic,) = visit.words, f"{visit.base}/topics", loss.topics
    names = {key: name for key, name in topic_uses.topic_names(*visit.here).items() if key != topic.id}
    state = topic_state(*visit.here, topic.id)
    confused = [name for name, _ in state.findings.neighbours] if state.findings else []
    near = [*state.line.twins, *(key for name in confused for key, other in names.items() if other == name)]
    choices = (no_choice(words), *(Choice(key, name) for key, name in names.items()))
    help_text = words.gettext("Both are shown side by side before anything is merged.")
    usual = near[0] if near else ""
    view = View(
        lead=_lead(visit, loss),
        path=f"{path}/merge",
        topic=topic,
        cancel=topic_path(visit.project, topic.id),
        field=Field("topic", words.gettext("Merge with"), "select", usual, help_text, choices=choices, required=True),
        error=error,
    )
    status = status_of(error) if error else 200
    return visit.page("topics/merge_partner.html", words.gettext("Merge topics"), view=view, status=status)


def _lead(visit: Visit, loss: Loss) -> str:
    count = visit.write.number(loss.examples)
    if len(loss.topics) == 1:
        return visit.words.ngettext(
            "Which topic belongs together with %(name)s and its %(examples)s example?",
            "Which topic belongs together with %(name)s and its %(examples)s examples?",
            loss.examples,
            name=loss.topics[0].name,
            examples=count,
        )
    return visit.words.ngettext(
        "These topics become one, with up to %(examples)s example and no duplicates.",
        "These topics become one, with up to %(examples)s examples and no duplicates.",
        loss.examples,
        examples=count,
    )
