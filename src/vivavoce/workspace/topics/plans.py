"""What an import would do: of every row whether it is added, changed, joined with another one, or refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from vivavoce.errors import InputError
from vivavoce.messages import join, say
from vivavoce.store.cleaning import clean_text
from vivavoce.store.rows import ExampleRow, Project, Topic
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.topics.examples import OUT_OF_SCOPE_TITLE, clean_message
from vivavoce.workspace.topics.incoming import Arrival, Refusal
from vivavoce.workspace.topics.names import check_name
from vivavoce.workspace.topics.topics import MOST_ANSWER

Kind = Literal["added", "changed", "joined", "refused"]
KINDS: tuple[Kind, ...] = ("refused", "changed", "joined", "added")
Mode = Literal["add", "replace"]
MODES: tuple[Mode, ...] = ("add", "replace")
MOST_LANGUAGE = 20


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """What becomes of one row, and why; `topic` None: out of scope."""

    number: int
    kind: Kind
    text: str
    topic: str | None
    reason: str = ""
    language: str = ""
    created: datetime | None = None
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Rules:
    """How an import goes: add to what is there or replace it; whether answers that are there are written anew.

    `language` is that of rows which name none.
    """

    mode: Mode = "add"
    overwrite: bool = False
    language: str = ""

    @property
    def rewrites(self) -> bool:
        """Whether an answer of the source goes before one that is there."""
        return self.overwrite or self.mode == "replace"


@dataclass(frozen=True, slots=True)
class Effect:
    """What an import would do to what is there."""

    new_topics: tuple[str, ...] = ()
    gone_topics: tuple[str, ...] = ()
    gone_examples: int = 0
    answers: int = 0
    kept_answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Present:
    """What a project holds now."""

    topics: Mapping[str, Topic]
    examples: Mapping[tuple[str, str | None], ExampleRow]
    homes: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Plan:
    """Every row, and what all of them together do."""

    rows: tuple[PlannedRow, ...]
    effect: Effect = field(default_factory=Effect)

    @property
    def counts(self) -> dict[Kind, int]:
        """How many rows of each kind there are; all of them together are the rows of the source."""
        found = Counter(row.kind for row in self.rows)
        return {kind: found[kind] for kind in KINDS}

    @property
    def wanted(self) -> tuple[PlannedRow, ...]:
        """The rows that will be there afterwards."""
        return tuple(row for row in self.rows if row.kind != "refused")


def present(tx: Transaction, project: Project) -> Present:
    """Return what a project holds now, by name and text."""
    topics = {topic.name: topic for topic in tx.topics.of_project(project.id)}
    names = {topic.id: topic.name for topic in topics.values()}
    rows = tx.examples.of_project(project.id)
    placed = [(row, names[row.topic_id] if row.topic_id else None) for row in rows]
    examples = {(row.text, name): row for row, name in reversed(placed)}
    return Present(topics, examples, {row.text: name for row, name in reversed(placed)})


def make_plan(there: Present, arrivals: Iterable[Arrival], refused: Iterable[Refusal], rules: Rules) -> Plan:
    """Say what would become of every row."""
    rows = [
        *_judged(there, arrivals, rules),
        *(PlannedRow(one.number, "refused", _visible(one.text), None, one.reason) for one in refused),
    ]
    ordered = tuple(sorted(rows, key=lambda row: row.number))
    return Plan(ordered, _effect(there, ordered, rules))


def plan_again(there: Present, rows: Iterable[PlannedRow], rules: Rules) -> Plan:
    """Say the same of rows that were planned before, for what is there now."""
    kept = [row for row in rows if row.kind != "refused"]
    arrivals = [Arrival(r.number, r.text, r.topic, r.language, r.created, r.answer) for r in kept]
    return make_plan(there, arrivals, (), rules)


def wanted_answers(there: Present, rows: Iterable[PlannedRow], rules: Rules) -> dict[str, dict[str, str]]:
    """Return the answers that an import writes: by topic, then by language; the first of each counts."""
    found: dict[str, dict[str, str]] = {}
    for topic, language, text in _said(rows):
        own = there.topics[topic].answers.get(language, "") if topic in there.topics else ""
        if own != text and (not own or rules.rewrites):
            found.setdefault(topic, {}).setdefault(language, text)
    return found


# --- rows --------------------------------------------------------------------------------------------------------


def _judged(there: Present, arrivals: Iterable[Arrival], rules: Rules) -> Iterator[PlannedRow]:
    seen: dict[tuple[str, str | None], int] = {}
    homes: dict[str, str | None] = {} if rules.mode == "replace" else dict(there.homes)
    for arrival in arrivals:
        row = _cleaned(arrival, rules.language)
        mark = (row.text, row.topic)
        if row.kind == "refused":
            yield row
            continue
        if mark in seen:
            yield _joined(row, say("the same as number {seen:d}", seen=seen[mark]))
            continue
        seen[mark] = row.number
        yield _joined(row, say("it is there already")) if mark in there.examples else _warned(row, homes)
        homes.setdefault(row.text, row.topic)


def _cleaned(arrival: Arrival, language: str) -> PlannedRow:
    """Return a row as it would be kept; what no row can hold is refused."""
    spoken = arrival.language.strip().lower() or language
    row = PlannedRow(arrival.number, "added", arrival.text, arrival.topic, arrival.remark, spoken, arrival.created)
    try:
        text = clean_message(arrival.text)
        topic = None if arrival.topic is None else check_name(arrival.topic)
        answer = clean_text(arrival.answer.replace("\r\n", "\n").strip(), MOST_ANSWER)
        clean_text(spoken, MOST_LANGUAGE)
    except InputError as error:
        return replace(row, kind="refused", text=_visible(arrival.text), topic=None, language="", reason=error.what)
    remarks = [arrival.remark, say("blanks were put right") if (text, topic) != (arrival.text, arrival.topic) else ""]
    said = join("; ", [remark for remark in remarks if remark])
    return replace(row, kind="changed" if said else "added", text=text, topic=topic, answer=answer, reason=said)


def _joined(row: PlannedRow, reason: str) -> PlannedRow:
    return replace(row, kind="joined", reason=reason)


def _warned(row: PlannedRow, homes: Mapping[str, str | None]) -> PlannedRow:
    """Say where the same text has another topic: both stay, and somebody should look."""
    if row.text not in homes or homes[row.text] == row.topic:
        return row
    home = homes[row.text] or OUT_OF_SCOPE_TITLE
    note = say("the same text is in {home} too", home=home)
    return replace(row, reason=join("; ", (row.reason, note)) if row.reason else note)


def _visible(text: str) -> str:
    """Return a text that can be kept and shown, whatever is wrong with it."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()[:1000]


