from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.classifiers.fakes import EchoClassifier, FailingClassifier, JaccardClassifier, NullClassifier
from vivavoce.errors import ClassifierError, DataError, UsageError
from vivavoce.files import read_dataset
from vivavoce.intents import BlindResult, examine_blind, score_predictions
from vivavoce.outcomes import Outcome, outcome_of
from vivavoce.records import NO_GUESS, Dataset, Guess

pytestmark = pytest.mark.slow

BOTS = ("curekart", "sofmattress")
ENGINES = ("dialogflow", "luis", "rasa", "haptik", "bert")
PUBLISHED = {
    "accuracy": "accuracy",
    "weighted_f1": "f1_weighted",
    "inscope_accuracy": "in_scope_accuracy",
    "oos_recall": "oos_recall",
    "mcc": "mcc",
}
TRAIN = Dataset.of(
    ["how much is the pay", "what salary is paid", "how many days of leave", "leave for a holiday", "nice weather"],
    ["pay", "pay", "leave", "leave", None],
)
TEST = Dataset.of(
    ["is the pay good", "how much is the pay?", "days of leave please", "sing a song"], ["pay", "pay", "leave", None]
)


def stored(shared: Path, bot: str, engine: str) -> tuple[Dataset, list[Guess]]:
    with (shared / "data" / "intents" / "predictions" / f"hint3_{bot}_{engine}.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    truth = Dataset.of(
        [row["text"] for row in rows], [None if row["intent"] == "oos" else row["intent"] for row in rows]
    )
    return truth, [
        NO_GUESS if row["predicted"] == "oos" else Guess(row["predicted"], float(row["confidence"])) for row in rows
    ]


@pytest.mark.shared
@pytest.mark.parametrize("bot", BOTS)
@pytest.mark.parametrize("engine", ENGINES)
def test_published_numbers_of_real_platforms_come_out_exactly(shared: Path, bot: str, engine: str) -> None:
    truth, guesses = stored(shared, bot, engine)
    with (shared / "data" / "intents" / "predictions" / f"hint3_{bot}_published.csv").open() as file:
        lines = [line for line in csv.DictReader(file) if line["engine"] == engine]
    assert len(lines) == 9
    for line in lines:
        result = score_predictions(truth, guesses, float(line["threshold"]), resamples=0)
        for theirs, ours in PUBLISHED.items():
            assert result.rate(ours).value == pytest.approx(float(line[theirs]), abs=1e-9)


@pytest.mark.shared
def test_derived_numbers_of_a_real_platform_are_those_of_the_definitions(shared: Path) -> None:
    truth, guesses = stored(shared, "curekart", "dialogflow")
    result = score_predictions(truth, guesses, resamples=0)
    expected = {
        "automation_rate": 0.497,
        "precision_answered": 0.613,
        "carefulness": 0.261,
        "deferral_precision": 0.926,
        "deferral_recall": 0.707,
    }
    assert {name: round(result.rate(name).value or 0, 3) for name in expected} == expected
    # Equal confidences share their errors here; taking them in the order of the file gives 0.362.
    assert result.rate("aurc").value == pytest.approx(0.362, abs=0.002)


@pytest.mark.shared
def test_training_data_given_with_stored_answers_show_the_leak(shared: Path) -> None:
    truth, guesses = stored(shared, "curekart", "haptik")
    train = read_dataset(shared / "data" / "intents" / "hint3_curekart.csv", split="train")
    result = score_predictions(truth, guesses, train=train, resamples=0)
    assert result.leak is not None
    assert result.leak.rows >= 8
    assert result.leak.accuracy_without.n == len(truth) - result.leak.rows


def jaccard(**options: object) -> BlindResult:
    return examine_blind(TRAIN, TEST, JaccardClassifier(), **options)  # type: ignore[arg-type]


