"""The chart of a timeline: made of what is stored, drawn once for each content."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from vivavoce.jobs.exams.documents import canonical_json
from vivavoce.kept import Kept
from vivavoce.records import Rate
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.store.repositories.results import MeasurePoint
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.web.pages.exams.findings import scope_title
from vivavoce.workspace.exams.timeline import Mark, Timeline

if TYPE_CHECKING:
    from vivavoce.reports.shared.run_timeline import ChangeMark, PointerWords, RunPoint

# More would make the page heavy and could not be told apart; the live chart has all.
MOST_DRAWN = 100
_SPECS: Kept[dict[str, Any]] = Kept(24)
_DRAWN: Kept[str] = Kept(24)


def timeline_spec(words: Words, found: Timeline) -> dict[str, Any]:
    """Return the specification of the chart."""
    return _SPECS.get(_mark(words, found), lambda: _chart(words, found).to_dict())


def timeline_svg(words: Words, found: Timeline) -> str:
    """Return the picture; drawing takes a tenth of a second, so it is kept."""
    from vivavoce.reports.shared.svg import to_svg

    return _DRAWN.get(_mark(words, found), lambda: to_svg(_chart(words, replace(found, points=thinned(found)))))


def left_out(found: Timeline) -> int:
    """Return how many runs the still picture leaves out."""
    return len(_numbers(found)) - len({point.number for point in thinned(found)})


def thinned(found: Timeline) -> tuple[MeasurePoint, ...]:
    """Return the points of so many runs as a picture can show, the first and the last among them."""
    numbers = _numbers(found)
    step = -(-len(numbers) // MOST_DRAWN)
    shown = {*numbers[:: max(1, step)], *numbers[-1:]}
    return tuple(point for point in found.points if point.number in shown)


def _numbers(found: Timeline) -> list[int]:
    return list(dict.fromkeys(point.number for point in found.points))


def _mark(words: Words, found: Timeline) -> str:
    """Return what changes when the picture would."""
    points = [(p.number, p.scope, p.at.isoformat(), p.value, p.low, p.high) for p in found.points]
    marks = [(mark.at.isoformat(), mark.text) for mark in found.marks]
    return sha256(canonical_json([words.language, found.measure, points, marks])).hexdigest()


def _chart(words: Words, found: Timeline) -> Any:
    from vivavoce.reports.shared.run_timeline import run_timeline_chart

    points = [_point(words, point) for point in found.points]
    first = min(p.at for p in found.points)
    # What happened long before the first exam would only press the line together.
    marks = [_change(words, mark) for mark in found.marks if mark.at >= first]
    measure = MEASURES[found.measure]
    title, timeline = words.said(measure.title), words.gettext("Timeline")
    return run_timeline_chart(
        points,
        marks,
        description=f"{title}, {timeline}",
        share=measure.kind == "share",
        words=_pointer(words, title),
    )


def _point(words: Words, point: MeasurePoint) -> RunPoint:
    from vivavoce.reports.shared.run_timeline import RunPoint

    writer, kind = Writer(words), MEASURES[point.name].kind
    rate = Rate(point.value, point.low, point.high, point.n)
    around = writer.interval(rate, kind)
    said = f"{writer.value(rate.value, kind)} ({around})" if around else writer.value(rate.value, kind)
    run, when = f"{point.number}: {point.title}", writer.moment_words(point.at)
    return RunPoint(point.at, run, _series(words, point.scope), rate, when, said)


def _change(words: Words, mark: Mark) -> ChangeMark:
    from vivavoce.reports.shared.run_timeline import ChangeMark

    writer = Writer(words)
    return ChangeMark(mark.at, words.said(mark.text), writer.moment_words(mark.at), writer.day_words(mark.at))


def _pointer(words: Words, value: str) -> PointerWords:
    from vivavoce.reports.shared.run_timeline import PointerWords

    return PointerWords(
        words.gettext("Run"), words.gettext("When"), words.gettext("Setting"), value, words.gettext("What changed")
    )


def _series(words: Words, scope: str) -> str:
    return f"{scope_title(words, scope)} ({scope.replace(',', ', ')})"
