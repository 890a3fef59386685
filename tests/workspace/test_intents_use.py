"""The intents exam of a project: what it takes, what it finds, and what changed from one to the next."""

from __future__ import annotations

from datetime import timedelta
from importlib.metadata import EntryPoint
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exam_hall import EACH, SMALL, TOPICS, fill_project, finish, found_in, hold_engines, hold_intents
from places import in_both
from vivavoce import plugins
from vivavoce.errors import AccessError, UsageError
from vivavoce.records import Rate
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role
from vivavoce.store.stamps import now
from vivavoce.workspace.access import engine_rules
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.access.engine_rules import check_engine, known_engines
from vivavoce.workspace.exams import intents
from vivavoce.workspace.exams.comparing import compare_runs, difference_of
from vivavoce.workspace.exams.timeline import show_timeline
from vivavoce.workspace.projects.projects import change_project
from vivavoce.workspace.topics.datasets import project_dataset

pytestmark = pytest.mark.slow

EDITOR = Actor(None, "an editor", Role.EDITOR)
SHARES = st.floats(0, 1)


@pytest.fixture
def project(store: Store) -> Project:
    with store.writing() as tx:
        made = tx.projects.add("jobs", "Jobs", language="en", classifier="tfidf", threshold=0.3)
    fill_project(store, made)
    return made


# --- starting ----------------------------------------------------------------------------------------------------


@in_both
def test_an_exam_takes_the_examples_as_they_are_with_their_answers(store: Store, project: Project) -> None:
    with store.writing() as tx:
        topic = tx.topics.by_name(project.id, "topic 1")
        assert topic is not None
        values = {"id": "a" * 16, "topic_id": topic.id, "language": "en", "text": "So it is."}
        tx.edits.apply(project.id, None, "answer", "Answer", [tx.edits.insert("answers", values, topic.id)])
    with store.reading() as tx:
        data = project_dataset(tx, project)
    assert len(data.examples) == TOPICS * EACH
    assert {one.answer for one in data.examples if one.intent == "topic 1"} == {"So it is."}
    assert {one.answer for one in data.examples if one.intent != "topic 1"} == {None}
    assert [one.row for one in data.examples] == list(range(1, TOPICS * EACH + 1))


def test_a_project_without_examples_is_not_examined(store: Store) -> None:
    with store.writing() as tx:
        empty = tx.projects.add("empty", "Empty", language="en", classifier="tfidf", threshold=0.3)
    with pytest.raises(UsageError, match="no examples yet"):
        intents.start_intents(store, PRODUCT, empty)
    expected = intents.expect_exam(store, empty)
    assert (expected.examples, expected.last) == (0, None)


def test_what_is_not_said_is_as_the_project_has_it(store: Store, project: Project) -> None:
    run = intents.start_intents(store, EDITOR, project, options={"retries": 1, "settings": [[0, 0]]})
    assert (run.options["classifier"], run.options["threshold"]) == ("tfidf", 0.3)


def test_code_and_files_of_the_machine_are_for_admins(store: Store, project: Project) -> None:
    for name in ("python:os:getcwd", "sklearn:svm.SVC", "linear:/etc", "sif:/etc/passwd"):
        with pytest.raises(AccessError, match="code or files on this machine"):
            intents.start_intents(store, EDITOR, project, options={"classifier": name})
        with pytest.raises(AccessError, match="code or files on this machine"):
            intents.start_engines(store, EDITOR, project, ["tfidf", name])
        assert check_engine(PRODUCT, name) == name


def test_engines_that_need_an_option_are_not_offered() -> None:
    names = {one.name for one in known_engines()}
    assert {"linear", "tfidf"} <= names
    assert not {"python", "sklearn"} & names


def test_what_an_engine_lacks_is_found_out_without_making_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def make(*_: object) -> None:
        raise AssertionError("an engine was made")

    points = (EntryPoint("mine", "nosuchmodule.engine:make", plugins.CLASSIFIERS),)
    monkeypatch.setattr(plugins, "build", make)
    monkeypatch.setattr(engine_rules, "_points", lambda: points)
    assert engine_rules.missing_part("mine") == "the classifier 'mine' needs nosuchmodule; pip install nosuchmodule"
    assert all(one.ready != bool(one.needs) for one in engine_rules.offered_engines())


