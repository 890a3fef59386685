from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.classifiers.fakes import (
    EchoClassifier,
    FailingClassifier,
    JaccardClassifier,
    MajorityClassifier,
    NearestExample,
    NullClassifier,
)
from vivavoce.errors import ClassifierError, UsageError, WorkError
from vivavoce.intents import ComparisonResult, compare_classifiers
from vivavoce.intents.comparison import file_name
from vivavoce.intents.differences import Examined, Verdict, differences_of
from vivavoce.intents.findings import find
from vivavoce.intents.material import Material
from vivavoce.intents.record import UnitKey
from vivavoce.intents.runner import Unit, run_units
from vivavoce.intents.splits import Design, Setting, SplitPlan
from vivavoce.records import Dataset, Guess
from vivavoce.reports.intents.comparison import difference_sentence
from vivavoce.statistics import holm, items_to_decide, student

WORDS = {
    "pay": "salary wage money bonus raise",
    "leave": "holiday days vacation rest sick",
    "parking": "car garage space bike plant",
    "remote": "home office laptop desk video",
    "dogs": "dog pet cat",
}


def texts_of(seed: int = 0, each: int = 14) -> Dataset:
    rng = np.random.default_rng(seed)
    rows = []
    for topic, words in WORDS.items():
        for _ in range(4 if topic == "dogs" else each):
            chosen = rng.choice(words.split(), 2, replace=False)
            rows.append((f"{chosen[0]} and {chosen[1]} about {rng.integers(10**9)}", topic))
    return Dataset.of([text for text, _ in rows], [topic for _, topic in rows])


DATA = texts_of()


def compare(*classifiers: object, data: Dataset = DATA, **options: object) -> ComparisonResult:
    options = {"workers": 1, "threshold": 0.2, **options}
    return compare_classifiers(data, classifiers, **options)  # type: ignore[arg-type]


def twins(**options: object) -> ComparisonResult:
    return compare(("one", JaccardClassifier()), ("other", JaccardClassifier()), **options)


def test_an_engine_against_itself_is_too_close_to_call() -> None:
    result = twins()
    gap = result.between("one", "other").pooled
    assert (gap.test.difference, gap.p, gap.verdict) == (0.0, 1.0, Verdict.CLOSE)
    assert (gap.improved, gap.broken, gap.mcnemar, gap.more_examples) == (0, 0, 1.0, None)
    assert result.between("one", "other").samples == ()
    assert all(gap.verdict == Verdict.CLOSE for _, gap in result.differences[0].settings)


def test_a_clearly_better_engine_is_called_better_and_the_reverse_worse() -> None:
    gap = compare(JaccardClassifier(), MajorityClassifier()).between("jaccard", "majority").pooled
    assert gap.verdict == Verdict.BETTER
    assert gap.test.low is not None
    assert gap.test.low > 0
    assert gap.improved > 10 * gap.broken
    assert gap.more_examples == 0
    back = compare(MajorityClassifier(), JaccardClassifier()).between("majority", "jaccard").pooled
    assert back.verdict == Verdict.WORSE
    assert back.test.difference == pytest.approx(-(gap.test.difference or 0))
    assert (back.improved, back.broken) == (gap.broken, gap.improved)


def test_every_engine_sees_identical_splits() -> None:
    seen: dict[str, list[tuple[str, ...]]] = {"one": [], "other": []}

    class Spy(NullClassifier):
        def __init__(self, name: str) -> None:
            self.name = name

        def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
            seen[self.name].append(("fit", *texts))

        def guess(self, texts: Sequence[str]) -> list[Guess]:
            seen[self.name].append(("guess", *texts))
            return super().guess(texts)

    compare(Spy("one"), Spy("other"))
    assert len(seen["one"]) == 2 * 30
    assert seen["one"] == seen["other"]


