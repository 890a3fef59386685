"""The outcomes of turns: exclusive, complete, and every share of them as it is defined."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.outcomes import TurnCounts, TurnOutcome, f1_of

numbers = st.integers(0, 50)
tables = st.builds(TurnCounts, *[numbers] * 11)
shares = st.one_of(st.none(), st.floats(0, 1))
# Different counts: no two shares of them can be mistaken for each other.
TABLE = TurnCounts(
    right=50,
    wrong_reply=3,
    wrong_intent=11,
    missed=7,
    declined=17,
    overreach=5,
    no_reply_in=2,
    no_reply_out=1,
    error=13,
    not_reached=19,
    unchecked=23,
)


@given(tables)
def test_every_turn_is_in_scope_out_of_scope_or_not_counted(table: TurnCounts) -> None:
    left_out = table.error + table.not_reached + table.unchecked
    assert table.in_scope + table.out_of_scope == table.counted
    assert table.counted + left_out == sum(astuple(table))


@given(tables)
def test_what_could_not_be_run_or_is_not_checked_changes_no_share(table: TurnCounts) -> None:
    clean = TurnCounts(*astuple(table)[:8])
    assert clean.shares() == table.shares()
    assert clean.literal() == table.literal()


@given(tables)
def test_every_share_is_a_part_of_a_whole(table: TurnCounts) -> None:
    for share in (*table.shares().values(), *table.literal().values()):
        assert 0 <= share.hits <= share.n
        assert (share.value is None) == (share.n == 0)


def test_the_shares_of_a_known_table() -> None:
    values = {name: (share.hits, share.n) for name, share in TABLE.shares().items()}
    assert values == {
        "accuracy": (67, 96),
        "precision": (50, 69),
        "recall": (50, 73),
        "wrong_answer_rate": (19, 96),
        "fallback_in_scope": (7, 73),
        "fallback_out_of_scope": (17, 23),
    }


def test_a_missing_reply_is_the_bots_failure_and_counted_by_its_scope() -> None:
    silent = TurnCounts(no_reply_in=1, no_reply_out=2)
    assert (silent.in_scope, silent.out_of_scope, silent.answers) == (1, 2, 0)
    assert silent.shares()["accuracy"].value == 0


@given(tables)
def test_f1_is_twice_the_right_answers_over_answers_and_questions(table: TurnCounts) -> None:
    found = f1_of(table.shares()["precision"].value, table.shares()["recall"].value)
    if table.right:
        assert found == pytest.approx(2 * table.right / (table.answers + table.in_scope))
    else:
        assert found is None


@given(shares, shares)
def test_f1_lies_between_precision_and_recall_or_is_not_defined(
    precision: float | None, recall: float | None
) -> None:
    found = f1_of(precision, recall)
    if precision is None or recall is None or precision + recall == 0:
        assert found is None
    else:
        assert found is not None
        assert min(precision, recall) - 1e-12 <= found <= max(precision, recall) + 1e-12


def test_every_outcome_has_a_meaning_of_its_own() -> None:
    assert len({outcome.meaning for outcome in TurnOutcome}) == len(TurnOutcome)


def test_only_right_answers_and_right_refusals_pass() -> None:
    assert {outcome for outcome in TurnOutcome if outcome.passed} == {TurnOutcome.RIGHT, TurnOutcome.DECLINED}
    assert all(outcome.counted for outcome in TurnOutcome if outcome.passed)


def test_the_documentation_has_every_outcome_with_its_meaning() -> None:
    text = (Path(__file__).resolve().parents[1] / "docs" / "conversations.md").read_text(encoding="utf-8")
    rows = [
        f"| `{one}` | {('yes' if one.passed else 'no') if one.counted else '-'} | "
        f"{'yes' if one.counted else 'no'} | {one.meaning} |"
        for one in TurnOutcome
    ]
    assert [row for row in rows if row not in text] == []
