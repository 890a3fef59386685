"""Findings are the raw record counted: every number against a count by hand."""

from __future__ import annotations

import copy
import csv
import json
import math
import pickle
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score, matthews_corrcoef, roc_auc_score

from vivavoce.classifiers.fakes import JaccardClassifier
from vivavoce.errors import UsageError
from vivavoce.intents.exam import PLAIN, examine_intents
from vivavoce.intents.findings import SAMPLES_PER_OUTCOME, SettingFindings, find
from vivavoce.intents.material import Material
from vivavoce.intents.measures import Items, calibration, f1_scores, matthews, measures, oos_auroc, risk_coverage
from vivavoce.intents.record import Answers, Timing, UnitKey, UnitResult
from vivavoce.intents.result import IntentsResult
from vivavoce.intents.splits import Design, Setting, SplitPlan
from vivavoce.outcomes import Outcome, outcome_of
from vivavoce.records import Dataset, Guess
from vivavoce.statistics import wilson

THRESHOLD = 0.5
NEGATIVES = Setting(4)
# The stable names of the JSON result.
RATES = (
    "accuracy in_scope_accuracy negative_rejection automation_rate precision_answered carefulness good_carefulness"
    " deferral_precision deferral_recall f1_macro f1_weighted oos_auroc aurc ece"
)
SETTING_KEYS = {"k", "p", "outcomes", "per_intent", "confusion", "timing", *RATES.split()}
PAIR_KEYS = {"a", "b", "overlap", "low", "high", "score", "top3_share", "direction", "examples"}
# Table 10.4: automation, precision of answered, accuracy, carefulness, deferral precision and recall, no guess, AURC.
HINT3 = {
    ("curekart", "dialogflow"): (0.497, 0.613, 0.711, 0.261, 0.926, 0.707, 0.334, 0.362),
    ("curekart", "luis"): (0.391, 0.628, 0.702, 0.742, 0.851, 0.781, 0.067, 0.411),
    ("curekart", "rasa"): (0.838, 0.446, 0.515, 0.938, 0.938, 0.247, 0.0, 0.343),
    ("curekart", "haptik"): (0.432, 0.675, 0.736, 0.865, 0.865, 0.778, 0.0, 0.347),
    ("curekart", "bert"): (0.848, 0.449, 0.522, 0.993, 0.993, 0.245, 0.0, 0.345),
    ("sofmattress", "dialogflow"): (0.594, 0.657, 0.695, 0.280, 0.913, 0.645, 0.257, 0.298),
    ("sofmattress", "luis"): (0.295, 0.744, 0.620, 0.721, 0.786, 0.880, 0.045, 0.376),
    ("sofmattress", "rasa"): (0.776, 0.481, 0.539, 0.865, 0.865, 0.325, 0.0, 0.371),
    ("sofmattress", "haptik"): (0.458, 0.676, 0.652, 0.795, 0.795, 0.743, 0.0, 0.330),
    ("sofmattress", "bert"): (0.854, 0.499, 0.554, 0.983, 0.983, 0.251, 0.0, 0.318),
}


@st.composite
def answered(draw: st.DrawFn) -> Items:
    """Any items: true topics, guesses (-1: none) and confidences with many ties."""
    n = draw(st.integers(1, 25))
    codes = st.lists(st.integers(-1, 3), min_size=n, max_size=n)
    sure = st.lists(st.sampled_from([0.0, 0.2, 0.5, 0.5, 0.9, 1.0]), min_size=n, max_size=n)
    guess = np.array(draw(codes))
    return Items(np.array(draw(codes)), guess, np.where(guess >= 0, draw(sure), 0.0))


# Numbers of one set of answers


@given(answered())
def test_f1_is_averaged_over_the_classes_that_are_true_in_the_test(items: Items) -> None:
    shown = np.where((items.guess >= 0) & (items.confidence >= THRESHOLD), items.guess, -1)
    true_classes = np.unique(items.truth)
    for average, found in zip(("macro", "weighted"), f1_scores(items, THRESHOLD), strict=True):
        expected = f1_score(items.truth, shown, labels=true_classes, average=average, zero_division=0)
        assert found == pytest.approx(expected)


