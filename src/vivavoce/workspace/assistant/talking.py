"""Talks with visitors: a message is answered, and stored before anybody sees the answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import Any

from vivavoce.assistant import Assistant, Outcome, Stage, State
from vivavoce.codec import to_json
from vivavoce.errors import AbsentError, UsageError, WorkError
from vivavoce.messages import say
from vivavoce.records import Action
from vivavoce.store.cleaning import is_storable
from vivavoce.store.database import Store
from vivavoce.store.rows import AssistantRow, MessageRow, Project, TalkRow, VisitorRow
from vivavoce.store.stamps import new_id, now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.secrets import digest_of, new_secret
from vivavoce.workspace.assistant.building import (
    choose_ready,
    get_assistant,
    load_assistant,
    prepare_beside,
    wait_until_trained,
)
from vivavoce.workspace.assistant.mailing import ask_to_confirm
from vivavoce.workspace.assistant.redaction import redact, redact_state
from vivavoce.workspace.assistant.settings import require_enabled

MAX_LETTERS = 2_000
MAX_MESSAGES = 400
# A visitor who comes back later begins a new talk.
GONE = timedelta(hours=12)
REPEATED = timedelta(minutes=2)
# Answers that were hardly sure enough are drawn twice as often, and wait in the inbox anyway.
HARDLY = 0.15
ATTEMPTS = 5
NOT_COUNTED = {Stage.GENERAL: "general", Stage.FLOW: "flow"}


@dataclass(frozen=True, slots=True)
class OpenTalk:
    """A talk as the chat of a visitor shows it; `key` is the visitor's secret."""

    key: str
    greeting: dict[str, Any]
    messages: tuple[MessageRow, ...]


def open_talk(store: Store, project: Project, key: str = "", language: str = "") -> OpenTalk:
    """Return the talk of a visitor, or begin one: a visitor without a key, or with an unknown one, is new."""
    with store.reading() as tx:
        settings, assistant = _find_assistant(store, tx, project)
        visitor = tx.visitors.find(project.id, digest_of(key)) if key else None
        talk = tx.talks.last(visitor.id) if visitor else None
        messages = tx.messages.of_talk(talk.id) if talk and talk.seen > now() - GONE else ()
    # A greeting needs no classifier, and the visitor needs a while to write.
    prepare_beside(assistant, settings.languages)
    greeting = _show_outcome(assistant.greet(language)) | {"consent": settings.consent}
    return OpenTalk(key if visitor else new_secret().text, greeting, messages)


def answer_message(  # noqa: PLR0917 - all that a client sends
    store: Store,
    project: Project,
    key: str,
    text: str,
    message_key: str,
    language: str = "",
    *,
    patience: float | None = None,
) -> MessageRow:
    """Answer a message of a visitor. One that was sent before (`message_key`) gets the answer that it got then.

    `patience`: how many seconds to wait where the assistant is not trained yet; PreparingError after them.
    """
    if not is_storable(text) or not text.strip() or len(text) > MAX_LETTERS:
        raise UsageError(
            say("a message needs 1 to {most_letters:,} characters", most_letters=MAX_LETTERS),
            remedy=say("change the message"),
        )
    if not (16 <= len(key) <= 100 and 1 <= len(message_key) <= 64):
        raise UsageError(say("the key of the visitor or of the message is missing"), remedy=say("open a talk first"))
    for _ in range(ATTEMPTS):
        with store.reading() as tx:
            settings, newest = _find_assistant(store, tx, project)
            talk = tx.talks.of_key(project.id, digest_of(key))
            known = tx.messages.by_key(talk.id, message_key) if talk else None
        if known is not None:
            return known
        if talk is not None and talk.seen <= now() - GONE:
            talk = None
        if talk is not None and talk.size >= MAX_MESSAGES:
            raise UsageError(say("this talk is too long"), remedy=say("begin a new one later"))
        assistant = choose_ready(newest, (store.address, project.id), settings.languages, patience)
        state = State.from_json(talk.state if talk else {})
        own = assistant.detect_language(state, text, page_language=language)
        wait_until_trained(assistant, (own,), patience)
        outcome = assistant.reply(state, text, page_language=language)
        # Thinking takes longer than writing, and others may write meanwhile. Who was faster in this talk goes first.
        with store.writing() as tx:
            own_talk = talk or _begin_talk(tx, project, key)
            is_next = talk is not None or own_talk.size == 0
            if is_next and tx.talks.go_on(own_talk, redact_state(outcome.state.to_json()), outcome.language):
                return _keep(tx, project, settings, own_talk, message_key, text, outcome)
    raise WorkError(say("the assistant is still answering the last message"), remedy=say("send the message again"))


def list_new(store: Store, project: Project, key: str, after: int) -> tuple[MessageRow, ...]:
    """Return what was said in the talk of a visitor after a message, such as the reply of a person."""
    with store.reading() as tx:
        visitor = tx.visitors.find(project.id, digest_of(key))
        talk = tx.talks.last(visitor.id) if visitor else None
        return tx.messages.of_talk(talk.id, after) if talk else ()


