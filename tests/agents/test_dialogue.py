"""The flow of a talk, with guesses given by hand."""

from __future__ import annotations

import pytest
from agent_text import FERRY
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.agents import Flow, State, answer_pairs, describe_agent, parse_agent, respond
from vivavoce.records import Guess, Reply

pytestmark = pytest.mark.slow

AGENT = parse_agent(FERRY)
FLOW = Flow.of(AGENT)


def talk(*turns: tuple[str, str | None] | tuple[str, str, float]) -> list[Reply]:
    """Hold a talk: each turn is a message and the topic that the engine guesses (and how surely)."""
    state, replies = State(noticed=True), []
    for text, intent, *rest in turns:
        confidence = rest[0] if rest else 0.6
        state, reply = respond(FLOW, state, text, (Guess(intent, float(confidence)),) if intent else ())
        replies.append(reply)
    return replies


ASKED = (("book a ferry", "book"), ("from Northholm", None), ("to Eastwick", None))
BOOKED = (*ASKED, ("on 3 May", None))


def test_needs_are_asked_for_one_at_a_time_and_then_answered() -> None:
    replies = talk(*BOOKED)
    assert [reply.text for reply in replies[:3]] == ["From where?", "Where to?", "On which day?"]
    assert {reply.intent for reply in replies} == {"book"}
    assert replies[-1].texts == (
        "2 found on Friday 3 May 2024: A1 at 08:00 for 90; A2 at 19:30 for 99.",
        "Shall I book A1 for 1?",
    )
    assert replies[-1].slots == {"origin": "Northholm", "destination": "Eastwick", "day": "2024-05-03"}
    assert replies[-1].buttons == ("yes please", "no thanks")


def test_all_at_once_is_answered_at_once() -> None:
    (reply,) = talk(("book Northholm to Eastwick on 3 May for two on the sun deck", "book"))
    assert reply.texts[-1] == "Shall I book A4 for 2?"
    assert reply.slots["deck"] == "sun deck"


def test_the_notice_is_said_once_before_the_first_answer() -> None:
    state, first = respond(FLOW, State(), "hello", (Guess("greet", 0.9),))
    _, second = respond(FLOW, state, "hello", (Guess("greet", 0.9),))
    assert first.texts == ("The ferries are invented.", "Hello!")
    assert second.texts == ("Hello!",)


def test_fallbacks_are_said_in_turn_and_tell_what_was_held_back() -> None:
    replies = talk(("gibberish", "book", 0.2), ("more of it", None), ("again", None))
    assert [reply.text for reply in replies] == ["Pardon?", "I only know ferries.", "Pardon?"]
    assert all(reply.fallback and reply.intent is None for reply in replies)
    assert replies[0].guess == Guess("book", 0.2)


def test_a_guess_at_the_threshold_counts() -> None:
    assert talk(("hello", "greet", 0.5))[0].fallback is False
    assert talk(("hello", "greet", 0.49))[0].fallback is True


def test_a_correction_is_answered_anew() -> None:
    reply = talk(*BOOKED, ("actually Southend", None))[-1]
    assert (reply.intent, reply.slots["destination"]) == ("book", "Southend")
    assert "A3" in reply.text


def test_a_side_topic_leaves_the_subject_and_the_question() -> None:
    replies = talk(*ASKED, ("can I bring a suitcase", "luggage"), ("on 3 May", None))
    assert [reply.intent for reply in replies[-2:]] == ["luggage", "book"]
    assert "A1" in replies[-1].text


def test_an_answer_to_the_question_is_not_taken_for_another_topic_unless_the_engine_is_sure() -> None:
    assert talk(*ASKED, ("the price of 3 May", "price", 0.6))[-1].intent == "book"
    assert talk(*ASKED, ("the price of 3 May", "price", 0.9))[-1].intent == "price"
    assert talk(*ASKED, ("on 3 May", "price", 0.9))[-1].intent == "book"
    assert talk(*ASKED, ("yes, on 3 May", "affirm", 0.9))[-1].intent == "book"