def test_a_suppressed_guess_does_not_add_a_phantom_class() -> None:
    # B6: four topics, three right, one suppressed. Over the four it is 0.75; with a fifth class it was 0.60.
    items = Items(np.arange(4), np.arange(4), np.array([0.9, 0.9, 0.9, 0.1]))
    assert f1_scores(items, THRESHOLD)[0] == pytest.approx(0.75)


@given(answered())
def test_matthews_is_that_of_scikit_learn(items: Items) -> None:
    shown = np.where((items.guess >= 0) & (items.confidence >= THRESHOLD), items.guess, -1)
    if len({*items.truth, *shown}) == 1:
        assert matthews(items, THRESHOLD) is None
    else:
        # scikit-learn calls 0/0 a 0.
        assert (matthews(items, THRESHOLD) or 0.0) == pytest.approx(matthews_corrcoef(items.truth, shown))


@given(answered())
def test_auroc_is_that_of_scikit_learn(items: Items) -> None:
    known = ~items.negative
    if known.all() or not known.any():
        assert oos_auroc(items) is None
    else:
        assert oos_auroc(items) == pytest.approx(roc_auc_score(known, items.confidence))


def wrongness(items: Items) -> list[float]:
    """Wrongness of the messages, surest first, averaged over the orders of equal confidences."""
    sure = [float(c) if g >= 0 else -1.0 for g, c in zip(items.guess, items.confidence, strict=True)]
    wrong = [float(not right) for right in items.right]
    blocks = defaultdict(list)
    for level, one in zip(sure, wrong, strict=True):
        blocks[level].append(one)
    return [sum(blocks[level]) / len(blocks[level]) for level in sorted(blocks, reverse=True) for _ in blocks[level]]


@given(answered())
def test_risk_and_coverage_are_those_of_a_count_by_hand(items: Items) -> None:
    curve = risk_coverage(items)
    wrong = wrongness(items)
    n = len(items)
    risks = [sum(wrong[: k + 1]) / (k + 1) for k in range(n)]
    assert curve.risk == pytest.approx(risks)
    assert curve.aurc == pytest.approx(sum(risks) / n)
    assert curve.augrc == pytest.approx(sum(sum(wrong[: k + 1]) / n for k in range(n)) / n)
    assert curve.coverage == pytest.approx([(k + 1) / n for k in range(n)])
    assert (np.diff(curve.thresholds) <= 0).all()
    assert curve.risk[-1] == pytest.approx((~items.right).mean())


