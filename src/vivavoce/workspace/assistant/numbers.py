"""The numbers of an assistant: what it answers at once, and how often that is right."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

import numpy as np

from vivavoce.records import Rate
from vivavoce.statistics import bounded_rate, ratio_spread, wilson
from vivavoce.store.database import Store
from vivavoce.store.rows import MessageRow, Project, ReviewRow, RunState
from vivavoce.store.transaction import Transaction
from vivavoce.text.words import words
from vivavoce.workspace.exams.verdicts import main_scope

# Fewer messages show their counts only.
ENOUGH = 30
OPENS, CLOSES = 8, 18
WORKDAYS = 5
GROUP_WORDS = 2
TELLING = 5


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of a stretch of time, or of a part of its messages.

    `automated`: answered at once, of the messages that count. `confirmed`: of all answers that were reviewed, those
    that were right. `accuracy`: the same for all answers, estimated from random checks by their probabilities.
    `good`: automated times accuracy.
    """

    name: str
    messages: int
    skipped: dict[str, int]
    automated: Rate
    confirmed: Rate
    accuracy: Rate
    good: float | None
    handed_over: int

    @property
    def counted(self) -> int:
        """How many messages count for the automation rate."""
        return self.automated.n

    @property
    def few(self) -> bool:
        """Whether there are too few messages for a share."""
        return self.counted < ENOUGH


@dataclass(frozen=True, slots=True)
class Group:
    """New questions with words in common, the largest group first."""

    words: str
    messages: tuple[MessageRow, ...]


@dataclass(frozen=True, slots=True)
class Prediction:
    """The automation rate that an exam of topics predicted, in its first setting."""

    at: datetime
    rate: Rate


@dataclass(frozen=True, slots=True)
class Report:
    """All numbers of a stretch of time; `periods` are days or weeks."""

    since: datetime
    until: datetime
    whole: Numbers
    periods: tuple[Numbers, ...]
    topics: tuple[Numbers, ...]
    languages: tuple[Numbers, ...]
    visitors: int
    asking: int
    outside: Rate
    groups: tuple[Group, ...]
    waiting: int
    predictions: tuple[Prediction, ...]


def make_report(
    store: Store, project: Project, since: datetime, until: datetime, zone: tzinfo, *, weekly: bool = True
) -> Report:
    """Return the numbers of a project from a moment to another; days and weeks are those of a time zone."""
    with store.reading() as tx:
        rows = tx.messages.between(project.id, since, until)
        reviews = last_verdicts(tx, rows)
        visitors = tx.visitors.count(project.id, since, until)
        asking = tx.talks.asking(project.id, since, until)
        waiting = tx.messages.count_waiting(project.id)
        predictions = tuple(_list_predictions(tx, project, since))

    def day_of(row: MessageRow) -> str:
        day = row.created.astimezone(zone).date()
        return (day - timedelta(days=day.weekday()) if weekly else day).isoformat()

    free = [row for row in rows if row.skipped != "button"]
    # Under the likeliest topic, whether it was sure enough or not.
    topical = [row for row in rows if not row.skipped and row.candidates]
    outside = sum(_is_outside(row.created.astimezone(zone)) for row in free)
    return Report(
        since,
        until,
        count_numbers("", rows, reviews),
        _split(rows, reviews, day_of),
        tuple(
            sorted(_split(topical, reviews, lambda row: row.candidates[0]["intent"]), key=lambda part: -part.counted)
        ),
        _split(rows, reviews, lambda row: row.language),
        visitors,
        asking,
        wilson(outside, len(free)),
        group_new(rows, reviews),
        waiting,
        predictions,
    )


def _list_predictions(tx: Transaction, project: Project, since: datetime) -> Iterator[Prediction]:
    newest = next(iter(tx.runs.page(project.id, "intents", states={RunState.DONE}, limit=1)), None)
    if newest is not None:
        scope = main_scope(newest)
        for point in tx.measures.series(project.id, "intents", scope=scope, name="automation_rate", since=since):
            if point.value is not None:
                yield Prediction(point.at, point.rate)


def last_verdicts(tx: Transaction, rows: Sequence[MessageRow]) -> dict[str, ReviewRow]:
    """Return the last review of each message that says whether its answer was right."""
    known = tx.reviews.of_messages([row.id for row in rows])
    return {
        message_id: judged[-1]
        for message_id, reviews in known.items()
        if (judged := [review for review in reviews if review.verdict != "unsure"])
    }


def is_automated(row: MessageRow) -> bool:
    """Tell whether a message was answered at once."""
    return not row.skipped and not row.hand_over and row.intent is not None


def count_numbers(name: str, rows: Sequence[MessageRow], reviews: dict[str, ReviewRow]) -> Numbers:
    """Return the numbers of some messages."""
    counted = [row for row in rows if not row.skipped]
    answered = [row for row in counted if is_automated(row)]
    judged = [(row, reviews[row.id].verdict == "right") for row in answered if row.id in reviews]
    drawn = [(right, row.chance) for row, right in judged if row.drawn]
    automated = wilson(len(answered), len(counted))
    accuracy = estimate(drawn)
    return Numbers(
        name=name,
        messages=len(rows),
        skipped=dict(Counter(row.skipped for row in rows if row.skipped)),
        automated=automated,
        confirmed=wilson(sum(right for _, right in judged), len(judged)),
        accuracy=accuracy,
        good=None if automated.value is None or accuracy.value is None else automated.value * accuracy.value,
        handed_over=sum(bool(row.hand_over) for row in rows),
    )


def estimate(drawn: Sequence[tuple[bool, float]]) -> Rate:
    """Return the share of right answers in all, from a sample whose members were drawn with known probabilities.

    Hájek's estimate: each counts for as many as it stands for, one by its probability.
    """
    if not drawn:
        return Rate(None, None, None, 0)
    weights = np.array([1 / chance for _, chance in drawn])
    hits = weights * np.array([right for right, _ in drawn])
    return bounded_rate(float(hits.sum() / weights.sum()), ratio_spread(hits, weights), len(drawn))


def _split(
    rows: Sequence[MessageRow], reviews: dict[str, ReviewRow], name_of: Callable[[MessageRow], str]
) -> tuple[Numbers, ...]:
    parts: dict[str, list[MessageRow]] = defaultdict(list)
    for row in rows:
        parts[name_of(row)].append(row)
    return tuple(count_numbers(name, parts[name], reviews) for name in sorted(parts))


def _is_outside(at: datetime) -> bool:
    return at.weekday() >= WORKDAYS or not OPENS <= at.hour < CLOSES


def group_new(rows: Sequence[MessageRow], reviews: dict[str, ReviewRow]) -> tuple[Group, ...]:
    """Return the questions without an answer in groups by the word that most of them share."""
    open_rows = [row for row in rows if not row.skipped and row.hand_over and row.id not in reviews]
    by_word: dict[str, list[MessageRow]] = defaultdict(list)
    for row in open_rows:
        for word in set(words(row.text, row.language)):
            # Short words of these languages say nothing of the subject; Chinese ones do.
            if len(word) >= TELLING or not word.isascii():
                by_word[word].append(row)
    groups: list[Group] = []
    seen: set[str] = set()
    for word, members in sorted(by_word.items(), key=lambda item: (-len(item[1]), item[0])):
        own = tuple(row for row in members if row.id not in seen)
        if len(own) >= GROUP_WORDS:
            seen.update(row.id for row in own)
            groups.append(Group(word, own))
    rest = tuple(row for row in open_rows if row.id not in seen)
    return (*groups, *([Group("", rest)] if rest else []))
