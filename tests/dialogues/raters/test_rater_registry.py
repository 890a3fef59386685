"""Raters are found by their names, like bots and classifiers."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import pytest

from vivavoce import plugins
from vivavoce.dialogues.raters.length import LengthRater
from vivavoce.dialogues.raters.protocol import RATERS, Rater, RaterOptions, list_raters, load_rater
from vivavoce.errors import UsageError

HOME = "vivavoce.dialogues.raters"
POINTS = {
    "length": f"{HOME}.length:from_option",
    "openai": f"{HOME}.openai:from_option",
    "python": f"{HOME}.python:from_option",
    "strange": "odd_raters:strange",
    "learned": "odd_raters:learned",
}


@pytest.fixture(autouse=True)
def group(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = ModuleType("odd_raters")
    odd.strange = lambda option: 42  # type: ignore[attr-defined]
    odd.learned = Learned  # type: ignore[attr-defined]
    monkeypatch.setitem(__import__("sys").modules, "odd_raters", odd)
    points = tuple(EntryPoint(name, value, RATERS) for name, value in POINTS.items())
    monkeypatch.setattr(plugins, "_points", lambda asked: points if asked == RATERS else ())


class Learned(LengthRater):
    """A model file, perhaps of the user's own."""

    def __init__(self, option: str = "") -> None:
        self.path = option


def test_a_built_in_rater_is_loaded_by_its_name() -> None:
    rater = load_rater("length")
    assert isinstance(rater, LengthRater)
    assert isinstance(rater, Rater)


def test_the_option_is_all_that_follows_the_first_colon(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "registry_marks.py").write_text("def best(dialogue):\n    return 5\n")
    monkeypatch.chdir(tmp_path)
    assert load_rater("python:registry_marks.py:best").name == "python:registry_marks.py:best"
    learned = load_rater("learned:models/mine.json")
    assert isinstance(learned, Learned)
    assert learned.path == "models/mine.json"


def test_an_unknown_rater_is_refused_with_the_nearest_and_all_names() -> None:
    with pytest.raises(UsageError) as refused:
        load_rater("lenght")
    assert "Did you mean 'length'?" in refused.value.what
    assert all(name in refused.value.remedy for name in POINTS)


def test_without_any_plugin_it_is_said_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "_points", lambda asked: ())
    with pytest.raises(UsageError, match="install a package"):
        load_rater("length")


def test_what_is_no_rater_is_refused() -> None:
    with pytest.raises(UsageError, match="'strange' returned int, not a rater") as refused:
        load_rater("strange")
    assert "rate(dialogues)" in refused.value.remedy


def test_options_that_a_rater_cannot_heed_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not use most, record"):
        load_rater("length", options=RaterOptions(most=3, record=tmp_path / "r.jsonl"))


def test_seed_and_progress_are_harmless_to_all() -> None:
    assert load_rater("length", options=RaterOptions(seed=3, progress=lambda done, total: None)).name == "length"


def test_options_reach_a_rater_that_heeds_them() -> None:
    with pytest.raises(UsageError, match="cannot be set for a judge"):
        load_rater("openai:tiny@http://127.0.0.1:1", options=RaterOptions(settings={"system": "be nice"}))


def test_senseless_numbers_are_refused_all_at_once() -> None:
    options = RaterOptions(at_once=0, retries=-1, most=-5, timeout_s=0)
    with pytest.raises(UsageError) as refused:
        load_rater("openai:tiny", options=options)
    assert {fault.where for fault in refused.value.faults} == {"at_once", "retries", "most", "timeout_s"}


def test_every_kind_says_what_it_is_in_one_line() -> None:
    told = {line.name: line.summary for line in list_raters()}
    assert set(told) == set(POINTS)
    assert "half a point" in told["length"]
    assert "rubric" in told["openai"]
    assert "1 to 5" in told["python"]
