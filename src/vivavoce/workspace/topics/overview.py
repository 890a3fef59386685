"""Lists of topics: their sizes, what the latest intents exam made of their questions, and what is to be looked at."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from vivavoce.errors import DataError, UsageError, nearest
from vivavoce.jobs.exams.documents import dataset_from_bytes
from vivavoce.kept import Kept
from vivavoce.messages import say
from vivavoce.records import Example, Rate
from vivavoce.store.database import Store
from vivavoce.store.rows import ExampleRow, Project, Run, Topic
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.topics.datasets import to_example
from vivavoce.workspace.topics.examples import check_expected
from vivavoce.workspace.topics.names import find_topic

Flag = Literal["wrong", "few", "magnet", "twin", "silent", "changed"]
FLAGS: tuple[Flag, ...] = ("wrong", "few", "magnet", "twin", "silent", "changed")
# Flags that often hold for all topics at once: they are counted apart, so that they do not drown the others.
QUIET_FLAGS: frozenset[Flag] = frozenset({"silent", "changed"})
FEW = 5
# A topic is often wrong where at least so many of its examples are, and more than a third of them.
WRONG_EXAMPLES = 3
WRONG_SHARE = 1 / 3
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

    `share` of all examples of that exam is None where none was held. `twins`: ids of topics of nearly the same name.
    """

    topic: Topic
    size: int
    right: int = 0
    deferred: int = 0
    wrong: int = 0
    share: float | None = None
    attracted: int | None = None
    flags: tuple[Flag, ...] = ()
    twins: tuple[str, ...] = ()

    @property
    def asked(self) -> int:
        """How many examples of the topic were tested in the latest exam."""
        return self.right + self.deferred + self.wrong


@dataclass(frozen=True, slots=True)
class TopicList:
    """Topics that were asked for, how many there are, and the state of the whole project.

    Of those that hold the words: `flagged` should be looked at, whatever the quiet flags say; `counts`, `owners` and
    `languages` say how many have each flag, owner, and language of an answer.
    """

    lines: tuple[TopicLine, ...]
    total: int
    topics: int
    examples: int
    out_of_scope: int
    flagged: int
    run: Run | None
    counts: Mapping[Flag, int] = field(default_factory=dict)
    owners: Mapping[str, int] = field(default_factory=dict)
    languages: Mapping[str, int] = field(default_factory=dict)


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
_TWINS: Kept[Mapping[str, tuple[str, ...]]] = Kept(8)


def list_topics(
    store: Store,
    project: Project,
    *,
    search: str = "",
    flag: Flag | None = None,
    owner: str = "",
    language: str = "",
    sort: str = "name",
    limit: int | None = 50,
    offset: int = 0,
) -> TopicList:
    """Return topics with their sizes, what the latest exam made of them, and flags.

    `owner` and `language` (of an answer) narrow the list down like `flag`; empty, they narrow nothing.
    """
    with store.reading() as tx:
        exam = _latest(tx, project)
        count, examples = tx.topics.count(project.id), tx.examples.count(project.id)
        if search.strip():
            topics = tx.topics.page(project.id, search, limit=count or 1)
        else:
            # Every list begins with all topics: they are kept until something is changed.
            key = (project.id, tx.edits.state(project.id))
            topics = _TOPICS.get(key, lambda: tx.topics.page(project.id, limit=count or 1))
        twins = find_name_twins(tx, project)
        out_of_scope = tx.examples.count_out_of_scope(project.id)
    lines = [_make_line(topic, size, exam, twins.get(topic.id, ())) for topic, size in topics]
    fitting = [
        line
        for line in lines
        if (flag is None or flag in line.flags)
        and owner in ("", line.topic.owner)
        and (not language or line.topic.answers.get(language))
    ]
    end = None if limit is None else offset + limit
    return TopicList(
        tuple(_sort(fitting, sort)[offset:end]),
        len(fitting),
        count,
        examples,
        out_of_scope,
        sum(bool(set(line.flags) - QUIET_FLAGS) for line in lines),
        exam.run,
        Counter(flag for line in lines for flag in line.flags),
        Counter(line.topic.owner for line in lines if line.topic.owner),
        Counter(code for line in lines for code, text in line.topic.answers.items() if text),
    )


