"""Runs of scripted conversations: begun, watched while they are held, and what was found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from vivavoce.conversations.scenarios.joining import find_own_name, join_facts
from vivavoce.conversations.transcript import ConversationKey
from vivavoce.errors import AbsentError, Fault, UsageError
from vivavoce.jobs.exams.conversation_run import conversation_material, read_conversation, read_material
from vivavoce.jobs.exams.conversations import PUBLIC_ONLY, run_options
from vivavoce.jobs.exams.documents import storable
from vivavoce.jobs.exams.kinds import SUITES
from vivavoce.jobs.exams.registry import load_exam
from vivavoce.messages import join, say, say_count, values_named
from vivavoce.options import check_options
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role, Run, ScenarioRow, TurnRow, UnitState
from vivavoce.store.stamps import new_id
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.access.bot_rules import BotRules, entry_faults, server_rules
from vivavoce.workspace.conversations import choices
from vivavoce.workspace.conversations.transcripts import material_of
from vivavoce.workspace.exams import runs
from vivavoce.workspace.exams.project_exams import Problem, ProjectExam
from vivavoce.workspace.scenarios.suites import list_suites

if TYPE_CHECKING:
    from vivavoce.bots import BotFacts
    from vivavoce.conversations.result import ConversationsResult
    from vivavoce.conversations.result import Problem as Failure

KIND = "conversations"
SHOWN_TALKS = 12


def look_ahead(store: Store, project: Project, choice: choices.Choice, rules: BotRules) -> choices.Checked:
    """Return how large a run would be and what is wrong with it; nothing is begun."""
    return choices.check_choice(choices.offer(store, project, *choice.suites), choice, rules)


def start_conversations(store: Store, actor: Actor, project: Project, choice: choices.Choice, rules: BotRules) -> Run:
    """Begin a run of conversations; refused with all faults at once where it would be wrong."""
    actor.require(Role.EDITOR)
    offered = choices.offer(store, project, *choice.suites)
    choices.refuse(choices.check_choice(offered, choice, rules), offered)
    bots = choices.chosen_bots(offered, choice)
    rows = [each.row for each in offered.suites]
    chosen = {"repeats": choice.repeats, "seed": choice.seed, PUBLIC_ONLY: not rules.private_bots}
    options = load_exam(KIND).check({**chosen, SUITES: [row.id for row in rows]} if len(rows) > 1 else chosen)
    each_suite = choices.gather_facts(offered, choice)[0]
    facts = [_limit(join_facts(same), choice) for same in zip(*each_suite, strict=True)]
    material = conversation_material(
        choices.plan_of(offered, choice),
        [(bot.name, dict(bot.entry)) for bot in bots],
        facts,
        run_options(options),
        rows[0].agent if len(rows) == 1 else None,
        agents={row.name: row.agent for row in rows} if len(rows) > 1 else None,
        run=new_id(),
    )
    title = choice.title if choice.title.strip() else usual_title(offered, bots)
    suite_id = rows[0].id if len(rows) == 1 else None
    return runs.begin_run(store, actor, project, KIND, title, options, material, suite_id=suite_id)


def suites_of(run: Run) -> tuple[str, ...]:
    """Return the ids of the suites that a run was made of."""
    several = run.options.get(SUITES) or ()
    return tuple(several) or ((run.suite_id,) if run.suite_id else ())


def find_scenario(tx: Transaction, run: Run, name: str) -> ScenarioRow | None:
    """Return the scenario that a run calls by this name, as it is now; None where it is gone."""
    for suite_id in suites_of(run):
        suite = tx.suites.get(suite_id)
        if suite is not None:
            row = tx.suites.scenario_by_name(suite_id, find_own_name(suite.name, name))
            if row is not None:
                return row
    return None


def find_scenarios(store: Store, run: Run, names: Iterable[str]) -> dict[str, str]:
    """Return the ids of scenarios as they are now, by their names in a run; those that are gone are left out."""
    with store.reading() as tx:
        rows = {name: find_scenario(tx, run, name) for name in dict.fromkeys(names)}
    return {name: row.id for name, row in rows.items() if row is not None}


class ConversationsInProject(ProjectExam):
    """Scripted conversations of a project."""

    def start(
        self, store: Store, actor: Actor, project: Project, chosen: Mapping[str, Any], *, title: str = ""
    ) -> Run:
        """Start a run under the rules of this server; where no bot is named, with the usual ones."""
        if chosen.get("suite") and not chosen.get("bots"):
            offered = choices.offer(store, project, *map(str, choices.suite_names(chosen["suite"])))
            chosen = {**chosen, "bots": list(choices.usual_bots(offered)) or None}
        choice = choices.read_choice(check_options(KIND, chosen, self.kind.chosen), title)
        return start_conversations(store, actor, project, choice, server_rules())

    def check_allowed(self, tx: Transaction, actor: Actor, run: Run) -> None:
        """Refuse bots that the server no longer allows."""
        rules, entries = server_rules(), read_material(tx.runs.material(run.id)).entries
        faults = [
            replace(fault, where=f"{name}, {fault.where.removeprefix(f'{name}, ')}")
            for name, entry in entries.items()
            for fault in entry_faults(name, entry, rules)
        ]
        if faults:
            raise UsageError(
                say("the bots of run {number} are not allowed", number=run.number),
                faults=faults,
                remedy=say("fix the bots and start a new run"),
            )

    def daily_faults(self, store: Store, actor: Actor, project: Project, chosen: Mapping[str, Any]) -> list[Fault]:
        """Return what is wrong with the suite, and with what was chosen of it."""
        faults = super().daily_faults(store, actor, project, chosen)
        if any(fault.where == "suite" for fault in faults):
            return faults
        try:
            offered = choices.offer(store, project, *choices.suite_names(chosen["suite"]))
        except AbsentError as error:
            return [*faults, Fault(error.what, "suite")]
        return faults or choices.choice_faults(offered, choices.read_choice(chosen), server_rules())

    def offers(self, store: Store, project: Project, name: str, chosen: Mapping[str, Any]) -> Mapping[str, str]:
        """Return the suites, or what any of them offers."""
        suites = {line.suite.id: line.suite.title or line.suite.name for line in list_suites(store, project)}
        if name == "suite":
            return suites
        values: dict[str, str] = {}
        for suite in suites:
            offered = choices.offer(store, project, suite)
            bots = [bot.name for bot in offered.bots]
            of_suite = {"bots": bots, "domains": offered.domains, "levels": offered.levels}
            values |= {value: value for value in of_suite[name]}
        return values

    def usual(self, store: Store, project: Project, name: str, chosen: Mapping[str, Any]) -> Sequence[str]:
        """Return the bots of the project, else the built-in ones."""
        suites = [line.suite.id for line in list_suites(store, project)]
        if name == "suite":
            return suites[:1]
        return choices.usual_bots(choices.offer(store, project, suites[0])) if name == "bots" and suites else ()

    def problems(self, store: Store, project: Project, run: Run, most: int | None = None) -> list[Problem]:
        """Return what failed most often, with the topics, the bot and the scenario as they are now."""
        with store.reading() as tx:
            return [
                _describe_problem(tx, project, run, each) for each in conversations_result(store, run).problems[:most]
            ]

    def steps(self, tx: Transaction, project: Project, *, examined: bool) -> Iterator[str]:
        """Yield that a suite or a bot is missing, or that no conversation was held."""
        suites = tx.suites.of_project(project.id)
        if not suites:
            yield "suite"
        if not tx.bots.of_project(project.id):
            yield "bot"
        if suites and not examined:
            yield KIND


def _describe_problem(tx: Transaction, project: Project, run: Run, failure: Failure) -> Problem:
    named = {name: tx.topics.by_name(project.id, name) for name in values_named(failure.message, "topic")}
    topics = {name: topic.id for name, topic in named.items() if topic}
    bot = tx.bots.by_name(project.id, failure.bot)
    # A script is called as its scenario, with the row in brackets where there are several.
    scripts = [key.script.partition("[")[0] for key, _ in failure.examples]
    rows = [find_scenario(tx, run, script) for script in scripts[:1]]
    return Problem(
        KIND,
        "conversation",
        failure.message,
        run.number,
        tuple(topics),
        tuple(topics.values()),
        bot=failure.bot,
        remedy=failure.remedy,
        bot_id=bot.id if bot else None,
        scenario_id=rows[0].id if rows and rows[0] else None,
    )


def usual_title(offered: choices.Offer, bots: Sequence[choices.OfferedBot]) -> str:
    """Return what a run is about: the suites and the bots."""
    names = ", ".join(bot.name for bot in bots)
    with_whom = names if len(bots) <= 3 else say_count(len(bots), "{n} bot", "{n} bots")
    several = len(offered.suites) > 2
    what = say_count(len(offered.suites), "{n} suite", "{n} suites") if several else offered.title
    return join(": ", (what, with_whom))


def _limit(facts: BotFacts, choice: choices.Choice) -> BotFacts:
    """Return a bot with the limits of the run, which lower its own and never raise them."""
    limits = facts.limits
    at_once = min(limits.at_once, choice.at_once or limits.at_once)
    rates = [rate for rate in (limits.per_second, choice.per_second) if rate is not None]
    return replace(facts, limits=replace(limits, at_once=at_once, per_second=min(rates, default=None)))


@dataclass(frozen=True, slots=True)
class BotProgress:
    """How far a run is with one bot."""

    bot: str
    done: int
    failed: int
    running: int
    total: int


@dataclass(frozen=True, slots=True)
class TalkPlace:
    """One script of a run in one repeat (from 0), whatever the bot."""

    script: str
    repeat: int


@dataclass(frozen=True)
class Watched:
    """One talk as it is held now with every bot: its turns by bot; `others` are talks that can be watched instead."""

    place: TalkPlace | None
    turns: Mapping[str, tuple[TurnRow, ...]]
    states: Mapping[str, UnitState]
    others: tuple[TalkPlace, ...]


def bot_progress(store: Store, run: Run) -> tuple[BotProgress, ...]:
    """Return how far a run is with each of its bots, in the order of the run."""
    with store.reading() as tx:
        counts = tx.units.counts_by_bot(run.id)
    return tuple(
        BotProgress(
            bot.name,
            done=counts[bot.name].get(UnitState.DONE, 0),
            failed=counts[bot.name].get(UnitState.FAILED, 0),
            running=counts[bot.name].get(UnitState.RUNNING, 0),
            total=sum(counts[bot.name].values()),
        )
        for bot in material_of(store, run).header.bots
    )


def watch(store: Store, run: Run, place: TalkPlace | None = None) -> Watched:
    """Return the talk that is held now, or the one that was asked for, with every bot."""
    with store.reading() as tx:
        # Talks that are being held, the first begun first, then those that were held last.
        recent = dict.fromkeys(place_of(bot, key) for bot, key in tx.units.recent(run.id, SHOWN_TALKS * 3))
        others = tuple(recent)[:SHOWN_TALKS]
        chosen = place or next(iter(others), None)
        if chosen is None:
            return Watched(None, {}, {}, ())
        chosen = replace(chosen, script=storable(chosen.script))
        rows = tx.turns.of_script(run.id, chosen.script, chosen.repeat)
        states = tx.units.states_by_bot(run.id, f"/{chosen.script}/{chosen.repeat}")
    by_bot: dict[str, tuple[TurnRow, ...]] = {}
    for row in rows:
        by_bot[row.bot] = (*by_bot.get(row.bot, ()), row)
    return Watched(chosen, by_bot, states, others)


def place_of(bot: str, key: str) -> TalkPlace:
    """Return which talk the unit of a bot is."""
    script, _, repeat = key.removeprefix(f"{bot}/").rpartition("/")
    return TalkPlace(script, int(repeat))


def conversations_result(store: Store, run: Run) -> ConversationsResult:
    """Return what a run of conversations found; AbsentError where it is not done."""
    return cast("ConversationsResult", runs.result_of(store, run))


# A turn of a conversation, by its number.
TurnPlace = tuple[ConversationKey, int]


def find_turns(store: Store, run: Run, places: Sequence[TurnPlace]) -> dict[TurnPlace, TurnRow]:
    """Return the turns at some places, for examples: a few, in one query."""
    with store.reading() as tx:
        rows = tx.turns.of_units(run.id, {key.label for key, _ in places}, {number for _, number in places})
    by_place = {(ConversationKey(row.bot, row.script, row.repeat), row.number): row for row in rows}
    return {place: by_place[place] for place in places if place in by_place}


def junit_of(store: Store, run: Run) -> str:
    """Return a run as JUnit XML, judged from what was recorded."""
    from vivavoce.conversations.findings.finding import make_lines
    from vivavoce.conversations.running.record import RunRecord
    from vivavoce.reports.conversations.junit import render_junit

    result, material = conversations_result(store, run), material_of(store, run)
    with store.reading() as tx:
        results = tx.units.results(run.id)
    talks = [read_conversation(material, unit, content) for unit, content in results.items()]
    with closing(RunRecord.in_memory(material.header, talks)) as record:
        header = record.header_as_met()
        lines = tuple(make_lines(header, record.transcripts()))
        return render_junit(replace(result, header=header, lines=lines), record)
