"""Five bots whose numbers are known beforehand: 20 questions in scope, 10 out of scope."""

from __future__ import annotations

import pytest
from exams import D, M, O, R, W, found, line
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.conversations.result import Line, literal_of
from vivavoce.outcomes import TurnCounts, f1_of

Numbers = tuple[float | None, float | None, float | None, float | None]
# counts a, b, c, d, e; accuracy, precision, recall, F1 as the paper words them; the same in their usual meaning;
# fallback rate. In per cent, None: not defined.
GOLDEN: dict[str, tuple[tuple[int, ...], Numbers, Numbers, float]] = {
    "perfect": ((20, 0, 0, 10, 0), (66.7, 66.7, 100, 80.0), (100, 100, 100, 100), 33.3),
    "never falls back": ((20, 0, 0, 0, 10), (66.7, 100, 66.7, 80.0), (66.7, 66.7, 100, 80.0), 0),
    "always falls back": ((0, 0, 20, 10, 0), (66.7, 0, None, None), (33.3, None, 0, None), 100),
    "always wrong": ((0, 20, 0, 0, 10), (66.7, None, 0, None), (0, 0, 0, None), 0),
    "typical": ((15, 3, 2, 7, 3), (66.7, 68.2, 83.3, 75.0), (73.3, 71.4, 75.0, 73.2), 30.0),
}
NAMES = ("accuracy", "precision", "recall", "f1")
few = st.integers(0, 30)


def counts_of(a: int, b: int, c: int, d: int, e: int) -> TurnCounts:
    return TurnCounts(right=a, wrong_intent=b, missed=c, declined=d, overreach=e)


def lines_of(*counts: int) -> list[Line]:
    outcomes = [one for one, n in zip((R, W, M, D, O), counts, strict=True) for _ in range(n)]
    return [line(one, f"s{number}") for number, one in enumerate(outcomes)]


def per_cent(value: float | None) -> float | None:
    return None if value is None else round(100 * value, 1)


@pytest.mark.parametrize("bot", GOLDEN)
def test_the_counts_give_the_known_numbers(bot: str) -> None:
    counts, literal, standard, _ = GOLDEN[bot]
    table = counts_of(*counts)
    shares = {name: share.value for name, share in table.shares().items()}
    shares["f1"] = f1_of(shares["precision"], shares["recall"])
    assert tuple(per_cent(shares[name]) for name in NAMES) == standard
    assert tuple(per_cent(literal_of(table)[f"echo_literal_{name}"]) for name in NAMES) == literal


@pytest.mark.parametrize("bot", GOLDEN)
def test_the_lines_of_a_run_give_the_known_numbers(bot: str) -> None:
    counts, literal, standard, fallback = GOLDEN[bot]
    cell = found(lines_of(*counts)).cell("bot")
    assert cell.counts == counts_of(*counts)
    assert tuple(per_cent(cell.rates[name].value) for name in NAMES) == standard
    assert tuple(per_cent(cell.literal[f"echo_literal_{name}"]) for name in NAMES) == literal
    assert per_cent(cell.rates["fallback_rate"].value) == fallback
    assert cell.counts.literal_unclassified == 0


def test_the_literal_accuracy_does_not_tell_the_perfect_bot_from_the_worst() -> None:
    found_values = {literal_of(counts_of(*counts))["echo_literal_accuracy"] for counts, _, _, _ in GOLDEN.values()}
    assert found_values == {20 / 30}


@given(few, few, few, few, few)
def test_by_the_papers_words_accuracy_is_the_share_of_questions_in_scope(
    a: int, b: int, c: int, d: int, e: int
) -> None:
    table = counts_of(a, b, c, d, e)
    share = table.in_scope / table.counted if table.counted else None
    assert literal_of(table)["echo_literal_accuracy"] == share


@given(few.filter(bool), few, few, few, few)
def test_by_the_papers_words_f1_does_not_depend_on_how_strange_questions_are_handled(
    a: int, b: int, c: int, d: int, e: int
) -> None:
    table = counts_of(a, b, c, d, e)
    assert literal_of(table)["echo_literal_f1"] == pytest.approx(2 * a / (2 * a + table.out_of_scope))


@given(few, few, few)
def test_turns_without_a_class_in_the_paper_are_left_out_and_counted(
    reply: int, silent_in: int, silent_out: int
) -> None:
    table = TurnCounts(right=4, declined=2, wrong_reply=reply, no_reply_in=silent_in, no_reply_out=silent_out)
    assert table.literal() == TurnCounts(right=4, declined=2).literal()
    assert table.literal_unclassified == reply + silent_in + silent_out


def test_the_same_counts_have_four_recalls_in_use() -> None:
    # Others drop confusions or fallbacks from the questions that should have been found. Ours drops nothing.
    a, b, c, d, e = 15, 4, 2, 6, 3
    table = counts_of(a, b, c, d, e)
    assert per_cent(table.shares()["recall"].value) == per_cent(a / (a + b + c)) == 71.4
    assert per_cent(a / (a + c)) == 88.2, "confusions forgotten, as in some vendors' batch tests"
    assert per_cent(a / (a + b)) == 78.9, "fallbacks forgotten, as in the per-label report of nex-cv"
    assert per_cent(table.literal()["echo_literal_recall"].value) == per_cent(a / (a + e)) == 83.3
