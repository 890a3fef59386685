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
from vivavoce.bots.entries import Keys, entry_facts, entry_faults
from vivavoce.bots.protocol import Bot, BotContext, BotFacts, Talk
from vivavoce.bots.redaction import missing_variables, sent_variables
from vivavoce.errors import DataError, Fault, UsageError, VivaError, nearest
from vivavoce.files.yamls import YamlFile, as_mapping, read_yaml

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
# Kinds that talk to an address that they are given, or only think in this process.
TALKING = ("http", "openai", "scripted")
OPENAI_KEY = "OPENAI_API_KEY"
THINKING = ("vectors", "nearest", "keywords", "rivescript")
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
    wishes = [_wish(name, entries, agent, seed) for name in names]
    faults = [*_unknown(wishes, entries), *_twice(wishes)]
    if faults:
        raise UsageError("these bots cannot be used", faults=faults, remedy="`viva bots list` shows what there is")
    _check_entries(wishes, entries)
    _check_variables(wishes)
    return _built(wishes, entries)


def load_entry(name: str, entry: Mapping[str, object], *, agent: str | None = None, seed: int = 0) -> Bot:
    """Return the bot of an entry that stands in no file; refuse all that is wrong with it at once."""
    return load_entries({name: entry}, agent=agent, seed=seed)[0]


def load_entries(
    entries: Mapping[str, Mapping[str, object]], *, agent: str | None = None, seed: int = 0
) -> list[Bot]:
    """Return the bots of entries that stand in no file, in order; refuse all that is wrong with them at once."""
    faults = [fault for name, entry in entries.items() for fault in entry_problems(name, entry)]
    if faults:
        raise DataError("these entries cannot be used", faults=faults, remedy="correct the keys")
    given = _Entries(None, entries)
    wishes = [_wish(name, given, agent, seed) for name in entries]
    _check_variables(wishes)
    return _built(wishes, given)


def entry_problems(name: str, entry: Mapping[str, object]) -> tuple[Fault, ...]:
    """Return what is wrong with an entry, whether or not its variables are set; nothing is asked, trained or run."""
    if not isinstance(entry, Mapping):
        return (Fault(f"'{name}' must hold keys: at least `kind`", name),)
    kind = entry.get("kind")
    if not isinstance(kind, str) or not kind.partition(":")[0].strip():
        return (Fault(f"'{name}' has no `kind`", f"{name}, kind"),)
    entries = _Entries(None, {name: entry})
    wish = _wish(name, entries, None, 0)
    faults = list(_unknown([wish], entries)) or list(_entry_faults(wish, entries))
    return tuple(faults or _trial_faults(wish, entries))


def runs_programs(kind: str, entry: Mapping[str, object] | None = None, *, agent: str | None = None) -> bool:
    """Tell whether a bot of this kind starts programs, imports code, or reads files that its entry names.

    A bot that only thinks is harmless with an agent that ships, named by its option, its entry or by `agent`.
    Of a kind that is not known here nothing is taken for granted.
    """
    told = entry or {}
    name, option = plugins.split_name(kind)
    option = str(told.get("option") or option)
    if name in THINKING:
        named = option or str(told.get("agent") or "") or agent or ""
        return bool(named) and not _ships(named)
    if name == "scripted":
        return option.strip().startswith("perfect")
    return name not in TALKING or "prompt_file" in told


def entry_variables(entry: Mapping[str, object]) -> tuple[str, ...]:
    """Return the variables of the environment whose values the bot of an entry may send, each once."""
    kind = str(entry.get("kind", "")).partition(":")[0].strip()
    # That kind takes its key from the environment by itself where none is given.
    implied = (OPENAI_KEY,) if kind == "openai" and "api_key" not in entry else ()
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
            remedy = "write `bots:` and under it one entry for each bot"
            raise DataError("these lines cannot be used", where=file.path, faults=faults, remedy=remedy)
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
            yield Fault(f"there is no key '{key}'.{nearest(key, ['bots'])}", f"line {file.line(key)}")
    if not isinstance(top.get("bots", {}), dict) or not isinstance(file.value, dict):
        yield Fault("`bots` must hold one entry for each bot", f"line {file.line('bots')}")
    for name, entry in as_mapping(top.get("bots")).items():
        where = f"line {file.line('bots', name)}"
        if not isinstance(entry, dict):
            yield Fault(f"'{name}' must hold keys: at least `kind`", where)
        elif not isinstance(entry.get("kind"), str) or not entry["kind"]:
            yield Fault(f"'{name}' has no `kind`", where)


@dataclass(frozen=True)
class _Wish:
    """What one name stands for."""

    written: str
    entry_name: str | None
    kind: str
    option: str
    context: BotContext


