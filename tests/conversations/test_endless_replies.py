"""Replies without end: judged by their beginning, and the verdict says so."""

from __future__ import annotations

import pytest

from vivavoce.bots.protocol import BotFacts
from vivavoce.conversations.judging.judge import CUT, MAX_READ, judge
from vivavoce.conversations.judging.plain import tidy
from vivavoce.conversations.result import Verdict
from vivavoce.conversations.scenario import Expectation, Pattern, Plan, ScriptTurn
from vivavoce.conversations.transcript import Exchange
from vivavoce.outcomes import TurnOutcome
from vivavoce.records import Reply, Status

EXPECTED = Expectation(any=(Pattern("which date"),))


def judged(*texts: str) -> Verdict:
    exchange = Exchange(1, "hello", Status.OK, Reply(texts), 1.0, 1.0)
    return judge(ScriptTurn(1, "t1", "hello", EXPECTED), exchange, BotFacts("talks"), Plan("suite", "en", ()))


def test_the_beginning_of_a_long_reply_is_judged_and_the_verdict_says_so() -> None:
    found = judged("Which date? ", "x" * MAX_READ)
    assert (found.outcome, found.reasons) == (TurnOutcome.RIGHT, (CUT,))


def test_what_stands_behind_the_part_that_is_judged_does_not_count() -> None:
    found = judged("x " * MAX_READ, "Which date?")
    assert found.outcome is TurnOutcome.WRONG_REPLY
    assert CUT in found.reasons


def test_a_reply_that_just_fits_is_judged_whole() -> None:
    found = judged("x" * (MAX_READ - 11), "Which date?")
    assert (found.outcome, found.reasons) == (TurnOutcome.RIGHT, ())


@pytest.mark.parametrize(
    ("text", "tidied"),
    [
        ("a<!-- b --> c", "a c"),
        ("a<!-- <p> --> b<p>c", "a b c"),
        ("a <!-- b", "a <!-- b"),
        ("a --> b <!-- c<br>d", "a --> b <!-- c d"),
    ],
)
def test_comments_go_and_what_only_begins_like_one_stays(text: str, tidied: str) -> None:
    assert tidy(text) == tidied


def test_beginnings_of_comments_without_an_end_are_tidied_at_once() -> None:
    # Following each of them to the end of the text would not come back within the time of a test run.
    assert tidy("<!--" * 500_000).startswith("<!--")
