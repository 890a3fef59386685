"""Bots by their names: kinds that are installed, and the entries of bots.yaml."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from vivavoce import plugins
from vivavoce.bots.contract import check_parts
from vivavoce.bots.declaration import entry_facts, entry_faults, find_connector
from vivavoce.bots.guard import shown_address
from vivavoce.bots.protocol import Bot, BotContext, BotFacts, Conversation
from vivavoce.bots.redaction import missing_variables, sent_variables
from vivavoce.errors import DataError, Fault, UsageError, VivaError, nearest
from vivavoce.files.yamls import YamlFile, as_mapping, read_yaml
from vivavoce.messages import say

BOTS_FILE = "bots.yaml"
_ALIAS = re.compile(r"([^=:/\\]+)=(.+)", re.DOTALL)


class BotLine(NamedTuple):
    """A bot that can be named: its name, its kind, where it comes from, what it is in one line."""

    name: str
    kind: str
    origin: str
    summary: str


def load_bots(
    names: Sequence[str], *, file: Path | None = None, agent: str | None = None, seed: int = 0
) -> list[Bot]:
    """Return the bots of these names, in order; refuse all that cannot be had at once.

    A name is an entry of bots.yaml (in the current folder, or `file`), a `kind`, or `kind:option`; `shown=name` gives
    it another name, so that one kind can be compared with itself.
    """
    entries = _Entries.read(file)
    references = [_Reference(name, entries, agent, seed) for name in names]
    faults = [fault for reference in references for fault in reference.find_kind_faults()]
    for name, count in Counter(reference.context.name for reference in references).items():
        if count > 1:
            what = say(
                "{count} bots have the name '{name}': write `other={name}` for one of them", count=count, name=name
            )
            faults.append(Fault(what))
    if faults:
        raise UsageError(
            say("these bots are invalid"), faults=faults, remedy=say("`viva bots list` shows the available bots")
        )
    faults = list(dict.fromkeys(fault for reference in references for fault in reference.find_entry_faults()))
    if faults:
        raise DataError(say("these entries are invalid"), faults=faults, remedy=say("fix these lines"))
    return _build_all(references)


def load_entry(name: str, entry: Mapping[str, object], *, agent: str | None = None, seed: int = 0) -> Bot:
    """Return the bot of an entry that stands in no file; refuse all that is wrong with it at once."""
    return load_entries({name: entry}, agent=agent, seed=seed)[0]


def load_entries(
    entries: Mapping[str, Mapping[str, object]], *, agent: str | None = None, seed: int = 0
) -> list[Bot]:
    """Return the bots of entries that stand in no file, in order; refuse all that is wrong with them at once."""
    faults = [fault for name, entry in entries.items() for fault in entry_problems(name, entry)]
    if faults:
        raise DataError(say("these entries are invalid"), faults=faults, remedy=say("fix these keys"))
    return _build_all([_Reference(name, _Entries(None, entries), agent, seed) for name in entries])


def entry_problems(name: str, entry: Mapping[str, object]) -> tuple[Fault, ...]:
    """Return what is wrong with an entry, whether or not its variables are set; nothing is asked, trained or run."""
    if not isinstance(entry, Mapping):
        return (Fault(say("'{name}' must contain keys, at least `kind`", name=name), name),)
    kind = entry.get("kind")
    if not isinstance(kind, str) or not kind.partition(":")[0].strip():
        return (Fault(say("'{name}' has no `kind`", name=name), say("{name}, kind", name=name)),)
    reference = _Reference(name, _Entries(None, {name: entry}), None, 0)
    faults = list(reference.find_kind_faults()) or list(reference.find_entry_faults())
    return tuple(faults or reference.find_build_faults())


def runs_programs(kind: str, entry: Mapping[str, object] | None = None, *, agent: str | None = None) -> bool:
    """Tell whether a bot of this kind starts programs, imports code, or reads files that its entry names.

    A bot of ours is harmless with an agent that ships, named by its option, its entry or by `agent`.
    """
    entry = entry or {}
    name, option = plugins.split_name(kind)
    return find_connector(name).runs_programs(entry, str(entry.get("option") or option), agent or "")


def runs_agent(name: str, file: Path | None = None) -> bool:
    """Tell whether the bot of a name, as `load_bots` takes it, is made of the agent of the suite."""
    reference = _Reference(name, _Entries.read(file), None, 0)
    return reference.context.agent is None and find_connector(reference.kind).runs_agent


def entry_variables(entry: Mapping[str, object]) -> tuple[str, ...]:
    """Return the variables of the environment whose values the bot of an entry may send, each once."""
    declared = find_connector(str(entry.get("kind", "")).partition(":")[0].strip()).options or ()
    implied = [option.variable for option in declared if option.variable and option.name not in entry]
    return tuple(dict.fromkeys((*sent_variables(entry), *implied)))


def list_bots(file: Path | None = None) -> list[BotLine]:
    """Return every kind with its summary, then every entry of bots.yaml."""
    entries = _Entries.read(file)
    lines = [BotLine(name, name, origin, summary) for name, origin, summary in plugins.describe(plugins.BOTS)]
    for name, entry in entries.all.items():
        kind, option = plugins.split_name(str(entry["kind"]))
        about = entry.get("about") or entry.get("url") or entry.get("command") or entry.get("model") or option
        summary = shown_address(about) if isinstance(about, str) and "://" in about else str(about or "")
        lines.append(BotLine(name, kind, entries.where(name), summary))
    return lines


@dataclass(frozen=True)
class _Entries:
    """The entries of bots.yaml, and the file for the places of faults."""

    file: YamlFile | None
    all: Mapping[str, Mapping[str, object]]

    @classmethod
    def read(cls, path: Path | None) -> _Entries:
        default = Path(BOTS_FILE)
        if path is None and not default.is_file():
            return cls(None, {})
        file = read_yaml(path or default)
        faults = list(_find_file_faults(file))
        if faults:
            remedy = say("write `bots:` with one entry per bot below it")
            raise DataError(say("these lines are invalid"), where=file.path, faults=faults, remedy=remedy)
        bots = as_mapping(as_mapping(file.value).get("bots"))
        return cls(file, {name: as_mapping(entry) for name, entry in bots.items()})

    def where(self, name: str, *steps: str) -> str:
        """Return file and line of an entry, or of a key in it; without a file, the name and the key."""
        if self.file is not None:
            return self.file.where("bots", name, *steps)
        return f"{name}, {'.'.join(steps)}" if steps else name


def _find_file_faults(file: YamlFile) -> Iterator[Fault]:
    top = as_mapping(file.value)
    for key in top:
        if key != "bots":
            what = say("unknown key '{key}'.{nearest}", key=key, nearest=nearest(key, ["bots"]))
            yield Fault(what, say("line {line}", line=file.line(key)))
    if not isinstance(top.get("bots", {}), dict) or not isinstance(file.value, dict):
        yield Fault(say("`bots` must contain one entry per bot"), say("line {line}", line=file.line("bots")))
    for name, entry in as_mapping(top.get("bots")).items():
        where = say("line {line}", line=file.line("bots", name))
        if not isinstance(entry, dict):
            yield Fault(say("'{name}' must contain keys, at least `kind`", name=name), where)
        elif not isinstance(entry.get("kind"), str) or not entry["kind"]:
            yield Fault(say("'{name}' has no `kind`", name=name), where)


class _Reference:
    """The bot that a name stands for: an entry, a kind, or a kind with its option; nothing is built yet."""

    def __init__(self, name: str, entries: _Entries, agent: str | None, seed: int) -> None:
        alias = None if name in entries.all else _ALIAS.fullmatch(name)
        # A name is recorded; an address in it may hold a secret.
        title = alias[1].strip() if alias else shown_address(name) if "://" in name else name
        name = alias[2].strip() if alias else name
        entry = entries.all.get(name, {})
        self.entries = entries
        self.entry_name = name if name in entries.all else None
        self.kind, option = plugins.split_name(str(entry.get("kind", "")) or name)
        self.option = str(entry.get("option", option))
        chosen = entry.get("agent")
        self.context = BotContext(title, chosen if isinstance(chosen, str) else agent, entry, seed)

    def find_kind_faults(self) -> Iterator[Fault]:
        kinds, kind = plugins.available(plugins.BOTS), self.kind
        if kind in kinds:
            return
        if self.entry_name is None:
            near = nearest(kind, [*self.entries.all, *kinds])
            yield Fault(say("unknown bot '{kind}'.{nearest}", kind=kind, nearest=near))
        else:
            what = say("unknown kind '{kind}'.{nearest}", kind=kind, nearest=nearest(kind, kinds))
            yield Fault(what, self.entries.where(self.entry_name, "kind"))

    def find_entry_faults(self) -> Iterator[Fault]:
        """Yield the faults of the entry: its keys are as declared, or as the module of the kind lists them."""
        if self.entry_name is None:
            return
        keys = find_connector(self.kind).keys
        if keys is None:
            factory = plugins.load(plugins.BOTS, self.kind)
            keys = getattr(sys.modules.get(getattr(factory, "__module__", "")), "ENTRY_KEYS", None)
        for steps, message in entry_faults(self.context.entry, keys):
            yield Fault(message, self.entries.where(self.entry_name, *steps))

    def find_build_faults(self) -> Iterator[Fault]:
        """Yield what only building the bot shows, for kinds for which that neither asks nor reads anything."""
        connector, name = find_connector(self.kind), self.context.name
        if connector.runs_agent or connector.runs_programs(self.context.entry, self.option):
            return
        try:
            self.build()
        except VivaError as error:
            for fault in self.as_faults(error):
                inner = f"{name}, {fault.where}".rstrip(", ")
                yield fault if fault.where.startswith(name) else replace(fault, where=inner)
        except Exception as error:
            # A kind may assume that values are texts, as a file has them; here they come from anywhere.
            kind = type(error).__name__
            what = say("a value has the wrong type ({kind}: {error})", kind=kind, error=error)
            yield Fault(what, name)

    def as_faults(self, error: VivaError) -> Iterator[Fault]:
        where = self.entries.where(self.entry_name) if self.entry_name else self.context.name
        yield Fault(error.what + " (" + error.remedy + ")" if error.remedy else error.what, where)
        yield from error.faults

    def build(self) -> Bot:
        bot = check_parts(plugins.build(plugins.BOTS, self.kind, self.option, self.context), self.context.name)
        facts = entry_facts(self.context, bot.facts)
        # A kind may know nothing of entries; name and limits hold all the same.
        return bot if facts == bot.facts else NamedBot(bot, facts)


def _build_all(references: Sequence[_Reference]) -> list[Bot]:
    missing = [
        Fault(say("the variable {variable} is not set", variable=variable), reference.context.name)
        for reference in references
        for variable in missing_variables(reference.context.entry)
    ]
    if missing:
        raise UsageError(
            say("secrets are missing"), faults=missing, remedy=say("set the variables in the environment")
        )
    bots: list[Bot] = []
    failures: list[tuple[_Reference, VivaError]] = []
    for reference in references:
        try:
            bots.append(reference.build())
        except VivaError as error:
            failures.append((reference, error))
    if len(failures) == 1:
        raise failures[0][1]
    if failures:
        faults = [fault for reference, error in failures for fault in reference.as_faults(error)]
        raise UsageError(say("these bots are invalid"), faults=faults, remedy=say("fix each of them"))
    return bots


class NamedBot:
    """A bot under another name, or with limits and fallback of its entry."""

    def __init__(self, bot: Bot, facts: BotFacts) -> None:
        self._bot, self.facts = bot, facts

    async def open(self, session: str) -> Conversation:
        """Begin a conversation with the bot inside."""
        return await self._bot.open(session)

    async def close(self) -> None:
        """Close the bot inside."""
        await self._bot.close()
