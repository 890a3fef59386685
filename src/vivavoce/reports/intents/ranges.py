"""The main numbers under each setting, side by side: what a bot has to face, and how it copes."""

from __future__ import annotations

from typing import NamedTuple

from vivavoce.intents.result import IntentsResult
from vivavoce.records import Rate
from vivavoce.reports.intents.meanings import MAIN, MEASURES
from vivavoce.reports.intents.wording import setting_sentence, setting_title
from vivavoce.reports.shared.measures import Measure
from vivavoce.reports.shared.numbers import Writer


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
