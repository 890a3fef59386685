"""How `viva dialogues` ends: what was scored and refused, why, what to do about it, and the exit code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.cli.shared.failures import explain
from vivavoce.dialogues.result import Cause
from vivavoce.errors import DataError, Fault, GateError, VivaError, WorkError, plural

if TYPE_CHECKING:
    from vivavoce.dialogues import DialoguesResult, Score

MOST_REASONS = 10
# By what a refusal is about; where nobody said, it is about the talk.
REMEDIES = {
    Cause.TALK: "a talk needs two sides with at least two messages each, with words in them",
    Cause.SCRIPT: "this rater reads English in Latin letters only: let a judge score other talks "
    "(`--rater openai:MODEL`), or a function of yours (`--rater python:module:function`)",
    Cause.RATER: "correct the rater: for each talk it returns a number from 1 to 5, or None where there is no score",
    Cause.NO_REASON: "let the rater return a number from 1 to 5, or a Score whose `refusal` says why there is none",
    Cause.ANSWER: "read what the judge wrote (`--record FILE` keeps it); another model may keep to the form",
}
# How the shipped rater begins to say that it cannot read a talk; only the advice hangs on it.


@dataclass(slots=True)
class Tally:
    """What the scores come to, whether or not they are kept."""

    scored: int = 0
    total: float = 0.0
    refusals: Counter[str] = field(default_factory=Counter)
    causes: dict[str, Cause] = field(default_factory=dict)

    def add(self, score: Score) -> None:
        """Count one score or refusal."""
        if score.score is None:
            self.refusals[score.refusal] += 1
            self.causes[score.refusal] = _cause(score)
        else:
            self.scored += 1
            self.total += score.score

    @property
    def mean(self) -> float | None:
        """The mean score, None without any."""
        return self.total / self.scored if self.scored else None

    @property
    def unanswered(self) -> Counter[str]:
        """Refusals that another run may lift."""
        return Counter({why: n for why, n in self.refusals.items() if self.causes[why] is Cause.UNANSWERED})

    @property
    def remedy(self) -> str:
        """What to do about the refusals, the most frequent first."""
        found = [REMEDIES[self.causes[why]] for why, _ in self.refusals.most_common()]
        return "; ".join(dict.fromkeys(found))

    def sentence(self) -> str:
        """Say what was done."""
        refused = self.refusals.total()
        told = f"Scored {plural(self.scored, 'dialogue')}"
        told += f", mean {self.mean:.2f} on a scale from 1 to 5" if self.mean is not None else ""
        return f"{told}; {refused:,} refused." if refused else f"{told}."


def tally_of(result: DialoguesResult) -> Tally:
    """Count the scores and refusals of an exam."""
    tally = Tally()
    for score in result.scores:
        tally.add(score)
    return tally


def _cause(score: Score) -> Cause:
    return score.cause or Cause.TALK


def conclude_scores(tally: Tally, source: str, min_mean: float | None, record: Path | None) -> None:
    """End with the exit code that the scores deserve: incomplete work outweighs a missed gate."""
    failure = _failure(tally, source, record)
    if isinstance(failure, DataError):
        raise failure
    try:
        _require_mean(tally, source, min_mean)
    except GateError as error:
        if failure is None:
            raise
        explain(error)
    if failure is not None:
        raise failure


def conclude_raters(tallies: Mapping[str, Tally], source: str, record: Path | None) -> None:
    """End as `conclude_scores` does, each rater by itself; incomplete work outweighs a rater without any score."""
    told = {name: f"{source}, {name}" if len(tallies) > 1 else source for name in tallies}
    failures = [_failure(tally, told[name], record) for name, tally in tallies.items()]
    _raise_worst(failure for failure in failures if failure is not None)


def _raise_worst(failures: Iterable[VivaError]) -> None:
    ordered = sorted(failures, key=lambda failure: failure.exit_code)
    for failure in ordered[:-1]:
        explain(failure)
    if ordered:
        raise ordered[-1]


def _failure(tally: Tally, source: str, record: Path | None) -> VivaError | None:
    unanswered = tally.unanswered
    if unanswered:
        return WorkError(
            f"{plural(unanswered.total(), 'dialogue')} not judged",
            where=source,
            faults=_reasons(unanswered),
            remedy=_how_to_go_on(record),
        )
    if tally.scored:
        return None
    return DataError(
        f"nothing could be scored: {plural(tally.refusals.total(), 'dialogue')} read, none of them with a score",
        where=source,
        faults=_reasons(tally.refusals),
        remedy=tally.remedy,
    )


def _require_mean(tally: Tally, source: str, least: float | None) -> None:
    if least is not None and tally.mean is not None and tally.mean < least:
        raise GateError(
            f"the mean score is {tally.mean:.4g}, under the limit of {least:g}",
            where=source,
            remedy="read the talks with the lowest scores; `viva dialogues explain` shows what pulled one down",
        )


def _reasons(refusals: Counter[str]) -> list[Fault]:
    shown = refusals.most_common(MOST_REASONS)
    left = len(refusals) - len(shown)
    more = [Fault(f"{left:,} more reasons")] if left > 0 else []
    return [*(Fault(f"{why or 'no reason given'} ({plural(n, 'dialogue')})") for why, n in shown), *more]


def _how_to_go_on(record: Path | None) -> str:
    if record is None:
        return "put the cause right and repeat the command; with --record FILE nothing would be asked twice"
    return f"put the cause right and repeat the command: what {record} holds is not asked again"