def records(*engines: object) -> tuple[list[Examined], Material]:
    material, setting = Material.of(DATA), Setting(0, 0)
    plan = SplitPlan(material.labels, Design(setting), material.groups)
    units = [Unit(UnitKey(setting, retry), plan) for retry in range(len(plan))]
    runs = [run_units(units, material, engine) for engine in engines]  # type: ignore[arg-type]
    return [
        Examined(str(place), run, {setting: find(run.of(setting), material, plan, threshold=0.2, seed=0)})
        for place, run in enumerate(runs)
    ], material


def test_records_of_different_splits_are_not_compared() -> None:
    (a, b), material = records(JaccardClassifier(), NearestExample())
    first, *rest = b.run.results
    moved = replace(first, test=(first.test + 1) % len(material))
    other = replace(b, run=replace(b.run, results=(moved, *rest)))
    with pytest.raises(WorkError, match="different rows"):
        differences_of([a, other], material, threshold=0.2, seed=0)


def test_p_values_are_adjusted_over_all_pairs() -> None:
    result = compare(JaccardClassifier(), NearestExample(), MajorityClassifier(), NullClassifier())
    assert len(result.differences) == 6
    for family in ([d.pooled for d in result.differences], [d.settings[1][1] for d in result.differences]):
        raw = [float(gap.p or 0) for gap in family]
        assert [gap.p_adjusted for gap in family] == holm(raw)
        assert all((gap.verdict == Verdict.CLOSE) == ((gap.p_adjusted or 0) >= 0.05) for gap in family)
    assert "all 6 pairs together" in " ".join(note.message for note in result.warnings)


def test_the_range_of_an_engine_spans_its_settings() -> None:
    result = compare(JaccardClassifier(), MajorityClassifier())
    jaccard = result.classifiers[0]
    values = [findings.rates["accuracy"].value or 0 for findings in jaccard.settings]
    assert jaccard.accuracy is not None
    assert len(values) == 3
    assert (jaccard.accuracy.low, jaccard.accuracy.high) == (min(values), max(values))
    assert jaccard.accuracy.mean == pytest.approx(np.mean(values))


def test_a_setting_without_negatives_runs_and_counts_once() -> None:
    data = DATA.select(row for row, topic in enumerate(DATA.intents) if topic != "dogs")
    result = compare(JaccardClassifier(), MajorityClassifier(), data=data, settings=[(0, 0), (5, 0)])
    jaccard = result.classifiers[0]
    assert [findings.same_as for findings in jaccard.settings] == [None, Setting(0, 0)]
    assert [findings.setting for findings in jaccard.settings] == [Setting(0, 0), Setting(5, 0)]
    assert [setting for setting, _ in result.differences[0].settings] == [Setting(0, 0)]
    assert "Setting (5, 0) equals (0, 0)" in " ".join(note.message for note in result.warnings)


def test_an_engine_that_always_fails_does_not_lose_the_others() -> None:
    class Broken(NullClassifier):
        name = "broken"

        def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
            raise RuntimeError("no connection")

    result = compare(JaccardClassifier(), Broken(), MajorityClassifier(), settings=[(0, 0)])
    assert [one.name for one in result.classifiers] == ["jaccard", "majority"]
    assert [failure.name for failure in result.failures] == ["broken"]
    assert "no connection" in result.failures[0].reason
    assert [(one.a, one.b) for one in result.differences] == [("jaccard", "majority")]
    with pytest.raises(ClassifierError, match="every classifier failed"):
        compare(("x", Broken()), ("y", Broken()), settings=[(0, 0)])


def test_a_failed_retry_is_left_out_on_both_sides() -> None:
    result = compare(
        ("whole", JaccardClassifier()), ("torn", FailingClassifier(JaccardClassifier(), 3)), settings=[(0, 0)]
    )
    assert len(result.classifiers[1].failures) == 1
    gap = result.between("whole", "torn").pooled
    assert (gap.test.difference, gap.improved, gap.broken) == (0.0, 0, 0)
    assert "This round is not compared" in result.warnings[0].message


