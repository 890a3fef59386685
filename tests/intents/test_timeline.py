from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.classifiers.fakes import EchoClassifier, JaccardClassifier, NullClassifier
from vivavoce.errors import ClassifierError, DataError, UsageError
from vivavoce.files import read_dataset
from vivavoce.intents import TimelineResult, examine_over_time
from vivavoce.intents.cuts import History
from vivavoce.records import Dataset, Example, Guess

pytestmark = pytest.mark.slow

START = datetime(2025, 1, 1, tzinfo=UTC)
DEMO = Path(__file__).resolve().parents[2] / "src" / "vivavoce" / "demo" / "recruiting_en.csv"
WORDS = ("ant", "bee", "cow", "dog", "eel", "fox", "gnu", "hen", "imp", "jay")


def text_of(number: int) -> str:
    """Return a text unlike that of any other number."""
    return " ".join(WORDS[int(digit)] for digit in f"{number:03d}") + f" {number}"


def history(days: Sequence[float], topics: Sequence[str | None] | None = None) -> Dataset:
    topics = topics or ["a" if row % 2 else "b" for row in range(len(days))]
    return Dataset(
        tuple(
            Example(text_of(row), topic, START + timedelta(days=day), row=row)
            for row, (day, topic) in enumerate(zip(days, topics, strict=True))
        )
    )


class Spy(NullClassifier):
    """Remembers what it was trained on and asked."""

    def __init__(self) -> None:
        self.log: list[tuple[str, list[str]]] = []

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        self.log.append(("fit", list(texts)))

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        self.log.append(("guess", list(texts)))
        return super().guess(texts)


def knowing(data: Dataset) -> EchoClassifier:
    return EchoClassifier(dict(zip(data.texts, data.intents, strict=True)))


def play(data: Dataset, engine: object = None, **options: object) -> TimelineResult:
    return examine_over_time(data, engine or NullClassifier(), **options)  # type: ignore[arg-type]


def messages(result: TimelineResult) -> str:
    return " ".join(note.message for note in result.warnings)


@given(st.lists(st.integers(0, 120), min_size=30, max_size=90), st.integers(1, 8), st.integers(1, 12))
@settings(max_examples=60)
def test_forward_never_trains_on_the_future_and_keeps_equal_moments_together(
    days: list[int], periods: int, min_test: int
) -> None:
    ordered = sorted(days)
    rows = np.arange(len(days))
    moments = tuple(START + timedelta(days=day) for day in ordered)
    folds = History(moments, rows % 3, rows).forward(periods, min_test)
    for fold in folds:
        assert moments[fold.train.max()] < moments[fold.test.min()]
        assert set(fold.train) == set(range(fold.test.min()))
    tested = [row for fold in folds for row in fold.test.tolist()]
    assert tested == sorted(set(tested))
    assert all(len(fold.test) >= min_test for fold in folds) or len(folds) == 1


def test_the_engine_is_never_shown_a_message_that_is_not_older_than_its_tests() -> None:
    data = history(list(range(200)))
    spy, when = Spy(), {example.text: example.created for example in data}
    result = play(data, spy)
    latest = START
    for kind, texts in spy.log:
        moments = [when[text] or START for text in texts]
        if kind == "fit":
            latest = max(moments)
        else:
            assert min(moments) > latest
    assert sum(kind == "fit" for kind, _ in spy.log) == len(result.periods)


def test_periods_are_calendar_months_by_default() -> None:
    result = play(history(list(range(181))), min_test=10)
    assert [(p.begin.month, p.end.month) for p in result.periods] == [(month, month) for month in range(2, 7)]
    assert [p.n_train for p in result.periods] == [31, 59, 90, 120, 151]
    assert [p.n_test for p in result.periods] == [28, 31, 30, 31, 30]


def test_months_are_those_of_utc() -> None:
    east = timezone(timedelta(hours=9))
    data = history(list(range(120)))
    shifted = Dataset(tuple(replace(e, created=e.created.astimezone(east)) for e in data if e.created))
    assert [p.begin for p in play(shifted).periods] == [p.begin for p in play(data).periods]


def test_short_months_are_joined_until_each_period_has_enough_tests() -> None:
    result = play(history([2 * row for row in range(180)]))
    assert all(period.n_test >= 30 for period in result.periods)
    assert len(result.periods) < 11
    assert sum(period.n_test for period in result.periods) + result.periods[0].n_train == 180


def test_a_short_history_is_cut_evenly() -> None:
    result = play(history([row / 24 for row in range(240)]))
    assert [period.n_test for period in result.periods] == [40] * 5