def test_one_engine_alone_is_not_compared(store: Store, project: Project) -> None:
    with pytest.raises(UsageError, match="choose at least 2"):
        intents.start_engines(store, EDITOR, project, ["tfidf"])


@in_both
def test_the_times_of_engines_are_read_from_their_splits(store: Store, project: Project) -> None:
    times = intents.engine_times(store, hold_engines(store, project))
    assert [one.name for one in times] == ["tfidf", "tfidf:en"]
    assert all(one.total >= one.train >= 0 and one.message >= 0 for one in times)


# --- findings ----------------------------------------------------------------------------------------------------


def test_topics_are_sorted_and_searched(store: Store, project: Project) -> None:
    result = intents.intents_result(store, hold_intents(store, project))
    found = [line.recall.value for line in intents.topic_lines(result, sort="found")]
    known = [value for value in found if value is not None]
    assert len(found) == TOPICS
    assert all(one <= other for one, other in pairwise(known))
    assert [line.intent for line in intents.topic_lines(result, search="TOPIC 2", sort="-name")] == ["topic 2"]
    with pytest.raises(UsageError, match="cannot sort topics by 'foud'"):
        intents.topic_lines(result, sort="foud")


def test_confusion_is_ranked_by_how_often_it_happens(store: Store, project: Project) -> None:
    result = intents.intents_result(store, hold_intents(store, project))
    counts = [cell.answered + cell.deferred for cell in intents.confusion_lines(result)]
    assert counts == sorted(counts, reverse=True)
    assert all(cell.origin != cell.guess for cell in intents.confusion_lines(result))


@in_both
def test_questions_are_told_by_outcome_and_sum_up(store: Store, project: Project) -> None:
    run = hold_intents(store, project)
    every = intents.list_questions(store, run, limit=200)
    assert every.total == len(found_in("intents", 0.3).outcomes) == sum(every.counts.values())
    for outcome, n in every.counts.items():
        some = intents.list_questions(store, run, outcome=outcome, limit=200)
        assert some.total == n
        assert {row.outcome for row in some.rows} == {outcome}


def test_only_an_intents_exam_has_an_intents_result(store: Store, project: Project) -> None:
    with pytest.raises(UsageError, match="not an intents exam"):
        intents.intents_result(store, hold_engines(store, project))


# --- two runs ----------------------------------------------------------------------------------------------------


@in_both
def test_two_runs_are_compared_question_by_question(store: Store, project: Project) -> None:
    first, second = hold_intents(store, project), hold_intents(store, project, threshold=0.9)
    found = compare_runs(store, project, second.number, first.number)
    assert (found.a.id, found.b.id) == (first.id, second.id)
    assert found.same_data
    assert found.differing == (("threshold", "0.3", "0.9"),)
    # A higher threshold makes nothing right that was wrong before: it only leaves more unanswered.
    assert found.verdict.improved == 0
    assert found.verdict.broken > 0
    assert found.verdict.difference.n == found.verdict.shared == len(found_in("intents", 0.3).outcomes)
    assert found.verdict.difference.value is not None
    assert found.verdict.difference.value < 0
    accuracy = next(one for one in found.changes if (one.scope, one.name) == ("0,0", "accuracy"))
    assert accuracy.difference.value == pytest.approx(accuracy.after.value - accuracy.before.value)  # type: ignore[operator]


def test_a_run_against_its_like_shows_no_difference(store: Store, project: Project) -> None:
    first, second = hold_intents(store, project), hold_intents(store, project)
    found = compare_runs(store, project, first.number, second.number)
    assert (found.verdict.improved, found.verdict.broken, found.verdict.p) == (0, 0, 1.0)
    difference = found.verdict.difference
    assert difference.low is not None
    assert difference.low < difference.value == 0, "no change among a few questions does not rule out any"
    assert difference.high == pytest.approx(-difference.low)
    assert not any(one.clear for one in found.changes)


