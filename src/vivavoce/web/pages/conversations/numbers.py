"""The numbers of a run of conversations as tables: the main ones, by bot, level and domain, and all to take along."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from vivavoce.conversations.result import ALL, Cell, ConversationsResult
from vivavoce.records import Rate
from vivavoce.reports.conversations.meanings import CONVERSATION_MEASURES, SEVEN, measure_of
from vivavoce.reports.conversations.pictures import build_heat, draw_multiples, heat_domains
from vivavoce.reports.conversations.tables import cells_by_level
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.reports.shared.views import Cell as TableCell
from vivavoce.reports.shared.views import Column, Table
from vivavoce.store.rows import Run
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.listing import Listing
from vivavoce.web.parts import text_columns
from vivavoce.web.rendering import View
from vivavoce.web.talk_words import domain_title, kind_title
from vivavoce.web.visits import Visit

LITERAL = {
    "echo_literal_accuracy": gettext_noop("Accuracy"),
    "echo_literal_precision": gettext_noop("Precision"),
    "echo_literal_recall": gettext_noop("Recall"),
    "echo_literal_f1": gettext_noop("F1"),
}


def number_column(words: Words, name: str) -> Column:
    """Return the head of a number and the way to its meaning; there, names that another exam has too are marked."""
    measure = measure_of(name)
    prefix = "conversations-" if name in MEASURES else ""
    href = f"/help#m-{prefix}{name}" if name in CONVERSATION_MEASURES else ""
    return Column(words.said(measure.title), href, number=True, meaning=words.said(measure.meaning))


def number_cell(words: Words, name: str, rate: Rate | None) -> TableCell:
    """Return a number with its interval and count; of few items how many of them it is; n/a with its reason."""
    writer, measure = Writer(words), measure_of(name)
    if rate is None or rate.value is None:
        return TableCell(writer.number(None), title="" if rate is None else words.said(measure.absent), css="rate")
    value, around, counted = writer.parts(rate, measure)
    return TableCell(value, around, css="rate", more=counted)


def panels_view(visit: Visit, run: Run, result: ConversationsResult, domain: str) -> list[View]:
    """Return the pictures of the seven numbers in a domain, each with its title and its meaning."""
    words = visit.words
    panels = draw_multiples(
        result,
        domain,
        write=Writer(words),
        name_level=lambda level: kind_title(words, level),
        address=_turns_address(run),
    )
    return [View(drawn=panel, column=number_column(words, panel.measure.name)) for panel in panels]


def heat_view(visit: Visit, run: Run, result: ConversationsResult, domain: str) -> View:
    """Return the table of the seven numbers: domains, bots and levels."""
    words = visit.words
    groups = build_heat(
        result, heat_domains(result, domain), write=Writer(words), word=words.said, address=_turns_address(run)
    )
    return View(
        caption=words.gettext("The seven metrics, %(domain)s", domain=domain_title(words, domain)),
        first=words.gettext("Bot and level"),
        columns=[number_column(words, name) for name in SEVEN],
        groups=[
            View(
                title=domain_title(words, group.domain) if len(groups) > 1 else "",
                rows=[
                    View(
                        row=row,
                        title=row.cell.bot if row.whole else kind_title(words, row.cell.level),
                        size=_turns(words, row.cell),
                    )
                    for row in group.rows
                ],
            )
            for group in groups
        ],
    )


def _turns(words: Words, cell: Cell) -> str:
    turns = words.ngettext(
        "%(num)s turn", "%(num)s turns", cell.counts.counted, num=Writer(words).number(cell.counts.counted)
    )
    return f"{turns}, {words.gettext('incomplete')}" if cell.incomplete else turns


def _turns_address(run: Run) -> Callable[[Cell, str], str]:
    """Return the way from a number to the turns behind it."""
    # Seen from the page of the run: there are hundreds of them.
    path = f"{run.number}/turns"

    def find_address(cell: Cell, name: str) -> str:
        kind = "typo" if name == "comprehension_rate" else ""
        sort = "-time" if name == "time" else ""
        chosen = {"bot": cell.bot, "level": cell.level, "domain": cell.domain, "kind": kind}
        return Listing(path, chosen, sort).address()

    return find_address


def literal_table(words: Words, result: ConversationsResult, domain: str, where: str) -> Table:
    """Return the numbers by the wording of the paper."""
    meaning = words.gettext("As defined in the paper; only for comparison with it.")
    left = words.gettext("Turns that the paper does not classify: wrong and missing replies.")
    writer = Writer(words)
    columns = (
        *text_columns(words.gettext("Bot and level")),
        *(Column(words.gettext(title), number=True, meaning=meaning) for title in LITERAL.values()),
        Column(words.gettext("Turns not counted"), number=True, meaning=left),
    )
    rows: list[Sequence[object]] = [
        (
            TableCell(
                cell.bot if cell.level == ALL else kind_title(words, cell.level),
                _size(words, cell),
                css="whole" if cell.level == ALL else "level",
            ),
            *(writer.share(cell.literal[name]) for name in LITERAL),
            writer.number(cell.counts.literal_unclassified),
        )
        for bot in result.header.bots
        for cell in cells_by_level(result, bot.name, domain)
    ]
    return Table(words.gettext("As defined in the paper, %(domain)s", domain=where), columns, rows)


def _size(words: Words, cell: Cell) -> str:
    number, n, turns = Writer(words).number, cell.conversations, cell.counts.counted
    held = [
        words.ngettext("%(num)s conversation", "%(num)s conversations", n, num=number(n)),
        words.ngettext("%(num)s turn", "%(num)s turns", turns, num=number(turns)),
        *([words.gettext("incomplete")] if cell.incomplete else []),
    ]
    return ", ".join(held)


# --- tables to take along ----------------------------------------------------------------------------------------

COLUMNS = ("bot", "domain", "level", "conversations", "turns", "measure", "value", "low", "high", "n")


def table_rows(result: ConversationsResult) -> Iterator[tuple[object, ...]]:
    """Yield every number of every bot, domain and level: times in milliseconds, shares, those of the paper."""
    for cell in result.cells:
        where = (cell.bot, cell.domain or "all", cell.level or "all", cell.conversations, cell.turns)
        times = cell.times
        points = {"p50": times.p50, "p95": times.p95, "p99": times.p99}
        numbers = {
            "response_time_mean_ms": times.mean,
            **{f"response_time_{name}_ms": Rate(value, None, None, times.turns) for name, value in points.items()},
            **cell.rates,
            **{name: Rate(value, None, None, cell.counts.counted) for name, value in cell.literal.items()},
        }
        for name, rate in numbers.items():
            yield (*where, name, rate.value, rate.low, rate.high, rate.n)
