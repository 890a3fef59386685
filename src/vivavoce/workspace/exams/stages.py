"""What a run does at this moment, as a sentence: its place in the queue, or what its exam says of itself."""

from __future__ import annotations

from collections.abc import Mapping

from vivavoce.errors import VivaError
from vivavoce.jobs.exams.protocol import StageProgress
from vivavoce.jobs.exams.registry import load_exam
from vivavoce.jobs.starting import exam_options
from vivavoce.kept import Kept
from vivavoce.messages import say, say_count
from vivavoce.store.rows import Run, RunState, UnitState
from vivavoce.store.transaction import Transaction

# What a run was made of never changes, and reading it takes longer than all the rest.
_FACTS: Kept[Mapping[str, int]] = Kept(64)


def get_stage(tx: Transaction, run: Run, counts: Mapping[UnitState, int]) -> str:
    """Return what an open run does now; `counts`: how many of its units are how far."""
    if run.state is RunState.WAITING:
        return _describe_queue(tx, run)
    if run.state not in (RunState.RUNNING, RunState.CONCLUDING):
        return ""
    try:
        exam = load_exam(run.kind)
        facts = _FACTS.get(run.id, lambda: exam.stage_facts(tx.runs.material(run.id), exam_options(run)))
    except VivaError:
        # Of a newer vivavoce, or a plug-in that is not here.
        return ""
    over = counts[UnitState.DONE] + counts[UnitState.FAILED]
    first = next((unit.key for unit in tx.units.of_run(run.id, limit=1)), "")
    progress = StageProgress(
        over,
        run.total,
        begun=over > 0 or tx.turns.has_begun(run.id),
        concluding=run.state is RunState.CONCLUDING,
        first=first,
    )
    return exam.describe_stage(facts, progress)


def _describe_queue(tx: Transaction, run: Run) -> str:
    before = [other.id for other in tx.runs.open()].index(run.id)
    if not before:
        return say("next in the queue")
    return say_count(before, "{n} run before this one", "{n} runs before this one")