def matching_topics(
    store: Store,
    project: Project,
    *,
    search: str,
    flag: Flag | None,
    expected: int,
    owner: str = "",
    language: str = "",
) -> tuple[str, ...]:
    """Return the ids of all topics that a list shows; StaleError where there are not as many as were seen."""
    page = list_topics(store, project, search=search, flag=flag, owner=owner, language=language, limit=None)
    check_expected(page.total, expected, "topic")
    return tuple(line.topic.id for line in page.lines)


def find_name_twins(tx: Transaction, project: Project) -> Mapping[str, tuple[str, ...]]:
    """Return the ids of topics whose names are the same but for case, blanks, plural or a typing mistake."""

    def pair_names() -> dict[str, tuple[str, ...]]:
        from vivavoce.intents.names import find_twins  # heavy: only when somebody looks

        ids = {name: topic_id for topic_id, name in tx.topics.names(project.id).items()}
        pairs: dict[str, tuple[str, ...]] = {}
        for twins in find_twins(list(ids)):
            for own, other in ((ids[twins.a], ids[twins.b]), (ids[twins.b], ids[twins.a])):
                pairs[own] = (*pairs.get(own, ()), other)
        return pairs

    return _TWINS.get((project.id, tx.edits.state(project.id)), pair_names)


def topic_state(store: Store, project: Project, topic_id: str) -> TopicState:
    """Return a topic and how it stands."""
    with store.reading() as tx:
        topic = find_topic(tx, project, topic_id)
        exam = _latest(tx, project)
        twins = find_name_twins(tx, project).get(topic_id, ())
        line = _make_line(topic, tx.examples.count_of_topic(topic_id), exam, twins)
    return TopicState(line, exam.findings.get(exam.name_of(topic)), exam.run)


def _latest(tx: Transaction, project: Project) -> _Exam:
    run = tx.runs.latest(project.id, "intents")
    if run is None:
        return _Exam()
    # A run whose failed units were tried again has other findings under the same id.
    key = (run.id, run.version)
    counts = _COUNTS.get(key, lambda: tx.outcomes.by_intent(run.id))
    findings = _FINDINGS.get(key, lambda: _read_findings(tx, run.id))
    asked = sum(sum(each) for each in counts.values())
    touched = tx.edits.topics_since(project.id, run.created)
    changed = frozenset[str]()
    if touched:
        state = (run.id, tx.edits.state(project.id))
        changed = _CHANGED.get(state, lambda: frozenset(_find_changed(tx, project, run, touched)))
    return _Exam(run, counts, findings, touched, asked, changed)


def _read_findings(tx: Transaction, run_id: str) -> dict[str, TopicFindings]:
    document = tx.documents.get(run_id, "findings.json")
    content = json.loads(document.content) if document else {}
    settings = content.get("settings") or [{}]
    pairs = content.get("pairs", [])
    return {line["intent"]: _read_topic(line, pairs) for line in settings[0].get("per_intent", [])}


def _read_topic(line: Mapping[str, Any], pairs: Sequence[Mapping[str, Any]]) -> TopicFindings:
    name = line["intent"]
    # Each pair of the topic, with the letters of its own side and of the other one.
    own = [(pair, *("ab" if pair["a"] == name else "ba")) for pair in pairs if name in (pair["a"], pair["b"])]
    # Examples of the topic that look more like the other topic of the pair.
    astray = {
        example["text"]: None
        for pair, mine, other in own
        for example in pair["examples"]
        if example["intent"] == name and example[f"chance_{other}"] > example[f"chance_{mine}"]
    }
    near = {text: None for pair, mine, _ in own for text in pair[f"typical_{mine}"]}
    rates = {
        key: Rate(line[key]["value"], line[key].get("low"), line[key].get("high"), line[key]["n"])
        for key in ("recall", "precision", "deferred")
    }
    return TopicFindings(
        **rates,
        attracted=line["attracted"],
        neighbours=tuple((pair[other], pair["overlap"]) for pair, _, other in own[:3]),
        # In a small topic the nearest examples may still be nearer to another one: then they are not typical.
        typical=tuple(text for text in near if text not in astray)[:SHOWN_TEXTS],
        unusual=tuple(astray)[:SHOWN_TEXTS],
    )


