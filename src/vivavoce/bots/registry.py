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
from vivavoce.bots.addresses import shown_address
from vivavoce.bots.contract import checked
from vivavoce.bots.declaration import find_connector
from vivavoce.bots.entries import Keys, entry_facts, entry_faults
from vivavoce.bots.protocol import Bot, BotContext, BotFacts, Talk
from vivavoce.bots.redaction import missing_variables, sent_variables
from vivavoce.errors import DataError, Fault, UsageError, VivaError, nearest
from vivavoce.files.yamls import YamlFile, as_mapping, read_yaml
from vivavoce.messages import say

__all__ = [
    "BOTS_FILE",
    "BotLine",
    "entry_problems",
    "entry_variables",
    "list_bots",
    "load_bots",
    "load_entries",
    "load_entry",
    "runs_programs",
]

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
    references = [_resolve(name, entries, agent, seed) for name in names]
    faults = [*_unknown(references, entries), *_twice(references)]
    if faults:
        raise UsageError(
            say("these bots cannot be used"), faults=faults, remedy=say("`viva bots list` shows what there is")
        )
    faults = list(dict.fromkeys(fault for reference in references for fault in _entry_faults(reference, entries)))
    if faults:
        raise DataError(say("these entries cannot be used"), faults=faults, remedy=say("correct the lines"))
    return _build_all(references, entries)


def load_entry(name: str, entry: Mapping[str, object], *, agent: str | None = None, seed: int = 0) -> Bot:
    """Return the bot of an entry that stands in no file; refuse all that is wrong with it at once."""
    return load_entries({name: entry}, agent=agent, seed=seed)[0]


def load_entries(
    entries: Mapping[str, Mapping[str, object]], *, agent: str | None = None, seed: int = 0
) -> list[Bot]:
    """Return the bots of entries that stand in no file, in order; refuse all that is wrong with them at once."""
    faults = [fault for name, entry in entries.items() for fault in entry_problems(name, entry)]
    if faults:
        raise DataError(say("these entries cannot be used"), faults=faults, remedy=say("correct the keys"))
    given = _Entries(None, entries)
    references = [_resolve(name, given, agent, seed) for name in entries]
    return _build_all(references, given)


def entry_problems(name: str, entry: Mapping[str, object]) -> tuple[Fault, ...]:
    """Return what is wrong with an entry, whether or not its variables are set; nothing is asked, trained or run."""
    if not isinstance(entry, Mapping):
        return (Fault(say("'{name}' must hold keys: at least `kind`", name=name), name),)
    kind = entry.get("kind")
    if not isinstance(kind, str) or not kind.partition(":")[0].strip():
        return (Fault(say("'{name}' has no `kind`", name=name), say("{name}, kind", name=name)),)
    entries = _Entries(None, {name: entry})
    reference = _resolve(name, entries, None, 0)
    faults = list(_unknown([reference], entries)) or list(_entry_faults(reference, entries))
    return tuple(faults or _trial_faults(reference, entries))


def runs_programs(kind: str, entry: Mapping[str, object] | None = None, *, agent: str | None = None) -> bool:
    """Tell whether a bot of this kind starts programs, imports code, or reads files that its entry names.

    A bot of ours is harmless with an agent that ships, named by its option, its entry or by `agent`.
    """
    entry = entry or {}
    name, option = plugins.split_name(kind)
    return find_connector(name).runs_programs(entry, str(entry.get("option") or option), agent or "")


def entry_variables(entry: Mapping[str, object]) -> tuple[str, ...]:
    """Return the variables of the environment whose values the bot of an entry may send, each once."""
    declared = find_connector(str(entry.get("kind", "")).partition(":")[0].strip()).options or ()
    implied = [option.variable for option in declared if option.variable and option.name not in entry]
    return tuple(dict.fromkeys((*sent_variables(entry), *implied)))


def list_bots(file: Path | None = None) -> list[BotLine]:
    """Return every kind with its summary, then every entry of bots.yaml."""
    entries = _Entries.read(file)
    kinds = [BotLine(name, name, origin, summary) for name, origin, summary in plugins.describe(plugins.BOTS)]
    return kinds + [_line(name, entry, entries) for name, entry in entries.all.items()]


# --- names -------------------------------------------------------------------------------------------------------


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
        faults = list(_file_faults(file))
        if faults:
            remedy = say("write `bots:` and under it one entry for each bot")
            raise DataError(say("these lines cannot be used"), where=file.path, faults=faults, remedy=remedy)
        bots = as_mapping(as_mapping(file.value).get("bots"))
        return cls(file, {name: as_mapping(entry) for name, entry in bots.items()})

    def where(self, name: str, *steps: str) -> str:
        """Return file and line of an entry, or of a key in it; without a file, the name and the key."""
        if self.file is not None:
            return self.file.where("bots", name, *steps)
        return f"{name}, {'.'.join(steps)}" if steps else name


def _file_faults(file: YamlFile) -> Iterator[Fault]:
    top = as_mapping(file.value)
    for key in top:
        if key != "bots":
            yield Fault(
                say("there is no key '{key}'.{nearest}", key=key, nearest=nearest(key, ["bots"])),
                say("line {line}", line=file.line(key)),
            )
    if not isinstance(top.get("bots", {}), dict) or not isinstance(file.value, dict):
        yield Fault(say("`bots` must hold one entry for each bot"), say("line {line}", line=file.line("bots")))
    for name, entry in as_mapping(top.get("bots")).items():
        where = say("line {line}", line=file.line("bots", name))
        if not isinstance(entry, dict):
            yield Fault(say("'{name}' must hold keys: at least `kind`", name=name), where)
        elif not isinstance(entry.get("kind"), str) or not entry["kind"]:
            yield Fault(say("'{name}' has no `kind`", name=name), where)


