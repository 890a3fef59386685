"""Forms that change examples, and the list of examples that say nearly the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from vivavoce.errors import InputError, StaleError, UsageError
from vivavoce.messages import say
from vivavoce.store.rows import ExampleRow
from vivavoce.web.forms import MAX_WHY, Fields, Form, fault_at
from vivavoce.web.listing import Listing, PageNumber
from vivavoce.web.pages.exams.checks import SETTLED, name_topics, read_settled, refuse_harm, say_check
from vivavoce.web.pages.topics.choosing import (
    Ticked,
    TickedExamples,
    chosen_examples,
    find_target,
    read_ticks,
    target_field,
)
from vivavoce.web.pages.topics.topic_edits import deletion_help, form_page, join_form, state_fields, why_field
from vivavoce.web.pages.topics.topic_page import topic_page, topic_path
from vivavoce.web.parts import Field
from vivavoce.web.rendering import View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.exams.checking import check_change, draft_move, draft_settlement
from vivavoce.workspace.exams.remedies import Draft, apply_draft
from vivavoce.workspace.topics import examples
from vivavoce.workspace.topics.datasets import TwinPage, Twins, list_duplicates
from vivavoce.workspace.topics.names import MAX_NAME
from vivavoce.workspace.topics.topics import get_topic, split_topic

router = APIRouter()


@router.post("/p/{slug}/examples")
def add_examples(visit: EditorVisit, form: Form) -> Response:
    """Add examples to a topic: one on each line."""
    words, here, lines = visit.words, form.text("from") or None, form.lines("text")
    texts = tuple(line for line in lines if "\t" not in line)
    try:
        form.check()
        check = check_change(*visit.here, Draft("add_examples", (here,), texts=texts)) if here and texts else None
        if refusal := refuse_harm(visit, form, check, topic_path(visit.project, here)):
            return refusal
        added = examples.add_examples(*visit.acting, lines, topic_id=here, why=form.text("why", most=MAX_WHY))
    except InputError as error:
        return topic_page(visit, here, typed="\n".join(lines), error=error)
    text, known = words.ngettext("%(num)s example added.", "%(num)s examples added.", added.added), added.known
    if known:
        text += " " + words.ngettext("%(num)s already existed.", "%(num)s already existed.", len(known))
    return visit.done(topic_path(visit.project, here), text + say_check(visit, check), added.edit)


@router.post("/p/{slug}/examples/move")
def move_examples(visit: EditorVisit, form: Form) -> Response:
    """Give examples to another topic."""
    ticked, why = read_ticks(form, "example"), form.text("reason", most=MAX_WHY)
    here = ticked.here or None
    try:
        form.check()
        chosen = chosen_examples(visit, ticked)
        if not chosen:
            raise UsageError(say("no example selected"), remedy=say("tick at least one"))
        target = None if form.flag("out_of_scope") else find_target(visit, form.text("target"))
        draft = draft_move(chosen, name_topics(visit, chosen), target.id if target else None)
        check = check_change(*visit.here, draft)
        if refusal := refuse_harm(visit, form, check, topic_path(visit.project, here)):
            return refusal
        edit = apply_draft(*visit.acting, draft, why=why).edit
    except InputError as error:
        if here == DUPLICATES:
            return duplicates_page(visit, ticked=ticked, why=why, error=error)
        return topic_page(visit, here, ticked=ticked, why=why, error=error)
    text = visit.words.ngettext("%(num)s example moved.", "%(num)s examples moved.", len(set(chosen)))
    return visit.done(topic_path(visit.project, here), text + say_check(visit, check), edit)


@router.post("/p/{slug}/topics/duplicates/settle")
def settle_duplicates(visit: EditorVisit, form: Form) -> Response:
    """Give texts that stand in several topics to the topic that was chosen for each."""
    back, words = f"{visit.base}/topics/{DUPLICATES}?show=apart", visit.words
    decisions, why = read_settled(form), form.text("reason", most=MAX_WHY)
    try:
        form.check()
        draft = draft_settlement(*visit.here, decisions)
        check = check_change(*visit.here, draft)
        if refusal := refuse_harm(visit, form, check, back):
            return refusal
        edit = apply_draft(*visit.acting, draft, why=why).edit
    except InputError as error:
        return duplicates_page(visit, show="apart", settled=decisions, why=why, error=error)
    text = words.ngettext("%(num)s text is in one topic now.", "%(num)s texts are in one topic now.", len(decisions))
    return visit.done(back, text + say_check(visit, check), edit)


@router.get("/p/{slug}/examples/split")
def ask_split(visit: EditorVisit, ticked: TickedExamples) -> Response:
    """Ask for the name of the topic that chosen examples become."""
    return _split_page(visit, ticked)


@router.post("/p/{slug}/examples/split")
def split_off(visit: EditorVisit, form: Form) -> Response:
    """Make a new topic of chosen examples."""
    ticked = read_ticks(form, "example")
    try:
        chosen = chosen_examples(visit, ticked)
        draft = Draft("split", name_topics(visit, chosen), chosen, name=form.text("name"))
        if refusal := refuse_harm(
            visit, form, check_change(*visit.here, draft), topic_path(visit.project, ticked.here or None)
        ):
            return refusal
        split = split_topic(*visit.acting, chosen, form.text("name"), why=form.text("why", most=MAX_WHY))
    except InputError as error:
        return _split_page(visit, ticked, form=form, error=error)
    text = visit.words.gettext("Topic created. Write its answer next.")
    return visit.done(topic_path(visit.project, split.topic.id), text, split.edit)


@router.get("/p/{slug}/examples/delete")
def ask_delete(visit: EditorVisit, ticked: TickedExamples) -> Response:
    """Ask before examples are deleted."""
    words = visit.words
    rows = examples.find_examples(*visit.here, chosen_examples(visit, ticked))
    return form_page(
        visit,
        words.gettext("Delete examples"),
        lead=words.ngettext("This deletes %(num)s example.", "This deletes %(num)s examples.", len(rows)),
        action=f"{visit.base}/examples/delete",
        cancel=topic_path(visit.project, ticked.here or None),
        button=words.ngettext("Delete %(num)s example", "Delete %(num)s examples", len(rows)),
        fields=(*ticked.fields("example"), why_field(words)),
        danger=True,
        check="delete",
        names=[row.text for row in rows],
        help_texts=deletion_help(words),
    )


@router.post("/p/{slug}/examples/delete")
def delete_examples(visit: EditorVisit, form: Form) -> Response:
    """Delete examples."""
    why, ticked = form.text("why", most=MAX_WHY), read_ticks(form, "example")
    chosen, back = chosen_examples(visit, ticked), topic_path(visit.project, ticked.here or None)
    check = check_change(*visit.here, draft_move(chosen, (), None), is_deletion=True) if chosen else None
    if refusal := refuse_harm(visit, form, check, back):
        return refusal
    edit = examples.delete_examples(*visit.acting, chosen, why=why)
    return visit.done(back, visit.words.gettext("Deleted.") + say_check(visit, check), edit)


@router.get("/p/{slug}/examples/{example_id}")
def edit_example(visit: EditorVisit, example_id: str) -> Response:
    """Show the form that writes an example anew."""
    (row,) = examples.find_examples(*visit.here, [example_id])
    return _example_page(visit, row)


@router.post("/p/{slug}/examples/{example_id}")
def change_example(visit: EditorVisit, example_id: str, form: Form) -> Response:
    """Write an example anew."""
    (row,) = examples.find_examples(*visit.here, [example_id])
    try:
        edit = examples.change_example(
            *visit.acting,
            example_id,
            text=form.text("text"),
            language=form.text("language"),
            seen=form.text("seen"),
            why=form.text("why", most=MAX_WHY),
        )
    except StaleError as error:
        # What is shown beside what was typed must be the state that the new form stands for.
        (row,) = examples.find_examples(*visit.here, [example_id])
        return _example_page(visit, row, form=form, error=error)
    except InputError as error:
        return _example_page(visit, row, form=form, error=error)
    return visit.done(topic_path(visit.project, row.topic_id), visit.words.gettext("Saved."), edit)


def _split_page(
    visit: Visit, ticked: Ticked, *, form: Fields | None = None, error: InputError | None = None
) -> Response:
    words, typed = visit.words, form.text("name") if form else ""
    rows = examples.find_examples(*visit.here, chosen_examples(visit, ticked))
    title, wrong = words.gettext("New topic name"), fault_at(error, "name")
    name = Field("name", title, value=typed, required=True, most=MAX_NAME, error=wrong)
    return form_page(
        visit,
        words.gettext("Split off a topic"),
        lead=words.ngettext(
            "%(num)s example becomes a new topic.", "%(num)s examples become a new topic.", len(rows)
        ),
        action=f"{visit.base}/examples/split",
        cancel=topic_path(visit.project, ticked.here or None),
        button=words.gettext("Create topic"),
        fields=(*ticked.fields("example"), name, why_field(words, form)),
        check="split",
        names=[row.text for row in rows],
        help_texts=(
            (
                words.gettext("When to split"),
                words.gettext("Split off examples that need a different answer. They move to the new topic."),
            ),
            (
                words.gettext("Next"),
                words.gettext("Write the answer of the new topic, and add examples until it has at least five."),
            ),
        ),
        error=error,
    )


def _example_page(
    visit: Visit, row: ExampleRow, *, form: Fields | None = None, error: InputError | None = None
) -> Response:
    words, topic = visit.words, visit.words.gettext("Out of scope")
    if row.topic_id:
        topic = get_topic(*visit.here, row.topic_id).name
    now = {"text": row.text, "language": row.language, "topic": topic}
    titles = {
        "text": words.gettext("Message"),
        "language": words.gettext("Language"),
        "topic": words.gettext("Topic"),
    }
    joined = join_form(form, error, now, titles, unsent=("topic",))
    wrong = {name: joined.fault_at(words, error, name) for name in titles}
    text, language = joined.values["text"], joined.values["language"]
    fields = (
        Field("text", titles["text"], "textarea", text, required=True, rows=3, error=wrong["text"]),
        Field("language", titles["language"], value=language, most=20, required=True, error=wrong["language"]),
        why_field(words, form),
        *state_fields(form, error, examples.example_mark(row), now),
    )
    return form_page(
        visit,
        words.gettext("Edit example"),
        lead=words.gettext("Write the message as a visitor would."),
        action=f"{visit.base}/examples/{row.id}",
        cancel=topic_path(visit.project, row.topic_id),
        button=words.gettext("Save"),
        fields=fields,
        theirs=joined.theirs,
        help_texts=(
            (words.gettext("Topic"), topic),
            (
                words.gettext("Tip"),
                words.gettext("Keep typos and abbreviations if visitors write that way. The bot learns from them."),
            ),
        ),
        error=error,
    )


# What forms of this page send as the place from which they come.
DUPLICATES = "duplicates"
NOTHING_TICKED = Ticked()
NOTHING_SETTLED: Mapping[str, str] = {}


@router.get("/p/{slug}/topics/duplicates")
def show_duplicates(
    visit: ReaderVisit, show: Annotated[Literal["", "apart"], Query()] = "", page_number: PageNumber = 1
) -> Response:
    """Show the examples that say nearly the same, those under different topics first."""
    return duplicates_page(visit, show=show, number=page_number)


def duplicates_page(
    visit: Visit,
    *,
    show: str = "",
    number: int = 1,
    ticked: Ticked = NOTHING_TICKED,
    settled: Mapping[str, str] = NOTHING_SETTLED,
    why: str = "",
    error: InputError | None = None,
) -> Response:
    """Return the page, with what was ticked in a form that was refused."""
    words, listing = visit.words, Listing(f"{visit.base}/topics/{DUPLICATES}", {"show": show}, page=number)
    every = list_duplicates(*visit.here, limit=0)
    page = list_duplicates(*visit.here, apart=show == "apart", limit=listing.size, offset=listing.offset)
    choices = (("", words.gettext("all"), every.total), ("apart", words.gettext("in different topics"), every.apart))
    view = View(
        lead=_lead(visit, every),
        base=visit.base,
        groups=[_group_view(group, settled) for group in page.groups],
        seg=[
            View(title=title, count=count, href=listing.address(show=value), current=value == show)
            for value, title, count in choices
        ]
        if every.total
        else (),
        apart=any(group.apart for group in page.groups),
        moving=(target_field(visit), Field("reason", words.gettext("Reason"), value=why, most=MAX_WHY)),
        ticked=frozenset(ticked.ids),
        pager=listing.pager(page.total),
        error=error,
    )
    title = words.gettext("Near-duplicate examples")
    return visit.page("topics/duplicates.html", title, view=view, status=400 if error else 200)


def _group_view(group: Twins, settled: Mapping[str, str]) -> View:
    """Return a group with the topics that it may belong to; the one that has most of it is chosen beforehand."""
    sizes = Counter((each.row.topic_id, each.topic) for each in group.examples if each.row.topic_id and each.topic)
    best = sizes.most_common(2)
    usual = best[0][0][0] if len(best) > 1 and best[0][1] > best[1][1] else ""
    return View(
        id=group.id,
        name=f"{SETTLED}{group.id}",
        examples=group.examples,
        apart=group.apart,
        topics=[(own, name) for own, name in sizes] if group.apart else (),
        chosen=settled.get(group.id, usual) if group.apart else "",
    )


def _lead(visit: Visit, page: TwinPage) -> str:
    words, number = visit.words, visit.write.number
    if not page.total:
        return words.gettext("No near-duplicate examples.")
    groups = words.ngettext(
        "%(count)s group of near-duplicate examples",
        "%(count)s groups of near-duplicate examples",
        page.total,
        count=number(page.total),
    )
    if not page.apart:
        return words.gettext("%(groups)s, each within one topic.", groups=groups)
    return words.ngettext(
        "%(groups)s; %(count)s of them spans different topics, so the bot cannot get all of it right.",
        "%(groups)s; %(count)s of them span different topics, so the bot cannot get all of them right.",
        page.apart,
        groups=groups,
        count=number(page.apart),
    )
