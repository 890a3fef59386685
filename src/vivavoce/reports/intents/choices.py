"""Which lines of a result are worth showing first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from vivavoce.intents.findings import ConfusionCell, SettingFindings
from vivavoce.intents.pairs import Pair
from vivavoce.intents.problems import ENOUGH_TESTED
from vivavoce.intents.result import IntentsResult, Note
from vivavoce.messages import say
from vivavoce.records import Rate
from vivavoce.reports.intents.meanings import MAIN, MEASURES
from vivavoce.reports.intents.wording import WATCH_LEVEL, setting_sentence, setting_title
from vivavoce.reports.shared.measures import Measure
from vivavoce.reports.shared.numbers import Writer

NOTES_OF_A_KIND = 3


def ranked_pairs(result: IntentsResult, most: int) -> tuple[Pair, ...]:
    """Return the pairs that overlap most: enough examples to tell, not the same answer, and not apart anyway."""
    clear = (pair for pair in result.pairs if pair.enough and not pair.same_answer and pair.overlap >= WATCH_LEVEL)
    return tuple(islice(clear, most))


def harmless_pairs(result: IntentsResult) -> tuple[Pair, ...]:
    """Return the pairs whose topics give the same answer."""
    return tuple(pair for pair in result.pairs if pair.same_answer and pair.enough)


def unclear_pairs(result: IntentsResult) -> tuple[Pair, ...]:
    """Return the pairs with too few examples to tell, but for those that are a problem anyway."""
    known = [set(problem.topics) for problem in result.problems]
    return tuple(
        pair for pair in result.pairs if not pair.enough and not pair.same_answer and {pair.a, pair.b} not in known
    )


def explain_no_weakest(findings: SettingFindings) -> str:
    """Say why no topic is among the weakest."""
    if count_untested(findings) == len(findings.intents):
        return f"No topic has {ENOUGH_TESTED} tested examples, so no topic is ranked as weakest."
    return "Every topic with enough tested examples was always recognised."


def count_untested(findings: SettingFindings) -> int:
    """Return how many topics have too few tests to be ranked."""
    return sum(line.recall.n < ENOUGH_TESTED for line in findings.intents)


def confused_cells(findings: SettingFindings) -> tuple[ConfusionCell, ...]:
    """Return the cells in which a known topic was taken for another one, largest first."""
    return tuple(
        cell
        for cell in findings.confusion
        if not cell.negative and None not in (cell.origin, cell.guess) and cell.origin != cell.guess
    )


def confused_topics(findings: SettingFindings, most: int | None = None) -> tuple[str, ...]:
    """Return the topics that lose or draw most messages, in alphabetical order."""
    weight: Counter[str] = Counter()
    for cell in confused_cells(findings):
        for topic in (cell.origin, cell.guess):
            weight[topic or ""] += cell.answered + cell.deferred
    return tuple(sorted(topic for topic, _ in weight.most_common(most)))


def short_notes(notes: Sequence[Note], most: int = NOTES_OF_A_KIND) -> tuple[str, ...]:
    """Return the messages of the notes, at most a few of each kind, and how many more there are."""
    lines: list[str] = []
    for kind in dict.fromkeys(note.kind for note in notes):
        messages = [note.message for note in notes if note.kind == kind]
        lines += messages[:most]
        if len(messages) > most:
            lines.append(say("... and {n:,} more of this kind.", n=len(messages) - most))
    return tuple(lines)


def best_source(result: IntentsResult, name: str) -> SettingFindings:
    """Return the first setting in which a number exists, else the first."""
    known = (findings for findings in result.settings if findings.rates[name].value is not None)
    return next(known, result.settings[0])


class RangeCell(NamedTuple):
    """A number with its interval, for a line from 0 to 1; `absent` says why there is none."""

    title: str
    value: float | None
    low: float | None
    high: float | None
    text: str
    around: str
    n: str
    absent: str


class RangeRow(NamedTuple):
    """A setting by what the bot has to face, and its main numbers."""

    title: str
    sentence: str
    cells: tuple[RangeCell, ...]


def range_rows(result: IntentsResult, write: Writer) -> list[RangeRow]:
    """Return the settings that differ, each with its main numbers, in the words of a writer."""
    return [
        RangeRow(
            write.phrase(setting_title(findings)),
            write.phrase(setting_sentence(findings)),
            tuple(_build_cell(findings.rates[name], MEASURES[name], write) for name in MAIN),
        )
        for findings in result.settings
        if findings.same_as is None
    ]


def _build_cell(rate: Rate, measure: Measure, write: Writer) -> RangeCell:
    return RangeCell(
        write.phrase(measure.title),
        rate.value,
        rate.low,
        rate.high,
        write.value(rate.value),
        write.interval(rate),
        write.counted(rate.n) if rate.n else "",
        write.phrase(measure.absent),
    )
