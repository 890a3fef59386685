"""A rater of the user's own."""

from __future__ import annotations

import asyncio
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.dialogues.dialogue import Dialogue, Utterance
from vivavoce.dialogues.raters.protocol import Rater
from vivavoce.dialogues.raters.python import as_rater, from_option
from vivavoce.dialogues.result import Cause, Origin, Score
from vivavoce.errors import UsageError


def talk(name: str, *texts: str) -> Dialogue:
    return Dialogue(name, tuple(Utterance("AB"[place % 2], text) for place, text in enumerate(texts)))


TALKS = [talk("one", "hi", "hello"), talk("two", "help", "no"), talk("three")]


@given(st.floats(1, 5))
def test_a_number_on_the_scale_is_the_score(mark: float) -> None:
    assert as_rater(lambda dialogue: mark).rate(TALKS[:1]) == [Score("one", mark)]


def test_numbers_of_numpy_are_numbers() -> None:
    (score,) = as_rater(lambda dialogue: np.float32(2.5)).rate(TALKS[:1])
    assert score.score == 2.5
    assert type(score.score) is float


@pytest.mark.parametrize("wrong", [0.5, 5.01, -1, math.nan, math.inf, True, "4", [4], Score("one", 9.0)])
def test_what_is_no_score_costs_its_dialogue_and_names_function_and_value(wrong: Any) -> None:
    def odd_one(dialogue: Dialogue) -> Any:
        return wrong if dialogue.id != "two" else 3

    scores = as_rater(odd_one, name="python:mine:odd_one").rate(TALKS)
    assert [score.id for score in scores] == ["one", "two", "three"]
    assert [score.score for score in scores] == [None, 3.0, None]
    shown = "9" if isinstance(wrong, Score) else str(wrong)
    assert "python:mine:odd_one returned an invalid score" in scores[0].refusal
    assert shown in scores[0].refusal
    assert [score.cause for score in scores] == [Cause.RATER, None, Cause.RATER]


def test_nothing_is_a_refusal() -> None:
    (score,) = as_rater(lambda dialogue: None, name="shy").rate(TALKS[:1])
    assert (score.score, score.refusal, score.cause) == (None, "shy gave no score", Cause.NO_REASON)


def test_a_failure_refuses_one_dialogue_and_the_run_goes_on() -> None:
    def fragile(dialogue: Dialogue) -> float:
        return 1 + len(dialogue.turns) / 2 if dialogue.turns else 1 / 0

    scores = as_rater(fragile).rate(TALKS)
    assert [score.score for score in scores] == [2, 2, None]
    assert "fragile failed: ZeroDivisionError: division by zero" in scores[2].refusal
    assert f"{__file__}, line " in scores[2].refusal


def test_a_score_is_taken_whole() -> None:
    made = Score("", 3.0, 2.0, 4.0, warnings=("odd",))
    (score,) = as_rater(lambda dialogue: made).rate(TALKS[:1])
    assert score == Score("one", 3.0, 2.0, 4.0, warnings=("odd",))


def test_the_score_of_another_dialogue_is_no_score() -> None:
    scores = as_rater(lambda dialogue: Score("two", 3.0)).rate(TALKS)
    assert [score.score for score in scores] == [None, 3.0, None]
    assert "score of 'two'" in scores[0].refusal


@pytest.mark.parametrize("asynchronous", [False, True])
def test_code_that_ends_the_program_costs_its_dialogue_only(asynchronous: bool) -> None:
    def leaving(dialogue: Dialogue) -> float:
        if dialogue.id == "two":
            sys.exit(7)
        return 3.0

    async def slowly(dialogue: Dialogue) -> float:
        return leaving(dialogue)

    scores = as_rater(slowly if asynchronous else leaving).rate(TALKS)
    assert [score.score for score in scores] == [3.0, None, 3.0]
    assert "SystemExit: 7" in scores[1].refusal
    assert f"{__file__}, line " in scores[1].refusal
    assert scores[1].cause is Cause.RATER


def test_a_batch_that_ends_the_program_is_a_failure() -> None:
    class Leaving:
        def rate_many(self, dialogues: list[Dialogue]) -> list[float]:
            raise SystemExit(4)

    assert all("SystemExit: 4" in score.refusal for score in as_rater(Leaving()).rate(TALKS))


