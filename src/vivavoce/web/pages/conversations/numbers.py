"""The numbers of a run of conversations as tables: the seven of the paper, by bot, level and domain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from vivavoce.conversations.result import ALL, Cell, ConversationsResult
from vivavoce.records import Rate
from vivavoce.reports.conversations.meanings import (
    CONVERSATION_MEASURES,
    measure_of,
    milliseconds_interval,
    milliseconds_text,
    too_few,
)
from vivavoce.reports.conversations.tables import SEVEN, cells_by_level
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.talk_words import named

LITERAL = {
    "echo_literal_accuracy": gettext_noop("Accuracy"),
    "echo_literal_precision": gettext_noop("Precision"),
    "echo_literal_recall": gettext_noop("Recall"),
    "echo_literal_f1": gettext_noop("F1"),
}
# Means of shares, or two shares in one: no number of items that could be counted out.
_MEANS = ("f1", "macro_f1")


@dataclass(frozen=True, slots=True)
class NumberHead:
    """The head of a column of numbers, and the way to its meaning."""

    title: str
    meaning: str
    href: str = ""


@dataclass(frozen=True, slots=True)
class NumberCell:
    """A value with what stands under it: its interval, and how much it comes from; `meaning` is under the pointer."""

    text: str
    under: str = ""
    meaning: str = ""
    counted: str = ""


@dataclass(frozen=True, slots=True)
class NumberRow:
    """One line of numbers; `first`: it begins a bot."""

    title: str
    under: str
    cells: tuple[NumberCell, ...]
    first: bool


def help_link(name: str) -> str:
    """Return the way to the meaning of a number; names that another exam has too are told apart there."""
    if name not in CONVERSATION_MEASURES:
        return ""
    return f"/help#m-conversations-{name}" if name in MEASURES else f"/help#m-{name}"


def seven_heads(words: Words) -> tuple[NumberHead, ...]:
    """Return the heads of the seven numbers, in the order of the paper."""
    time = NumberHead(
        words.gettext("Response time"),
        words.gettext("Mean time until the first words of a reply; what ran out of time is not among it."),
    )
    return tuple(time if name == "time" else number_head(words, name) for name in SEVEN)


def number_head(words: Words, name: str) -> NumberHead:
    """Return the head of a number with its meaning."""
    measure = measure_of(name)
    return NumberHead(words.said(measure.title), words.said(measure.meaning), help_link(name))


def seven_rows(words: Words, result: ConversationsResult, domain: str = ALL) -> tuple[NumberRow, ...]:
    """Return the seven numbers of every bot in a domain: all levels together, then each."""
    return tuple(
        _row(words, cell, tuple(seven_cell(words, cell, name) for name in SEVEN))
        for bot in result.header.bots
        for cell in cells_by_level(result, bot.name, domain)
    )


def seven_cell(words: Words, cell: Cell, name: str) -> NumberCell:
    """Return one of the seven numbers."""
    if name != "time":
        return rate_cell(words, name, cell.rates[name])
    mean = cell.times.mean
    if mean.value is None:
        return NumberCell(words.gettext("n/a"), meaning=words.gettext("no reply came"))
    around = " – ".join(map(words.said, milliseconds_interval(mean).split("-")))
    return NumberCell(words.said(milliseconds_text(mean.value)), around, _talks(words, mean.n))


def rate_cell(words: Words, name: str, rate: Rate | None) -> NumberCell:
    """Return a share with its interval and count; of few items how many of them it is; n/a with its reason."""
    writer = Writer(words)
    if rate is None or rate.value is None:
        return NumberCell(writer.number(None), meaning="" if rate is None else words.said(measure_of(name).absent))
    counted = f"n\u00a0=\u00a0{writer.number(rate.n)}"
    if too_few(rate) and name not in _MEANS and not name.startswith("pass_hat_"):
        said = words.gettext("%(part)s of %(whole)s", part=round(rate.value * rate.n), whole=rate.n)
        return NumberCell(said, words.gettext("too few"))
    kind = measure_of(name).kind
    return NumberCell(writer.value(rate.value, kind), writer.interval(rate, kind), counted=counted)


def literal_heads(words: Words) -> tuple[NumberHead, ...]:
    """Return the heads of the numbers by the wording of the paper."""
    own = words.gettext("As the paper words it; for comparison with the paper alone.")
    heads = [NumberHead(words.gettext(title), own) for title in LITERAL.values()]
    left = words.gettext("Turns that the wording gives no class: wrong replies and missing ones.")
    return (*heads, NumberHead(words.gettext("Turns left out"), left))


def literal_rows(words: Words, result: ConversationsResult, domain: str = ALL) -> tuple[NumberRow, ...]:
    """Return the numbers by the wording of the paper."""
    writer = Writer(words)
    return tuple(
        _row(
            words,
            cell,
            (
                *(NumberCell(writer.share(cell.literal[name])) for name in LITERAL),
                NumberCell(writer.number(cell.literal_unclassified)),
            ),
        )
        for bot in result.header.bots
        for cell in cells_by_level(result, bot.name, domain)
    )


def _row(words: Words, cell: Cell, cells: tuple[NumberCell, ...]) -> NumberRow:
    turns = cell.counts.counted
    held = [
        _talks(words, cell.conversations),
        words.ngettext("%(num)s turn", "%(num)s turns", turns, num=Writer(words).number(turns)),
    ]
    held += [words.gettext("incomplete")] if cell.incomplete else []
    title = named(words, cell.level) if cell.level else cell.bot
    return NumberRow(title, ", ".join(held), cells, not cell.level)


def _talks(words: Words, n: int) -> str:
    return words.ngettext("%(num)s talk", "%(num)s talks", n, num=Writer(words).number(n))


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
