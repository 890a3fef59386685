"""Report and charts of runs that were stored without them, made when somebody looks."""

from __future__ import annotations

import json

from vivavoce.errors import UsageError
from vivavoce.jobs.exams.protocol import Finished
from vivavoce.jobs.exams.registry import load_exam
from vivavoce.kept import Kept
from vivavoce.messages import restore_messages
from vivavoce.store.database import Store
from vivavoce.store.rows import Run, RunState

_DRAWN: Kept[dict[str, bytes]] = Kept(6)
DRAWN = ("charts/", "report.html")


def find_drawn(store: Store, run: Run, name: str) -> bytes | None:
    """Return a report or a chart of a run that has none; None where there is nothing of this name."""
    if run.state is not RunState.DONE or not name.startswith(DRAWN):
        return None
    return _DRAWN.get((run.id, run.version), lambda: _draw(store, run)).get(name)


def _draw(store: Store, run: Run) -> dict[str, bytes]:
    with store.reading() as tx:
        findings = tx.documents.get(run.id, "findings.json")
        if findings is None or tx.documents.get(run.id, "report.html") is not None:
            return {}
        material, finished = tx.runs.material(run.id), Finished(tx.units.results(run.id))
    try:
        exam = load_exam(run.kind)
    except UsageError:
        # A plug-in that is no longer installed draws nothing.
        return {}
    documents = exam.illustrate(restore_messages(json.loads(findings.content)), material, finished)
    return {document.name: document.content for document in documents}
