"""The numbers of a run of conversations as tables: the main ones, by bot, level and domain, and all to take along."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from vivavoce.conversations.result import ALL, Cell, ConversationsResult
from vivavoce.records import Rate
from vivavoce.reports.conversations.meanings import CONVERSATION_MEASURES, MAIN, measure_of, number_of
from vivavoce.reports.conversations.tables import cells_by_level
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.reports.shared.views import Cell as TableCell
from vivavoce.reports.shared.views import Column, Table
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.parts import text_columns
from vivavoce.web.talk_words import named

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


def main_table(words: Words, result: ConversationsResult, domain: str, where: str) -> Table:
    """Return the main numbers of every bot in a domain: all levels together, then each."""
    return _by_level(
        words,
        result,
        domain,
        words.gettext("The seven numbers, %(domain)s", domain=where),
        (number_column(words, name) for name in MAIN),
        lambda cell: [number_cell(words, name, number_of(cell, name)) for name in MAIN],
    )


def literal_table(words: Words, result: ConversationsResult, domain: str, where: str) -> Table:
    """Return the numbers by the wording of the paper."""
    meaning = words.gettext("As the paper words it; for comparison with the paper alone.")
    left = words.gettext("Turns that the wording gives no class: wrong replies and missing ones.")
    writer = Writer(words)
    return _by_level(
        words,
        result,
        domain,
        words.gettext("By the wording of the paper, %(domain)s", domain=where),
        (
            *(Column(words.gettext(title), number=True, meaning=meaning) for title in LITERAL.values()),
            Column(words.gettext("Turns left out"), number=True, meaning=left),
        ),
        lambda cell: [
            *(writer.share(cell.literal[name]) for name in LITERAL),
            writer.number(cell.literal_unclassified),
        ],
    )


def _by_level(  # noqa: PLR0917 - what a table consists of
    words: Words,
    result: ConversationsResult,
    domain: str,
    caption: str,
    columns: Iterable[Column],
    cells_of: Callable[[Cell], list[object]],
) -> Table:
    cells = [cell for bot in result.header.bots for cell in cells_by_level(result, bot.name, domain)]
    head = text_columns(words.gettext("Bot, and by level"))
    return Table(caption, (*head, *columns), [(_row_name(words, cell), *cells_of(cell)) for cell in cells])


def _row_name(words: Words, cell: Cell) -> TableCell:
    number = Writer(words).number
    held = [
        words.ngettext("%(num)s talk", "%(num)s talks", cell.conversations, num=number(cell.conversations)),
        words.ngettext("%(num)s turn", "%(num)s turns", cell.counts.counted, num=number(cell.counts.counted)),
        *([words.gettext("incomplete")] if cell.incomplete else []),
    ]
    if cell.level == ALL:
        return TableCell(cell.bot, ", ".join(held), css="whole")
    return TableCell(named(words, cell.level), ", ".join(held), css="level")


# --- tables to take along ----------------------------------------------------------------------------------------

COLUMNS = ("bot", "domain", "level", "conversations", "turns", "measure", "value", "low", "high", "n")


def table_rows(result: ConversationsResult) -> Iterator[tuple[object, ...]]:
    """Yield every number of every bot, domain and level, one a line."""
    for cell in result.cells:
        where = (cell.bot, cell.domain or "all", cell.level or "all", cell.conversations, cell.turns)
        for name, rate in all_numbers(cell).items():
            yield (*where, name, rate.value, rate.low, rate.high, rate.n)


def all_numbers(cell: Cell) -> Mapping[str, Rate]:
    """Return every number of a cell by its name: times in milliseconds, shares, and those by the paper's wording."""
    times = cell.times
    points = {"p50": times.p50, "p95": times.p95, "p99": times.p99}
    return {
        "response_time_mean_ms": times.mean,
        **{f"response_time_{name}_ms": Rate(value, None, None, times.turns) for name, value in points.items()},
        **cell.rates,
        **{name: Rate(value, None, None, cell.counts.counted) for name, value in cell.literal.items()},
    }
