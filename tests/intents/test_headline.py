"""What could flatter the headline: one large topic, out-of-scope messages taught as a topic, unlike traffic."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from vivavoce.classifiers.fakes import JaccardClassifier, MajorityClassifier
from vivavoce.errors import DataError, UsageError
from vivavoce.intents.exam import PLAIN, examine_intents
from vivavoce.intents.json_form import intents_result_from_json
from vivavoce.intents.measures import Items, recall_macro
from vivavoce.intents.result import IntentsResult
from vivavoce.intents.splits import Setting
from vivavoce.intents.traffic import MIXED
from vivavoce.records import Dataset, Guess
from vivavoce.reports.intents.wording import balance_sentence, headline

SMALLEST = Setting(0, 0.15)
SUBJECTS = ("salary", "holiday", "parking", "visa", "bonus", "canteen", "shoes", "laptop", "garden", "piano")


def rows(topic: str, count: int, subject: str = "") -> list[tuple[str, str]]:
    """Messages that share one word and have another of their own."""
    return [(f"{subject or topic} {topic}{chr(97 + n % 26)}{n}", topic) for n in range(count)]


def faq(sizes: dict[str, int]) -> Dataset:
    pairs = [pair for topic, size in sizes.items() for pair in rows(topic, size)]
    return Dataset.of([text for text, _ in pairs], [topic for _, topic in pairs])


EVEN = faq(dict.fromkeys(SUBJECTS, 10))


def examine(data: Any, classifier: Any = None, **options: Any) -> IntentsResult:
    usual = {"text_view": False, "workers": 1, "leak_proof": False, "settings": [PLAIN], "retries": 5}
    return examine_intents(data, classifier or JaccardClassifier(), **usual | options)


class SurePart:
    """Answers questions that hold a word it knows with that topic, surely; of others, every second one at random."""

    name = "sure part"
    parallel = True

    def fit(self, texts: Any, intents: Any) -> None:
        self._known = sorted(set(intents))

    def guess(self, texts: Any) -> list[Guess]:
        return [self._guess(text) for text in texts]

    def _guess(self, text: str) -> Guess:
        found = [topic for topic in self._known if text.startswith(topic)]
        confidence = 0.9 if found or sum(map(ord, text)) % 2 else 0.1
        return Guess(found[0] if found else self._known[0], confidence)


# One large topic


def test_a_topic_that_holds_much_of_the_data_is_named_beside_the_headline() -> None:
    data = faq({"salary": 43, **dict.fromkeys(SUBJECTS[1:], 6), "lunch": 3})
    result = examine(data)
    facts = result.to_json()["data"]
    assert facts["largest_topic"] == "salary"
    assert facts["largest_share"] == pytest.approx(0.43)
    [note] = [note.message for note in result.warnings if note.kind == "largest_topic"]
    assert "'salary' has 43 % of the examples" in note
    assert note in balance_sentence(result)


def test_even_topics_and_few_topics_are_not_called_dominated() -> None:
    for sizes in (dict.fromkeys(SUBJECTS, 10), {"salary": 12, "holiday": 8}, {"salary": 9, "visa": 6, "parking": 5}):
        result = examine(faq(sizes))
        assert not [note for note in result.warnings if note.kind == "largest_topic"]
        assert "equally often" in balance_sentence(result)


def test_the_mean_over_topics_counts_a_small_topic_as_much_as_a_large_one() -> None:
    data = faq({"salary": 60, "holiday": 20, "parking": 20})
    found = examine(data, MajorityClassifier(), threshold=0.0).settings[0].rates
    assert found["in_scope_accuracy"].value == pytest.approx(0.6)
    assert found["recall_macro"].value == pytest.approx(1 / 3)
    assert found["recall_macro"].n == found["in_scope_accuracy"].n == 100


def test_the_mean_over_topics_leaves_out_of_scope_questions_out() -> None:
    truth, guess = np.array([0, 0, 1, -1, 2]), np.array([0, 1, 1, 0, 2])
    items = Items(truth, guess, np.array([0.9, 0.9, 0.9, 0.9, 0.2]))
    assert recall_macro(items, 0.5) == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert recall_macro(Items(truth[3:4], guess[3:4], items.confidence[3:4]), 0.5) is None


def test_the_best_guess_is_counted_whatever_the_threshold() -> None:
    strict, lax = (examine(EVEN, threshold=threshold).settings[0].rates for threshold in (1.0, 0.0))
    assert strict["in_scope_accuracy"].value != lax["in_scope_accuracy"].value
    assert strict["best_guess_accuracy"] == lax["best_guess_accuracy"]
    assert strict["best_guess_accuracy"].value == lax["in_scope_accuracy"].value


# Out-of-scope messages by their name


def test_a_fallback_intent_is_asked_as_out_of_scope_and_never_taught() -> None:
    strange = [f"zebra{n} quartz{n}" for n in range(12)]
    texts, intents = [*EVEN.texts, *strange], [*EVEN.intents, *["nlu_fallback"] * 12]
    result = examine((texts, intents))
    assert result.data.out_of_scope == 12
    assert "nlu_fallback" not in {line.intent for line in result.settings[0].intents}
    assert result.settings[0].negative_rejection.value == 1.0
    [note] = [note.message for note in result.warnings if note.kind == "recognised"]
    assert "'nlu_fallback'" in note
    assert "--out-of-scope -" in note


def test_a_fallback_intent_can_be_examined_as_a_topic_and_a_note_says_so() -> None:
    texts, intents = [*EVEN.texts, "zebra a", "zebra b"], [*EVEN.intents, "fallback", "fallback"]
    result = examine(Dataset.of(texts, intents, out_of_scope=None))
    assert result.data.topics == len(SUBJECTS) + 1
    assert [note.kind for note in result.warnings if "'fallback'" in note.message] == ["perhaps_out_of_scope"]


def test_data_with_one_topic_beside_a_recognised_intent_say_why_there_is_one() -> None:
    with pytest.raises(DataError, match="--out-of-scope -"):
        examine((["a", "b", "c"], ["pay", "pay", "fallback"]))


# Live traffic


def test_shares_are_weighed_for_the_share_of_out_of_scope_questions() -> None:
    data = Dataset.of([*EVEN.texts, *(f"zebra{n}" for n in range(20))], [*EVEN.intents, *[None] * 20])
    plain = examine(data, SurePart(), retries=1).settings[0]
    weighed = examine(data, SurePart(), retries=1, out_of_scope_share=0.3).settings[0]
    known, declined = plain.in_scope_accuracy.value, plain.negative_rejection.value
    assert known is not None
    assert declined is not None
    assert weighed.accuracy.value == pytest.approx(0.7 * known + 0.3 * declined)
    assert weighed.automation_rate.value == pytest.approx(0.7 + 0.3 * (1 - declined))
    assert weighed.precision_answered.value == pytest.approx(0.7 * known / (0.7 + 0.3 * (1 - declined)))
    assert {name for name in plain.rates if plain.rates[name] != weighed.rates[name]} <= set(MIXED)
    assert weighed.counts == plain.counts


def test_a_setting_without_negatives_borrows_those_of_another_and_says_so() -> None:
    result = examine(EVEN, SurePart(), settings=[PLAIN, SMALLEST], out_of_scope_share=0.4)
    known, smallest = result.settings
    assert known.negative_rejection.value is None
    assert known.negatives_from == SMALLEST
    declined = smallest.negative_rejection.value
    assert known.accuracy.value == pytest.approx(0.6 * known.in_scope_accuracy.value + 0.4 * declined)
    assert any("(0, 0.15) are used instead" in note.message for note in result.warnings if note.kind == "traffic")
    assert "40 of them out of scope" in headline(result)


def test_a_retry_without_out_of_scope_questions_takes_those_of_all_retries() -> None:
    data = Dataset.of([*EVEN.texts, "zebra1"], [*EVEN.intents, None])
    plain = examine(data, SurePart()).settings[0]
    weighed = examine(data, SurePart(), out_of_scope_share=0.3).settings[0]
    known, declined = plain.in_scope_accuracy.value, plain.negative_rejection.value
    assert plain.counts.negatives == 1
    assert weighed.accuracy.value == pytest.approx(0.7 * known + 0.3 * declined)


def test_a_share_that_cannot_be_used_changes_no_number_and_is_noted() -> None:
    plain, asked = examine(EVEN), examine(EVEN, out_of_scope_share=0.4)
    assert plain.settings[0].rates == asked.settings[0].rates
    assert asked.settings[0].out_of_scope_share is None
    [note] = [note.message for note in asked.warnings if note.kind == "traffic"]
    assert "no out-of-scope questions were tested" in note
    assert "out of scope" not in headline(asked)


@pytest.mark.parametrize("share", [-0.1, 1.0, 7, float("nan")])
def test_a_share_that_leaves_no_known_question_is_refused(share: float) -> None:
    with pytest.raises(UsageError, match="share of out-of-scope questions"):
        examine(EVEN, out_of_scope_share=share)


def test_a_weighed_exam_estimates_live_accuracy_where_plain_cross_validation_is_far_too_high() -> None:
    """Live traffic is drawn from the same sources as the data, but with 30 % out-of-scope questions."""
    strange = [f"zebra{n}" for n in range(2000)]
    data = Dataset.of([*EVEN.texts, *strange[:20]], [*EVEN.intents, *[None] * 20])
    engine = SurePart()
    engine.fit(EVEN.texts, EVEN.intents)
    live = [
        *((f"{SUBJECTS[n % 10]} word{n}", SUBJECTS[n % 10]) for n in range(4620)),
        *((t, None) for t in strange[20:]),
    ]
    answers = engine.guess([text for text, _ in live])
    right = [
        (answer.confidence < 0.5) if topic is None else (answer.intent == topic and answer.confidence >= 0.5)
        for (_, topic), answer in zip(live, answers, strict=True)
    ]
    truth = float(np.mean(right))
    plain, weighed = (
        examine(data, SurePart(), retries=10, out_of_scope_share=share).settings[0].accuracy for share in (None, 0.3)
    )
    assert plain.value is not None
    assert plain.value - truth > 0.05
    assert weighed.low is not None
    assert weighed.high is not None
    assert weighed.low <= truth <= weighed.high


# JSON, old and new


def test_a_weighed_result_comes_back_from_its_json() -> None:
    result = examine(EVEN, SurePart(), settings=[PLAIN, SMALLEST], out_of_scope_share=0.25)
    written = json.loads(json.dumps(result.to_json()))
    assert written["out_of_scope_share"] == 0.25
    read = intents_result_from_json(written)
    assert read.to_json() == result.to_json()
    assert read.settings[0].negatives_from == SMALLEST


def test_a_result_of_an_earlier_version_opens_without_the_new_numbers() -> None:
    written = json.loads(json.dumps(examine(EVEN).to_json()))
    del written["out_of_scope_share"], written["data"]["largest_topic"], written["data"]["largest_share"]
    for setting in written["settings"]:
        for name in ("best_guess_accuracy", "recall_macro", "out_of_scope_share", "negatives_from"):
            del setting[name]
    read = intents_result_from_json(written)
    assert read.settings[0].recall_macro.value is None
    assert read.settings[0].accuracy == examine(EVEN).settings[0].accuracy
    assert balance_sentence(read) == ""
