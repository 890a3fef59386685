"""Fig. 4 of the nex-cv paper with what really happened: the automation rate that exams predict, and the live one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING

from markupsafe import Markup

from vivavoce.jobs.exams.documents import canonical_json
from vivavoce.kept import Kept
from vivavoce.records import Rate
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.web.local_time import current_zone
from vivavoce.web.pages.exams.timeline_chart import AXIS, LETTER, NARROW, WIDE, date_ticks
from vivavoce.workspace.assistant.numbers import Numbers, Prediction

if TYPE_CHECKING:
    from vivavoce.reports.shared.run_timeline import Course

_DRAWN: Kept[tuple[Markup, Markup]] = Kept(24)


def draw_automation(
    words: Words, periods: Sequence[Numbers], predictions: Sequence[Prediction], *, weekly: bool
) -> tuple[Markup, Markup] | None:
    """Return the picture for wide and narrow pages; None where no period has enough messages for a rate.

    The rate of a period is drawn in its middle.
    """
    middle = timedelta(days=3.5 if weekly else 0.5)
    live = [
        (datetime.combine(date.fromisoformat(part.name), datetime.min.time(), UTC) + middle, part.automated)
        for part in periods
        if not part.few
    ]
    if not live:
        return None
    zone = current_zone()
    predicted = [(point.at.astimezone(zone).replace(tzinfo=UTC), point.rate) for point in predictions]
    titles = (words.gettext("Real"), words.gettext("Predicted by exams"))
    content = [
        words.language,
        *([(at.isoformat(), rate.value, rate.low, rate.high) for at, rate in line] for line in (live, predicted)),
    ]
    key = sha256(canonical_json(content)).hexdigest()
    return _DRAWN.get(key, lambda: _draw(words, dict(zip(titles, (live, predicted), strict=True))))


def _draw(words: Words, lines: dict[str, list[tuple[datetime, Rate]]]) -> tuple[Markup, Markup]:
    from vivavoce.reports.shared.run_timeline import Course, Frame, run_timeline_chart, value_ends
    from vivavoce.reports.shared.svg import to_svg

    write = Writer(words)
    courses: list[Course] = [
        Course(f"{title} {write.value(points[-1][1].value, 'share')}", tuple(points))
        for title, points in lines.items()
        if points
    ]
    moments = [at for course in courses for at, _ in course.points]
    low, high = value_ends(courses, 0.1, (0.0, 1.0))
    labels = LETTER * max(len(course.label) for course in courses)
    description = words.gettext("The automation rate over time, predicted by exams and real.")
    wide, narrow = (
        # Drawn by ourselves, with all texts in it escaped.
        Markup(  # noqa: S704
            to_svg(
                run_timeline_chart(
                    courses,
                    (),
                    Frame(
                        width, height, date_ticks(words, min(moments), max(moments), most), low, high, True, is_narrow
                    ),
                    description=description,
                )
            )
        )
        for width, height, most, is_narrow in (
            (WIDE[0] - AXIS - labels, *WIDE[1:], False),
            (NARROW[0] - AXIS, *NARROW[1:], True),
        )
    )
    return wide, narrow
