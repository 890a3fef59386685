"""What is said of numbers: counts only of what can be counted, and no sentence that contradicts another."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from talk_runs import Behaviour, good, middling, poor, scripts, write_run

from vivavoce.conversations.exam import score_run
from vivavoce.conversations.result import Comparison, ConversationsResult, Problem
from vivavoce.conversations.running.record import RunRecord
from vivavoce.conversations.transcript import ConversationKey
from vivavoce.records import Rate
from vivavoce.reports.conversations import verdicts, wording
from vivavoce.reports.conversations.html import rate_part, render_conversations
from vivavoce.reports.conversations.markdown import render_summary
from vivavoce.reports.conversations.meanings import CONVERSATION_MEASURES, measure_of
from vivavoce.reports.conversations.tables import rate_cell, show_conversations
from vivavoce.reports.conversations.wording import course_sentence
from vivavoce.reports.shared.numbers import ENGLISH

MEANS = ("f1", "macro_f1", "mean_turn", "weakest_turn", "pass_hat_2")
SHARES = tuple(name for name in CONVERSATION_MEASURES if name not in (*MEANS, "time"))


def compared(gap: float | None, low: float | None, high: float | None, **changed: object) -> Comparison:
    known = Comparison("a", "b", "", "", "accuracy", gap, low, high, 0.2, "too close to call", 3, 20, 60, 12, 0, 0.1)
    return replace(known, **changed)  # type: ignore[arg-type]


def terminal(result: ConversationsResult, record: RunRecord, *, verbose: bool = False) -> str:
    out = io.StringIO()
    show_conversations(Console(file=out, width=100), result, record, verbose=verbose)
    return out.getvalue()


def weak(script: str, number: int) -> str:
    """Lose every misspelt message."""
    return "missed" if number == 2 else good(script, number)


def words(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


# --- few turns ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MEANS)
def test_what_is_no_share_of_items_is_never_counted_out(name: str) -> None:
    rate = Rate(6 / 13, 0.2, 0.7, 8)
    for shown in (rate_cell(name, rate).plain, " ".join(rate_part(name, rate)[:2])):
        assert " of " not in shown
        assert shown.startswith(("46 %", "0.46"))
        assert shown.endswith("too few")


@pytest.mark.parametrize("name", SHARES)
def test_a_share_of_few_items_is_how_many_of_them(name: str) -> None:
    rate = Rate(3 / 8, 0.2, 0.7, 8)
    assert rate_cell(name, rate).plain == "3 of 8\ntoo few"
    assert " ".join(rate_part(name, rate)[:2]) == "3 of 8 too few"


@given(st.sampled_from((*MEANS, *SHARES)), st.integers(0, 9), st.integers(1, 9))
def test_every_count_that_is_shown_gives_back_its_share(name: str, hits: int, n: int) -> None:
    value = min(hits, n) / n
    found = re.fullmatch(r"(\d+) of (\d+)", ENGLISH.parts(Rate(value, None, None, n), measure_of(name)).value)
    assert (found is None) == (name in MEANS)
    assert found is None or int(found[1]) / int(found[2]) == value


@pytest.mark.parametrize("n", [10, 400])
def test_enough_items_have_their_interval(n: int) -> None:
    assert rate_cell("accuracy", Rate(0.5, 0.4, 0.6, n)).plain == "50 %\n40-60"
    assert "40 to 60 %" in rate_part("f1", Rate(0.5, 0.4, 0.6, n)).small


def test_terminal_page_and_summary_say_too_few_alike_and_give_no_interval(tmp_path: Path) -> None:
    with write_run(tmp_path / "run", {"bot": weak}, plan=scripts(2, levels=("basic",))) as record:
        result = score_run(record)
        shown, page, markdown = terminal(result, record), render_conversations(result, record), render_summary(result)
    f1 = ENGLISH.parts(result.cell("bot").rates["f1"], measure_of("f1")).value
    assert f1 == "67 %"
    for view in (shown, words(page), markdown):
        assert f1 in view
        assert "4 of 6" in view
        assert "too few" in view
        assert "would probably be between" not in view
    assert wording.second_sentence(result) == ""


def test_the_range_of_a_share_is_said_to_be_probable(tmp_path: Path) -> None:
    with write_run(tmp_path / "run", {"bot": middling}) as record:
        said = wording.second_sentence(score_run(record))
    pattern = "With other conversations of this kind, the share would probably be between \\d+ and \\d+ %\\."
    assert re.fullmatch(pattern, said)


# --- verdicts ----------------------------------------------------------------------------------------------------


def test_bots_that_came_out_the_same_have_no_interval_of_nothing() -> None:
    said = verdicts.verdict_sentence(compared(0.0, 0.0, 0.0, only_a=0, turns=25, more=None), 40)
    assert said == "a and b got the same results on the 25 turns counted for both."


def test_a_difference_that_sums_to_nothing_shows_no_interval_of_nothing() -> None:
    said = verdicts.verdict_sentence(compared(0.0, 0.0, 0.0, only_a=2, only_b=2, more=None))
    assert said == "a and b: too close to call (+0 points)."


@pytest.mark.parametrize("counted", [60, 61])
def test_a_comparison_on_fewer_turns_than_the_table_has_says_so(counted: int) -> None:
    for one in (compared(0.2, -0.1, 0.5), compared(0.2, 0.1, 0.5, verdict="a better")):
        said = verdicts.verdict_sentence(one, counted)
        assert said.endswith("The comparison uses the 60 turns counted for both.") == (counted > 60)


def test_bots_without_a_common_turn_cannot_be_compared() -> None:
    one = compared(None, None, None, turns=0, only_a=0, verdict="cannot be compared", more=None)
    assert verdicts.verdict_sentence(one) == "a and b cannot be compared: no turn was counted for both."
    assert verdicts.points_text(one) == "n/a"


@pytest.mark.parametrize(
    ("differing", "family", "reason"),
    [
        (3, 1, "too few scenarios to tell, because only 3 scenarios differ"),
        (1, 6, "too few scenarios to tell, because only 1 scenario differs"),
        (8, 6, "too close to call, because several pairs are compared"),
        (8, 1, "too close to call, because it is borderline and may be chance"),
    ],
)
def test_no_verdict_beside_an_interval_without_0_has_its_reason(differing: int, family: int, reason: str) -> None:
    for low, high in ((0.08, 0.33), (-0.33, -0.08)):
        one = compared((low + high) / 2, low, high, differing=differing, family=family)
        said = verdicts.verdict_sentence(one)
        assert reason in said
        assert said.endswith(
            "3 more conversations would probably settle it, if the difference is as large as it looks."
        )


@given(st.floats(-1, 1), st.floats(0, 0.5), st.floats(0, 0.5))
def test_an_interval_around_0_needs_no_reason(middle: float, down: float, up: float) -> None:
    one = compared(middle, -down, up, differing=2)
    assert verdicts.verdict_text(one) == "too close to call"


def test_bots_that_differ_in_most_of_few_scenarios_are_not_called_close() -> None:
    # 0 of 22 turns against 18 of 22, in four scenarios: four signs that agree happen by luck once in eight times.
    one = compared(-0.82, -1.0, 0.1, turns=22, differing=4, conversations=4)
    assert verdicts.verdict_text(one) == "too few scenarios to tell, because only 4 scenarios differ"
    assert verdicts.verdict_text(replace(one, conversations=40)) == "too close to call"


def test_a_difference_of_few_turns_has_no_interval() -> None:
    assert verdicts.points_text(compared(0.25, -0.1, 0.5, turns=8)) == "+25 points"
    assert verdicts.points_text(compared(0.25, -0.1, 0.5, turns=10)) == "+25 points, -10 to +50"


def test_a_small_difference_is_not_shown_as_none() -> None:
    assert verdicts.points_text(compared(0.002, -0.001, 0.004)) == "+0.2 points, -0.1 to +0.4"


def test_unequal_coverage_is_said_where_bots_are_compared(tmp_path: Path) -> None:
    def cut(script: str, number: int) -> str | None:
        return middling(script, number) if number < 2 or int(script[-2:]) < 10 else None

    bots: dict[str, Behaviour] = {"whole": middling, "cut": cut}
    with write_run(tmp_path / "run", bots) as record:
        result = score_run(record)
        views = terminal(result, record), words(render_conversations(result, record)), render_summary(result)
    assert result.comparisons[0].turns == 40
    for view in views:
        assert "got the same results on the 40 turns counted for both" in " ".join(view.split())
        assert "+0 to +0" not in view


def test_a_run_that_changed_nothing_is_not_called_close() -> None:
    one = compared(0.0, 0.0, 0.0, a="bot (after)", b="bot (before)", only_a=0, turns=1, more=None)
    assert course_sentence(one) == "bot: nothing changed in the 1 turn counted in both runs."
    renamed = replace(one, a="new", b="old")
    assert course_sentence(renamed) == "new and old got the same results on the 1 turn counted for both."


# --- misspelling -------------------------------------------------------------------------------------------------


def test_repeats_of_misspelt_messages_are_told_as_repeats(tmp_path: Path) -> None:
    with write_run(tmp_path / "run", {"weak": weak, "good": good}, plan=scripts(3), repeats=4) as record:
        result = score_run(record)
    said = wording.twins_sentence(result.cell("weak"))
    assert said.startswith("weak: of 3 messages sent in both spellings, each 4 times, 3 were answered correctly")
    assert said.endswith("0 only when misspelt (p = 0.25).")
    assert wording.twins_sentence(result.cell("good")) == (
        "good: misspelling made no difference in 3 messages sent in both spellings, each 4 times."
    )


# --- what to fix -------------------------------------------------------------------------------------------------


def problem(kind: str, places: int) -> Problem:
    return Problem(
        "poor", kind, kind, places, tuple((ConversationKey("poor", f"talk-{n:02}"), 1) for n in range(places))
    )


@pytest.mark.parametrize(
    ("places", "shown"), [((4, 2, 1, 1), 2), ((1, 1), 2), ((5, 4, 3, 2), 3), ((1, 1, 1, 1), 3), ((), 0)]
)
def test_what_happened_once_is_not_listed_beside_larger_problems(places: tuple[int, ...], shown: int) -> None:
    with_problems = [problem(f"kind {n}", size) for n, size in enumerate(places)]
    result = ConversationsResult.__new__(ConversationsResult)
    object.__setattr__(result, "problems", tuple(with_problems))
    found, left = wording.first_problems(result, "poor", 3)
    assert found == with_problems[:shown]
    assert left == len(places) - shown
    assert wording.first_problems(result, "other", 3) == ([], 0)


def test_the_page_says_how_many_more_problems_there_are_and_not_where(tmp_path: Path) -> None:
    with write_run(tmp_path / "run", {"poor": poor}) as record:
        result = score_run(record)
        page = words(render_conversations(result, record))
    left = wording.first_problems(result, "poor", 3)[1]
    assert left > 0
    assert f" {left} more." in page
    assert "JSON file" not in page


# --- topics ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("topics", [True, False])
def test_the_table_of_topics_is_shown_only_where_there_are_any(tmp_path: Path, topics: bool) -> None:
    with write_run(tmp_path / "run", {"good": good}) as record:
        result = score_run(record)
        shown = terminal(result if topics else replace(result, topics=()), record, verbose=True)
    assert ("Topics" in shown) == topics