@given(answered(), st.randoms(use_true_random=False))
def test_risk_and_coverage_do_not_depend_on_the_order_of_the_rows(items: Items, chance: object) -> None:
    order = list(range(len(items)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    other = Items(items.truth[order], items.guess[order], items.confidence[order])
    assert risk_coverage(other).aurc == pytest.approx(risk_coverage(items).aurc)
    assert risk_coverage(other).augrc == pytest.approx(risk_coverage(items).augrc)


def test_a_perfect_order_has_the_least_area() -> None:
    right, wrong = np.zeros(6, dtype=int), np.ones(4, dtype=int)
    truth = np.zeros(10, dtype=int)
    best = Items(truth, np.r_[right, wrong], np.linspace(1, 0.1, 10))
    worst = Items(truth, np.r_[wrong, right], np.linspace(1, 0.1, 10))
    flat = Items(truth, np.r_[right, wrong], np.full(10, 0.5))
    areas = [risk_coverage(items).aurc for items in (best, flat, worst)]
    assert areas == sorted(areas)  # type: ignore[type-var]
    assert areas[1] == pytest.approx(0.4)


@given(answered())
def test_the_calibration_error_is_the_mean_gap_over_bins_of_equal_mass(items: Items) -> None:
    gap, bins = calibration(items)
    guessed = np.flatnonzero(items.guess >= 0)
    if not len(guessed):
        assert gap is None
        return
    order = sorted(guessed, key=lambda item: (items.confidence[item], item))
    sizes = [len(part) for part in np.array_split(order, min(10, len(order)))]
    expected, start = 0.0, 0
    for size in sizes:
        part = order[start : start + size]
        start += size
        expected += abs(sum(items.confidence[part]) - sum(items.right[part])) / len(order)
    assert gap == pytest.approx(expected)
    assert [one.n for one in bins] == sizes
    assert max(sizes) - min(sizes) <= 1


def test_a_calibrated_engine_has_no_calibration_error() -> None:
    confidence = np.repeat([0.25, 0.75], 100)
    right = np.r_[np.arange(100) < 25, np.arange(100) < 75]
    order = np.random.default_rng(0).permutation(200)
    sure = Items(np.zeros(200, dtype=int), np.where(right, 0, 1)[order], confidence[order])
    boasting = Items(sure.truth, sure.guess, np.ones(200))
    assert calibration(sure, bins=2)[0] == pytest.approx(0.0)
    assert calibration(boasting)[0] == pytest.approx(0.5)


def test_nothing_to_count_has_no_number() -> None:
    empty = np.empty(0, dtype=np.intp)
    assert set(measures(Items(empty, empty, empty.astype(float)), THRESHOLD).values()) == {None}


# Real engines on real messages


def hint3(shared: Path, bot: str, engine: str) -> Items:
    path = shared / "data" / "intents" / "predictions" / f"hint3_{bot}_{engine}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    code = {
        topic: place
        for place, topic in enumerate(sorted({r["intent"] for r in rows} | {r["predicted"] for r in rows}))
    }
    code["oos"] = -1
    truth, guess = (np.array([code[row[name]] for row in rows]) for name in ("intent", "predicted"))
    return Items(truth, guess, np.array([float(row["confidence"]) for row in rows]))


@pytest.mark.shared
@pytest.mark.parametrize(("bot", "engine"), HINT3)
def test_real_engines_get_the_numbers_of_the_reference_table(shared: Path, bot: str, engine: str) -> None:
    items = hint3(shared, bot, engine)
    found = measures(items, THRESHOLD)
    names = [
        "automation_rate",
        "precision_answered",
        "accuracy",
        "carefulness",
        "deferral_precision",
        "deferral_recall",
    ]
    numbers = [*(found[name] for name in names), float((items.guess < 0).mean()), found["aurc"]]
    # The table rounds to three places and breaks ties of confidence in file order.
    assert numbers == pytest.approx(HINT3[bot, engine], abs=0.0015)


@pytest.mark.shared
@pytest.mark.parametrize("bot", ["curekart", "sofmattress"])
def test_the_authors_own_numbers_are_reproduced_at_every_threshold(shared: Path, bot: str) -> None:
    with (shared / "data" / "intents" / "predictions" / f"hint3_{bot}_published.csv").open(encoding="utf-8") as file:
        published = list(csv.DictReader(file))
    assert len(published) >= 36
    for row in published:
        items, threshold = hint3(shared, bot, row["engine"].lower()), float(row["threshold"])
        found = measures(items, threshold)
        assert found["accuracy"] == pytest.approx(float(row["accuracy"]), abs=1e-9)
        assert found["in_scope_accuracy"] == pytest.approx(float(row["inscope_accuracy"]), abs=1e-9)
        assert found["negative_rejection"] == pytest.approx(float(row["oos_recall"]), abs=1e-9)
        assert matthews(items, threshold) == pytest.approx(float(row["mcc"]), abs=1e-9)


# Findings of a small record, made by hand


def small_record(seed: int = 0, retries: int = 10) -> tuple[list[UnitResult], Material, SplitPlan]:
    """Random answers to the splits of small topics, large ones, a lonely one and out-of-scope rows."""
    sizes = {"alpha": 12, "beta": 9, "gamma": 6, "delta": 3, "epsilon": 2, "zeta": 1}
    rng = np.random.default_rng(seed)
    intents = [topic for topic, size in sizes.items() for _ in range(size)] + [None] * 5
    order = rng.permutation(len(intents))
    texts = [f"{intents[row] or 'nothing'} message {row:03d} {'xyzuvw'[row % 6] * 5}" for row in order]
    data = Dataset.of(texts, [intents[row] for row in order])
    material = Material.of(data, leak_proof=False)
    plan = SplitPlan(material.labels, Design(NEGATIVES, retries=retries), material.groups)
    return [unit(plan, retry, rng) for retry in range(retries)], material, plan


def unit(plan: SplitPlan, retry: int, rng: np.random.Generator) -> UnitResult:
    split = plan.split(retry)
    known = np.unique(plan.labels[split.train])
    n = len(split.test)
    guess = np.where(rng.random(n) < 0.5, plan.labels[split.test], rng.choice(known, n))
    guess = np.where(np.isin(guess, known) & (rng.random(n) < 0.85), guess, -1)
    confidence = np.where(guess >= 0, rng.choice([0.2, 0.5, 0.8], n), 0).astype(np.float32)
    timing = Timing(0.1 * (retry + 1), 1.0, tuple(0.01 * (k + 1) for k in range(4)))
    key = UnitKey(plan.design.setting, retry)
    return UnitResult(
        key, split.test, split.negative, len(split.train), len(split.excluded), Answers(guess, confidence), timing
    )


def asked_in(results: list[UnitResult], material: Material) -> Iterator[tuple[int, str | None, bool, Guess]]:
    """Every test in plain words: row, topic it is filed under, whether it is a negative, what was guessed."""
    for result in results:
        answers = zip(result.test, result.negative, result.answers.guess, result.answers.confidence, strict=True)
        for row, negative, guess, sure in answers:
            yield int(row), material.data.intents[row], bool(negative), Guess(material.name(guess), float(sure))


@pytest.fixture(name="small", params=[0, 1, 2])
def _small(request: pytest.FixtureRequest) -> tuple[SettingFindings, list[UnitResult], Material, SplitPlan]:
    results, material, plan = small_record(request.param)
    return find(results, material, plan, threshold=THRESHOLD, seed=0), results, material, plan


def test_outcomes_are_counted_over_all_retries(small) -> None:
    findings, results, material, _ = small
    expected = Counter(
        outcome_of(None if negative else topic, guess, THRESHOLD)
        for _, topic, negative, guess in asked_in(results, material)
    )
    assert {outcome: findings.counts[outcome] for outcome in Outcome} == {o: expected[o] for o in Outcome}
    assert findings.counts.total == sum(findings.n_test) == sum(len(result.test) for result in results)


def test_a_rate_is_the_mean_over_retries_and_n_is_what_it_counts(small) -> None:
    findings, results, material, _ = small
    shares = findings.counts.shares()
    for name, rate in findings.rates.items():
        values = [retry[name] for retry in findings.per_retry if retry[name] is not None]
        assert rate.value == (pytest.approx(np.mean(values)) if values else None)
        if values and len(values) > 1:
            assert rate.low <= rate.value <= rate.high
        if name in shares:
            assert rate.n == shares[name].n
    tests = list(asked_in(results, material))
    assert findings.accuracy.n == len(tests)
    assert findings.negative_rejection.n == sum(negative for _, _, negative, _ in tests)
    assert findings.precision_answered.n == sum(g.intent is not None and g.confidence >= 0.5 for *_, g in tests)


def test_rates_read_as_attributes_and_unknown_ones_do_not() -> None:
    results, material, plan = small_record()
    findings = find(results, material, plan, threshold=THRESHOLD, seed=0)
    assert findings.accuracy is findings.rates["accuracy"]
    with pytest.raises(AttributeError, match="acuracy"):
        _ = findings.acuracy
    assert copy.deepcopy(findings).accuracy == findings.accuracy
    assert pickle.loads(pickle.dumps(findings)).accuracy == findings.accuracy  # noqa: S301 - our own bytes


def test_the_table_of_topics_is_that_of_a_count_by_hand(small) -> None:
    findings, results, material, _ = small
    tests = list(asked_in(results, material))
    times = Counter(row for row, *_ in tests)
    sums: dict[str, dict[str, float]] = {topic: defaultdict(float) for topic in material.topics}
    drawn: dict[str, Counter[int]] = {topic: Counter() for topic in material.topics}
    for row, topic, negative, guess in tests:
        weight, answers = 1 / times[row], guess.intent is not None and guess.confidence >= THRESHOLD
        right = answers and not negative and guess.intent == topic
        if topic is not None:
            sums[topic]["negatives"] += negative
            sums[topic]["tested"] += weight * (not negative)
            sums[topic]["right"] += weight * right
            sums[topic]["silent"] += weight * (not negative and not answers)
        if answers:
            sums[guess.intent]["given"] += weight
            drawn[guess.intent][row] += not right
    assert {line.intent for line in findings.intents} == set(material.topics)
    for line in findings.intents:
        mine = sums[line.intent]
        assert line.examples == material.data.sizes[line.intent]
        assert line.attracted == sum(n and 2 * n >= times[row] for row, n in drawn[line.intent].items())
        assert line.negatives == mine["negatives"]
        for rate, hits, n in (
            (line.recall, mine["right"], mine["tested"]),
            (line.deferred, mine["silent"], mine["tested"]),
            (line.precision, mine["right"], mine["given"]),
        ):
            assert rate.n == round(n)
            assert rate.value == (pytest.approx(hits / n) if round(n) else None)
            if round(n):
                around = wilson(min(1.0, hits / n) * round(n), round(n))
                assert (rate.low, rate.high) == (pytest.approx(around.low), pytest.approx(around.high))
        both = mine["tested"] + mine["given"]
        assert line.f1 == (pytest.approx(2 * mine["right"] / both) if mine["tested"] else None)
    sizes = [line.examples for line in findings.intents]
    assert sizes == sorted(sizes, reverse=True)


def test_a_topic_whose_messages_were_all_suppressed_has_recall_zero() -> None:
    # Row 7 of what not to inherit: suppressed cases belong to the denominator.
    material = Material.of(Dataset.of([f"text {n}" for n in range(8)], list("aaaabbbb")), leak_proof=False)
    plan = SplitPlan(material.labels, Design(retries=1, test_fraction=0.5))
    split = plan.split(0)
    sure = np.where(material.labels[split.test] == 0, 0.1, 0.9).astype(np.float32)
    answers = Answers(material.labels[split.test], sure)
    result = UnitResult(UnitKey(PLAIN, 0), split.test, split.negative, len(split.train), 0, answers, Timing(0, 0, ()))
    lines = {line.intent: line for line in find([result], material, plan, threshold=0.5, seed=0).intents}
    assert (lines["a"].recall.value, lines["a"].deferred.value) == (0.0, 1.0)
    assert lines["a"].precision.value is None
    assert lines["b"].recall.value == 1.0


def test_confusion_cells_sum_to_the_tests_and_negatives_keep_their_origin(small) -> None:
    findings, results, material, _ = small
    expected: Counter[tuple[object, ...]] = Counter()
    for _, topic, negative, guess in asked_in(results, material):
        answers = guess.intent is not None and guess.confidence >= THRESHOLD
        expected[topic, guess.intent, negative, answers] += 1
    found: Counter[tuple[object, ...]] = Counter()
    for cell in findings.confusion:
        found[cell.origin, cell.guess, cell.negative, True] += cell.answered
        found[cell.origin, cell.guess, cell.negative, False] += cell.deferred
    assert +found == expected
    assert sum(cell.answered + cell.deferred for cell in findings.confusion) == findings.counts.total
    origins = {cell.origin for cell in findings.confusion if cell.negative}
    assert {None, "delta", "epsilon", "zeta"} == origins
    sizes = [cell.answered + cell.deferred for cell in findings.confusion]
    assert sizes == sorted(sizes, reverse=True)


def test_samples_show_every_outcome_that_occurs_and_each_example_once(small) -> None:
    findings, _, material, _ = small
    shown = Counter(sample.outcome for sample in findings.samples)
    assert set(shown) == {outcome for outcome in Outcome if findings.counts[outcome]}
    assert max(shown.values()) <= SAMPLES_PER_OUTCOME
    for outcome in shown:
        rows = [sample.row for sample in findings.samples if sample.outcome is outcome]
        assert len(set(rows)) == len(rows)
    for sample in findings.samples:
        assert sample.text == material.data.texts[sample.row]
        truth = None if sample.negative else sample.intent
        assert outcome_of(truth, Guess(sample.guess, sample.confidence), THRESHOLD) is sample.outcome


def test_samples_are_seeded_and_not_the_first_rows() -> None:
    results, material, plan = small_record()
    drawn = [find(results, material, plan, threshold=THRESHOLD, seed=seed).samples for seed in (0, 0, 1, 2)]
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]
    # Row 6 of what not to inherit: the first of each kind, in order of the record, are not always chosen.
    firsts = defaultdict(list)
    for row, topic, negative, guess in asked_in(results, material):
        firsts[outcome_of(None if negative else topic, guess, THRESHOLD)].append(row)
    for samples in drawn:
        right = {sample.row for sample in samples if sample.outcome is Outcome.RIGHT}
        assert right != set(list(dict.fromkeys(firsts[Outcome.RIGHT]))[:SAMPLES_PER_OUTCOME])


