"""Predictions of any engine come in as a table, whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from vivavoce.errors import DataError
from vivavoce.files import read_predictions, write_predictions
from vivavoce.records import NO_GUESS, Guess

GOOD = """text,intent,guess,confidence
How much is the pay?,salary,salary,0.9
When may I leave?,holiday,salary,"0,4"
Do you like cats?,oos,,0
Is it far?,commute,nlu_fallback,0.7
Where do I park?,parking,parking,83 %
"""


def save(folder: Path, content: str) -> Path:
    path = folder / "answers.csv"
    path.write_text(content, encoding="utf-8")
    return path


def test_guesses_stand_beside_the_topics_and_declining_is_no_guess(tmp_path: Path) -> None:
    data, guesses = read_predictions(save(tmp_path, GOOD))
    assert data.intents == ("salary", "holiday", None, "commute", "parking")
    assert guesses == (Guess("salary", 0.9), Guess("salary", 0.4), NO_GUESS, NO_GUESS, Guess("parking", 0.83))


def test_the_columns_may_be_called_as_platforms_call_them(tmp_path: Path) -> None:
    content = GOOD.replace("text,intent,guess,confidence", "Utterance,Label,Detected Intent,Score")
    assert read_predictions(save(tmp_path, content))[1] == read_predictions(save(tmp_path, GOOD))[1]


def test_without_confidences_every_guess_is_certain(tmp_path: Path) -> None:
    _, guesses = read_predictions(save(tmp_path, "text,intent,predicted\nPay?,salary,salary\nFar?,commute,\n"))
    assert guesses == (Guess("salary", 1.0), NO_GUESS)


def test_all_wrong_confidences_are_named_with_their_rows(tmp_path: Path) -> None:
    content = "text,intent,guess,confidence\na b,x,x,high\nc d,y,y,1.2\ne f,x,x,0.5\n"
    with pytest.raises(DataError) as refusal:
        read_predictions(save(tmp_path, content))
    assert [fault.where for fault in refusal.value.faults] == ["row 2", "row 3"]
    assert "'high'" in str(refusal.value)


def test_a_table_without_guesses_says_which_columns_it_has(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no column for the guesses.*'text', 'intent'"):
        read_predictions(save(tmp_path, "text,intent\nPay?,salary\n"))


def test_what_a_blind_test_writes_comes_back(tmp_path: Path) -> None:
    data, guesses = read_predictions(save(tmp_path, GOOD))
    write_predictions(tmp_path / "again.csv", zip(data.examples, guesses, strict=True))
    again, same = read_predictions(tmp_path / "again.csv")
    assert (again.intents, same) == (data.intents, guesses)
