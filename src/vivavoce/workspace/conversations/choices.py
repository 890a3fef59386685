"""What a run of conversations is chosen from, how large it will be, and what would be wrong with it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from vivavoce.bots import BotFacts, load_entry
from vivavoce.bots.declaration import find_connector
from vivavoce.conversations import Plan, Suite, check_suite, expand
from vivavoce.conversations.scenarios.check import CheckProblem
from vivavoce.errors import AbsentError, Fault, UsageError, VivaError, nearest
from vivavoce.jobs.exams.kinds import CONVERSATIONS
from vivavoce.kept import Kept
from vivavoce.messages import say
from vivavoce.options import UnfitError, check_value
from vivavoce.store.cleaning import clean_text
from vivavoce.store.database import Store
from vivavoce.store.rows import BotRow, Project, SuiteRow
from vivavoce.workspace.access.bot_rules import BotRules, entry_faults
from vivavoce.workspace.scenarios.suites import put_together

# More than a week of talking at one message a second: a slip of the finger.
MOST_MESSAGES = 1_000_000

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

    suite: str
    bots: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    repeats: int = 1
    at_once: int | None = None
    per_second: float | None = None
    title: str = ""
    seed: int = 0


def read_choice(chosen: Mapping[str, Any], title: str = "") -> Choice:
    """Return options, as an API or a schedule has them, as a choice."""
    values: dict[str, Any] = {n: tuple(v) if isinstance(v, list) else v for n, v in chosen.items()}
    return Choice(**values, title=title)


@dataclass(frozen=True)
class Offer:
    """What there is to choose from in one suite; domains and levels with how many scenarios each has.

    `mark` is another one when the suite has changed.
    """

    row: SuiteRow
    suite: Suite
    bots: tuple[OfferedBot, ...]
    domains: Mapping[str, int] = field(default_factory=dict)
    levels: Mapping[str, int] = field(default_factory=dict)
    mark: int = 0


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


# --- what there is -----------------------------------------------------------------------------------------------


def offer(store: Store, project: Project, suite: str) -> Offer:
    """Return what can be chosen for a suite, named by its id or its name."""
    suite = clean_text(suite)
    with store.reading() as tx:
        row = tx.suites.get(suite) or tx.suites.by_name(project.id, suite)
        if row is None or row.project_id != project.id:
            known = [one.name for one in tx.suites.of_project(project.id)]
            raise AbsentError(
                say("there is no suite '{suite}'.{nearest}", suite=suite, nearest=nearest(suite, known)),
                remedy=say("choose one from the list of suites"),
            )
        scenarios, bots = tx.suites.scenarios(row.id), tx.bots.of_project(project.id)
    found = put_together(row, scenarios)
    mark = hash((row.id, row.head, *((one.id, one.version, one.place) for one in scenarios)))
    domains = Counter(one.domain for one in found.scenarios if one.domain)
    levels = Counter(one.level for one in found.scenarios)
    order = [*(level for level in found.levels if level in levels), *levels]
    return Offer(row, found, offered_bots(bots, row), domains, {level: levels[level] for level in order}, mark)


def offered_bots(bots: Sequence[BotRow], suite: SuiteRow) -> tuple[OfferedBot, ...]:
    """Return the bots of a project, then those that the agent of the suite gives; a name is offered once."""
    from vivavoce.agents import ENGINES

    own = [OfferedBot(bot.name, bot.entry) for bot in bots]
    taken = {bot.name for bot in own}
    given = [name for name in ENGINES if suite.agent and name not in taken]
    return (*own, *(OfferedBot(name, {"kind": name}, built_in=True) for name in given))


def usual_bots(found: Offer) -> tuple[str, ...]:
    """Return the bots that are ticked before anybody chose: those of the project, else the built-in ones."""
    own = tuple(bot.name for bot in found.bots if not bot.built_in)
    return own or tuple(bot.name for bot in found.bots)


# --- what was chosen ---------------------------------------------------------------------------------------------


def plan_of(found: Offer, choice: Choice) -> Plan:
    """Return the conversations that were chosen."""
    return expand(found.suite, domains=choice.domains, levels=choice.levels, seed=choice.seed)


def size_of(plan: Plan, choice: Choice) -> Size:
    """Return how much a run says."""
    conversations = len(plan.scripts)
    messages = sum(len(script.turns) for script in plan.scripts)
    times = max(1, choice.repeats) * len(choice.bots)
    return Size(conversations, messages, conversations * times, messages * times)


def size_ahead(found: Offer, choice: Choice) -> Size:
    """Return how much a run would say; a suite that has not changed is not counted again."""
    key = (found.mark, choice.domains, choice.levels, choice.bots, choice.repeats, choice.seed)
    return _SIZES.get(key, lambda: size_of(plan_of(found, choice), choice))


def check_choice(found: Offer, choice: Choice, rules: BotRules) -> Checked:
    """Look at all that was chosen before a run, all faults at once; nothing is asked of any bot."""
    errors = list(choice_faults(found, choice, rules))
    facts: list[BotFacts] = []
    if not errors:
        facts, broken = gather_facts(found, choice)
        errors += broken
    plan = plan_of(found, choice)
    size = size_of(plan, choice)
    if size.total_messages > MOST_MESSAGES:
        errors.append(
            Fault(
                say(
                    "this run would send {total_messages:,} messages, the most is {most_messages:,}",
                    total_messages=size.total_messages,
                    most_messages=MOST_MESSAGES,
                )
            )
        )
    held = {script.scenario for script in plan.scripts}
    looked = check_suite(found.suite, facts, repeats=choice.repeats)
    return Checked(size, (*errors, *_faults(looked.errors, held)), _faults(looked.warnings, held))


def choice_faults(found: Offer, choice: Choice, rules: BotRules) -> list[Fault]:
    """Return what is wrong with the bots and numbers that were chosen, before any bot is built."""
    known = {bot.name: bot for bot in found.bots}
    faults = [
        Fault(say("there is no bot '{name}'.{nearest}", name=name, nearest=nearest(name, list(known))), "bots")
        for name in choice.bots
        if name not in known
    ]
    faults += [Fault(say("choose at least one bot"), "bots")] if not choice.bots else []
    faults += [
        Fault(say("'{name}' is chosen twice", name=name), "bots") for name, n in Counter(choice.bots).items() if n > 1
    ]
    faults += _range_faults(choice)
    for name in choice.bots:
        if name in known:
            faults += _bot_faults(known[name], rules)
    return faults


def _range_faults(choice: Choice) -> Iterator[Fault]:
    for option in CONVERSATIONS.chosen:
        try:
            if option.low is not None:
                check_value(option, getattr(choice, option.name))
        except UnfitError as error:
            yield Fault(error.what, option.name)


def _bot_faults(bot: OfferedBot, rules: BotRules) -> list[Fault]:
    """Return what is wrong with a bot now: the rules may have changed since it was added."""
    found = () if bot.built_in else entry_faults(bot.name, bot.entry, rules)
    return [replace(fault, where=f"{bot.name}, {fault.where}".rstrip(", ")) for fault in found]


def _faults(problems: Sequence[CheckProblem], held: set[str]) -> tuple[Fault, ...]:
    """Return problems of scenarios that are held; what belongs to no scenario concerns all of them."""
    return tuple(Fault(one.message, one.where) for one in problems if not one.scenarios or held & set(one.scenarios))


# --- bots --------------------------------------------------------------------------------------------------------


def chosen_bots(found: Offer, choice: Choice) -> list[OfferedBot]:
    """Return the bots that were chosen, in the order in which they are offered."""
    return [bot for bot in found.bots if bot.name in choice.bots]


def gather_facts(found: Offer, choice: Choice) -> tuple[list[BotFacts], list[Fault]]:
    """Build the bots that were chosen and return what is known about them, and what is wrong with the others."""
    facts: list[BotFacts] = []
    faults: list[Fault] = []
    for bot in chosen_bots(found, choice):
        try:
            facts.append(_facts(bot, found.row.agent, choice.seed))
        except VivaError as error:
            faults.append(Fault(error.what + " (" + error.remedy + ")" if error.remedy else error.what, bot.name))
            faults += [replace(fault, where=bot.name) for fault in error.faults]
    return facts, faults


def _facts(bot: OfferedBot, agent: str | None, seed: int) -> BotFacts:
    if find_connector(bot.kind).learns_here:
        return _learned_facts(bot.name, json.dumps(dict(bot.entry), sort_keys=True), agent, seed)
    return load_entry(bot.name, bot.entry, agent=agent, seed=seed).facts


@lru_cache(maxsize=32)
def _learned_facts(name: str, entry: str, agent: str | None, seed: int) -> BotFacts:
    """Return what is known about a bot that must be trained first; what it learns from ships and never changes."""
    return load_entry(name, json.loads(entry), agent=agent, seed=seed).facts


def refuse(checked: Checked, found: Offer) -> None:
    """Refuse a run that would be wrong, all faults at once."""
    if checked.errors:
        raise UsageError(
            say("the run cannot begin"),
            where=found.row.name,
            faults=checked.errors,
            remedy=say("correct what is named, or choose otherwise"),
        )
