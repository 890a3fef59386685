"""Automation: what the assistant answers at once, how often that is right, and what is new."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from vivavoce.records import Rate
from vivavoce.reports.shared.views import Table, Tile, make_table
from vivavoce.store.stamps import now
from vivavoce.web.forms import Form
from vivavoce.web.local_time import current_zone
from vivavoce.web.pages.assistant.automation_chart import draw_automation
from vivavoce.web.pages.assistant.tasks import record_rows, tasks_view
from vivavoce.web.rendering import View
from vivavoce.web.visits import ReaderVisit, ReviewerVisit, Visit
from vivavoce.workspace.assistant import learning, reviewing, tasks
from vivavoce.workspace.assistant.alarms import find_alarms
from vivavoce.workspace.assistant.numbers import Numbers, make_report
from vivavoce.workspace.assistant.settings import find_settings

router = APIRouter(prefix="/p/{slug}/automation")
DAYS = (7, 28, 91, 365)
SHOWN_DAYS = 28
SHOWN_TOPICS = 15
SHOWN_GROUPS = 8
SHOWN_QUESTIONS = 5


@router.get("")
def show_automation(visit: ReaderVisit, days: Annotated[int, Query(ge=1, le=3650)] = 91) -> Response:
    """Show the numbers of the last days."""
    return _automation_page(visit, days)


@router.post("/learn")
def learn(visit: ReviewerVisit, form: Form) -> Response:
    """Have a worker let the assistant learn; nothing changes where a confirmed question would get worse."""
    tasks.ask_for(*visit.acting, "learn", anyway=form.flag("anyway"))
    return visit.done(f"{visit.base}/automation", visit.words.gettext("The assistant will learn."))


def _automation_page(visit: Visit, days: int) -> Response:
    words = visit.words
    report = make_report(*visit.here, now() - timedelta(days=days), now(), current_zone(), weekly=days > SHOWN_DAYS)
    whole, settings = report.whole, find_settings(*visit.here)
    view = View(
        lead=_lead(visit, whole),
        base=f"{visit.base}/automation",
        periods=[(each, f"{visit.base}/automation?days={each}", each == days) for each in DAYS],
        empty=not whole.messages,
        enabled=settings.enabled,
        settings=f"{visit.base}/assistant",
        inbox=f"{visit.base}/inbox",
        waiting=report.waiting,
        tiles=_tiles(visit, report.whole, report.outside, report.visitors, report.asking),
        skipped=[(_skip_title(visit, name), count) for name, count in sorted(whole.skipped.items())],
        counted=whole.counted,
        tables=[
            _table(visit, words.gettext("Week") if days > SHOWN_DAYS else words.gettext("Day"), report.periods),
            _table(visit, words.gettext("Topic"), report.topics[:SHOWN_TOPICS]),
            _table(visit, words.gettext("Language"), report.languages),
        ],
        groups=[
            View(words=group.words, size=len(group.messages), rows=group.messages[:SHOWN_QUESTIONS])
            for group in report.groups[:SHOWN_GROUPS]
        ],
        new=learning.count_new(*visit.here),
        learned=settings.learned,
        tasks=tasks_view(visit, "learn"),
        refused=_refused(visit),
        record=record_rows(visit),
        alarms=[words.said(alarm.text) for alarm in find_alarms(*visit.here)],
        picture=draw_automation(words, report.periods, report.predictions, weekly=days > SHOWN_DAYS),
        predicted=bool(report.predictions),
        may_review=visit.who.may("reviewer"),
    )
    return visit.page("assistant/automation.html", words.gettext("Automation"), view=view)


def _refused(visit: Visit) -> View | None:
    """Return what the last learning would have made worse; None where it was learned."""
    last = next((line.task for line in tasks.list_tasks(*visit.here, "learn", 2) if line.task.finished), None)
    if last is None or "broken" not in last.result:
        return None
    rows = reviewing.find_messages(*visit.here, last.result["broken"])
    return View(texts=[row.text for row in rows], fixed=last.result["fixed"])


def _lead(visit: Visit, whole: Numbers) -> str:
    words, write = visit.words, visit.write
    if whole.few:
        return words.ngettext(
            "%(num)s message counts so far: too few for a rate.",
            "%(num)s messages count so far: too few for a rate.",
            whole.counted,
        )
    answered = write.number(100 * (whole.automated.value or 0))
    if whole.accuracy.value is None:
        return words.gettext("The assistant answered %(share)s of 100 questions at once.", share=answered)
    return words.gettext(
        "The assistant answered %(share)s of 100 questions at once; about %(right)s of 100 answers were right.",
        share=answered,
        right=write.number(100 * whole.accuracy.value),
    )


def _tiles(visit: Visit, whole: Numbers, outside: Rate, visitors: int, asking: int) -> list[Tile]:
    words = visit.words

    def tile(title: str, rate: Rate, meaning: str) -> Tile:
        around = _around(visit, rate)
        return Tile(_share(visit, rate.value), title, around, meaning, unsure=rate.value is None)

    good = Tile(
        _share(visit, whole.good),
        words.gettext("Good automation"),
        meaning=words.gettext("Automation rate times live accuracy."),
        unsure=whole.good is None,
    )
    people = Tile(
        visit.write.number(asking),
        words.gettext("Visitors who asked"),
        words.gettext("of %(all)s who opened the chat", all=visit.write.number(visitors)),
    )
    return [
        tile(
            words.gettext("Automation rate"),
            whole.automated,
            words.gettext("Answered at once, of the messages that count."),
        ),
        tile(
            words.gettext("Live accuracy"),
            whole.accuracy,
            words.gettext("Right answers, estimated from random checks only."),
        ),
        good,
        tile(words.gettext("Confirmed"), whole.confirmed, words.gettext("Of all answers that somebody reviewed.")),
        people,
        tile(words.gettext("Outside working hours"), outside, words.gettext("Before 8, after 18, or at weekends.")),
    ]


def _share(visit: Visit, share: float | None) -> str:
    return visit.words.gettext("n/a") if share is None else f"{visit.write.number(100 * share)} %"


def _rate(visit: Visit, rate: Rate) -> str:
    around = _around(visit, rate)
    return _share(visit, rate.value) + (f" ({around})" if around else "")


def _around(visit: Visit, rate: Rate) -> str:
    if rate.low is None or rate.high is None:
        return ""
    return f"{visit.write.between(100 * rate.low, 100 * rate.high, 0, '')}, n = {visit.write.number(rate.n)}"


def _table(visit: Visit, caption: str, parts: Sequence[Numbers]) -> Table:
    words, write = visit.words, visit.write
    head = (
        caption,
        words.gettext("Messages"),
        words.gettext("Counted"),
        words.gettext("Automation rate"),
        words.gettext("Confirmed"),
        words.gettext("Live accuracy"),
    )
    rows = [
        (
            part.name,
            write.number(part.messages),
            write.number(part.counted),
            *(
                words.gettext("too few to tell") if part.few else _rate(visit, rate)
                for rate in (part.automated, part.confirmed, part.accuracy)
            ),
        )
        for part in parts
    ]
    return make_table(caption, head, rows, 5)


def _skip_title(visit: Visit, name: str) -> str:
    words = visit.words
    titles = {
        "general": words.gettext("general intents"),
        "flow": words.gettext("job search"),
        "button": words.gettext("buttons"),
        "repeated": words.gettext("repeated"),
    }
    return titles.get(name, name)
