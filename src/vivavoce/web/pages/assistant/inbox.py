"""The inbox: answers to judge one after the other, by mouse or by keys, and visitors who wait for a person."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import APIRouter, Query
from starlette.responses import JSONResponse, Response

from vivavoce.errors import InputError, UsageError
from vivavoce.messages import say
from vivavoce.store.rows import MessageRow
from vivavoce.web.failures import status_of
from vivavoce.web.forms import Fields, Form
from vivavoce.web.language import gettext_noop
from vivavoce.web.parts import Choice, Field
from vivavoce.web.rendering import View
from vivavoce.web.visits import ReaderVisit, ReviewerVisit, Visit
from vivavoce.workspace.assistant import discussing, privacy, reviewing
from vivavoce.workspace.assistant.alarms import find_alarms
from vivavoce.workspace.assistant.discussing import Notice
from vivavoce.workspace.assistant.reviewing import Card, Verdict

router = APIRouter(prefix="/p/{slug}/inbox")
SHOWN = 12
SECONDS_EACH = 25
WHY = {
    "handed_over": gettext_noop("handed over"),
    "unsure": gettext_noop("unsure"),
    "random": gettext_noop("random check"),
    "disagreement": gettext_noop("two people disagree"),
    "second_opinion": gettext_noop("second opinion"),
}
MEANINGS = {
    "handed_over": gettext_noop("The bot had no sure answer and asked for a person. A topic teaches it one."),
    "unsure": gettext_noop("The bot was hardly sure. Your answer teaches it more than most others."),
    "random": gettext_noop("A random check: these keep the live accuracy honest, so please judge all of them."),
    "disagreement": gettext_noop("Two people judged this differently. Your opinion decides."),
    "second_opinion": gettext_noop("Someone asked for a second opinion. You do not see the first."),
}
NOTICES = {
    "assigned": gettext_noop("%(name)s assigned a talk to you"),
    "comment": gettext_noop("%(name)s commented"),
    "answered": gettext_noop("%(name)s replied to a visitor of yours"),
    "alarm": gettext_noop("The assistant needs attention"),
}
TITLES = {
    "right": gettext_noop("confirmed"),
    "wrong": gettext_noop("corrected"),
    "new_topic": gettext_noop("new topic"),
    "unsure": gettext_noop("can’t tell"),
    "not_ours": gettext_noop("not for us"),
}


@router.get("")
def show_inbox(
    visit: ReaderVisit, message: Annotated[str, Query()] = "", order: Annotated[str, Query()] = ""
) -> Response:
    """Show what waits, and one message of it."""
    return _inbox_page(visit, message, order)


@router.post("/undo/{review_id}")
def undo(visit: ReviewerVisit, review_id: str) -> Response:
    """Take a review back."""
    row = reviewing.undo_review(*visit.acting, review_id)
    return visit.done(f"{visit.base}/inbox?message={row.message_id}", visit.words.gettext("Review undone."))


@router.get("/{message_id}/visitor")
def export_visitor(visit: ReviewerVisit, message_id: str) -> Response:
    """Give out all that is kept of the visitor who wrote a message."""
    visitor = reviewing.show_card(*visit.here, message_id).visitor
    headers = {"Content-Disposition": f'attachment; filename="visitor-{visitor.id}.json"'}
    return JSONResponse(privacy.export_visitor(*visit.here, visitor.id), headers=headers)


@router.post("/seen")
def mark_seen(visit: ReviewerVisit) -> Response:
    """Put the notices away."""
    discussing.mark_seen(*visit.acting)
    return visit.done(f"{visit.base}/inbox", visit.words.gettext("Notices marked as read."))


@router.post("/{message_id}")
def act(visit: ReviewerVisit, message_id: str, form: Form) -> Response:
    """Do with a message what a button says."""
    try:
        return _act(visit, message_id, form)
    except InputError as error:
        return _inbox_page(visit, message_id, form.text("order"), error)


def _act(visit: Visit, message_id: str, form: Fields) -> Response:
    words, order = visit.words, form.text("order")
    back = f"{visit.base}/inbox" + ("?order=newest" if order == "newest" else "")
    stay = f"{visit.base}/inbox?message={message_id}"
    match form.text("do"):
        case "reply":
            reviewing.reply_to_visitor(*visit.acting, message_id, form.text("reply"))
            return visit.done(stay, words.gettext("Your reply is sent. What was the question about?"))
        case "assign":
            discussing.assign(*visit.acting, message_id, form.text("assigned") or None)
            return visit.done(stay, words.gettext("Saved who looks after the talk."))
        case "comment":
            discussing.comment(*visit.acting, message_id, form.text("comment"))
            return visit.done(stay, words.gettext("Comment added."))
        case "forget":
            visitor = reviewing.show_card(*visit.here, message_id).visitor
            privacy.delete_visitor(*visit.here, visitor.id, visit.actor)
            return visit.done(back, words.gettext("All data of the visitor are deleted."))
        case "second":
            reviewing.ask_again(*visit.acting, message_id)
            return visit.done(back, words.gettext("Someone else will be asked."))
        case "topic":
            verdict, topic_id = "wrong", form.text("topic")
        case other:
            verdict, _, topic_id = other.partition(":")
    if verdict == "wrong" and not topic_id:
        raise UsageError(say("no topic selected"), where="topic", remedy=say("choose a topic"))
    name = form.text("name")
    row = reviewing.review(*visit.acting, message_id, cast("Verdict", verdict), topic_id=topic_id, name=name)
    text = words.gettext(TITLES[row.verdict]).capitalize() + (f": {row.topic}." if row.topic else ".")
    return visit.done(back, text, undo=f"{visit.base}/inbox/undo/{row.id}")


def _inbox_page(visit: Visit, message_id: str, order: str, error: InputError | None = None) -> Response:
    words, newest = visit.words, order == "newest"
    inbox = reviewing.show_inbox(visit.store, visit.actor, visit.project, newest=newest)
    first = message_id or (inbox.waiting[0].id if inbox.waiting else "")
    card = reviewing.show_card(*visit.here, first) if first else None
    minutes = max(1, round(inbox.total * SECONDS_EACH / 60))
    lead = words.gettext("Nothing to review.")
    if inbox.total:
        lead = words.ngettext(
            "%(num)s answer to review, about %(minutes)s min.",
            "%(num)s answers to review, about %(minutes)s min.",
            inbox.total,
            minutes=visit.write.number(minutes),
        )
    counts = {title: sum(row.verdict == verdict for row in inbox.done) for verdict, title in TITLES.items()}
    view = View(
        lead=lead,
        base=f"{visit.base}/inbox",
        newest=newest,
        queue=[_queue_row(visit, row, row.id == first, newest) for row in inbox.waiting[:SHOWN]],
        card=_card_view(visit, card) if card else None,
        done=len(inbox.done),
        total=inbox.total + len(inbox.done),
        counts=[(words.gettext(title), count) for title, count in counts.items() if count],
        undo=f"{visit.base}/inbox/undo/{inbox.done[0].id}" if inbox.done else "",
        may_review=visit.who.may("reviewer"),
        may_edit=visit.who.may("editor"),
        order=order,
        settings=f"{visit.base}/assistant",
        error=error,
        alarms=[visit.words.said(alarm.text) for alarm in find_alarms(*visit.here)],
        notices=[_notice_view(visit, notice) for notice in discussing.list_notices(*visit.acting)],
    )
    status = status_of(error) if error else 200
    return visit.page("assistant/inbox.html", words.gettext("Inbox"), view=view, status=status)


def _notice_view(visit: Visit, notice: Notice) -> View:
    template = NOTICES[notice.row.kind.partition(":")[0]]
    text = visit.words.gettext(template, name=notice.author)
    href = f"{visit.base}/inbox?message={notice.row.message_id}"
    return View(text=text, question=notice.text, at=notice.row.created, href=href)


def _queue_row(visit: Visit, row: MessageRow, current: bool, newest: bool) -> View:
    why = visit.words.gettext(WHY.get(row.waiting, row.waiting))
    href = f"{visit.base}/inbox?message={row.id}" + ("&order=newest" if newest else "")
    return View(text=row.text, why=why, at=row.created, href=href, current=current)


def _card_view(visit: Visit, card: Card) -> View:
    words, message = visit.words, card.message
    own = next((row for row in card.reviews if row.user_id == visit.actor.user_id), None)
    given = message.intent if not message.hand_over and message.stage == "faq" else None
    candidates = [
        View(
            key=place,
            name=one["intent"],
            id=card.topics[one["intent"]].id,
            answer=next(iter(card.topics[one["intent"]].answers.values()), ""),
            share=one["confidence"],
            given=one["intent"] == given,
        )
        for place, one in enumerate(message.candidates, 1)
        if one["intent"] in card.topics
    ]
    choices = (Choice("", words.gettext("choose a topic")), *(Choice(t.id, name) for name, t in card.topics.items()))
    return View(
        id=message.id,
        text=message.text,
        at=message.created,
        language=message.language,
        why=words.gettext(WHY.get(message.waiting, "")) if message.waiting else "",
        meaning=words.gettext(MEANINGS[message.waiting]) if message.waiting in MEANINGS else "",
        before=[row.text for row in card.before],
        after=card.after,
        given=given,
        texts=message.reply.get("texts", ()),
        handed_over=bool(message.hand_over),
        candidates=candidates,
        topics=Field("topic", words.gettext("Other topic"), "select", choices=choices, key="o"),
        name=Field("name", words.gettext("New topic"), most=100, key="n"),
        reply=Field("reply", words.gettext("Reply to the visitor"), "textarea", rows=3, most=4000, key="r"),
        by_mail=bool(card.visitor.address),
        assigned=card.assigned,
        people=_people_field(visit, card),
        comments=[
            View(who=each.author, text=each.row.text, at=each.row.created)
            for each in discussing.list_comments(*visit.here, message.id)
        ],
        comment=Field("comment", words.gettext("Comment for your team"), "textarea", rows=2, most=4000, key="m"),
        judged=words.gettext(TITLES.get(own.verdict, "")) if own else "",
        undo=f"{visit.base}/inbox/undo/{own.id}" if own else "",
        waits=bool(message.waiting),
    )


def _people_field(visit: Visit, card: Card) -> Field:
    people = (Choice(user.id, user.name or user.login) for user in discussing.list_reviewers(visit.store))
    choices = (Choice("", visit.words.gettext("nobody")), *people)
    return Field(
        "assigned", visit.words.gettext("Assigned to"), "select", card.talk.assigned or "", choices=choices, key="a"
    )
