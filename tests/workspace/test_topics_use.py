"""Topics and examples are kept by people: every use is one edit, and every edit can be undone."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from places import in_both
from vivavoce.errors import AbsentError, AccessError, StaleError, UsageError
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role
from vivavoce.store.stamps import new_id, now
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.topics.datasets import list_duplicates, project_dataset
from vivavoce.workspace.topics.examples import (
    add_examples,
    change_example,
    clean_message,
    delete_examples,
    list_examples,
    matching_examples,
    move_examples,
)
from vivavoce.workspace.topics.history import list_edits, show_edit, topic_edits, undo_edit, undo_or_explain
from vivavoce.workspace.topics.overview import matching_topics
from vivavoce.workspace.topics.topics import (
    ANSWER_CHOICES,
    add_topic,
    change_topic,
    delete_topics,
    mark_of,
    merge_topics,
    split_topic,
    weigh_topics,
)

pytestmark = pytest.mark.slow

READER = Actor(None, "Rita", Role.READER)
EN, DE = "en", "de"


@pytest.fixture
def project(store: Store) -> Project:
    with store.writing() as tx:
        return tx.projects.add("jobs", "Jobs", language=EN, languages=(EN, DE), classifier="linear", threshold=0.5)


@pytest.fixture
def visa(store: Store, project: Project) -> str:
    texts = ["do I need a visa", "which visa", "work permit"]
    return add_topic(store, PRODUCT, project, "visa", answers={EN: "Yes."}, examples=texts).topic.id


@pytest.fixture
def salary(store: Store, project: Project) -> str:
    texts = ["how much do I earn", "which visa", "pay"]
    return add_topic(store, PRODUCT, project, "salary", answers={EN: "A lot.", DE: "Viel."}, examples=texts).topic.id


def state(store: Store, project: Project) -> Any:
    """Everything that the topics of a project hold, whatever its rows are called."""
    with store.reading() as tx:
        topics = tx.topics.of_project(project.id)
        names = {topic.id: topic.name for topic in topics}
        described = [(t.id, t.name, t.description, t.owner, sorted(t.answers.items())) for t in topics]
        examples = [
            (e.id, names.get(e.topic_id), e.text, e.language, e.place) for e in tx.examples.of_project(project.id)
        ]
    return described, examples


def texts(store: Store, project: Project, topic_id: str | None) -> list[str]:
    found = list_examples(store, project, topic_id=topic_id, out_of_scope=topic_id is None)
    return [row.text for row in found.examples]


def ids(store: Store, project: Project, topic_id: str) -> list[str]:
    return [row.id for row in list_examples(store, project, topic_id=topic_id).examples]


# --- every use can be undone ---------------------------------------------------------------------------------------


def use(name: str, store: Store, project: Project, visa: str, salary: str) -> Any:
    first = ids(store, project, visa)[:2]
    uses = {
        "add": lambda: add_topic(store, PRODUCT, project, "leave", examples=["holidays"]).edit,
        "rename": lambda: change_topic(store, PRODUCT, project, visa, name="permits"),
        "describe": lambda: change_topic(store, PRODUCT, project, visa, description="About papers.", owner="Ann"),
        "answer": lambda: change_topic(store, PRODUCT, project, visa, answers={EN: "No.", DE: "Nein."}),
        "no answer": lambda: change_topic(store, PRODUCT, project, visa, answers={EN: ""}),
        "delete": lambda: delete_topics(store, PRODUCT, project, [visa, salary]),
        "split": lambda: split_topic(store, PRODUCT, project, first, "papers").edit,
        "add examples": lambda: add_examples(store, PRODUCT, project, ["a\tsalary", "b"], topic_id=visa).edit,
        "write": lambda: change_example(store, PRODUCT, project, first[0], text="is a visa needed"),
        "move": lambda: move_examples(store, PRODUCT, project, first, topic_id=salary),
        "move out": lambda: move_examples(store, PRODUCT, project, first, topic_id=None),
        "delete examples": lambda: delete_examples(store, PRODUCT, project, first),
        **{f"merge {way}": _merging(store, project, visa, salary, way) for way in ANSWER_CHOICES},
    }
    return uses[name]()


def _merging(store: Store, project: Project, visa: str, salary: str, way: Any) -> Any:
    return lambda: merge_topics(store, PRODUCT, project, [visa], salary, answer=way)


USES = (
    "add", "rename", "describe", "answer", "no answer", "delete", "split", "add examples", "write", "move",
    "move out", "delete examples", *(f"merge {way}" for way in ANSWER_CHOICES),
)  # fmt: skip


@in_both
def test_every_use_changes_something_and_undoing_it_and_undoing_that_lead_back_and_forth(
    store: Store, project: Project, visa: str, salary: str
) -> None:
    before = state(store, project)
    for name in USES:
        edit = use(name, store, project, visa, salary)
        after = state(store, project)
        assert after != before, name
        undone = undo_edit(store, PRODUCT, project, edit.id, why="a try")
        assert state(store, project) == before, name
        again = undo_edit(store, PRODUCT, project, undone.id)
        assert state(store, project) == after, name
        # The next use begins where this one did.
        undo_edit(store, PRODUCT, project, again.id)
        assert state(store, project) == before, name


def test_a_reader_changes_nothing(store: Store, project: Project, visa: str) -> None:
    before = state(store, project)
    for refused in (
        lambda: add_topic(store, READER, project, "x"),
        lambda: delete_topics(store, READER, project, [visa]),
        lambda: add_examples(store, READER, project, ["x"], topic_id=visa),
        lambda: undo_edit(store, READER, project, list_edits(store, project).lines[0].edit.id),
    ):
        with pytest.raises(AccessError):
            refused()
    assert state(store, project) == before


# --- topics ------------------------------------------------------------------------------------------------------


def test_a_name_that_could_not_be_read_back_from_a_file_is_refused(store: Store, project: Project) -> None:
    for name in ("", "   ", "x" * 201, "none", "OOS", "a\0b"):
        with pytest.raises(UsageError):
            add_topic(store, PRODUCT, project, name)


def test_two_topics_cannot_have_one_name(store: Store, project: Project, visa: str, salary: str) -> None:
    with pytest.raises(UsageError, match="already"):
        add_topic(store, PRODUCT, project, " visa ")
    with pytest.raises(UsageError, match="already"):
        change_topic(store, PRODUCT, project, salary, name="visa")


@in_both
def test_who_saves_what_another_person_changed_meanwhile_is_told_and_overwrites_nothing(
    store: Store, project: Project, visa: str
) -> None:
    with store.reading() as tx:
        seen = mark_of(tx.topics.get(visa))  # type: ignore[arg-type]
    change_topic(store, PRODUCT, project, visa, answers={EN: "Ask us."}, seen=seen)
    with pytest.raises(StaleError):
        change_topic(store, PRODUCT, project, visa, answers={EN: "Perhaps."}, seen=seen)
    with store.reading() as tx:
        assert tx.topics.get(visa).answers == {EN: "Ask us."}  # type: ignore[union-attr]


def test_a_merge_does_with_the_other_answer_what_was_chosen_and_doubles_no_example(
    store: Store, project: Project, visa: str, salary: str
) -> None:
    ways: tuple[tuple[Any, dict[str, str]], ...] = (
        ("fill", {EN: "Yes.", DE: "Viel."}),
        ("keep", {EN: "Yes."}),
        ("take", {EN: "A lot.", DE: "Viel."}),
        ("join", {EN: "Yes.\n\nA lot.", DE: "Viel."}),
    )
    both = ["do I need a visa", "which visa", "work permit", "how much do I earn", "pay"]
    for choice, answers in ways:
        edit = merge_topics(store, PRODUCT, project, [salary], visa, answer=choice)
        with store.reading() as tx:
            (topic,) = tx.topics.of_project(project.id)
        assert topic.answers == answers, choice
        assert texts(store, project, visa) == both, choice
        undo_edit(store, PRODUCT, project, edit.id)


def test_a_merge_that_would_lose_an_answer_is_refused_until_somebody_chooses(
    store: Store, project: Project, visa: str, salary: str
) -> None:
    with pytest.raises(UsageError, match="different answers"):
        merge_topics(store, PRODUCT, project, [salary], visa)
    assert texts(store, project, salary)
    change_topic(store, PRODUCT, project, salary, answers={EN: ""})
    merge_topics(store, PRODUCT, project, [salary], visa)
    with store.reading() as tx:
        (topic,) = tx.topics.of_project(project.id)
    assert topic.answers == {EN: "Yes.", DE: "Viel."}


def test_a_topic_cannot_be_merged_into_itself(store: Store, project: Project, visa: str) -> None:
    with pytest.raises(UsageError):
        merge_topics(store, PRODUCT, project, [visa], visa)


def test_what_goes_with_topics_is_counted_before(store: Store, project: Project, visa: str, salary: str) -> None:
    loss = weigh_topics(store, project, [visa, salary, visa])
    assert (len(loss.topics), loss.examples, loss.answers) == (2, 6, 3)


def test_a_topic_of_another_project_is_not_there(store: Store, project: Project, visa: str) -> None:
    with store.writing() as tx:
        other = tx.projects.add("other", "Other", language=EN, classifier="linear", threshold=0.5)
    example = ids(store, project, visa)[0]
    for refused in (
        lambda: change_topic(store, PRODUCT, other, visa, name="mine"),
        lambda: delete_examples(store, PRODUCT, other, [example]),
        lambda: undo_edit(store, PRODUCT, other, list_edits(store, project).lines[0].edit.id),
        lambda: add_examples(store, PRODUCT, other, ["x"], topic_id=visa),
    ):
        with pytest.raises(AbsentError):
            refused()


# --- examples ----------------------------------------------------------------------------------------------------


@in_both
def test_a_pasted_line_goes_to_the_topic_after_its_tab_and_what_is_there_is_not_doubled(
    store: Store, project: Project, visa: str, salary: str
) -> None:
    lines = ["  do I   need a visa ", "paper?", "a raise\tsalary", "hello\toos", "paper?"]
    added = add_examples(store, PRODUCT, project, lines, topic_id=visa)
    assert (added.added, added.known) == (3, ("do I need a visa", "paper?"))
    assert texts(store, project, visa)[-1] == "paper?"
    assert texts(store, project, salary)[-1] == "a raise"
    assert texts(store, project, None) == ["hello"]


def test_all_lines_that_cannot_be_used_are_named_at_once_with_the_nearest_topic(
    store: Store, project: Project, visa: str, salary: str
) -> None:
    with pytest.raises(UsageError) as refused:
        add_examples(store, PRODUCT, project, ["fine", "x\tsallary", "y" * 10_001], topic_id=visa)
    assert [fault.where for fault in refused.value.faults] == ["line 2", "line 3"]
    assert "Did you mean 'salary'?" in refused.value.faults[0].message
    assert len(texts(store, project, visa)) == 3


def test_an_example_that_is_gone_cannot_be_moved(store: Store, project: Project, visa: str, salary: str) -> None:
    chosen = ids(store, project, visa)
    delete_examples(store, PRODUCT, project, chosen[:1])
    with pytest.raises(AbsentError):
        move_examples(store, PRODUCT, project, chosen, topic_id=salary)
    with pytest.raises(UsageError):
        move_examples(store, PRODUCT, project, [], topic_id=salary)


@given(st.text(max_size=60))
def test_a_message_is_one_line_without_blanks_around_it_or_is_refused(text: str) -> None:
    try:
        said = clean_message(text)
    except UsageError:
        return
    assert said == " ".join(said.split()) == clean_message(said)
    assert said.split() == text.split()


@in_both
def test_the_material_of_an_exam_holds_every_example_in_order_with_the_answer_in_its_language(
    store: Store, project: Project, visa: str, salary: str
) -> None:
    add_examples(store, PRODUCT, project, ["hello"], topic_id=None)
    add_examples(store, PRODUCT, project, ["Gehalt?"], topic_id=salary, language=DE)
    add_examples(store, PRODUCT, project, ["Visum?"], topic_id=visa, language=DE)
    with store.reading() as tx:
        data = project_dataset(tx, project)
    said = [(one.text, one.intent, one.language, one.answer) for one in data]
    assert said[0] == ("do I need a visa", "visa", EN, "Yes.")
    assert said[6:] == [
        ("hello", None, EN, None),
        ("Gehalt?", "salary", DE, "Viel."),
        ("Visum?", "visa", DE, "Yes."),
    ]
    assert [one.row for one in data] == list(range(1, 10))
    assert all(one.created is not None and one.created <= datetime.now(UTC) for one in data)


# --- history -----------------------------------------------------------------------------------------------------


@in_both
def test_the_history_says_who_did_what_and_why_and_both_topics_remember_a_move(
    store: Store, project: Project, visa: str, salary: str
) -> None:
    with store.writing() as tx:
        anna = tx.users.add("anna@example.org", "Anna", Role.EDITOR)
    actor = Actor(anna.id, "Anna", Role.EDITOR)
    edit = move_examples(store, actor, project, ids(store, project, visa)[:1], topic_id=salary, why="wrong place")
    newest = list_edits(store, project, limit=1)
    assert (newest.lines[0].edit.id, newest.lines[0].who, newest.total) == (edit.id, "Anna", 3)
    assert newest.lines[0].edit.why == "wrong place"
    for topic_id in (visa, salary):
        assert topic_edits(store, topic_id)[0].edit.id == edit.id
    shown = show_edit(store, project, edit.id)
    (row,) = shown.rows
    assert (row.noun, row.step) == ("example", "changed")
    assert [(one.name, one.before, one.after) for one in row.fields] == [("topic", "visa", "salary")]


@in_both
def test_an_edit_shows_before_and_after_of_what_changed_alone(store: Store, project: Project, visa: str) -> None:
    edit = change_topic(store, PRODUCT, project, visa, name="permits", answers={EN: "No."})
    rows = show_edit(store, project, edit.id).rows
    assert [(row.noun, row.title, row.step) for row in rows] == [
        ("topic", "permits", "changed"),
        ("answer", "permits, en", "changed"),
    ]
    assert [(f.name, f.before, f.after) for row in rows for f in row.fields] == [
        ("name", "visa", "permits"),
        ("text", "Yes.", "No."),
    ]


def test_an_edit_names_the_topic_of_an_example_even_when_it_is_gone(
    store: Store, project: Project, visa: str, salary: str
) -> None:
    chosen = ids(store, project, visa)[:1]
    moved = move_examples(store, PRODUCT, project, chosen, topic_id=salary)
    away = move_examples(store, PRODUCT, project, chosen, topic_id=None)
    delete_topics(store, PRODUCT, project, [visa, salary])
    (row,) = show_edit(store, project, moved.id).rows
    assert [(one.name, one.before, one.after) for one in row.fields] == [("topic", "visa", "salary")]
    (row,) = show_edit(store, project, away.id).rows
    assert (row.title, row.fields[0].before, row.fields[0].after) == ("out of scope", "salary", "out of scope")


def test_settings_of_a_bot_and_a_schedule_are_fields_with_plain_words(store: Store, project: Project) -> None:
    entry = {"kind": "http", "url": "http://a", "headers": {"X-Key": "env"}, "steps": [{"say": "hi"}], "on": True}
    bot = {"id": new_id(), "project_id": project.id, "name": "shop", "entry": entry, "created": now()}
    plan = {
        "id": new_id(), "project_id": project.id, "kind": "intents", "title": "nightly", "options": {"retries": 10},
        "minute_of_day": 185, "enabled": True, "next_at": now(), "user_id": None, "created": now(),
    }  # fmt: skip
    with store.writing() as tx:
        new = [tx.edits.insert("bots", bot), tx.edits.insert("schedules", plan)]
        tx.edits.apply(project.id, None, "add", "added", new)
        url = tx.edits.update("bots", bot["id"], entry={**entry, "url": "http://b"})
        off = tx.edits.update("schedules", plan["id"], enabled=False, minute_of_day=60)
        edit = tx.edits.apply(project.id, None, "change", "changed", [url, off])
    rows = show_edit(store, project, edit.id).rows
    told = [(row.noun, row.title, one.name, one.before, one.after) for row in rows for one in row.fields]
    assert told == [
        ("bot", "shop", "url", "http://a", "http://b"),
        ("schedule", "nightly", "minute_of_day", "03:05 UTC", "01:00 UTC"),
        ("schedule", "nightly", "enabled", "yes", "no"),
    ]
    made = show_edit(store, project, list_edits(store, project).lines[1].edit.id).rows
    said = {one.name: one.after for row in made for one in row.fields}
    assert (said["headers.X-Key"], said["steps.1.say"], said["on"], said["retries"]) == ("env", "hi", "yes", "10")


def test_an_undo_that_a_later_edit_prevents_names_that_edit(store: Store, project: Project, visa: str) -> None:
    first = change_topic(store, PRODUCT, project, visa, name="permits")
    second = change_topic(store, PRODUCT, project, visa, name="papers")
    with pytest.raises(StaleError, match="a later change depends on it: Topic permits: renamed to papers") as refused:
        undo_or_explain(store, PRODUCT, project, first.id)
    assert second.id in refused.value.where
    undo_or_explain(store, PRODUCT, project, second.id)
    undo_or_explain(store, PRODUCT, project, first.id)
    with pytest.raises(StaleError, match="already undone"):
        undo_or_explain(store, PRODUCT, project, first.id)


# --- all of a list -----------------------------------------------------------------------------------------------


def test_all_of_a_list_are_taken_only_while_it_is_as_long_as_it_was(
    store: Store, project: Project, visa: str, salary: str
) -> None:
    found = matching_examples(store, project, topic_id=visa, search="visa", expected=2)
    assert {row.text for row in list_examples(store, project, topic_id=visa).examples if row.id in found} == {
        "do I need a visa",
        "which visa",
    }
    assert set(matching_topics(store, project, search="", flag=None, expected=2)) == {visa, salary}
    with pytest.raises(StaleError, match="3 examples, and you selected 4"):
        matching_examples(store, project, topic_id=visa, search="", expected=4)
    with pytest.raises(StaleError, match="it now has 1 topic"):
        matching_topics(store, project, search="visa", flag=None, expected=2)


# --- nearly the same ---------------------------------------------------------------------------------------------


def test_examples_that_say_nearly_the_same_are_listed_those_under_different_topics_first(
    store: Store, project: Project, visa: str, salary: str
) -> None:
    assert list_duplicates(store, project).apart == 1, "the two topics share a message from the beginning"
    add_examples(store, PRODUCT, project, ["Work permit!", "a message of its own"], topic_id=visa)
    add_examples(store, PRODUCT, project, ["how much do I eran"], topic_id=visa)
    found = list_duplicates(store, project)
    told = [(sorted({one.topic or "" for one in group.examples}), group.apart) for group in found.groups]
    assert told == [(["salary", "visa"], True), (["salary", "visa"], True), (["visa"], False)]
    assert (found.total, found.apart) == (3, 2)
    assert list_duplicates(store, project, apart=True, limit=1, offset=1).groups == found.groups[1:2]


def test_an_edit_is_undone_once(store: Store, project: Project, visa: str) -> None:
    edit = change_topic(store, PRODUCT, project, visa, name="permits")
    undo_edit(store, PRODUCT, project, edit.id)
    with pytest.raises(StaleError):
        undo_edit(store, PRODUCT, project, edit.id)
