"""The exam of logged dialogues from end to end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from marked_talks import FixedRater, simulated, talk

from vivavoce.dialogues.agreement import measure
from vivavoce.dialogues.dialogue import Dialogue
from vivavoce.dialogues.exam import CHUNK, examine_dialogues
from vivavoce.dialogues.raters.protocol import Rater
from vivavoce.dialogues.recalibration import apply, recalibrate
from vivavoce.dialogues.result import Cause, Score
from vivavoce.errors import UsageError, WorkError


def test_the_fake_is_a_rater() -> None:
    assert isinstance(FixedRater([]), Rater)


def test_everything_that_can_be_said_is_in_the_result() -> None:
    talks, scores = simulated(80, slope=0.5, shift=0.5, noise=0.3)
    talks.append(talk("x", passed=True))
    scores.append(Score("x", 1.1))
    found = examine_dialogues(talks, FixedRater(scores), source="log.jsonl", notes=("one row was odd",))
    assert found.dialogues == tuple(talks)
    assert found.scores == tuple(scores)
    assert found.passport.local == measure(talks, scores)
    assert found.recalibration == recalibrate(talks, scores, rater="fixed")
    assert found.recalibration.adopted
    assert sorted(line.bot for line in found.ranking.lines) == ["bot0", "bot1"]
    assert "x" in [one.id for one in found.queue]
    assert (found.source, found.notes) == ("log.jsonl", ("one row was odd",))


def test_an_empty_log_and_a_log_without_marks_are_examined_too() -> None:
    empty = examine_dialogues([], FixedRater([]))
    assert (empty.scores, empty.recalibration, empty.ranking, empty.queue) == ((), None, None, ())
    bare = examine_dialogues([talk("a"), talk("b")], FixedRater([Score("a", 2.0)]))
    assert [score.score for score in bare.scores] == [2.0, None]
    assert not bare.passport.may_compare


def test_a_ranking_warns_until_bots_may_be_compared() -> None:
    talks, scores = simulated(60, noise=0.3)
    assert examine_dialogues(talks, FixedRater(scores)).ranking.warning == ""
    unmarked = [replace(one, ratings=()) for one in talks]
    found = examine_dialogues(unmarked, FixedRater(scores))
    assert found.ranking.warning == found.passport.verdict


def test_progress_moves_and_every_dialogue_is_rated_once_in_order() -> None:
    talks = [talk(f"t{i}") for i in range(2 * CHUNK + 5)]
    rater = FixedRater([Score(one.id, 1 + i % 40 / 10) for i, one in enumerate(talks)])
    seen: list[tuple[str, int, int]] = []
    found = examine_dialogues(talks, rater, progress=lambda *step: seen.append(step))
    assert rater.calls == [CHUNK, CHUNK, 5]
    assert [step[1:] for step in seen] == [(CHUNK, 405), (2 * CHUNK, 405), (405, 405), (0, 1), (1, 1)]
    assert [score.id for score in found.scores] == [one.id for one in talks]


def test_the_same_seed_gives_the_same_result() -> None:
    talks, scores = simulated(50)
    assert examine_dialogues(talks, FixedRater(scores), seed=4) == examine_dialogues(
        talks, FixedRater(scores), seed=4
    )


def test_a_given_recalibration_moves_the_scores_first_and_is_noted() -> None:
    talks, scores = simulated(80, shift=0.8, noise=0.3)
    line = recalibrate(talks, scores, rater="fixed")
    found = examine_dialogues(talks, FixedRater(scores), recalibration=line)
    assert list(found.scores) == apply(line, scores)
    assert found.recalibration == line
    assert found.passport.local["overall"].mse.value < measure(talks, scores)["overall"].mse.value
    assert "adjusted by a recalibration from 80 ratings" in found.notes[0]


def test_a_recalibration_that_was_not_adopted_is_not_used_and_that_is_said() -> None:
    talks, scores = simulated(40, noise=0.0)
    found = examine_dialogues(talks, FixedRater(scores), recalibration=recalibrate(talks, scores))
    assert found.scores == tuple(scores)
    assert "was not used" in found.notes[0]


def test_a_recalibration_of_another_rater_is_refused() -> None:
    talks, scores = simulated(40)
    with pytest.raises(UsageError, match="learned for the rater other, not fixed"):
        examine_dialogues(talks, FixedRater(scores), recalibration=recalibrate(talks, scores, rater="other"))


class Careless(FixedRater):
    """Forgets the last dialogue."""

    def rate(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        return super().rate(dialogues)[:-1]


def test_a_rater_that_forgets_a_dialogue_is_stopped() -> None:
    with pytest.raises(WorkError, match="the rater fixed returned 1 score for 2 dialogues"):
        examine_dialogues([talk("a"), talk("b")], Careless([]))


def test_what_is_no_number_becomes_a_refusal() -> None:
    rater = FixedRater([Score("a", math.nan, 1.0, math.inf), Score("b", None), Score("c", 3.0)])
    found = examine_dialogues([talk("a", 2.0), talk("b"), talk("c")], rater)
    assert [score.score for score in found.scores] == [None, None, 3.0]
    assert found.scores[0].low is None
    assert all(score.refusal for score in found.scores[:2])
    assert found.passport.local["overall"].refused == 1


@pytest.mark.parametrize("wrong", [0.5, 7, -3, "4", True, math.inf])
def test_what_is_off_the_scale_becomes_a_refusal_that_names_rater_and_value(wrong: object) -> None:
    rater = FixedRater([Score("a", wrong), Score("b", 3.0)])  # type: ignore[arg-type]
    first, second = examine_dialogues([talk("a", 2.0), talk("b")], rater).scores
    assert (first.score, first.cause) == (None, Cause.RATER)
    assert "the rater fixed returned an invalid score" in first.refusal
    assert str(wrong) in first.refusal
    assert second == Score("b", 3.0)


def test_a_plain_function_is_a_rater() -> None:
    talks = [talk(f"talk {number}") for number in range(3)]
    result = examine_dialogues(talks, lambda dialogue: 1.0 + len(dialogue.turns) % 4)
    assert [score.score for score in result.scores] == [1.0 + len(one.turns) % 4 for one in talks]
