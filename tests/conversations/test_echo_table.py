"""Table I of the ECHO paper: its F1 column follows from precision and what is headed accuracy, not from recall.

Every printed number is a rounded one, so a row fits when some true values that round to it agree.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

HALF = 0.5


class Row(NamedTuple):
    """Accuracy, precision, recall and F1 of one bot at one level in one domain, in per cent, as printed."""

    accuracy: int
    precision: int
    recall: int
    f1: int

    def exchanged(self) -> Row:
        """Return the row with the headings of accuracy and recall exchanged."""
        return Row(self.recall, self.precision, self.accuracy, self.f1)


# Basic, medium and complex; medical recommendation and flight booking within each.
LEX = ((100, 84, 90, 91), (100, 57, 70, 73), (94, 94, 93, 94), (92, 81, 76, 86), (100, 85, 93, 92), (90, 56, 74, 69))
DIALOGFLOW = (
    *((89, 94, 90, 91), (88, 78, 70, 82), (78, 100, 93, 88)),
    *((91, 80, 76, 85), (83, 100, 93, 91), (76, 84, 74, 80)),
)
WATSON = ((92, 96, 90, 94), (95, 96, 92, 96), (88, 92, 83, 90), (78, 80, 90, 79), (68, 100, 70, 81), (73, 78, 89, 75))
PRINTED = [Row(*row) for bot in (LEX, DIALOGFLOW, WATSON) for row in bot]
EXCHANGED = [row.exchanged() for row in PRINTED]


def harmonic(x: float, y: float) -> float:
    return 2 * x * y / (x + y)


def f1_fits(row: Row) -> bool:
    """Tell whether F1 can be the harmonic mean of precision and recall, given the rounding of all three."""
    lowest = harmonic(row.precision - HALF, row.recall - HALF)
    highest = harmonic(min(100, row.precision + HALF), min(100, row.recall + HALF))
    return lowest <= row.f1 + HALF and row.f1 - HALF <= highest


def least_accuracy(row: Row) -> float:
    """Return the accuracy that precision and recall leave when no true negative adds to it.

    With tp = 1, fp = 1/P - 1 and fn = 1/R - 1: tp / (tp + fp + fn) = 1 / (1/P + 1/R - 1).
    """
    return 100 / (100 / (row.precision - HALF) + 100 / (row.recall - HALF) - 1)


def impossible(row: Row) -> bool:
    return row.accuracy + HALF < least_accuracy(row)


def outside(row: Row) -> bool:
    return not min(row.precision, row.recall) - 1 <= row.f1 <= max(row.precision, row.recall) + 1


def test_the_table_has_three_bots_three_levels_and_two_domains() -> None:
    assert len(PRINTED) == 18


def test_f1_agrees_with_precision_and_recall_in_two_of_eighteen_rows() -> None:
    assert sum(map(f1_fits, PRINTED)) == 2


def test_f1_agrees_in_all_rows_when_accuracy_and_recall_are_exchanged() -> None:
    assert sum(map(f1_fits, EXCHANGED)) == 18


def test_three_rows_have_less_accuracy_than_their_precision_and_recall_allow() -> None:
    assert sum(map(impossible, PRINTED)) == 3


def test_no_row_is_impossible_when_accuracy_and_recall_are_exchanged() -> None:
    assert sum(map(impossible, EXCHANGED)) == 0


def test_a_mean_that_lies_outside_of_its_two_numbers_is_found_only_as_printed() -> None:
    assert sum(map(outside, PRINTED)) > 0
    assert sum(map(outside, EXCHANGED)) == 0


def test_what_is_headed_recall_is_the_same_for_two_bots_in_every_cell() -> None:
    # As the literal accuracy must be on one script: it is the share of questions in scope.
    lex, dialogflow, watson = ([row[2] for row in bot] for bot in (LEX, DIALOGFLOW, WATSON))
    assert lex == dialogflow
    assert lex != watson


@pytest.mark.parametrize(("row", "fits"), [(Row(90, 80, 80, 80), True), (Row(90, 80, 60, 80), False)])
def test_the_check_itself_tells_right_from_wrong(row: Row, fits: bool) -> None:
    assert f1_fits(row) is fits