def test_blind_spots_are_the_topics_that_were_never_tested_as_themselves(small) -> None:
    findings, results, material, _ = small
    tested = {topic for _, topic, negative, _ in asked_in(results, material) if not negative}
    unseen = set(material.topics) - tested
    assert set(findings.blind_spots.topics) == unseen == {"delta", "epsilon", "zeta"}
    assert findings.blind_spots.pairs == 3


def test_ties_at_the_border_leave_no_topic_blind_that_was_tested_in_another_turn() -> None:
    texts = [f"{word} number {n}" for word in "abcdefghij" for n in range(6)]
    result = examine_intents(
        (texts, [text[0] for text in texts]), JaccardClassifier(), settings=[(0, 0.15)], retries=20, text_view=False
    )
    findings = result.settings[0]
    tested = {cell.origin for cell in findings.confusion if not cell.negative}
    assert set(findings.blind_spots.topics) == set("abcdefghij") - tested


def test_timing_is_taken_from_the_record(small) -> None:
    findings, _, _, _ = small
    assert findings.timing.split == pytest.approx(0.55)
    assert findings.timing.train == pytest.approx(1.0)
    assert findings.timing.classify_p50 == pytest.approx(0.025)
    assert findings.timing.classify_p50 < findings.timing.classify_p95 <= 0.04


