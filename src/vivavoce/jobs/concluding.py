"""The end of a run: its results become findings, and these are kept in one go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vivavoce.jobs.exams.documents import json_document, storable
from vivavoce.jobs.exams.protocol import Conclusion, Failure, Finished, Measure, Options, Outcome
from vivavoce.jobs.exams.registry import load_exam
from vivavoce.jobs.turns import judged_rows
from vivavoce.store.rows import DocumentRow, MeasureRow, OutcomeRow, Run, RunState, ScoreRow, Unit, UnitState
from vivavoce.store.stamps import now
from vivavoce.store.transaction import Transaction

# What stands in columns of their own; the rest of a score is its detail.
_SCORED = ("id", "score", "low", "high", "refusal")
WARNINGS = "warnings.json"


class LostLeaseError(Exception):
    """Somebody else has this work now: what was found here is not kept."""


def gather_finished(tx: Transaction, run_id: str) -> Finished:
    """Return what the units of a run came to."""
    results = tx.units.results(run_id)
    failed = tx.units.of_run(run_id, state=UnitState.FAILED)
    # What failed half-way has a result that says so itself.
    return Finished(results, tuple(Failure(unit.key, unit.error) for unit in failed if unit.key not in results))


def conclude_run(kind: str, material: bytes, options: Options, finished: Finished) -> Conclusion:
    """Say what the results of a run mean: pure, and done wherever there is time for it."""
    return load_exam(kind).conclude(material, options, finished)


# --- keeping -----------------------------------------------------------------------------------------------------


def keep_concluded(tx: Transaction, run: Run, unit: Unit, worker: str, found: Conclusion) -> None:
    """Write all that a run found and that it is done; LostLeaseError, and nothing is written, when it is too late."""
    for repository in (tx.measures, tx.outcomes, tx.documents, tx.scores):
        repository.clear(run.id)
    tx.measures.put(_measure(run.id, one) for one in found.measures)
    tx.outcomes.put(_outcome(run.id, one) for one in found.outcomes)
    documents = (*found.documents, json_document(WARNINGS, {"warnings": list(found.warnings)}))
    tx.documents.put(DocumentRow(run.id, one.name, one.media, one.content) for one in documents)
    tx.scores.put(_scores(tx, run, found.scores))
    ids = {one.key: one.id for one in tx.units.of_run(run.id)} if found.turns else {}
    for key, lines in found.turns.items():
        tx.turns.put(judged_rows(ids[key], run.id, lines))
    # Last, so that other workers wait for a moment only. Somebody may have cancelled the run meanwhile.
    kept = tx.units.finish(unit.id, worker, b"")
    current = tx.runs.get(run.id)
    if not kept or current is None or current.state is not RunState.CONCLUDING:
        raise LostLeaseError(run.id)
    tx.runs.set_state(run.id, RunState.DONE, headline=storable(found.headline), error="", finished=now())


def _measure(run_id: str, one: Measure) -> MeasureRow:
    rate = one.rate
    return MeasureRow(run_id, storable(one.scope)[:200], one.name, rate.value, rate.low, rate.high, rate.n)


def _outcome(run_id: str, one: Outcome) -> OutcomeRow:
    intent, guess = (None if name is None else storable(name)[:400] for name in (one.intent, one.guess))
    return OutcomeRow(
        run_id=run_id,
        place=one.place,
        text=storable(one.text),
        intent=intent,
        guess=guess,
        confidence=one.confidence,
        outcome=one.outcome,
        right=one.right,
        deferred=one.deferred,
        wrong=one.wrong,
    )


def _scores(tx: Transaction, run: Run, scores: Sequence[Mapping[str, Any]]) -> Iterator[ScoreRow]:
    """Yield scores of talks that are still there; they go by their id, or by their name in the project."""
    there = tx.dialogues.ids(run.project_id) if scores else {}
    for one in scores:
        if (dialogue_id := there.get(one["id"])) is not None:
            detail = {name: value for name, value in one.items() if name not in _SCORED}
            refusal = storable(one.get("refusal", ""))
            yield ScoreRow(run.id, dialogue_id, one["score"], one["low"], one["high"], refusal, detail)
