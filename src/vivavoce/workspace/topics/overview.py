"""Lists of topics: their sizes, what the latest intents exam made of their questions, and what is to be looked at."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from vivavoce.errors import DataError, UsageError, nearest
from vivavoce.jobs.exams.documents import dataset_from_bytes
from vivavoce.kept import Kept
from vivavoce.messages import say
from vivavoce.records import Example, Rate
from vivavoce.store.database import Store
from vivavoce.store.rows import ExampleRow, OutcomeRow, Project, Run, Topic
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.topics.datasets import to_example
from vivavoce.workspace.topics.examples import check_expected
from vivavoce.workspace.topics.names import find_topic

Flag = Literal["few", "magnet", "silent", "changed"]
FLAGS: tuple[Flag, ...] = ("few", "magnet", "silent", "changed")
FEW = 5
# A topic draws others to it where it answers at least so many examples of others, and more than a third of all.
MAGNET_EXAMPLES = 3
MAGNET_PRECISION = 2 / 3
SHOWN_TEXTS = 5
NO_RATE = Rate(None, None, None, 0)


@dataclass(frozen=True, slots=True)
class TopicFindings:
    """What an exam says about one topic; `neighbours` are topics it is mixed with, and how much they overlap."""

    recall: Rate = NO_RATE
    precision: Rate = NO_RATE
    deferred: Rate = NO_RATE
    attracted: int = 0
    neighbours: tuple[tuple[str, float], ...] = ()
    typical: tuple[str, ...] = ()
    unusual: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TopicLine:
    """One topic in the list, and how many of its examples came out how in most of their tests in the latest exam.

    `share` of all examples of that exam is None where none was held.
    """

    topic: Topic
    size: int
    right: int = 0
    deferred: int = 0
    wrong: int = 0
    share: float | None = None
    attracted: int | None = None
    flags: tuple[Flag, ...] = ()

    @property
    def asked(self) -> int:
        """How many examples of the topic were tested in the latest exam."""
        return self.right + self.deferred + self.wrong


@dataclass(frozen=True, slots=True)
class TopicList:
    """Topics that were asked for, how many there are, and the state of the whole project.

    `flagged`: how many of those that hold the words should be looked at.
    """

    lines: tuple[TopicLine, ...]
    total: int
    topics: int
    examples: int
    out_of_scope: int
    flagged: int
    run: Run | None


@dataclass(frozen=True, slots=True)
class JudgedExample:
    """An example and what came of it in the latest exam (None: it was not asked)."""

    row: ExampleRow
    outcome: OutcomeRow | None = None


@dataclass(frozen=True, slots=True)
class TopicState:
    """A topic and how it stands."""

    line: TopicLine
    findings: TopicFindings | None
    run: Run | None


@dataclass(frozen=True, slots=True)
class _Exam:
    """The latest exam, what was touched since (topics by id with the names they had then), and what is different."""

    run: Run | None = None
    counts: Mapping[str | None, tuple[int, int, int]] = field(default_factory=dict)
    findings: Mapping[str, TopicFindings] = field(default_factory=dict)
    touched: Mapping[str, str | None] = field(default_factory=dict)
    asked: int = 0
    changed: frozenset[str] = frozenset()

    def name_of(self, topic: Topic) -> str:
        return self.touched.get(topic.id) or topic.name


_SORTS: Mapping[str, Callable[[TopicLine], Any]] = {
    "name": lambda line: "",
    "size": lambda line: line.size,
    "share": lambda line: -1.0 if line.share is None else line.share,
    "right": lambda line: _part(line.right, line.asked),
    "wrong": lambda line: _part(line.wrong, line.asked),
    "flags": lambda line: len(line.flags),
    "owner": lambda line: line.topic.owner.casefold(),
    "created": lambda line: line.topic.created,
}
LIST_COLUMNS = (
    *("topic", "examples", "share_of_questions", "right", "deferred", "wrong"),
    *("attracted", "flags", "owner", "description", "created"),
)
SORTS = tuple(sign + name for name in _SORTS for sign in ("", "-"))
_FINDINGS: Kept[Mapping[str, TopicFindings]] = Kept(8)
_COUNTS: Kept[Mapping[str | None, tuple[int, int, int]]] = Kept(8)
_TOPICS: Kept[tuple[tuple[Topic, int], ...]] = Kept(8)


def list_topics(
    store: Store,
    project: Project,
    *,
    search: str = "",
    flag: Flag | None = None,
    sort: str = "name",
    limit: int | None = 50,
    offset: int = 0,
) -> TopicList:
    """Return topics with their sizes, what the latest exam made of them, and flags."""
    with store.reading() as tx:
        exam = _latest(tx, project)
        count, examples = tx.topics.count(project.id), tx.examples.count(project.id)
        found = tx.topics.page(project.id, search, limit=count or 1) if search.strip() else _all_topics(tx, project)
        strangers = tx.examples.count_out_of_scope(project.id)
    lines = [_line(topic, size, exam) for topic, size in found]
    chosen = _sorted([line for line in lines if flag is None or flag in line.flags], sort)
    flagged = sum(bool(set(line.flags) - {"changed"}) for line in lines)
    end = None if limit is None else offset + limit
    return TopicList(tuple(chosen[offset:end]), len(chosen), count, examples, strangers, flagged, exam.run)


def _all_topics(tx: Transaction, project: Project) -> tuple[tuple[Topic, int], ...]:
    """Return every topic with its size: kept until something is changed, since every list begins with them."""
    key = (project.id, tx.edits.state(project.id))
    return _TOPICS.get(key, lambda: tx.topics.page(project.id, limit=tx.topics.count(project.id) or 1))


def matching_topics(
    store: Store, project: Project, *, search: str, flag: Flag | None, expected: int
) -> tuple[str, ...]:
    """Return the ids of all topics that a list shows; StaleError where there are not as many as were seen."""
    found = list_topics(store, project, search=search, flag=flag, limit=None)
    check_expected(found.total, expected, "topic")
    return tuple(line.topic.id for line in found.lines)


def topic_state(store: Store, project: Project, topic_id: str) -> TopicState:
    """Return a topic and how it stands."""
    with store.reading() as tx:
        topic = find_topic(tx, project, topic_id)
        exam = _latest(tx, project)
        line = _line(topic, tx.examples.count_of_topic(topic_id), exam)
    return TopicState(line, exam.findings.get(exam.name_of(topic)), exam.run)


def judge_examples(
    store: Store, project: Project, rows: Sequence[ExampleRow], topic: Topic | None
) -> tuple[JudgedExample, ...]:
    """Return examples of one topic (None: out of scope), each with what came of it in the latest exam."""
    with store.reading() as tx:
        run = tx.runs.latest(project.id, "intents")
        if run is None:
            return tuple(JudgedExample(row) for row in rows)
        then = tx.edits.topics_since(project.id, run.created) if topic else {}
        found = tx.outcomes.of_texts(run.id, [row.text for row in rows])
    name = (then.get(topic.id) or topic.name) if topic else None
    # Asked under another topic, a message was another question.
    own = {one.text: one for one in found if one.intent == name}
    return tuple(JudgedExample(row, own.get(row.text)) for row in rows)


# --- the latest exam ---------------------------------------------------------------------------------------------


def _latest(tx: Transaction, project: Project) -> _Exam:
    run = tx.runs.latest(project.id, "intents")
    if run is None:
        return _Exam()
    # A run whose failed units were tried again has other findings under the same id.
    key = (run.id, run.version)
    counts = _COUNTS.get(key, lambda: tx.outcomes.by_intent(run.id))
    findings = _FINDINGS.get(key, lambda: _findings(tx, run.id))
    asked = sum(sum(each) for each in counts.values())
    touched = tx.edits.topics_since(project.id, run.created)
    return _Exam(run, counts, findings, touched, asked, changed_topics(tx, project, run, touched))


def _findings(tx: Transaction, run_id: str) -> dict[str, TopicFindings]:
    document = tx.documents.get(run_id, "findings.json")
    found = json.loads(document.content) if document else {}
    settings = found.get("settings") or [{}]
    pairs = found.get("pairs", [])
    lines = settings[0].get("per_intent", [])
    return {line["intent"]: _of_topic(line, pairs) for line in lines}


def _of_topic(line: Mapping[str, Any], pairs: Sequence[Mapping[str, Any]]) -> TopicFindings:
    name = line["intent"]
    own = [pair for pair in pairs if name in (pair["a"], pair["b"])]
    astray = dict.fromkeys(text for pair in own for text in _astray(pair, name))
    near = (text for pair in own for text in pair["typical_a" if pair["a"] == name else "typical_b"])
    return TopicFindings(
        recall=_rate(line["recall"]),
        precision=_rate(line["precision"]),
        deferred=_rate(line["deferred"]),
        attracted=line["attracted"],
        neighbours=tuple((pair["b"] if pair["a"] == name else pair["a"], pair["overlap"]) for pair in own[:3]),
        # In a small topic the nearest examples may still be nearer to another one: then they are not typical.
        typical=_first(text for text in near if text not in astray),
        unusual=_first(astray),
    )


def _astray(pair: Mapping[str, Any], name: str) -> Iterator[str]:
    """Yield examples of a topic that look more like the other topic of the pair."""
    own, other = ("chance_a", "chance_b") if pair["a"] == name else ("chance_b", "chance_a")
    for example in pair["examples"]:
        if example["intent"] == name and example[other] > example[own]:
            yield example["text"]


def _first(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))[:SHOWN_TEXTS]


def _rate(plain: Mapping[str, Any]) -> Rate:
    return Rate(plain["value"], plain.get("low"), plain.get("high"), plain["n"])


# --- lines -------------------------------------------------------------------------------------------------------


def _line(topic: Topic, size: int, exam: _Exam) -> TopicLine:
    name = exam.name_of(topic)
    right, deferred, wrong = exam.counts.get(name, (0, 0, 0))
    findings = exam.findings.get(name)
    return TopicLine(
        topic,
        size,
        right,
        deferred,
        wrong,
        share=(right + deferred + wrong) / exam.asked if exam.asked else None,
        attracted=findings.attracted if findings else None,
        flags=tuple(_flags(topic, size, findings, exam)),
    )


def _flags(topic: Topic, size: int, findings: TopicFindings | None, exam: _Exam) -> Iterator[Flag]:
    if size < FEW:
        yield "few"
    if findings is not None and _is_magnet(findings):
        yield "magnet"
    if not any(topic.answers.values()):
        yield "silent"
    if topic.id in exam.changed:
        yield "changed"


def _is_magnet(findings: TopicFindings) -> bool:
    right = findings.precision.value
    return findings.attracted >= MAGNET_EXAMPLES and right is not None and right < MAGNET_PRECISION


def _sorted(lines: Sequence[TopicLine], sort: str) -> list[TopicLine]:
    name = sort.removeprefix("-")
    if name not in _SORTS:
        raise UsageError(
            say("topics cannot be sorted by '{sort}'.{nearest}", sort=sort, nearest=nearest(sort, SORTS)),
            remedy=", ".join(SORTS),
        )
    if name == "name":
        return list(reversed(lines)) if sort.startswith("-") else list(lines)
    return sorted(lines, key=_SORTS[name], reverse=sort.startswith("-"))


def _part(count: int, total: int) -> float:
    return count / total if total else -1.0


# So many topics are asked for one by one; beyond that it is faster to read all examples.
FEW_TOPICS = 20
# What each topic held, by its name; None: nobody knows any more.
Held = Mapping[str, int]
_HELD: Kept[Held | None] = Kept(8)
_CHANGED: Kept[frozenset[str]] = Kept(32)


def changed_topics(tx: Transaction, project: Project, run: Run, touched: Mapping[str, str | None]) -> frozenset[str]:
    """Return the ids of topics that are not as the run examined them.

    `touched` are those that edits touched since, with the names they had: what was undone again counts as unchanged.
    """
    if not touched:
        return frozenset()
    key = (run.id, tx.edits.state(project.id))
    return _CHANGED.get(key, lambda: frozenset(_changed(tx, project, run, touched)))


def _changed(tx: Transaction, project: Project, run: Run, touched: Mapping[str, str | None]) -> Iterator[str]:
    held = _HELD.get(run.id, lambda: _examined(tx, run))
    topics = {topic.id: topic for topic in tx.topics.of_project(project.id) if topic.id in touched}
    rows = _rows(tx, project, topics)
    for topic_id, topic in topics.items():
        now = _summed(to_example(row, topic, project) for row in rows.get(topic_id, ()))
        renamed = touched[topic_id] not in (None, topic.name)
        if held is None or renamed or held.get(topic.name, _summed(())) != now:
            yield topic_id


def _examined(tx: Transaction, run: Run) -> Held | None:
    """Return what each topic held when the run began; None where its material cannot be read."""
    try:
        data = dataset_from_bytes(tx.runs.material(run.id))
    except DataError:
        return None
    found: dict[str, list[Example]] = {}
    for example in data.examples:
        found.setdefault(example.intent or "", []).append(example)
    return {name: _summed(own) for name, own in found.items()}


def _rows(tx: Transaction, project: Project, topics: Mapping[str, Topic]) -> dict[str, list[ExampleRow]]:
    if len(topics) <= FEW_TOPICS:
        return {topic_id: list(tx.examples.of_topic(topic_id)) for topic_id in topics}
    found: dict[str, list[ExampleRow]] = {}
    for row in tx.examples.of_project(project.id):
        found.setdefault(row.topic_id or "", []).append(row)
    return found


def _summed(examples: Iterable[Example]) -> int:
    """Return one number for all that an exam looks at, whatever the order of the examples."""
    return hash(tuple(sorted((one.text, one.language or "", one.answer or "") for one in examples)))


def topic_table(found: TopicList) -> list[tuple[object, ...]]:
    """Return the list of topics under `LIST_COLUMNS`."""
    return [tuple(_line_cells(line)) for line in found.lines]


def _line_cells(line: TopicLine) -> Iterator[object]:
    topic = line.topic
    yield from (topic.name, line.size, line.share)
    yield from (line.right, line.deferred, line.wrong) if line.asked else (None, None, None)
    yield from (line.attracted, " ".join(line.flags), topic.owner, topic.description, topic.created)
