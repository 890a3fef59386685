"""The end of a run: its results become findings, stored in one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from vivavoce.jobs.exams.documents import json_document, storable
from vivavoce.jobs.exams.protocol import Conclusion, Failure, Finished, Options, Outcome
from vivavoce.jobs.exams.registry import load_exam
from vivavoce.jobs.turns import judged_rows
from vivavoce.store.rows import DocumentRow, MeasureRow, OutcomeRow, Run, RunState, ScoreRow, Unit, UnitState
from vivavoce.store.stamps import now
from vivavoce.store.transaction import Transaction

# These have columns; the rest of a score is its detail.
_SCORED = ("id", "score", "low", "high", "refusal")
WARNINGS = "warnings.json"


class LostLeaseError(Exception):
    """Another worker has this unit now: this result is not stored."""


def gather_finished(tx: Transaction, run_id: str) -> Finished:
    """Return the results and failures of the units of a run."""
    results = tx.units.results(run_id)
    failed = tx.units.of_run(run_id, state=UnitState.FAILED)
    # A unit that failed half-way has a result that says so.
    return Finished(results, tuple(Failure(unit.key, unit.error) for unit in failed if unit.key not in results))


def conclude_run(kind: str, material: bytes, options: Options, finished: Finished) -> Conclusion:
    """Compute the conclusion of a run: pure, in any process."""
    return load_exam(kind).conclude(material, options, finished)


def store_conclusion(tx: Transaction, run: Run, unit: Unit, worker: str, conclusion: Conclusion) -> None:
    """Store all findings of a run and that it is done; LostLeaseError, and nothing is written, if it is too late."""
    put_findings(tx, run, conclusion)
    tx.turns.withdraw_verdicts(run.id)
    # Last, so that other workers wait for a moment only. Somebody may have cancelled the run meanwhile.
    is_stored = tx.units.finish(unit.id, worker, b"")
    current = tx.runs.get(run.id)
    if not is_stored or current is None or current.state is not RunState.CONCLUDING:
        raise LostLeaseError(run.id)
    tx.runs.set_state(run.id, RunState.DONE, headline=storable(conclusion.headline), error="", finished=now())


def put_findings(tx: Transaction, run: Run, conclusion: Conclusion) -> None:
    """Store all that a run found, in place of what was there."""
    for repository in (tx.measures, tx.outcomes, tx.documents, tx.scores):
        repository.clear(run.id)
    tx.measures.put(
        MeasureRow(
            run.id, storable(row.scope)[:200], row.name, row.rate.value, row.rate.low, row.rate.high, row.rate.n
        )
        for row in conclusion.measures
    )
    tx.outcomes.put(_outcome_row(run.id, outcome) for outcome in conclusion.outcomes)
    documents = (*conclusion.documents, json_document(WARNINGS, {"warnings": list(conclusion.warnings)}))
    tx.documents.put(DocumentRow(run.id, each.name, each.media, each.content) for each in documents)
    tx.scores.put(_score_rows(tx, run, conclusion.scores))
    ids = {row.key: row.id for row in tx.units.of_run(run.id)} if conclusion.turns else {}
    for key, lines in conclusion.turns.items():
        tx.turns.put(judged_rows(ids[key], run.id, lines))


def _outcome_row(run_id: str, outcome: Outcome) -> OutcomeRow:
    intent, guess = (None if name is None else storable(name)[:400] for name in (outcome.intent, outcome.guess))
    values = {field.name: getattr(outcome, field.name) for field in fields(outcome)}
    return OutcomeRow(
        **{**values, "run_id": run_id, "text": storable(outcome.text), "intent": intent, "guess": guess}
    )


def _score_rows(tx: Transaction, run: Run, scores: Sequence[Mapping[str, Any]]) -> Iterator[ScoreRow]:
    """Yield the scores of dialogues that still exist, found by their id or by their name in the project."""
    ids = tx.dialogues.ids(run.project_id) if scores else {}
    for score in scores:
        if (dialogue_id := ids.get(score["id"])) is not None:
            detail = {name: value for name, value in score.items() if name not in _SCORED}
            refusal = storable(score.get("refusal", ""))
            yield ScoreRow(run.id, dialogue_id, score["score"], score["low"], score["high"], refusal, detail)
