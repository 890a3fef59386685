"""Two intents exams are compared example by example, whatever became of the topics in between."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exam_hall import GUESSED, finish, found_in, hold_guessed
from places import in_both
from vivavoce.jobs.exams.protocol import Outcome
from vivavoce.statistics import mcnemar_exact
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run
from vivavoce.store.tables import materials
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.exams.comparing import Cause, RunComparison, compare_runs
from vivavoce.workspace.exams.intents import start_intents
from vivavoce.workspace.exams.timeline import show_timeline
from vivavoce.workspace.exams.verdicts import Asked, judge_changes, match_asked
from vivavoce.workspace.projects.today import show_today
from vivavoce.workspace.topics.examples import add_examples, change_example, delete_examples, move_examples
from vivavoce.workspace.topics.history import undo_edit
from vivavoce.workspace.topics.topics import add_topic, change_topic, merge_topics, split_topic

NAMES = ("I am Robert", "my name is Aman", "call me Kiran", "they call me Ann")
SHOUTED = ("Daksha", "Hawaijahaj")
SKILLS = ("Python", "Java", "MongoDB", "CSS")


@pytest.fixture
def project(store: Store) -> Project:
    with store.writing() as tx:
        made = tx.projects.add("jobs", "Jobs", language="en", classifier="tfidf", threshold=0.3)
    for name, texts in (("name", NAMES), ("NAME", SHOUTED), ("skill", SKILLS)):
        add_topic(store, PRODUCT, made, name, examples=texts)
    add_examples(store, PRODUCT, made, ["tell me a joke"])
    return made


def topic_id(store: Store, project: Project, name: str) -> str:
    with store.reading() as tx:
        found = tx.topics.by_name(project.id, name)
    assert found is not None
    return found.id


def example_id(store: Store, project: Project, text: str) -> str:
    with store.reading() as tx:
        return next(row.id for row in tx.examples.of_project(project.id) if row.text == text)


def merge(store: Store, project: Project, source: str, into: str) -> str:
    ids = [topic_id(store, project, name) for name in (source, into)]
    return merge_topics(store, PRODUCT, project, ids[:1], ids[1]).id


def compare(store: Store, project: Project, a: Run, b: Run) -> RunComparison:
    return compare_runs(store, project, a.number, b.number)


def changed(found: RunComparison) -> tuple[set[str], set[str]]:
    improved, broken = found.questions.improved, found.questions.broken
    assert (len(improved), len(broken)) == (found.verdict.improved, found.verdict.broken)
    return {one.text for one in improved}, {one.text for one in broken}


# --- an example stays the same example ---------------------------------------------------------------------------


@in_both
def test_a_merge_is_credited_with_what_it_made_right(store: Store, project: Project) -> None:
    first = hold_guessed(store, project, {"Daksha": "name", "Hawaijahaj": None, "Python": "name", "Java": None})
    merge(store, project, "NAME", "name")
    second = hold_guessed(store, project, {"Python": "name", "CSS": "name"})
    found = compare(store, project, first, second)
    assert changed(found) == ({"Daksha", "Hawaijahaj", "Java"}, {"CSS"})
    assert found.verdict.shared == len(NAMES + SHOUTED + SKILLS) + 1
    assert found.questions.causes == (Cause("merge", edits=1, improved=2, broken=0),)
    moved = {one.text: (one.intent_before, one.intent, one.refiled_by) for one in found.questions.improved}
    assert moved == {
        "Daksha": ("NAME", "name", "merge"),
        "Hawaijahaj": ("NAME", "name", "merge"),
        "Java": ("skill", "skill", None),
    }


def test_by_the_topics_of_the_later_run_a_guess_of_a_merged_topic_was_right_already(
    store: Store, project: Project
) -> None:
    first = hold_guessed(store, project, {"Daksha": "name", "I am Robert": "NAME", "Hawaijahaj": None})
    merge(store, project, "NAME", "name")
    found = compare(store, project, first, hold_guessed(store, project))
    assert changed(found)[0] == {"Daksha", "I am Robert", "Hawaijahaj"}
    judged = found.questions.by_later_topics
    assert (judged.improved, judged.broken) == (1, 0), "only what the bot kept silent about before"


@in_both
def test_a_renamed_topic_hides_no_question(store: Store, project: Project) -> None:
    first = hold_guessed(store, project, {"Python": "name", "Java": "name"})
    change_topic(store, PRODUCT, project, topic_id(store, project, "skill"), name="ability")
    found = compare(store, project, first, hold_guessed(store, project, {"Java": "name"}))
    assert changed(found) == ({"Python"}, set())
    assert found.questions.causes == (), "a new name makes nothing right"
    assert found.questions.improved[0].intent_before == "skill"
    judged = found.questions.by_later_topics
    assert (judged.shared, judged.improved, judged.broken) == (found.verdict.shared, 1, 0)


@in_both
def test_moved_and_split_examples_are_followed(store: Store, project: Project) -> None:
    first = hold_guessed(store, project, {"Python": "name", "Java": "language", "CSS": "style"})
    moved = [example_id(store, project, "Python")]
    move_examples(store, PRODUCT, project, moved, topic_id=topic_id(store, project, "name"))
    split_topic(store, PRODUCT, project, [example_id(store, project, "Java")], "language")
    found = compare(store, project, first, hold_guessed(store, project, {"CSS": "style", "MongoDB": "language"}))
    assert changed(found) == ({"Python", "Java"}, {"MongoDB"})
    assert set(found.questions.causes) == {Cause("move", 1, 1, 0), Cause("split", 1, 1, 0)}


def test_an_example_that_was_filed_out_of_scope_is_followed(store: Store, project: Project) -> None:
    first = hold_guessed(store, project, {"CSS": None})
    move_examples(store, PRODUCT, project, [example_id(store, project, "CSS")], topic_id=None)
    found = compare(store, project, first, hold_guessed(store, project, {"CSS": None}))
    assert changed(found) == ({"CSS"}, set())
    assert found.questions.by_later_topics.improved == 0, "silence was right already"


def test_what_was_merged_twice_is_still_the_same_example(store: Store, project: Project) -> None:
    first = hold_guessed(store, project, {"Daksha": "name"})
    add_topic(store, PRODUCT, project, "person")
    merge(store, project, "NAME", "name")
    merge(store, project, "name", "person")
    found = compare(store, project, first, hold_guessed(store, project))
    assert changed(found) == ({"Daksha"}, set())
    assert found.questions.causes == (Cause("merge", 2, 1, 0),)
    assert found.questions.improved[0].intent == "person"
    assert found.questions.by_later_topics.improved == 0


@in_both
def test_a_merge_that_was_undone_is_no_cause(store: Store, project: Project) -> None:
    first = hold_guessed(store, project, {"Daksha": "name"})
    undo_edit(store, PRODUCT, project, merge(store, project, "NAME", "name"))
    found = compare(store, project, first, hold_guessed(store, project))
    assert changed(found) == ({"Daksha"}, set())
    assert found.questions.causes == ()


def test_an_undo_after_the_later_run_does_not_change_the_comparison(store: Store, project: Project) -> None:
    first = hold_guessed(store, project, {"Daksha": "name"})
    edit = merge(store, project, "NAME", "name")
    second = hold_guessed(store, project)
    undo_edit(store, PRODUCT, project, edit)
    found = compare(store, project, first, second)
    assert found.questions.causes == (Cause("merge", 1, 1, 0),)


def test_taking_a_merge_back_is_named_as_the_cause(store: Store, project: Project) -> None:
    edit = merge(store, project, "NAME", "name")
    first = hold_guessed(store, project)
    undo_edit(store, PRODUCT, project, edit)
    found = compare(store, project, first, hold_guessed(store, project, {"Daksha": "name"}))
    assert changed(found) == (set(), {"Daksha"})
    assert found.questions.causes == (Cause("undo", 1, 0, 1),)


# --- examples that cannot be paired ------------------------------------------------------------------------------


@in_both
def test_deleted_added_and_reworded_examples_are_counted_and_left_out(store: Store, project: Project) -> None:
    first = hold_guessed(store, project, {"Python": None, "Java": None, "CSS": None})
    delete_examples(store, PRODUCT, project, [example_id(store, project, "Python")])
    change_example(store, PRODUCT, project, example_id(store, project, "Java"), text="Java programming")
    add_examples(store, PRODUCT, project, ["Rust", "Go"], topic_id=topic_id(store, project, "skill"))
    found = compare(store, project, first, hold_guessed(store, project))
    assert changed(found) == ({"CSS"}, set())
    questions = found.questions
    assert (questions.only_before, questions.only_after, questions.reworded) == (1, 2, 1)
    assert not found.same_data


def test_an_example_that_was_deleted_and_added_again_is_the_same_question(store: Store, project: Project) -> None:
    first = hold_guessed(store, project, {"CSS": None})
    delete_examples(store, PRODUCT, project, [example_id(store, project, "CSS")])
    add_examples(store, PRODUCT, project, ["CSS"], topic_id=topic_id(store, project, "skill"))
    found = compare(store, project, first, hold_guessed(store, project))
    assert changed(found) == ({"CSS"}, set())
    assert (found.questions.only_before, found.questions.only_after) == (0, 0)


def test_a_twin_that_a_merge_dropped_is_counted(store: Store, project: Project) -> None:
    add_examples(store, PRODUCT, project, ["call me Kiran"], topic_id=topic_id(store, project, "NAME"))
    first = hold_guessed(store, project)
    merge(store, project, "NAME", "name")
    found = compare(store, project, first, hold_guessed(store, project))
    assert (found.questions.only_before, found.questions.only_after) == (1, 0)
    assert found.verdict.shared == len(NAMES + SHOUTED + SKILLS) + 1


def test_a_text_under_several_topics_is_one_question(store: Store, project: Project) -> None:
    for name in ("name", "NAME", "skill"):
        add_examples(store, PRODUCT, project, ["[2]"], topic_id=topic_id(store, project, name))
    first = hold_guessed(store, project, {"[2]": None})
    second = hold_guessed(store, project, {"[2]": "skill"})
    found = compare(store, project, first, second)
    assert changed(found) == (set(), set()), "one of three examples is right, the others are wrong"
    assert found.verdict.shared == len(NAMES + SHOUTED + SKILLS) + 2
    merge(store, project, "NAME", "skill")
    third = hold_guessed(store, project, {"[2]": "skill"})
    assert changed(compare(store, project, first, third)) == ({"[2]"}, set()), "one of the two that are left"


# --- runs that kept no ids ---------------------------------------------------------------------------------------


def forget_ids(store: Store, run: Run) -> None:
    """Make a run as it was before examples kept their ids."""
    with store.writing() as tx:
        plain = json.loads(tx.runs.material(run.id))
        for example in plain["examples"]:
            del example["id"]
        content = gzip.compress(json.dumps(plain).encode())
        tx.connection.execute(materials.update().where(materials.c.run_id == run.id).values(content=content))


@in_both
@pytest.mark.parametrize("both", [False, True])
def test_older_runs_are_matched_by_texts_that_occur_once(store: Store, project: Project, *, both: bool) -> None:
    add_examples(store, PRODUCT, project, ["Ruby"], topic_id=topic_id(store, project, "name"))
    add_examples(store, PRODUCT, project, ["Ruby"], topic_id=topic_id(store, project, "skill"))
    first = hold_guessed(store, project, {"Daksha": "name", "Python": None, "Ruby": None})
    merge(store, project, "NAME", "name")
    change_topic(store, PRODUCT, project, topic_id(store, project, "skill"), name="ability")
    second = hold_guessed(store, project, {"Ruby": "name"})
    for run in (first, second) if both else (first,):
        forget_ids(store, run)
    found = compare(store, project, first, second)
    # Of the two called Ruby one has its topic still, and the other is all that is left.
    assert changed(found) == ({"Daksha", "Python", "Ruby"}, set())
    assert (found.questions.only_before, found.questions.only_after) == (0, 0)
    assert found.questions.causes == (() if both else (Cause("merge", 1, 1, 0),))


def test_texts_that_stand_twice_are_not_matched_across_topics() -> None:
    before, after = ([Asked(None, "Ruby", topic, topic, "right") for topic in topics] for topics in ("ab", "cd"))
    shared = match_asked(before, after)
    assert (shared.questions, shared.only_before, shared.only_after) == ((), 2, 2)


def test_the_same_examples_are_known_as_such_though_one_run_kept_no_ids(store: Store, project: Project) -> None:
    first, second = hold_guessed(store, project), hold_guessed(store, project)
    forget_ids(store, first)
    assert compare(store, project, first, second).same_data


def test_a_run_whose_material_cannot_be_read_is_compared_by_texts(store: Store, project: Project) -> None:
    first, second = hold_guessed(store, project, {"CSS": None}), hold_guessed(store, project)
    with store.writing() as tx:
        broken = gzip.compress(b"{}")
        tx.connection.execute(materials.update().where(materials.c.run_id == first.id).values(content=broken))
    assert changed(compare(store, project, first, second)) == ({"CSS"}, set())


def test_a_wrong_answer_of_an_older_run_is_not_shown_with_the_right_guess(store: Store, project: Project) -> None:
    run = start_intents(store, PRODUCT, project, options=GUESSED)
    # Two tests, one silent with the right guess, one wrong: the most frequent guess was either.
    odd = Outcome(0, NAMES[0], "name", "name", 0.5, "wrong_intent", 0, 1, 1)
    first = finish(store, run, replace(found_in("intents", 0.3), outcomes=(odd,)))
    (question,) = compare(store, project, first, hold_guessed(store, project)).questions.improved
    assert (question.before, question.guess_before) == ("wrong_intent", None)


# --- one verdict -------------------------------------------------------------------------------------------------


@in_both
def test_compare_today_and_timeline_give_the_same_verdict(store: Store, project: Project) -> None:
    wrong = dict.fromkeys((*NAMES, *SHOUTED), "skill")
    first, second = hold_guessed(store, project, wrong), hold_guessed(store, project)
    verdict = compare(store, project, first, second).verdict
    assert (verdict.improved, verdict.broken, verdict.verdict) == (6, 0, "better")
    assert show_timeline(store, project).verdict == verdict
    move = show_today(store, project).moves[0]
    assert (move.name, move.verdict, move.questions) == ("accuracy", "better", verdict)
    assert show_today(store, project).alarms == ()


def test_a_loss_of_questions_is_an_alarm(store: Store, project: Project) -> None:
    hold_guessed(store, project)
    hold_guessed(store, project, dict.fromkeys((*NAMES, *SHOUTED), "skill"))
    alarms = show_today(store, project).alarms
    assert [(move.name, move.verdict) for move in alarms] == [("accuracy", "worse")]


def test_runs_that_share_no_question_have_no_verdict() -> None:
    found = judge_changes(())
    assert (found.shared, found.verdict, found.difference.value) == (0, "unknown", None)


def test_the_reference_case_is_more_than_chance() -> None:
    found = judge_changes([(False, True)] * 13 + [(True, False)] * 2 + [(True, True)] * 187)
    assert found.p == pytest.approx(0.00739, abs=1e-5)
    assert (found.verdict, found.right_before, found.right_after) == ("better", 189, 200)
    # Bonett and Price (2012), by hand: (14 - 3) / 204, and 1.96 standard errors of 0.0198.
    assert (found.difference.low, found.difference.high) == pytest.approx((0.0150, 0.0928), abs=1e-4)


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 200))
def test_the_interval_never_contradicts_the_verdict(improved: int, broken: int, others: int) -> None:
    found = judge_changes([(False, True)] * improved + [(True, False)] * broken + [(True, True)] * others)
    if not found.shared:
        return
    low, high = found.difference.low, found.difference.high
    assert low is not None
    assert high is not None
    assert low <= (improved - broken) / found.shared <= high
    assert low < high
    clear = mcnemar_exact(improved, broken) < 0.05
    assert clear == (not low <= 0 <= high) == (found.verdict != "same")
