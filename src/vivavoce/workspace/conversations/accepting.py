"""From a run back to its scenarios: where a turn stands today, and a reply that somebody calls fine afterwards.

A run keeps its verdicts, since it keeps the scenarios it was held with: an accepted reply counts in later runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from vivavoce.conversations.scenario import Include, Scenario, Script, ScriptTurn, Suite, Turn
from vivavoce.conversations.scenarios.expansion import expand_leniently, list_places
from vivavoce.conversations.scenarios.joining import find_own_name
from vivavoce.conversations.scenarios.references import find_broken, usable_part
from vivavoce.conversations.transcript import ConversationKey
from vivavoce.errors import AbsentError, UsageError
from vivavoce.messages import say
from vivavoce.outcomes import TurnOutcome
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role, Run, ScenarioRow, TurnRow
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.conversations.conversations import TurnPlace, find_scenario
from vivavoce.workspace.conversations.transcripts import material_of
from vivavoce.workspace.scenarios.scenarios import Saved, save_scenario
from vivavoce.workspace.scenarios.suites import assemble_suite, parse_scenario, read_head

MAX_REPLY = 2_000


@dataclass(frozen=True)
class Origin:
    """The scenario that a conversation was made of, as it is today.

    `places`: by the number of a turn, the place (from 0) of its step, as far as the visitor still says the same.
    `accepted`: by the number of a turn, the replies that were accepted by now.
    """

    row: ScenarioRow
    places: Mapping[int, int]
    accepted: Mapping[int, tuple[str, ...]]


def find_origin(store: Store, run: Run, script: Script) -> Origin | None:
    """Return the scenario of a conversation as it is today; None where it is gone."""
    seed = material_of(store, run).header.seed
    with store.reading() as tx:
        row = find_scenario(tx, run, script.scenario)
        suite = tx.suites.get(row.suite_id) if row else None
    if row is None or suite is None:
        return None
    scenario = parse_scenario(row.text)
    return _trace(row, scenario, script, replace(read_head(suite.head), scenarios=(scenario,)), seed)


def is_accepted(origin: Origin | None, row: TurnRow) -> bool:
    """Tell whether a reply of a run was accepted by now."""
    return origin is not None and one_line(row.reply) in origin.accepted.get(row.number, ())


def may_accept(row: TurnRow) -> bool:
    """Tell whether a reply can be called fine: it was judged, it is wrong, and there is something to accept."""
    judged = row.outcome and TurnOutcome(row.outcome)
    return bool(judged and judged.counted and not judged.passed and row.reply.strip())


def accept_reply(store: Store, actor: Actor, project: Project, run: Run, place: TurnPlace) -> Saved:
    """Add the reply of a bot to those that its turn accepts; refused where the turn is not there any more."""
    actor.require(Role.EDITOR)
    key, number = place
    reply = _find_reply(store, run, key, number)
    material = material_of(store, run)
    script = material.scripts[key.script]
    with store.reading() as tx:
        row = find_scenario(tx, run, script.scenario)
        suite = assemble_suite(tx, row.suite_id) if row else None
    if row is None or suite is None:
        raise AbsentError(
            say("the scenario of this conversation was deleted"),
            remedy=say("restore it from the history, or start a new run"),
        )
    scenario = parse_scenario(row.text)
    origin = _trace(row, scenario, script, suite, material.header.seed)
    if number not in origin.places:
        facts = {"name": row.name, "number": number}
        raise UsageError(
            say("the scenario '{name}' has changed since this run: turn {number:d} is now a different one", **facts),
            remedy=say("edit the scenario, or start a new run and accept the reply there"),
        )
    changed = _add_reply(scenario, origin, number, reply)
    summary = say("Reply accepted in {id}, turn {number:d}", id=row.name, number=number)
    return save_scenario(store, actor, project, row.id, changed, version=row.version, summary=summary)


def one_line(text: str) -> str:
    """Return a reply as a scenario keeps it: on one line."""
    return " ".join(text.split())


def _find_reply(store: Store, run: Run, key: ConversationKey, number: int) -> str:
    with store.reading() as tx:
        rows = tx.turns.of_script(run.id, key.script, key.repeat)
    reply = next((row for row in rows if (row.bot, row.number) == (key.bot, number)), None)
    if reply is None or key.script not in material_of(store, run).scripts:
        what = say("run {number:d} has no such turn", number=run.number)
        raise AbsentError(what, remedy=say("choose one from the list"))
    if not may_accept(reply) or len(reply.reply) > MAX_REPLY:
        why = say("there is no wrong reply to accept")
        if len(reply.reply) > MAX_REPLY:
            why = say("the reply is longer than {most:,} characters", most=MAX_REPLY)
        raise UsageError(why, remedy=say("edit the scenario instead"))
    return one_line(reply.reply)


def _trace(row: ScenarioRow, scenario: Scenario, script: Script, suite: Suite, seed: int) -> Origin:
    """Find the turns of a conversation in its scenario, up to the first at which the visitor says something else."""
    whole = usable_part(suite, find_broken(suite))
    scripts = expand_leniently(whole, seed=seed).plan.scripts
    name = find_own_name(script.suite, script.id)
    now = next((other for other in scripts if other.id == name), None)
    same: list[ScriptTurn] = []
    for turn, then in zip(now.turns if now else (), script.turns, strict=False):
        if turn.text != then.text:
            break
        same.append(turn)
    places = list_places(suite, scenario) if same else ()
    return Origin(
        row,
        {turn.number: places[turn.number - 1] for turn in same},
        {turn.number: turn.expect.accepted for turn in same if turn.expect.accepted},
    )


def _add_reply(scenario: Scenario, origin: Origin, number: int, reply: str) -> Scenario:
    place = origin.places[number]
    step = scenario.turns[place]
    if isinstance(step, Include):
        raise UsageError(
            say("this turn belongs to the part '{name}', which other scenarios use too", name=step.part),
            remedy=say("edit it in the suite's file"),
        )
    known = origin.accepted.get(number, ()) if step.expect.same else step.expect.accepted
    if reply in known:
        raise UsageError(say("this reply is already accepted"), remedy=say("start a new run to count it"))
    changed: Turn = replace(step, expect=replace(step.expect, accepted=(*known, reply)))
    return replace(scenario, turns=(*scenario.turns[:place], changed, *scenario.turns[place + 1 :]))
