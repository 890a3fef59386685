"""Engines side by side from their JSON form: what `ComparisonResult.to_json` writes, read back.

Of each setting of an engine the JSON form has the rates; what became of topics and questions is not in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from vivavoce.files.objects import (
    Shape,
    check_head,
    count,
    each,
    maybe,
    members,
    number,
    one_of,
    read_document,
    text,
)
from vivavoce.intents.comparison import ClassifierFindings, ComparisonResult, EngineFailure, Spread
from vivavoce.intents.differences import Difference, Differing, Gap, Verdict
from vivavoce.intents.findings import BlindSpots, SettingFindings
from vivavoce.intents.measures import RiskCoverage
from vivavoce.intents.result import DEFINITIONS
from vivavoce.intents.result_reading import (
    read_data,
    read_design,
    read_failure,
    read_note,
    read_rates,
    read_setting,
)
from vivavoce.intents.splits import Setting
from vivavoce.outcomes import Counts
from vivavoce.statistics import PairedTest

REMEDY = "give the JSON form that vivavoce wrote, or compare the classifiers again"


def comparison_from_json(data: Mapping[str, Any]) -> ComparisonResult:
    """Return the comparison whose JSON form this is; DataError names every key that is missing or wrong."""
    return read_document(data, _result, what="this comparison of classifiers", remedy=REMEDY)


def _result(data: Any) -> ComparisonResult:
    check_head(data, "intents-comparison", DEFINITIONS)
    return ComparisonResult(design=read_design(data), **members(data, _RESULT))


def _classifier(value: Any) -> ClassifierFindings:
    return ClassifierFindings(**members(value, _CLASSIFIER))


def _findings(value: Any) -> SettingFindings:
    none = np.empty(0)
    return SettingFindings(
        setting=read_setting(value),
        rates=read_rates(value),
        counts=Counts({}),
        per_retry=(),
        n_test=(),
        n_train=(),
        n_excluded=0,
        intents=(),
        confusion=(),
        curve=RiskCoverage(none, none, none, None, None),
        bins=(),
        samples=(),
        timing=None,
        blind_spots=BlindSpots((), 0),
        low_topics=(),
        share_low=0.0,
        **members(value, {"same_as": maybe(read_setting)}),
    )


def _spread(value: Any) -> Spread:
    found = members(value, {"min": number, "max": number, "mean": number})
    return Spread(found["min"], found["max"], found["mean"])


def _difference(value: Any) -> Difference:
    found = members(value, _DIFFERENCE)
    return Difference(pooled=_gap(value), **found)


def _in_setting(value: Any) -> tuple[Setting, Gap]:
    return members(value, {"setting": read_setting})["setting"], _gap(value)


def _gap(value: Any) -> Gap:
    found = members(value, _GAP, {"freedom": None, "untested": 0})
    names = ("difference", "low", "high", "standard_error")
    test = PairedTest(**{name: found.pop(name) for name in names}, p=found.pop("test_p"))
    return Gap(test=test, mcnemar=found.pop("mcnemar_p"), **found)


def _test(value: Any) -> PairedTest:
    return PairedTest(**members(value, _TEST))


def _differing(value: Any) -> Differing:
    return Differing(**members(value, _DIFFERING))


def _engine_failure(value: Any) -> EngineFailure:
    return EngineFailure(**members(value, {"name": text, "reason": text}))


# --- shapes ------------------------------------------------------------------------------------------------------

_perhaps = maybe(number)
_TEST: Shape = dict.fromkeys(("difference", "low", "high", "p", "standard_error"), _perhaps)
_GAP: Shape = {
    **_TEST,
    "test_p": _perhaps,
    "p_adjusted": _perhaps,
    "verdict": one_of(Verdict, "a verdict"),
    "more_examples": maybe(count),
    "improved": count,
    "broken": count,
    "mcnemar_p": number,
    "freedom": maybe(count),
    "untested": count,
}
_DIFFERING: Shape = {
    "text": text,
    "row": count,
    "intent": maybe(text),
    "guess_a": maybe(text),
    "guess_b": maybe(text),
    "right": text,
}
_DIFFERENCE: Shape = {
    "a": text,
    "b": text,
    "settings": each(_in_setting),
    "aurc": _test,
    "samples": each(_differing),
}
_CLASSIFIER: Shape = {
    "name": text,
    "settings": each(_findings),
    "accuracy": maybe(_spread),
    "aurc": maybe(_spread),
    "failures": each(read_failure),
    "notes": each(text),
}
_RESULT: Shape = {
    "data": read_data,
    "threshold": number,
    "settings": each(read_setting),
    "classifiers": each(_classifier),
    "differences": each(_difference),
    "failures": each(_engine_failure),
    "warnings": each(read_note),
}
