"""How good the forecasts were: what remedies were forecast to bring, and what the next exam found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vivavoce.store.database import Store
from vivavoce.store.rows import ForecastRow, Project, Run, RunState
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.exams.naming import TOPICS
from vivavoce.workspace.exams.verdicts import verdict_between
from vivavoce.workspace.topics.examples import CONFIRMING

if TYPE_CHECKING:
    from vivavoce.intents.track_record import PastForecast, TrackRecord

KIND, SCOPE = "intents", "0,0"
LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class Applied:
    """A forecast of a remedy that was applied, and the exams before and after it by number (None: there is none).

    `past`: the forecast held against them; what came of it is None where it was not measured yet, or where other
    edits lie between the two exams, so that nobody can tell.
    """

    row: ForecastRow
    summary: str
    before: int | None
    after: int | None
    past: PastForecast


@dataclass(frozen=True, slots=True)
class ProjectRecord:
    """All forecasts whose edits still hold, the newest first, and how good the last of them were."""

    forecasts: tuple[Applied, ...]
    record: TrackRecord


def read_track_record(store: Store, project: Project, *, most: int = LOOKED_AT) -> ProjectRecord:
    """Return the forecasts of a project with what came of them."""
    from vivavoce.intents.track_record import keep_record

    with store.reading() as tx:
        rows = [row for row in tx.forecasts.of_project(project.id) if row.low is not None][:most]
        done = tx.runs.page(project.id, KIND, states=(RunState.DONE,), limit=LOOKED_AT) if rows else ()
        forecasts = tuple(_judge(tx, project, row, done) for row in rows)
    return ProjectRecord(forecasts, keep_record(each.past for each in reversed(forecasts)))


def _judge(tx: Transaction, project: Project, row: ForecastRow, done: Sequence[Run]) -> Applied:
    """Hold a forecast against the exams around its edit; `done`: all exams that are over, the newest first."""
    from vivavoce.intents.track_record import PastForecast

    edit = tx.edits.get(row.edit_id)
    summary, at = (edit.summary, edit.at) if edit else ("", row.created)
    alike = [run for run in done if _is_alike(run, row)]
    before = next((run for run in alike if run.created <= at), None)
    after = next((run for run in reversed(alike) if run.created > at), None)
    measured = _measure(tx, project, row, before, after) if before and after else {}
    past = PastForecast(row.difference or 0.0, row.low or 0.0, row.high or 0.0, **measured)
    return Applied(row, summary, before.number if before else None, after.number if after else None, past)


def _measure(tx: Transaction, project: Project, row: ForecastRow, before: Run, after: Run) -> dict[str, float]:
    """Return how much the share of correct decisions changed, and how far chance may have moved it; {}: unknown.

    How far follows from the questions that both exams asked.
    """
    old, new = (tx.measures.rates(run.id).get((SCOPE, "accuracy")) for run in (before, after))
    if old is None or new is None or old.value is None or new.value is None:
        return {}
    if not _is_only_edit(tx, project, row.edit_id, before, after):
        return {}
    paired = verdict_between(tx, before, after).difference
    noise = 0.0 if paired.low is None or paired.high is None else (paired.high - paired.low) / 2
    return {"realised": new.value - old.value, "noise": noise}


def _is_alike(run: Run, row: ForecastRow) -> bool:
    return run.options.get("classifier") == row.classifier and run.options.get("threshold") == row.threshold


def _is_only_edit(tx: Transaction, project: Project, edit_id: str, before: Run, after: Run) -> bool:
    """Tell whether nothing but an edit changed the topics between two exams; what was undone counts as nothing."""
    sizes = tx.edits.sizes(project.id, TOPICS, before.created, after.created)
    ids = {size.edit_id for size in sizes}
    gone = {size.edit_id for size in sizes if size.undone_by in ids}
    left = {size.edit_id for size in sizes if size.action != CONFIRMING and size.undoes not in gone} - gone
    return left == {edit_id}