def test_fewer_periods_than_asked_are_told() -> None:
    result = play(history([row / 24 for row in range(120)]), periods=11)
    assert all(period.n_test >= 30 for period in result.periods)
    assert f"{len(result.periods)} periods instead of 11" in messages(result)


def test_topics_that_were_not_born_are_negatives_until_they_are() -> None:
    days = list(range(150))
    topics: list[str | None] = [("a", "b")[row % 2] for row in days]
    topics[70::4] = ["new"] * len(topics[70::4])
    data = history(days, topics)
    result = play(data, knowing(data), min_test=20)
    born = next(place for place, period in enumerate(result.periods) if period.new_topics)
    period = result.periods[born]
    assert period.new_topics == ("new",)
    assert (period.rates["new_topic_share"].value or 0) > 0
    assert period.rates["negative_rejection"].value == 0
    later = result.periods[born + 1]
    assert (later.new_topics, later.rates["new_topic_share"].value) == ((), 0)
    assert later.rates["negative_rejection"].value is None
    assert later.frozen is not None
    assert (later.frozen.rates["new_topic_share"].value or 0) > 0


def test_messages_out_of_scope_are_never_trained_and_always_negatives() -> None:
    days = list(range(120))
    topics = [None if row % 10 == 5 else ("a", "b")[row % 2] for row in days]
    spy = Spy()
    result = play(history(days, topics), spy)
    trained = {text for kind, texts in spy.log if kind == "fit" for text in texts}
    assert not trained & {text_of(row) for row in days if topics[row] is None}
    assert result.overall is not None
    assert result.overall.counts.negatives > 0
    assert result.overall.rates["new_topic_share"].value == 0


def test_the_frozen_model_is_that_of_the_first_period_on_the_same_messages() -> None:
    result = play(history(list(range(150))), JaccardClassifier())
    first = result.periods[0]
    assert first.frozen is not None
    assert first.frozen.rates == first.rates
    for period in result.periods:
        assert period.frozen is not None
        assert period.frozen.counts.total == period.n_test


def test_maintenance_is_worth_what_the_frozen_model_misses() -> None:
    days = list(range(200))
    rng = np.random.default_rng(0)
    born = [("pay", 0), ("leave", 0), ("dogs", 60), ("cars", 100)]
    rows = []
    for day in days:
        topic = [name for name, since in born if since <= day][int(rng.integers(sum(s <= day for _, s in born)))]
        rows.append(Example(f"{topic} {text_of(day)}", topic, START + timedelta(days=day)))
    result = play(Dataset(tuple(rows)), JaccardClassifier(), threshold=0.1)
    assert result.maintenance is not None
    assert (result.maintenance.low or 0) > 0
    assert result.overall is not None
    assert result.overall_frozen is not None
    gained = (result.overall.counts.by_outcome, result.overall_frozen.counts.by_outcome)
    right = [counts["right"] for counts in gained]  # type: ignore[index]
    assert result.maintenance.difference == pytest.approx((right[0] - right[1]) / result.overall.counts.total)


def test_equal_moments_stay_on_one_side_and_a_bulk_import_is_told() -> None:
    days = [0.0] * 50 + [float(row) for row in range(1, 151)] + [40.0] * 40
    result = play(history(days), periods=6, min_test=20)
    moments = sorted(days)
    for period in result.periods:
        known = moments[period.n_train - 1]
        assert START + timedelta(days=known) < period.begin
    assert "50 of 240 rows have the same time (2025-01-01T00:00:00+00:00)" in messages(result)
    assert messages(result).count("have the same time") == 2


def test_undated_rows_are_refused_with_their_numbers_or_left_out_and_listed() -> None:
    data = history(list(range(120)))
    holes = Dataset(tuple(replace(e, created=None) if e.row in (3, 77) else e for e in data))
    with pytest.raises(DataError, match="2 of 120 rows have no date") as caught:
        play(holes)
    assert [fault.where for fault in caught.value.faults] == ["row 3", "row 77"]
    result = play(holes, undated="drop")
    assert result.undated == (3, 77)
    assert "2 rows without a date skipped" in messages(result)
    assert result.data.rows == 118


@pytest.mark.parametrize("undated", ["refuse", "drop"])
def test_data_without_any_date_are_refused_in_one_sentence(undated: str, tmp_path: Path) -> None:
    data = history(list(range(120)))
    bare = Dataset(tuple(replace(e, created=None) for e in data))
    with pytest.raises(DataError, match="no example has a date: the file needs a column 'created'") as caught:
        play(bare, undated=undated)
    assert not caught.value.faults
    path = tmp_path / "data.csv"
    path.write_text("text,intent,created\na,x,soon\nb,y,later\n")
    with pytest.raises(DataError, match="no example has a valid date"):
        play(read_dataset(path), undated=undated)


