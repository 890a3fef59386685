"""Talks that were brought in and scored, without anybody waiting for it."""

from __future__ import annotations

from functools import cache

from pictures import undrawn
from vivavoce.demo import dialogues_path
from vivavoce.dialogues import Dialogue, read_dialogues
from vivavoce.jobs.concluding import conclude_run, store_conclusion
from vivavoce.jobs.exams.protocol import Conclusion, Finished, Work
from vivavoce.jobs.exams.registry import load_exam
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run
from vivavoce.store.stamps import now
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.dialogues.dialogues import begin_scoring, list_talks
from vivavoce.workspace.dialogues.imports import add_talks
from vivavoce.workspace.dialogues.reading import TalkChoices

BATCH = "shipped"


@cache
def shipped_talks() -> tuple[Dialogue, ...]:
    return read_dialogues(dialogues_path()).dialogues


def bring_talks(store: Store, project: Project) -> dict[str, str]:
    """Bring the shipped talks in; returns their ids by name."""
    add_talks(store, PRODUCT, project, shipped_talks(), TalkChoices(BATCH))
    return {line.name: line.id for line in list_talks(store, project, limit=100).lines}


def hold_scoring(store: Store, project: Project, *, rater: str = "learned", title: str = "") -> Run:
    """Score all talks as a worker would."""
    run = begin_scoring(store, PRODUCT, project, rater=rater, title=title)
    with store.reading() as tx:
        material = tx.runs.material(run.id)
    found = found_in(material, rater)
    with store.writing() as tx:
        for unit in tx.units.claim("hall", 100, now()):
            tx.units.finish(unit.id, "hall", b"done")
        (last,) = tx.units.claim_conclusions("hall", 1, now())
        store_conclusion(tx, run, last, "hall", found)
        done = tx.runs.get(run.id)
    assert done is not None
    return done


@cache
def found_in(material: bytes, rater: str) -> Conclusion:
    """Return what an exam of these talks finds."""
    exam = load_exam("dialogues")
    options = exam.check({"rater": rater, "source": "shipped"})
    works = [Work("dialogues", "hall", material, options, unit.key) for unit in exam.plan(material, options)]
    finished = Finished({work.key: exam.perform(work) for work in works})
    with undrawn():
        return conclude_run("dialogues", material, options, finished)
