"""Whether a log is another kind of talk than what the model learned from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vivavoce.demo import dialogues_path
from vivavoce.dialogues.corpus.preprocessing import prepare
from vivavoce.dialogues.corpus.published import read_convai2017
from vivavoce.dialogues.corpus.reading import read_dialogues
from vivavoce.dialogues.dialogue import Dialogue, Kind, Utterance
from vivavoce.dialogues.exam import examine_dialogues
from vivavoce.dialogues.model.explaining import LIMIT, MAX_DIALOGUES, MIN_DIALOGUES, measure_drift
from vivavoce.dialogues.raters.learned import load_shipped
from vivavoce.dialogues.refusals import refuse
from vivavoce.dialogues.result import Drift
from vivavoce.reports.dialogues.html import render_dialogues
from vivavoce.reports.dialogues.wording import drift_warning, remarks

pytestmark = pytest.mark.slow

MODEL = load_shipped().model


@pytest.fixture(scope="module")
def demo() -> tuple[Dialogue, ...]:
    return read_dialogues(dialogues_path()).dialogues


def booking(number: int) -> Dialogue:
    """Return a talk about a task: long answers with numbers, and thanks at the end."""
    texts = (
        f"I need a flight to Melbourne on the {number + 1}th for 2 people",
        f"I found 3 flights on October {number + 1}: QF{400 + number} at 09:15 for 189 dollars, arriving at 10:40.",
        "Please book the first one for me",
        f"Please confirm: 2 tickets on QF{400 + number}, economy, 378 dollars in all, refundable for 24 hours.",
        "Yes, thank you very much",
        "Your flight is booked. The confirmation number is 48213377. Is there anything else I can help you with?",
        "No thanks, that is all",
        "Have a great day!",
    )
    turns = tuple(
        Utterance("bot" if place % 2 else "user", text, bool(place % 2)) for place, text in enumerate(texts)
    )
    return Dialogue(f"b{number}", turns)


def test_a_log_about_a_task_is_warned_of_once_and_not_in_every_talk() -> None:
    result = examine_dialogues([booking(number) for number in range(12)])
    drift = result.passport.drift
    assert drift is not None
    assert drift.distance > LIMIT
    assert drift.traits
    warning = drift_warning(result.passport)
    assert [text for text in result.passport.warnings if text == warning] == [warning]
    assert "differ from those the rater was trained on" in warning
    assert not any("differ from those" in text for score in result.scores for text in score.warnings)
    assert warning not in list(remarks(result))
    assert render_dialogues(result).count("differ from those") == 1


def test_the_talks_of_the_demo_differ_from_the_learned_ones(demo: tuple[Dialogue, ...]) -> None:
    drift = measure_drift(MODEL, demo)
    assert drift is not None
    assert drift.differs
    assert drift.talks == len(demo)


def test_a_handful_of_talks_does_not_show_its_kind() -> None:
    few = [booking(number) for number in range(MIN_DIALOGUES - 1)]
    assert measure_drift(MODEL, few) is None
    assert examine_dialogues(few).passport.drift is None


def test_a_large_log_is_looked_at_from_its_beginning_to_its_end() -> None:
    drift = measure_drift(MODEL, [booking(number % 12) for number in range(MAX_DIALOGUES * 2 + 1)])
    assert drift is not None
    assert MAX_DIALOGUES / 2 < drift.talks <= MAX_DIALOGUES


def test_a_rater_that_does_not_know_what_it_learnt_from_compares_nothing() -> None:
    assert examine_dialogues([booking(number) for number in range(12)], lambda talk: 3.0).passport.drift is None


def test_only_a_distance_above_the_limit_differs() -> None:
    assert [Drift(distance, 0.3, 10).differs for distance in (0.29, 0.3, 0.31)] == [False, False, True]


@pytest.mark.shared
def test_held_out_talks_of_the_learned_kind_do_not_warn_and_scripted_tasks_do(shared: Path) -> None:
    kept = prepare(read_convai2017(shared / "data")).kept
    autumn = [talk for talk in kept if talk.source != "july2017" and talk.kind is Kind.HUMAN_BOT and not refuse(talk)]
    for start in range(0, 200, 20):
        small = measure_drift(MODEL, autumn[start : start + 20])
        assert small is not None
        assert not small.differs
    lines = (shared / "data" / "conversations" / "sgd_doctor.jsonl").read_text(encoding="utf-8").splitlines()
    talks = [_scripted(json.loads(line)) for line in lines]
    far = measure_drift(MODEL, [talk for talk in talks if not refuse(talk)])
    assert far is not None
    assert far.distance > 1.5 * LIMIT


def _scripted(item: dict[str, object]) -> Dialogue:
    turns = item["turns"]
    assert isinstance(turns, list)
    said = [(turn["user"], turn.get("expected") or "") for turn in turns]
    return Dialogue(
        str(item["id"]),
        tuple(
            Utterance(who, text, who == "bot")
            for pair in said
            for who, text in zip(("user", "bot"), pair, strict=True)
        ),
    )
