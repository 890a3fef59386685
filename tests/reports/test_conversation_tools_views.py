"""What the tools around a run show in the terminal: checks of a suite, misspelt copies, bots and their contract."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console

from vivavoce.bots.contract import Check, ContractReport
from vivavoce.conversations.scenario import Expectation, Scenario, Suite, Turn
from vivavoce.conversations.scenarios.check import CheckProblem, SuiteCheck
from vivavoce.conversations.scenarios.twins import add_typos
from vivavoce.plugins import Description
from vivavoce.reports.conversations.tables import show_bots, show_contract, show_suite_check, show_typos


def shown(show: Callable[..., None], *what: Any) -> str:
    out = io.StringIO()
    show(Console(file=out, width=80), *what)
    assert max(len(line) for line in out.getvalue().splitlines()) <= 80
    return out.getvalue()


@pytest.mark.parametrize(("passed", "said"), [(True, "mine keeps the contract"), (False, "mine does not keep")])
def test_a_contract_is_told_check_by_check(passed: bool, said: str) -> None:
    checks = (Check("answers", True, "[bold]hello[/bold]"), Check("closes", passed))
    text = shown(show_contract, ContractReport("mine", checks, {"intent": 3, "fallback": 5}, 5))
    assert said in text
    assert "[bold]hello[/bold]" in text
    assert ("NO" in text) is not passed
    assert "Reported in 5 replies: intent in 3, fallback in 5." in text


def test_a_bot_that_never_answered_told_nothing() -> None:
    assert "replies" not in shown(show_contract, ContractReport("mine", (Check("answers", False),)))


def test_faults_of_a_suite_are_listed_with_their_place() -> None:
    faults = (
        CheckProblem("x", "error", "the topic [b] is unknown", "a.yaml, line 3"),
        CheckProblem("y", "note", "few"),
    )
    text = shown(show_suite_check, SuiteCheck(faults, 2, 3, 9))
    assert "1 error, 1 note." in text
    assert "error: the topic [b] is unknown (a.yaml, line 3)" in text
    assert "2 scenarios, 3 conversations, 9 turns." in text


def test_misspelt_messages_are_shown_beside_the_clean_ones() -> None:
    expect = Expectation(intents=("book",))
    suite = Suite("s", (Scenario("a", "basic", (Turn("please book a flight for tomorrow", expect),)),))
    _, report = add_typos(suite, share=1)
    assert "“please book a flight for tomorrow” → “" in shown(show_typos, report)


def test_every_bot_is_listed_with_what_it_is() -> None:
    text = shown(show_bots, [Description("echo", "vivavoce", "says [i]the same[/i]")])
    assert "echo" in text
    assert "[i]the same[/i]" in text
