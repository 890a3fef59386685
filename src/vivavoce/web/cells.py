"""Cells of tables that hold more than a word: numbers with their intervals, links, differences."""

from __future__ import annotations

from markupsafe import Markup

from vivavoce.records import Rate
from vivavoce.reports.shared.measures import Measure
from vivavoce.reports.shared.numbers import Kind
from vivavoce.reports.shared.views import SHARE, Cell, Column
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.web.rendering import environment


def chip(text: str, tone: str = "neutral", sign: str = "", meaning: str = "") -> Markup:
    """Return a state as pages show it: the macro of that name."""
    markup: Markup = environment().get_template("blocks.html").module.chip(text, tone, sign, meaning)  # type: ignore[attr-defined]
    return markup


def bot_key(name: str, place: int) -> Markup:
    """Return the name of a bot with its colour and shape: the macro of that name."""
    markup: Markup = environment().get_template("conversation_pictures.html").module.bot_key(name, place)  # type: ignore[attr-defined]
    return markup


def rate_cell(words: Words, rate: Rate, measure: Measure = SHARE, *, counted: bool = True) -> Cell:
    """Return a value with its interval and count."""
    value, around, n = Writer(words).parts(rate, measure)
    return Cell(value, f"{around}, {n}" if around and n and counted else around, css="rate")


def measure_column(words: Words, measure: Measure) -> Column:
    """Return the head of a number, with the way to its meaning."""
    meaning = words.said(measure.meaning)
    return Column(words.said(measure.title), f"/help#m-{measure.name}", number=True, meaning=meaning)


def difference_cell(words: Words, rate: Rate, kind: Kind = "share", *, clear: bool, good: bool) -> Markup:
    """Return a difference with its sign and interval; one that is more than chance is marked."""
    if rate.value is None:
        return Markup("{}").format(words.gettext("n/a"))
    factor, digits = (100, 1) if kind in ("share", "points") else (1, 2)
    writer = Writer(words)

    def signed(value: float) -> str:
        return writer.signed(factor * value, digits)

    value = words.gettext("%(value)s points", value=signed(rate.value)) if factor == 100 else signed(rate.value)
    tone = ("good" if good else "bad") if clear else "neutral"
    around = ""
    if rate.low is not None and rate.high is not None:
        around = words.gettext("%(low)s to %(high)s", low=signed(rate.low), high=signed(rate.high))
    return Markup('<span class="rate">{} <small>{}</small></span>').format(chip(value, tone), around)


def link_cell(href: str, text: str) -> Markup:
    """Return a link."""
    return Markup('<a href="{}">{}</a>').format(href, text)