def test_slots_last_over_a_change_of_topic() -> None:
    replies = talk(*BOOKED, ("what does it cost", "price"), ("book a ferry", "book"))
    assert "A1" in replies[-1].text


def test_yes_after_an_offer_is_answered_as_what_was_offered() -> None:
    replies = talk(("what does it cost", "price"), ("yes", "affirm"))
    assert (replies[-1].intent, replies[-1].text) == ("book", "From where?")


def test_an_offer_holds_for_the_next_message_only() -> None:
    assert talk(("what does it cost", "price"), ("hello", "greet"), ("yes", "affirm"))[-1].text == "Fine."


def test_a_reply_after_a_subject_may_set_and_clear_slots() -> None:
    replies = talk(*BOOKED, ("yes", "affirm"), ("yes", "affirm"), ("which one did I book", "my_booking"))
    assert replies[-3].text == "Booked A1 on 2024-05-03."
    assert replies[-3].slots["booked"] == "A1"
    assert "day" not in replies[-3].slots
    # The day is forgotten, so that the sentence about it cannot be said again.
    assert replies[-2].text == "Fine."
    assert replies[-1].text == "You are on A1."


def test_a_reply_with_a_hole_is_passed_over() -> None:
    assert talk(*ASKED, ("yes", "affirm"))[-1].text == "Fine."


def test_no_reply_that_holds_is_a_fallback_that_names_the_topic() -> None:
    (reply,) = talk(("which ferry did I book", "my_booking"))
    assert reply.fallback
    assert reply.guess == Guess("my_booking", 0.6)


def test_a_value_outside_the_range_is_answered_as_such() -> None:
    replies = talk(*ASKED, ("on 20 May", None), ("then 3 May", None))
    assert (replies[-2].text, replies[-2].intent, replies[-2].fallback) == ("Only from 2 to 12 May.", "book", False)
    assert "A1" in replies[-1].text


def test_nothing_found_is_said_without_buttons() -> None:
    reply = talk(("book Southend to Eastwick on 3 May", "book"))[-1]
    assert reply.text == "Nothing from Southend to Eastwick on 2024-05-03."
    assert reply.buttons == ()


def test_times_and_limits_narrow_what_is_found() -> None:
    assert "A2" in talk(*BOOKED, ("in the evening", None))[-1].text
    reply = talk(*BOOKED, ("under 95 crowns", None))[-1]
    assert "1 found" in reply.text
    assert "A1" in reply.text


def test_what_is_not_understood_does_not_change_what_is_known() -> None:
    reply = talk(*BOOKED, ("what is the weather in Southend", None))[-1]
    assert reply.fallback
    assert reply.slots["destination"] == "Eastwick"


@given(st.lists(st.tuples(st.text(max_size=20), st.sampled_from([None, *AGENT.by_intent])), max_size=6))
def test_any_talk_gets_a_text_each_time_and_is_the_same_when_repeated(turns: list[tuple[str, str | None]]) -> None:
    replies = talk(*turns)
    assert all(reply.text.strip() and "{" not in reply.text for reply in replies)
    assert all((reply.intent is None) is reply.fallback for reply in replies)
    assert replies == talk(*turns)


# Told to others


def test_pairs_hold_each_phrase_with_its_first_reply() -> None:
    pairs = dict(answer_pairs(AGENT))
    assert len(pairs) == sum(len(topic.phrases) for topic in AGENT.topics)
    assert pairs["hello"] == "Hello!"
    assert pairs["book me a crossing"] == "From where?"


@pytest.mark.parametrize("limit", [50, 300, 1000, 100_000])
def test_a_description_fits_its_limit_and_begins_with_topics(limit: int) -> None:
    told = describe_agent(AGENT, limit)
    assert len(told) <= limit
    assert told == "" or describe_agent(AGENT, 100_000).startswith(told)
    if limit == 100_000:
        assert "Two bags." in told
        assert "A2, Northholm" in told
