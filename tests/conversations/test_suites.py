"""A suite is found by path or by name, and the nearer thing wins."""

from __future__ import annotations

from pathlib import Path

import pytest

from vivavoce.conversations import read_suite
from vivavoce.errors import FileError


def test_the_record_of_a_run_does_not_hide_the_shipped_suite_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "flight").mkdir()
    (tmp_path / "flight" / "run.sqlite").write_bytes(b"")
    assert read_suite("flight").source == "flight"


def test_a_folder_of_the_readers_own_comes_before_a_shipped_suite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "flight").mkdir()
    (tmp_path / "flight" / "mine.yaml").write_text(
        "format: 1\nsuite: mine\nscenarios:\n  - {id: a, level: basic, turns: [{user: hi, expect: any}]}\n"
    )
    assert [scenario.id for scenario in read_suite("flight").scenarios] == ["a"]


def test_a_name_that_is_nothing_gets_the_nearest_one() -> None:
    with pytest.raises(FileError, match="Did you mean 'flight'"):
        read_suite("fligth")
