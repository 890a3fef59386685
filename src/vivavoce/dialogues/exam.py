"""The whole exam of logged dialogues in one call: score, measure, say how far to trust it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from vivavoce.dialogues.agreement import measure
from vivavoce.dialogues.dialogue import Dialogue
from vivavoce.dialogues.disagreements import find_disagreements
from vivavoce.dialogues.passport import issue
from vivavoce.dialogues.raters.protocol import Rater, fault_of_score
from vivavoce.dialogues.recalibration import apply, recalibrate, why_unused
from vivavoce.dialogues.result import Cause, DialoguesResult, Recalibration, Score
from vivavoce.dialogues.systems import rank_systems
from vivavoce.errors import UsageError, WorkError, plural

Progress = Callable[[str, int, int], None]

# Large enough to rate in batches, small enough for a bar that moves.
CHUNK = 200
STAGE, CONCLUDING = "scoring dialogues", "comparing the scores"


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
    """Score dialogues and return all that can be said about the scores; without a rater the load_shipped model.

    A plain function that takes a dialogue and returns a number from 1 to 5 is a rater too.

    A `recalibration` moves the scores before anything else is computed. Without one, the ratings of this log show
    whether one would help; its line is reported and the scores stay as the rater gave them.
    """
    if rater is None:
        from vivavoce.dialogues.raters.learned import load_shipped

        rater = load_shipped()
    elif not isinstance(rater, Rater):
        from vivavoce.dialogues.raters.python import as_rater

        rater = as_rater(rater)
    if recalibration is not None and recalibration.rater not in ("", rater.name):
        raise UsageError(
            f"the recalibration was learned for the rater {recalibration.rater}, not {rater.name}",
            remedy="use it with its own rater, or learn a new one from dialogues this rater scored",
        )
    tell = progress or (lambda stage, done, total: None)
    scores = rate_in_chunks(rater, dialogues, tell)
    tell(CONCLUDING, 0, 1)
    result = conclude(dialogues, scores, rater, seed=seed, source=source, notes=notes, recalibration=recalibration)
    tell(CONCLUDING, 1, 1)
    return result


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
    """Say what the scores of a rater mean; the rater knows its name, its origin and how new such dialogues are."""
    if recalibration is not None:
        scores = apply(recalibration, scores)
        moved = (
            f"The scores were adjusted by a recalibration from {recalibration.n:,} ratings. If "
            "this log contains those ratings, the squared error and the calibration shown here "
            "look better than they are; the correlations do not."
        )
        notes = (*notes, moved if recalibration.adopted else why_unused(recalibration))
    passport = issue(rater, measure(dialogues, scores, seed=seed), dialogues, scores, seed=seed)
    ranking = rank_systems(dialogues, scores, seed=seed)
    if ranking is not None and not passport.may_compare:
        ranking = replace(ranking, warning=passport.verdict)
    return DialoguesResult(
        dialogues=tuple(dialogues),
        scores=tuple(scores),
        passport=passport,
        recalibration=recalibration or recalibrate(dialogues, scores, seed=seed, rater=rater.name),
        ranking=ranking,
        queue=find_disagreements(dialogues, scores),
        source=source,
        notes=tuple(notes),
    )


def rate_in_chunks(rater: Rater, dialogues: Sequence[Dialogue], progress: Progress | None = None) -> list[Score]:
    """Return one score for each dialogue, in order; what is not a number from 1 to 5 becomes a refusal."""
    scores: list[Score] = []
    for start in range(0, len(dialogues), CHUNK):
        chunk = dialogues[start : start + CHUNK]
        batch = list(rater.rate(chunk))
        if len(batch) != len(chunk):
            raise WorkError(
                f"the rater {rater.name} returned {plural(len(batch), 'score')} for {plural(len(chunk), 'dialogue')}",
                remedy="return exactly one score per dialogue, in the same order",
            )
        scores += [_check_score(score, rater.name) for score in batch]
        if progress is not None:
            progress(STAGE, len(scores), len(dialogues))
    return scores


def _check_score(score: Score, rater: str) -> Score:
    fault = fault_of_score(score)
    if fault:
        refusal = f"the rater {rater} returned an invalid score: {fault}"
        return replace(score, score=None, low=None, high=None, refusal=refusal, cause=Cause.RATER)
    if score.score is None and not score.refusal:
        return replace(score, refusal=f"the rater {rater} returned no score and no reason", cause=Cause.NO_REASON)
    return score
