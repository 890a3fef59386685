"""A run is called by its day and by what changed since the run before it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from exam_hall import GUESSED
from places import in_both
from vivavoce.messages import Message, say
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run
from vivavoce.store.stamps import now
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.exams.intents import start_engines, start_intents
from vivavoce.workspace.exams.runs import cancel_run
from vivavoce.workspace.topics.examples import add_examples, change_example, delete_examples, move_examples
from vivavoce.workspace.topics.history import undo_edit
from vivavoce.workspace.topics.topics import add_topic, change_topic, merge_topics, split_topic

TEXTS = {name: [f"{name} {n}" for n in range(6)] for name in ("pay", "Pay", "visa", "Visa", "office")}


@pytest.fixture
def project(store: Store) -> Project:
    with store.writing() as tx:
        made = tx.projects.add("jobs", "Jobs", language="en", classifier="tfidf", threshold=0.3)
    for name, texts in TEXTS.items():
        add_topic(store, PRODUCT, made, name, examples=texts)
    return made


def begin(store: Store, project: Project, **options: object) -> Run:
    return start_intents(store, PRODUCT, project, options={**GUESSED, **options})


def news(run: Run) -> str:
    assert isinstance(run.title, Message)
    return str(run.title.values["what"])


def topic_id(store: Store, project: Project, name: str) -> str:
    with store.reading() as tx:
        return next(own for own, known in tx.topics.names(project.id).items() if known == name)


def example_ids(store: Store, project: Project, name: str) -> list[str]:
    topic = topic_id(store, project, name)
    with store.reading() as tx:
        return [row.id for row in tx.examples.of_project(project.id) if row.topic_id == topic]


def merge(store: Store, project: Project, source: str, into: str) -> str:
    ids = [topic_id(store, project, name) for name in (source, into)]
    return merge_topics(store, PRODUCT, project, ids[:1], ids[1]).id


@in_both
def test_the_name_says_the_day_and_what_happened_before(store: Store, project: Project) -> None:
    run = begin(store, project)
    assert run.title == f"{run.created:%A} {run.created.day} {run.created:%B %Y}, first exam"
    merge(store, project, "Pay", "pay")
    merge(store, project, "Visa", "visa")
    assert news(begin(store, project)) == "after 2 merges"
    move_examples(
        store, PRODUCT, project, example_ids(store, project, "visa")[:3], topic_id=topic_id(store, project, "pay")
    )
    assert news(begin(store, project)) == "after 3 moves"
    assert news(begin(store, project)) == "nothing changed"


@in_both
def test_the_most_telling_edits_come_first_and_the_rest_is_counted(store: Store, project: Project) -> None:
    begin(store, project)
    pay = topic_id(store, project, "pay")
    add_examples(store, PRODUCT, project, ["when is pay day", "is there a bonus"], topic_id=pay)
    change_topic(store, PRODUCT, project, topic_id(store, project, "office"), name="offices")
    split_topic(store, PRODUCT, project, example_ids(store, project, "visa")[:2], "permits")
    merge(store, project, "Pay", "pay")
    assert news(begin(store, project)) == "after 1 merge, 1 split and 2 other edits"


def test_what_was_undone_again_did_not_happen(store: Store, project: Project) -> None:
    begin(store, project)
    undo_edit(store, PRODUCT, project, merge(store, project, "Pay", "pay"))
    assert news(begin(store, project)) == "nothing changed"
    late = merge(store, project, "Pay", "pay")
    begin(store, project)
    undo_edit(store, PRODUCT, project, late)
    assert news(begin(store, project)) == "after 1 undone edit"


def test_examples_that_came_went_or_were_reworded_are_told_apart(store: Store, project: Project) -> None:
    begin(store, project)
    own = example_ids(store, project, "visa")
    change_example(store, PRODUCT, project, own[0], text="do I need a visa")
    assert news(begin(store, project)) == "after 1 reworded example"
    delete_examples(store, PRODUCT, project, own[:2])
    assert news(begin(store, project)) == "after 2 deleted examples"


def test_another_classifier_is_named(store: Store, project: Project) -> None:
    begin(store, project)
    assert news(begin(store, project, classifier="tfidf:en")) == "nothing changed, with tfidf:en"
    assert news(begin(store, project)) == "nothing changed, with tfidf"
    assert news(begin(store, project)) == "nothing changed"


def test_a_run_that_was_cancelled_is_not_held_against(store: Store, project: Project) -> None:
    begin(store, project)
    merge(store, project, "Pay", "pay")
    cancel_run(store, PRODUCT, project, begin(store, project).number)
    assert news(begin(store, project)) == "after 1 merge"


def test_two_runs_of_a_day_with_the_same_news_are_told_apart_by_the_clock(store: Store, project: Project) -> None:
    first, second, third = (begin(store, project).title for _ in range(3))
    assert len({first, second, third}) == 3
    assert third == second.replace(", nothing", f" {now():%H:%M}, nothing")


def test_a_comparison_names_its_classifiers(store: Store, project: Project) -> None:
    run = start_engines(store, PRODUCT, project, ["tfidf", "tfidf:en"], options={"retries": 1})
    assert news(run) == "tfidf and tfidf:en compared"


def test_a_name_of_ones_own_stays(store: Store, project: Project) -> None:
    assert start_intents(store, PRODUCT, project, title="Spring", options=GUESSED).title == "Spring"


def test_a_page_writes_the_weekday_within_a_week_and_then_the_date() -> None:
    today = datetime(2026, 11, 18, 9, 30, tzinfo=UTC)
    english, german = Writer(Words("en")), Writer(Words("de"))
    assert english.near_day(today, today) == "Wednesday"
    assert german.near_day(today - timedelta(days=2), today) == "Montag"
    assert english.near_day(today - timedelta(days=6), today) == "Thursday"
    assert english.near_day(today - timedelta(days=7), today) == "11 November"
    assert german.near_day(today - timedelta(days=7), today) == "11. November"
    assert english.near_day(today - timedelta(days=400), today) == "14 October 2025"
    assert english.near_day(today, today, clock=True) == "Wednesday 09:30"


def test_the_day_in_a_name_is_written_for_the_reader() -> None:
    at = datetime.now(UTC) - timedelta(days=1)
    title = say("{day:day}, {what}", day=at.isoformat(), what=say("nothing changed"))
    assert title == f"{at:%A} {at.day} {at:%B %Y}, nothing changed"
    assert Words("en").ours(title) == f"{at:%A}, nothing changed"
    assert Words("de").ours(title).endswith("tag, nichts geändert") or "Mittwoch" in Words("de").ours(title)
