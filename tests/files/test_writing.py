from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import FileError
from vivavoce.files import write_json, write_predictions
from vivavoce.files.writing import guard_cell
from vivavoce.records import NO_GUESS, Example, Guess


def test_predictions_are_one_row_each(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    write_predictions(path, [(Example('say "hi", ü', "greet"), Guess("part", 0.25)), (Example("x", None), NO_GUESS)])
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert rows == [
        ["text", "intent", "guess", "confidence"],
        ['say "hi", ü', "greet", "part", "0.25"],
        ["x", "oos", "", "0.0"],
    ]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t"])
def test_no_cell_is_a_formula(tmp_path: Path, start: str) -> None:
    path = tmp_path / "out.csv"
    cell = f"{start}cmd|' /C calc'!A0"
    write_predictions(path, [(Example(cell, cell), Guess(cell, 1.0))])
    with path.open(newline="", encoding="utf-8") as file:
        _, row = csv.reader(file)
    assert row == [f"'{cell}"] * 3 + ["1.0"]


@given(st.text())
def test_the_guard_adds_one_sign_at_most_and_only_in_front(cell: str) -> None:
    assert guard_cell(cell).removeprefix("'") == cell.removeprefix("'")
    assert not guard_cell(cell).startswith(("=", "+", "-", "@", "\t"))


def test_json_keeps_order_and_letters(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    write_json(path, {"z": "Grüße 你好", "a": np.float64(0.5), "m": np.arange(2)})
    text = path.read_text(encoding="utf-8")
    assert "Grüße 你好" in text
    assert list(json.loads(text).items()) == [("z", "Grüße 你好"), ("a", 0.5), ("m", [0, 1])]
    assert text.endswith("}\n")


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(st.characters()), st.lists))
def test_json_is_read_back_from_standard_output(data: object) -> None:
    with pytest.MonkeyPatch.context() as patch:
        read, write = os.pipe()
        with os.fdopen(read, "rb") as reader:
            with os.fdopen(write, "w") as writer:
                patch.setattr("sys.stdout", writer)
                write_json("-", data)
            assert json.loads(reader.read()) == data


def test_a_lone_surrogate_does_not_stop_the_writing(tmp_path: Path) -> None:
    write_json(tmp_path / "out.json", ["\ud800"])
    assert json.loads((tmp_path / "out.json").read_bytes()) == ["\ud800"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.json"
    write_json(path, "old")
    with pytest.raises(ValueError):
        write_json(path, float("nan"))
    with pytest.raises(TypeError):
        write_json(path, object())
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(FileError, match="No space left"):
        write_json(path, "new")
    assert [item.name for item in tmp_path.iterdir()] == ["out.json"]
    assert json.loads(path.read_text()) == "old"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    write_json(tmp_path / "link.json", 1)
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_text() == "1\n"


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "no" / "out.json", tmp_path):
        with pytest.raises(FileError) as caught:
            write_json(path, 1)
        assert caught.value.where == str(path)
        assert caught.value.remedy
