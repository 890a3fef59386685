"""What an intents exam found out about topics, and which of them are taken for which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from markupsafe import Markup
from starlette.responses import Response

from vivavoce.kept import Kept
from vivavoce.outcomes import Outcome
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.store.rows import Run
from vivavoce.web.cells import link_cell, rate_cell
from vivavoce.web.figures import find_figure
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, Number, read_listing
from vivavoce.web.pages.exams.findings import findings_file, findings_page
from vivavoce.web.pages.exams.intents_pair import pair_address
from vivavoce.web.pages.exams.intents_questions import question_row
from vivavoce.web.parts import Column, Field, Row, hidden_field, named_choices, number_columns, text_columns
from vivavoce.web.progress import run_path
from vivavoce.web.rendering import View
from vivavoce.web.visits import ReaderVisit, Visit
from vivavoce.workspace.exams import intents, questions, runs
from vivavoce.workspace.exams.questions import Question
from vivavoce.workspace.topics.topics import topic_names

if TYPE_CHECKING:
    from vivavoce.intents.findings import ConfusionCell
    from vivavoce.intents.result import IntentsResult
    from vivavoce.reports.intents.heat import Counted, Heat

router = APIRouter(prefix="/p/{slug}/intents/{number:int}")
TOPIC_COLUMNS = (
    *("topic", "examples", "found", "found_low", "found_high", "tests"),
    *("right_when_used", "deferred", "f1", "attracted"),
)
# The tables above are heavy; the list below them is short.
SHOWN_MISTAKES = 25
SHOWN_GROUPS = 12
CONFUSION_COLUMNS = ("true_topic", "guess", "answered", "deferred")
TopicsAsked = Annotated[Listing, read_listing("search", sort="found")]
ConfusionAsked = Annotated[Listing, read_listing("search", "intent", size=SHOWN_MISTAKES)]
# A topic and the one it was mistaken for; the first is empty where the question was out of scope.
CellAsked = Annotated[Sequence[str], Query(alias="cell", max_length=2)]


@router.get("/topics")
def show_topics(visit: ReaderVisit, number: Number, asked: TopicsAsked) -> Response:
    """Show how each topic fared, the weakest first."""
    words, line = visit.words, runs.show_run(visit.store, visit.project, number, intents.KIND)
    result, base = intents.intents_result(visit.store, line.run), run_path(visit.project, line.run)
    listing, search = asked.at(f"{base}/topics"), asked.chosen["search"]
    topics = intents.topic_lines(result, search=search, sort=asked.sort)
    undrawn, write = _why_undrawn(words, result), visit.write.number
    figure = None if undrawn else find_figure(visit.store, visit.project, line.run, "topics")

    def column(measure: str, name: str, *, down: bool = False) -> Column:
        title, meaning = map(words.said, (MEASURES[measure].title, MEASURES[measure].meaning))
        return listing.column(title, name, number=True, meaning=meaning, down=down)

    return findings_page(
        visit,
        line,
        listing,
        len(topics),
        title=words.gettext("Topics"),
        tab="topics",
        lead=words.ngettext("%(num)s topic examined.", "%(num)s topics examined.", len(topics)),
        fields=(Field("search", words.gettext("Topic"), "search", search), hidden_field("sort", asked.sort)),
        caption=words.gettext("Results by topic, with every topic known"),
        columns=(
            listing.column(words.gettext("Topic"), "name"),
            column("examples", "examples", down=True),
            column("recall", "found"),
            column("deferred", "deferred", down=True),
            column("precision", "right"),
            column("f1", "f1"),
            column("attracted", "attracted", down=True),
        ),
        rows=[
            Row(
                (
                    link_cell(f"{base}/questions?{urlencode({'intent': topic.intent})}", topic.intent),
                    write(topic.examples),
                    *(rate_cell(words, rate) for rate in (topic.recall, topic.deferred, topic.precision)),
                    write(topic.f1, 2),
                    write(topic.attracted),
                )
            )
            for topic in listing.cut(topics)
        ],
        figures=(figure,) if figure else (),
        undrawn=undrawn,
    )


def _why_undrawn(words: Words, result: IntentsResult) -> str:
    """Say why there is no chart of the weakest topics; nothing where there is one."""
    from vivavoce.intents.problems import ENOUGH_TESTED, weakest_topics
    from vivavoce.reports.intents.choices import count_untested

    first = next(iter(result.settings), None)
    if first is None or weakest_topics(first, 1):
        return ""
    if count_untested(first) == len(first.intents):
        return words.gettext(
            "No chart of the weakest topics: no topic has the %(n)s tested examples needed for a ranking.",
            n=ENOUGH_TESTED,
        )
    return words.gettext("No chart of the weakest topics: every topic with enough tests was always recognised.")


@router.get("/topics.{kind}")
def export_topics(visit: ReaderVisit, number: Number, kind: str, asked: TopicsAsked) -> Response:
    """Return how each topic fared as CSV or XLSX."""
    run = runs.show_run(visit.store, visit.project, number, intents.KIND).run
    result, search = intents.intents_result(visit.store, run), asked.chosen["search"]
    rows = []
    for topic in intents.topic_lines(result, search=search, sort=asked.sort):
        recall, shares = topic.recall, (topic.precision.value, topic.deferred.value, topic.f1, topic.attracted)
        rows.append((topic.intent, topic.examples, recall.value, recall.low, recall.high, recall.n, *shares))
    return findings_file(visit.project, run, f"topics.{kind}", TOPIC_COLUMNS, rows)


@router.get("/confusion")
def show_confusion(visit: ReaderVisit, number: Number, asked: ConfusionAsked, cell: CellAsked = ()) -> Response:
    """Show which topic is taken for which: the costliest groups as tinted tables, then every mistake as a list."""
    words, line = visit.words, runs.show_run(visit.store, visit.project, number, intents.KIND)
    result, base = intents.intents_result(visit.store, line.run), run_path(visit.project, line.run)
    cells, names = intents.confusion_lines(result, **asked.chosen), intents.confused_names(result)
    listing, intent = asked.at(f"{base}/confusion"), asked.chosen["intent"]
    known = dict.fromkeys([*names, *([intent] if intent else [])])
    choices = named_choices(known, words.gettext("all topics with mistakes"))
    return findings_page(
        visit,
        line,
        listing,
        len(cells),
        title=words.gettext("Confusion"),
        tab="confusion",
        lead=words.ngettext(
            "%(num)s kind of mistake, most frequent first.",
            "%(num)s kinds of mistakes, most frequent first.",
            len(cells),
        ),
        fields=(
            Field("intent", words.gettext("Topic involved"), "select", intent, choices=choices),
            Field("search", words.gettext("Search topics"), "search", asked.chosen["search"]),
        ),
        caption=words.gettext("Which topic is mistaken for which, over all rounds"),
        columns=(
            *text_columns(words.gettext("Actual topic"), words.gettext("Mistaken for")),
            *number_columns(words.gettext("Answered"), words.gettext("Declined")),
        ),
        rows=[_cell_row(words, base, cell) for cell in listing.cut(cells)],
        heat=heat_view(visit, line.run, cell, path=listing.path, most=SHOWN_GROUPS) if asked.page == 1 else None,
        nothing="" if names else words.gettext("No topic was mistaken for another in this exam."),
    )


@router.get("/confusion.{kind}")
def export_confusion(visit: ReaderVisit, number: Number, kind: str, asked: ConfusionAsked) -> Response:
    """Return which topic is taken for which as CSV or XLSX."""
    run = runs.show_run(visit.store, visit.project, number, intents.KIND).run
    cells = intents.confusion_lines(intents.intents_result(visit.store, run), **asked.chosen)
    rows = [(cell.origin, cell.guess, cell.answered, cell.deferred) for cell in cells]
    return findings_file(visit.project, run, f"confusion.{kind}", CONFUSION_COLUMNS, rows)


def _cell_row(words: Words, base: str, cell: ConfusionCell) -> Row:
    writer = Writer(words)
    query = urlencode({"intent": cell.origin or "", "guess": cell.guess or ""})
    name = link_cell(f"{base}/questions?{query}", cell.origin or "")
    if cell.negative:
        name += Markup(' <span class="muted">{}</span>').format(words.gettext("(not trained)"))
    return Row((name, cell.guess, writer.number(cell.answered), writer.number(cell.deferred)))


ANSWERED = (Outcome.RIGHT, Outcome.WRONG_INTENT, Outcome.OVERREACH)
SHOWN_QUESTIONS = 20
_COUNTED: Kept[Counted] = Kept(16)


def count_answers(asked: Sequence[Question]) -> Counted:
    """Count the answers of an exam by question: each counts once, by what most of its tests came to."""
    from vivavoce.reports.intents.heat import Counted

    answered: dict[tuple[str, str], int] = {}
    totals: dict[str, int] = {}
    for one in asked:
        origin, row = one.origin or "", one.row
        totals[origin] = totals.get(origin, 0) + 1
        # Earlier versions kept the right guess beside some wrong answers.
        known = row.outcome == Outcome.RIGHT or row.guess != origin
        if row.outcome in ANSWERED and row.guess and known:
            answered[origin, row.guess] = answered.get((origin, row.guess), 0) + 1
    return Counted(answered, totals)


def heat_view(visit: Visit, run: Run, cell: Sequence[str], *, path: str, most: int) -> View | None:
    """Return the tables with the questions of one cell: the chosen one, else the costliest; None without mistakes."""
    from vivavoce.reports.intents.heat import build_heat

    key = (run.id, run.version)
    counted = _COUNTED.get(key, lambda: count_answers(questions.all_questions(visit.store, run)))

    def address(origin: str, guess: str) -> str:
        return f"{path}?{urlencode([('cell', origin), ('cell', guess)])}#cell"

    chosen = (cell[0], cell[1]) if len(cell) == 2 else _find_costliest(build_heat(counted, most=most), counted)
    maps = build_heat(counted, address=address, current=chosen, most=most)
    if not maps:
        return None
    wrong = sum(n for (origin, guess), n in counted.answered.items() if origin and origin != guess)
    return View(
        maps=maps,
        wrong=wrong,
        shown=sum(one.wrong for one in maps),
        every=f"{run_path(visit.project, run)}/confusion",
        panel=_cell_view(visit, run, counted, chosen) if chosen else None,
    )


def _find_costliest(maps: Sequence[Heat], counted: Counted) -> tuple[str, str] | None:
    """Return the pair with most wrong answers in the first table."""
    topics = maps[0].topics if maps else ()
    pairs = [(a, b) for a in topics for b in topics if a != b and counted.answered.get((a, b))]
    return max(pairs, key=lambda pair: counted.answered[pair], default=None)


def _cell_view(visit: Visit, run: Run, counted: Counted, chosen: tuple[str, str]) -> View:
    from vivavoce.intents.problems import OUT_OF_SCOPE_SHARE

    (origin, guess), words, write = chosen, visit.words, visit.write
    lines = questions.find_cell(visit.store, visit.project, run, origin, guess)
    count, total = counted.answered.get(chosen, 0), counted.totals.get(origin, 0)
    note = words.ngettext(
        "%(part)s of %(num)s question", "%(part)s of %(num)s questions", total, part=write.number(count)
    )
    if total:
        note += f", {write.share(count / total)}"
    right = origin == guess
    if not right:
        share = run.options.get("out_of_scope_share")
        share = OUT_OF_SCOPE_SHARE if share is None else float(share)
        known = sum(n for name, n in counted.totals.items() if name)
        messages = 1000 * (share * count / max(1, total) if not origin else (1 - share) * count / max(1, known))
        note += "; " + words.gettext("affects about %(n)s in 1,000 messages", n=write.number(max(1, messages)))
    topics = {name: own for own, name in topic_names(visit.store, visit.project).items()}
    query = urlencode({"intent": origin, "guess": guess} if origin else {"outcome": "overreach", "guess": guess})
    address = f"{run_path(visit.project, run)}/questions?{query}"
    return View(
        run=run.number,
        origin=origin,
        guess=guess,
        right=right,
        note=note,
        declined=sum(line.row.outcome not in ANSWERED for line in lines),
        rows=[question_row(visit, line) for line in lines[:SHOWN_QUESTIONS]],
        more=len(lines) - SHOWN_QUESTIONS,
        may_edit=visit.who.may("editor") and not right,
        can_move=guess in topics,
        action=address,
        back=f"{visit.request.url.path}?{urlencode([('cell', origin), ('cell', guess)])}#cell",
        questions=address,
        pair="" if right or not origin else pair_address(run_path(visit.project, run), origin, guess),
        topics=[(name, f"{visit.base}/topics/{topics[name]}") for name in dict.fromkeys(chosen) if name in topics],
    )
