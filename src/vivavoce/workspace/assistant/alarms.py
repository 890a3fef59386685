"""Alarms of an assistant: visitors wait, it answers less or worse than it should or did before, the inbox grows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from vivavoce.kept import Kept
from vivavoce.messages import Message, say, say_count
from vivavoce.store.database import Store
from vivavoce.store.rows import AssistantRow, MessageRow, NoticeRow, Project
from vivavoce.store.stamps import new_id, now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.assistant.discussing import list_reviewers
from vivavoce.workspace.assistant.numbers import Numbers, count_numbers, last_verdicts
from vivavoce.workspace.assistant.settings import get_settings
from vivavoce.workspace.exams.comparing import difference_of

WEEK = timedelta(days=7)
# What a week is held against.
BEFORE = timedelta(days=28)
# Fewer random checks say nothing of the accuracy, and a shorter inbox does not grow.
MIN_CHECKS, MIN_WAITING = 20, 30
KEPT_SECONDS = 300
KIND = "alarm:"


@dataclass(frozen=True, slots=True)
class Alarm:
    """What needs somebody's attention: `name` stays the same from day to day; `message_id` is an example of it."""

    name: str
    text: Message
    message_id: str


_FOUND: Kept[tuple[Alarm, ...]] = Kept(32)


def find_alarms(store: Store, project: Project) -> tuple[Alarm, ...]:
    """Return the alarms of a project; none where its assistant is switched off. They are kept for some minutes."""
    with store.reading() as tx:
        settings = get_settings(tx, project)
        if not settings.enabled:
            return ()
        minutes = int(now().timestamp() // KEPT_SECONDS)
        waiting = tx.messages.count_waiting(project.id)
        key = (store.address, project.id, settings.build, minutes, waiting)
        return _FOUND.get(key, lambda: tuple(_find(tx, project, settings)))


def _find(tx: Transaction, project: Project, settings: AssistantRow) -> Iterator[Alarm]:
    at = now()
    rows = tx.messages.between(project.id, at - WEEK - BEFORE, at)
    verdicts = last_verdicts(tx, rows)
    week = [row for row in rows if row.created >= at - WEEK]
    waiting = tx.messages.waiting(project.id, limit=None)
    late = at - timedelta(hours=settings.unanswered_hours)
    unanswered = [row for row in waiting if row.waiting == "handed_over" and row.created < late]
    if settings.unanswered_hours and unanswered:
        text = say_count(
            len(unanswered),
            "{n} visitor has waited more than {hours} hours for a person.",
            "{n} visitors have waited more than {hours} hours for a person.",
            hours=settings.unanswered_hours,
        )
        yield Alarm("unanswered", text, min(unanswered, key=lambda row: row.created).id)
    new = [row for row in waiting if row.created >= at - WEEK]
    reviewed = len(tx.reviews.since(project.id, at - WEEK))
    if len(waiting) >= MIN_WAITING and len(new) > reviewed:
        text = say(
            "The inbox is growing: {new:,} new messages, only {reviewed:,} reviews in 7 days; {waiting:,} waiting.",
            new=len(new),
            reviewed=reviewed,
            waiting=len(waiting),
        )
        yield Alarm("inbox", text, waiting[0].id)
    if week:
        parts = (week, rows[: len(rows) - len(week)])
        numbers, earlier = (count_numbers("", part, verdicts) for part in parts)
        yield from _find_falls(numbers, earlier, settings, week)


def _find_falls(
    week: Numbers, before: Numbers, settings: AssistantRow, rows: Sequence[MessageRow]
) -> Iterator[Alarm]:
    """Yield what is below its limit, or else fell by more than chance."""
    for name in ("automation", "accuracy"):
        is_accuracy = name == "accuracy"
        rate, earlier = (numbers.accuracy if is_accuracy else numbers.automated for numbers in (week, before))
        least = 1 - (settings.most_wrong or 1) if is_accuracy else settings.least_automated or 0
        if rate.value is None or rate.high is None or (rate.n < MIN_CHECKS if is_accuracy else week.few):
            continue
        gap = difference_of(earlier, rate)
        if rate.high < least:
            yield Alarm(name, _describe_low(rate.value, least, is_accuracy=is_accuracy), rows[-1].id)
        elif earlier.value is not None and gap.high is not None and gap.high < 0:
            yield Alarm(name, _describe_fall(earlier.value, rate.value, is_accuracy=is_accuracy), rows[-1].id)


def _describe_low(value: float, least: float, *, is_accuracy: bool) -> Message:
    if is_accuracy:
        return say(
            "In 7 days {value:.0%} of the answers were right, less than {least:.0%}.", value=value, least=least
        )
    return say(
        "In 7 days the assistant answered {value:.0%} of the questions at once, less than {least:.0%}.",
        value=value,
        least=least,
    )


def _describe_fall(before: float, after: float, *, is_accuracy: bool) -> Message:
    if is_accuracy:
        return say(
            "The live accuracy fell from {before:.0%} to {after:.0%} in 7 days, by more than chance.",
            before=before,
            after=after,
        )
    return say(
        "The automation rate fell from {before:.0%} to {after:.0%} in 7 days, by more than chance.",
        before=before,
        after=after,
    )


def give_notice(store: Store, project: Project) -> int:
    """Tell everybody who may review of alarms that they were not told of in the last week; return how many."""
    alarms = find_alarms(store, project)
    people = list_reviewers(store)
    count = 0
    with store.writing() as tx:
        for alarm in alarms:
            for user in people:
                if not tx.notices.has_since(user.id, project.id, KIND + alarm.name, now() - WEEK):
                    kind = KIND + alarm.name
                    tx.notices.add(
                        NoticeRow(new_id(), project.id, alarm.message_id, user.id, None, kind, now(), None)
                    )
                    count += 1
    return count