def _wish(written: str, entries: _Entries, agent: str | None, seed: int) -> _Wish:
    alias = None if written in entries.all else _ALIAS.fullmatch(written)
    shown, name = (alias[1].strip(), alias[2].strip()) if alias else (_shown(written), written)
    entry = entries.all.get(name, {})
    kind, option = plugins.split_name(str(entry.get("kind", "")) or name)
    option = str(entry.get("option", option))
    chosen = entry.get("agent")
    context = BotContext(shown, chosen if isinstance(chosen, str) else agent, entry, seed)
    return _Wish(written, name if name in entries.all else None, kind, option, context)


def _shown(name: str) -> str:
    # A name is recorded; what stands in an address may be a secret.
    return shown_address(name) if "://" in name else name


def _unknown(wishes: Sequence[_Wish], entries: _Entries) -> Iterator[Fault]:
    kinds = plugins.available(plugins.BOTS)
    for wish in wishes:
        if wish.kind in kinds:
            continue
        if wish.entry_name is not None:
            where = entries.where(wish.entry_name, "kind")
            yield Fault(f"there is no kind '{wish.kind}'.{nearest(wish.kind, kinds)}", where)
        else:
            yield Fault(f"there is no bot '{wish.kind}'.{nearest(wish.kind, [*entries.all, *kinds])}")


def _twice(wishes: Sequence[_Wish]) -> Iterator[Fault]:
    for name, count in Counter(wish.context.name for wish in wishes).items():
        if count > 1:
            yield Fault(f"{count} bots would be shown as '{name}': write `other={name}` for one of them")


# --- entries -----------------------------------------------------------------------------------------------------


def _check_entries(wishes: Sequence[_Wish], entries: _Entries) -> None:
    faults = list(dict.fromkeys(fault for wish in wishes for fault in _entry_faults(wish, entries)))
    if faults:
        raise DataError("these entries cannot be used", faults=faults, remedy="correct the lines")


def _entry_faults(wish: _Wish, entries: _Entries) -> Iterator[Fault]:
    if wish.entry_name is not None:
        for steps, message in entry_faults(wish.context.entry, _own_keys(wish.kind)):
            yield Fault(message, entries.where(wish.entry_name, *steps))


def _trial_faults(wish: _Wish, entries: _Entries) -> Iterator[Fault]:
    """Say what only making the bot brings to light, of kinds for which that neither asks nor reads anything."""
    if wish.kind not in TALKING or runs_programs(f"{wish.kind}:{wish.option}", wish.context.entry):
        return
    name = wish.context.name
    try:
        _build(wish)
    except VivaError as error:
        for fault in _as_faults(wish, error, entries):
            inner = f"{name}, {fault.where}".rstrip(", ")
            yield fault if fault.where.startswith(name) else replace(fault, where=inner)
    except Exception as error:
        # A kind may take for granted that values are texts, as a file has them; here they come from anywhere.
        yield Fault(f"a value is not of the kind that is expected ({type(error).__name__}: {error})", name)


def _ships(agent: str) -> bool:
    from vivavoce import demo

    try:
        demo.agent_path(agent)
    except UsageError:
        return False
    return True


def _own_keys(kind: str) -> Keys | None:
    """Return the keys that a kind takes; None where it does not say."""
    factory = plugins.load(plugins.BOTS, kind)
    return getattr(sys.modules.get(getattr(factory, "__module__", "")), "ENTRY_KEYS", None)


def _check_variables(wishes: Sequence[_Wish]) -> None:
    faults = [
        Fault(f"the variable {variable} is not set", wish.context.name)
        for wish in wishes
        for variable in missing_variables(wish.context.entry)
    ]
    if faults:
        raise UsageError("secrets are missing", faults=faults, remedy="set the variables in the environment")


def _built(wishes: Sequence[_Wish], entries: _Entries) -> list[Bot]:
    bots: list[Bot] = []
    failures: list[tuple[_Wish, VivaError]] = []
    for wish in wishes:
        try:
            bots.append(_build(wish))
        except VivaError as error:
            failures.append((wish, error))
    if len(failures) == 1:
        raise failures[0][1]
    if failures:
        faults = [fault for wish, error in failures for fault in _as_faults(wish, error, entries)]
        raise UsageError("these bots cannot be used", faults=faults, remedy="correct each of them")
    return bots


def _as_faults(wish: _Wish, error: VivaError, entries: _Entries) -> Iterator[Fault]:
    where = entries.where(wish.entry_name) if wish.entry_name else wish.context.name
    yield Fault(f"{error.what} ({error.remedy})" if error.remedy else error.what, where)
    yield from error.faults


def _build(wish: _Wish) -> Bot:
    bot = checked(plugins.build(plugins.BOTS, wish.kind, wish.option, wish.context), wish.context.name)
    facts = entry_facts(wish.context, bot.facts)
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
