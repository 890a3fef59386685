"""The watched numbers of a project, then and now, each with a verdict on how it moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vivavoce.jobs.exams.registry import find_kind
from vivavoce.records import Rate
from vivavoce.store.rows import MeasureRow, Run
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.exams.comparing import difference_of
from vivavoce.workspace.exams.project_exams import project_exam
from vivavoce.workspace.exams.verdicts import NO_RATE, QuestionVerdict, Verdict, main_scope, verdict_between

if TYPE_CHECKING:
    from vivavoce.reports.shared.measures import Measure


@dataclass(frozen=True, slots=True)
class ExamState:
    """The newest run of an exam that is done, and those that it can be held against.

    `before`: the run before it. `base`: the newest that is older than a week, else the oldest of this week.
    """

    exam: str
    run: Run
    before: Run | None = None
    base: Run | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """A number then and now. `scope`: a setting or a bot. `since`: the run that it is held against.

    `questions`: where the verdict comes from the questions that two intents exams share, not from two intervals.
    """

    exam: str
    scope: str
    name: str
    before: Rate
    after: Rate
    difference: Rate
    verdict: Verdict
    since: Run
    questions: QuestionVerdict | None = None


Numbers = Mapping[str, Mapping[tuple[str, str], Rate]]


def read_numbers(tx: Transaction, exams: Sequence[ExamState]) -> Numbers:
    """Return the numbers of all runs that are held against each other."""
    wanted = {run.id for exam in exams for run in (exam.run, exam.before, exam.base) if run is not None}
    return {run_id: {(row.scope, row.name): _rate(row) for row in tx.measures.of_run(run_id)} for run_id in wanted}


# By the id of the run that the newest intents exam is held against.
Verdicts = Mapping[str, QuestionVerdict]


def read_verdicts(tx: Transaction, exams: Sequence[ExamState]) -> Verdicts:
    """Return the verdicts on intents exams that share questions."""
    asked = [exam for exam in exams if find_kind(exam.exam).questions]
    pairs = [(base, exam.run) for exam in asked for base in (exam.before, exam.base) if base]
    found = {base.id: verdict_between(tx, base, run) for base, run in pairs}
    return {run_id: verdict for run_id, verdict in found.items() if verdict.shared}


def find_moves(exams: Sequence[ExamState], numbers: Numbers, verdicts: Verdicts) -> Iterator[Move]:
    """Yield the watched numbers of each exam, now and in its base."""
    for exam in exams:
        if exam.base is not None:
            yield from _between(exam, exam.base, numbers, verdicts)


def find_alarms(exams: Sequence[ExamState], numbers: Numbers, verdicts: Verdicts) -> Iterator[Move]:
    """Yield numbers that became worse since the run before, by more than chance would make."""
    for exam in exams:
        if exam.before is not None:
            yield from (move for move in _between(exam, exam.before, numbers, verdicts) if move.verdict == "worse")


def _between(exam: ExamState, base: Run, numbers: Numbers, verdicts: Verdicts) -> Iterator[Move]:
    old, new = numbers[base.id], numbers[exam.run.id]
    if base.id in verdicts:
        yield _questions_move(exam, base, numbers, verdicts[base.id])
    known = project_exam(exam.exam)
    for scope in known.scopes(exam.run, [scope for scope, _ in new]):
        for name in known.kind.watched:
            before, after = old.get((scope, name)), new.get((scope, name))
            # What neither run could measure did not move.
            if before is not None and after is not None and (before.value, after.value) != (None, None):
                gap = difference_of(before, after)
                verdict = judge_difference(known.measure(name), gap)
                yield Move(exam.exam, scope, name, before, after, gap, verdict, base)


def _questions_move(exam: ExamState, base: Run, numbers: Numbers, found: QuestionVerdict) -> Move:
    """Return the share of right decisions with the verdict that the comparison of the two runs gives."""
    scope = main_scope(exam.run)
    before, after = (numbers[run.id].get((scope, "accuracy"), NO_RATE) for run in (base, exam.run))
    return Move(exam.exam, scope, "accuracy", before, after, found.difference, found.verdict, base, found)


def judge_difference(measure: Measure, gap: Rate) -> Verdict:
    """Return the verdict on a number that was measured in each run by itself."""
    if gap.value is None or gap.low is None or gap.high is None:
        return "unknown"
    if gap.low <= 0 <= gap.high or measure.better == "neither":
        return "same"
    return "better" if (gap.value > 0) == (measure.better == "higher") else "worse"


def _rate(row: MeasureRow) -> Rate:
    return Rate(row.value, row.low, row.high, row.n)