@dataclass(frozen=True)
class _Reference:
    """What one name stands for."""

    written: str
    entry_name: str | None
    kind: str
    option: str
    context: BotContext


def _resolve(written: str, entries: _Entries, agent: str | None, seed: int) -> _Reference:
    alias = None if written in entries.all else _ALIAS.fullmatch(written)
    shown, name = (alias[1].strip(), alias[2].strip()) if alias else (_shown(written), written)
    entry = entries.all.get(name, {})
    kind, option = plugins.split_name(str(entry.get("kind", "")) or name)
    option = str(entry.get("option", option))
    chosen = entry.get("agent")
    context = BotContext(shown, chosen if isinstance(chosen, str) else agent, entry, seed)
    return _Reference(written, name if name in entries.all else None, kind, option, context)


def _shown(name: str) -> str:
    # A name is recorded; what stands in an address may be a secret.
    return shown_address(name) if "://" in name else name


def _unknown(references: Sequence[_Reference], entries: _Entries) -> Iterator[Fault]:
    kinds = plugins.available(plugins.BOTS)
    for reference in references:
        if reference.kind in kinds:
            continue
        if reference.entry_name is not None:
            where = entries.where(reference.entry_name, "kind")
            yield Fault(
                say(
                    "there is no kind '{kind}'.{nearest}", kind=reference.kind, nearest=nearest(reference.kind, kinds)
                ),
                where,
            )
        else:
            yield Fault(
                say(
                    "there is no bot '{kind}'.{nearest}",
                    kind=reference.kind,
                    nearest=nearest(reference.kind, [*entries.all, *kinds]),
                )
            )


def _twice(references: Sequence[_Reference]) -> Iterator[Fault]:
    for name, count in Counter(reference.context.name for reference in references).items():
        if count > 1:
            yield Fault(
                say(
                    "{count} bots would be shown as '{name}': write `other={name}` for one of them",
                    count=count,
                    name=name,
                )
            )


# --- entries -----------------------------------------------------------------------------------------------------


def _entry_faults(reference: _Reference, entries: _Entries) -> Iterator[Fault]:
    if reference.entry_name is not None:
        for steps, message in entry_faults(reference.context.entry, _own_keys(reference.kind)):
            yield Fault(message, entries.where(reference.entry_name, *steps))


def _trial_faults(reference: _Reference, entries: _Entries) -> Iterator[Fault]:
    """Say what only making the bot brings to light, of kinds for which that neither asks nor reads anything."""
    connector = find_connector(reference.kind)
    if connector.runs_agent or connector.runs_programs(reference.context.entry, reference.option):
        return
    name = reference.context.name
    try:
        _build(reference)
    except VivaError as error:
        for fault in _as_faults(reference, error, entries):
            inner = f"{name}, {fault.where}".rstrip(", ")
            yield fault if fault.where.startswith(name) else replace(fault, where=inner)
    except Exception as error:
        # A kind may take for granted that values are texts, as a file has them; here they come from anywhere.
        yield Fault(
            say(
                "a value is not of the kind that is expected ({kind}: {error})",
                kind=type(error).__name__,
                error=error,
            ),
            name,
        )


def _own_keys(kind: str) -> Keys | None:
    """Return the keys that a kind takes: as declared, else as its module lists them; None where it does not say."""
    declared = find_connector(kind).keys
    if declared is not None:
        return declared
    factory = plugins.load(plugins.BOTS, kind)
    return getattr(sys.modules.get(getattr(factory, "__module__", "")), "ENTRY_KEYS", None)


def _build_all(references: Sequence[_Reference], entries: _Entries) -> list[Bot]:
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
            bots.append(_build(reference))
        except VivaError as error:
            failures.append((reference, error))
    if len(failures) == 1:
        raise failures[0][1]
    if failures:
        faults = [fault for reference, error in failures for fault in _as_faults(reference, error, entries)]
        raise UsageError(say("these bots cannot be used"), faults=faults, remedy=say("correct each of them"))
    return bots


def _as_faults(reference: _Reference, error: VivaError, entries: _Entries) -> Iterator[Fault]:
    where = entries.where(reference.entry_name) if reference.entry_name else reference.context.name
    yield Fault(error.what + " (" + error.remedy + ")" if error.remedy else error.what, where)
    yield from error.faults


def _build(reference: _Reference) -> Bot:
    made = plugins.build(plugins.BOTS, reference.kind, reference.option, reference.context)
    bot = checked(made, reference.context.name)
    facts = entry_facts(reference.context, bot.facts)
    # A kind may know nothing of entries; name and limits hold all the same.
    return bot if facts == bot.facts else NamedBot(bot, facts)


class NamedBot:
    """A bot under another name, or with limits and fallback of its entry."""

    def __init__(self, bot: Bot, facts: BotFacts) -> None:
        self._bot, self._facts = bot, facts

    @property
    def facts(self) -> BotFacts:
        """What is known about the bot, with what its entry says."""
        return self._facts

    async def open(self, session: str) -> Talk:
        """Begin a talk with the bot inside."""
        return await self._bot.open(session)

    async def close(self) -> None:
        """Close the bot inside."""
        await self._bot.close()


def _line(name: str, entry: Mapping[str, object], entries: _Entries) -> BotLine:
    kind, option = plugins.split_name(str(entry["kind"]))
    told = entry.get("about") or entry.get("url") or entry.get("command") or entry.get("model") or option
    summary = shown_address(told) if isinstance(told, str) and "://" in told else str(told or "")
    return BotLine(name, kind, entries.where(name), summary)
