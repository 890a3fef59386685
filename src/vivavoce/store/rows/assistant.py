"""What a project's assistant keeps: its settings, visitors and talks, reviews, openings, subscriptions, mail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from vivavoce.store.columns import Id, Name, ProjectId, Reference, Short, Translated, UserId, Word

VisitorId = Annotated[str, Reference("visitors")]
TalkId = Annotated[str, Reference("talks")]
MessageId = Annotated[str, Reference("messages")]


@dataclass(frozen=True, slots=True)
class AssistantRow:
    """The settings of a project's assistant.

    `origins`: the sites that may embed the chat. `random_share`: how many of the countable messages are drawn for a
    random check. `feed`: the address of the openings. `build` counts up whenever the assistant has learned or its
    settings changed: servers then load it anew. `learn_hours`, `feed_hours`: how often a worker lets it learn and
    renews the openings, 0: never. The others are limits of alarms, None or 0: no alarm.
    """

    project_id: ProjectId
    enabled: bool
    languages: tuple[str, ...]
    stages: tuple[str, ...]
    general_threshold: float
    faq_threshold: float
    choice_threshold: float
    random_share: float
    consent: str
    origins: tuple[str, ...]
    retention_days: int
    feed: str
    build: int
    learned: datetime | None
    changed: datetime
    learn_hours: int
    feed_hours: int
    unanswered_hours: int
    least_automated: float | None
    most_wrong: float | None


@dataclass(frozen=True, slots=True)
class VisitorRow:
    """A visitor: known by a random key only. `address` is empty unless they leave one for a reply."""

    id: Id
    project_id: ProjectId
    address: str
    created: datetime
    seen: datetime


@dataclass(frozen=True, slots=True)
class TalkRow:
    """A talk of a visitor. `state`: what the assistant remembers. `assigned`: who looks after it."""

    id: Id
    project_id: ProjectId
    visitor_id: VisitorId
    state: Mapping[str, Any]
    language: Short
    assigned: UserId | None
    size: int
    created: datetime
    seen: datetime


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A visitor's message with what was answered, or (`author` person) a reply of staff.

    `key`: the client's id of the message, so that one sent twice is answered once. `skipped`: why it does not count
    for the automation rate, empty where it counts. `drawn`: it was drawn for a random check, with the probability
    `chance`. `waiting`: why it waits in the inbox, empty where it does not; `gain`: how much a review is worth.
    """

    id: Id
    project_id: ProjectId
    talk_id: TalkId
    number: int
    key: Annotated[str, Word(64)]
    author: Short
    user_id: UserId | None
    text: str
    language: Short
    stage: Short
    intent: Name | None
    confidence: float | None
    candidates: tuple[Mapping[str, Any], ...]
    reply: Mapping[str, Any]
    hand_over: Short
    skipped: Short
    drawn: bool
    chance: float
    waiting: Short
    gain: float
    build: int
    created: datetime


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """What somebody made of an answer: `verdict` is right, wrong, new_topic, unsure, not_ours or replied.

    `topic`: what it should have been. `edit_id`: the edit that made the message an example. `undone`: taken back.
    """

    id: Id
    project_id: ProjectId
    message_id: MessageId
    user_id: UserId | None
    verdict: Short
    topic: Name | None
    why: Short
    edit_id: Short | None
    created: datetime
    undone: datetime | None


@dataclass(frozen=True, slots=True)
class OpeningRow:
    """An opening; `ref` is its id in the feed, `tokens` are its words for the full-text search."""

    id: Id
    project_id: ProjectId
    ref: Short
    title: str
    profession: str
    place: str
    country: Short
    language: Short
    department: str
    contract: str
    description: str
    url: str
    posted: Short
    tokens: str


@dataclass(frozen=True, slots=True)
class SubscriptionRow:
    """Mail about new openings; `confirmed` None: the first mail's link is not used yet. `told`: the last mail."""

    id: Id
    project_id: ProjectId
    visitor_id: Annotated[str, Reference("visitors")] | None
    address: Short
    profession: str
    place: str
    language: Short
    created: datetime
    confirmed: datetime | None
    ended: datetime | None
    told: datetime | None


@dataclass(frozen=True, slots=True)
class MailRow:
    """A mail: `sent` None: it waits for the mail server, or for somebody to send it by hand (`error` says why)."""

    id: Id
    project_id: ProjectId
    visitor_id: Annotated[str, Reference("visitors")] | None
    address: Short
    subject: str
    body: str
    unsubscribe: str
    created: datetime
    next_at: datetime
    attempts: int
    sent: datetime | None
    error: str


@dataclass(frozen=True, slots=True)
class CommentRow:
    """What one of the staff wrote about a message, for the others; visitors never see it."""

    id: Id
    project_id: ProjectId
    message_id: MessageId
    user_id: UserId | None
    text: str
    created: datetime


@dataclass(frozen=True, slots=True)
class NoticeRow:
    """What somebody is told about a message: `kind` is assigned, comment or answered; `author`: who did it.

    Of an alarm (`alarm:NAME`), which nobody made, the message is an example.
    """

    id: Id
    project_id: ProjectId
    message_id: MessageId
    user_id: UserId
    author: UserId | None
    kind: Short
    created: datetime
    seen: datetime | None


class TaskState(StrEnum):
    """How far a task is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class TaskRow:
    """What a worker does for an assistant: `kind` is learn, mail, feed, forget or watch. What is over is the record.

    `user_id`: who asked for it, None: it was due. `due`: not before. `lease_until`: a worker has it until then.
    `outcome`: what came of it; of a task that waits, why the last attempt failed.
    """

    id: Id
    project_id: ProjectId
    kind: Short
    user_id: UserId | None
    options: Mapping[str, Any]
    state: TaskState
    due: datetime
    attempts: int
    worker: Short | None
    lease_until: datetime | None
    created: datetime
    started: datetime | None
    finished: datetime | None
    outcome: Translated
    result: Mapping[str, Any]
