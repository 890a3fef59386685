"""Three months of a project as one wide chart."""

from __future__ import annotations

from datetime import timedelta

from vivavoce.store.stamps import now
from vivavoce.web.pages.exams.timeline_chart import axis_note, course_pictures, line_title
from vivavoce.web.rendering import View
from vivavoce.web.visits import Visit
from vivavoce.workspace.exams.courses import show_course
from vivavoce.workspace.exams.project_exams import project_exam
from vivavoce.workspace.projects.today import Today

SHOWN = timedelta(days=92)


def three_months(visit: Visit, day: Today) -> View | None:
    """Return how the first exam of the project went; None where there are no two runs to draw a line between."""
    state = next(iter(day.exams), None)
    if state is None:
        return None
    # From midnight on, so that the picture is drawn once a day and not for every visit.
    since = (now() - SHOWN).replace(hour=0, minute=0, second=0, microsecond=0)
    course = show_course(*visit.here, state.exam, since=since)
    if len(course.runs) < 2 or not course.lines:
        return None
    words, write = visit.words, visit.write
    ends = []
    for line in course.lines:
        kind = project_exam(course.exam).measure(line.name).kind
        ends.append(
            words.gettext(
                "%(what)s went from %(first)s to %(last)s.",
                what=line_title(words, course, line),
                first=write.value(line.points[0].value, kind),
                last=write.value(line.points[-1].value, kind),
            )
        )
    band = words.gettext("Band: where the value would lie with other examples.")
    wide, narrow = course_pictures(words, visit.base, course, " ".join(ends))
    note = " ".join(filter(None, (*ends, band, axis_note(words, course))))
    return View(wide=wide, narrow=narrow, href=f"{visit.base}/timeline", note=note)