class Batch:
    origin = Origin("my own talks")

    def __init__(self) -> None:
        self.calls = 0

    def rate_many(self, dialogues: list[Dialogue]) -> Any:
        self.calls += 1
        return np.array([3.0 if dialogue.turns else 1.0 for dialogue in dialogues])


def test_many_are_rated_in_one_call() -> None:
    batch = Batch()
    rater = as_rater(batch)
    assert [score.score for score in rater.rate(TALKS)] == [3, 3, 1]
    assert batch.calls == 1
    assert rater.origin == Batch.origin
    assert rater.rate([]) == []


def test_a_wrong_number_of_scores_is_an_error() -> None:
    class Short:
        def rate_many(self, dialogues: list[Dialogue]) -> list[float]:
            return [3.0]

    with pytest.raises(UsageError, match="1 score for 3 dialogues"):
        as_rater(Short).rate(TALKS)


def test_a_failed_batch_refuses_all_with_the_reason() -> None:
    class Broken:
        def rate_many(self, dialogues: list[Dialogue]) -> list[float]:
            raise OSError("no room")

    assert all("OSError: no room" in score.refusal for score in as_rater(Broken()).rate(TALKS))


def test_a_class_and_a_factory_are_called_first() -> None:
    assert as_rater(Batch).rate(TALKS[:1])[0].score == 3
    assert as_rater(lambda: lambda dialogue: 4).rate(TALKS[:1])[0].score == 4


def test_a_function_that_could_do_without_the_dialogue_still_gets_it() -> None:
    assert as_rater(lambda dialogue=None: float(len(dialogue.turns))).rate(TALKS[:1])[0].score == 2


def test_a_coroutine_is_waited_for_inside_a_loop_and_outside() -> None:
    async def slowly(dialogue: Dialogue) -> float:
        await asyncio.sleep(0)
        return 4.0

    async def inside() -> list[Score]:
        return as_rater(slowly).rate(TALKS)

    assert as_rater(slowly).rate(TALKS) == asyncio.run(inside()) == [Score(each.id, 4.0) for each in TALKS]


def test_a_rater_of_the_users_own_is_checked_like_a_function() -> None:
    class Whole:
        name, origin = "whole", None

        def rate(self, dialogues: list[Dialogue]) -> list[Score]:
            return [Score(dialogue.id, 6.0) for dialogue in dialogues]

    assert isinstance(as_rater(Whole()), Rater)
    assert all("6 is not from 1 to 5" in score.refusal for score in as_rater(Whole()).rate(TALKS))


def test_what_cannot_rate_is_refused() -> None:
    with pytest.raises(UsageError, match="a dict cannot rate"):
        as_rater({})


def test_a_class_that_cannot_be_made_says_why() -> None:
    class Greedy:
        def __init__(self, more: str) -> None:
            self.more = more

    with pytest.raises(UsageError, match="missing 1 required positional argument"):
        as_rater(Greedy)


# --- finding it --------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    code = "def polite(dialogue):\n    return 5.0 if any('thank' in turn.text for turn in dialogue.turns) else 2.0\n"
    (tmp_path / "rater_module_of_tests.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("module", ["rater_module_of_tests", "rater_module_of_tests.py"])
def test_a_module_and_a_file_can_be_named(folder: Path, module: str) -> None:
    rater = from_option(f"{module}:polite")
    assert [score.score for score in rater.rate([talk("a", "thanks"), talk("b", "no")])] == [5, 2]
    assert rater.name == f"python:{module}:polite"
    assert rater.origin is None


def test_a_module_that_ends_the_program_is_refused_with_its_place(folder: Path) -> None:
    (folder / "leaving_module_of_tests.py").write_text("import sys\nsys.exit(5)\n")
    with pytest.raises(UsageError, match="SystemExit: 5") as refused:
        from_option("leaving_module_of_tests.py:polite")
    assert "leaving_module_of_tests.py, line 2" in refused.value.where


def test_a_misspelt_function_is_refused_with_the_nearest(folder: Path) -> None:
    with pytest.raises(UsageError, match="Did you mean 'polite'"):
        from_option("rater_module_of_tests.py:polit")


@pytest.mark.parametrize("option", ["", "module", ":function", "module:"])
def test_a_half_name_is_refused_with_an_example(option: str) -> None:
    with pytest.raises(UsageError) as refused:
        from_option(option)
    assert "python:package.module:function" in refused.value.remedy
