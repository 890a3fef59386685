"""Questions of an intents exam: found, followed to their examples, corrected, and the threshold tried on them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from exam_hall import EACH, TOPICS, fill_project, hold_guessed, hold_intents, small_data
from vivavoce.errors import StaleError, UsageError
from vivavoce.intents.threshold import count_at
from vivavoce.jobs.exams.protocol import Work
from vivavoce.jobs.exams.registry import load_exam
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.exams import comparing, intents, questions
from vivavoce.workspace.exams.questions import CONFIRMED, QuestionFilter
from vivavoce.workspace.exams.thresholds import read_scored
from vivavoce.workspace.projects.projects import adopt_threshold
from vivavoce.workspace.topics.examples import change_example, find_examples
from vivavoce.workspace.topics.history import undo_edit
from vivavoce.workspace.topics.topics import change_topic

TEXTS = [text for text, _ in small_data()]
# Two questions of topic 0 are answered with topic 1, one keeps the bot silent.
GUESSES: dict[str, str | None] = {TEXTS[0]: "topic 1", TEXTS[1]: "topic 1", TEXTS[2]: None}


@pytest.fixture
def project(store: Store) -> Project:
    with store.writing() as tx:
        made = tx.projects.add("jobs", "Jobs", language="en", classifier="tfidf", threshold=0.3)
    fill_project(store, made)
    return made


@pytest.fixture
def examined(store: Store, project: Project) -> Run:
    return hold_guessed(store, project, GUESSES)


def topic_ids(store: Store, project: Project) -> dict[str, str]:
    with store.reading() as tx:
        return {name: own for own, name in tx.topics.names(project.id).items()}


def line_of(store: Store, project: Project, run: Run, text: str) -> questions.QuestionLine:
    return questions.find_questions(store, project, run, QuestionFilter(search=text)).lines[0]


def test_mistakes_come_first_and_each_facet_counts_what_the_others_leave(
    store: Store, project: Project, examined: Run
) -> None:
    found = questions.find_questions(store, project, examined, limit=4)
    assert [line.row.outcome for line in found.lines] == ["wrong_intent", "wrong_intent", "missed", "right"]
    assert (found.total, found.asked) == (TOPICS * EACH, TOPICS * EACH)
    wrong = questions.find_questions(store, project, examined, QuestionFilter(outcome="wrong_intent"))
    assert wrong.total == 2
    assert wrong.outcomes == {"wrong_intent": 2, "missed": 1, "right": TOPICS * EACH - 3}, "as if none was chosen"
    assert wrong.intents == {"topic 0": 2}
    assert wrong.guesses == {"topic 1": 2}


def test_a_cell_has_the_questions_that_one_topic_lost_to_another(
    store: Store, project: Project, examined: Run
) -> None:
    cell = questions.find_cell(store, project, examined, "topic 0", "topic 1")
    assert {line.row.text for line in cell} == set(TEXTS[:2])
    assert questions.find_cell(store, project, examined, "topic 1", "topic 0") == ()


def test_a_question_is_moved_in_one_edit_and_cannot_be_changed_again_until_that_is_undone(
    store: Store, project: Project, examined: Run
) -> None:
    places, ids = [0, 1], topic_ids(store, project)
    edit = questions.move_questions(store, PRODUCT, project, examined, places, topic_id=ids["topic 1"])
    line = line_of(store, project, examined, TEXTS[0])
    assert (line.status, line.topic, line.can_change) == ("moved", "topic 1", False)
    with pytest.raises(StaleError, match="1 selected question changed"):
        questions.delete_questions(store, PRODUCT, project, examined, [1, 5])
    undo_edit(store, PRODUCT, project, edit.id)
    assert {line_of(store, project, examined, text).status for text in TEXTS[:2]} == {"same"}


def test_what_became_of_an_example_is_told(store: Store, project: Project, examined: Run) -> None:
    first = line_of(store, project, examined, TEXTS[0]).question.example_id or ""
    change_example(store, PRODUCT, project, first, text="other words")
    questions.delete_questions(store, PRODUCT, project, examined, [1])
    questions.move_questions(store, PRODUCT, project, examined, [2], topic_id=None)
    found = {line.row.text: line for line in questions.find_questions(store, project, examined).lines}
    assert [found[text].status for text in TEXTS[:4]] == ["edited", "deleted", "moved", "same"]
    assert found[TEXTS[2]].topic is None


def test_the_examples_of_a_renamed_topic_did_not_move(store: Store, project: Project, examined: Run) -> None:
    change_topic(store, PRODUCT, project, topic_ids(store, project)["topic 0"], name="Nought")
    line = line_of(store, project, examined, TEXTS[0])
    assert (line.status, line.topic) == ("same", "Nought")


def test_a_confirmed_label_is_no_mistake_to_fix_until_it_is_undone_or_the_example_changes(
    store: Store, project: Project, examined: Run
) -> None:
    before = store_state(store, project)
    edit = questions.confirm_questions(store, PRODUCT, project, examined, [0, 2])
    found = questions.find_questions(store, project, examined)
    assert found.outcomes == {"wrong_intent": 1, CONFIRMED: 2, "right": TOPICS * EACH - 3}
    assert [line.confirmed for line in found.lines[:3]] == [False, True, True], "after what is left to do"
    assert store_state(store, project) == before, "nothing was changed"
    # It holds for later exams too.
    again = hold_guessed(store, project, GUESSES)
    assert questions.find_questions(store, project, again).outcomes[CONFIRMED] == 2
    questions.move_questions(store, PRODUCT, project, examined, [2], topic_id=None)
    assert questions.find_questions(store, project, again).outcomes[CONFIRMED] == 1
    with store.reading() as tx:
        last = tx.edits.of_project(project.id, limit=1)[0]
    undo_edit(store, PRODUCT, project, last.id)
    undo_edit(store, PRODUCT, project, edit.id)
    assert CONFIRMED not in questions.find_questions(store, project, examined).outcomes


def store_state(store: Store, project: Project) -> Any:
    with store.reading() as tx:
        return tx.examples.of_project(project.id)


def test_nothing_ticked_changes_nothing(store: Store, project: Project, examined: Run) -> None:
    with pytest.raises(UsageError, match="no question selected"):
        questions.delete_questions(store, PRODUCT, project, examined, [])
    ids = [line.question.example_id or "" for line in questions.find_questions(store, project, examined).lines]
    assert len(find_examples(store, project, ids)) == TOPICS * EACH


# --- another threshold -------------------------------------------------------------------------------------------


def test_the_threshold_is_tried_on_the_questions_of_the_exam(store: Store, project: Project, examined: Run) -> None:
    scored = read_scored(store, examined)
    assert scored is not None
    assert (len(scored), int(scored.right.sum()), scored.n_out) == (TOPICS * EACH, TOPICS * EACH - 3, 0)
    assert count_at(scored, 0.95).n_answered == 0


def test_a_question_of_several_rounds_is_scored_once_where_topics_were_held_out(
    store: Store, project: Project
) -> None:
    run = hold_intents(store, project)
    means = read_scored(store, run)
    exam = load_exam("intents")
    with store.reading() as tx:
        material = tx.runs.material(run.id)
    works = [Work("intents", run.id, material, run.options, unit.key) for unit in exam.plan(material, run.options)]
    with store.writing() as tx:
        tx.units.put_results(run.id, {work.key: exam.perform(work) for work in works})
    scored = read_scored(store, replace(run, version=run.version + 1))
    assert means is not None
    assert scored is not None
    assert means.n_out == 0, "no round was kept"
    assert 0 < scored.n_known < len(scored) <= TOPICS * EACH
    assert not (scored.right & scored.out_of_scope).any()


def test_a_threshold_is_adopted_and_undone(store: Store, project: Project, examined: Run) -> None:
    edit = adopt_threshold(store, PRODUCT, project, 0.72, examined)
    with store.reading() as tx:
        assert tx.projects.get(project.id).threshold == 0.72
    undo_edit(store, PRODUCT, project, edit.id)
    with store.reading() as tx:
        assert tx.projects.get(project.id).threshold == 0.3


# --- the runs before ---------------------------------------------------------------------------------------------


def test_a_run_is_held_against_the_last_one_under_the_same_conditions(store: Store, project: Project) -> None:
    first = hold_guessed(store, project, GUESSES)
    assert comparing.changes_since(store, project, first) is None
    second = hold_guessed(store, project)
    since = comparing.changes_since(store, project, second)
    assert since is not None
    assert (since.before.number, since.verdict.improved, since.verdict.broken) == (first.number, 3, 0)
    assert since.changes["0,0", "accuracy"].difference == since.verdict.difference
    values = comparing.values_over_time(store, project, second, ["accuracy"])
    assert len(values["0,0", "accuracy"]) == 2


def test_the_time_of_an_exam_comes_from_the_project_or_from_a_table(store: Store, project: Project) -> None:
    first = intents.expect_exam(store, project)
    assert not first.measured
    assert first.seconds > 0
    hold_intents(store, project)
    assert intents.expect_exam(store, project).measured
