"""Moving scores onto the scale of the user's own marks, if that is shown to help.

A straight line only: it keeps the order of the scores, and 30 marks cannot carry more. It is shrunk towards "the
score is right", as if some more marks had said so. A score that follows nobody gains too when it is squeezed towards
the mean mark; that corrects its level and nothing else, so the line is held against its own level as well.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vivavoce.codec import to_json
from vivavoce.dialogues.agreement import fit_line, pair_up, value_of
from vivavoce.dialogues.dialogue import HIGHEST, LOWEST, Dialogue
from vivavoce.dialogues.result import Reason, Recalibration, Score, TurnEffect
from vivavoce.errors import DataError, Fault
from vivavoce.messages import join, say
from vivavoce.records import Rate
from vivavoce.statistics import correlate, paired_test

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

LEAST_MARKS = 30
# So many imagined marks agree with the score as it stands: 30 real ones move it three quarters of the way.
IDENTITY_MARKS = 10
# A line that falls, or is flat, would turn the order round or lose it.
LEAST_SLOPE = 0.05
# The interval of a score holds a person's mark in 8 of 10 cases.
ENDS = (0.1, 0.9)
KIND = "recalibration"
REMEDY = "write the file again from marked dialogues; do not edit it by hand"


@dataclass(frozen=True, slots=True)
class _Line:
    """From score to local mark."""

    slope: float
    intercept: float

    def move(self, scores: Floats) -> Floats:
        """Return the moved scores, kept on the scale."""
        return np.clip(self.slope * scores + self.intercept, LOWEST, HIGHEST)


def recalibrate(
    dialogues: Sequence[Dialogue], scores: Sequence[Score], *, seed: int = 0, folds: int = 10, rater: str = ""
) -> Recalibration | None:
    """Learn the line from score to local mark, and what it gains on unseen dialogues; None below 30 marks.

    The gain is the squared error saved in cross-validation: dialogues (or users, where the log names at least 10)
    are held out together. The line is adopted only if the lower ends of the gain's interval and of the correlation
    of scores and marks are above 0: scores squeezed to one value would look right and tell nothing.
    """
    marked = pair_up(dialogues, scores)
    groups = marked.groups
    if len(marked) < LEAST_MARKS or len(set(groups)) < 2:
        return None
    x, y = np.asarray(marked.scores), np.asarray(marked.marks)
    moved, level = _unseen(x, y, _folds(groups, folds, seed))
    found = _Found(
        gain=_saved(x, moved, y, groups),
        level=_saved(x, level, y, groups),
        beyond=_saved(level, moved, y, groups),
        pearson=correlate(x, y, groups, seed=seed).pearson,
    )
    line = _fit(x, y)
    return Recalibration(
        slope=line.slope,
        intercept=line.intercept,
        n=len(marked),
        gain=found.gain,
        adopted=found.adopted,
        reason=_reason(found),
        residuals=_residuals(y - moved),
        rater=rater,
        level=found.level,
        level_only=found.level_only,
    )


def apply(recalibration: Recalibration, scores: Sequence[Score]) -> list[Score]:
    """Return the scores on the scale of the local marks; as they were if the line was not adopted.

    Score and effects follow the line; the interval is where local marks fell around unseen moved scores. Refusals
    stay as they are.
    """
    if not recalibration.adopted:
        return list(scores)
    return [_moved(recalibration, score) for score in scores]


def why_unused(recalibration: Recalibration) -> str:
    """Say why a line that was not adopted left the scores as they are."""
    if recalibration.level_only:
        return "The recalibration was not used: it would correct the level only, and hide that the order says little."
    return "The recalibration was not used: its gain is not sure enough."


def recalibration_to_json(recalibration: Recalibration) -> dict[str, Any]:
    """Return the stable JSON form."""
    return {"kind": KIND, **to_json(recalibration)}


def recalibration_from_json(content: object, where: str = "") -> Recalibration:
    """Return what was written; refuse anything else, all faults at once."""
    if not isinstance(content, Mapping) or content.get("kind") != KIND:
        raise DataError("this is not a recalibration", where=where, remedy=REMEDY)
    faults = [Fault(f"`{name}` is {content.get(name)!r}, not {wanted}") for name, wanted in _wrong(content)]
    if faults:
        raise DataError("this recalibration cannot be used", where=where, faults=faults, remedy=REMEDY)
    ends, level = content.get("residuals"), content.get("level")
    return Recalibration(
        slope=float(content["slope"]),
        intercept=float(content["intercept"]),
        n=content["n"],
        gain=_rate(content["gain"]),
        adopted=content["adopted"],
        reason=content["reason"],
        residuals=None if ends is None else (float(ends[0]), float(ends[1])),
        rater=content.get("rater", ""),
        level=None if level is None else _rate(level),
        level_only=content.get("level_only", False),
    )


# --- learning ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Found:
    """Squared error saved on unseen dialogues: by the line, by its level alone, by the line beyond its level."""

    gain: Rate
    level: Rate
    beyond: Rate
    pearson: Rate

    @property
    def adopted(self) -> bool:
        return _is_sure(self.gain) and _is_sure(self.pearson)

    @property
    def level_only(self) -> bool:
        return _is_sure(self.gain) and not (_is_sure(self.beyond) and _is_sure(self.pearson))


def _is_sure(rate: Rate) -> bool:
    return rate.low is not None and rate.low > 0


def _saved(before: Floats, after: Floats, marks: Floats, groups: Sequence[Hashable]) -> Rate:
    first, second = (((guess - marks) ** 2).tolist() for guess in (before, after))
    found = paired_test(first, second, groups)
    return Rate(found.difference, found.low, found.high, len(marks))


def _fit(x: Floats, y: Floats) -> _Line:
    """Fit the line of marks minus scores and shrink it: n marks count against `IDENTITY_MARKS` for no change."""
    belief = len(x) / (len(x) + IDENTITY_MARKS)
    tilt, _ = fit_line(x, y - x)
    slope = max(LEAST_SLOPE, 1 + belief * (tilt or 0.0))
    shift = belief * float((y - x).mean())
    return _Line(slope, float(x.mean()) * (1 - slope) + shift)


def _folds(groups: Sequence[Hashable], folds: int, seed: int) -> list[Rows]:
    """Deal whole groups out to folds and return the rows of each."""
    names = {name: number for number, name in enumerate(dict.fromkeys(groups))}
    count = max(2, min(folds, len(names)))
    dealt = np.random.default_rng(seed).permutation(len(names)) % count
    places = dealt[np.asarray([names[group] for group in groups])]
    return [np.flatnonzero(places == fold) for fold in range(count)]


def _unseen(x: Floats, y: Floats, folds: Sequence[Rows]) -> tuple[Floats, Floats]:
    """Return each score moved by a line that was learned without its fold, and where that line puts the mean score.

    The second is the level alone: the mean mark, as far as so few marks are believed, and nothing of the score.
    """
    moved, level = np.empty_like(x), np.empty_like(x)
    for held_out in folds:
        seen = np.delete(np.arange(len(x)), held_out)
        line = _fit(x[seen], y[seen])
        moved[held_out] = line.move(x[held_out])
        level[held_out] = line.move(x[seen].mean(keepdims=True))
    return moved, level


def _residuals(left: Floats) -> tuple[float, float]:
    # The outer neighbours: with 30 marks the middle way would promise too much.
    low, high = np.quantile(left, ENDS[0], method="lower"), np.quantile(left, ENDS[1], method="higher")
    return float(low), float(high)


def _reason(found: _Found) -> str:
    gain = found.gain
    if gain.low is None:
        return say("The marks come from too few different dialogues to say whether moving the scores helps.")
    saved = say("on dialogues that the line had not seen {told} of squared error is saved", told=_told(gain))
    if not _is_sure(gain):
        return say(
            "Leave the scores as they are: that your {n:,} marks would improve them is not sure; {saved}.",
            n=gain.n,
            saved=saved,
        )
    if not found.adopted:
        return _squeezed(found, saved)
    helps = say("Moving the scores onto the scale of your {n:,} marks helps: {saved}.", n=gain.n, saved=saved)
    return join(" ", (helps, _level(found))) if found.level_only else helps


def _squeezed(found: _Found, saved: str) -> str:
    pearson = found.pearson
    follow = say("all scores or all marks are the same") if pearson.value is None else "Pearson " + _told(pearson)
    return say(
        "Leave the scores as they are: your {n:,} marks do not show that they follow people; {follow}. Only "
        "the level would be corrected: {saved} by squeezing all scores towards the mean mark, and that "
        "would hide that the order of the talks says little.",
        n=found.gain.n,
        follow=follow,
        saved=saved,
    )


def _level(found: _Found) -> str:
    """Say which part of the gain the level alone would bring."""
    return say(
        "Only the level is corrected: one and the same score for every talk would save {told}, and the line "
        "is not surely better than that. The order of the talks still says little.",
        told=_told(found.level),
    )


def _told(rate: Rate) -> str:
    around = (
        ""
        if rate.low is None or rate.high is None
        else " " + say("(between {low:.2f} and {high:.2f})", low=rate.low, high=rate.high)
    )
    return say("{value:.2f}{around}", value=rate.value, around=around)


# --- applying ----------------------------------------------------------------------------------------------------


def _moved(recalibration: Recalibration, score: Score) -> Score:
    value = value_of(score)
    if value is None:
        return score
    slope = recalibration.slope
    moved = _on_scale(slope * value + recalibration.intercept)
    low, high = _interval(recalibration, score, moved)
    return replace(
        score,
        score=moved,
        low=low,
        high=high,
        turns=tuple(TurnEffect(turn.number, turn.speaker, slope * turn.effect) for turn in score.turns),
        reasons=tuple(Reason(reason.name, slope * reason.effect, reason.text) for reason in score.reasons),
    )


def _interval(recalibration: Recalibration, score: Score, moved: float) -> tuple[float | None, float | None]:
    if recalibration.residuals is not None:
        below, above = recalibration.residuals
        return min(moved, _on_scale(moved + below)), max(moved, _on_scale(moved + above))
    low, high = (
        None if end is None else _on_scale(recalibration.slope * end + recalibration.intercept)
        for end in (score.low, score.high)
    )
    return low, high


def _on_scale(value: float) -> float:
    return min(HIGHEST, max(LOWEST, value))


# --- reading -----------------------------------------------------------------------------------------------------


def _wrong(content: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the entries that cannot be used, with what they should be."""
    slope, ends, n = content.get("slope"), content.get("residuals"), content.get("n")
    checks = {
        "slope": (_is_number(slope) and float(slope or 0) > 0, "a number above 0"),
        "intercept": (_is_number(content.get("intercept")), "a number"),
        "n": (_is_count(n) and n is not None and n >= LEAST_MARKS, f"a count of at least {LEAST_MARKS}"),
        "gain": (_is_rate(content.get("gain")), "a value with low, high and n"),
        "adopted": (isinstance(content.get("adopted"), bool), "true or false"),
        "reason": (isinstance(content.get("reason"), str), "a text"),
        "residuals": (ends is None or _is_range(ends), "two numbers, the lower first"),
        "rater": (isinstance(content.get("rater", ""), str), "a text"),
        "level": (content.get("level") is None or _is_rate(content["level"]), "a value with low, high and n"),
        "level_only": (isinstance(content.get("level_only", False), bool), "true or false"),
    }
    return [(name, wanted) for name, (right, wanted) in checks.items() if not right]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_rate(value: object) -> bool:
    if not isinstance(value, Mapping) or not _is_count(value.get("n")):
        return False
    return all(value.get(name) is None or _is_number(value[name]) for name in ("value", "low", "high")) and (
        "value" in value
    )


def _rate(value: Mapping[str, Any]) -> Rate:
    return Rate(value["value"], value.get("low"), value.get("high"), value["n"])


def _is_range(value: object) -> bool:
    return (
        isinstance(value, list | tuple) and len(value) == 2 and all(map(_is_number, value)) and value[0] <= value[1]
    )