def test_the_number_of_retries_and_sizes_are_kept(small) -> None:
    findings, results, _, plan = small
    assert len(findings.per_retry) == len(findings.n_test) == len(findings.n_train) == len(results)
    assert findings.low_topics == ("delta", "epsilon", "zeta")
    assert findings.share_low == pytest.approx(6 / 33)
    assert findings.setting == plan.design.setting


# The whole result as JSON


@pytest.fixture(scope="module", name="result")
def _result() -> IntentsResult:
    words = {
        "pay": "salary money wage",
        "apply": "apply form job",
        "leave": "holiday leave days",
        "rare": "parking bike car",
    }
    rng = np.random.default_rng(0)
    texts, intents = [], []
    for topic, line in words.items():
        for number in range(4 if topic == "rare" else 14):
            texts.append(
                f"{' '.join(rng.permutation(line.split())[:2])} the {rng.choice(['a', 'b', 'c'])} {number:02d}"
            )
            intents.append(topic)
    intents[:2] = ["apply", "leave"]
    return examine_intents(([*texts, "something else"], [*intents, None]), JaccardClassifier(), threshold=0.3)


def numbers_in(value: object) -> Iterator[float]:
    if isinstance(value, dict):
        for key, part in value.items():
            assert isinstance(key, str)
            yield from numbers_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from numbers_in(part)
    elif isinstance(value, float):
        yield value