def test_it_trains_once_on_the_rows_that_have_a_topic_and_asks_once() -> None:
    seen: list[tuple[str, tuple[str, ...]]] = []

    class Spy(NullClassifier):
        def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
            seen.append(("fit", tuple(texts)))

        def guess(self, texts: Sequence[str]) -> list[Guess]:
            seen.append(("guess", tuple(texts)))
            return super().guess(texts)

    result = examine_blind(TRAIN, TEST, Spy())
    assert seen == [("fit", TRAIN.texts[:4]), ("guess", TEST.texts)]
    assert "1 training row out of scope" in " ".join(note.message for note in result.warnings)


def test_rows_without_a_topic_are_negatives() -> None:
    result = jaccard(threshold=0.2)
    assert result.counts.negatives == 1
    assert result.rate("oos_recall") == result.rate("negative_rejection")
    assert result.rate("oos_recall").value == 1
    assert result.rate("accuracy").value == 1


def test_the_counts_are_the_outcomes_of_the_predictions() -> None:
    result = jaccard()
    found = [outcome_of(example.intent, guess, 0.5) for example, guess in result.predictions]
    assert {outcome: found.count(outcome) for outcome in Outcome} == dict(result.counts.by_outcome)
    assert [example for example, _ in result.predictions] == list(TEST.examples)


def test_a_near_duplicate_in_training_is_counted_and_told() -> None:
    result = jaccard()
    assert result.leak is not None
    assert (result.leak.rows, result.leak.accuracy_without.n) == (1, 3)
    assert "1 test row with a near-duplicate in training; without them, accuracy is" in result.warnings[0].message


def test_topics_that_were_never_trained_are_refused_all_at_once() -> None:
    test = Dataset.of(["a dog", "a cat", "the pay"], ["pays", "cats", "pay"])
    with pytest.raises(DataError) as caught:
        examine_blind(TRAIN, test, JaccardClassifier())
    assert len(caught.value.faults) == 2
    assert "Did you mean 'pay'?" in str(caught.value)
    assert "--unknown-intents negative" in str(caught.value)


def test_topics_that_were_never_trained_may_be_negatives_and_keep_their_name() -> None:
    test = Dataset.of(["a dog", "a cat", "how much is the pay"], ["dogs", "cats", "pay"])
    result = examine_blind(TRAIN, test, JaccardClassifier(), unknown="negative")
    assert result.unknown_intents == ("cats", "dogs")
    assert result.counts.negatives == 2
    assert {cell.origin for cell in result.confusion if cell.negative} == {"cats", "dogs"}
    assert {line.intent: line.examples for line in result.intents} == {"leave": 2, "pay": 2, "cats": 0, "dogs": 0}


def test_a_wrong_policy_or_threshold_is_refused() -> None:
    with pytest.raises(UsageError, match="'refuse' or 'negative'"):
        jaccard(unknown="drop")
    with pytest.raises(UsageError, match="threshold"):
        jaccard(threshold=2)
    with pytest.raises(UsageError, match="Did you mean 'accuracy'"):
        jaccard().rate("acuracy")


def test_training_data_of_one_topic_and_empty_tests_are_refused() -> None:
    with pytest.raises(DataError, match="1 topics"):
        examine_blind((["a", "b"], ["x", "x"]), TEST, JaccardClassifier())
    with pytest.raises(DataError, match="nothing to test"):
        examine_blind(TRAIN, Dataset(()), JaccardClassifier())


def test_whatever_the_engine_raises_becomes_a_classifier_error() -> None:
    class Broken(NullClassifier):
        def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
            raise RuntimeError("no connection")

    with pytest.raises(ClassifierError, match="RuntimeError: no connection"):
        examine_blind(TRAIN, TEST, Broken())
    with pytest.raises(ClassifierError, match="simulated failure for 'sing a song'"):
        examine_blind(TRAIN, TEST, FailingClassifier(JaccardClassifier(), lambda text: "song" in text))


