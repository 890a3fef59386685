"""How good the forecasts were: what remedies were forecast to bring, and what the next exam found."""

from __future__ import annotations

from dataclasses import dataclass

from vivavoce.store.database import Store
from vivavoce.store.rows import ForecastRow, Project, Run, RunState
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.exams.naming import TOPICS
from vivavoce.workspace.topics.examples import CONFIRMING

KIND, SCOPE = "intents", "0,0"
LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class PastForecast:
    """A forecast of a remedy that was applied, and what came of it.

    `realised`: how much more of the decisions were correct in the next exam than in the one before the edit. None:
    not measured yet, or other edits lie between the two exams, so nobody can tell.
    """

    row: ForecastRow
    summary: str
    before: int | None
    after: int | None
    realised: float | None

    @property
    def inside(self) -> bool | None:
        """Whether what came of it is inside the range of the forecast; None where that is not known."""
        if self.realised is None or self.row.low is None or self.row.high is None:
            return None
        return self.row.low <= self.realised <= self.row.high


@dataclass(frozen=True, slots=True)
class TrackRecord:
    """All forecasts whose edits still hold, the newest first."""

    forecasts: tuple[PastForecast, ...]

    @property
    def judged(self) -> int:
        """How many of them can be held against an exam."""
        return sum(past.inside is not None for past in self.forecasts)

    @property
    def inside(self) -> int:
        """In how many of these the exam found a value inside the range."""
        return sum(past.inside is True for past in self.forecasts)


def read_track_record(store: Store, project: Project, *, most: int = LOOKED_AT) -> TrackRecord:
    """Return the forecasts of a project with what came of them."""
    with store.reading() as tx:
        rows = tx.forecasts.of_project(project.id)[:most]
        if not rows:
            return TrackRecord(())
        done = tx.runs.page(project.id, KIND, states=(RunState.DONE,), limit=LOOKED_AT)
        return TrackRecord(tuple(_judge(tx, project, row, done) for row in rows))


def _judge(tx: Transaction, project: Project, row: ForecastRow, done: tuple[Run, ...]) -> PastForecast:
    """Hold a forecast against the exams around its edit; `done`: all exams that are over, the newest first."""
    edit = tx.edits.get(row.edit_id)
    summary, at = (edit.summary, edit.at) if edit else ("", row.created)
    alike = [run for run in done if _is_alike(run, row)]
    before = next((run for run in alike if run.created <= at), None)
    after = next((run for run in reversed(alike) if run.created > at), None)
    numbers = (before.number if before else None, after.number if after else None)
    if before is None or after is None or not _is_only_edit(tx, project, row.edit_id, before, after):
        return PastForecast(row, summary, *numbers, None)
    old, new = (tx.measures.rates(run.id).get((SCOPE, "accuracy")) for run in (before, after))
    if old is None or new is None or old.value is None or new.value is None:
        return PastForecast(row, summary, *numbers, None)
    return PastForecast(row, summary, *numbers, new.value - old.value)


def _is_alike(run: Run, row: ForecastRow) -> bool:
    return run.options.get("classifier") == row.classifier and run.options.get("threshold") == row.threshold


def _is_only_edit(tx: Transaction, project: Project, edit_id: str, before: Run, after: Run) -> bool:
    """Tell whether nothing but an edit changed the topics between two exams; what was undone counts as nothing."""
    sizes = tx.edits.sizes(project.id, TOPICS, before.created, after.created)
    ids = {size.edit_id for size in sizes}
    gone = {size.edit_id for size in sizes if size.undone_by in ids}
    left = {size.edit_id for size in sizes if size.action != CONFIRMING and size.undoes not in gone} - gone
    return left == {edit_id}