def note_presence(store: Store, project: Project, key: str) -> None:
    """Note that a visitor still has the chat open: a reply then needs no mail."""
    with store.writing() as tx:
        visitor = tx.visitors.find(project.id, digest_of(key))
        if visitor is None:
            raise AbsentError(say("no such talk"), remedy=say("open a talk first"))
        tx.visitors.note(visitor.id, seen=now())


def try_out(store: Store, project: Project, text: str, state: object = None) -> Outcome:
    """Answer a message of staff who try the assistant: nothing is stored or counted."""
    assistant, _ = load_assistant(store, project)
    return assistant.reply(State.from_json(state or {}), text[:MAX_LETTERS])


def _find_assistant(store: Store, tx: Transaction, project: Project) -> tuple[AssistantRow, Assistant]:
    settings = require_enabled(tx, project)
    return settings, get_assistant(store, tx, project, settings)


def _begin_talk(tx: Transaction, project: Project, key: str) -> TalkRow:
    """Begin a talk of a visitor who is new or was away for long, or return the one that began meanwhile."""
    at = now()
    # Two first messages at once are of one visitor, in one talk.
    tx.visitors.lock()
    visitor = tx.visitors.find(project.id, digest_of(key)) or tx.visitors.add(
        VisitorRow(new_id(), project.id, "", at, at), digest_of(key)
    )
    talk = tx.talks.last(visitor.id)
    if talk is None or talk.seen <= at - GONE:
        talk = tx.talks.add(TalkRow(new_id(), project.id, visitor.id, {}, "", None, 0, at, at))
    return talk


def _keep(  # noqa: PLR0917 - all that is stored
    tx: Transaction,
    project: Project,
    settings: AssistantRow,
    talk: TalkRow,
    message_key: str,
    text: str,
    outcome: Outcome,
) -> MessageRow:
    at, message_id = now(), new_id()
    # What follows is stored: without mail addresses, phone numbers and accounts.
    text = redact(text)
    skipped = _skip(tx, talk, text, outcome)
    sure = outcome.confidence or 0.0
    hardly = sure < settings.faq_threshold + HARDLY
    chance = 0.0 if skipped else min(1.0, settings.random_share * (2 if hardly else 1))
    drawn = Random(message_id).random() < chance  # noqa: S311 - a sample, not a secret
    waiting = ""
    if outcome.hand_over and text.strip() and not text.startswith("/none"):
        waiting = "handed_over"
    elif not skipped:
        waiting = "unsure" if hardly else "random" if drawn else ""
    guesses = outcome.faq or outcome.general
    row = MessageRow(
        id=message_id,
        project_id=project.id,
        talk_id=talk.id,
        number=talk.size,
        key=message_key,
        author="visitor",
        user_id=None,
        text=text,
        language=outcome.language,
        stage=str(outcome.stage),
        intent=outcome.intent,
        confidence=outcome.confidence if outcome.intent else (guesses[0].confidence if guesses else None),
        candidates=tuple({"intent": guess.intent, "confidence": round(guess.confidence, 4)} for guess in guesses),
        reply=_show_outcome(outcome),
        hand_over=str(outcome.hand_over or ""),
        skipped=skipped,
        drawn=drawn,
        chance=chance,
        waiting=waiting,
        gain=expected_gain(outcome),
        build=settings.build,
        created=at,
    )
    tx.messages.add(row)
    tx.visitors.note(talk.visitor_id, seen=at)
    _carry_out(tx, project, talk, outcome.actions)
    return row


def _skip(tx: Transaction, talk: TalkRow, text: str, outcome: Outcome) -> str:
    """Return why a message does not count for the automation rate; empty where it does."""
    if text.startswith("/"):
        return "button"
    if reason := NOT_COUNTED.get(outcome.stage):
        return reason
    return "repeated" if tx.messages.repeats(talk.id, text, now() - REPEATED) else ""


def expected_gain(outcome: Outcome) -> float:
    """Return how likely a review finds something to learn: a wrong guess, or a topic that was not recognised.

    Where there was no answer: the less likely the best guess, the less likely the company has a topic for it.
    """
    best = max((guess.confidence for guess in outcome.faq), default=0.0)
    return 1 - best if outcome.intent else min(1.0, 0.3 + best)


def _carry_out(tx: Transaction, project: Project, talk: TalkRow, actions: Iterable[Action]) -> None:
    for action in actions:
        values = {name: str(value) for name, value in action.args.items()}
        match action.name:
            case "leave_address":
                tx.visitors.note(talk.visitor_id, address=values["address"])
            case "subscribe":
                ask_to_confirm(tx, project, talk.visitor_id, values)
            case "unsubscribe":
                tx.subscriptions.end(now(), visitor_id=talk.visitor_id)


def _show_outcome(outcome: Outcome) -> dict[str, Any]:
    """Return what a chat shows of an outcome."""
    return {
        "language": outcome.language,
        "texts": list(outcome.texts),
        "buttons": [{"label": button.label, "send": button.send} for button in outcome.buttons],
        "links": [{"label": link.label, "url": link.url} for link in outcome.links],
        "openings": [to_json(opening) for opening in outcome.openings],
        "total": outcome.total,
        "handed_over": outcome.hand_over is not None,
    }
