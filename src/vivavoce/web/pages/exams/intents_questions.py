"""Single questions of an intents exam: narrowed down, ticked, and their examples corrected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import Response

from vivavoce.errors import InputError, UsageError
from vivavoce.messages import say
from vivavoce.store.rows import Edit, Run
from vivavoce.web.forms import Fields, Form
from vivavoce.web.listing import Listing, Number, PageNumber, Search, Word
from vivavoce.web.pages.exams.findings import findings_file, result_tabs
from vivavoce.web.pages.exams.question_rows import outcome_look, outcome_meaning, outcome_title, question_row
from vivavoce.web.pages.topics.choosing import find_target, target_field
from vivavoce.web.parts import Field
from vivavoce.web.progress import run_head, run_path, tab_title
from vivavoce.web.rendering import View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.exams import intents, questions, runs
from vivavoce.workspace.exams.questions import CONFIRMED, QuestionFilter, QuestionList

router = APIRouter(prefix="/p/{slug}/intents/{number:int}")
MAX_EXPORTED = 50_000
SHOWN_TOPICS = 8
# Mistakes first, in the order of what they cost; then what was declined, then what is as it should be.
ORDER = (
    "wrong_intent",
    "overreach",
    "missed",
    "wrong_deferred",
    "no_guess",
    CONFIRMED,
    "right",
    "declined",
    "declined_no_guess",
)
QUESTION_COLUMNS = (
    "question",
    "topic",
    "most_frequent_guess",
    "confidence",
    "outcome",
    "right",
    "deferred",
    "wrong",
)


async def _asked_questions(
    outcome: Word = "", intent: Word = "", guess: Word = "", search: Search = "", page: PageNumber = 1
) -> Listing:
    return Listing("", {"outcome": outcome, "intent": intent, "guess": guess, "search": search}, page=page)


QuestionsAsked = Annotated[Listing, Depends(_asked_questions)]


@router.get("/questions")
def show_questions(visit: ReaderVisit, number: Number, asked: QuestionsAsked) -> Response:
    """Show single questions, mistakes first, with what can be done about them."""
    return _questions_page(visit, number, asked)


@router.post("/questions")
def change_questions(visit: EditorVisit, number: Number, form: Form, asked: QuestionsAsked) -> Response:
    """Do with the examples of the ticked questions what a button says."""
    run = runs.show_run(visit.store, visit.project, number, intents.KIND).run
    base, ticked = run_path(visit.project, run), _read_places(form)
    back = form.text("back", most=4000)
    try:
        text, edit = _change(visit, run, form, ticked)
    except InputError as error:
        return _questions_page(visit, number, asked, ticked=ticked, error=error)
    # Only a path of this run: whatever a form says, the reader stays here.
    return visit.done(
        back if back.startswith((f"{base}?", f"{base}/", f"{base}#")) else f"{base}/questions", text, edit
    )


def _read_places(form: Fields) -> tuple[int, ...]:
    return tuple(int(place) for place in form.all("question") if place.isascii() and place.isdigit())


def _change(visit: Visit, run: Run, form: Fields, places: Sequence[int]) -> tuple[str, Edit]:
    """Change the examples of questions; return what was done."""
    words, given = visit.words, (visit.store, visit.actor, visit.project, run, places)
    count = len(set(places))
    match form.text("do"):
        case "move":
            target = find_target(visit, form.text("target"))
            edit = questions.move_questions(*given, topic_id=target.id if target else None)
            name = target.name if target else words.gettext("out of scope")
            return words.ngettext(
                "%(num)s example moved to %(topic)s.", "%(num)s examples moved to %(topic)s.", count, topic=name
            ), edit
        case "out_of_scope":
            edit = questions.move_questions(*given, topic_id=None)
            return words.ngettext(
                "%(num)s example is now out of scope.", "%(num)s examples are now out of scope.", count
            ), edit
        case "right":
            edit = questions.confirm_questions(*given)
            return words.ngettext("%(num)s label confirmed.", "%(num)s labels confirmed.", count), edit
        case "delete":
            edit = questions.delete_questions(*given)
            return words.ngettext("%(num)s example deleted.", "%(num)s examples deleted.", count), edit
    raise UsageError(say("this form asks for nothing"), remedy=say("choose what to do with the ticked questions"))


def _questions_page(
    visit: Visit,
    number: int,
    asked: Listing,
    *,
    ticked: Sequence[int] = (),
    error: InputError | None = None,
) -> Response:
    words, line = visit.words, runs.show_run(visit.store, visit.project, number, intents.KIND)
    base = run_path(visit.project, line.run)
    listing, chosen = asked.at(f"{base}/questions"), asked.chosen
    found = questions.find_questions(
        visit.store, visit.project, line.run, QuestionFilter(**chosen), limit=asked.size, offset=asked.offset
    )
    facets = list(_facets(visit, listing, found))
    pager, may_edit = listing.pager(found.total), visit.who.may("editor")
    view = View(
        head=run_head(words, visit.project, line),
        lead=_lead(visit, found, narrowed=any(chosen.values())),
        tabs=result_tabs(visit, line.run, "questions"),
        path=listing.path,
        facets=facets,
        left_out=max(group.left_out for group in facets),
        fewer=any(chosen.values()),
        all_topics=f"{base}/topics",
        search=chosen["search"],
        kept=[(name, chosen[name]) for name in ("outcome", "intent", "guess") if chosen[name]],
        asked=found.asked,
        total=found.total,
        rows=[question_row(visit, one) for one in found.lines],
        ticked=set(ticked),
        may_edit=may_edit,
        target=_target(visit, chosen["guess"]) if may_edit and found.lines else None,
        back=listing.address(page="" if asked.page == 1 else str(asked.page)),
        pager=pager,
        downloads=listing.downloads(),
        meaning=outcome_meaning(visit, chosen["outcome"]) if chosen["outcome"] in ORDER else "",
        nothing="" if found.total else _why_none(visit, line.run, chosen),
        error=error,
    )
    title = f"{words.gettext('Questions')}: {tab_title(words, line.run)}"
    status = 400 if error else 200
    return visit.page("exams/intents_questions.html", title, view=view, status=status)


def _lead(visit: Visit, found: QuestionList, *, narrowed: bool) -> str:
    """Say how many questions there are, and how many of all went wrong."""
    words = visit.words
    if narrowed:
        return words.ngettext(
            "%(num)s of %(all)s questions.",
            "%(num)s of %(all)s questions.",
            found.total,
            all=visit.write.number(found.asked),
        )
    wrong = sum(found.outcomes.get(kind, 0) for kind in questions.WRONG)
    return words.ngettext(
        "%(num)s of %(all)s questions got a wrong answer.",
        "%(num)s of %(all)s questions got a wrong answer.",
        wrong,
        all=visit.write.number(found.asked),
    )


def _target(visit: Visit, guess: str) -> Field:
    field = target_field(visit)
    known = not field.choices or any(choice.value == guess for choice in field.choices)
    return replace(field, value=guess if known else "")


def _facets(visit: Visit, listing: Listing, found: QuestionList) -> Iterator[View]:
    """Yield what a list of questions can be narrowed down by, each value with how many questions it leaves."""
    words = visit.words
    outcomes = []
    for kind in (one for one in ORDER if found.outcomes.get(one) or one == listing.chosen["outcome"]):
        tone, icon = outcome_look(kind)
        outcomes.append(
            _facet_value(listing, "outcome", kind, outcome_title(visit, kind), found.outcomes, tone, icon)
        )
    yield View(title=words.gettext("Outcome"), choices=outcomes, left_out=0)
    for name, title, counts in (
        ("intent", words.gettext("Filed under"), found.intents),
        ("guess", words.gettext("Went to"), found.guesses),
    ):
        ordered = sorted(counts, key=lambda topic: (-counts[topic], topic.casefold()))
        shown = list(
            dict.fromkeys([*([listing.chosen[name]] if listing.chosen[name] else []), *ordered[:SHOWN_TOPICS]])
        )
        values = [_facet_value(listing, name, topic, topic, counts) for topic in shown]
        yield View(title=title, choices=values, left_out=len(set(ordered) - set(shown)))


def _facet_value(  # noqa: PLR0917
    listing: Listing, name: str, value: str, title: str, counts: Mapping[str, int], tone: str = "", icon: str = ""
) -> View:
    current = listing.chosen[name] == value
    href = listing.address(**{name: "" if current else value})
    return View(title=title, count=counts.get(value, 0), href=href, current=current, tone=tone, sign=icon)


@router.get("/questions.{kind}")
def export_questions(visit: ReaderVisit, number: Number, kind: str, asked: QuestionsAsked) -> Response:
    """Return the questions as CSV or XLSX."""
    run = runs.show_run(visit.store, visit.project, number, intents.KIND).run
    chosen = QuestionFilter(**asked.chosen)
    found = questions.find_questions(visit.store, visit.project, run, chosen, limit=MAX_EXPORTED)
    rows = [
        (row.text, row.intent, row.guess, row.confidence, row.outcome, row.right, row.deferred, row.wrong)
        for row in (line.row for line in found.lines)
    ]
    return findings_file(visit.project, run, f"questions.{kind}", QUESTION_COLUMNS, rows)


def _why_none(visit: Visit, run: Run, chosen: Mapping[str, str]) -> str:
    """Say why two topics are named together although none of their questions was taken for the other."""
    names = {"a": chosen["intent"], "b": chosen["guess"]}
    pairs = intents.intents_result(visit.store, run).pairs
    known = any({pair.a, pair.b} == set(names.values()) for pair in pairs)
    if chosen["outcome"] or chosen["search"] or not known:
        return ""
    if intents.list_questions(visit.store, run, intent=names["b"], guess=names["a"], limit=1).total:
        return visit.words.gettext(
            "No question about %(a)s was mistaken for %(b)s, but the reverse happened.", **names
        )
    return visit.words.gettext(
        "No question about %(a)s was mistaken for %(b)s in this exam. The two are listed together "
        "because their texts are similar, not because of mistakes.",
        **names,
    )
