"""What an import would do: of every row whether it is added, changed, joined with another one, or refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from vivavoce.errors import InputError
from vivavoce.languages import LANGUAGES
from vivavoce.messages import join, say
from vivavoce.store.cleaning import clean_text
from vivavoce.store.rows import ExampleRow, Project, Topic
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.topics.examples import OUT_OF_SCOPE_TITLE, clean_message
from vivavoce.workspace.topics.incoming import KINDS, Choices, Kind, PlannedRow
from vivavoce.workspace.topics.names import Twin, check_name, find_twins
from vivavoce.workspace.topics.topics import MAX_ANSWER, MAX_OWNER

MAX_LANGUAGE = 20
# Between several answers of one topic.
BETWEEN = "\n\n"
LANGUAGE_CODES = {name.lower(): each.code for each in LANGUAGES for name in (each.code, each.name, each.native_name)}
Answers = Mapping[str, Mapping[str, str]]
Texts = dict[tuple[str, str], list[str]]


@dataclass(frozen=True, slots=True)
class Effect:
    """What an import would do to what is there.

    `answers`: how many answers of topics are written, from `answer_texts` different texts of the source.
    `several_answers`: topics for which the source has more than one. `kept_...`: topics for which the source has an
    answer or owner that is not taken, since another one is there or came first.
    """

    new_topics: tuple[str, ...] = ()
    gone_topics: tuple[str, ...] = ()
    gone_examples: int = 0
    answers: int = 0
    kept_answers: tuple[str, ...] = ()
    answer_texts: int = 0
    several_answers: tuple[str, ...] = ()
    owners: int = 0
    kept_owners: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Present:
    """What a project holds now."""

    topics: Mapping[str, Topic]
    examples: Mapping[tuple[str, str | None], ExampleRow]
    homes: Mapping[str, str | None]

    def answer(self, topic: str, language: str) -> str:
        """Return what a topic answers in a language; empty where it has no answer."""
        return self.topics[topic].answers.get(language, "") if topic in self.topics else ""

    def owner(self, topic: str) -> str:
        """Return who owns a topic; empty where nobody does."""
        return self.topics[topic].owner if topic in self.topics else ""


@dataclass(frozen=True, slots=True)
class Plan:
    """Every row, and what all of them together do."""

    rows: tuple[PlannedRow, ...]
    effect: Effect = field(default_factory=Effect)
    twins: tuple[Twin, ...] = ()

    @property
    def counts(self) -> dict[Kind, int]:
        """How many rows of each kind there are; all of them together are the rows of the source."""
        counts = Counter(row.kind for row in self.rows)
        return {kind: counts[kind] for kind in KINDS}

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


def make_plan(there: Present, rows: Iterable[PlannedRow], choices: Choices, language: str) -> Plan:
    """Return what would become of every row of a source; `language` is that of rows which name none."""
    cleaned = [_clean_row(row, language) for row in rows]
    twins: tuple[Twin, ...] = ()
    if choices.twins:
        counts = Counter(row.topic for row in cleaned if row.topic is not None and row.kind != "refused")
        twins = tuple(
            replace(twin, folded=twin.name not in choices.apart if twin.sure else twin.name in choices.together)
            for twin in find_twins(counts, there.topics)
        )
    judged = _judge_rows(there, _fold_twins(cleaned, twins), choices)
    ordered = tuple(sorted(judged, key=lambda row: row.number))
    return Plan(ordered, _find_effect(there, ordered, choices), twins)


def plan_again(there: Present, rows: Iterable[PlannedRow], choices: Choices, language: str) -> Plan:
    """Return the same for rows that were planned before, for what is there now. Twins were folded before."""
    kept = [replace(row, reason="") for row in rows if row.kind != "refused"]
    return make_plan(there, kept, replace(choices, twins=False), language)


def _fold_twins(rows: Iterable[PlannedRow], twins: Iterable[Twin]) -> Iterator[PlannedRow]:
    into = {twin.name: twin.into for twin in twins if twin.folded}
    for row in rows:
        name, seen = row.topic, set[str]()
        while name in into and name not in seen:
            seen.add(name)
            name = into[name]
        if row.kind == "refused" or name == row.topic:
            yield row
            continue
        note = say("filed under {topic} instead of {name}", topic=name, name=row.topic)
        reason = join("; ", (row.reason, note)) if row.reason else note
        yield replace(row, kind="changed", topic=name, reason=reason)


def wanted_answers(there: Present, rows: Iterable[PlannedRow], choices: Choices) -> dict[str, dict[str, str]]:
    """Return the answers that an import writes: by topic, then by language."""
    answers: dict[str, dict[str, str]] = {}
    for (topic, language), texts in _collect_answers(rows, choices).items():
        own, text = there.answer(topic, language), BETWEEN.join(texts)
        if own != text and (not own or choices.overwrite or choices.mode == "replace"):
            answers.setdefault(topic, {})[language] = text
    return answers


def wanted_owners(there: Present, rows: Iterable[PlannedRow], choices: Choices) -> dict[str, str]:
    """Return the owners that an import writes, by topic; the first of each counts."""
    owners: dict[str, str] = {}
    for row in rows:
        if row.topic is not None and row.owner:
            owners.setdefault(row.topic, row.owner)
    anew = choices.overwrite or choices.mode == "replace"
    return {
        topic: owner
        for topic, owner in owners.items()
        if owner != there.owner(topic) and (anew or not there.owner(topic))
    }


def _judge_rows(there: Present, rows: Iterable[PlannedRow], choices: Choices) -> Iterator[PlannedRow]:
    seen: dict[tuple[str, str | None], int] = {}
    homes: dict[str, str | None] = {} if choices.mode == "replace" else dict(there.homes)
    for cleaned in rows:
        row = cleaned
        mark = (row.text, row.topic)
        if row.kind == "refused":
            yield row
        elif mark in seen:
            yield replace(row, kind="joined", reason=say("same as number {seen:d}", seen=seen[mark]))
        else:
            seen[mark] = row.number
            if mark in there.examples:
                row = replace(row, kind="joined", reason=say("it already exists"))
            elif homes.get(row.text, row.topic) != row.topic:
                # Both stay, and somebody should look.
                note = say("the same text is also in {home}", home=homes[row.text] or OUT_OF_SCOPE_TITLE)
                row = replace(row, reason=join("; ", (row.reason, note)) if row.reason else note)
            yield row
            homes.setdefault(row.text, row.topic)


def _clean_row(row: PlannedRow, language: str) -> PlannedRow:
    """Return a row as it would be kept; what no row can hold is refused."""
    if row.kind == "refused":
        return replace(row, text=_make_visible(row.text))
    # The code of a language that is named in full or with a country, else what was said.
    named = row.language.strip().lower()
    spoken = LANGUAGE_CODES.get(named.replace("_", "-").split("-")[0], named) or language
    try:
        text = clean_message(row.text)
        topic = None if row.topic is None else check_name(row.topic)
        answer = clean_text(row.answer.replace("\r\n", "\n").strip(), MAX_ANSWER)
        clean_text(spoken, MAX_LANGUAGE)
        owner = clean_text(" ".join(row.owner.split()), MAX_OWNER)
    except InputError as error:
        return PlannedRow(row.number, "refused", _make_visible(row.text), None, error.what, created=row.created)
    remarks = [row.reason, say("spaces corrected") if (text, topic) != (row.text, row.topic) else ""]
    reason = join("; ", [remark for remark in remarks if remark])
    kind: Kind = "changed" if reason else "added"
    return PlannedRow(row.number, kind, text, topic, reason, spoken, row.created, answer, owner)


def _make_visible(text: str) -> str:
    """Return a text that can be kept and shown, whatever is wrong with it."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()[:1000]


