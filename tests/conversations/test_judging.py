"""Judging turns: one outcome for each, the same every time, and reasons that people understand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.bots.protocol import BotFacts, Fallback
from vivavoce.conversations.judging.judge import judge
from vivavoce.conversations.result import Verdict
from vivavoce.conversations.scenario import Expectation, FallbackRule, Match, Pattern, Plan, ScriptTurn
from vivavoce.conversations.transcript import Exchange
from vivavoce.outcomes import TurnOutcome
from vivavoce.records import Guess, Reply, Status

PLAN = Plan(
    "suite", "en", (), fallback=FallbackRule(("Default Fallback Intent",), ("*rephrase*", "did not understand"))
)
TELLS = BotFacts("tells", reports_intent=True)
TALKS = BotFacts("talks")
BOOK = Expectation(intents=("book_flight",))
DATE = Expectation(intents=("book_flight",), any=(Pattern("which date"),))
FALLBACK = Expectation(fallback=True)
ANSWER = Reply(("Which date?",), "book_flight", 0.9)
IN_SCOPE = {"right", "wrong_reply", "wrong_intent", "missed"}
OUT_OF_SCOPE = {"declined", "overreach"}


def judged(
    expect: Expectation,
    reply: Reply | None = ANSWER,
    bot: BotFacts = TELLS,
    status: Status = Status.OK,
    first_ms: float | None = 100.0,
    **values: str,
) -> Verdict:
    exchange = Exchange(1, "hello", status, reply, first_ms, first_ms, values=values)
    return judge(ScriptTurn(1, "t1", "hello", expect), exchange, bot, PLAN)


def outcome(expect: Expectation, reply: Reply | None = ANSWER, bot: BotFacts = TELLS) -> str:
    return judged(expect, reply, bot).outcome


# Anything at all

patterns = st.lists(st.sampled_from(["date", "sorry", "error", "*", "2"]).map(Pattern), max_size=2).map(tuple)
slots = st.dictionaries(st.sampled_from(["origin", "to"]), st.sampled_from(["Melbourne", "2"]), max_size=2)
names = st.sampled_from(["book_flight", "greet", "Default Fallback Intent"])
expectations = st.builds(
    Expectation,
    counted=st.booleans(),
    fallback=st.booleans(),
    intents=st.lists(names, max_size=2).map(tuple),
    min_confidence=st.none() | st.just(0.5),
    margin_over=st.none() | st.just(0.1),
    any=patterns,
    all=patterns,
    none=patterns,
    order_any=st.booleans(),
    slots=slots,
    buttons=st.sampled_from([(), ("Yes",)]),
    within_ms=st.none() | st.just(50.0),
    answered=st.booleans(),
    optional=st.booleans(),
    cards=st.sampled_from([(), ("a card",)]),
    extras=st.sampled_from([{}, {"x-check": "1"}]),
    accepted=st.sampled_from([(), ("error 2",), ("Sorry*",)]),
)
replies = st.builds(
    Reply,
    texts=st.lists(st.sampled_from(["Which date?", "Sorry, please rephrase", "error 2", ""]), max_size=3).map(tuple),
    intent=st.none() | names,
    confidence=st.none() | st.floats(0, 1),
    slots=slots,
    buttons=st.sampled_from([(), ("Yes", "No")]),
    fallback=st.none() | st.booleans(),
    guess=st.none() | st.builds(Guess, st.none() | names, st.floats(0, 1)),
)
facts = st.builds(
    BotFacts,
    name=st.just("bot"),
    reports_intent=st.booleans(),
    fallback=st.builds(Fallback, threshold=st.none() | st.just(0.4)),
)
exchanges = st.none() | st.builds(
    Exchange, number=st.just(1), sent=st.just("hi"), status=st.sampled_from(Status), reply=st.none() | replies,
    first_ms=st.none() | st.floats(0, 200),
)  # fmt: skip


@given(expectations, exchanges, facts)
def test_every_turn_has_one_outcome_that_fits_what_happened(
    expect: Expectation, exchange: Exchange | None, bot: BotFacts
) -> None:
    turn = ScriptTurn(1, "t1", "hello", expect)
    verdict = judge(turn, exchange, bot, PLAN)
    assert verdict == judge(turn, exchange, bot, PLAN)
    assert verdict.in_scope or verdict.outcome not in IN_SCOPE
    assert not verdict.in_scope or verdict.outcome not in OUT_OF_SCOPE
    assert (verdict.outcome == "not_reached") == (exchange is None or exchange.status is Status.NOT_REACHED)
    assert (verdict.outcome == "error") == (exchange is not None and exchange.status.error)
    assert verdict.replied or not verdict.fallback
    assert verdict.fallback == bool(verdict.fallback_rule)
    assert verdict.replied == (verdict.outcome in IN_SCOPE | OUT_OF_SCOPE) or verdict.outcome == "unchecked"
    assert not verdict.fallback or verdict.outcome not in {"right", "wrong_reply", "wrong_intent"}
    assert verdict.fallback or verdict.outcome not in {"missed", "declined"}
    assert verdict.outcome.passed or verdict.reasons


@given(expectations, exchanges, facts)
def test_what_was_not_asked_for_or_cannot_be_checked_never_counts(
    expect: Expectation, exchange: Exchange | None, bot: BotFacts
) -> None:
    verdict = judge(ScriptTurn(1, "t1", "hello", expect), exchange, bot, PLAN)
    if not expect.counted:
        assert not verdict.outcome.counted
    if expect.extras or expect.cards:
        assert not verdict.outcome.passed


@given(expectations, replies, replies, facts)
def test_whether_a_turn_can_be_checked_does_not_depend_on_the_reply(
    expect: Expectation, one: Reply, other: Reply, bot: BotFacts
) -> None:
    # Checks that are not supported, and replies that may be left out, are the two stated exceptions.
    expect = replace(expect, extras={}, cards=(), optional=False)
    assert judged(expect, one, bot).outcome.counted == judged(expect, other, bot).outcome.counted


@given(st.lists(st.sampled_from([BOOK, DATE, FALLBACK, Expectation(answered=True)]), min_size=1))
def test_perfect_and_always_falling_back_bots_get_what_they_deserve(wanted: list[Expectation]) -> None:
    sorry = Reply(("Sorry, I did not understand.",), fallback=True)
    perfect = [outcome(expect, sorry if expect.fallback else ANSWER) for expect in wanted]
    silent = [outcome(expect, sorry) for expect in wanted]
    assert perfect == ["declined" if expect.fallback else "right" for expect in wanted]
    assert silent == ["declined" if expect.fallback else "missed" for expect in wanted]


# The table of outcomes


def test_a_turn_that_was_not_reached_or_failed_or_stayed_silent() -> None:
    turn = ScriptTurn(1, "t1", "hello", DATE)
    assert judge(turn, None, TELLS, PLAN).outcome is TurnOutcome.NOT_REACHED
    assert judged(DATE, None, status=Status.TIMEOUT).outcome is TurnOutcome.NO_REPLY
    assert judged(DATE, Reply(), status=Status.EMPTY).outcome is TurnOutcome.NO_REPLY
    assert judged(DATE, Reply(("  ",))).outcome is TurnOutcome.NO_REPLY
    for status in Status:
        if status.error:
            assert judged(DATE, None, status=status).outcome is TurnOutcome.ERROR
    assert judged(replace(DATE, optional=True), None, status=Status.EMPTY).outcome is TurnOutcome.UNCHECKED


def test_the_topic_decides_first_then_the_rest() -> None:
    assert outcome(DATE) == "right"
    assert judged(DATE).matched == "contains"
    assert outcome(BOOK, Reply(("Hi",), "greet")) == "wrong_intent"
    assert judged(BOOK, Reply(("Hi",), "greet")).reasons == ("expected topic book_flight, got greet",)
    assert outcome(DATE, Reply(("Hi",), "book_flight")) == "wrong_reply"
    assert outcome(Expectation(intents=("a", "Book_Flight"))) == "right"
    assert judged(Expectation(intents=("Book_Flight",))).intent == "Book_Flight"
    assert outcome(Expectation(any=(Pattern("which date"),))) == "right"


def test_out_of_scope_is_a_fallback_or_overreach() -> None:
    assert outcome(FALLBACK) == "overreach"
    assert judged(FALLBACK).reasons == ("expected a fallback, got an answer about book_flight",)
    assert outcome(FALLBACK, Reply(("?",), "default fallback intent")) == "declined"
    assert outcome(Expectation(intents=("default fallback intent",)), Reply(("?",), "Default Fallback Intent")) == (
        "declined"
    )


def test_a_refusal_may_be_known_by_the_words_of_the_turn_and_must_keep_to_them() -> None:
    refusal = Expectation(fallback=True, any=(Pattern("only flights"),))
    assert judged(refusal, Reply(("I know only flights.",)), TALKS).outcome is TurnOutcome.DECLINED
    assert judged(refusal, Reply(("I know only flights.",)), TALKS).fallback_rule == "reply"
    assert outcome(refusal, Reply(("Here you are",)), TALKS) == "overreach"
    assert outcome(replace(FALLBACK, none=(Pattern("error"),)), Reply(("error",), fallback=True)) == "overreach"


# Fallbacks


@pytest.mark.parametrize(
    ("reply", "bot", "rule"),
    [
        (Reply(("x",), "book_flight", fallback=True), TELLS, "connector"),
        (Reply(("x",), "DEFAULT fallback intent"), TELLS, "intent"),
        (Reply(("x",), "oops"), replace(TELLS, fallback=Fallback(("OOPS",))), "intent"),
        (Reply(("please rephrase",)), TELLS, "no_intent"),
        (Reply(("x",)), TALKS, ""),
        (Reply(("could you rephrase that",)), TALKS, "reply"),
        (Reply(("I did not understand you",), "book_flight", 0.1), TELLS, "reply"),
        (Reply(("Pardon?",)), replace(TALKS, fallback=Fallback(replies=("pardon",))), "reply"),
        (Reply(("x",), "book_flight", 0.39), replace(TELLS, fallback=Fallback(threshold=0.4)), "confidence"),
        (Reply(("x",), "book_flight", 0.4), replace(TELLS, fallback=Fallback(threshold=0.4)), ""),
    ],
)
def test_the_first_sign_of_a_fallback_is_kept(reply: Reply, bot: BotFacts, rule: str) -> None:
    assert judged(Expectation(counted=False), reply, bot).fallback_rule == rule
    assert judged(FALLBACK, reply, bot).fallback_rule == rule


@pytest.mark.parametrize(
    "reply", [Reply(("x",), "default fallback intent"), Reply(("x",)), Reply(("rephrase",), "greet", 0.0)]
)
def test_a_connector_that_says_no_fallback_is_believed(reply: Reply) -> None:
    bot = replace(TELLS, fallback=Fallback(threshold=0.4))
    assert judged(FALLBACK, reply, bot).fallback
    assert not judged(FALLBACK, replace(reply, fallback=False), bot).fallback


def test_the_words_of_the_turn_say_more_than_a_general_fallback_text() -> None:
    expect = Expectation(intents=("help",), any=(Pattern("rephrase your question"),))
    reply = Reply(("You can rephrase your question at any time.",), "help")
    assert outcome(expect, reply) == "right"
    assert outcome(expect, reply, TALKS) == "right"
    assert outcome(expect, replace(reply, fallback=True)) == "missed"


def test_the_topic_held_back_is_judged_where_it_is_known() -> None:
    bot = replace(TELLS, fallback=Fallback(threshold=0.5))
    low = Reply(("x",), "book_flight", 0.2)
    assert judged(BOOK, low, bot).guess_right is True
    assert judged(BOOK, low, bot).intent is None
    assert judged(Expectation(intents=("greet",)), low, bot).guess_right is False
    assert judged(FALLBACK, low, bot).guess_right is False
    assert judged(BOOK, Reply(("x",), fallback=True, guess=Guess("book_flight", 0.3))).guess_right is True
    assert judged(BOOK, Reply(("x",), fallback=True)).guess_right is None
    assert judged(BOOK, Reply(("x",), fallback=True, guess=Guess(None))).guess_right is None


# Bots that only talk


def test_a_bot_without_topics_is_judged_by_its_reply() -> None:
    assert outcome(DATE, Reply(("Which date?",)), TALKS) == "right"
    assert outcome(DATE, Reply(("Hello",)), TALKS) == "wrong_reply"
    assert outcome(DATE, Reply(("please rephrase",)), TALKS) == "missed"
    assert outcome(FALLBACK, Reply(("please rephrase",)), TALKS) == "declined"
    assert outcome(FALLBACK, Reply(("Sure!",)), TALKS) == "overreach"
    assert outcome(Expectation(none=(Pattern("error"),)), Reply(("Sure!",)), TALKS) == "right"


@pytest.mark.parametrize("text", ["Which date?", "please rephrase", "error"])
def test_a_topic_alone_cannot_be_checked_with_it_whatever_it_says(text: str) -> None:
    verdict = judged(replace(BOOK, none=(Pattern("error"),)), Reply((text,)), TALKS)
    assert verdict.outcome is TurnOutcome.UNCHECKED
    assert "does not report topics" in verdict.reasons[0]
    assert verdict.fallback == (text == "please rephrase")


# The rest of an expectation


@pytest.mark.parametrize(
    ("expect", "reply", "reason"),
    [
        (Expectation(slots={"origin": "Melbourne"}), ANSWER, "slot origin: expected Melbourne, got nothing"),
        (
            Expectation(slots={"origin": "Melbourne"}),
            replace(ANSWER, slots={"origin": "Perth"}),
            "slot origin: expected Melbourne, got Perth",
        ),
        (Expectation(slot_names=("origin",)), ANSWER, "slot origin was not filled"),
        (Expectation(slot_values=("Perth",)), ANSWER, 'no slot has the value "Perth"'),
        (Expectation(buttons=("Morning",)), ANSWER, 'did not offer the "Morning" button'),
        (Expectation(within_ms=50), ANSWER, "replied after 100 ms, expected within 50 ms"),
        (Expectation(min_confidence=0.95), ANSWER, "confidence 0.90, expected at least 0.95"),
        (Expectation(none=(Pattern("date"),)), ANSWER, 'said something it must not say: "date"'),
        (
            Expectation(any=(Pattern("a"), Pattern("b"), Pattern("c"))),
            ANSWER,
            "found none of the 3 expected texts",
        ),
        (Expectation(all=(Pattern("which"), Pattern("b"))), ANSWER, 'did not find "b" (contains)'),
        (
            Expectation(margin_over=0.3),
            replace(ANSWER, raw={"intent_ranking": [{"confidence": 0.9}, {"confidence": 0.8}]}),
            "only 0.10 ahead of the next topic, expected 0.30",
        ),
    ],
)
def test_each_thing_that_fails_says_so(expect: Expectation, reply: Reply, reason: str) -> None:
    verdict = judged(expect, reply)
    assert verdict.outcome is TurnOutcome.WRONG_REPLY
    assert reason in verdict.reasons


@pytest.mark.parametrize(
    ("expect", "reply"),
    [
        (Expectation(slots={"Origin": "MELBOURNE "}), replace(ANSWER, slots={"origin": "melbourne", "to": "x"})),
        (Expectation(slots={"n": "{number}"}), replace(ANSWER, slots={"n": "12"})),
        (Expectation(slot_names=("to",), slot_values=("perth",)), replace(ANSWER, slots={"to": "Perth"})),
        (Expectation(buttons=("morning",)), replace(ANSWER, buttons=("Evening", "Morning"))),
        (Expectation(within_ms=100, min_confidence=0.9), ANSWER),
        (Expectation(margin_over=0.1), replace(ANSWER, raw={"intents": [{"score": 0.1}, {"score": 0.9}]})),
        (Expectation(answered=True), ANSWER),
    ],
)
def test_each_thing_that_holds_is_right(expect: Expectation, reply: Reply) -> None:
    verdict = judged(expect, reply)
    assert verdict.outcome is TurnOutcome.RIGHT
    assert verdict.reasons == ()


@pytest.mark.parametrize(
    ("expect", "bot", "note"),
    [
        (Expectation(margin_over=0.1, answered=True), TELLS, "does not rank its topics"),
        (Expectation(any=(Pattern("date"),), slots={"to": "x"}), TALKS, "slots were not checked"),
        (Expectation(any=(Pattern("date"),), min_confidence=0.5), TALKS, "confidence was not checked"),
    ],
)
def test_what_could_not_be_checked_is_said_without_failing(expect: Expectation, bot: BotFacts, note: str) -> None:
    verdict = judged(expect, Reply(("Which date?",), "x" if bot.reports_intent else None), bot)
    assert verdict.outcome is TurnOutcome.RIGHT
    assert note in verdict.reasons[0]


def test_a_turn_with_checks_that_are_not_supported_is_never_counted_whatever_comes_back() -> None:
    for asked in ({"extras": {"x-botium-asserter": 1}}, {"cards": ("c",)}, {"media": ("m",)}):
        expect = replace(DATE, **asked)
        for reply in (None, Reply(("Hello",), "book_flight"), Reply(("x",), fallback=True)):
            assert outcome(expect, *([reply] if reply else [])) == "unchecked"
        assert "not fully checked" in judged(expect).reasons[0]


def test_an_action_is_seen_inside_the_bot_only_and_the_rest_is_checked() -> None:
    assert outcome(replace(DATE, action="a")) == "right"
    assert outcome(replace(DATE, action="a"), Reply(("Hello",), "book_flight")) == "wrong_reply"
    assert outcome(Expectation(action="a")) == "unchecked"


def test_all_texts_come_in_their_order_unless_any_order_will_do() -> None:
    both = Expectation(all=(Pattern("first"), Pattern("second")))
    assert outcome(both, Reply(("first", "second"), "x")) == "right"
    assert outcome(both, Reply(("second", "first"), "x")) == "wrong_reply"
    assert outcome(replace(both, order_any=True), Reply(("second", "first"), "x")) == "right"
    assert outcome(both, Reply(("second first",), "x")) == "right"
    assert outcome(both, Reply(("second", "first", "second"), "x")) == "right"


def test_saved_values_are_put_into_texts_slots_and_buttons() -> None:
    expect = Expectation(all=(Pattern("AUD {fare}"),), slots={"fare": "{fare}"}, buttons=("Pay {fare}",))
    reply = Reply(("It is AUD 300.",), "pay", slots={"fare": "300"}, buttons=("Pay 300",))
    assert judged(expect, reply, fare="300").outcome is TurnOutcome.RIGHT
    assert judged(expect, reply, fare="400").outcome is TurnOutcome.WRONG_REPLY


def test_a_near_match_that_is_held_back_asks_for_a_look() -> None:
    expect = Expectation(any=(Pattern("You can cancel your booking", Match.FUZZY),))
    verdict = judged(expect, Reply(("You can't cancel your booking",), "x"))
    assert verdict.outcome is TurnOutcome.WRONG_REPLY
    assert verdict.needs_look
    assert "negation" in verdict.reasons[0]


def test_the_values_of_slots_are_names_to_a_near_match() -> None:
    expect = Expectation(
        slots={"class": "economy"}, any=(Pattern("a seat in economy class for you", Match.FUZZY, 0.6),)
    )
    reply = Reply(("a seat in business class for you",), "x", slots={"class": "economy"})
    assert judged(expect, reply).needs_look


def test_nothing_expected_is_not_counted_but_noted() -> None:
    verdict = judged(Expectation(counted=False), Reply(("please rephrase",)), TALKS)
    assert (verdict.outcome, verdict.replied, verdict.fallback) == (TurnOutcome.UNCHECKED, True, True)
    silent = judged(Expectation(counted=False), None, status=Status.TIMEOUT)
    assert (silent.outcome, silent.replied) == (TurnOutcome.UNCHECKED, False)
    assert judged(Expectation()).outcome is TurnOutcome.UNCHECKED


# Replies that a person called fine

ACCEPTED = Reply(("We are closed", "on Mondays."), "greet", fallback=False)


def test_an_accepted_reply_passes_whatever_else_is_expected() -> None:
    strict = Expectation(intents=("book_flight",), all=(Pattern("ticket"),), slots={"to": "Rome"})
    assert outcome(strict, ACCEPTED) == "wrong_intent"
    assert outcome(replace(strict, accepted=("we are  closed on mondays.",)), ACCEPTED) == "right"
    assert outcome(Expectation(fallback=True, accepted=("We are closed*",)), ACCEPTED) == "declined"


def test_an_accepted_reply_is_accepted_as_a_whole() -> None:
    expect = Expectation(intents=("book_flight",), accepted=("We are closed",))
    assert outcome(expect, ACCEPTED) == "wrong_intent"


def test_an_accepted_reply_changes_nothing_for_other_replies() -> None:
    expect = Expectation(intents=("book_flight",), accepted=("We are closed on Mondays.",))
    assert outcome(expect, Reply(("Booked.",), "book_flight")) == "right"
    assert outcome(expect, Reply(("Hello!",), "greet")) == "wrong_intent"


def test_a_turn_that_cannot_be_checked_is_not_counted_for_an_accepted_reply() -> None:
    silent = BotFacts("bot")
    expect = Expectation(intents=("book_flight",), accepted=("We are closed on Mondays.",))
    assert outcome(expect, Reply(("We are closed on Mondays.",)), silent) == "unchecked"


def test_a_reply_of_buttons_alone_can_be_accepted() -> None:
    expect = Expectation(intents=("book_flight",), accepted=("Yes / No",))
    assert outcome(expect, Reply((), "greet", buttons=("Yes", "No"))) == "right"
