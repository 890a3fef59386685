"""What `examine_intents` returns: findings of every setting, the confused pairs, and what to know about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from vivavoce.errors import UsageError, nearest
from vivavoce.intents.borrowing import Borrowed
from vivavoce.intents.findings import SettingFindings
from vivavoce.intents.pairs import Pair
from vivavoce.intents.problem_sentences import problem_sentence
from vivavoce.intents.problems import Problem
from vivavoce.intents.record import UnitFailure
from vivavoce.intents.splits import Design, Setting
from vivavoce.records import Dataset, Rate

DEFINITIONS = 1
# From this share of the examples on, one topic can decide a number that counts every question alike.
LARGE_SHARE = 0.2


class Result:
    """A result of an exam of this kind."""

    def to_json(self) -> dict[str, Any]:
        """Return the stable JSON form."""
        from vivavoce.intents.json_form import result_to_json

        return result_to_json(self)


@dataclass(frozen=True, slots=True)
class Note:
    """Something the reader must know before trusting a number."""

    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Inflation:
    """How much better the score would look if near-duplicates stood on both sides of a split."""

    difference: float
    low: float | None
    high: float | None
    rows: int


@dataclass(frozen=True, slots=True)
class DataFacts:
    """What was examined. `largest_share`: the share of the examples with a topic that the largest topic holds."""

    source: str
    hash: str
    rows: int
    topics: int
    out_of_scope: int
    largest_topic: str | None = None
    largest_share: float | None = None

    @classmethod
    def of(cls, data: Dataset) -> DataFacts:
        """Describe a data set."""
        outside = data.intents.count(None)
        topic, size = next(iter(data.sizes.items()), (None, 0))
        share = size / (len(data) - outside) if size else None
        return cls(data.source, data.hash, len(data), len(data.sizes), outside, topic, share)

    @property
    def dominated(self) -> bool:
        """Whether the largest topic decides the numbers: a fifth of the examples, and twice an even share."""
        return self.largest_share is not None and self.largest_share >= max(LARGE_SHARE, 2 / self.topics)


@dataclass(frozen=True, eq=False)
class IntentsResult(Result):
    """The result of an intents exam. `asides`: pairs that are no problem, or cannot be judged."""

    data: DataFacts
    classifier: str
    threshold: float
    design: Design
    settings: tuple[SettingFindings, ...]
    problems: tuple[Problem, ...]
    pairs: tuple[Pair, ...]
    warnings: tuple[Note, ...]
    failures: tuple[UnitFailure, ...]
    inflation: Inflation | None
    out_of_scope_share: float | None = None
    borrowed: Borrowed | None = None
    asides: tuple[Problem, ...] = ()

    def at(self, setting: Setting) -> SettingFindings:
        """Return the findings of one setting."""
        for findings in self.settings:
            if findings.setting == setting:
                return findings
        raise UsageError(f"setting {setting} was not tested")

    def rate(self, name: str, setting: Setting | None = None) -> Rate:
        """Return a rate by its name, of the first setting unless told."""
        findings = self.settings[0] if setting is None else self.at(setting)
        if name not in findings.rates:
            raise UsageError(f"unknown metric '{name}'.{nearest(name, list(findings.rates))}")
        return findings.rates[name]

    def _repr_html_(self) -> str:
        """Show the numbers in a notebook."""
        names = ("accuracy", "automation_rate", "precision_answered", "negative_rejection")
        table = rate_table("setting", names, ((each.setting, each.rates) for each in self.settings))
        return f"{table}<p>What to fix next:</p><ol>{list_items(map(problem_sentence, self.problems[:3]))}</ol>"


def rate_table(title: str, names: Sequence[str], rows: Iterable[tuple[object, Mapping[str, Rate]]]) -> str:
    """Return rates as an HTML table: a row for each heading, a column for each name."""
    head = "".join(f"<th>{name.replace('_', ' ')}</th>" for name in names)
    body = "".join(
        f"<tr><th>{heading}</th>{''.join(rate_cell(rates[name]) for name in names)}</tr>" for heading, rates in rows
    )
    return f"<table><tr><th>{escape(title)}</th>{head}</tr>{body}</table>"


def list_items(texts: Iterable[str]) -> str:
    """Return texts as the items of an HTML list."""
    return "".join(f"<li>{escape(text)}</li>" for text in texts)


def rate_cell(rate: Rate) -> str:
    """Return a rate as a cell of an HTML table."""
    if rate.value is None:
        return "<td>n/a</td>"
    interval = "" if rate.low is None else f" ({rate.low:.2f} to {rate.high:.2f})"
    return f"<td>{rate.value:.3f}{interval}, n = {rate.n}</td>"
