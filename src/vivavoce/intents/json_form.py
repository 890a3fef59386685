"""The results of intents exams as JSON and back: what differs from the fields of each class, and what is computed.

Keys may stand in any order. The curve comes back at its full length: exact wherever a report looks at it, and between
these places with the value of the next one. What every single retry measured is not in the JSON form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from operator import attrgetter
from typing import Any

import numpy as np

from vivavoce.codec import FLAT, Hook, MisreadError, check_head, from_json, hook, read_members, rows, shape, to_json
from vivavoce.errors import Fault
from vivavoce.intents.blind import BlindResult
from vivavoce.intents.borrowing import Borrowed
from vivavoce.intents.check import CheckResult
from vivavoce.intents.comparison import ClassifierFindings, ComparisonResult, Spread
from vivavoce.intents.differences import Difference, Gap
from vivavoce.intents.findings import BlindSpots, SettingFindings, TimingFindings, count_mistaken
from vivavoce.intents.improve import Improvement
from vivavoce.intents.losses import Loss
from vivavoce.intents.measures import Items, RiskCoverage, measures
from vivavoce.intents.pairs import Pair
from vivavoce.intents.problem_sentences import problem_advice, problem_sentence
from vivavoce.intents.problems import Problem, find_problems
from vivavoce.intents.quality import DataQuality
from vivavoce.intents.record import UnitFailure, UnitKey
from vivavoce.intents.result import DEFINITIONS, DataFacts, IntentsResult, Result
from vivavoce.intents.selftest import SelfTest
from vivavoce.intents.splits import Design, Setting
from vivavoce.intents.suspects import SuspectsResult
from vivavoce.intents.threshold import Advice
from vivavoce.intents.threshold_exam import ThresholdResult
from vivavoce.intents.timeline import Period, Scores, TimelineResult
from vivavoce.intents.whatif.edits import Edit, edit_kind
from vivavoce.intents.whatif.forecasting import Forecast
from vivavoce.outcomes import Counts, Outcome
from vivavoce.records import Example, Guess, Rate
from vivavoce.statistics import PairedTest, wilson
from vivavoce.version import __version__

__all__ = ["comparison_from_json", "intents_result_from_json", "rate_names", "result_to_json", "to_json"]

_HEAD = "vivavoce kind definitions seed data "
_GAIN = ("difference", "low", "high", "p")
_RESULT = "this result of an intents exam"
_COMPARISON = "this comparison of classifiers"


def result_to_json(result: Result) -> dict[str, Any]:
    """Return the stable JSON form of a result; its curves name the place of the threshold too."""
    content: dict[str, Any] = to_json(result)
    if isinstance(result, BlindResult):
        content["risk_coverage"] = write_curve(result.curve, result.threshold)
    if isinstance(result, IntentsResult):
        for part, findings in zip(content["settings"], result.settings, strict=True):
            part["risk_coverage"] = write_curve(findings.curve, result.threshold)
    return content


def intents_result_from_json(data: Mapping[str, Any]) -> IntentsResult:
    """Return the result whose JSON form this is; DataError names every key that is missing or wrong.

    `timing` may be missing: then no setting says how long anything took.
    """
    remedy = "use the JSON that vivavoce wrote, or run the exam again"
    data = check_head(data, "intents", DEFINITIONS, what=_RESULT, remedy=remedy)
    result = from_json(IntentsResult, {**data, "problems": data.get("problems") or []}, what=_RESULT, remedy=remedy)
    result = replace(result, pairs=tuple(_count_mistakes(result.pairs, result.settings)))
    if data.get("problems") is not None:
        return result
    # An earlier version kept no list: what it knew of single examples is gone, the rest is found again.
    share = result.out_of_scope_share
    problems = find_problems(result.settings, result.pairs, DataQuality(), out_of_scope_share=share)
    return replace(result, problems=problems)


def _count_mistakes(pairs: Sequence[Pair], settings: Sequence[SettingFindings]) -> Iterator[Pair]:
    """Yield pairs with their mistakes; an earlier version wrote them into the table of confusions alone."""
    mistaken = count_mistaken(settings)
    plain = next((findings for findings in settings if not findings.low_topics), None)
    for pair in pairs:
        if mistaken is None or plain is None or pair.loss is not None:
            yield pair
            continue
        mistakes, held_back = mistaken.get(frozenset((pair.a, pair.b)), (0, 0))
        # The wrong answers of all retries tell about how many examples are lost between two topics.
        tested = {line.intent: line.recall.n for line in plain.intents}
        n = tested.get(pair.a, 0) + tested.get(pair.b, 0)
        lost = min(float(n), mistakes / max(1.0, plain.counts.total / max(1, sum(tested.values()))))
        loss = Loss(wilson(lost, n), min(pair.evidence, round(lost)))
        yield replace(pair, mistakes=mistakes, held_back=held_back, loss=loss)


def comparison_from_json(data: Mapping[str, Any]) -> ComparisonResult:
    """Return the comparison whose JSON form this is; DataError names every key that is missing or wrong.

    Of each setting of a classifier the JSON form has the rates alone.
    """
    remedy = "use the JSON that vivavoce wrote, or compare the classifiers again"
    data = check_head(data, "intents-comparison", DEFINITIONS, what=_COMPARISON, remedy=remedy)
    return from_json(ComparisonResult, data, what=_COMPARISON, remedy=remedy)


@cache
def rate_names() -> tuple[str, ...]:
    """Return the names of all rates of a setting, in the order in which they are shown."""
    none = np.zeros(0, dtype=np.intp)
    return tuple(measures(Items(none, none, np.zeros(0)), 0.5))


def _read_rates(value: Any, _: Any) -> dict[str, Rate]:
    # An earlier version did not measure these two.
    unknown = dict.fromkeys(("best_guess_accuracy", "recall_macro"), Rate(None, None, None, 0))
    return read_members(value, rate_names(), Rate, unknown)


def _read_counts(value: Any, _: Any) -> Counts:
    return Counts({Outcome(name): n for name, n in read_members(value, map(str, Outcome), int).items()})


def write_curve(curve: RiskCoverage, threshold: float) -> dict[str, Any]:
    """Return about 100 places of a risk-coverage curve; `marks` are the places that tables and texts name besides.

    `n`: how many messages the whole curve has. The marks are each tenth, and the last one answered at the threshold.
    """
    steps, answered = list(curve.steps()), curve.answered(threshold)
    places = sorted({*curve.tenths(), *([answered - 1] if answered else [])} - set(steps))
    risk, thresholds = curve.risk, curve.thresholds
    return {
        "coverage": curve.coverage[steps].tolist(),
        "risk": risk[steps].tolist(),
        "threshold": thresholds[steps].tolist(),
        "n": len(curve.coverage),
        "aurc": curve.aurc,
        "augrc": curve.augrc,
        "marks": {"place": places, "risk": risk[places].tolist(), "threshold": thresholds[places].tolist()},
    }


@dataclass(frozen=True, slots=True)
class _Marks:
    place: tuple[int, ...]
    risk: tuple[float, ...]
    threshold: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Curve:
    n: int
    risk: tuple[float, ...]
    threshold: tuple[float, ...]
    aurc: float | None
    augrc: float | None
    marks: _Marks


def read_curve(value: Any, read_as: Callable[[Any, Any], Any]) -> RiskCoverage:
    """Return the curve of which some places were written."""
    curve: _Curve = read_as(value, _Curve)
    n, marks = curve.n, curve.marks
    if n < 0:
        raise MisreadError(Fault(f"is {n}, not a count", "n"))
    coverage = np.arange(1, n + 1) / n if n else np.empty(0)
    places = [*RiskCoverage(coverage, coverage, coverage, None, None).steps(), *marks.place]
    if not all(0 <= place < n for place in places) or (n and n - 1 not in places):
        raise MisreadError(Fault(f"are not on a curve of {n:,} messages up to its end", "marks.place"))
    order = np.argsort(np.asarray(places, dtype=np.intp))
    # A place that is not known has the value of the next one that is.
    nearest_known = np.searchsorted(np.asarray(places, dtype=np.intp)[order], np.arange(n))
    lines = {"risk": (*curve.risk, *marks.risk), "threshold": (*curve.threshold, *marks.threshold)}
    if faults := [
        Fault(f"has {len(line):,} values at {len(places):,} places", name)
        for name, line in lines.items()
        if len(line) != len(places)
    ]:
        raise MisreadError(*faults)
    risk, thresholds = (np.asarray(line, dtype=np.float64)[order][nearest_known] for line in lines.values())
    return RiskCoverage(coverage, risk, thresholds, curve.aurc, curve.augrc)


@dataclass(frozen=True, slots=True)
class _Rates:
    """A setting of a comparison."""

    setting: Setting
    same_as: Setting | None
    rates: Mapping[str, Rate]


def _read_test(value: Any, read_as: Callable[[Any, Any], Any]) -> PairedTest:
    test: PairedTest = read_as(value, PairedTest)
    return replace(test, p=read_members(value, ["test_p"], float | None)["test_p"])


def _write_predictions(predictions: Sequence[tuple[Example, Guess]]) -> list[dict[str, Any]]:
    return [
        {"text": example.text, "row": example.row, "intent": example.intent, "guess": guess.intent}
        | {"confidence": guess.confidence}
        for example, guess in predictions
    ]


def _write_edits(edits: Sequence[Edit]) -> list[dict[str, Any]]:
    return [{"kind": edit_kind(edit), **to_json(edit)} for edit in edits]


def _write_settings(settings: Sequence[SettingFindings]) -> list[Any]:
    return [to_json(_Rates(findings.setting, findings.same_as, findings.rates)) for findings in settings]


def _read_settings(value: Any, read_as: Callable[[Any, Any], Any]) -> tuple[SettingFindings, ...]:
    none = np.empty(0)
    lists = ("per_retry", "n_test", "n_train", "intents", "confusion", "bins", "samples", "low_topics")
    unknown: dict[str, Any] = {
        **dict.fromkeys(lists, ()),
        "counts": Counts({}),
        "n_excluded": 0,
        "curve": RiskCoverage(none, none, none, None, None),
        "blind_spots": BlindSpots((), 0),
        "share_low": 0.0,
    }
    rates = read_as(value, tuple[_Rates, ...])
    return tuple(SettingFindings(each.setting, each.rates, same_as=each.same_as, **unknown) for each in rates)


# --- tables ------------------------------------------------------------------------------------------------------


def _describe_head(kind: str, **more: Callable[[Any], Any]) -> dict[str, Callable[[Any], Any]]:
    """Return what every result begins with, beside its seed and its data."""
    return {"vivavoce": lambda _: __version__, "kind": lambda _: kind, "definitions": lambda _: DEFINITIONS, **more}


_SEED = {"seed": attrgetter("design.seed")}
_RATES = Hook(read=_read_rates)
hook(Counts, lambda counts: {str(outcome): counts[outcome] for outcome in Outcome}, _read_counts)
shape(Setting, blame=lambda _: "p")
shape(Design, skip="setting", blame=lambda content: "test_fraction" if content["retries"] > 0 else "retries")
shape(DataFacts, optional="largest_topic largest_share")
shape(UnitKey, setting=FLAT)
shape(UnitFailure, order="unit key reason", added={"unit": lambda failure: str(failure.key)}, key=FLAT)
_P50, _P95 = "classify_p50_seconds", "classify_p95_seconds"
shape(TimingFindings, split="split_seconds", train="train_seconds", classify_p50=_P50, classify_p95=_P95)
shape(
    SettingFindings,
    order="setting same_as out_of_scope_share negatives_from rates counts n_test n_train n_excluded negatives "
    "intents confusion curve bins samples blind_spots timing",
    optional="out_of_scope_share negatives_from",
    brief="timing",
    skip={"per_retry": ()},
    added={"negatives": lambda findings: {"topics": list(findings.low_topics), "share": findings.share_low}},
    hooks={
        "rates": _RATES,
        # The result writes it: it knows the threshold.
        "curve": Hook(lambda _: None, read_curve),
        "low_topics": Hook(None, lambda value, _: read_members(value, ["topics"], tuple[str, ...])["topics"]),
        "share_low": Hook(None, lambda value, _: read_members(value, ["share"], float)["share"]),
    },
    setting=FLAT,
    rates=FLAT,
    counts="outcomes",
    n_excluded="excluded",
    intents="per_intent",
    curve="risk_coverage",
    bins="calibration",
    low_topics="negatives",
    share_low="negatives",
)
shape(Loss, share=FLAT)
shape(
    Pair,
    order="a b overlap low high score bot_overlap text_overlap top3_share cost direction evidence enough same_answer "
    "mistakes held_back loss typical_a typical_b examples",
    optional="mistakes held_back loss",
    cost="cost_per_100",
    loss="lost",
)
shape(
    Problem,
    order="kind topics cost low high evidence rows examples measured remedies attracted standing minutes "
    "gain_per_minute message advice",
    optional="attracted standing",
    added={
        "minutes": attrgetter("minutes"),
        "gain_per_minute": attrgetter("gain_per_minute"),
        "message": problem_sentence,
        "advice": problem_advice,
    },
)
shape(
    IntentsResult,
    order=_HEAD + "classifier threshold design out_of_scope_share borrowed settings problems asides pairs warnings "
    "failures inflation",
    optional="out_of_scope_share borrowed asides",
    added=_describe_head("intents", **_SEED),
    design=FLAT,
)
shape(_Rates, hooks={"rates": _RATES}, setting=FLAT, rates=FLAT)
shape(Borrowed, added={"message": attrgetter("sentence")})
shape(Spread, low="min", high="max")
shape(
    Gap,
    order="test test_p p p_adjusted verdict more_examples improved broken mcnemar freedom untested",
    optional="freedom untested",
    added={"test_p": lambda gap: gap.test.p},
    hooks={"test": Hook(None, _read_test)},
    test=FLAT,
    mcnemar="mcnemar_p",
)
shape(
    Difference,
    order="a b pooled aurc settings samples",
    hooks={"settings": rows("setting *", Setting, Gap)},
    pooled=FLAT,
)
shape(
    ClassifierFindings,
    order="name accuracy aurc settings failures notes",
    hooks={"settings": Hook(_write_settings, _read_settings)},
)
shape(
    ComparisonResult,
    order=_HEAD + "threshold design settings classifiers differences failures warnings",
    added=_describe_head("intents-comparison", **_SEED),
    design=FLAT,
)
shape(
    BlindResult,
    order=_HEAD + "train classifier threshold rates counts intents confusion curve bins samples leak unknown_intents "
    "predictions warnings",
    added=_describe_head("intents-blind"),
    hooks={
        "curve": Hook(lambda _: None),
        "predictions": Hook(_write_predictions),
    },
    rates=FLAT,
    counts="outcomes",
    intents="per_intent",
    curve="risk_coverage",
    bins="calibration",
)
shape(Scores, rates=FLAT, counts="outcomes")
shape(Period, begin="from", end="to", n_excluded="excluded", scores=FLAT)
shape(
    TimelineResult,
    order=_HEAD + "classifier mode threshold periods overall overall_frozen maintenance undated warnings",
    added=_describe_head("intents-over-time"),
    hooks={"maintenance": Hook(lambda gain: gain and {name: getattr(gain, name) for name in _GAIN})},
)
shape(
    Advice,
    order="questions out_of_scope out_of_scope_share wrong_costs cheapest today guarantee guaranteed curve",
    cheapest="chosen",
)
shape(
    ThresholdResult,
    order=_HEAD + "classifier setting advice failures",
    added=_describe_head("intents-threshold"),
    setting=FLAT,
    advice=FLAT,
)
shape(
    CheckResult,
    order=_HEAD + "problems sizes counts out_of_scope excluded notes",
    added=_describe_head(
        "intents-check", seed=lambda _: 0, data=lambda result: {"hash": result.data_hash, "rows": result.rows}
    ),
)
shape(
    Forecast,
    order=_HEAD + "after classifier threshold rounds refits confidence edits message effects on_topics "
    "by_later_topics improved broken warnings failures",
    added=_describe_head("intents-whatif", message=lambda forecast: forecast.sentence),
    hooks={"edits": Hook(_write_edits)},
)
shape(
    SuspectsResult,
    order=_HEAD + "classifier rounds judged found suspects failures",
    added=_describe_head("intents-suspects"),
)
shape(
    SelfTest,
    order=_HEAD + "classifier threshold rounds plants level alike failures",
    added=_describe_head("intents-selftest"),
)
shape(
    Improvement,
    order=_HEAD + "classifier threshold rounds proposals failures",
    added=_describe_head("intents-improve"),
)
