"""Moving scores onto the scale of the user's own ratings, if that is shown to help.

A straight line only: it keeps the order of the scores, and 30 ratings cannot carry more. It is shrunk towards "the
score is right", as if some more ratings agreed with it. A score that follows nobody gains too when it is squeezed
towards the mean rating; that corrects its level and nothing else, so the line is compared with its level alone.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vivavoce.codec import from_json, shape, to_json
from vivavoce.dialogues.agreement import fit_line, pair_up, value_of
from vivavoce.dialogues.dialogue import HIGHEST, LOWEST, Dialogue
from vivavoce.dialogues.result import Recalibration, Score
from vivavoce.errors import DataError, Fault
from vivavoce.messages import join, say
from vivavoce.records import Rate
from vivavoce.statistics import correlate, paired_test

Floats = NDArray[np.float64]

MIN_RATINGS = 30
# As many imagined ratings agree with the score unchanged: 30 real ones move it three quarters of the way.
IDENTITY_RATINGS = 10
# A line that falls, or is flat, would turn the order round or lose it.
MIN_SLOPE = 0.05
KIND = "recalibration"
REMEDY = "create the file again from rated dialogues; do not edit it by hand"
shape(Recalibration, optional="residuals rater level level_only")


def recalibrate(
    dialogues: Sequence[Dialogue], scores: Sequence[Score], *, seed: int = 0, folds: int = 10, rater: str = ""
) -> Recalibration | None:
    """Learn the line from score to local rating, and what it gains on unseen dialogues; None below 30 ratings.

    The gain is the squared error saved in cross-validation: dialogues (or users, where the log names at least 10)
    are held out together. The line is adopted only if the lower ends of the gain's interval and of the correlation
    of scores and ratings are above 0: scores squeezed to one value would look right and tell nothing.
    """
    rated = pair_up(dialogues, scores)
    groups = rated.groups
    if len(rated) < MIN_RATINGS or len(set(groups)) < 2:
        return None
    x, y = np.asarray(rated.scores), np.asarray(rated.ratings)
    moved, level_scores = _move_unseen(x, y, groups, folds, seed)
    gain, level = _measure_saved_error(x, moved, y, groups), _measure_saved_error(x, level_scores, y, groups)
    beyond_level = _measure_saved_error(level_scores, moved, y, groups)
    pearson = correlate(x, y, groups, seed=seed).pearson
    adopted = _is_sure(gain) and _is_sure(pearson)
    level_only = _is_sure(gain) and not (_is_sure(beyond_level) and _is_sure(pearson))
    slope, intercept = _fit(x, y)
    # The interval of a score holds a person's rating in 8 of 10 cases. Its ends are the outer neighbours: with 30
    # ratings anything between them would promise too much.
    low, high = np.quantile(y - moved, 0.1, method="lower"), np.quantile(y - moved, 0.9, method="higher")
    return Recalibration(
        slope=slope,
        intercept=intercept,
        n=len(rated),
        gain=gain,
        adopted=adopted,
        reason=_explain(gain, pearson, level if level_only else None, adopted=adopted),
        residuals=(float(low), float(high)),
        rater=rater,
        level=level,
        level_only=level_only,
    )


def apply(recalibration: Recalibration, scores: Sequence[Score]) -> list[Score]:
    """Return the scores on the scale of the local ratings; as they were if the line was not adopted.

    Score and effects follow the line; the interval is where local ratings fell around unseen moved scores. Refusals
    stay as they are.
    """
    if not recalibration.adopted:
        return list(scores)
    return [_move(recalibration, score) for score in scores]


def why_unused(recalibration: Recalibration) -> str:
    """Say why a line that was not adopted left the scores as they are."""
    if recalibration.level_only:
        return "The recalibration was not used: it would correct only the level and hide that the order says little."
    return "The recalibration was not used: its gain is not certain enough."


def recalibration_to_json(recalibration: Recalibration) -> dict[str, Any]:
    """Return the stable JSON form."""
    return {"kind": KIND, **to_json(recalibration)}


def recalibration_from_json(content: object, where: str = "") -> Recalibration:
    """Return what was written; refuse anything else, all faults at once."""
    if not isinstance(content, Mapping) or content.get("kind") != KIND:
        raise DataError("this is not a recalibration", where=where, remedy=REMEDY)
    line = from_json(Recalibration, content, what="this recalibration", remedy=REMEDY, where=where)
    ends = line.residuals
    checks = {
        "slope": (math.isfinite(line.slope) and line.slope > 0, "a number above 0"),
        "intercept": (math.isfinite(line.intercept), "a number"),
        "n": (line.n >= MIN_RATINGS, f"a count of at least {MIN_RATINGS}"),
        "residuals": (ends is None or -math.inf < ends[0] <= ends[1] < math.inf, "two numbers, the lower first"),
    }
    faults = [
        Fault(f"is {getattr(line, name)!r}, not {wanted}", name)
        for name, (is_right, wanted) in checks.items()
        if not is_right
    ]
    if faults:
        raise DataError("this recalibration is invalid", where=where, faults=faults, remedy=REMEDY)
    return line


def _is_sure(rate: Rate) -> bool:
    return rate.low is not None and rate.low > 0


def _measure_saved_error(before: Floats, after: Floats, ratings: Floats, groups: Sequence[Hashable]) -> Rate:
    first, second = (((guess - ratings) ** 2).tolist() for guess in (before, after))
    test = paired_test(first, second, groups)
    return Rate(test.difference, test.low, test.high, len(ratings))


def _fit(x: Floats, y: Floats) -> tuple[float, float]:
    """Fit the line of ratings minus scores and shrink it: n ratings against `IDENTITY_RATINGS` for no change."""
    belief = len(x) / (len(x) + IDENTITY_RATINGS)
    tilt, _ = fit_line(x, y - x)
    slope = max(MIN_SLOPE, 1 + belief * (tilt or 0.0))
    shift = belief * float((y - x).mean())
    return slope, float(x.mean()) * (1 - slope) + shift


def _move_unseen(x: Floats, y: Floats, groups: Sequence[Hashable], folds: int, seed: int) -> tuple[Floats, Floats]:
    """Return each score moved by a line that was learned without its fold, and where that line puts the mean score.

    The second is the level alone: the mean rating, as far as so few ratings are believed, and nothing of the score.
    Whole groups are dealt out to the folds.
    """
    names = {name: number for number, name in enumerate(dict.fromkeys(groups))}
    count = max(2, min(folds, len(names)))
    deal = np.random.default_rng(seed).permutation(len(names)) % count
    fold_of_row = deal[np.asarray([names[group] for group in groups])]
    moved, level = np.empty_like(x), np.empty_like(x)
    for fold in range(count):
        held_out, seen = np.flatnonzero(fold_of_row == fold), np.flatnonzero(fold_of_row != fold)
        slope, intercept = _fit(x[seen], y[seen])
        moved[held_out] = np.clip(slope * x[held_out] + intercept, LOWEST, HIGHEST)
        level[held_out] = np.clip(slope * x[seen].mean(keepdims=True) + intercept, LOWEST, HIGHEST)
    return moved, level


def _explain(gain: Rate, pearson: Rate, level: Rate | None, *, adopted: bool) -> str:
    """Say whether the scores should be moved; `level`: what the level alone would save, if the line adds little."""
    if gain.low is None:
        return say("The ratings come from too few dialogues to show whether adjusting the scores helps.")
    saved = say("on unseen dialogues, the fitted line reduces the squared error by {told}", told=_write_rate(gain))
    if not _is_sure(gain):
        return say(
            "Leave the scores as they are: it is not certain that your {n:,} ratings would improve them; {saved}.",
            n=gain.n,
            saved=saved,
        )
    if not adopted:
        alike = say("all scores or all ratings are the same")
        return say(
            "Leave the scores as they are: your {n:,} ratings do not show that they agree with people; {follow}. "
            "Adjusting would correct only the level: {saved} by pulling all scores towards the mean rating, which "
            "would hide that the order of the dialogues says little.",
            n=gain.n,
            follow=alike if pearson.value is None else "Pearson " + _write_rate(pearson),
            saved=saved,
        )
    helps = say("Adjusting the scores to the scale of your {n:,} ratings helps: {saved}.", n=gain.n, saved=saved)
    if level is None:
        return helps
    little = say(
        "This corrects only the level: a single score for every dialogue would save {told}, and "
        "the line is not clearly better. The order of the dialogues still says little.",
        told=_write_rate(level),
    )
    return join(" ", (helps, little))


def _write_rate(rate: Rate) -> str:
    around = ""
    if rate.low is not None and rate.high is not None:
        around = " " + say("(between {low:.2f} and {high:.2f})", low=rate.low, high=rate.high)
    return say("{value:.2f}{around}", value=rate.value, around=around)


def _move(recalibration: Recalibration, score: Score) -> Score:
    value = value_of(score)
    if value is None:
        return score
    slope, intercept = recalibration.slope, recalibration.intercept
    moved = _clip(slope * value + intercept)
    if recalibration.residuals is not None:
        below, above = recalibration.residuals
        low, high = min(moved, _clip(moved + below)), max(moved, _clip(moved + above))
    else:
        ends = (score.low, score.high)
        low, high = (None if end is None else _clip(slope * end + intercept) for end in ends)  # type: ignore[assignment]
    return replace(
        score,
        score=moved,
        low=low,
        high=high,
        turns=tuple(replace(turn, effect=slope * turn.effect) for turn in score.turns),
        reasons=tuple(replace(reason, effect=slope * reason.effect) for reason in score.reasons),
    )


def _clip(value: float) -> float:
    return min(HIGHEST, max(LOWEST, value))