@given(
    st.lists(st.tuples(st.sampled_from([None, "a", "b"]), st.sampled_from([None, "a", "b", "c"]), st.floats(0, 1)))
)
def test_stored_predictions_of_any_kind_can_be_scored(rows: list[tuple[str | None, str | None, float]]) -> None:
    rows = [(None, None, 0.0), *rows]
    truth = Dataset.of([f"text {'x' * place}" for place in range(len(rows))], [row[0] for row in rows])
    guesses = [NO_GUESS if row[1] is None else Guess(row[1], row[2]) for row in rows]
    result = score_predictions(truth, guesses, resamples=20)
    json.dumps(result.to_json(), allow_nan=False)
    for rate in result.rates.values():
        if rate.value is not None and rate.low is not None and rate.high is not None:
            assert rate.low <= rate.value <= rate.high


def test_scoring_the_stored_predictions_again_gives_the_same_numbers() -> None:
    answers = {
        text: Guess("pay", confidence) for text, confidence in zip(TEST.texts, (0.7, 0.1, 0.69, 0.3), strict=True)
    }
    first = examine_blind(TRAIN, TEST, EchoClassifier(answers), threshold=0.7)
    again = score_predictions(TEST, [guess for _, guess in first.predictions], 0.7, train=TRAIN)
    assert first.counts == again.counts
    assert first.counts[Outcome.RIGHT] == 1
    assert first.rates == again.rates


def test_faulty_guesses_are_refused_all_at_once() -> None:
    with pytest.raises(DataError, match="3 guesses for 4 messages"):
        score_predictions(TEST, [NO_GUESS] * 3)
    wrong = [Guess("pay", 85.0), Guess("pay", float("nan")), Guess("pay", -1.0), Guess("pay", 1.0)]
    with pytest.raises(DataError, match="scale the confidences") as caught:
        score_predictions(TEST, wrong)
    assert len(caught.value.faults) == 3


def test_a_bootstrap_interval_needs_resamples_and_is_the_same_for_the_same_seed() -> None:
    assert jaccard(resamples=0).rate("aurc").low is None
    assert jaccard(seed=3).rates == jaccard(seed=3).rates


def test_intervals_widen_when_rows_are_near_duplicates() -> None:
    texts = [f"{word} question" for word in ("red", "blue", "green", "dark", "light", "warm") for _ in range(10)]
    truth = Dataset.of(texts, ["a"] * 30 + [None] * 30)
    rng = np.random.default_rng(0)
    by_text = {text: Guess("a", float(rng.random())) for text in texts}
    grouped = score_predictions(truth, [by_text[text] for text in texts]).rate("oos_auroc")
    apart = Dataset.of([f"{text} {place}" for place, text in enumerate(texts)], truth.intents)
    single = score_predictions(apart, [by_text[text] for text in texts]).rate("oos_auroc")
    assert grouped.value == single.value
    assert (grouped.high or 0) - (grouped.low or 0) > (single.high or 0) - (single.low or 0)


def test_the_json_form_is_the_promised_one() -> None:
    found = json.loads(json.dumps(jaccard().to_json(), allow_nan=False))
    assert (found["kind"], found["definitions"], found["seed"]) == ("intents-blind", 1, 0)
    assert found["data"]["rows"] == 4
    assert found["train"]["out_of_scope"] == 1
    for name in ("accuracy", "in_scope_accuracy", "oos_recall", "oos_auroc", "f1_macro", "mcc", "aurc", "ece"):
        assert set(found[name]) <= {"value", "low", "high", "n"}
    assert found["predictions"][0].keys() == {"text", "row", "intent", "guess", "confidence"}
    assert sum(found["outcomes"].values()) == 4


def test_a_notebook_shows_escaped_numbers() -> None:
    html = score_predictions(TEST, [NO_GUESS] * 4, classifier="<b>bot</b>")._repr_html_()
    assert "&lt;b&gt;bot" in html
    assert "in scope accuracy" in html


def test_the_default_classifier_beats_a_mute_bot_in_a_blind_test() -> None:
    train = Dataset.of(
        [f"{word} salary" for word in ("my", "good", "more", "fair")] * 1 + ["dog park", "dog food"], list("aaaabb")
    )
    test = Dataset.of(["what salary", "a dog"], ["a", "b"])
    assert examine_blind(train, test, "tfidf", threshold=0).rate("accuracy").value == 1
    assert examine_blind(train, test, NullClassifier(), threshold=0).rate("accuracy").value == 0
