"""Agent files in: YAML as docs/agents.md describes it, all faults at once with their lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from vivavoce.agents.agent import Agent, Answer, Condition, Find, Slot, SlotKind, Table, Topic
from vivavoce.agents.checks import check_agent
from vivavoce.agents.entries import Entries
from vivavoce.errors import DataError, UsageError, VivaError, nearest
from vivavoce.files import read_table
from vivavoce.files.yamls import Step, Value, YamlFile, parse_yaml, read_yaml

__all__ = ["parse_agent", "read_agent"]

FORMAT = "1"
ENDINGS = (".yaml", ".yml")
AGENT_KEYS = (
    "format",
    "agent",
    "title",
    "language",
    "today",
    "notice",
    "fallback",
    "slots",
    "facts",
    "topics",
    "faq",
    "yes",
    "note",
)
SLOT_KEYS = ("kind", "values", "cues", "units", "ask", "outside", "first", "last", "least", "most", "default", "note")
TOPIC_KEYS = ("intent", "title", "phrases", "keywords", "needs", "takes", "side", "replies", "note")
REPLY_KEYS = ("say", "after", "if", "find", "each", "none", "buttons", "set", "clear", "offer", "note")
FIND_KEYS = ("in", "where", "at_most", "at_least", "sort", "most")
YES_NAMES = ("affirm", "yes", "confirm")


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
            f"there is no agent '{path_or_name}': {error.what}",
            remedy="give the path of an agent file (.yaml), or the name of a shipped one",
        ) from error


def _build(file: YamlFile, folder: Path) -> Agent:
    entries = Entries(file)
    top = entries.mapping(file.value, keys=AGENT_KEYS)
    _check_format(entries, top)
    agent = Agent(
        name=entries.text(top.get("agent"), "agent"),
        topics=_with_faq(entries, _topics(entries, top.get("topics")), top.get("faq")),
        title=entries.text(top.get("title"), "title"),
        language=entries.text(top.get("language"), "language", default="en").lower(),
        today=entries.day(top.get("today"), "today"),
        notice=entries.text(top.get("notice"), "notice"),
        fallback=entries.texts(top.get("fallback"), "fallback") or Agent.fallback,
        slots=_slots(entries, top.get("slots")),
        facts=_facts(entries, top.get("facts"), folder),
        yes=_yes(entries, top),
        source=file.path,
    )
    check_agent(agent, entries)
    if entries.faults:
        faults = sorted(entries.faults, key=lambda fault: int(fault.where.removeprefix("line ")))
        raise DataError(
            "this agent cannot be used",
            where=file.path,
            faults=faults,
            remedy="correct the lines; see docs/agents.md",
        )
    return agent


def _check_format(entries: Entries, top: Mapping[str, Value]) -> None:
    given = entries.text(top.get("format"), "format")
    if given != FORMAT:
        said = f"'{given}'" if given else "not given"
        entries.fault(f"the format of the file is {said}; this version reads `format: {FORMAT}`", "format")
    if not entries.text(top.get("agent")):
        entries.fault("the agent has no name: write `agent: NAME`", "agent")


def _yes(entries: Entries, top: Mapping[str, Value]) -> str | None:
    if "yes" in top:
        return entries.text(top["yes"], "yes") or None
    intents = [entry.get("intent") for entry in entries.listed(top.get("topics")) if isinstance(entry, dict)]
    return next((name for name in YES_NAMES if name in intents), None)


# --- slots -------------------------------------------------------------------------------------------------------


def _slots(entries: Entries, value: Value | None) -> dict[str, Slot]:
    listed = entries.mapping(value, "slots")
    slots = {name: _slot(entries, name, entry) for name, entry in listed.items()}
    for name, entry in listed.items():
        source = entry.get("values") if isinstance(entry, dict) else None
        if isinstance(source, str) and source:
            slots[name] = _borrow(entries, slots, name, source.strip())
    return slots


def _borrow(entries: Entries, slots: Mapping[str, Slot], name: str, source: str) -> Slot:
    """Give a slot the values of another."""
    lender = slots.get(source)
    if lender is None:
        entries.fault(f"there is no slot '{source}' to take values from.{nearest(source, [*slots])}", "slots", name)
        return slots[name]
    if not lender.values:
        entries.fault(f"the slot '{source}' has no values of its own", "slots", name, "values")
    return replace(slots[name], values=lender.values)


def _slot(entries: Entries, name: str, value: Value) -> Slot:
    at = ("slots", name)
    entry = entries.mapping(value, *at, keys=SLOT_KEYS)
    return Slot(
        name=name,
        kind=_kind(entries, entry, *at),
        values=_values(entries, entry.get("values"), *at, "values"),
        cues=entries.texts(entry.get("cues"), *at, "cues"),
        units=entries.texts(entry.get("units"), *at, "units"),
        ask=entries.text(entry.get("ask"), *at, "ask"),
        outside=entries.text(entry.get("outside"), *at, "outside"),
        first=entries.day(entry.get("first"), *at, "first"),
        last=entries.day(entry.get("last"), *at, "last"),
        least=entries.number(entry.get("least"), *at, "least"),
        most=entries.number(entry.get("most"), *at, "most"),
        default=entries.text(entry.get("default"), *at, "default") or None,
    )


def _kind(entries: Entries, entry: Mapping[str, Value], *at: Step) -> SlotKind:
    text = entries.text(entry.get("kind"), *at, "kind", default="list")
    if text not in list(SlotKind):
        entries.fault(f"there is no kind '{text}' of slots.{nearest(text, list(SlotKind))}", *at, "kind")
        return SlotKind.LIST
    return SlotKind(text)


def _values(entries: Entries, value: Value | None, *at: Step) -> dict[str, tuple[str, ...]]:
    if isinstance(value, str):  # another slot, seen to once all slots are read
        return {}
    if isinstance(value, list):
        return dict.fromkeys(entries.texts(value, *at), ())
    return {name.strip(): entries.texts(item, *at, name) for name, item in entries.mapping(value, *at).items()}


# --- facts -------------------------------------------------------------------------------------------------------


def _facts(entries: Entries, value: Value | None, folder: Path) -> dict[str, Table]:
    return {name: _table(entries, name, item, folder) for name, item in entries.mapping(value, "facts").items()}


def _table(entries: Entries, name: str, value: Value, folder: Path) -> Table:
    at = ("facts", name)
    if isinstance(value, dict):
        place = entries.text(entries.mapping(value, *at, keys=["file"]).get("file"), *at, "file")
        return _table_of_file(entries, folder, place, *at)
    rows: list[dict[str, str]] = []
    for number, item in enumerate(entries.listed(value, *at)):
        cells = entries.mapping(item, *at, number)
        rows.append({column: entries.text(cell, *at, number, column) for column, cell in cells.items()})
    columns = tuple(dict.fromkeys(column for row in rows for column in row))
    return Table(columns, tuple({column: row.get(column, "") for column in columns} for row in rows))


def _table_of_file(entries: Entries, folder: Path, place: str, *at: Step) -> Table:
    path = folder / place
    # A file of a stranger must not be able to show what lies elsewhere on the machine.
    if not place or Path(place).is_absolute() or ".." in Path(place).parts:
        entries.fault(f"`file` must name a table beside the agent file, not '{place}'", *at)
        return Table((), ())
    try:
        read = read_table(path)
    except VivaError as error:
        entries.fault(f"the table '{place}' cannot be used: {error.what}", *at)
        return Table((), ())
    for fault in read.faults:
        entries.fault(f"{place}, {read.unit} {fault.number}: {fault.message}", *at)
    rows = (dict(zip(read.columns, (str(cell).strip() for cell in row.cells), strict=True)) for row in read.rows)
    return Table(read.columns, tuple(rows))


# --- topics ------------------------------------------------------------------------------------------------------


def _topics(entries: Entries, value: Value | None) -> tuple[Topic, ...]:
    return tuple(_topic(entries, number, item) for number, item in enumerate(entries.listed(value, "topics")))


def _topic(entries: Entries, number: int, value: Value) -> Topic:
    at = ("topics", number)
    entry = entries.mapping(value, *at, keys=TOPIC_KEYS)
    replies = entries.listed(entry.get("replies"), *at, "replies")
    return Topic(
        intent=entries.text(entry.get("intent"), *at, "intent"),
        phrases=entries.texts(entry.get("phrases"), *at, "phrases"),
        keywords=entries.texts(entry.get("keywords"), *at, "keywords"),
        needs=entries.texts(entry.get("needs"), *at, "needs"),
        takes=entries.texts(entry.get("takes"), *at, "takes"),
        side=entries.flag(entry.get("side"), *at, "side"),
        replies=tuple(_answer(entries, item, *at, "replies", place) for place, item in enumerate(replies)),
    )


def _with_faq(entries: Entries, own: tuple[Topic, ...], value: Value | None) -> tuple[Topic, ...]:
    """Put the topics of shipped material after the own ones; what an own one of the same name lacks is theirs."""
    name = entries.text(value, "faq")
    try:
        faq = _faq(name) if name else {}
    except UsageError as error:
        entries.fault(error.what, "faq")
        return own
    named = {topic.intent: topic for topic in own}
    # Shipped material has phrases with two topics, as real data has: such a phrase is the first one's.
    claimed = {_same(phrase) for topic in own for phrase in topic.phrases}
    found = [_completed(topic, faq.get(topic.intent), claimed) for topic in own]
    return (*found, *(_completed(Topic(intent), faq[intent], claimed) for intent in faq if intent not in named))


def _faq(name: str) -> dict[str, Topic]:
    from vivavoce import demo

    texts: dict[str | None, list[str]] = {}
    for example in demo.load(name):
        texts.setdefault(example.intent, []).append(example.text)
    return {
        topic.intent: Topic(topic.intent, tuple(texts.get(topic.intent, ())), replies=(Answer(say=(topic.answer,)),))
        for topic in demo.topics(name)
    }


def _completed(topic: Topic, shipped: Topic | None, claimed: set[str]) -> Topic:
    """Give a topic the phrases and replies that it lacks; `claimed` phrases belong to others, and grows."""
    if shipped is None:
        return topic
    phrases = topic.phrases or tuple(phrase for phrase in shipped.phrases if _same(phrase) not in claimed)
    claimed.update(map(_same, phrases))
    return replace(topic, phrases=phrases, replies=topic.replies or shipped.replies)


def _same(phrase: str) -> str:
    return " ".join(phrase.casefold().split())


def _answer(entries: Entries, value: Value, *at: Step) -> Answer:
    if isinstance(value, str):
        return Answer(say=(value.strip(),))
    entry = entries.mapping(value, *at, keys=REPLY_KEYS)
    notes = entries.mapping(entry.get("set"), *at, "set")
    return Answer(
        say=entries.texts(entry.get("say"), *at, "say"),
        after=entries.texts(entry.get("after"), *at, "after"),
        conditions=_conditions(entries, entry.get("if"), *at, "if"),
        find=_finding(entries, entry["find"], *at, "find") if "find" in entry else None,
        each=entries.text(entry.get("each"), *at, "each"),
        none=entries.texts(entry.get("none"), *at, "none"),
        buttons=entries.texts(entry.get("buttons"), *at, "buttons"),
        set={name: entries.text(item, *at, "set", name) for name, item in notes.items()},
        clear=entries.texts(entry.get("clear"), *at, "clear"),
        offer=entries.text(entry.get("offer"), *at, "offer") or None,
    )


def _conditions(entries: Entries, value: Value | None, *at: Step) -> tuple[Condition, ...]:
    found = []
    for slot, item in entries.mapping(value, *at).items():
        values = entries.texts(item, *at, slot)
        known = {"known": True, "unknown": False}.get(values[0]) if len(values) == 1 else None
        found.append(Condition(slot, () if known is not None else values, known))
    return tuple(found)


def _finding(entries: Entries, value: Value, *at: Step) -> Find:
    entry = entries.mapping(value, *at, keys=FIND_KEYS)
    sort = entries.text(entry.get("sort"), *at, "sort")
    most = entries.number(entry.get("most"), *at, "most")
    if most is not None and (most < 1 or most != int(most)):
        entries.fault("`most` must be a whole number of rows, at least 1", *at, "most")
    return Find(
        table=entries.text(entry.get("in"), *at, "in"),
        where=_pairs(entries, entry.get("where"), *at, "where"),
        at_most=_pairs(entries, entry.get("at_most"), *at, "at_most"),
        at_least=_pairs(entries, entry.get("at_least"), *at, "at_least"),
        sort=sort.removeprefix("-").strip(),
        descending=sort.startswith("-"),
        most=None if most is None else int(most),
    )


def _pairs(entries: Entries, value: Value | None, *at: Step) -> tuple[tuple[str, str], ...]:
    """Return columns with their slots: `[a, b]` names both alike, `{column: slot}` names each."""
    if isinstance(value, dict):
        return tuple((column, entries.text(slot, *at, column)) for column, slot in value.items())
    return tuple((name, name) for name in entries.texts(value, *at))
