"""The result of an intents exam from its JSON form: what `IntentsResult.to_json` writes, read back.

Keys may stand in any order. The curve comes back at its full length: exact wherever a report looks at it, and between
these places with the value of the next one. What every single retry measured is not in the JSON form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from vivavoce.errors import Fault, UsageError
from vivavoce.files.objects import (
    MisreadError,
    Shape,
    as_object,
    check_head,
    count,
    each,
    flag,
    maybe,
    members,
    number,
    one_of,
    rate,
    read_document,
    text,
)
from vivavoce.intents.findings import (
    BlindSpots,
    ConfusionCell,
    IntentFindings,
    Sample,
    SettingFindings,
    TimingFindings,
)
from vivavoce.intents.losses import Loss
from vivavoce.intents.measures import CalibrationBin, Items, RiskCoverage, measures
from vivavoce.intents.mistaken import count_mistaken
from vivavoce.intents.pairs import Pair, PairExample
from vivavoce.intents.problems import Problem, ProblemKind, Remedy, find_problems
from vivavoce.intents.quality import DataQuality, ProblemExample
from vivavoce.intents.record import UnitFailure, UnitKey
from vivavoce.intents.result import DEFINITIONS, DataFacts, Inflation, IntentsResult, Note
from vivavoce.intents.splits import Design, Partition, Setting, Singletons
from vivavoce.outcomes import Counts, Outcome
from vivavoce.records import Rate
from vivavoce.statistics import wilson

REMEDY = "give the JSON form that vivavoce wrote, or hold the exam again"


def intents_result_from_json(data: Mapping[str, Any]) -> IntentsResult:
    """Return the result whose JSON form this is; DataError names every key that is missing or wrong.

    `timing` may be missing: then no setting says how long anything took.
    """
    return read_document(data, _result, what="this result of an intents exam", remedy=REMEDY)


def _result(data: Any) -> IntentsResult:
    check_head(data, "intents", DEFINITIONS)
    found = members(data, _RESULT, {"out_of_scope_share": None, "problems": None})
    found["pairs"] = tuple(_counted(found["pairs"], found["settings"]))
    if found["problems"] is None:
        # An earlier version kept no list: what it knew of single examples is gone, the rest is found again.
        found["problems"] = find_problems(
            found["settings"], found["pairs"], DataQuality(), out_of_scope_share=found["out_of_scope_share"]
        )
    return IntentsResult(design=read_design(data), **found)


def _counted(pairs: Iterable[Pair], settings: Sequence[SettingFindings]) -> Iterator[Pair]:
    """Yield pairs with their mistakes; an earlier version wrote them into the table of confusions alone."""
    mistaken = count_mistaken(settings)
    plain = next((findings for findings in settings if not findings.low_topics), None)
    for pair in pairs:
        if mistaken is not None and plain is not None and pair.loss is None:
            mistakes, held_back = mistaken.between(pair.a, pair.b)
            loss = _estimated_loss(pair, mistakes, plain)
            yield replace(pair, mistakes=mistakes, held_back=held_back, loss=loss)
        else:
            yield pair


def _estimated_loss(pair: Pair, mistakes: int, findings: SettingFindings) -> Loss:
    """Estimate from the wrong answers of all retries how many examples are lost between two topics."""
    tested = {line.intent: line.recall.n for line in findings.intents}
    n = tested.get(pair.a, 0) + tested.get(pair.b, 0)
    times = findings.counts.total / max(1, sum(tested.values()))
    lost = min(float(n), mistakes / max(1.0, times))
    return Loss(wilson(lost, n), min(pair.evidence, round(lost)))


# --- parts that a comparison has too -----------------------------------------------------------------------------


def read_setting(value: Any) -> Setting:
    """Return a setting from its `k` and `p`."""
    found = members(value, {"k": count, "p": number})
    try:
        return Setting(**found)
    except UsageError as error:
        raise MisreadError(Fault(error.what, "p")) from None


def read_data(value: Any) -> DataFacts:
    """Return what was examined."""
    return DataFacts(**members(value, _DATA, {"largest_topic": None, "largest_share": None}))


def read_design(value: Any) -> Design:
    """Return how the data were divided."""
    found = members(value, _DESIGN)
    try:
        return Design(**found)
    except UsageError as error:
        raise MisreadError(Fault(error.what, "test_fraction" if found["retries"] > 0 else "retries")) from None


def read_note(value: Any) -> Note:
    """Return a warning."""
    return Note(**members(value, {"kind": text, "message": text}))


def read_failure(value: Any) -> UnitFailure:
    """Return a retry that failed."""
    found = members(value, {"retry": count, "leak_proof": flag, "reason": text})
    return UnitFailure(UnitKey(read_setting(value), found["retry"], found["leak_proof"]), found["reason"])


def read_rates(value: Any) -> dict[str, Rate]:
    """Return the rates of a setting by their names, in the order in which they are shown."""
    # An earlier version did not measure these.
    unknown = dict.fromkeys(("best_guess_accuracy", "recall_macro"), Rate(None, None, None, 0))
    return members(value, dict.fromkeys(rate_names(), rate), unknown)


@cache
def rate_names() -> tuple[str, ...]:
    """Return the names of all rates of a setting."""
    none = np.zeros(0, dtype=np.intp)
    return tuple(measures(Items(none, none, np.zeros(0)), 0.5))


# --- a setting ---------------------------------------------------------------------------------------------------


def _findings(value: Any) -> SettingFindings:
    found = members(value, _SETTING, {"timing": None, "out_of_scope_share": None, "negatives_from": None})
    negatives = found.pop("negatives")
    return SettingFindings(
        setting=read_setting(value),
        rates=read_rates(value),
        counts=found.pop("outcomes"),
        per_retry=(),
        n_excluded=found.pop("excluded"),
        intents=found.pop("per_intent"),
        curve=found.pop("risk_coverage"),
        bins=found.pop("calibration"),
        low_topics=negatives["topics"],
        share_low=negatives["share"],
        **found,
    )


def _counts(value: Any) -> Counts:
    found = members(value, {str(outcome): count for outcome in Outcome})
    return Counts({Outcome(name): n for name, n in found.items()})


def _curve(value: Any) -> RiskCoverage:
    found = members(value, _CURVE)
    n, marks = found["n"], found["marks"]
    if n < 0:
        raise MisreadError(Fault(f"is {n}, not a count", "n"))
    coverage = np.arange(1, n + 1) / n if n else np.empty(0)
    bare = RiskCoverage(coverage, coverage, coverage, found["aurc"], found["augrc"])
    places = [*bare.steps(), *marks["place"]]
    risk, thresholds = (_filled(n, places, (*found[name], *marks[name]), name) for name in ("risk", "threshold"))
    return RiskCoverage(coverage, risk, thresholds, bare.aurc, bare.augrc)


def _filled(n: int, places: list[int], values: tuple[float, ...], name: str) -> Any:
    """Return a row of n numbers: those that are known, and each other one as the next that is known."""
    if len(places) != len(values):
        raise MisreadError(Fault(f"has {len(values):,} values at {len(places):,} places", name))
    if not all(0 <= place < n for place in places) or (n and n - 1 not in places):
        raise MisreadError(Fault(f"do not lie on a curve of {n:,} messages, up to its end", "marks.place"))
    if not n:
        return np.empty(0)
    order = np.argsort(np.asarray(places, dtype=np.intp))
    known, told = np.asarray(places, dtype=np.intp)[order], np.asarray(values, dtype=np.float64)[order]
    return told[np.searchsorted(known, np.arange(n))]


def _timing(value: Any) -> TimingFindings:
    found = members(value, {f"{name}_seconds": number for name in ("split", "train", "classify_p50", "classify_p95")})
    return TimingFindings(**{name.removesuffix("_seconds"): seconds for name, seconds in found.items()})


def _sample(value: Any) -> Sample:
    return Sample(**members(value, _SAMPLE))


def _intent(value: Any) -> IntentFindings:
    return IntentFindings(**members(value, _INTENT))


def _cell(value: Any) -> ConfusionCell:
    return ConfusionCell(**members(value, _CELL))


def _bin(value: Any) -> CalibrationBin:
    return CalibrationBin(**members(value, {"confidence": number, "right": number, "n": count}))


def _blind_spots(value: Any) -> BlindSpots:
    return BlindSpots(**members(value, {"topics": each(text), "pairs": count}))


def _pair(value: Any) -> Pair:
    found = members(value, _PAIR, {"mistakes": None, "held_back": None, "lost": None})
    return Pair(cost=found.pop("cost_per_100"), loss=found.pop("lost"), **found)


def _loss(value: Any) -> Loss:
    return Loss(rate(value), **members(value, {"examples": count, "rows": each(count)}))


def _problem(value: Any) -> Problem:
    return Problem(**members(value, _PROBLEM))


def _problem_example(value: Any) -> ProblemExample:
    return ProblemExample(**members(value, {"text": text, "row": count, "intent": _name, "guess": _name}))


def _pair_example(value: Any) -> PairExample:
    return PairExample(**members(value, _PAIR_EXAMPLE))


def _inflation(value: Any) -> Inflation:
    shape = {"difference": number, "low": maybe(number), "high": maybe(number), "rows": count}
    return Inflation(**members(value, shape))


def _part(shape: Shape) -> Any:
    return lambda value: members(as_object(value), shape)


# --- shapes ------------------------------------------------------------------------------------------------------

_name = maybe(text)
_outcome = one_of(Outcome, "an outcome")
_DATA: Shape = {
    "source": text,
    "hash": text,
    "rows": count,
    "topics": count,
    "out_of_scope": count,
    "largest_topic": maybe(text),
    "largest_share": maybe(number),
}
_DESIGN: Shape = {
    "retries": count,
    "test_fraction": number,
    "partition": one_of(Partition, "a partition"),
    "singletons": one_of(Singletons, "a way to treat topics with one example"),
    "seed": count,
}
_SAMPLE: Shape = {
    "text": text,
    "row": count,
    "intent": _name,
    "guess": _name,
    "confidence": number,
    "outcome": _outcome,
    "negative": flag,
}
_INTENT: Shape = {
    "intent": text,
    "examples": count,
    "recall": rate,
    "precision": rate,
    "deferred": rate,
    "f1": maybe(number),
    "attracted": count,
    "negatives": count,
}
_CELL: Shape = {"origin": _name, "guess": _name, "negative": flag, "answered": count, "deferred": count}
_CURVE: Shape = {
    "n": count,
    "risk": each(number),
    "threshold": each(number),
    "aurc": maybe(number),
    "augrc": maybe(number),
    "marks": _part({"place": each(count), "risk": each(number), "threshold": each(number)}),
}
_SETTING: Shape = {
    "same_as": maybe(read_setting),
    "out_of_scope_share": maybe(number),
    "negatives_from": maybe(read_setting),
    "outcomes": _counts,
    "n_test": each(count),
    "n_train": each(count),
    "excluded": count,
    "negatives": _part({"topics": each(text), "share": number}),
    "per_intent": each(_intent),
    "confusion": each(_cell),
    "risk_coverage": _curve,
    "calibration": each(_bin),
    "samples": each(_sample),
    "blind_spots": _blind_spots,
    "timing": maybe(_timing),
}
_PAIR_EXAMPLE: Shape = {"text": text, "row": count, "intent": text, "chance_a": number, "chance_b": number}
_PAIR: Shape = {
    "a": text,
    "b": text,
    "overlap": number,
    "low": number,
    "high": number,
    "score": number,
    "bot_overlap": maybe(number),
    "text_overlap": maybe(number),
    "top3_share": number,
    "cost_per_100": maybe(number),
    "direction": text,
    "evidence": count,
    "enough": flag,
    "same_answer": flag,
    "mistakes": maybe(count),
    "held_back": maybe(count),
    "lost": maybe(_loss),
    "typical_a": each(text),
    "typical_b": each(text),
    "examples": each(_pair_example),
}
_PROBLEM: Shape = {
    "kind": one_of(ProblemKind, "a kind of problem"),
    "topics": each(text),
    "cost": number,
    "low": number,
    "high": number,
    "evidence": count,
    "rows": each(count),
    "examples": each(_problem_example),
    "measured": maybe(rate),
    "remedies": each(one_of(Remedy, "a remedy")),
}
_RESULT: Shape = {
    "data": read_data,
    "classifier": text,
    "threshold": number,
    "settings": each(_findings),
    "problems": maybe(each(_problem)),
    "pairs": each(_pair),
    "warnings": each(read_note),
    "failures": each(read_failure),
    "inflation": maybe(_inflation),
    "out_of_scope_share": maybe(number),
}
