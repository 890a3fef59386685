"""Edits of training data as frozen data, and what a data set is after them.

No edit deletes an example: a retired topic's questions are still asked, so they stay as out-of-scope questions. Rows
keep their places, and added ones come last. `rows` are the numbers that results give (`Dataset.number`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from vivavoce.errors import DataError, Fault, UsageError, nearest
from vivavoce.records import Dataset, Example


@dataclass(frozen=True, slots=True)
class MergeTopics:
    """All examples of one topic go to another; the first topic is gone."""

    topic: str
    into: str

    def __str__(self) -> str:
        return f"merging '{self.topic}' into '{self.into}'"


@dataclass(frozen=True, slots=True)
class MoveExamples:
    """Some examples were filed under the wrong topic and go to another, which may be new."""

    rows: tuple[int, ...]
    to: str

    def __str__(self) -> str:
        return f"moving {_count(self.rows)} to '{self.to}'"


@dataclass(frozen=True, slots=True)
class SplitTopic:
    """Some examples of a topic become a new topic; see `propose_split`."""

    topic: str
    rows: tuple[int, ...]
    new: str

    def __str__(self) -> str:
        return f"splitting '{self.topic}' ({_count(self.rows)} become '{self.new}')"


@dataclass(frozen=True, slots=True)
class RetireTopic:
    """A topic is no longer answered; its questions stay as out-of-scope questions."""

    topic: str

    def __str__(self) -> str:
        return f"dropping '{self.topic}'"


@dataclass(frozen=True, slots=True)
class MarkOutOfScope:
    """Some examples belong to no topic: they test, and never train."""

    rows: tuple[int, ...]

    def __str__(self) -> str:
        return f"marking {_count(self.rows)} as out of scope"


@dataclass(frozen=True, slots=True)
class AddExamples:
    """New examples of a topic, which may be new; they train, and are not tested."""

    topic: str
    texts: tuple[str, ...]

    def __str__(self) -> str:
        return f"adding {len(self.texts):,} example{'s' * (len(self.texts) != 1)} to '{self.topic}'"


@dataclass(frozen=True, slots=True)
class RenameTopic:
    """A topic gets another name, and nothing else changes."""

    topic: str
    name: str

    def __str__(self) -> str:
        return f"renaming '{self.topic}' to '{self.name}'"


Edit = MergeTopics | MoveExamples | SplitTopic | RetireTopic | MarkOutOfScope | AddExamples | RenameTopic
_KINDS: dict[type[Edit], str] = {
    MergeTopics: "merge",
    MoveExamples: "move",
    SplitTopic: "split",
    RetireTopic: "retire",
    MarkOutOfScope: "out_of_scope",
    AddExamples: "add",
    RenameTopic: "rename",
}
# These correct labels that were wrong all along, so they tell what was right before the edit, too.
CORRECTIONS = (MoveExamples, MarkOutOfScope)


def apply_edit(data: Dataset, edit: Edit | Sequence[Edit]) -> Dataset:
    """Return the data after one edit or several, one after the other; DataError names every fault."""
    faults: list[Fault] = []
    edits = as_edits(edit)
    for step in edits:
        own = list(_find_faults(data, step))
        faults += own
        if not own:
            data = replace(data, examples=tuple(_edited(data, step)))
    if faults:
        what = f"{' and '.join(map(str, edits))} is not possible"
        remedy = "use the names of topics and the row numbers of this data set"
        raise DataError(what, where=data.source, faults=faults, remedy=remedy)
    return data


def as_edits(edit: Edit | Sequence[Edit]) -> tuple[Edit, ...]:
    """Return edits as a tuple; refuse none at all."""
    edits = tuple(edit) if isinstance(edit, Sequence) else (edit,)
    if not edits:
        raise UsageError("no edit given", remedy="give at least one edit")
    return edits


def edit_kind(edit: Edit) -> str:
    """Return the stable name of a kind of edit."""
    return _KINDS[type(edit)]


def topics_of(data: Dataset, edit: Edit) -> tuple[str, ...]:
    """Return the topics that an edit touches, as the data before it and the edit name them."""
    match edit:
        case MergeTopics(topic, into):
            names: Iterable[str | None] = (topic, into)
        case SplitTopic(topic, _, new):
            names = (topic, new)
        case RenameTopic(topic, name):
            names = (topic, name)
        case MoveExamples(rows, to):
            names = (*_intents_at(data, rows), to)
        case MarkOutOfScope(rows):
            names = _intents_at(data, rows)
        case RetireTopic(topic) | AddExamples(topic, _):
            names = (topic,)
    return tuple(dict.fromkeys(name for name in names if name is not None))


def places_of(data: Dataset, rows: Iterable[int]) -> list[int]:
    """Return the places of the rows with these numbers."""
    wanted = set(rows)
    return [place for place in range(len(data)) if data.number(place) in wanted]


def _intents_at(data: Dataset, rows: Iterable[int]) -> list[str | None]:
    return [data.intents[place] for place in places_of(data, rows)]


def _edited(data: Dataset, edit: Edit) -> Iterator[Example]:
    chosen = set(places_of(data, getattr(edit, "rows", ())))
    for place, example in enumerate(data.examples):
        match edit:
            case MergeTopics(topic, name) | RenameTopic(topic, name):
                yield replace(example, intent=name) if example.intent == topic else example
            case RetireTopic(topic):
                yield replace(example, intent=None) if example.intent == topic else example
            case MoveExamples(to=name) | SplitTopic(new=name):
                yield replace(example, intent=name) if place in chosen else example
            case MarkOutOfScope():
                yield replace(example, intent=None) if place in chosen else example
            case AddExamples():
                yield example
    if isinstance(edit, AddExamples):
        first = 1 + max((data.number(place) for place in range(len(data))), default=-1)
        for place, text in enumerate(edit.texts):
            yield Example(text, edit.topic, row=first + place)


def _find_faults(data: Dataset, edit: Edit) -> Iterator[Fault]:
    match edit:
        case MergeTopics(topic, into):
            yield from _find_unknown(data, topic, into)
            if topic == into:
                yield Fault("a topic cannot be merged into itself", f"'{topic}'")
        case RenameTopic(topic, name):
            yield from _find_unknown(data, topic)
            yield from _find_bad_names(data, name, new=True)
        case RetireTopic(topic):
            yield from _find_unknown(data, topic)
        case MoveExamples(rows, to):
            yield from _find_bad_rows(data, rows)
            yield from _find_bad_names(data, to)
        case MarkOutOfScope(rows):
            yield from _find_bad_rows(data, rows)
        case AddExamples(topic, texts):
            yield from _find_bad_names(data, topic)
            yield from (
                Fault("is empty", f"text {n}") for n, text in enumerate(texts or ("",), 1) if not text.strip()
            )
        case SplitTopic():
            yield from _find_split_faults(data, edit)


def _find_split_faults(data: Dataset, edit: SplitTopic) -> Iterator[Fault]:
    yield from _find_unknown(data, edit.topic)
    yield from _find_bad_rows(data, edit.rows)
    yield from _find_bad_names(data, edit.new, new=True)
    own = {place for place, intent in enumerate(data.intents) if intent == edit.topic}
    chosen = set(places_of(data, edit.rows))
    strange = sorted(data.number(place) for place in chosen - own)
    yield from (Fault(f"is not of the topic '{edit.topic}'", f"row {row}") for row in strange)
    if own and own <= chosen:
        yield Fault("a split must leave at least one example", f"'{edit.topic}'")


def _find_unknown(data: Dataset, *topics: str) -> Iterator[Fault]:
    for topic in topics:
        if topic not in data.sizes:
            yield Fault(f"no topic has this name.{nearest(topic, list(data.sizes))}", f"'{topic}'")


def _find_bad_names(data: Dataset, name: str, *, new: bool = False) -> Iterator[Fault]:
    if not name.strip():
        yield Fault("the name of a topic is empty")
    if new and name in data.sizes:
        yield Fault("a topic with this name exists already", f"'{name}'")


def _find_bad_rows(data: Dataset, rows: Sequence[int]) -> Iterator[Fault]:
    known = {data.number(place) for place in range(len(data))}
    if not rows:
        yield Fault("no row was given")
    for row in dict.fromkeys(rows):
        if row not in known:
            yield Fault(f"there is no such row; rows are {min(known)} to {max(known)}", f"row {row}")


def _count(rows: Sequence[int]) -> str:
    return f"{len(rows):,} example{'s' * (len(rows) != 1)}"
