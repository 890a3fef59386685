"""The chart of a timeline: made of what is stored, drawn once for each content, for wide and for narrow pages."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING

from markupsafe import Markup

from vivavoce.jobs.exams.documents import canonical_json
from vivavoce.kept import Kept
from vivavoce.records import Rate
from vivavoce.reports.shared.texts import shorten
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.web.local_time import current_zone
from vivavoce.web.pages.exams.findings import scope_title, write_gap
from vivavoce.workspace.exams.courses import Course, Line, Step
from vivavoce.workspace.exams.project_exams import project_exam

if TYPE_CHECKING:
    from vivavoce.reports.shared.run_timeline import Course as Drawn
    from vivavoce.reports.shared.run_timeline import Flag, Frame

# More would make the page heavy and could not be told apart.
MAX_DRAWN = 100
# How wide a picture is with its labels, how high it is without them, and how many dates its axis has.
WIDE, NARROW = (880, 250, 7), (310, 210, 3)
# How wide the axis of values is, and about how wide a letter of the labels at the ends.
AXIS, LETTER = 50, 7
MAX_LABEL, MAX_FLAG = 34, 44
_DRAWN: Kept[tuple[Markup, Markup]] = Kept(24)


def line_title(words: Words, course: Course, line: Line) -> str:
    """Return what a line is: a number, a setting, or a bot."""
    if len({each.name for each in course.lines}) > 1:
        return words.said(project_exam(course.exam).measure(line.name).title)
    if course.exam == "intents":
        return scope_title(words, line.scope)
    return line.scope or words.gettext("All bots")


def course_pictures(words: Words, base: str, course: Course, label: str) -> tuple[Markup, Markup]:
    """Return the picture for a wide page and the one for a narrow page; drawing takes a while, so both are kept."""
    points = [
        [line.scope, line.name, [(p.number, p.at.isoformat(), p.value, p.low, p.high) for p in line.points]]
        for line in course.lines
    ]
    steps = [(step.at.isoformat(), str(step.text), step.b.number) for step in course.steps]
    content = [words.language, current_zone().key, base, course.exam, label, points, steps]
    return _DRAWN.get(sha256(canonical_json(content)).hexdigest(), lambda: _draw(words, base, course, label))


def axis_note(words: Words, course: Course) -> str:
    """Say where the axis begins if that is not 0."""
    writer, measure = Writer(words), project_exam(course.exam).measure(course.lines[0].name)
    low, high = _ends(course, _courses(words, course))
    if low == 0:
        return ""
    values = {"low": writer.value(low, measure.kind), "high": writer.value(high, measure.kind)}
    return words.gettext("The axis runs from %(low)s to %(high)s.", **values)


def compare_path(base: str, course: Course, step: Step) -> str:
    """Return where two runs are compared; scores of dialogues have no such page."""
    if course.exam in ("intents", "conversations"):
        return f"{base}/{course.exam}/compare?a={step.a.number}&b={step.b.number}"
    return f"{base}/runs/{step.b.number}"


def _draw(words: Words, base: str, course: Course, label: str) -> tuple[Markup, Markup]:
    from vivavoce.reports.shared.run_timeline import run_timeline_chart
    from vivavoce.reports.shared.svg import to_svg

    courses, flags = _courses(words, course), _flags(words, base, course)
    # Drawn by ourselves, with all texts in it escaped.
    wide, narrow = (
        Markup(to_svg(run_timeline_chart(courses, flags, frame, description=label)))  # noqa: S704
        for frame in _frames(words, course, courses)
    )
    return wide, narrow


def _frames(words: Words, course: Course, courses: Sequence[Drawn]) -> tuple[Frame, Frame]:
    from vivavoce.reports.shared.run_timeline import Frame

    moments = [at for drawn in courses for at, _ in drawn.points]
    low, high = _ends(course, courses)
    share = project_exam(course.exam).measure(course.lines[0].name).kind == "share"
    labels = LETTER * max(len(drawn.label) for drawn in courses)
    wide, narrow = (
        Frame(width, height, date_ticks(words, min(moments), max(moments), most), low, high, share, is_narrow)
        for width, height, most, is_narrow in (
            (WIDE[0] - AXIS - labels, *WIDE[1:], False),
            (NARROW[0] - AXIS, *NARROW[1:], True),
        )
    )
    return wide, narrow


def _ends(course: Course, courses: Sequence[Drawn]) -> tuple[float, float]:
    from vivavoce.reports.shared.run_timeline import value_ends

    share = project_exam(course.exam).measure(course.lines[0].name).kind == "share"
    return value_ends(courses, 0.1, (0.0, 1.0)) if share else value_ends(courses, 0.5, (1.0, 5.0))


def _courses(words: Words, course: Course) -> list[Drawn]:
    from vivavoce.reports.shared.run_timeline import Course as Drawn

    writer, drawn = Writer(words), []
    for line in course.lines:
        kind = project_exam(course.exam).measure(line.name).kind
        step = max(1, -(-len(line.points) // MAX_DRAWN))
        # Some of very many, the first and the last among them.
        points = line.points[-1::-step][::-1]
        points = points if points[0] == line.points[0] else (line.points[0], *points)
        label = shorten(line_title(words, course, line), MAX_LABEL)
        value = writer.value(line.points[-1].value, kind)
        rates = ((_wall(p.at), Rate(p.value, p.low, p.high, p.n)) for p in points)
        drawn.append(Drawn(f"{label} {value}", tuple(rates)))
    return drawn


def _flags(words: Words, base: str, course: Course) -> list[Flag]:
    from vivavoce.reports.shared.run_timeline import Flag

    kind = project_exam(course.exam).measure(course.lines[0].name).kind
    flags = []
    for number, step in enumerate(course.steps, 1):
        effect = ""
        if len(step.effects) == 1 and step.effects[0].difference.value is not None:
            effect = write_gap(words, step.effects[0].difference, kind, around=False)
        name, path = shorten(words.said(step.text), MAX_FLAG), compare_path(base, course, step)
        flags.append(Flag(_wall(step.at), number, name, effect, path))
    return flags


def _wall(moment: datetime) -> datetime:
    """Return a time as the clock of the reader shows it, as if it were UTC."""
    return moment.astimezone(current_zone()).replace(tzinfo=UTC)


# --- what stands on the axis of time -------------------------------------------------------------------------------


def date_ticks(words: Words, first: datetime, last: datetime, most: int) -> tuple[tuple[datetime, str], ...]:
    """Return at most so many round moments between two, with their words: hours, days, weeks, months or years."""
    writer, days = Writer(words), (last - first) / timedelta(days=1)
    midnight = first.replace(hour=0, minute=0, second=0, microsecond=0)
    if days < 2:
        moments = [midnight + timedelta(hours=n) for n in range(73)]
    elif days <= 75:
        every = [midnight + timedelta(days=n) for n in range(77)]
        moments = every if days < 15 else [day for day in every if day.weekday() == 0]
    else:
        first_month = 12 * midnight.year + midnight.month
        moments = [datetime(n // 12, n % 12 + 1, 1, tzinfo=UTC) for n in range(first_month, first_month + 1200)]
    within = [at for at in moments if first <= at <= last]
    shown = within[:: max(1, -(-len(within) // most))]
    if days < 2:
        shown = shown if len(shown) > 1 else sorted({first, last})
        return tuple((at, f"{writer.short_day(at)}, {at:%H:%M}") for at in shown)
    return tuple((at, writer.short_day(at) if days <= 75 else writer.short_month(at)) for at in shown)
