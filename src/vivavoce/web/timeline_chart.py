"""The chart of a timeline: made of what is stored, drawn once for each content."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from vivavoce.jobs.exams.bookkeeping import Kept
from vivavoce.jobs.exams.documents import canonical_json
from vivavoce.records import Rate
from vivavoce.web.exam_forms import scope_title
from vivavoce.web.language import Words
from vivavoce.workspace.timeline import Timeline

_SPECS: Kept[dict[str, Any]] = Kept(24)
_DRAWN: Kept[str] = Kept(24)


def timeline_spec(words: Words, found: Timeline) -> dict[str, Any]:
    """Return the specification of the chart."""
    return _SPECS.get(_mark(words, found), lambda: _chart(words, found).to_dict())


def timeline_svg(words: Words, found: Timeline) -> str:
    """Return the picture; drawing takes a tenth of a second, so it is kept."""
    from vivavoce.reports.svg import to_svg

    return _DRAWN.get(_mark(words, found), lambda: to_svg(_chart(words, found)))


def _mark(words: Words, found: Timeline) -> str:
    """Return what changes when the picture would."""
    points = [(p.number, p.scope, p.at.isoformat(), p.value, p.low, p.high) for p in found.points]
    marks = [(mark.at.isoformat(), mark.text) for mark in found.marks]
    return sha256(canonical_json([words.language, found.measure, points, marks])).hexdigest()


def _chart(words: Words, found: Timeline) -> Any:
    from vivavoce.reports.meanings import MEASURES
    from vivavoce.reports.run_timeline import ChangeMark, RunPoint, run_timeline_chart

    points = [
        RunPoint(p.at, f"{p.number}: {p.title}", _series(words, p.scope), Rate(p.value, p.low, p.high, p.n))
        for p in found.points
    ]
    first = min(p.at for p in found.points)
    # What happened long before the first exam would only press the line together.
    marks = [ChangeMark(mark.at, mark.text) for mark in found.marks if mark.at >= first]
    measure = MEASURES[found.measure]
    said = f"{measure.title}, {words.gettext('Timeline')}"
    return run_timeline_chart(points, marks, description=said, share=measure.kind == "share")


def _series(words: Words, scope: str) -> str:
    return f"{scope_title(words, scope)} ({scope.replace(',', ', ')})"
