"""Bots of a project: added and changed by admins, tried out by editors, seen by all."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any, NoReturn

from vivavoce.bots import Bot, Check, ContractReport, Limits, load_entry
from vivavoce.bots.contract import hold_checks
from vivavoce.bots.declaration import find_connector
from vivavoce.bots.guard import limited_to, shown_address
from vivavoce.errors import DataError, Fault, InputError, UsageError, VivaError
from vivavoce.files.yamls import dump_yaml, parse_yaml
from vivavoce.kept import Kept
from vivavoce.messages import join, say
from vivavoce.store.cleaning import clean_text
from vivavoce.store.database import Store
from vivavoce.store.rows import BotRow, Edit, Project, Role, Run
from vivavoce.store.stamps import new_id, now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.access.bot_rules import BotRules, Entry, addresses_of, entry_faults, kind_of, option_of
from vivavoce.workspace.bots.chatting import PLACES, find_bot, refuse_program

MAX_NAME = 100
MAX_ENTRY = 20_000
PAGE = 50
TEST_SECONDS = 30.0
# A bot that is slow to answer must leave time for the other checks.
MESSAGE_SECONDS = 8.0
USUAL_AGENT = "recruiting"
FIX_FIELDS = say("correct each of these fields")


@dataclass(frozen=True, slots=True)
class BotLine:
    """A bot as a list shows it; `limits` are its own and where it says nothing the usual ones.

    `last_run` is the newest run that talked to it.
    """

    bot: BotRow
    kind: str
    address: str
    limits: Limits
    last_run: Run | None = None


@dataclass(frozen=True, slots=True)
class CheckLine:
    """One thing that was tried, what came of it, and what it means."""

    name: str
    passed: bool
    note: str
    meaning: str


@dataclass(frozen=True, slots=True)
class BotReport:
    """What was found when a bot was tried out; `agent`: the one that it ran because it names none itself."""

    bot: str
    passed: bool
    checks: tuple[CheckLine, ...]
    replies: int = 0
    typical_s: float | None = None
    agent: str = ""


def list_bots(store: Store, project: Project) -> tuple[BotLine, ...]:
    """Return the bots of a project, by name."""
    with store.reading() as tx:
        rows = tx.bots.of_project(project.id)
        latest = _latest_runs(tx, project, {row.name for row in rows})
    return tuple(replace(describe_bot(row), last_run=latest.get(row.name)) for row in rows)


def show_bot(store: Store, project: Project, bot_id: str) -> BotLine:
    """Return one bot; AbsentError where the project has none of this id."""
    row = find_bot(store, project, bot_id)
    with store.reading() as tx:
        latest = _latest_runs(tx, project, {row.name})
    return replace(describe_bot(row), last_run=latest.get(row.name))


def describe_bot(row: BotRow) -> BotLine:
    """Return what the entry of a bot says of it."""
    # Where the bot is to be found, without anything that could be a secret.
    places = [shown_address(address) for _, address in addresses_of(row.entry)]
    model = str(row.entry.get("model") or "")
    agent = str(row.entry.get("agent") or "") or ("" if places else option_of(row.entry))
    place = " ".join(dict.fromkeys(filter(None, (model, *places[:1], agent))))
    return BotLine(row, kind_of(row.entry), place, _limits(row.entry))


def entry_text(entry: Entry) -> str:
    """Return an entry as YAML; parts in which numbers are to stay numbers are written as JSON in it."""
    return dump_yaml({key: _write_value(key, value) for key, value in entry.items()})


def parse_entry(text: str) -> dict[str, Any]:
    """Return the entry that a YAML text holds; InputError with its lines where it holds none."""
    if len(text) > MAX_ENTRY:
        raise UsageError(
            say("this is longer than {most_entry:,} characters", most_entry=MAX_ENTRY),
            where="entry",
            remedy=say("shorten it"),
        )
    entry = parse_yaml(text, source="entry").value
    if not isinstance(entry, dict) or not entry:
        fault = Fault(say("this must contain keys, at least `kind: ...`"), "entry")
        raise DataError(say("the entry is invalid"), faults=[fault], remedy=say("write one key per line"))
    return dict(entry)


def add_bot(
    store: Store, actor: Actor, project: Project, name: str, entry: Entry, *, rules: BotRules, why: str = ""
) -> Edit:
    """Add a bot to a project."""
    actor.require(Role.ADMIN)
    plain_name, plain_entry = check_bot_entry(name, entry, rules)
    with store.writing() as tx:
        _check_free(tx, project, plain_name)
        values = {
            "id": new_id(),
            "project_id": project.id,
            "name": plain_name,
            "entry": plain_entry,
            "created": now(),
        }
        summary = say("Bot {said} added ({kind_of})", said=plain_name, kind_of=kind_of(plain_entry))
        change = tx.edits.insert("bots", values)
        return tx.edits.apply(project.id, actor.user_id, "add bot", summary, [change], why=why)


def change_bot(
    store: Store,
    actor: Actor,
    project: Project,
    bot_id: str,
    *,
    name: str,
    entry: Entry,
    rules: BotRules,
    why: str = "",
) -> Edit:
    """Change the name or the entry of a bot; runs that were held keep what held then."""
    actor.require(Role.ADMIN)
    row = find_bot(store, project, bot_id)
    plain_name, plain_entry = check_bot_entry(name, entry, rules)
    summary = say("Bot {name} changed", name=row.name)
    with store.writing() as tx:
        if plain_name != row.name:
            _check_free(tx, project, plain_name)
            summary = say("Bot {name} renamed to {said}", name=row.name, said=plain_name)
        change = tx.edits.update("bots", row.id, name=plain_name, entry=plain_entry)
        return tx.edits.apply(project.id, actor.user_id, "change bot", summary, [change], why=why)


def delete_bot(store: Store, actor: Actor, project: Project, bot_id: str, *, why: str = "") -> Edit:
    """Delete a bot; what runs found about it stays, and the edit can be undone."""
    actor.require(Role.ADMIN)
    row = find_bot(store, project, bot_id)
    with store.writing() as tx:
        change = tx.edits.delete("bots", row.id)
        summary = say("Bot {name} deleted", name=row.name)
        return tx.edits.apply(project.id, actor.user_id, "delete bot", summary, [change], why=why)


def check_bot_entry(name: str, entry: Entry, rules: BotRules) -> tuple[str, dict[str, Any]]:
    """Return name and entry as they are kept; all that is wrong with them at once."""
    plain = clean_text(" ".join(name.split()))
    faults: list[Fault] = []
    if not plain or len(plain) > MAX_NAME:
        faults.append(Fault(say("the name needs 1 to {most_name} characters", most_name=MAX_NAME), "name"))
    elif "/" in plain:
        # The name is part of the keys of a run's conversations.
        faults.append(Fault(say("names cannot contain `/`"), "name"))
    try:
        if len(json.dumps(entry)) > MAX_ENTRY:
            faults.append(Fault(say("this is longer than {most_entry:,} characters", most_entry=MAX_ENTRY), "entry"))
    except (TypeError, ValueError, RecursionError):
        faults.append(Fault(say("only plain values are allowed"), "entry"))
    faults = faults or list(entry_faults(plain, entry, rules))
    if faults:
        reject_entry([replace(fault, where=fault.where.removeprefix(f"{plain}, ")) for fault in faults])
    return plain, dict(entry)


def reject_entry(faults: Iterable[Fault], remedy: str = FIX_FIELDS) -> NoReturn:
    """Refuse an entry with all that is wrong with it."""
    raise DataError(say("this bot's configuration is invalid"), faults=tuple(faults), remedy=remedy)


def try_bot(store: Store, actor: Actor, project: Project, bot_id: str, rules: BotRules) -> BotReport:
    """Talk to a bot for at most half a minute and say what was found; whatever it does, this comes back."""
    actor.require(Role.EDITOR)
    row = find_bot(store, project, bot_id)
    agent = ""
    if find_connector(kind_of(row.entry)).learns_here and not option_of(row.entry) and not row.entry.get("agent"):
        # It names no agent itself: for a trial it runs that of the first suite.
        with store.reading() as tx:
            agents = [suite.agent for suite in tx.suites.of_project(project.id) if suite.agent]
        agent = agents[0] if agents else USUAL_AGENT
    refuse_program(row.name, row.entry, rules, agent)
    if faults := entry_faults(row.name, row.entry, rules):
        return _report_refusal(row.name, [fault.as_message() for fault in faults])
    try:
        # It waits less long for a reply than it would in a run.
        limits, timeout_s = row.entry.get("limits"), min(_limits(row.entry).timeout_s, MESSAGE_SECONDS)
        hurried = {**(limits if isinstance(limits, Mapping) else {}), "timeout_s": timeout_s}
        bot = load_entry(row.name, {**row.entry, "limits": hurried}, agent=agent or None)
    except VivaError as error:
        return _report_refusal(row.name, [error.what, *(fault.as_message() for fault in error.faults), error.remedy])
    with PLACES.take(actor.user_id or ""):
        report = asyncio.run(_check_in_time(bot, row.name, rules))
    checks = tuple(CheckLine(check.name, check.passed, check.note, _meaning(check.name)) for check in report.checks)
    return BotReport(report.bot, report.passed, checks, report.replies, report.typical_s, agent)


async def _check_in_time(bot: Bot, name: str, rules: BotRules) -> ContractReport:
    with limited_to(rules.addresses):
        try:
            async with asyncio.timeout(TEST_SECONDS):
                return await hold_checks(bot)
        except TimeoutError:
            with suppress(Exception):
                async with asyncio.timeout(1):
                    await bot.close()
    note = f"the bot took longer than {TEST_SECONDS:g} s for a dozen short messages"
    return ContractReport(name, (Check("answers in time", False, note),))


def _report_refusal(name: str, reasons: Iterable[str]) -> BotReport:
    what = "can be created from its entry"
    note = join("; ", dict.fromkeys(reason for reason in reasons if reason))
    return BotReport(name, False, (CheckLine(what, False, note, _meaning(what)),))


# Each check by the beginning of its name.
_MEANINGS = {
    "says who it is": "The entry is complete, so the bot has a name and limits.",
    "opens two conversations at once": (
        "A conversation can be started, and a second one at the same time, as in an exam."
    ),
    "answers '": "A simple message gets a reply that is not empty.",
    "handles": "An unusual message gets a reply or a clear refusal, and does not end the conversation.",
    "keeps conversations apart": "What one visitor says never reaches another.",
    "closes a conversation": "A conversation can be ended, even after a failure.",
    "the bot closes": "Connections and processes are released.",
    "reports what it declares": "Topics are checked only if the bot reports them and its entry says so.",
    "answers in time": "An exam sends many messages: with a bot this slow, it takes hours.",
    "can be created": "The entry defines a working bot: its keys, variables and address are valid.",
}


def _meaning(name: str) -> str:
    return next((meaning for beginning, meaning in _MEANINGS.items() if name.startswith(beginning)), "")


def _limits(entry: Entry) -> Limits:
    from vivavoce.bots import BotContext, BotFacts, entry_facts

    usual = find_connector(kind_of(entry)).limits
    try:
        return entry_facts(BotContext("bot", entry=entry), BotFacts("bot", limits=usual)).limits
    except InputError:
        return usual  # of an entry that came from elsewhere; its page says what is wrong


def _write_value(key: str, value: object) -> object:
    if key in ("body", "extra") and not isinstance(value, str):
        return value if _only_texts(value) else json.dumps(value, ensure_ascii=False)
    if key == "open" and isinstance(value, Mapping):
        return {inner: _write_value(inner, item) for inner, item in value.items()}
    return value


def _only_texts(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(_only_texts(item) for item in value.values())
    if isinstance(value, list | tuple):
        return all(_only_texts(item) for item in value)
    return isinstance(value, str)


def _check_free(tx: Transaction, project: Project, name: str) -> None:
    if tx.bots.by_name(project.id, name) is not None:
        fault = Fault(say("bot '{name}' already exists", name=name), "name")
        reject_entry([fault], say("choose another name"))


def _latest_runs(tx: Transaction, project: Project, names: Collection[str]) -> dict[str, Run]:
    """Return the newest run of each bot by its name."""
    latest: dict[str, Run] = {}
    # Seldom are more than a few runs looked at.
    for offset in count(0, PAGE):
        page = tx.runs.page(project.id, "conversations", limit=PAGE, offset=offset)
        for run in page:
            here = _BOTS.get(run.id, partial(tx.units.bots, run.id))
            latest |= {name: run for name in names if name in here and name not in latest}
            if len(latest) == len(names):
                return latest
        if len(page) < PAGE:
            break
    return latest


# Which bots a run talks to never changes.
_BOTS: Kept[frozenset[str]] = Kept(1_000)