def test_the_whole_result_is_json_without_nan(result: IntentsResult) -> None:
    plain = result.to_json()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert all(math.isfinite(number) for number in numbers_in(plain))


def test_the_json_has_the_keys_of_the_interface(result: IntentsResult) -> None:
    plain = result.to_json()
    assert {"vivavoce", "kind", "definitions", "seed", "data", "settings", "pairs", "warnings"} <= set(plain)
    assert (plain["kind"], plain["definitions"], plain["seed"]) == ("intents", 1, 0)
    assert plain["data"]["hash"] == result.data.hash
    assert plain["data"]["rows"] == 47
    assert len(plain["settings"]) == 3
    for setting in plain["settings"]:
        assert set(setting) >= SETTING_KEYS
        assert set(setting["outcomes"]) == {str(outcome) for outcome in Outcome}
        assert sum(setting["outcomes"].values()) == sum(setting["n_test"])
        for name in RATES.split():
            with_value = {"value", "low", "high", "n"}
            assert set(setting[name]) == (with_value if setting[name]["value"] is not None else {"value", "n"})
    assert plain["pairs"]
    assert all(set(pair) >= PAIR_KEYS for pair in plain["pairs"])
    assert {"kind", "message"} == set(plain["warnings"][0])


def test_a_setting_without_negatives_says_nothing_about_them(result: IntentsResult) -> None:
    texts = [f"{word} number {n}" for word in ("alpha", "beta") for n in range(8)]
    data = Dataset.of(texts, [text.split()[0] for text in texts])
    other = examine_intents(data, JaccardClassifier(), settings=[PLAIN], text_view=False)
    plain = other.to_json()["settings"][0]
    assert plain["negative_rejection"] == {"value": None, "n": 0}
    assert plain["oos_auroc"] == {"value": None, "n": 0}
    assert result.rate("negative_rejection", Setting(5)).n > 0


