"""The registry of numbers: what each is called, what it means and how it is written.

Every exam has one table of `Measure`. Tables, charts, pages, the help, Today and the docs read from it; the order of
the table is the order in which they show numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from vivavoce.errors import UsageError
from vivavoce.messages import say
from vivavoce.reports.shared.numbers import Kind

Better = Literal["higher", "lower", "neither"]
About = Literal["setting", "topic", "pair", "data", "time"]
NOTHING = say("nothing to count")


@dataclass(frozen=True, slots=True)
class Measure:
    """One number: its stable name, how people call it, what it means, and when it cannot be had.

    `short`: its title where columns are narrow; `main`: it is one of the few that every view shows first; `mean`: a
    mean of shares, or two shares in one, with no items that could be counted out; `few`: below this many items a
    share is written as how many of them it is, without an interval; `path`: where it is in JSON, if not at its name.
    """

    name: str
    title: str
    meaning: str
    better: Better = "higher"
    kind: Kind = "share"
    about: About = "setting"
    absent: str = NOTHING
    short: str = ""
    main: bool = False
    mean: bool = False
    few: int = 0
    path: str = ""

    @property
    def column(self) -> str:
        """The title where columns are narrow."""
        return self.short or self.title

    @property
    def direction(self) -> str:
        """Which way is better, as a sentence."""
        return (
            "Neither direction is better." if self.better == "neither" else f"{self.better.capitalize()} is better."
        )


def define(name: str, title: str, meaning: str, **facts: Any) -> Measure:
    """Return a number of a table; its title and its meaning are translated on pages."""
    return Measure(name, say(title), say(meaning), **facts)


def render_measures_table(measures: Iterable[Measure]) -> str:
    """Return the table of meanings as Markdown, for the docs."""
    lines = ["| name | title | meaning | better | kind |", "|---|---|---|---|---|"]
    lines += [f"| `{m.name}` | {m.title} | {m.meaning} | {m.better} | {m.kind} |" for m in measures]
    return "\n".join(lines) + "\n"


def parse_limit(text: str, gate: str, example: str) -> float:
    """Read the limit of a gate, `0.7` or `70%`."""
    number, percent = text.strip().removesuffix("%").strip(), text.strip().endswith("%")
    try:
        limit = float(number) / (100 if percent else 1)
    except ValueError:
        raise UsageError(f"the limit of the gate '{gate}' is not a number", remedy=example) from None
    if not 0 <= limit <= 1:
        raise UsageError(f"the limit of the gate '{gate}' must be between 0 and 1", remedy="write 0.7 or 70%")
    return limit