def test_dates_with_and_without_a_zone_cannot_be_mixed() -> None:
    data = history(list(range(120)))
    mixed = Dataset(tuple(replace(e, created=START.replace(tzinfo=None)) if e.row == 5 else e for e in data))
    with pytest.raises(DataError, match="time zone"):
        play(mixed)
    naive = Dataset(tuple(replace(e, created=e.created.replace(tzinfo=None)) for e in data if e.created))
    assert play(naive).to_json()["periods"] == play(data).to_json()["periods"]


def test_near_duplicates_of_known_messages_are_not_tested() -> None:
    data = history(list(range(120)))
    again = [replace(e, text=data.texts[0] + "!") if e.row in (60, 61, 90) else e for e in data]
    result = play(Dataset(tuple(again)))
    assert sum(period.n_excluded for period in result.periods) == 3
    assert "3 tests excluded: a near-duplicate was in training" in messages(result)


def test_rows_in_any_order_give_the_same_result() -> None:
    data = history(list(range(150)))
    shuffled = data.select(np.random.default_rng(1).permutation(150).tolist())
    first, second = play(data, JaccardClassifier()), play(shuffled, JaccardClassifier())
    assert first.to_json()["periods"] == second.to_json()["periods"]


def test_interleaved_trains_on_more_and_more_and_tests_on_the_past() -> None:
    spy = Spy()
    data = history(list(range(100)))
    result = play(data, spy, mode="interleaved")
    assert [period.n_train for period in result.periods] == [19, 28, 38, 47, 57, 66]
    assert [period.n_test for period in result.periods] == [10, 14, 19, 24, 29, 33]
    when = {example.text: example.created or START for example in data}
    for (_, trained), (_, asked) in zip(spy.log[::2], spy.log[1::2], strict=True):
        assert max(when[text] for text in asked) < max(when[text] for text in trained)
        assert not set(asked) & set(trained)
    assert result.overall is None
    assert result.periods[0].frozen is None
    assert "look back" in messages(result)


def test_a_history_that_is_too_short_is_refused() -> None:
    with pytest.raises(DataError, match="too short to split"):
        play(history(list(range(20))))
    with pytest.raises(DataError, match="too short to split"):
        play(history([0] * 90))
    with pytest.raises(DataError, match="one topic"):
        play(history(list(range(90)), ["a"] * 90))


def test_one_period_with_few_tests_is_told() -> None:
    result = play(history(list(range(45))))
    assert len(result.periods) == 1
    assert "fewer than 30 tests" in messages(result)


def test_wrong_options_are_refused_all_at_once() -> None:
    with pytest.raises(UsageError) as caught:
        play(history([1, 2]), mode="backward", periods=0, min_test=0, undated="keep")
    assert len(caught.value.faults) == 4
    with pytest.raises(UsageError, match="threshold"):
        play(history([1, 2]), threshold=-1)


def test_an_engine_that_fails_ends_the_playback_in_words() -> None:
    class Broken(NullClassifier):
        def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
            raise OSError("no route")

    with pytest.raises(ClassifierError, match="OSError: no route"):
        play(history(list(range(120))), Broken())


def test_progress_ends_at_the_number_of_periods() -> None:
    told: list[tuple[str, int, int]] = []
    result = play(history(list(range(150))), progress=lambda *step: told.append(step))
    n = len(result.periods)
    assert told[-1] == ("examining", n, n)


def test_the_json_form_is_the_promised_one() -> None:
    result = play(history(list(range(150))), JaccardClassifier())
    found = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert (found["kind"], found["definitions"], found["mode"]) == ("intents-over-time", 1, "forward")
    period = found["periods"][0]
    assert {"from", "to", "n_train", "n_test", "accuracy", "automation_rate", "precision_answered"} <= period.keys()
    assert {"new_topic_share", "negative_rejection", "frozen", "outcomes"} <= period.keys()
    assert sum(period["outcomes"].values()) == period["n_test"]
    assert period["accuracy"].keys() == {"value", "low", "high", "n"}


def test_a_notebook_shows_the_periods() -> None:
    html = play(history(list(range(150))))._repr_html_()
    assert "2025-02-01 to" in html
    assert "new topic share" in html


def test_the_shipped_history_can_be_played_back() -> None:
    data = read_dataset(DEMO)
    result = play(data, "tfidf")
    assert len(result.periods) >= 10
    assert all(period.n_test >= 30 for period in result.periods)
    assert any(period.new_topics for period in result.periods)
    assert result.maintenance is not None
    assert (result.maintenance.difference or 0) > 0