def test_a_rate_is_found_by_name_and_a_wrong_name_is_refused_with_the_nearest(result: IntentsResult) -> None:
    assert result.rate("accuracy") is result.settings[0].accuracy
    assert result.rate("accuracy", Setting(5)) is result.at(Setting(5)).accuracy
    with pytest.raises(UsageError, match="Did you mean 'accuracy'"):
        result.rate("acuracy")
    with pytest.raises(UsageError, match="was not tested"):
        result.at(Setting(9))


def test_a_notebook_shows_the_numbers_and_escapes_the_topics(result: IntentsResult) -> None:
    page = result._repr_html_()
    assert f"{result.settings[0].accuracy.value:.3f}" in page
    assert result.pairs[0].a in page
    texts = [f"the same words number {n}" for n in range(12)]
    data = Dataset.of(texts, ["<b>x</b>", "y"] * 6)
    other = examine_intents(data, JaccardClassifier(), text_view=False, leak_proof=False)._repr_html_()
    assert "&lt;b&gt;x&lt;/b&gt;" in other
    assert "<b>x</b>" not in other


def test_retries_that_agree_by_chance_do_not_claim_certainty() -> None:
    texts = [f"{word} number {n}" for word in ("red", "blue", "green") for n in range(6)]
    labels = [word for word in ("red", "blue", "green") for _ in range(6)]
    result = examine_intents((texts, labels), JaccardClassifier(), retries=2, text_view=False)
    for findings in result.settings:
        for name, rate in findings.rates.items():
            if rate.value is not None and rate.low is not None:
                assert rate.low < rate.high, name
                assert rate.low <= rate.value <= rate.high, name
