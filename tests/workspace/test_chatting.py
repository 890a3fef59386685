"""Talks of people with bots: kept open, begun again when they are gone, and kept from private addresses."""

from __future__ import annotations

import pytest

from vivavoce.errors import AccessError, UsageError
from vivavoce.store.rows import BotRow
from vivavoce.store.stamps import new_id, now
from vivavoce.workspace.access.bot_rules import BotRules
from vivavoce.workspace.bots import chatting
from vivavoce.workspace.bots.chatting import (
    MAX_LETTERS,
    MAX_MESSAGES,
    Heard,
    Partner,
    ask_bot,
    draft_from_talk,
    make_partner,
    send_message,
)
from vivavoce.workspace.scenarios.drafts import scenario_of

ASKED = "I'd like one seat from Melbourne to Sydney on 14 October please, leaving around 7am."


def partner(entry: dict[str, object], rules: BotRules | None = None, agent: str | None = "flight") -> Partner:
    row = BotRow(new_id(), "p", "helper", entry, now())
    return Partner(row, agent, rules or BotRules())


def test_a_talk_goes_on_where_it_stopped_and_begins_again_where_it_is_gone() -> None:
    bot, key = partner({"kind": "keywords"}), new_id()
    first = send_message(bot, key, [], ASKED)
    assert first.topic == "book_flight"
    kept = send_message(bot, key, [ASKED], "Yes, let's go with that")
    gone = send_message(bot, new_id(), [ASKED], "Yes, let's go with that")
    assert kept == gone
    assert "Booked" in kept.reply
    elsewhere = send_message(bot, key, [], "Yes, let's go with that")
    assert elsewhere.reply != kept.reply, "another talk under the same key is begun anew"


def test_the_last_of_several_messages_is_answered() -> None:
    assert ask_bot(partner({"kind": "keywords"}), [ASKED, "Yes, let's go with that"]).topic == "affirm"
    with pytest.raises(UsageError, match="no messages yet"):
        ask_bot(partner({"kind": "keywords"}), [])


def test_a_bot_at_a_private_address_is_not_asked_unless_that_is_allowed() -> None:
    entry = {"kind": "http", "url": "http://127.0.0.1:1/say", "limits": {"timeout_s": "2"}}
    assert "loopback" in ask_bot(partner(entry), ["Hello"]).trouble
    allowed = ask_bot(partner(entry, BotRules(private_bots=True)), ["Hello"])
    assert allowed.trouble
    assert "loopback" not in allowed.trouble


def test_a_bot_that_is_a_program_is_not_started_unless_that_is_allowed() -> None:
    row = BotRow("b", "p", "helper", {"kind": "command", "command": ["true"]}, now())
    with pytest.raises(AccessError, match="program"):
        make_partner(row, None, BotRules())
    assert make_partner(row, None, BotRules(bot_programs=True)).row is row


def test_what_cannot_be_said_is_refused_before_the_bot_is_asked() -> None:
    bot = partner({"kind": "http", "url": "https://bot.example/never"})
    for earlier, text in (([], " "), ([], "x" * (MAX_LETTERS + 1)), (["a"] * MAX_MESSAGES, "b")):
        with pytest.raises(UsageError):
            send_message(bot, "key", earlier, text)


def test_talks_that_nobody_goes_on_with_are_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chatting, "MAX_OPEN", 2)
    conversations = chatting.OpenConversations()
    bot = partner({"kind": "keywords"})
    for key in ("a", "b", "c"):
        conversations.send(bot, key, (), "Hello")
    assert set(conversations._open) == {"b", "c"}


def test_a_talk_becomes_a_scenario_that_expects_what_the_bot_did() -> None:
    heard = [
        Heard("Hello", "Hi!\nHow can I help?", topic="greet", slots={"name": "Ann"}),
        Heard("Sing", "I did not get that", fallback=True, topic="fallback"),
    ]
    first, second = scenario_of(draft_from_talk(heard, name="talk")).turns
    assert (first.expect.intents, [one.text for one in first.expect.any]) == (("greet",), ["Hi! How can I help?"])
    assert dict(first.expect.slots) == {"name": "Ann"}
    assert second.expect.fallback
    assert not second.expect.intents
    assert not second.expect.any
