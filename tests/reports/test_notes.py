"""What the reader must know first: each note is a whole sentence, and it is there when it is needed only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vivavoce.classifiers.fakes import JaccardClassifier, NullClassifier
from vivavoce.errors import ClassifierError
from vivavoce.intents import IntentsResult, Setting, examine_intents
from vivavoce.intents.blind import examine_blind
from vivavoce.intents.notes import failure_text
from vivavoce.intents.record import UnitFailure, UnitKey
from vivavoce.outcomes import Counts, Outcome
from vivavoce.records import Dataset
from vivavoce.reports.intents.blind import blind_headline

PLAIN = Setting(0, 0.0)


def topics_of(*sizes: int) -> Dataset:
    rows = [
        (f"{'abcdefgh'[topic] * 3} word{n} thing{n * 7 + topic}", f"t{topic}")
        for topic, size in enumerate(sizes)
        for n in range(size)
    ]
    return Dataset.of([text for text, _ in rows], [topic for _, topic in rows])


def notes(data: Dataset, **options: object) -> dict[str, str]:
    chosen = {"settings": [PLAIN], "retries": 2, "workers": 1, "leak_proof": False, "text_view": False, **options}
    found = examine_intents(data, JaccardClassifier(), **chosen)  # type: ignore[arg-type]
    return {note.kind: note.message for note in found.warnings}


def test_few_examples_are_a_first_impression() -> None:
    told = notes(topics_of(20, 30, 40))["few_examples"]
    assert told == ("Only 90 examples in 3 topics (median 30 per topic): treat every number as a first impression.")


def test_many_examples_in_tiny_topics_are_a_first_impression_too() -> None:
    assert "Only 1,012 examples in 4 topics (median 4 per topic)" in notes(topics_of(1000, 4, 4, 4))["few_examples"]


def test_enough_examples_are_not_remarked_upon() -> None:
    assert "few_examples" not in notes(topics_of(50, 50))
    assert "few_examples" not in notes(topics_of(90, 5, 5))


def test_a_bot_that_learns_a_single_topic_is_remarked_upon() -> None:
    told = notes(topics_of(20, 4), settings=[PLAIN, Setting(5, 0.0)])
    assert told["one_topic"].startswith("Setting (5, 0) trains on fewer than 2 topics in 2 of 2 rounds: ")
    assert "one_topic" not in notes(topics_of(20, 20, 4), settings=[PLAIN, Setting(5, 0.0)])
    assert "one_topic" not in notes(topics_of(20, 20), settings=[PLAIN, Setting(5, 0.0)])


def test_one_small_topic_is_not_called_topics() -> None:
    told = notes(topics_of(20, 20, 1), settings=[Setting(2, 0.0)], retries=1)["few_negatives"]
    assert "only 1 out-of-scope example from 1 small topic: its" in told


def test_large_counts_are_written_with_separators(copies: IntentsResult) -> None:
    told = {note.kind: note.message for note in copies.warnings}
    assert told["duplicates"].startswith("1,000 of 1,000 examples have a near-duplicate;")
    assert told["untestable"] == "Nothing could be tested: all examples of 'hours' and 'pay' are near-duplicates."


def test_what_was_tested_is_not_called_untestable(result: IntentsResult) -> None:
    assert "untestable" not in {note.kind for note in result.warnings}


def test_a_failure_is_one_sentence_without_the_remedy() -> None:
    error = ClassifierError("the engine is gone", remedy="start it again")
    failure = UnitFailure(UnitKey(PLAIN, 1), str(error))
    assert "What to do" in failure.reason
    assert failure_text(failure) == "Setting (0, 0), retry 2: the engine is gone."
    assert failure_text(replace(failure, reason="It stopped.\n")).endswith(": It stopped.")
    assert failure_text(replace(failure, reason="")).endswith(": no reason given.")


def test_a_failed_retry_is_noted_in_two_sentences() -> None:
    fits: list[int] = []

    class Failing(JaccardClassifier):
        def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
            # Every retry trains a copy of the engine: the count stands outside.
            fits.append(len(texts))
            if len(fits) == 1:
                raise ClassifierError("no answer", remedy="wait")
            super().fit(texts, intents)

    found = examine_intents(topics_of(20, 20), Failing(), settings=[PLAIN], retries=2, workers=1, text_view=False)
    told = [note.message for note in found.warnings if note.kind == "failed"]
    assert told == ["Setting (0, 0), retry 1: no answer. This round is not counted."]


def test_a_blind_test_of_an_engine_without_guesses_does_not_blame_the_threshold() -> None:
    found = examine_blind(topics_of(9, 9), topics_of(5, 5), NullClassifier())
    assert blind_headline(found).endswith(": the classifier had no guess for any question.")
    unsure = replace(found, counts=Counts({Outcome.MISSED: 10}))
    assert "its confidence never reaches the threshold" in blind_headline(unsure)


def test_messages_that_training_held_are_not_called_unseen() -> None:
    texts = [f"{word} question number {n}" for word in ("pay", "leave") for n in range(4)]
    data = Dataset.of(texts, [word for word in ("pay", "leave") for _ in range(4)])
    known = examine_blind(data, data, JaccardClassifier())
    assert "100 % of which it knew from training" in blind_headline(known)
    assert "never seen" not in blind_headline(known)
    other = Dataset.of(["something quite different"], [data.intents[0]])
    assert "it has never seen" in blind_headline(examine_blind(data, other, JaccardClassifier()))
