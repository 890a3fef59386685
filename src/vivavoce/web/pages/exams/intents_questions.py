"""Single questions of an intents exam, and what can be done about their examples."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.errors import InputError, UsageError
from vivavoce.messages import say
from vivavoce.outcomes import Outcome
from vivavoce.store.rows import Edit, Run, Topic
from vivavoce.web.forms import Fields, Form
from vivavoce.web.listing import Listing, Number, facet, read_listing
from vivavoce.web.pages.exams.checks import refuse_harm, say_check
from vivavoce.web.pages.exams.findings import findings_file, result_tabs
from vivavoce.web.pages.topics.choosing import find_target, target_field
from vivavoce.web.parts import Field
from vivavoce.web.progress import run_head, run_path, tab_title
from vivavoce.web.rendering import View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.exams import intents, questions, runs
from vivavoce.workspace.exams.checking import check_change, draft_bulk
from vivavoce.workspace.exams.open_problems import open_suspects
from vivavoce.workspace.exams.questions import CONFIRMED, QuestionFilter, QuestionLine, QuestionList
from vivavoce.workspace.exams.remedies import apply_draft

router = APIRouter(prefix="/p/{slug}/intents/{number:int}")
MAX_EXPORTED = 50_000
SHOWN_TOPICS = 8
# Mistakes first, in the order of what they cost; then what was declined, then what is as it should be.
ORDER = (
    *("wrong_intent", "overreach", "missed", "wrong_deferred", "no_guess"),
    *(CONFIRMED, "right", "declined", "declined_no_guess"),
)
# Examples whose topic is in doubt, as addresses name them, by the kind of problem.
DOUBTS = {"yes": "suspects", "outliers": "outliers"}
# What a file has of each question, and where that comes from.
COLUMNS = {
    "question": "text",
    "topic": "intent",
    "most_frequent_guess": "guess",
    "confidence": "confidence",
    "outcome": "outcome",
    "right": "right",
    "deferred": "deferred",
    "wrong": "wrong",
}
QuestionsAsked = Annotated[Listing, read_listing("outcome", "intent", "guess", "search", "suspects")]


@router.get("/questions")
def show_questions(visit: ReaderVisit, number: Number, asked: QuestionsAsked) -> Response:
    """Show single questions, mistakes first, with what can be done about them."""
    return _questions_page(visit, number, asked)


@router.post("/questions")
def change_questions(visit: EditorVisit, number: Number, form: Form, asked: QuestionsAsked) -> Response:
    """Do with the examples of the ticked questions what a button says."""
    run = runs.show_run(visit.store, visit.project, number, intents.KIND).run
    base, places = run_path(visit.project, run), form.all("question")
    ticked = tuple(int(place) for place in places if place.isascii() and place.isdigit())
    # Only a path of this run, or of a comparison: whatever a form says, the reader stays here.
    ours = (f"{base}?", f"{base}/", f"{base}#", f"{visit.base}/intents/compare?")
    back = form.text("back", most=4000)
    back = back if back.startswith(ours) else f"{base}/questions"
    try:
        changed = _change(visit, run, form, ticked, back)
    except InputError as error:
        return _questions_page(visit, number, asked, ticked=ticked, error=error)
    return changed if isinstance(changed, Response) else visit.done(back, *changed)


def _change(visit: Visit, run: Run, form: Fields, places: Sequence[int], back: str) -> tuple[str, Edit] | Response:
    """Change the examples of questions; return what was done, or the page that asks whether to do harm."""
    words, given, count = visit.words, (*visit.acting, run, places), len(set(places))
    match action := form.text("do"):
        case "right":
            edit = questions.confirm_questions(*given)
            return words.ngettext("%(num)s label confirmed.", "%(num)s labels confirmed.", count), edit
        case "move" | "each" | "out_of_scope" | "delete":
            target = find_target(visit, form.text("target")) if action == "move" else None
            draft = draft_bulk(*visit.here, run, places, action, target.id if target else None)
            check = check_change(*visit.here, draft, is_deletion=action == "delete")
            if refusal := refuse_harm(visit, form, check, back):
                return refusal
            if action == "delete":
                edit = questions.delete_questions(*given)
            else:
                edit = apply_draft(*visit.acting, draft, why=questions.seen_in(run)).edit
            return _say_changed(visit, action, count, target) + say_check(visit, check), edit
    raise UsageError(say("no action selected"), remedy=say("choose what to do with the ticked questions"))


def _say_changed(visit: Visit, action: str, count: int, target: Topic | None) -> str:
    words = visit.words
    if action == "delete":
        return words.ngettext("%(num)s example deleted.", "%(num)s examples deleted.", count)
    if action == "each":
        return words.ngettext("%(num)s example moved.", "%(num)s examples moved.", count)
    if target is None:
        return words.ngettext("%(num)s example is now out of scope.", "%(num)s examples are now out of scope.", count)
    return words.ngettext(
        "%(num)s example moved to %(topic)s.", "%(num)s examples moved to %(topic)s.", count, topic=target.name
    )


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
    suspects = open_suspects(visit.store, visit.project, line.run)
    wanted = _build_filter(chosen, suspects)
    found = questions.find_questions(
        visit.store, visit.project, line.run, wanted, limit=asked.size, offset=asked.offset
    )
    facets = list(_facets(visit, listing, found, suspects))
    pager, may_edit = listing.pager(found.total), visit.who.may("editor")
    view = View(
        head=run_head(words, visit.project, line),
        lead=_lead(visit, found, narrowed=any(chosen.values())),
        tabs=result_tabs(visit, line.run, "questions"),
        path=listing.path,
        facets=facets,
        left_out=max(0, len(found.intents) - len(facets[-2].choices), len(found.guesses) - len(facets[-1].choices)),
        fewer=any(chosen.values()),
        all_topics=f"{base}/topics",
        search=chosen["search"],
        kept=[(name, chosen[name]) for name in ("outcome", "intent", "guess", "suspects") if chosen[name]],
        asked=found.asked,
        total=found.total,
        rows=[question_row(visit, one) for one in found.lines],
        ticked=set(ticked),
        may_edit=may_edit,
        target=_target(visit, chosen["guess"]) if may_edit and found.lines else None,
        run=line.run.number,
        each=chosen["suspects"] == "yes",
        back=listing.address(page="" if asked.page == 1 else str(asked.page)),
        pager=pager,
        downloads=listing.downloads(),
        meaning=_describe_choice(visit, chosen),
        nothing="" if found.total else _why_none(visit, line.run, chosen),
        error=error,
    )
    title = f"{words.gettext('Questions')}: {tab_title(words, line.run)}"
    status = 400 if error else 200
    return visit.page("exams/intents_questions.html", title, view=view, status=status)


def _build_filter(chosen: Mapping[str, str], suspects: Mapping[str, Collection[int]]) -> QuestionFilter:
    texts = {name: value for name, value in chosen.items() if name != "suspects"}
    doubt = chosen["suspects"]
    return QuestionFilter(**texts, places=suspects.get(DOUBTS.get(doubt, ""), ()) if doubt else None)


def _describe_choice(visit: Visit, chosen: Mapping[str, str]) -> str:
    """Say what the questions have in common, in a sentence or two."""
    if chosen["outcome"] in ORDER:
        return outcome_meaning(visit, chosen["outcome"])
    if chosen["suspects"] == "outliers":
        return visit.words.gettext(
            "Each of these is like no topic. Move it, mark it as out of scope, or add examples like it."
        )
    if chosen["suspects"]:
        return visit.words.gettext(
            "Each of these fits another topic far better than its own. Move those in the wrong topic; "
            "for the others, choose “Label is right”."
        )
    return ""


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


def _facets(
    visit: Visit, listing: Listing, found: QuestionList, suspects: Mapping[str, Collection[int]]
) -> Iterator[View]:
    """Yield what a list of questions can be narrowed down by, each value with how many questions it leaves."""
    words = visit.words
    titles = {kind: outcome_title(visit, kind) for kind in ORDER}
    looks = {kind: outcome_look(kind) for kind in ORDER}
    yield facet(listing, "outcome", words.gettext("Outcome"), titles, found.outcomes, looks)
    if suspects or listing.chosen["suspects"]:
        doubts = {"yes": words.gettext("Fits another topic better"), "outliers": words.gettext("Fits no topic")}
        doubtful = {name: len(suspects.get(kind, ())) for name, kind in DOUBTS.items()}
        shown = {
            name: title for name, title in doubts.items() if doubtful[name] or listing.chosen["suspects"] == name
        }
        signs = {"yes": ("hold", "swap"), "outliers": ("hold", "warn")}
        yield facet(listing, "suspects", words.gettext("Topic in doubt"), shown, doubtful, signs)
    topics = {
        "intent": (words.gettext("Filed under"), found.intents),
        "guess": (words.gettext("Went to"), found.guesses),
    }
    for name, (title, counts) in topics.items():
        chosen = [listing.chosen[name]] if listing.chosen[name] else []
        largest = sorted(counts, key=lambda topic: (-counts[topic], topic.casefold()))[:SHOWN_TOPICS]
        yield facet(listing, name, title, {topic: topic for topic in (*chosen, *largest)}, counts)


@router.get("/questions.{kind}")
def export_questions(visit: ReaderVisit, number: Number, kind: str, asked: QuestionsAsked) -> Response:
    """Return the questions as CSV or XLSX."""
    run = runs.show_run(visit.store, visit.project, number, intents.KIND).run
    chosen = _build_filter(asked.chosen, open_suspects(visit.store, visit.project, run))
    found = questions.find_questions(visit.store, visit.project, run, chosen, limit=MAX_EXPORTED)
    rows = [[getattr(line.row, name) for name in COLUMNS.values()] for line in found.lines]
    return findings_file(visit.project, run, f"questions.{kind}", [*COLUMNS], rows)


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


GOOD = (Outcome.RIGHT, Outcome.DECLINED, Outcome.DECLINED_NO_GUESS)
BAD = (Outcome.WRONG_INTENT, Outcome.OVERREACH)
ICONS = {Outcome.WRONG_INTENT: "cross", Outcome.OVERREACH: "warn"}


def outcome_look(kind: str) -> tuple[str, str]:
    """Return the tone and the icon of an outcome, or of a confirmed label."""
    if kind == CONFIRMED:
        return "info", "check"
    outcome = Outcome(kind)
    if outcome in GOOD:
        return "quiet", "check"
    return ("bad", ICONS[outcome]) if outcome in BAD else ("hold", "person")


def outcome_title(visit: Visit, kind: str) -> str:
    """Return what people call an outcome, or a confirmed label."""
    from vivavoce.reports.intents.wording import OUTCOME_TITLES

    words = visit.words
    return words.gettext("Label is right") if kind == CONFIRMED else words.said(OUTCOME_TITLES[Outcome(kind)])


def outcome_meaning(visit: Visit, kind: str) -> str:
    """Return what an outcome means, as a sentence."""
    if kind == CONFIRMED:
        return visit.words.gettext("Someone checked it: the example is in the right topic.")
    text = visit.words.said(Outcome(kind).meaning)
    return f"{text[:1].upper()}{text[1:]}."


def question_row(visit: Visit, line: QuestionLine) -> View:
    """Return a question as lists show it."""
    words, write, row = visit.words, visit.write, line.row
    tone, icon = outcome_look(row.outcome)
    counts = words.gettext(
        "Of its tests: %(right)s right, %(deferred)s declined, %(wrong)s wrong",
        right=write.number(row.right),
        deferred=write.number(row.deferred),
        wrong=write.number(row.wrong),
    )
    held_out = row.intent is not None and line.question.origin is None
    return View(
        place=row.place,
        text=row.text,
        filed=row.intent or words.gettext("out of scope"),
        held_out=held_out,
        guess=row.guess or words.gettext("no guess"),
        outcome=outcome_title(visit, row.outcome),
        tone=tone,
        icon=icon,
        meaning=f"{outcome_meaning(visit, row.outcome)} {counts}.",
        bad=row.outcome in BAD and not line.confirmed,
        sure=row.confidence if row.guess is not None else None,
        confirmed=line.confirmed,
        changed=_describe_change(visit, line),
        can_change=line.can_change,
        topic=f"{visit.base}/topics/{line.topic_id}" if line.topic_id else "",
    )


def _describe_change(visit: Visit, line: QuestionLine) -> str:
    """Say what became of the example since the exam; nothing where it is as it was."""
    words = visit.words
    match line.status:
        case "moved":
            topic = line.topic or words.gettext("out of scope")
            return words.gettext("Moved to %(topic)s since", topic=topic)
        case "edited":
            return words.gettext("Edited since")
        case "deleted":
            return words.gettext("Deleted since")
        case "unknown":
            return words.gettext("Cannot be changed here: this exam kept no example ids")
        case _:
            return ""