def test_the_edits_between_two_runs_are_named(store: Store, project: Project) -> None:
    first = hold_intents(store, project)
    change_project(store, PRODUCT, project, name="Jobs", threshold=0.9, classifier="tfidf", why="too bold")
    second = hold_intents(store, project, threshold=0.9)
    change_project(store, PRODUCT, project, name="Other", threshold=0.9, classifier="tfidf")
    found = compare_runs(store, project, first.number, second.number)
    assert [line.edit.why for line in found.edits] == ["too bold"]
    assert found.all_edits == 1


def test_a_run_is_not_compared_with_itself_or_with_one_that_goes_on(store: Store, project: Project) -> None:
    done = hold_intents(store, project)
    with pytest.raises(UsageError, match="with itself"):
        compare_runs(store, project, done.number, done.number)
    waiting = intents.start_intents(store, PRODUCT, project, options={"retries": 1, "settings": [[0, 0]]})
    with pytest.raises(UsageError, match="it is waiting"):
        compare_runs(store, project, done.number, waiting.number)


@given(a=SHARES, b=SHARES, widths=st.lists(st.floats(0, 0.5), min_size=4, max_size=4))
def test_the_interval_of_a_difference_holds_it_and_is_never_narrower_than_either(
    a: float, b: float, widths: list[float]
) -> None:
    before, after = Rate(a, a - widths[0], a + widths[1], 10), Rate(b, b - widths[2], b + widths[3], 20)
    found = difference_of(before, after)
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.value <= found.high
    assert found.high - found.low >= max(widths[0] + widths[1], widths[2] + widths[3]) / 2 - 1e-9
    back = difference_of(after, before)
    assert (back.value, back.low, back.high) == pytest.approx((-found.value, -found.high, -found.low), abs=1e-9)


def test_what_was_not_measured_has_no_difference() -> None:
    none = Rate(None, None, None, 0)
    assert difference_of(none, Rate(0.5, 0.4, 0.6, 9)) == none


# --- over time ---------------------------------------------------------------------------------------------------


@in_both
def test_the_timeline_has_every_run_edit_and_change_of_engine_or_threshold(store: Store, project: Project) -> None:
    hold_intents(store, project)
    change_project(store, PRODUCT, project, name="Jobs", threshold=0.9, classifier="tfidf", why="too bold")
    last = hold_intents(store, project, threshold=0.9)
    found = show_timeline(store, project)
    assert [point.scope for point in found.points] == ["0,0", "0,0.3"] * 2
    assert [mark.kind for mark in found.marks] == ["threshold", "settings", "import"]
    assert found.marks[0].text == f"Run {last.number} used threshold 0.9 instead of 0.3"
    assert found.all_marks == 3
    assert [run.number for run in found.runs] == [1, 2]


@in_both
def test_the_timeline_marks_another_share_of_out_of_scope_questions(store: Store, project: Project) -> None:
    hold_intents(store, project)
    options = {**SMALL, "classifier": "tfidf", "threshold": 0.3, "out_of_scope_share": 0.25}
    last = finish(store, intents.start_intents(store, PRODUCT, project, options=options), found_in("intents", 0.3))
    told = [mark.text for mark in show_timeline(store, project).marks]
    assert f"Run {last.number} used out-of-scope share 0.25 instead of none" in told


def test_the_timeline_is_cut_to_a_stretch_of_time(store: Store, project: Project) -> None:
    hold_intents(store, project)
    later = now() + timedelta(seconds=1)
    after = show_timeline(store, project, since=later)
    assert (after.points, after.marks, after.runs, after.all_marks) == ((), (), (), 0)
    before = show_timeline(store, project, until=later)
    assert len(before.points) == 2
    assert len(show_timeline(store, project, limit=1).marks) == 1


def test_a_number_that_is_not_followed_is_refused_with_the_nearest(store: Store, project: Project) -> None:
    with pytest.raises(UsageError, match="Did you mean 'accuracy'"):
        show_timeline(store, project, measure="acuracy")
