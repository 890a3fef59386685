"""Runs of scripted conversations: begun, watched while they are held, and what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from vivavoce.conversations.transcript import TalkKey
from vivavoce.errors import plural
from vivavoce.jobs.exams.conversations import PUBLIC_ONLY, run_options
from vivavoce.jobs.exams.registry import load_exam
from vivavoce.jobs.exams.talks import conversation_material, read_talk
from vivavoce.jobs.turns import storable
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role, Run, TurnRow, UnitState
from vivavoce.store.stamps import new_id
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.access.bot_rules import BotRules
from vivavoce.workspace.conversations.choices import (
    Checked,
    Choice,
    Offer,
    OfferedBot,
    check_choice,
    chosen_bots,
    gather_facts,
    offer,
    plan_of,
    refuse,
)
from vivavoce.workspace.conversations.transcripts import material_of
from vivavoce.workspace.exams import runs

if TYPE_CHECKING:
    from vivavoce.bots import BotFacts
    from vivavoce.conversations.result import ConversationsResult

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
    said = {"repeats": choice.repeats, "seed": choice.seed, PUBLIC_ONLY: not rules.private_bots}
    options = load_exam(KIND).check(said)
    known = {one.name: _limited(one, choice) for one in gather_facts(found, choice)[0]}
    entries = [(bot.name, dict(bot.entry)) for bot in bots]
    facts = [known[bot.name] for bot in bots]
    material = conversation_material(
        plan_of(found, choice), entries, facts, run_options(options), found.row.agent, run=new_id()
    )
    title = choice.title.strip() or usual_title(found, bots)
    return runs.begin_run(store, actor, project, KIND, title, options, material, suite_id=found.row.id)


def usual_title(found: Offer, bots: Sequence[OfferedBot]) -> str:
    """Return what a run is called where nobody says: the suite and its bots."""
    names = ", ".join(bot.name for bot in bots)
    with_whom = names if len(bots) <= 3 else plural(len(bots), "bot")
    return f"{found.row.title or found.row.name}: {with_whom}"[: runs.MOST_TITLE]


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
