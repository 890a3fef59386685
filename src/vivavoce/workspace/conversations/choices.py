"""What a run of conversations is chosen from, how large it will be, and what would be wrong with it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from vivavoce.bots import BotFacts, load_entry
from vivavoce.bots.declaration import find_connector
from vivavoce.conversations import Plan, Suite, check_suite
from vivavoce.conversations.scenarios.joining import expand_suites, find_own_name, name_domain
from vivavoce.errors import AbsentError, Fault, UsageError, VivaError, nearest
from vivavoce.jobs.exams.kinds import CONVERSATIONS
from vivavoce.kept import Kept
from vivavoce.messages import say
from vivavoce.options import UnfitError, check_value
from vivavoce.store.cleaning import clean_text
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, SuiteRow
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.bot_rules import BotRules, entry_faults
from vivavoce.workspace.scenarios.suites import put_together

# More than a week of talking at one message a second: a slip of the finger.
MAX_MESSAGES = 1_000_000

_SIZES: Kept[Size] = Kept(64)


@dataclass(frozen=True, slots=True)
class OfferedBot:
    """A bot that can be examined. `built_in`: it comes from the agent of the suite; `kind` is what it is."""

    name: str
    entry: Mapping[str, Any]
    built_in: bool = False

    @property
    def kind(self) -> str:
        """What kind of bot it is."""
        return str(self.entry.get("kind", "")).partition(":")[0].strip()


@dataclass(frozen=True, slots=True)
class Choice:
    """What is to be held with whom; no domain and no level: all of them.

    `at_once` and `per_second` None: as each bot has it. Where a limit of a bot is lower than what is said here, it
    stays as it is.
    """

    suite: str | tuple[str, ...]
    bots: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    repeats: int = 1
    at_once: int | None = None
    per_second: float | None = None
    title: str = ""
    seed: int = 0

    @property
    def suites(self) -> tuple[str, ...]:
        """The suites, one or several."""
        return suite_names(self.suite)


def read_choice(chosen: Mapping[str, Any], title: str = "") -> Choice:
    """Return options, as an API or a schedule has them, as a choice."""
    values: dict[str, Any] = {n: tuple(v) if isinstance(v, list) else v for n, v in chosen.items()}
    return Choice(**values, title=title)


def suite_names(value: Any) -> tuple[str, ...]:
    """Return the suites that an option names: one, or a list of several."""
    return tuple(value) if isinstance(value, list | tuple) else (value,)


@dataclass(frozen=True)
class OfferedSuite:
    """A suite as it is stored, and as it is read."""

    row: SuiteRow
    suite: Suite


@dataclass(frozen=True)
class Offer:
    """What there is to choose from in some suites; domains and levels with how many scenarios each has.

    `mark` is another one when a suite has changed.
    """

    suites: tuple[OfferedSuite, ...]
    bots: tuple[OfferedBot, ...]
    domains: Mapping[str, int] = field(default_factory=dict)
    levels: Mapping[str, int] = field(default_factory=dict)
    mark: int = 0

    @property
    def title(self) -> str:
        """The suites by their titles."""
        return ", ".join(each.row.title or each.row.name for each in self.suites)


@dataclass(frozen=True, slots=True)
class Size:
    """How much a run will say: conversations and messages of each bot, and of all of them with all repeats."""

    conversations: int
    messages: int
    talks: int
    total_messages: int


@dataclass(frozen=True, slots=True)
class Checked:
    """What a look before the run has found; `errors` would make it wrong, `warnings` would make it poorer."""

    size: Size
    errors: tuple[Fault, ...]
    warnings: tuple[Fault, ...]


def offer(store: Store, project: Project, *names: str) -> Offer:
    """Return what can be chosen for some suites, named by their ids or names."""
    from vivavoce.agents import ENGINES

    with store.reading() as tx:
        rows = tuple({row.id: row for name in names for row in [_find_suite(tx, project, clean_text(name))]}.values())
        stored = [tx.suites.scenarios(row.id) for row in rows]
        bots = tx.bots.of_project(project.id)
    suites = [put_together(row, scenarios) for row, scenarios in zip(rows, stored, strict=True)]
    if len(suites) > 1:
        suites = [name_domain(suite) for suite in suites]
    # The bots of the project, then those that the agents of the suites give; a name is offered once.
    offered = {bot.name: OfferedBot(bot.name, bot.entry) for bot in bots}
    for name in ENGINES if all(row.agent for row in rows) else ():
        offered.setdefault(name, OfferedBot(name, {"kind": name}, built_in=True))
    versions = (each for scenarios in stored for each in ((row.id, row.version, row.place) for row in scenarios))
    mark = hash((*((row.id, row.head) for row in rows), *versions))
    domains = Counter(scenario.domain for suite in suites for scenario in suite.scenarios if scenario.domain)
    counts = Counter(scenario.level for suite in suites for scenario in suite.scenarios)
    known = dict.fromkeys(level for suite in suites for level in suite.levels)
    levels = {level: counts[level] for level in (*(level for level in known if level in counts), *counts)}
    return Offer(tuple(map(OfferedSuite, rows, suites)), tuple(offered.values()), domains, levels, mark)


def _find_suite(tx: Transaction, project: Project, name: str) -> SuiteRow:
    row = tx.suites.get(name) or tx.suites.by_name(project.id, name)
    if row is None or row.project_id != project.id:
        known = [other.name for other in tx.suites.of_project(project.id)]
        raise AbsentError(
            say("unknown suite '{suite}'.{nearest}", suite=name, nearest=nearest(name, known)),
            remedy=say("choose one from the list of suites"),
        )
    return row


def usual_bots(offered: Offer) -> tuple[str, ...]:
    """Return the bots that are ticked before anybody chose: those of the project, else the built-in ones."""
    own = tuple(bot.name for bot in offered.bots if not bot.built_in)
    return own or tuple(bot.name for bot in offered.bots)


def plan_of(offered: Offer, choice: Choice) -> Plan:
    """Return the conversations that were chosen; each suite must contribute some."""
    suites = [each.suite for each in offered.suites]
    return expand_suites(suites, seed=choice.seed, domains=choice.domains, levels=choice.levels)


def size_of(plan: Plan, choice: Choice) -> Size:
    """Return how much a run says."""
    conversations = len(plan.scripts)
    messages = sum(len(script.turns) for script in plan.scripts)
    times = max(1, choice.repeats) * len(choice.bots)
    return Size(conversations, messages, conversations * times, messages * times)


def size_ahead(offered: Offer, choice: Choice) -> Size:
    """Return how much a run would say; a suite that has not changed is not counted again."""
    key = (offered.mark, choice.domains, choice.levels, choice.bots, choice.repeats, choice.seed)
    return _SIZES.get(key, lambda: size_of(plan_of(offered, choice), choice))


def check_choice(offered: Offer, choice: Choice, rules: BotRules) -> Checked:
    """Look at all that was chosen before a run, all faults at once; nothing is asked of any bot."""
    errors = list(choice_faults(offered, choice, rules))
    facts: list[list[BotFacts]] = [[] for _ in offered.suites]
    if not errors:
        facts, broken = gather_facts(offered, choice)
        errors += broken
    plan = plan_of(offered, choice)
    size = size_of(plan, choice)
    if size.total_messages > MAX_MESSAGES:
        message = say(
            "this run would send {total_messages:,} messages; the limit is {most_messages:,}",
            total_messages=size.total_messages,
            most_messages=MAX_MESSAGES,
        )
        errors.append(Fault(message))
    warnings: list[Fault] = []
    for each, known in zip(offered.suites, facts, strict=True):
        scripts = [script for script in plan.scripts if script.suite in ("", each.row.name)]
        scenarios = {find_own_name(each.row.name, script.scenario) for script in scripts}
        report = check_suite(each.suite, known, repeats=choice.repeats)
        # Problems of scenarios that are held; what belongs to no scenario concerns all of them.
        for problems, faults in ((report.errors, errors), (report.warnings, warnings)):
            held = (problem for problem in problems if not problem.scenarios or scenarios & set(problem.scenarios))
            faults.extend(Fault(problem.message, problem.where) for problem in held)
    return Checked(size, tuple(errors), tuple(warnings))


def choice_faults(offered: Offer, choice: Choice, rules: BotRules) -> list[Fault]:
    """Return what is wrong with the bots and numbers that were chosen, before any bot is built."""
    known = {bot.name: bot for bot in offered.bots}
    faults = [
        Fault(say("unknown bot '{name}'.{nearest}", name=name, nearest=nearest(name, list(known))), "bots")
        for name in choice.bots
        if name not in known
    ]
    faults += [Fault(say("choose at least one bot"), "bots")] if not choice.bots else []
    faults += [
        Fault(say("'{name}' is selected twice", name=name), "bots")
        for name, n in Counter(choice.bots).items()
        if n > 1
    ]
    for option in CONVERSATIONS.chosen:
        try:
            if option.low is not None:
                check_value(option, getattr(choice, option.name))
        except UnfitError as error:
            faults.append(Fault(error.what, option.name))
    for bot in (known[name] for name in choice.bots if name in known):
        # The rules may have changed since it was added.
        own = () if bot.built_in else entry_faults(bot.name, bot.entry, rules)
        faults += [replace(fault, where=f"{bot.name}, {fault.where}".rstrip(", ")) for fault in own]
    return faults


def chosen_bots(offered: Offer, choice: Choice) -> list[OfferedBot]:
    """Return the bots that were chosen, in the order in which they are offered."""
    return [bot for bot in offered.bots if bot.name in choice.bots]


def gather_facts(offered: Offer, choice: Choice) -> tuple[list[list[BotFacts]], list[Fault]]:
    """Build the bots that were chosen for each suite.

    Return what is known about them, suite by suite, and what is wrong with the others.
    """
    facts: list[list[BotFacts]] = []
    faults: list[Fault] = []
    for each in offered.suites:
        known: dict[str, BotFacts] = {bot.name: bot for bot in facts[0]} if facts else {}
        for bot in chosen_bots(offered, choice):
            try:
                if bot.name not in known or find_connector(bot.kind).runs_agent:
                    known[bot.name] = _find_facts(bot, each.row.agent, choice.seed)
            except VivaError as error:
                faults.append(Fault(error.what + " (" + error.remedy + ")" if error.remedy else error.what, bot.name))
                faults += [replace(fault, where=bot.name) for fault in error.faults]
        facts.append(list(known.values()))
    return facts, list(dict.fromkeys(faults))


def _find_facts(bot: OfferedBot, agent: str | None, seed: int) -> BotFacts:
    if find_connector(bot.kind).learns_here:
        return _learned_facts(bot.name, json.dumps(dict(bot.entry), sort_keys=True), agent, seed)
    return load_entry(bot.name, bot.entry, agent=agent, seed=seed).facts


@lru_cache(maxsize=32)
def _learned_facts(name: str, entry: str, agent: str | None, seed: int) -> BotFacts:
    """Return what is known about a bot that must be trained first; what it learns from ships and never changes."""
    return load_entry(name, json.loads(entry), agent=agent, seed=seed).facts


def refuse(checked: Checked, offered: Offer) -> None:
    """Refuse a run that would be wrong, all faults at once."""
    if checked.errors:
        raise UsageError(
            say("the run cannot start"),
            where=offered.title,
            faults=checked.errors,
            remedy=say("fix these, or choose differently"),
        )
