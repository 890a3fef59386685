"""Numbers of many runs over time: lines with bands, named at their ends, and numbered flags for what changed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import altair as alt

from vivavoce.records import Rate
from vivavoce.reports.shared.charts import PERCENT, SERIES, SHAPES, apply_theme, chart_data
from vivavoce.reports.shared.svg import PALETTE, AnyChart
from vivavoce.reports.shared.texts import shorten

# More dots would hide the line.
MAX_DOTS = 40
# How far flags and labels at the ends must be apart, in pixels, and about how wide a letter is.
ROW, LABEL, LETTER = 20, 15, 7
MAX_ROWS = 3
# A shorter piece of a name says nothing.
MIN_NAME = 9


@dataclass(frozen=True, slots=True)
class Course:
    """One line: its points in time, and what stands at its end."""

    label: str
    points: tuple[tuple[datetime, Rate], ...]


@dataclass(frozen=True, slots=True)
class Flag:
    """A change at a moment: its number, what it was and what it brought, and where it leads."""

    at: datetime
    number: int
    text: str
    effect: str
    href: str

    def cut(self, letters: int) -> str:
        """Return the name with the effect in so many letters; the effect alone, or nothing, where that is too few."""
        left = letters - len(self.effect) - 1
        if left >= min(len(self.text), MIN_NAME):
            return f"{shorten(self.text, left)} {self.effect}".strip()
        return self.effect if len(self.effect) <= letters else ""


@dataclass(frozen=True, slots=True)
class Frame:
    """The size of a picture; `narrow`: labels stand clear of the ends of lines, and flags are numbers alone.

    `ticks`: moments on the axis with what stands there. `low` and `high`: the ends of the other axis.
    """

    width: int
    height: int
    ticks: tuple[tuple[datetime, str], ...]
    low: float
    high: float
    share: bool = True
    narrow: bool = False


def value_ends(courses: Sequence[Course], step: float, bounds: tuple[float, float]) -> tuple[float, float]:
    """Return where the axis begins and ends: around all bands, at round values."""
    rates = [rate for course in courses for _, rate in course.points if rate.value is not None]
    ends = [end for rate in rates for end in (rate.value, rate.low, rate.high) if end is not None]
    low = step * int((min(ends, default=bounds[0]) + 1e-9) / step)
    high = step * -int(-(max(ends, default=bounds[1]) - 1e-9) // step)
    # A line that hardly moves must not look like a mountain range.
    while high - low < 3 * step and (low > bounds[0] or high < bounds[1]):
        low, high = max(bounds[0], low - step), min(bounds[1], high + step)
    return round(max(bounds[0], low), 6), round(min(bounds[1], high), 6)


def run_timeline_chart(
    courses: Sequence[Course], flags: Sequence[Flag], frame: Frame, *, description: str
) -> AnyChart:
    """Draw each course as a line with a band for its intervals, with flags above for what changed."""
    moments = [at for course in courses for at, _ in course.points]
    start, end = min(moments), max(moments)
    span = max(1.0, _seconds(end) - _seconds(start))
    domain = (_seconds(start) - (0.5 if start == end else 0), _seconds(end) + (0.5 if start == end else 0))
    x = _time_axis(frame, domain)
    names = [course.label for course in courses]
    colour = alt.Color("series:N", scale=alt.Scale(domain=names, range=SERIES), legend=None)
    base = alt.Chart(chart_data(_rows(courses))).encode(x=x, color=colour)
    axis = PERCENT if frame.share else alt.Axis(format=".1f", tickCount=5)
    scale = alt.Scale(domain=[frame.low, frame.high], zero=False, nice=False)
    y = alt.Y("value:Q", scale=scale, axis=axis, title=None)
    bands = base.transform_filter("isValid(datum.low) && isValid(datum.high)").mark_area(opacity=0.14, clip=True)
    shape = alt.Shape("series:N", scale=alt.Scale(domain=names, range=SHAPES), legend=None)
    dots = base if len(set(moments)) <= MAX_DOTS else base.transform_filter("datum.last")
    layers: list[Any] = [
        *_draw_flags(flags, frame, (domain[0], span), LETTER * max(map(len, names))),
        bands.encode(alt.Y("low:Q", scale=scale, axis=axis, title=None), alt.Y2("high:Q")),
        base.mark_line(strokeWidth=2).encode(y=y),
        dots.mark_point(filled=True, size=45, opacity=1).encode(y=y, shape=shape),
        *_draw_ends(courses, frame, x, scale, colour),
    ]
    return apply_theme(alt.layer(*layers).properties(width=frame.width, height=frame.height), description)


def _rows(courses: Sequence[Course]) -> list[dict[str, Any]]:
    return [
        {
            "series": course.label,
            "at": _seconds(at),
            "value": rate.value,
            "low": rate.low,
            "high": rate.high,
            "last": (at, rate) == course.points[-1],
        }
        for course in courses
        for at, rate in course.points
    ]


def _time_axis(frame: Frame, domain: tuple[float, float]) -> alt.X:
    """Return the axis of time, with its words as they were written for the reader."""
    inside = [(_seconds(at), label) for at, label in frame.ticks if domain[0] <= _seconds(at) <= domain[1]]
    words = "".join(f"datum.value == {at} ? {json.dumps(label)} : " for at, label in inside)
    axis = alt.Axis(
        values=[at for at, _ in inside], labelExpr=f"{words}''", grid=False, labelFlush=True, labelOverlap="greedy"
    )
    return alt.X("at:Q", scale=alt.Scale(domain=list(domain), zero=False, nice=False), title=None, axis=axis)


def _draw_ends(
    courses: Sequence[Course], frame: Frame, x: alt.X, scale: alt.Scale, colour: alt.Color
) -> list[alt.Chart]:
    """Return what stands at the end of each line; labels that would meet are moved apart."""
    ordered = sorted(
        (course for course in courses if course.points), key=lambda course: course.points[-1][1].value or 0.0
    )
    pixel, places, last = (frame.high - frame.low) / frame.height, [], -float("inf")
    for course in ordered:
        at, rate = course.points[-1]
        value, apart = rate.value or 0.0, LABEL * pixel
        if frame.narrow:
            value = _clear_of_band(course, frame, pixel, above=course is ordered[-1])
            if abs(value - last) < apart:
                value = last + (apart if last + apart <= frame.high else -apart)
        else:
            value = max(value, last + apart)
        last = value
        places.append({"series": course.label, "at": _seconds(at), "value": value})
    texts = alt.Chart(chart_data(places)).encode(x=x, y=alt.Y("value:Q", scale=scale), text="series:N", color=colour)
    if frame.narrow:
        return [texts.mark_text(align="right", dx=6, fontSize=12, fontWeight="bold")]
    return [texts.mark_text(align="left", dx=9, fontSize=12, fontWeight="bold")]


def _clear_of_band(course: Course, frame: Frame, pixel: float, *, above: bool) -> float:
    """Return where the label of a line stands in a narrow picture: above or below the part of its band it spans."""
    end = _seconds(course.points[-1][0])
    width = (end - _seconds(course.points[0][0])) * min(1.0, LETTER * len(course.label) / frame.width)
    rates = [rate for at, rate in course.points if _seconds(at) >= end - width and rate.value is not None]
    values = [value for rate in rates for value in (rate.low, rate.value, rate.high) if value is not None]
    top, bottom = max(values, default=frame.low) + LABEL * pixel, min(values, default=frame.high) - LABEL * pixel
    fits_above, fits_below = top <= frame.high, bottom >= frame.low
    return top if fits_above and (above or not fits_below) else bottom


def _draw_flags(flags: Sequence[Flag], frame: Frame, time: tuple[float, float], room: float) -> list[alt.Chart]:
    """Return for each change a dashed line, its number in a ring, and its name where there is room for it."""
    if not flags:
        return []
    base = alt.Chart(chart_data(_place_flags(flags, frame, time, room))).encode(x="at:Q")
    height = alt.Y("row:Q", scale=None)
    rules = base.mark_rule(strokeDash=[3, 3], color=PALETTE["muted"], opacity=0.8).encode(
        y=height, y2=alt.value(frame.height)
    )
    rings = base.mark_point(
        size=300, filled=True, fill=PALETTE["page"], stroke=PALETTE["muted"], strokeWidth=1.2, opacity=1
    )
    named, nameless = base.transform_filter("datum.text"), base.transform_filter("!datum.text")
    in_ring: dict[str, Any] = {"fontSize": 11, "fontWeight": "bold", "color": PALETTE["ink"], "dy": 0.5}
    names = named.mark_text(align="left", dx=14, fontSize=12, color=PALETTE["ink"])
    # One link for each flag: its name, else its number.
    return [
        rules,
        rings.encode(y=height),
        named.mark_text(**in_ring).encode(y=height, text="number:N"),
        nameless.mark_text(**in_ring).encode(y=height, text="number:N", href="href:N"),
        names.encode(y=height, text="text:N", href="href:N"),
    ]


def _place_flags(flags: Sequence[Flag], frame: Frame, time: tuple[float, float], room: float) -> list[dict[str, Any]]:
    """Return each flag with its row above the picture, and as much of its name as has room there.

    Rows go down from left to right, so that no dashed line crosses a name. `room`: how wide the labels of the lines
    are, beside the picture.
    """
    start, span = time
    ordered = sorted(flags, key=lambda flag: flag.at)
    moments = [min(max(_seconds(flag.at), start), start + span) for flag in ordered]
    lefts = [frame.width * (at - start) / span for at in moments]
    rows, places = 1 if frame.narrow else min(MAX_ROWS, len(ordered)), []
    for place, (flag, at, left) in enumerate(zip(ordered, moments, lefts, strict=True)):
        row = place % rows
        # The next flag that begins at the top, else the end of the labels.
        after = place - row + rows
        end = lefts[after] - 14 if after < len(lefts) else frame.width + room
        text = "" if frame.narrow else flag.cut(int((end - left - 14) / LETTER))
        places.append(
            {
                "at": at,
                "row": -16 - ROW * (rows - 1 - row),
                "number": str(flag.number),
                "text": text,
                "href": flag.href,
            }
        )
    return places


def _seconds(moment: datetime) -> float:
    return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()
