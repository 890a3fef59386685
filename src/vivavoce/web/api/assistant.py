"""The assistant for staff: its inbox, replies to visitors, and its numbers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field

from vivavoce.records import Rate
from vivavoce.store.rows import MessageRow, ReviewRow
from vivavoce.store.stamps import now
from vivavoce.web.api.bodies import Body, Id, Limit, Listed, Moment, Offset, Place, Text, build, make_list, to_utc
from vivavoce.web.local_time import current_zone
from vivavoce.web.visits import EditorVisit, ReaderVisit, ReviewerVisit
from vivavoce.workspace.assistant import discussing, privacy, reviewing, tasks
from vivavoce.workspace.assistant.alarms import find_alarms
from vivavoce.workspace.assistant.discussing import Comment
from vivavoce.workspace.assistant.numbers import Numbers, make_report
from vivavoce.workspace.assistant.reviewing import Verdict

router = APIRouter(tags=["assistant"], prefix="/projects/{slug}/assistant")
USUAL_DAYS = 28
MessageId = Annotated[Id, Path(description="The id of a message.")]


class CandidateBody(BaseModel):
    """A guess of the assistant."""

    intent: str
    confidence: float


class MessageBody(BaseModel):
    """A visitor's message with its answer, or (`author` person) a reply of staff.

    `waiting`: why it waits in the inbox, empty where it does not. `skipped`: why it does not count for the automation
    rate. `drawn`: a random check, with the probability `chance`.
    """

    id: str
    created: datetime
    author: str
    text: str
    language: str
    stage: str
    intent: str | None
    confidence: float | None
    candidates: list[CandidateBody]
    texts: list[str]
    hand_over: str
    waiting: str
    skipped: str
    drawn: bool
    chance: float

    @classmethod
    def of(cls, row: MessageRow) -> MessageBody:
        """Return a message as programs read it."""
        guesses = [CandidateBody(intent=each["intent"], confidence=each["confidence"]) for each in row.candidates]
        return build(cls, row, candidates=guesses, texts=list(row.reply.get("texts", ())))


class CommentBody(BaseModel):
    """What one of the staff wrote about a message."""

    id: str
    author: str
    text: str
    created: datetime

    @classmethod
    def of(cls, comment: Comment) -> CommentBody:
        """Return a comment as programs read it."""
        return build(cls, comment.row, author=comment.author)


class CardBody(BaseModel):
    """A message with what was said around it, what people made of it, and who looks after the talk."""

    message: MessageBody
    before: list[MessageBody]
    after: list[MessageBody]
    reviews: list[ReviewRow]
    comments: list[CommentBody]
    assigned: str


class NewReview(Body):
    """What to make of an answer: `wrong` needs the id of the right `topic`, `new_topic` the `name` of a new one."""

    verdict: Verdict
    topic: Annotated[Text, Field(max_length=64)] = ""
    name: Annotated[Text, Field(max_length=200)] = ""


class NewText(Body):
    """A reply or a comment."""

    text: Annotated[Text, Field(min_length=1, max_length=reviewing.MAX_REPLY)]


class NewAssignment(Body):
    """Who looks after the talk: the id of a person; null: nobody."""

    person: Id | None


class NumbersBody(BaseModel):
    """The numbers of a stretch of time or of a part of its messages; a rate needs 30 messages to mean anything."""

    name: str
    messages: int
    counted: int
    skipped: dict[str, int]
    automated: Rate
    confirmed: Rate
    accuracy: Rate
    good: float | None
    handed_over: int

    @classmethod
    def of(cls, numbers: Numbers) -> NumbersBody:
        """Return numbers as programs read them."""
        return build(cls, numbers)


class PredictionBody(BaseModel):
    """The automation rate that an exam predicted."""

    at: datetime
    rate: Rate


class ReportBody(BaseModel):
    """All numbers of a stretch of time.

    `visitors` opened the chat, `asking` of them wrote; `outside`: the share of messages outside working hours.
    """

    since: datetime
    until: datetime
    whole: NumbersBody
    periods: list[NumbersBody]
    topics: list[NumbersBody]
    languages: list[NumbersBody]
    visitors: int
    asking: int
    outside: Rate
    waiting: int
    predictions: list[PredictionBody]
    alarms: list[str]


@router.get("/inbox")
def list_inbox(
    visit: ReaderVisit, order: Literal["useful", "newest"] = "useful", limit: Limit = 50, offset: Offset = 0
) -> Listed[MessageBody]:
    """List what waits for a person: the most useful first, every fifth a random check; or the newest first."""
    inbox = reviewing.show_inbox(visit.store, visit.actor, visit.project, newest=order == "newest")
    return make_list(map(MessageBody.of, inbox.waiting[offset : offset + limit]), inbox.total)


@router.get("/messages/{message_id}")
def show_inbox_message(visit: ReaderVisit, message_id: MessageId) -> CardBody:
    """Get a message with what was said around it; an opinion is not shown before your own."""
    card = reviewing.show_card(*visit.here, message_id)
    is_open = card.message.waiting and all(row.user_id != visit.actor.user_id for row in card.reviews)
    return CardBody(
        message=MessageBody.of(card.message),
        before=[MessageBody.of(row) for row in card.before],
        after=[MessageBody.of(row) for row in card.after],
        reviews=[] if is_open else list(card.reviews),
        comments=[CommentBody.of(each) for each in discussing.list_comments(*visit.here, message_id)],
        assigned=card.assigned,
    )


@router.post("/messages/{message_id}/reviews", status_code=201)
def add_review(visit: ReviewerVisit, place: Place, message_id: MessageId, body: NewReview) -> ReviewRow:
    """Judge an answer; unless nobody can tell, the message becomes an example. A new topic needs an editor."""
    row = reviewing.review(*visit.acting, message_id, body.verdict, topic_id=body.topic, name=body.name)
    return place(row, "assistant", "messages", message_id)


@router.post("/reviews/{review_id}/undo")
def undo_review(visit: ReviewerVisit, review_id: Id) -> ReviewRow:
    """Take a review back, with the example that came of it."""
    return reviewing.undo_review(*visit.acting, review_id)


@router.post("/messages/{message_id}/replies", status_code=201)
def add_reply(visit: ReviewerVisit, place: Place, message_id: MessageId, body: NewText) -> MessageBody:
    """Reply to the visitor in the chat, and by mail if they are gone and left an address."""
    row = reviewing.reply_to_visitor(*visit.acting, message_id, body.text)
    return place(MessageBody.of(row), "assistant", "messages", message_id)


@router.post("/messages/{message_id}/comments", status_code=201)
def add_comment(visit: ReviewerVisit, place: Place, message_id: MessageId, body: NewText) -> CommentBody:
    """Write a comment that visitors do not see."""
    row = discussing.comment(*visit.acting, message_id, body.text)
    return place(build(CommentBody, row, author=visit.actor.name), "assistant", "messages", message_id)


@router.put("/messages/{message_id}/assigned")
def change_assignment(visit: ReviewerVisit, message_id: MessageId, body: NewAssignment) -> CardBody:
    """Say who looks after the talk of a message; they get a notice."""
    discussing.assign(*visit.acting, message_id, body.person)
    return show_inbox_message(visit, message_id)


@router.get("/messages/{message_id}/visitor")
def show_visitor(visit: ReviewerVisit, message_id: MessageId) -> dict[str, Any]:
    """Get all that is kept of the visitor who wrote a message, as they can get it themselves."""
    return privacy.export_visitor(*visit.here, reviewing.show_card(*visit.here, message_id).visitor.id)


@router.delete("/messages/{message_id}/visitor", status_code=204)
def delete_visitor(visit: EditorVisit, message_id: MessageId) -> None:
    """Delete all that is kept of the visitor who wrote a message; examples that were made of messages stay."""
    visitor = reviewing.show_card(*visit.here, message_id).visitor
    privacy.delete_visitor(*visit.here, visitor.id, visit.actor)


@router.get("/numbers")
def show_assistant_numbers(
    visit: ReaderVisit,
    since: Annotated[Moment | None, Query(description="Default: 28 days before `until`.")] = None,
    until: Annotated[Moment | None, Query(description="Default: now.")] = None,
    by: Literal["day", "week"] = "day",
) -> ReportBody:
    """Get what the assistant answers at once and how often that is right, by time, topic and language."""
    end = to_utc(until) if until else now()
    usual = min(timedelta(days=USUAL_DAYS), end - datetime.min.replace(tzinfo=UTC))
    begin = to_utc(since) if since else end - usual
    report = make_report(*visit.here, begin, end, current_zone(), weekly=by == "week")
    parts = {
        name: [NumbersBody.of(part) for part in getattr(report, name)] for name in ("periods", "topics", "languages")
    }
    return build(
        ReportBody,
        report,
        whole=NumbersBody.of(report.whole),
        predictions=[build(PredictionBody, each) for each in report.predictions],
        alarms=[str(alarm.text) for alarm in find_alarms(*visit.here)],
        **parts,
    )


@router.post("/learn", status_code=201)
def start_learning(visit: ReviewerVisit, place: Place) -> Listed[str]:
    """Have a worker let the assistant learn; returns the kinds of tasks that are in progress or planned."""
    tasks.ask_for(*visit.acting, "learn")
    open_kinds = (line.task.kind for line in tasks.list_tasks(*visit.here) if line.task.finished is None)
    return place(make_list(open_kinds), "assistant", "numbers")
