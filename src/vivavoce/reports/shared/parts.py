"""Small parts that every section of a report is made of."""

from __future__ import annotations

from vivavoce.records import Rate
from vivavoce.reports.intents import wording
from vivavoce.reports.intents.meanings import MEASURES, Kind
from vivavoce.reports.shared.svg import AnyChart, to_svg
from vivavoce.reports.shared.tags import Html, details, join, tag


def named(name: str) -> Html:
    """Return the title of a number; its meaning is one click away, or under the pointer."""
    measure = MEASURES[name]
    return tag("a", measure.title, href=f"#m-{name}", title=measure.meaning)


def rate_part(rate: Rate, kind: Kind = "share") -> Html:
    """Return a value with its interval under it."""
    around = wording.interval_text(rate, kind)
    return join([wording.value_text(kind, rate.value), tag("small", around) if around else None])


def figure(title: str, meaning: str, chart: AnyChart, numbers: Html | None = None) -> Html:
    """Return a chart with its title, how to read it, and the table of its numbers."""
    caption = tag("figcaption", tag("h3", title), tag("p", meaning))
    drawn = Html(to_svg(chart))
    return tag("figure", caption, drawn, details("The numbers", numbers) if numbers else None)


def prose(text: str) -> Html:
    """Return a sentence in which `commands` are set as such."""
    parts = text.split("`")
    return join(tag("code", part) if place % 2 else part for place, part in enumerate(parts))


def tight(value: float | None) -> str:
    """Keep a number and its sign on one line."""
    return wording.share_text(value).replace(" ", "\u00a0")


def rest(more: int, noun: str) -> Html | None:
    """Say how many lines were left out."""
    return tag("p", f"{wording.plural(more, noun)} more in the JSON file.", class_="muted") if more > 0 else None