# --- all of them together ----------------------------------------------------------------------------------------


def _effect(there: Present, rows: Sequence[PlannedRow], rules: Rules) -> Effect:
    kept = [row for row in rows if row.kind != "refused"]
    names = dict.fromkeys(row.topic for row in kept if row.topic is not None)
    marks = {(row.text, row.topic) for row in kept}
    replaced = rules.mode == "replace"
    written = wanted_answers(there, kept, rules)
    return Effect(
        new_topics=tuple(name for name in names if name not in there.topics),
        gone_topics=tuple(name for name in there.topics if name not in names) if replaced else (),
        gone_examples=sum(mark not in marks for mark in there.examples) if replaced else 0,
        answers=sum(map(len, written.values())),
        kept_answers=tuple(_kept_answers(there, kept, written)),
    )


def _said(rows: Iterable[PlannedRow]) -> Iterator[tuple[str, str, str]]:
    """Yield the answers of rows, one for each topic and language: the first."""
    seen: set[tuple[str, str]] = set()
    for row in rows:
        if row.topic is not None and row.answer and (row.topic, row.language) not in seen:
            seen.add((row.topic, row.language))
            yield row.topic, row.language, row.answer


def _kept_answers(
    there: Present, rows: Iterable[PlannedRow], written: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    """Yield the topics for which the source has an answer that is not taken: another one is there or came first."""
    told: set[str] = set()
    for row in rows:
        if row.topic is None or not row.answer or row.topic in told:
            continue
        own = there.topics[row.topic].answers.get(row.language, "") if row.topic in there.topics else ""
        if row.answer != written.get(row.topic, {}).get(row.language, own):
            told.add(row.topic)
            yield row.topic