def test_an_engine_that_fails_in_a_whole_setting_is_compared_in_the_others() -> None:
    class NoNegatives(JaccardClassifier):
        name = "partial"

        def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
            if "dogs" not in intents:
                raise RuntimeError("dogs are missing")
            super().fit(texts, intents)

    result = compare(NoNegatives(), JaccardClassifier(), MajorityClassifier(), settings=[(0, 0), (5, 0)])
    assert [len(one.settings) for one in result.differences] == [1, 1, 2]


def near_ties(broken: int = 0) -> ComparisonResult:
    """One engine knows every answer, the other all but a few."""
    answers = dict(zip(DATA.texts, DATA.intents, strict=True))
    forgetful = {**answers, **dict.fromkeys(list(answers)[:broken], None)}
    return compare(("all", EchoClassifier(answers)), ("most", EchoClassifier(forgetful)), settings=[(0, 0)])


def test_a_small_difference_says_how_many_examples_would_decide_it() -> None:
    gap = near_ties(2).between("all", "most").pooled
    assert gap.verdict == Verdict.CLOSE
    assert gap.test.difference
    assert gap.test.standard_error
    more = items_to_decide(gap.test.difference, gap.test.standard_error, len(DATA), freedom=gap.freedom)
    assert gap.more_examples == more
    assert gap.more_examples > 1
    assert (gap.improved, gap.broken, gap.mcnemar) == (2, 0, 0.5)


def test_examples_on_which_they_differ_are_shown() -> None:
    samples = near_ties(2).between("all", "most").samples
    assert [(one.text, one.right, one.guess_a, one.guess_b) for one in samples] == [
        (DATA.texts[row], "all", DATA.intents[row], None) for row in (0, 1)
    ]


def test_one_retry_is_judged_by_the_examples_alone() -> None:
    result = compare(JaccardClassifier(), MajorityClassifier(), settings=[(0, 0)], retries=1)
    gap = result.differences[0].pooled
    assert gap.p is not None
    assert gap.mcnemar <= gap.p < 0.05
    assert gap.verdict == Verdict.BETTER


def test_retries_that_differ_by_the_same_amount_are_not_taken_for_certainty() -> None:
    rows = [f"{topic} {word}" for topic in ("red", "blue") for word in ("ant", "bee", "cow", "dog", "eel")]
    topics = ["red"] * 5 + ["blue"] * 5
    answers = dict(zip(rows, topics, strict=True))
    half = {text: topic if topic == "red" else None for text, topic in answers.items()}
    engines = [("all", EchoClassifier(answers)), ("half", EchoClassifier(half))]
    gap = compare(*engines, data=Dataset.of(rows, topics), settings=[(0, 0)], retries=5).differences[0].pooled
    assert gap.test.standard_error is not None
    assert gap.test.standard_error > 0
    assert (gap.improved, gap.p, gap.verdict) == (5, 0.0625, Verdict.CLOSE)
    assert gap.more_examples is not None


def test_aurc_stands_beside_accuracy_because_one_threshold_is_unfair() -> None:
    result = compare(JaccardClassifier(), MajorityClassifier())
    assert (result.differences[0].aurc.difference or 0) < 0
    assert result.classifiers[0].aurc is not None
    assert any("not fair across classifiers" in note.message for note in result.warnings)


def test_names_must_differ_and_there_must_be_two() -> None:
    with pytest.raises(UsageError, match="must have different names"):
        compare(JaccardClassifier(), JaccardClassifier())
    with pytest.raises(UsageError, match="at least two"):
        compare(JaccardClassifier())
    with pytest.raises(UsageError, match="threshold"):
        twins(threshold=7)
    with pytest.raises(UsageError, match="not compared"):
        twins(settings=[(0, 0)]).between("other", "one")