def _make_line(topic: Topic, size: int, exam: _Exam, twins: tuple[str, ...] = ()) -> TopicLine:
    name = exam.name_of(topic)
    right, deferred, wrong = exam.counts.get(name, (0, 0, 0))
    share = (right + deferred + wrong) / exam.asked if exam.asked else None
    findings = exam.findings.get(name)
    precision = findings.precision.value if findings and findings.attracted >= MAGNET_EXAMPLES else None
    flags: dict[Flag, bool] = {
        "wrong": wrong >= WRONG_EXAMPLES and _part(wrong, right + deferred + wrong) > WRONG_SHARE,
        "few": size < FEW,
        "magnet": precision is not None and precision < MAGNET_PRECISION,
        "twin": bool(twins),
        "silent": not any(topic.answers.values()),
        "changed": topic.id in exam.changed,
    }
    raised = tuple(flag for flag, is_raised in flags.items() if is_raised)
    attracted = findings.attracted if findings else None
    return TopicLine(topic, size, right, deferred, wrong, share, attracted, raised, twins)


def _sort(lines: Sequence[TopicLine], sort: str) -> list[TopicLine]:
    name = sort.removeprefix("-")
    if name not in _SORTS:
        raise UsageError(
            say("cannot sort topics by '{sort}'.{nearest}", sort=sort, nearest=nearest(sort, SORTS)),
            remedy=", ".join(SORTS),
        )
    if name == "name":
        return list(reversed(lines)) if sort.startswith("-") else list(lines)
    return sorted(lines, key=_SORTS[name], reverse=sort.startswith("-"))


def _part(count: int, total: int) -> float:
    return count / total if total else -1.0


# The examples of up to this many topics are read one topic at a time; beyond that it is faster to read all.
FEW_TOPICS = 20
# What each topic held, by its name; None: nobody knows any more.
Held = Mapping[str, int]
_HELD: Kept[Held | None] = Kept(8)
_CHANGED: Kept[frozenset[str]] = Kept(32)


def _find_changed(tx: Transaction, project: Project, run: Run, touched: Mapping[str, str | None]) -> Iterator[str]:
    """Yield the ids of topics that are not as the run examined them.

    `touched` are those that edits touched since, with the names they had: what was undone again counts as unchanged.
    """
    held = _HELD.get(run.id, lambda: _read_examined(tx, run))
    topics = {topic.id: topic for topic in tx.topics.of_project(project.id) if topic.id in touched}
    rows: dict[str, list[ExampleRow]] = {topic_id: [] for topic_id in topics}
    if len(topics) <= FEW_TOPICS:
        rows = {topic_id: list(tx.examples.of_topic(topic_id)) for topic_id in topics}
    else:
        for row in tx.examples.of_project(project.id):
            rows.setdefault(row.topic_id or "", []).append(row)
    for topic_id, topic in topics.items():
        now = _sum_up(to_example(row, topic, project) for row in rows[topic_id])
        renamed = touched[topic_id] not in (None, topic.name)
        if held is None or renamed or held.get(topic.name, _sum_up(())) != now:
            yield topic_id


def _read_examined(tx: Transaction, run: Run) -> Held | None:
    """Return what each topic held when the run began; None where its material cannot be read."""
    try:
        data = dataset_from_bytes(tx.runs.material(run.id))
    except DataError:
        return None
    examples: dict[str, list[Example]] = {}
    for example in data.examples:
        examples.setdefault(example.intent or "", []).append(example)
    return {name: _sum_up(own) for name, own in examples.items()}


def _sum_up(examples: Iterable[Example]) -> int:
    """Return one number for all that an exam looks at, whatever the order of the examples."""
    return hash(tuple(sorted((example.text, example.language or "", example.answer or "") for example in examples)))


def topic_table(page: TopicList) -> list[tuple[object, ...]]:
    """Return the list of topics under `LIST_COLUMNS`."""
    return [
        (
            *(line.topic.name, line.size, line.share),
            *((line.right, line.deferred, line.wrong) if line.asked else (None, None, None)),
            *(line.attracted, " ".join(line.flags)),
            *(line.topic.owner, line.topic.description, line.topic.created),
        )
        for line in page.lines
    ]
