"""Two intents exams side by side: the verdict, numbers, the questions that changed, and the edits between."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.jobs.exams.kinds import INTENTS
from vivavoce.records import Rate
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.web.answers import table_file
from vivavoce.web.cells import difference_cell, rate_cell
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.listing import LARGEST, Listing
from vivavoce.web.pages.exams.findings import (
    EDITS,
    dots_figure,
    scope_title,
    verdict_chip,
    verdict_sentence,
    write_gap,
)
from vivavoce.web.pages.exams.intents_questions import outcome_look, outcome_title
from vivavoce.web.pages.topics.choosing import target_field
from vivavoce.web.pages.topics.edits import shown_edits
from vivavoce.web.parts import Column, Field, Row, number_columns, text_columns
from vivavoce.web.progress import run_choice, run_path
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import ReaderVisit, Visit
from vivavoce.workspace.exams import intents, questions
from vivavoce.workspace.exams.comparing import ComparedQuestion, RateChange, RunComparison, compare_runs
from vivavoce.workspace.exams.gaming import find_gaming
from vivavoce.workspace.exams.verdicts import main_scope
from vivavoce.workspace.topics.topics import topic_names

if TYPE_CHECKING:
    from vivavoce.reports.shared.dots import Dot

router = APIRouter(prefix="/p/{slug}/intents")
RunNumber = Annotated[int, Query(ge=0, le=LARGEST)]
COLUMNS = {
    "question": "text",
    "topic": "intent",
    "before": "before",
    "after": "after",
    "guess_before": "guess_before",
    "guess_after": "guess_after",
    "topic_before": "intent_before",
    "refiled_by": "refiled_by",
    "examples": "examples",
}
SHOWN_QUESTIONS, FIRST_QUESTIONS = 60, 10
# What the search of questions takes.
MAX_SEARCH = 200
LEADS = {
    "better": gettext_noop("The later run is better."),
    "worse": gettext_noop("The later run is worse."),
    "same": gettext_noop("No real change."),
}


@router.get("/compare")
def show_comparison(visit: ReaderVisit, a: RunNumber = 0, b: RunNumber = 0) -> Response:
    """Show two runs side by side; the last two where none are chosen."""
    words, base = visit.words, f"{visit.base}/intents"
    finished = intents.done_runs(visit.store, visit.project)
    newest = [run.number for run in finished[:2]] if len(finished) > 1 else [0, 0]
    first, second = a or newest[1], b or newest[0]
    error: InputError | None = None
    compared = None
    if first and second:
        try:
            compared = compare_runs(visit.store, visit.project, first, second)
        except InputError as refusal:
            error = refusal
    lead = words.gettext("Choose two runs to see what changed.")
    if compared:
        judgement = words.gettext(LEADS.get(compared.verdict.verdict, ""))
        lead = f"{judgement} {verdict_sentence(words, compared.verdict)}".strip()
        # Whatever order they were chosen in.
        first, second = compared.a.number, compared.b.number
    choices = tuple(run_choice(words, run) for run in finished)
    usual = words.gettext("These are the two latest completed exams; choose others above.")
    view = View(
        lead=lead,
        crumbs=(Link(words.gettext("Timeline"), f"{visit.base}/timeline"),),
        path=f"{base}/compare",
        fields=(
            Field("a", words.gettext("Earlier run"), "select", str(first), choices=choices),
            Field("b", words.gettext("Later run"), "select", str(second), choices=choices),
        ),
        enough=len(finished) > 1,
        start=Link(words.gettext("Start an exam"), base),
        chosen=usual if compared and not (a and b) else "",
        part=_part(visit, compared) if compared else None,
        error=error,
    )
    title, status = words.gettext("Two runs side by side"), 400 if error else 200
    return visit.page("exams/comparing.html", title, view=view, status=status)


@router.get("/compare.{kind}")
def export_comparison(visit: ReaderVisit, kind: str, a: RunNumber, b: RunNumber) -> Response:
    """Return the questions that became better or worse as CSV or XLSX."""
    compared = compare_runs(visit.store, visit.project, a, b)
    changes = {"improved": compared.questions.improved, "broken": compared.questions.broken}
    rows = [
        (change, *(getattr(question, field) for field in COLUMNS.values()))
        for change, questions in changes.items()
        for question in questions
    ]
    name = f"{visit.project.slug}-{compared.a.number}-{compared.b.number}"
    return table_file(name, kind, ("change", *COLUMNS), rows)


def _part(visit: Visit, compared: RunComparison) -> View:
    words, questions, verdict = visit.words, compared.questions, compared.verdict
    later, judged, number = compared.b.number, questions.by_later_topics, visit.write.number
    chosen = {"a": str(compared.a.number), "b": str(later)}
    columns, rows = comparison_numbers(visit, compared)
    # What is left of the change where both runs are judged by the topics of the later one.
    by_later = words.gettext(
        "Judging both runs by the topics of the later one, %(better)s are now right and %(worse)s no "
        "longer are; the others changed only because they moved to another topic.",
        better=number(judged.improved),
        worse=number(judged.broken),
    )
    topics = {name: topic for topic, name in topic_names(visit.store, visit.project).items()}
    lists = [
        _question_list(visit, compared, topics, changed, broken=broken)
        for broken, changed in ((True, questions.broken), (False, questions.improved))
    ]
    return View(
        chip=verdict_chip(words, verdict.verdict),
        runs=[
            View(link=Link(words.ours(run.title), run_path(visit.project, run)), at=run.created)
            for run in (compared.a, compared.b)
        ],
        figure=difference_figure(visit, compared),
        remarks=_remarks(visit, compared),
        columns=columns,
        rows=rows,
        cause_columns=(
            Column(words.gettext("Moved to another topic by")),
            *number_columns(words.gettext("Edits"), words.gettext("Now right"), words.gettext("No longer right")),
        ),
        causes=_cause_rows(visit, compared),
        by_later=by_later,
        lists=lists,
        downloads=Listing(f"{visit.base}/intents/compare", chosen).downloads(),
        guard=visit.words.said(find_gaming(visit.store, compared.a, compared.b)),
        back=f"{visit.base}/intents/compare?{urlencode(chosen)}",
        run=compared.b.number,
        target=target_field(visit) if visit.who.may("editor") else None,
        edits=shown_edits(visit.project, compared.edits),
        edits_title=words.ngettext("%(num)s edit between them", "%(num)s edits between them", compared.all_edits),
    )


def _remarks(visit: Visit, compared: RunComparison) -> list[str]:
    """Say what must be known before the two are compared, and which examples are not among the shared questions."""
    words, questions, number = visit.words, compared.questions, visit.write.number
    remarks = [words.gettext("The examples differ, so metrics also change because different questions were asked.")]
    if compared.same_data:
        remarks = [words.gettext("Both runs tested exactly the same examples.")]
    if questions.only_before or questions.only_after:
        unpaired = words.gettext(
            "Not compared because only one run tested them: %(before)s examples in the earlier run, "
            "%(after)s in the later one.",
            before=number(questions.only_before),
            after=number(questions.only_after),
        )
        remarks.append(unpaired)
    if questions.reworded:
        reworded = words.ngettext(
            "%(num)s example was reworded between the runs and is not compared.",
            "%(num)s examples were reworded between the runs and are not compared.",
            questions.reworded,
        )
        remarks.append(reworded)
    for name, _, _ in compared.differing:
        old, new = (write_option(words, name, run.options.get(name)) for run in (compared.a, compared.b))
        label = option_label(words, name)
        remarks.append(words.gettext("%(name)s: %(old)s, then %(new)s.", name=label, old=old, new=new))
    return remarks


def _cause_rows(visit: Visit, compared: RunComparison) -> list[Row]:
    """Return what each kind of edit did to the questions that it filed under another topic; then the rest."""
    causes, words, number = compared.questions.causes, visit.words, visit.write.number
    rows = [
        Row((words.gettext(EDITS[cause.kind]), *map(number, (cause.edits, cause.improved, cause.broken))))
        for cause in causes
    ]
    improved = compared.verdict.improved - sum(cause.improved for cause in causes)
    broken = compared.verdict.broken - sum(cause.broken for cause in causes)
    rest = Row((words.gettext("Same topic as before"), "", number(improved), number(broken)))
    return [*rows, rest] if rows else []


# --- questions that changed ---------------------------------------------------------------------------------------


def _question_list(
    visit: Visit,
    compared: RunComparison,
    topics: Mapping[str, str],
    changed: Sequence[ComparedQuestion],
    *,
    broken: bool,
) -> View:
    """Return the questions that became right, or no longer are, with the ways to where each can be changed."""
    words, count = visit.words, len(changed)
    places = {question.place for question in changed[:SHOWN_QUESTIONS]}
    lines = questions.follow_places(visit.store, visit.project, compared.b, places) if broken else ()
    open_places = {line.row.place for line in lines if line.can_change and not line.confirmed}
    if broken:
        title = words.ngettext("%(num)s question is no longer right", "%(num)s questions are no longer right", count)
        caption = words.gettext("Questions that are no longer right")
    else:
        title = words.ngettext("%(num)s question is now right", "%(num)s questions are now right", count)
        caption = words.gettext("Questions that are now right")
    return View(
        title=title,
        caption=caption,
        rows=[_question(visit, compared, topics, open_places, question) for question in changed[:SHOWN_QUESTIONS]],
        first=FIRST_QUESTIONS,
        action=f"{run_path(visit.project, compared.b)}/questions" if broken and visit.who.may("editor") else "",
        left=max(0, count - SHOWN_QUESTIONS),
        broken=broken,
    )


def _question(
    visit: Visit,
    compared: RunComparison,
    topics: Mapping[str, str],
    open_places: Collection[int],
    question: ComparedQuestion,
) -> View:
    words, none = visit.words, visit.words.gettext("none")
    moved = question.intent != question.intent_before
    asked = urlencode({"search": question.text[:MAX_SEARCH]})
    topic = topics.get(question.intent or "")
    return View(
        text=question.text,
        place=question.place,
        can_change=question.place in open_places,
        topic=question.intent or words.gettext("out of scope"),
        topic_href=f"{visit.base}/topics/{topic}" if topic else "",
        moved=words.gettext("before: %(topic)s", topic=question.intent_before or none) if moved else "",
        before=_side(visit, question.before, question.guess_before),
        after=_side(visit, question.after, question.guess_after),
        href=f"{run_path(visit.project, compared.b)}/questions?{asked}",
    )


def _side(visit: Visit, outcome: str, guess: str | None) -> View:
    """Return what one run made of a question."""
    tone, _ = outcome_look(outcome)
    taken_for = guess or (visit.words.gettext("another topic") if outcome == "wrong_intent" else "")
    return View(title=outcome_title(visit, outcome), tone=tone, guess=taken_for if tone == "bad" else "")


def comparison_numbers(visit: Visit, compared: RunComparison) -> tuple[tuple[Column, ...], list[Row]]:
    """Return the table of numbers: first the line that the verdict is about, on the questions of both runs."""
    words, verdict, rows = visit.words, compared.verdict, []
    titles = (words.gettext("Earlier run"), words.gettext("Later run"))
    sides = (
        Column(title, run_path(visit.project, run), number=True)
        for title, run in zip(titles, (compared.a, compared.b), strict=True)
    )
    meaning = words.gettext(
        "Later minus earlier. Coloured where the change is clear: the first row compares the "
        "shared questions; every other metric is judged alone, which takes more data."
    )
    columns = (
        *text_columns(words.gettext("Metric"), words.gettext("Test conditions")),
        *sides,
        Column(words.gettext("Difference"), number=True, meaning=meaning),
    )
    if verdict.shared:
        rights = (verdict.right_before, verdict.right_after)
        shares = (Rate(right / verdict.shared, None, None, verdict.shared) for right in rights)
        clear, good = verdict.verdict in ("better", "worse"), verdict.verdict == "better"
        title, scope = words.gettext("Shared questions right"), scope_title(words, main_scope(compared.b))
        difference = difference_cell(words, verdict.difference, clear=clear, good=good)
        rows.append(Row((title, scope, *(rate_cell(words, share) for share in shares), difference)))
    for change in compared.changes:
        measure = MEASURES[change.name]
        cells = (rate_cell(words, rate, measure) for rate in (change.before, change.after))
        difference = difference_cell(
            words, change.difference, measure.kind, clear=change.clear, good=_is_gain(change)
        )
        rows.append(Row((words.said(measure.title), scope_title(words, change.scope), *cells, difference)))
    return columns, rows


def difference_figure(visit: Visit, compared: RunComparison) -> View | None:
    """Return the differences as dots with their ranges on one axis; None where there is nothing to draw."""
    from vivavoce.reports.shared.dots import Panel

    words, dots = visit.words, tuple(_dots(visit.words, compared))
    if not dots:
        return None
    note = words.gettext(
        "Later minus earlier, in points. Bar: where the difference could lie with other examples; "
        "grey where it may be chance."
    )
    return dots_figure(words.gettext("What changed, on one axis"), note, [Panel("", dots, signed=True)])


def _dots(words: Words, compared: RunComparison) -> Iterator[Dot]:
    from vivavoce.reports.shared.dots import Dot

    verdict, scope = compared.verdict, main_scope(compared.b)
    if verdict.shared:
        tone = {"better": "good", "worse": "bad"}.get(verdict.verdict, "muted")
        said = write_gap(words, verdict.difference, around=False)
        yield Dot(words.gettext("Shared questions right"), verdict.difference, said, tone)  # type: ignore[arg-type]
    for change in compared.changes:
        measure = MEASURES[change.name]
        if change.scope == scope and measure.kind == "share" and change.difference.value is not None:
            tone = ("good" if _is_gain(change) else "bad") if change.clear else "muted"
            said = write_gap(words, change.difference, around=False)
            yield Dot(words.said(measure.title), change.difference, said, tone)  # type: ignore[arg-type]


def _is_gain(change: RateChange) -> bool:
    return ((change.difference.value or 0.0) > 0) == (MEASURES[change.name].better != "lower")


# --- options in words ---------------------------------------------------------------------------------------------


def option_label(words: Words, name: str) -> str:
    """Return what an option of a run is called."""
    label = next((option.label for option in INTENTS.options if option.name == name), "")
    return words.said(label) if label else name.replace("_", " ").capitalize()


def write_option(words: Words, name: str, value: Any) -> str:
    """Write what an option of a run says; conditions of the exam by what the bot has to face in them."""
    if name == "settings" and isinstance(value, list):
        titles = (scope_title(words, ",".join(f"{part:g}" for part in pair)) for pair in value)
        return ", ".join(dict.fromkeys(titles))
    if value is None or value == "":
        return words.gettext("none")
    if isinstance(value, bool):
        return words.gettext("yes") if value else words.gettext("no")
    return Writer(words).number(value, 2) if isinstance(value, float) else str(value)
