"""Examples of topics: what visitors write, as people keep it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Literal

from vivavoce.errors import AbsentError, Fault, StaleError, UsageError, plural
from vivavoce.messages import say, say_count
from vivavoce.store.cleaning import clean_text
from vivavoce.store.database import Store
from vivavoce.store.rows import Change, Edit, ExampleRow, OutcomeRow, Project, Role, Topic
from vivavoce.store.stamps import new_id, now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.topics.names import find_topic, get_named

MAX_TEXT = 10_000
SHOWN = 40
OUT_OF_SCOPE_TITLE = "out of scope"
# The edit that says that examples are filed correctly. It changes none of them: the history is where it is kept.
CONFIRMING = "confirm labels"
_COLUMNS = tuple(field.name for field in fields(ExampleRow))


@dataclass(frozen=True, slots=True)
class ExamplePage:
    """Some examples of a list, and how many there are in all."""

    examples: tuple[ExampleRow, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Added:
    """What became of new examples; `known`: those that were there already and are not there twice now."""

    edit: Edit
    added: int
    known: tuple[str, ...] = ()


def list_examples(
    store: Store,
    project: Project,
    *,
    topic_id: str | None = None,
    out_of_scope: bool = False,
    search: str = "",
    limit: int | None = 50,
    offset: int = 0,
) -> ExamplePage:
    """Return some examples: of all topics, of one, or those out of scope."""
    with store.reading() as tx:
        if out_of_scope:
            rows = tx.examples.out_of_scope(project.id, limit, offset, search)
            return ExamplePage(rows, tx.examples.count_out_of_scope(project.id, search))
        if topic_id is None:
            rows = tx.examples.page(project.id, search, limit, offset)
            return ExamplePage(rows, tx.examples.count(project.id, search))
        find_topic(tx, project, topic_id)
        rows = tx.examples.of_topic(topic_id, limit, offset, search)
        return ExamplePage(rows, tx.examples.count_of_topic(topic_id, search))


def check_expected(count: int, expected: int, noun: str) -> None:
    """Refuse to take all of a list that is not as long as whoever chose it saw."""
    if count != expected:
        raise StaleError(
            say(
                "the list has changed: it now has {things}, and you selected {expected:,}",
                things=plural(count, noun),
                expected=expected,
            ),
            remedy=say("review it, then select again"),
        )


def find_examples(store: Store, project: Project, ids: Sequence[str]) -> tuple[ExampleRow, ...]:
    """Return the examples with these ids; refuse where one is gone, or where none is chosen."""
    with store.reading() as tx:
        return get_examples(tx, project, ids)


def get_examples(tx: Transaction, project: Project, ids: Sequence[str]) -> tuple[ExampleRow, ...]:
    """Return the examples with these ids; refuse where one is gone, or where none is chosen."""
    wanted = tuple(dict.fromkeys(ids))
    if not wanted:
        raise UsageError(say("no example selected"), remedy=say("select at least one"))
    rows = tuple(row for row in tx.examples.some(wanted) if row.project_id == project.id)
    if gone := len(wanted) - len(rows):
        raise AbsentError(
            say(
                "{examples} in your selection {text} missing",
                examples=say_count(gone, "{n} example", "{n} examples"),
                text="is" if gone == 1 else "are",
            ),
            remedy=say("check the list again: someone may have deleted or imported examples"),
        )
    return rows


def add_examples(
    store: Store,
    actor: Actor,
    project: Project,
    lines: Sequence[str],
    *,
    topic_id: str | None = None,
    language: str = "",
    source: str = "person",
    why: str = "",
) -> Added:
    """Add messages to a topic (None: out of scope); a line `message TAB topic` goes to the topic that it names."""
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        topic = None if topic_id is None else find_topic(tx, project, topic_id)
        messages = _read_lines(tx, project, lines, topic)
        # A message that a topic has already is not added a second time.
        seen = {
            (row.text, own_id)
            for own_id in {own.id if own else None for _, own in messages}
            for row in (tx.examples.out_of_scope(project.id) if own_id is None else tx.examples.of_topic(own_id))
        }
        fresh: list[tuple[str, Topic | None]] = []
        known: list[str] = []
        for text, own in messages:
            mark = (text, own.id if own else None)
            if mark in seen:
                known.append(text)
            else:
                fresh.append((text, own))
            seen.add(mark)
        if not fresh:
            raise UsageError(
                say("all of these already exist"), remedy=say("enter a message the topic does not have yet")
            )
        placed = [(text, own.id if own else None) for text, own in fresh]
        rows = new_rows(tx, project, placed, language or project.language, source)
        names = list(dict.fromkeys(own.name if own else OUT_OF_SCOPE_TITLE for _, own in fresh))
        summary = say("Added {what} to {names}", what=describe_examples(rows), names=names[0])
        if len(names) > 1:
            topics = say_count(len(names), "{n} topic", "{n} topics")
            summary = say("Added {what} to {topics}", what=describe_examples(rows), topics=topics)
        changes = [insertion(tx, row) for row in rows]
        edit = tx.edits.apply(project.id, actor.user_id, "add examples", summary, changes, why=why)
        return Added(edit, len(rows), tuple(known))


def example_mark(row: ExampleRow) -> str:
    """Return a mark of an example as it is now: a form that carries it overwrites nothing that it did not show."""
    return hashlib.sha256(json.dumps([row.text, row.language, row.topic_id]).encode()).hexdigest()[:16]


def change_example(
    store: Store,
    actor: Actor,
    project: Project,
    example_id: str,
    *,
    text: str,
    language: str = "",
    seen: str = "",
    why: str = "",
) -> Edit:
    """Write an example anew; `seen` is its mark as the editor saw it: StaleError where somebody was faster."""
    actor.require(Role.EDITOR)
    message = clean_message(text)
    with store.writing() as tx:
        (row,) = get_examples(tx, project, [example_id])
        if seen and seen != example_mark(row):
            raise StaleError(
                say("someone else changed this example while you were editing"),
                remedy=say("review their changes, then save yours again"),
            )
        change = tx.edits.update(
            "examples", row.id, row.topic_id, text=message, language=clean_text(language or row.language, 20)
        )
        if change.before == change.after:
            raise UsageError(say("nothing to change"), remedy=say("change the text, or go back"))
        summary = say("Example edited: {shortened}", shortened=shorten(row.text))
        return tx.edits.apply(project.id, actor.user_id, "change example", summary, [change], why=why)


def move_examples(
    store: Store, actor: Actor, project: Project, ids: Sequence[str], *, topic_id: str | None, why: str = ""
) -> Edit:
    """Give examples to another topic (None: out of scope)."""
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        rows = [row for row in get_examples(tx, project, ids) if row.topic_id != topic_id]
        target = None if topic_id is None else find_topic(tx, project, topic_id)
        if not rows:
            raise UsageError(say("they already exist"), remedy=say("choose another topic"))
        name = target.name if target else OUT_OF_SCOPE_TITLE
        summary = say("Moved {counted} to {name}", counted=describe_examples(rows), name=name)
        return tx.edits.apply(project.id, actor.user_id, "move examples", summary, moves(tx, rows, topic_id), why=why)


def delete_examples(store: Store, actor: Actor, project: Project, ids: Sequence[str], *, why: str = "") -> Edit:
    """Delete examples."""
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        rows = get_examples(tx, project, ids)
        summary = say("Deleted {counted}", counted=describe_examples(rows))
        return tx.edits.apply(project.id, actor.user_id, "delete examples", summary, deletions(tx, rows), why=why)


def confirm_labels(store: Store, actor: Actor, project: Project, ids: Sequence[str], *, why: str = "") -> Edit:
    """Say that examples are filed correctly; it holds until one of them is moved or edited, and can be undone."""
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        rows = get_examples(tx, project, ids)
        values = tx.edits.values("examples", [row.id for row in rows])
        # Without a topic: nothing of the topic changed, so it need not be examined again.
        changes = [Change("examples", row.id, values[row.id], values[row.id]) for row in rows]
        summary = say("Label confirmed: {counted}", counted=describe_examples(rows))
        return tx.edits.apply(project.id, actor.user_id, CONFIRMING, summary, changes, why=why)


def clean_message(text: str) -> str:
    """Return a message on one line with single blanks; refuse what is empty, too long or cannot be kept."""
    message = clean_text(" ".join(text.split()))
    if not message:
        raise UsageError(say("the message is empty"), remedy=say("enter a message a visitor would write"))
    if len(message) > MAX_TEXT:
        raise UsageError(
            say("the message is longer than {most_text:,} characters", most_text=MAX_TEXT), remedy=say("shorten it")
        )
    return message


def new_rows(
    tx: Transaction, project: Project, texts: Iterable[tuple[str, str | None]], language: str, source: str
) -> list[ExampleRow]:
    """Return rows for new examples, each with the id of its topic, after all that are there."""
    first, at = tx.examples.next_place(project.id), now()
    return [
        ExampleRow(new_id(), project.id, topic_id, text, language, source, at, place)
        for place, (text, topic_id) in enumerate(texts, first)
    ]


def insertion(tx: Transaction, row: ExampleRow) -> Change:
    """Describe that an example comes."""
    # `asdict` copies every value, which for 50,000 rows takes longer than to write them.
    return tx.edits.insert("examples", {name: getattr(row, name) for name in _COLUMNS}, row.topic_id)


def deletions(tx: Transaction, rows: Sequence[ExampleRow]) -> list[Change]:
    """Describe that examples go."""
    values = tx.edits.values("examples", [row.id for row in rows])
    return [Change("examples", row.id, values[row.id], None, row.topic_id) for row in rows]


def moves(tx: Transaction, rows: Sequence[ExampleRow], topic_id: str | None) -> list[Change]:
    """Describe that examples go to another topic: they leave one and come to the other, so both remember it."""
    return deletions(tx, rows) + [insertion(tx, replace(row, topic_id=topic_id)) for row in rows]


def shorten(text: str) -> str:
    """Return the beginning of a text, for a summary."""
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."


def describe_examples(rows: Sequence[ExampleRow]) -> str:
    """Return one example by its text, several by their number."""
    return f"'{shorten(rows[0].text)}'" if len(rows) == 1 else say_count(len(rows), "{n} example", "{n} examples")


def _read_lines(
    tx: Transaction, project: Project, lines: Sequence[str], topic: Topic | None
) -> list[tuple[str, Topic | None]]:
    """Return each message with its topic; refuse all lines that cannot be used at once."""
    find_by_name = cache(lambda name: get_named(tx, project, name))
    messages: list[tuple[str, Topic | None]] = []
    faults: list[Fault] = []
    for number, line in enumerate(lines, 1):
        text, tab, name = line.partition("\t")
        try:
            messages.append((clean_message(text), find_by_name(name) if tab and name.strip() else topic))
        except (UsageError, AbsentError) as error:
            faults.append(Fault(error.what, say("line {number}", number=number)))
    if faults:
        raise UsageError(say("these lines are invalid"), faults=faults, remedy=say("correct them and try again"))
    if not messages:
        raise UsageError(say("no messages"), where="text", remedy=say("write one message per line"))
    return messages


Verdict = Literal["wrong", "deferred", "right", "untested"]
# In the order in which they are shown.
VERDICTS: tuple[Verdict, ...] = ("wrong", "deferred", "untested", "right")


@dataclass(frozen=True, slots=True)
class JudgedExample:
    """An example and what came of it in the latest exam (None: it was not asked)."""

    row: ExampleRow
    outcome: OutcomeRow | None = None

    @property
    def verdict(self) -> Verdict:
        """What most of its tests came to."""
        return self.outcome.mostly if self.outcome else "untested"


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """Some examples, how many fit, and how many of those that hold the words came out how."""

    examples: tuple[JudgedExample, ...]
    total: int
    counts: Mapping[Verdict, int] = field(default_factory=dict)


def list_judged(
    store: Store,
    project: Project,
    topic_id: str | None,
    *,
    search: str = "",
    verdict: Verdict | None = None,
    limit: int | None = 50,
    offset: int = 0,
) -> JudgedPage:
    """Return examples of a topic (None: out of scope) that hold the words: mistakes first, then in their order."""
    with store.reading() as tx:
        topic = None if topic_id is None else find_topic(tx, project, topic_id)
        rows = tx.examples.out_of_scope(project.id, search=search)
        if topic is not None:
            rows = tx.examples.of_topic(topic.id, search=search)
        judged = _judge_examples(tx, project, rows, topic)
    fitting = [one for one in judged if verdict in (None, one.verdict)]
    fitting.sort(key=lambda one: (VERDICTS.index(one.verdict), -(one.outcome.confidence if one.outcome else 0)))
    end = None if limit is None else offset + limit
    return JudgedPage(tuple(fitting[offset:end]), len(fitting), Counter(one.verdict for one in judged))


def matching_examples(
    store: Store,
    project: Project,
    *,
    topic_id: str | None,
    search: str,
    expected: int,
    verdict: Verdict | None = None,
) -> tuple[str, ...]:
    """Return the ids of all examples of a topic (None: out of scope) that a list shows.

    `expected` is how many there were when they were chosen: StaleError where there are more or fewer now.
    """
    page = list_judged(store, project, topic_id, search=search, verdict=verdict, limit=None)
    check_expected(page.total, expected, "example")
    return tuple(one.row.id for one in page.examples)


def _judge_examples(
    tx: Transaction, project: Project, rows: Sequence[ExampleRow], topic: Topic | None
) -> tuple[JudgedExample, ...]:
    """Return examples of one topic (None: out of scope), each with what came of it in the latest exam."""
    run = tx.runs.latest(project.id, "intents")
    if run is None:
        return tuple(JudgedExample(row) for row in rows)
    then = tx.edits.topics_since(project.id, run.created) if topic else {}
    name = (then.get(topic.id) or topic.name) if topic else None
    # Asked under another topic, a message was another question.
    own = {outcome.text: outcome for outcome in tx.outcomes.of_intent(run.id, name)}
    return tuple(JudgedExample(row, own.get(row.text)) for row in rows)
