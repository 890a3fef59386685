"""Runs of scripted conversations: begun, watched while they are held, and what was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from vivavoce.conversations.transcript import TalkKey
from vivavoce.errors import AbsentError, Fault, UsageError
from vivavoce.jobs.exams.conversations import PUBLIC_ONLY, run_options
from vivavoce.jobs.exams.documents import storable
from vivavoce.jobs.exams.registry import load_exam
from vivavoce.jobs.exams.talks import conversation_material, read_material, read_talk
from vivavoce.messages import join, say, say_count, values_named
from vivavoce.options import check_options
from vivavoce.store.cleaning import clean_text
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role, Run, TurnRow, UnitState
from vivavoce.store.stamps import new_id
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.access.bot_rules import BotRules, entry_faults, server_rules
from vivavoce.workspace.conversations.choices import (
    Checked,
    Choice,
    Offer,
    OfferedBot,
    check_choice,
    choice_faults,
    chosen_bots,
    gather_facts,
    offer,
    plan_of,
    read_choice,
    refuse,
    usual_bots,
)
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


# --- beginning ---------------------------------------------------------------------------------------------------


def look_ahead(store: Store, project: Project, choice: Choice, rules: BotRules) -> Checked:
    """Return how large a run would be and what is wrong with it; nothing is begun."""
    return check_choice(offer(store, project, choice.suite), choice, rules)


def start_conversations(store: Store, actor: Actor, project: Project, choice: Choice, rules: BotRules) -> Run:
    """Begin a run of conversations; refused with all faults at once where it would be wrong."""
    actor.require(Role.EDITOR)
    found = offer(store, project, choice.suite)
    refuse(check_choice(found, choice, rules), found)
    bots = chosen_bots(found, choice)
    options = load_exam(KIND).check(
        {"repeats": choice.repeats, "seed": choice.seed, PUBLIC_ONLY: not rules.private_bots}
    )
    known = {one.name: _limited(one, choice) for one in gather_facts(found, choice)[0]}
    entries = [(bot.name, dict(bot.entry)) for bot in bots]
    facts = [known[bot.name] for bot in bots]
    material = conversation_material(
        plan_of(found, choice), entries, facts, run_options(options), found.row.agent, run=new_id()
    )
    title = choice.title.strip() or usual_title(found, bots)
    return runs.begin_run(store, actor, project, KIND, title, options, material, suite_id=found.row.id)


class ConversationsInProject(ProjectExam):
    """Scripted conversations of a project."""

    def start(
        self, store: Store, actor: Actor, project: Project, chosen: Mapping[str, Any], *, title: str = ""
    ) -> Run:
        """Start a run under the rules of this server; where no bot is named, with the usual ones."""
        if chosen.get("suite") and not chosen.get("bots"):
            found = offer(store, project, str(chosen["suite"]))
            chosen = {**chosen, "bots": list(usual_bots(found)) or None}
        choice = read_choice(check_options(KIND, chosen, self.kind.chosen), title)
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
                say("the bots of run {number} are not allowed as they are", number=run.number),
                faults=faults,
                remedy=say("correct the bots and begin a new run"),
            )

    def daily_faults(self, store: Store, actor: Actor, project: Project, chosen: Mapping[str, Any]) -> list[Fault]:
        """Return what is wrong with the suite, and with what was chosen of it."""
        faults = super().daily_faults(store, actor, project, chosen)
        if any(fault.where == "suite" for fault in faults):
            return faults
        try:
            found = offer(store, project, clean_text(chosen["suite"]))
        except AbsentError as error:
            return [*faults, Fault(error.what, "suite")]
        return faults or choice_faults(found, read_choice(chosen), server_rules())

    def offers(self, store: Store, project: Project, name: str, chosen: Mapping[str, Any]) -> Mapping[str, str]:
        """Return the suites, or what the chosen one offers."""
        suites = {line.suite.id: line.suite.title or line.suite.name for line in list_suites(store, project)}
        if name == "suite" or not suites:
            return suites
        found = offer(store, project, chosen["suite"])
        values = {"bots": [bot.name for bot in found.bots], "domains": found.domains, "levels": found.levels}
        return {value: value for value in values[name]}

    def usual(self, store: Store, project: Project, name: str, chosen: Mapping[str, Any]) -> Sequence[str]:
        """Return the bots of the project, else the built-in ones."""
        return usual_bots(offer(store, project, chosen["suite"])) if name == "bots" else ()

    def problems(self, store: Store, project: Project, run: Run, most: int | None = None) -> list[Problem]:
        """Return what failed most often, with the topics, the bot and the scenario as they are now."""
        with store.reading() as tx:
            return [_problem(tx, project, run, each) for each in conversations_result(store, run).problems[:most]]

    def steps(self, tx: Transaction, project: Project, *, examined: bool) -> Iterator[str]:
        """Yield that a suite or a bot is missing, or that no conversation was held."""
        suites = tx.suites.of_project(project.id)
        if not suites:
            yield "suite"
        if not tx.bots.of_project(project.id):
            yield "bot"
        if suites and not examined:
            yield KIND


def _problem(tx: Transaction, project: Project, run: Run, found: Failure) -> Problem:
    named = {name: tx.topics.by_name(project.id, name) for name in values_named(found.message, "topic")}
    topics = {name: topic.id for name, topic in named.items() if topic}
    bot = tx.bots.by_name(project.id, found.bot)
    # A script is called as its scenario, with the row in brackets where there are several.
    scripts = [key.script.partition("[")[0] for key, _ in found.examples]
    rows = [tx.suites.scenario_by_name(run.suite_id, script) for script in scripts[:1] if run.suite_id]
    return Problem(
        KIND,
        "conversation",
        found.message,
        run.number,
        tuple(topics),
        tuple(topics.values()),
        bot=found.bot,
        remedy=found.remedy,
        bot_id=bot.id if bot else None,
        scenario_id=rows[0].id if rows and rows[0] else None,
    )


def usual_title(found: Offer, bots: Sequence[OfferedBot]) -> str:
    """Return what a run is called where nobody says: the suite and its bots."""
    names = ", ".join(bot.name for bot in bots)
    with_whom = names if len(bots) <= 3 else say_count(len(bots), "{n} bot", "{n} bots")
    return join(": ", (found.row.title or found.row.name, with_whom))


def _limited(facts: BotFacts, choice: Choice) -> BotFacts:
    """Return a bot with the limits of the run, which lower its own and never raise them."""
    limits = facts.limits
    at_once = min(limits.at_once, choice.at_once or limits.at_once)
    rates = [rate for rate in (limits.per_second, choice.per_second) if rate is not None]
    return replace(facts, limits=replace(limits, at_once=at_once, per_second=min(rates, default=None)))


# --- watching ----------------------------------------------------------------------------------------------------


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
            bot,
            done=by_state.get(UnitState.DONE, 0),
            failed=by_state.get(UnitState.FAILED, 0),
            running=by_state.get(UnitState.RUNNING, 0),
            total=sum(by_state.values()),
        )
        for bot, by_state in counts.items()
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


# --- what was found ----------------------------------------------------------------------------------------------


def conversations_result(store: Store, run: Run) -> ConversationsResult:
    """Return what a run of conversations found; AbsentError where it is not done."""
    return cast("ConversationsResult", runs.result_of(store, run))


@dataclass(frozen=True, slots=True)
class TurnPlace:
    """One turn of one talk with one bot."""

    bot: str
    script: str
    repeat: int
    number: int


def said_at(store: Store, run: Run, places: Sequence[TurnPlace]) -> dict[TurnPlace, TurnRow]:
    """Return the turns at some places, for examples: a few, in one query."""
    keys = {TalkKey(place.bot, place.script, place.repeat).label for place in places}
    with store.reading() as tx:
        rows = tx.turns.of_units(run.id, keys, {place.number for place in places})
    by_place = {TurnPlace(row.bot, row.script, row.repeat, row.number): row for row in rows}
    return {place: by_place[place] for place in places if place in by_place}


def junit_of(store: Store, run: Run) -> str:
    """Return a run as JUnit XML, judged from what was recorded."""
    from vivavoce.conversations.findings.finding import make_lines
    from vivavoce.conversations.running.record import RunRecord
    from vivavoce.reports.conversations.junit import render_junit

    result, material = conversations_result(store, run), material_of(store, run)
    with store.reading() as tx:
        results = tx.units.results(run.id)
    talks = [read_talk(material, unit, content) for unit, content in results.items()]
    with closing(RunRecord.in_memory(material.header, talks)) as record:
        header = record.header_as_met()
        lines = tuple(make_lines(header, record.transcripts()))
        return render_junit(replace(result, header=header, lines=lines), record)
