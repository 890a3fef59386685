"""The picture of what each message did to the score of a talk, as the live chart shows it, drawn at once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from vivavoce.web.language import Words
from vivavoce.web.pages.dialogues.views import signed

__all__ = ["Bar", "bars_of", "effects_picture"]

# The picture in its own units, small enough to be read on a phone: all of it, and the field of the bars in it.
WIDTH, HEIGHT = 440.0, 220.0
LEFT, RIGHT, TOP, BOTTOM = 62.0, 430.0, 26.0, 176.0
MIDDLE, LEGEND = (TOP + BOTTOM) / 2, 14.0
# Smaller effects than this never fill the picture.
MIN_EFFECT = 0.2
# More bars than these are a comb; the strongest tell most.
MAX_BARS = 60
# So many speakers have a colour of their own.
COLOURS = 6
STEPS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)


@dataclass(frozen=True, slots=True)
class Bar:
    """One message: its number, who spoke, and by how much it moved the score."""

    number: int
    who: str
    effect: float


def bars_of(words: Words, turns: Sequence[Mapping[str, object]], effects: Mapping[int, float]) -> tuple[Bar, ...]:
    """Return the bars in order; of many, the strongest."""
    strongest = sorted(effects, key=lambda number: -abs(effects[number]))[:MAX_BARS]
    return tuple(Bar(number, _speaker(words, turns, number), effects[number]) for number in sorted(strongest))


def _speaker(words: Words, turns: Sequence[Mapping[str, object]], number: int) -> str:
    turn = turns[number - 1] if 0 < number <= len(turns) else {}
    if turn.get("is_bot") is None:
        return str(turn.get("speaker", "")) or "?"
    return words.gettext("bot") if turn["is_bot"] else words.gettext("person")


def effects_picture(words: Words, bars: Sequence[Bar], label: str) -> Markup:
    """Draw the bars around a line, each in the colour of who spoke."""
    if not bars:
        return Markup("")
    last, most = max(bar.number for bar in bars), max(MIN_EFFECT, *(abs(bar.effect) for bar in bars))
    names = list(dict.fromkeys(bar.who for bar in bars))
    kinds = {name: place for place, name in enumerate(names)} if len(names) <= COLOURS else dict.fromkeys(names, 0)
    scale = (BOTTOM - TOP) / 2.2 / most
    turned = Markup('<text class="muted" text-anchor="middle" transform="translate(14,{:g}) rotate(-90)">{}</text>')
    parts = [
        *_levels(words, most, scale),
        *_numbers(last),
        *(_bar(bar, kinds[bar.who], last, scale) for bar in bars),
        *(_legend(names) if len(names) <= COLOURS else ()),
        _text((LEFT + RIGHT) / 2, HEIGHT - 6, words.said("message"), "middle", "muted"),
        turned.format(MIDDLE, words.said("effect in points")),
    ]
    frame = Markup(
        '<svg class="chart effects" width="{:g}" height="{:g}" viewBox="0 0 {:g} {:g}" role="img" aria-label="{}">'
        "{}</svg>"
    )
    return frame.format(WIDTH, HEIGHT, WIDTH, HEIGHT, label, Markup("").join(parts))


def _levels(words: Words, most: float, scale: float) -> Iterator[Markup]:
    """Yield the lines across the field, each with its number of points."""
    step = next((step for step in STEPS if most / step < 3), STEPS[-1])
    for count in range(-int(1.1 * most / step), int(1.1 * most / step) + 1):
        y = MIDDLE - count * step * scale
        line = Markup('<line class="{}" x1="{:g}" x2="{:g}" y1="{:.1f}" y2="{:.1f}"/>')
        yield line.format("level" if count else "zero", LEFT, RIGHT, y, y)
        yield _text(LEFT - 8, y + 4, signed(words, count * step) if count else "0", "end")


def _numbers(last: int) -> Iterator[Markup]:
    """Yield about eight numbers of messages under the field."""
    for number in range(1, last + 1, max(1, math.ceil(last / 8))):
        yield _text(_centre(number, last), BOTTOM + 18, str(number), "middle")


def _centre(number: int, last: int) -> float:
    return LEFT + (RIGHT - LEFT) * (number - 0.5) / last


def _bar(bar: Bar, kind: int, last: int, scale: float) -> Markup:
    """Draw one bar, with a mark at its tip that shows also where the effect is none."""
    width = min(14.0, 0.6 * (RIGHT - LEFT) / last)
    x, height = _centre(bar.number, last), abs(bar.effect) * scale
    top = MIDDLE - height if bar.effect > 0 else MIDDLE
    tip = MIDDLE - bar.effect * scale
    drawn = Markup('<g class="who-{}"><rect class="bar" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>{}</g>')
    return drawn.format(kind, x - width / 2, top, width, height, _tip(kind, x, tip, max(1.0, min(4.0, width / 2))))


def _tip(kind: int, x: float, y: float, size: float) -> Markup:
    """Draw a dot or a square: two sides are told apart without colour as well."""
    if kind % 2 == 0:
        return Markup('<circle cx="{:.1f}" cy="{:.1f}" r="{:.1f}"/>').format(x, y, size)
    place = x - size, y - size, 2 * size, 2 * size
    return Markup('<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>').format(*place)


def _legend(names: Sequence[str]) -> Iterator[Markup]:
    x = LEFT
    for kind, name in enumerate(names):
        label = name if len(name) <= 24 else f"{name[:23]}…"
        yield Markup('<g class="who-{}">{}</g>').format(kind, _tip(kind, x + 5, LEGEND - 4, 4.5))
        yield _text(x + 15, LEGEND, label, "start")
        x += 32 + 6.4 * len(label)


def _text(x: float, y: float, text: str, anchor: str, kind: str = "") -> Markup:
    named = Markup(' class="{}"').format(kind) if kind else ""
    return Markup('<text{} x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(named, x, y, anchor, text)