def _find_effect(there: Present, rows: Sequence[PlannedRow], choices: Choices) -> Effect:
    kept = [row for row in rows if row.kind != "refused"]
    names = dict.fromkeys(row.topic for row in kept if row.topic is not None)
    marks = {(row.text, row.topic) for row in kept}
    replaced = choices.mode == "replace"
    written, owners = wanted_answers(there, kept, choices), wanted_owners(there, kept, choices)
    taken = _collect_answers(kept, choices)
    left = dict.fromkeys(
        row.topic
        for row in kept
        if row.topic and row.answer
        if row.answer not in _stored(there, written, taken, row.topic, row.language)
    )
    return Effect(
        new_topics=tuple(name for name in names if name not in there.topics),
        gone_topics=tuple(name for name in there.topics if name not in names) if replaced else (),
        gone_examples=sum(mark not in marks for mark in there.examples) if replaced else 0,
        answers=sum(map(len, written.values())),
        kept_answers=tuple(left),
        answer_texts=sum(len(taken[topic, language]) for topic, own in written.items() for language in own),
        several_answers=tuple(
            dict.fromkeys(topic for (topic, _), all_texts in _list_answers(kept).items() if len(all_texts) > 1)
        ),
        owners=len(owners),
        kept_owners=tuple(
            dict.fromkeys(
                row.topic
                for row in kept
                if row.topic and row.owner and row.owner != owners.get(row.topic, there.owner(row.topic))
            )
        ),
    )


def _stored(there: Present, written: Answers, taken: Texts, topic: str, language: str) -> Sequence[str]:
    """Return the answers that a topic will have in a language."""
    if language in written.get(topic, {}):
        return taken[topic, language]
    own = there.answer(topic, language)
    return (own, *own.split(BETWEEN))


def _collect_answers(rows: Iterable[PlannedRow], choices: Choices) -> Texts:
    """Return the answers that rows bring, for each topic and language: the first, or all that fit into one."""
    texts = _list_answers(rows)
    if choices.several == "first":
        return {mark: own[:1] for mark, own in texts.items()}
    taken: Texts = {}
    for mark, own in texts.items():
        taken[mark] = [own[0]]
        for text in own[1:]:
            if len(BETWEEN.join((*taken[mark], text))) <= MAX_ANSWER:
                taken[mark].append(text)
    return taken


def _list_answers(rows: Iterable[PlannedRow]) -> Texts:
    """Return the different answers of rows, for each topic and language."""
    texts: dict[tuple[str, str], dict[str, None]] = {}
    for row in rows:
        if row.topic is not None and row.answer:
            texts.setdefault((row.topic, row.language), {})[row.answer] = None
    return {mark: list(own) for mark, own in texts.items()}
