"""Forecasts held against the exams around their edits."""

from __future__ import annotations

import pytest

from exam_hall import fill_project, keep_guessed, small_data
from vivavoce.store.database import Store
from vivavoce.store.rows import MeasureRow, Project
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.exams.remedies import Draft, apply_draft, forecast_draft
from vivavoce.workspace.exams.track_record import read_track_record
from vivavoce.workspace.topics.examples import add_examples
from vivavoce.workspace.topics.history import undo_edit

pytestmark = pytest.mark.slow


@pytest.fixture
def filled(store: Store) -> Project:
    """Return a project with examples, whose classifier and threshold are those of the exams that are kept."""
    with store.writing() as tx:
        project = tx.projects.add("jobs", "Jobs", language="en", classifier="tfidf", threshold=0.3)
    fill_project(store, project)
    return project


def examine(store: Store, project: Project, accuracy: float) -> None:
    texts = [text for text, _ in small_data()]
    run = keep_guessed(store, project, {texts[0]: "topic 1"})
    with store.writing() as tx:
        tx.measures.put([MeasureRow(run.id, "0,0", "accuracy", accuracy, accuracy - 0.1, accuracy + 0.1, 32)])


def apply(store: Store, project: Project, number: int = 0) -> str:
    with store.reading() as tx:
        topic, other = list(tx.topics.names(project.id))[:2]
        (example, *_) = tx.examples.of_topic(topic)
    draft = Draft("move", (topic, other), moves=((other, (example.id,)),))
    forecast_draft(store, project, draft)
    return apply_draft(store, PRODUCT, project, draft, why=str(number)).edit.id


def test_a_forecast_is_judged_by_the_next_exam(store: Store, filled: Project) -> None:
    examine(store, filled, 0.5)
    apply(store, filled)
    (waiting,) = read_track_record(store, filled).forecasts
    assert (waiting.before, waiting.after, waiting.past.inside) == (1, None, None)
    examine(store, filled, 0.9)
    judged = read_track_record(store, filled)
    (past,) = judged.forecasts
    assert (past.before, past.after) == (1, 2)
    assert past.past.realised == pytest.approx(0.4)
    assert past.past.noise > 0
    # So much no single example brings.
    assert past.past.inside is False
    assert len(judged.record.judged) == 1


def test_a_forecast_cannot_be_judged_where_another_edit_came_in_between(store: Store, filled: Project) -> None:
    examine(store, filled, 0.5)
    apply(store, filled)
    with store.reading() as tx:
        topic = next(iter(tx.topics.names(filled.id)))
    other = add_examples(store, PRODUCT, filled, ["something else"], topic_id=topic).edit
    examine(store, filled, 0.5)
    assert read_track_record(store, filled).forecasts[0].past.inside is None
    assert read_track_record(store, filled).record.judged == ()
    # What was undone before the exam is no edit.
    undo_edit(store, PRODUCT, filled, other.id)
    edit = apply(store, filled, 2)
    examine(store, filled, 0.5)
    newest = read_track_record(store, filled).forecasts[0]
    assert newest.row.edit_id == edit
    assert newest.past.inside is None, "the undoing lies between the two exams"


def test_an_edit_that_is_undone_takes_its_forecast_with_it(store: Store, filled: Project) -> None:
    examine(store, filled, 0.5)
    undo_edit(store, PRODUCT, filled, apply(store, filled))
    assert read_track_record(store, filled).forecasts == ()
