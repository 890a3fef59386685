"""How `viva dialogues` ends: counts of scores and refusals, remedies, and the exit code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.cli.shared.failures import explain
from vivavoce.dialogues.result import Cause
from vivavoce.errors import DataError, Fault, GateError, VivaError, WorkError, plural

if TYPE_CHECKING:
    from vivavoce.dialogues import DialoguesResult, Score

MAX_REASONS = 10
# By the cause of a refusal.
REMEDIES = {
    Cause.TALK: "a dialogue needs two sides with at least two messages each that contain words",
    Cause.SCRIPT: "this rater reads only English in Latin script: score other dialogues with a judge (`--rater "
    "openai:MODEL`) or your own function (`--rater python:module:function`)",
    Cause.RATER: "fix the rater: for each dialogue it must return a number from 1 to 5, or None for no score",
    Cause.NO_REASON: "return a number from 1 to 5, or a Score whose `refusal` gives the reason",
    Cause.ANSWER: "read the judge's answers (`--record FILE` keeps them); another model may follow the format",
}


@dataclass(slots=True)
class Tally:
    """Counts of scores and refusals, whether or not the scores are kept."""

    scored: int = 0
    total: float = 0.0
    refusals: Counter[tuple[str, Cause]] = field(default_factory=Counter)

    def add(self, score: Score) -> None:
        """Count one score or refusal."""
        if score.score is None:
            self.refusals[score.refusal, score.cause or Cause.TALK] += 1
        else:
            self.scored += 1
            self.total += score.score

    @property
    def mean(self) -> float | None:
        """The mean score, None without any."""
        return self.total / self.scored if self.scored else None

    def sentence(self) -> str:
        """Summarize the scores."""
        refused = self.refusals.total()
        summary = f"Scored {plural(self.scored, 'dialogue')}"
        summary += f", mean {self.mean:.2f} on a scale from 1 to 5" if self.mean is not None else ""
        return f"{summary}; {refused:,} refused." if refused else f"{summary}."


def count_scores(result: DialoguesResult) -> Tally:
    """Count the scores and refusals of an exam."""
    tally = Tally()
    for score in result.scores:
        tally.add(score)
    return tally


def conclude_scores(tally: Tally, source: str, min_mean: float | None, record: Path | None) -> None:
    """End with the exit code that the scores deserve: incomplete work outweighs a missed gate."""
    failure = _find_failure(tally, source, record)
    if isinstance(failure, DataError):
        raise failure
    if min_mean is not None and tally.mean is not None and tally.mean < min_mean:
        missed = GateError(
            f"the mean score is {tally.mean:.4g}, below the limit of {min_mean:g}",
            where=source,
            remedy="read the dialogues with the lowest scores; `viva dialogues explain` shows what lowered a score",
        )
        if failure is None:
            raise missed
        explain(missed)
    if failure is not None:
        raise failure


def conclude_raters(tallies: Mapping[str, Tally], source: str, record: Path | None) -> None:
    """End as `conclude_scores` does for each rater; incomplete work outweighs a rater without any score."""
    places = {name: f"{source}, {name}" if len(tallies) > 1 else source for name in tallies}
    failures = [_find_failure(tally, places[name], record) for name, tally in tallies.items()]
    ordered = sorted(filter(None, failures), key=lambda failure: failure.exit_code)
    for failure in ordered[:-1]:
        explain(failure)
    if ordered:
        raise ordered[-1]


def _find_failure(tally: Tally, source: str, record: Path | None) -> VivaError | None:
    # Refusals that another run may lift.
    unanswered = Counter({key: n for key, n in tally.refusals.items() if key[1] is Cause.UNANSWERED})
    if unanswered:
        again = "fix the cause and run the command again"
        return WorkError(
            f"{plural(unanswered.total(), 'dialogue')} not scored by the judge",
            where=source,
            faults=_list_reasons(unanswered),
            remedy=f"{again}; with --record FILE, answers are kept and not requested twice"
            if record is None
            else f"{again}: answers in {record} are not requested again",
        )
    if tally.scored:
        return None
    remedies = [REMEDIES[cause] for (_, cause), _ in tally.refusals.most_common()]
    return DataError(
        f"nothing could be scored: {plural(tally.refusals.total(), 'dialogue')} read, none with a score",
        where=source,
        faults=_list_reasons(tally.refusals),
        remedy="; ".join(dict.fromkeys(remedies)),
    )


def _list_reasons(refusals: Counter[tuple[str, Cause]]) -> list[Fault]:
    reasons = refusals.most_common(MAX_REASONS)
    left = len(refusals) - len(reasons)
    more = [Fault(f"{left:,} more reasons")] if left > 0 else []
    return [*(Fault(f"{why or 'no reason given'} ({plural(n, 'dialogue')})") for (why, _), n in reasons), *more]