def test_a_stopped_comparison_goes_on_from_its_records(tmp_path: Path) -> None:
    first = twins(record=tmp_path, settings=[(0, 0)])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.sqlite", "other.sqlite"]

    class Untouched(JaccardClassifier):
        def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
            raise AssertionError("trained again")

    again = compare(("one", Untouched()), ("other", Untouched()), record=tmp_path, settings=[(0, 0)])
    assert again.to_json()["differences"] == first.to_json()["differences"]
    with pytest.raises(UsageError, match="a different exam"):
        twins(record=tmp_path, settings=[(0, 0)], seed=1)


def test_names_of_any_kind_get_files_of_their_own() -> None:
    names = ["linear", "sklearn:a/b", "sklearn:a_b", "sklearn a b", "../x", "", "日本", "Linear", "x" * 99, "x" * 98]
    files = [file_name(name) for name in names]
    assert len(set(files)) == len(names)
    assert all("/" not in name and not name.startswith(".") for name in files)


def test_workers_and_executors_change_nothing() -> None:
    class Parallel(JaccardClassifier):
        parallel = True

    alone = compare(Parallel(), MajorityClassifier(), settings=[(0, 0.15)])
    with ThreadPoolExecutor(2) as pool:
        shared = compare(Parallel(), MajorityClassifier(), settings=[(0, 0.15)], executor=pool)
    assert alone.to_json()["differences"] == shared.to_json()["differences"]


def test_progress_says_which_engine_is_at_work() -> None:
    told: list[str] = []
    twins(settings=[(0, 0)], progress=lambda stage, done, total: told.append(f"{stage} {done}/{total}"))
    assert "one: examining 10/10" in told
    assert told[-1] == "other: examining 10/10"


def test_the_json_form_is_the_promised_one() -> None:
    found = json.loads(json.dumps(compare(JaccardClassifier(), MajorityClassifier()).to_json(), allow_nan=False))
    assert (found["kind"], found["definitions"], found["data"]["rows"]) == ("intents-comparison", 1, len(DATA))
    assert found["classifiers"][0]["accuracy"].keys() == {"min", "max", "mean"}
    assert [(one["k"], one["p"]) for one in found["classifiers"][0]["settings"]] == [(0, 0), (0, 0.15), (5, 0)]
    difference = found["differences"][0]
    assert {"a", "b", "difference", "low", "high", "p", "verdict", "more_examples"} <= difference.keys()
    assert difference["settings"][1]["setting"] == {"k": 0, "p": 0.15}
    assert difference["verdict"] == "better"


def test_a_notebook_shows_escaped_names_and_verdicts() -> None:
    html = compare(("<i>", JaccardClassifier()), ("other", MajorityClassifier()), settings=[(0, 0)])._repr_html_()
    assert "&lt;i&gt; against other: better" in html
    assert "<i>" not in html


def test_while_examples_are_untested_more_retries_are_asked_for_and_no_number_of_examples() -> None:
    answers = dict(zip(DATA.texts, DATA.intents, strict=True))
    forgetful = {**answers, **dict.fromkeys(list(answers)[::15], None)}
    engines = [("all", EchoClassifier(answers)), ("most", EchoClassifier(forgetful))]
    difference = compare(*engines, settings=[(0, 0)], retries=2).differences[0]
    gap = difference.pooled
    assert gap.verdict is Verdict.CLOSE
    assert (gap.test.low or 0) < 0 < (gap.test.high or 0)
    assert gap.untested > 0
    assert gap.more_examples is None
    assert "Add rounds first" in difference_sentence(difference)


@given(st.floats(0.001, 0.3), st.floats(0.001, 0.3), st.integers(1, 400), st.integers(20, 2000))
def test_what_is_too_close_to_call_needs_more_examples(
    difference: float, error: float, freedom: int, examples: int
) -> None:
    undecided = difference < student(freedom) * error
    more = items_to_decide(difference, error, examples, freedom=freedom)
    assert more is not None
    if undecided:
        assert more > 0
    # The whole of them would decide: with so many the same difference has that much smaller an error.
    whole = (examples + more) / examples
    assert difference >= student(freedom * whole) * error / whole**0.5 * 0.99
