"""Agent files in: YAML as docs/agents.md describes it, all faults at once with their lines."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from vivavoce.agents.agent import Agent, Answer, Condition, Find, Slot, SlotKind, Table, Topic
from vivavoce.agents.entries import Entries, check_agent
from vivavoce.errors import DataError, UsageError, VivaError, nearest
from vivavoce.files import read_table
from vivavoce.files.yamls import Step, Value, YamlFile, parse_yaml, read_yaml

FORMAT = "1"
ENDINGS = (".yaml", ".yml")
YES_NAMES = ("affirm", "yes", "confirm")


def _keys(kind: Any, *more: str, without: Collection[str] = ()) -> tuple[str, ...]:
    return (*(field.name for field in fields(kind) if field.name not in without), *more, "note")


AGENT_KEYS = _keys(Agent, "format", "agent", "faq", without=("name", "source"))
SLOT_KEYS = _keys(Slot, without=("name",))
TOPIC_KEYS = _keys(Topic, "title")
REPLY_KEYS = _keys(Answer, "if", without=("conditions",))
FIND_KEYS = _keys(Find, "in", without=("table", "descending"))[:-1]


def read_agent(path_or_name: str | Path) -> Agent:
    """Read an agent file, a folder that holds `agent.yaml`, or a shipped agent by its name."""
    path = _find(path_or_name)
    return _build(read_yaml(path), path.parent)


def parse_agent(text: str, *, source: str = "memory", folder: str | Path = ".") -> Agent:
    """Read an agent from a text; tables in files are looked for in `folder`."""
    return _build(parse_yaml(text, source=source), Path(folder))


def _find(path_or_name: str | Path) -> Path:
    path = Path(path_or_name)
    if path.is_dir() and (path / "agent.yaml").is_file():
        return path / "agent.yaml"
    if path.suffix.lower() in ENDINGS or path.is_file():
        return path
    from vivavoce import demo

    try:
        return Path(demo.agent_path(str(path_or_name)))
    except UsageError as error:
        raise UsageError(
            f"agent '{path_or_name}' not found: {error.what}",
            remedy="enter the path of an agent file (.yaml) or the name of a bundled agent",
        ) from error


def _build(file: YamlFile, folder: Path) -> Agent:
    entries = Entries(file)
    top = entries.mapping(file.value, keys=AGENT_KEYS)
    name, written = entries.text(top.get("agent"), "agent"), entries.text(top.get("format"), "format")
    if written != FORMAT:
        quoted = f"'{written}'" if written else "missing"
        entries.fault(f"the file format is {quoted}; this version reads `format: {FORMAT}`", "format")
    if not name:
        entries.fault("the agent has no name: write `agent: NAME`", "agent")
    listed = entries.listed(top.get("topics"), "topics")
    topics = tuple(_read_topic(entries, item, "topics", number) for number, item in enumerate(listed))
    facts = entries.mapping(top.get("facts"), "facts").items()
    intents = [entry.get("intent") for entry in listed if isinstance(entry, dict)]
    yes = entries.text(top["yes"], "yes") or None if "yes" in top else None
    agent = entries.record(
        Agent,
        top,
        name=name,
        topics=_add_faq(entries, topics, top.get("faq")),
        language=entries.text(top.get("language"), "language", default="en").lower(),
        fallback=entries.texts(top.get("fallback"), "fallback") or Agent.fallback,
        slots=_read_slots(entries, top.get("slots")),
        facts={title: _read_table(entries, item, folder, "facts", title) for title, item in facts},
        yes=yes if "yes" in top else next((intent for intent in YES_NAMES if intent in intents), None),
        source=file.path,
    )
    check_agent(agent, entries)
    if entries.faults:
        faults = sorted(entries.faults, key=lambda fault: int(fault.where.removeprefix("line ")))
        remedy = "fix these lines; see docs/agents.md"
        raise DataError("this agent is invalid", where=file.path, faults=faults, remedy=remedy)
    return agent


def _read_slots(entries: Entries, value: Value | None) -> dict[str, Slot]:
    listed = entries.mapping(value, "slots")
    slots = {name: _read_slot(entries, name, entry) for name, entry in listed.items()}
    for name, entry in listed.items():
        source = entry.get("values") if isinstance(entry, dict) else None
        if not isinstance(source, str) or not source:
            continue
        # The values of another slot.
        lender = slots.get(source.strip())
        if lender is None:
            hint = nearest(source.strip(), [*slots])
            entries.fault(f"the slot '{source.strip()}' to take values from does not exist.{hint}", "slots", name)
            continue
        if not lender.values:
            entries.fault(f"the slot '{source.strip()}' does not define any values", "slots", name, "values")
        slots[name] = replace(slots[name], values=lender.values)
    return slots


def _read_slot(entries: Entries, name: str, value: Value) -> Slot:
    at = ("slots", name)
    entry = entries.mapping(value, *at, keys=SLOT_KEYS)
    kind = entries.text(entry.get("kind"), *at, "kind", default="list")
    if kind not in list(SlotKind):
        entries.fault(f"unknown slot kind '{kind}'.{nearest(kind, list(SlotKind))}", *at, "kind")
        kind = SlotKind.LIST
    listed = entry.get("values")
    values: dict[str, tuple[str, ...]] = {}
    if isinstance(listed, list):
        values = dict.fromkeys(entries.texts(listed, *at, "values"), ())
    elif not isinstance(listed, str):  # a text names another slot, seen to once all slots are read
        items = entries.mapping(listed, *at, "values").items()
        values = {title.strip(): entries.texts(item, *at, "values", title) for title, item in items}
    return entries.record(Slot, entry, *at, name=name, kind=SlotKind(kind), values=values)


def _read_table(entries: Entries, value: Value, folder: Path, *at: Step) -> Table:
    if isinstance(value, dict):
        name = entries.text(entries.mapping(value, *at, keys=["file"]).get("file"), *at, "file")
        return _read_table_file(entries, folder, name, *at)
    rows: list[dict[str, str]] = []
    for number, item in enumerate(entries.listed(value, *at)):
        cells = entries.mapping(item, *at, number)
        rows.append({column: entries.text(cell, *at, number, column) for column, cell in cells.items()})
    columns = tuple(dict.fromkeys(column for row in rows for column in row))
    return Table(columns, tuple({column: row.get(column, "") for column in columns} for row in rows))


def _read_table_file(entries: Entries, folder: Path, name: str, *at: Step) -> Table:
    # A file from elsewhere must not be able to show what lies elsewhere on the machine.
    if not name or Path(name).is_absolute() or ".." in Path(name).parts:
        entries.fault(f"`file` must name a table next to the agent file, not '{name}'", *at)
        return Table((), ())
    try:
        table = read_table(folder / name)
    except VivaError as error:
        entries.fault(f"the table '{name}' is invalid: {error.what}", *at)
        return Table((), ())
    for fault in table.faults:
        entries.fault(f"{name}, {table.unit} {fault.number}: {fault.message}", *at)
    rows = (dict(zip(table.columns, (str(cell).strip() for cell in row.cells), strict=True)) for row in table.rows)
    return Table(table.columns, tuple(rows))


def _read_topic(entries: Entries, value: Value, *at: Step) -> Topic:
    entry = entries.mapping(value, *at, keys=TOPIC_KEYS)
    listed = entries.listed(entry.get("replies"), *at, "replies")
    replies = tuple(_read_answer(entries, item, *at, "replies", place) for place, item in enumerate(listed))
    return entries.record(Topic, entry, *at, replies=replies)


def _add_faq(entries: Entries, own: tuple[Topic, ...], value: Value | None) -> tuple[Topic, ...]:
    """Put the topics of shipped material after the own ones; what an own one of the same name lacks is theirs."""
    from vivavoce import demo

    name = entries.text(value, "faq")
    if not name:
        return own
    try:
        examples, shipped = demo.load(name), demo.topics(name)
    except UsageError as error:
        entries.fault(error.what, "faq")
        return own
    faq = {
        topic.intent: Topic(
            topic.intent,
            tuple(example.text for example in examples if example.intent == topic.intent),
            replies=(Answer(say=(topic.answer,)),),
        )
        for topic in shipped
    }
    topics = {topic.intent: topic for topic in own}
    # Shipped material has phrases with two topics, as real data has: such a phrase is the first one's.
    claimed = {_fold(phrase) for topic in own for phrase in topic.phrases}
    every = [*own, *(Topic(intent) for intent in faq if intent not in topics)]
    return tuple(_complete(topic, faq[topic.intent], claimed) if topic.intent in faq else topic for topic in every)


def _complete(topic: Topic, shipped: Topic, claimed: set[str]) -> Topic:
    """Give a topic the phrases and replies that it lacks; `claimed` phrases belong to others, and grows."""
    phrases = topic.phrases or tuple(phrase for phrase in shipped.phrases if _fold(phrase) not in claimed)
    claimed.update(map(_fold, phrases))
    return replace(topic, phrases=phrases, replies=topic.replies or shipped.replies)


def _fold(phrase: str) -> str:
    return " ".join(phrase.casefold().split())


def _read_answer(entries: Entries, value: Value, *at: Step) -> Answer:
    if isinstance(value, str):
        return Answer(say=(value.strip(),))
    entry = entries.mapping(value, *at, keys=REPLY_KEYS)
    conditions = []
    for slot, item in entries.mapping(entry.get("if"), *at, "if").items():
        values = entries.texts(item, *at, "if", slot)
        known = {"known": True, "unknown": False}.get(values[0]) if len(values) == 1 else None
        conditions.append(Condition(slot, () if known is not None else values, known))
    notes = entries.mapping(entry.get("set"), *at, "set")
    return entries.record(
        Answer,
        entry,
        *at,
        conditions=tuple(conditions),
        find=_read_find(entries, entry["find"], *at, "find") if "find" in entry else None,
        set={name: entries.text(item, *at, "set", name) for name, item in notes.items()},
    )


def _read_find(entries: Entries, value: Value, *at: Step) -> Find:
    entry = entries.mapping(value, *at, keys=FIND_KEYS)
    sort = entries.text(entry.get("sort"), *at, "sort")
    most = entries.number(entry.get("most"), *at, "most")
    if most is not None and (most < 1 or most != int(most)):
        entries.fault("`most` must be a whole number of rows, at least 1", *at, "most")
    where, at_most, at_least = (
        _read_pairs(entries, entry.get(key), *at, key) for key in ("where", "at_most", "at_least")
    )
    return Find(
        table=entries.text(entry.get("in"), *at, "in"),
        where=where,
        at_most=at_most,
        at_least=at_least,
        sort=sort.removeprefix("-").strip(),
        descending=sort.startswith("-"),
        most=None if most is None else int(most),
    )


def _read_pairs(entries: Entries, value: Value | None, *at: Step) -> tuple[tuple[str, str], ...]:
    """Return columns with their slots: `[a, b]` names both alike, `{column: slot}` names each."""
    if isinstance(value, dict):
        return tuple((column, entries.text(slot, *at, column)) for column, slot in value.items())
    return tuple((name, name) for name in entries.texts(value, *at))
