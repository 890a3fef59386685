"""The whole exam of logged dialogues in one call: score, measure, say how far to trust it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from vivavoce.dialogues.agreement import measure
from vivavoce.dialogues.dialogue import Dialogue
from vivavoce.dialogues.disagreements import find_disagreements
from vivavoce.dialogues.passport import issue
from vivavoce.dialogues.raters.protocol import Rater
from vivavoce.dialogues.raters.scale import fault_of_score
from vivavoce.dialogues.recalibration import apply, recalibrate, why_unused
from vivavoce.dialogues.result import Cause, DialoguesResult, Passport, Ranking, Recalibration, Score
from vivavoce.dialogues.systems import rank_systems
from vivavoce.errors import UsageError, WorkError, plural

Progress = Callable[[str, int, int], None]

# Large enough to rate in batches, small enough for a bar that moves.
CHUNK = 200
STAGE = "scoring dialogues"


def examine_dialogues(
    dialogues: Sequence[Dialogue],
    rater: Rater | Callable[..., object] | None = None,
    *,
    seed: int = 0,
    source: str = "memory",
    notes: Sequence[str] = (),
    progress: Progress | None = None,
    recalibration: Recalibration | None = None,
) -> DialoguesResult:
    """Score dialogues and return all that can be said about the scores; without a rater the shipped model.

    A plain function that takes a dialogue and returns a number from 1 to 5 is a rater too.

    A given `recalibration` moves the scores before anything else is looked at. Without one, the marks of this log
    show whether one would help; its line is reported and the scores stay as the rater gave them.
    """
    judge = _rater(rater)
    _check_rater(recalibration, judge)
    talks = tuple(dialogues)
    scores = rate_in_chunks(judge, talks, progress)
    return conclude(talks, scores, judge, seed=seed, source=source, notes=notes, recalibration=recalibration)


def conclude(
    dialogues: Sequence[Dialogue],
    scores: Sequence[Score],
    rater: Rater,
    *,
    seed: int = 0,
    source: str = "memory",
    notes: Sequence[str] = (),
    recalibration: Recalibration | None = None,
) -> DialoguesResult:
    """Say what the scores of a rater mean; the rater is asked for its name, its origin and how new such talks are."""
    talks = tuple(dialogues)
    if recalibration is not None:
        scores, said = apply(recalibration, scores), _applied(recalibration)
        notes = (*notes, said)
    passport = issue(rater, measure(talks, scores, seed=seed), talks, scores, seed=seed)
    learned = recalibration or recalibrate(talks, scores, seed=seed, rater=rater.name)
    return DialoguesResult(
        dialogues=talks,
        scores=tuple(scores),
        passport=passport,
        recalibration=learned,
        ranking=_ranked(talks, scores, passport, seed),
        queue=find_disagreements(talks, scores),
        source=source,
        notes=tuple(notes),
    )


def rate_in_chunks(rater: Rater, dialogues: Sequence[Dialogue], progress: Progress | None = None) -> list[Score]:
    """Return one score for each dialogue, in order; what is not a number from 1 to 5 becomes a refusal."""
    scores: list[Score] = []
    for start in range(0, len(dialogues), CHUNK):
        chunk = dialogues[start : start + CHUNK]
        given = list(rater.rate(chunk))
        if len(given) != len(chunk):
            raise WorkError(
                f"the rater {rater.name} returned {plural(len(given), 'score')} for {plural(len(chunk), 'dialogue')}",
                remedy="let it return exactly one score for each dialogue, in the same order",
            )
        scores += [_checked(score, rater.name) for score in given]
        if progress is not None:
            progress(STAGE, len(scores), len(dialogues))
    return scores


def _rater(given: Rater | Callable[..., object] | None) -> Rater:
    if given is None:
        return _shipped()
    if isinstance(given, Rater):
        return given
    from vivavoce.dialogues.raters.python import as_rater

    return as_rater(given)


def _shipped() -> Rater:
    from vivavoce.dialogues.raters.learned import shipped

    return shipped()


def _checked(score: Score, rater: str) -> Score:
    fault = fault_of_score(score)
    if fault:
        told = f"the rater {rater} gave what is not a score: {fault}"
        return replace(score, score=None, low=None, high=None, refusal=told, cause=Cause.RATER)
    if score.score is None and not score.refusal:
        told = f"the rater {rater} gave no score and no reason"
        return replace(score, refusal=told, cause=Cause.NO_REASON)
    return score


def _check_rater(recalibration: Recalibration | None, rater: Rater) -> None:
    if recalibration is not None and recalibration.rater not in ("", rater.name):
        raise UsageError(
            f"the recalibration was learned for the rater {recalibration.rater}, not for {rater.name}",
            remedy="use it with its own rater, or learn a new one from dialogues scored by this rater",
        )


def _applied(recalibration: Recalibration) -> str:
    if not recalibration.adopted:
        return why_unused(recalibration)
    return (
        f"The scores were moved by a recalibration from {recalibration.n:,} marks. If those marks are in this log "
        "too, the squared error and the calibration shown here look better than they are; the correlations do not."
    )


def _ranked(dialogues: Sequence[Dialogue], scores: Sequence[Score], passport: Passport, seed: int) -> Ranking | None:
    ranking = rank_systems(dialogues, scores, seed=seed)
    if ranking is None or passport.may_compare:
        return ranking
    return replace(ranking, warning=passport.verdict)
