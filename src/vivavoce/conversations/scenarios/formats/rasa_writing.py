"""A suite as Rasa test stories: messages with their intent and entities, actions where they are known.

Each turn is read back as it was written: what differs is told as lost, so that nothing can be dropped unseen.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from vivavoce.conversations.judging.matching import kind_of
from vivavoce.conversations.scenario import Expectation, Match, Plan, Script, ScriptTurn, Step, Suite, Turn
from vivavoce.conversations.scenarios.formats.imported import Losses, find_losses, head_losses, story_name
from vivavoce.conversations.scenarios.formats.rasa import FALLBACK, KEPT, STEP_KEYS, read_story
from vivavoce.conversations.scenarios.formats.rasa_parts import mark_message, plain_message
from vivavoce.files.writing import write_text
from vivavoce.files.yamls import dump_yaml, parse_yaml

VERSION = "3.1"
LOOPS = frozenset({"active_loop", "checkpoint"})
Steps = list[dict[str, Any]]


def write_rasa(plan: Plan, path: str | Path) -> tuple[str, ...]:
    """Write the conversations of a plan as test stories; return what could not be expressed."""
    stories, lost = to_rasa(plan)
    write_text(path, dump_yaml({"version": VERSION, "stories": stories}))
    return lost


def to_rasa(plan: Plan) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """Return the conversations of a plan as stories, and what could not be expressed."""
    losses = Losses()
    head_losses(plan, losses)
    if plan.fallback.replies:
        losses.add("fallback texts are not kept", ", ".join(plan.fallback.replies[:3]))
    return [_story(script, plan, losses) for script in plan.scripts], losses.describe()


def _story(script: Script, plan: Plan, losses: Losses) -> dict[str, Any]:
    steps: Steps = _slots(script.setup_slots)
    for turn in script.turns:
        written = _steps(turn, plan.defaults.match)
        read = _carry(read_story(parse_yaml(dump_yaml(written))))
        where = f"{script.id}/{turn.id}"
        meant, got = replace(turn, expect=_flat(turn.expect)), replace(read, expect=_flat(read.expect))
        for loss in find_losses(meant, got, plan.defaults.match, Match.CONTAINS):
            losses.add(loss, where)
        steps += written
    name = story_name(script)
    if script.title and script.title != name:
        losses.add("`title` is not kept", script.id)
    return {"story": name, "steps": steps}


def _steps(turn: ScriptTurn, default: Match) -> Steps:
    expect = turn.expect
    intent = FALLBACK if expect.fallback else next(iter(expect.intents), "")
    asked = {"intent": intent} if intent else {}
    steps: Steps = [{**asked, "user": _message(turn)}]
    if expect.action:
        steps.append({"action": expect.action})
    bubbles = expect.any if len(expect.any) == 1 and not expect.all else expect.all if not expect.any else ()
    if bubbles and all(kind_of(pattern, default) is Match.EXACT for pattern in bubbles):
        steps += [{"bot": pattern.text} for pattern in bubbles]
    rest = [
        _restore_nulls(step) for step in _read_kept(expect) if set(step) <= STEP_KEYS | LOOPS and "user" not in step
    ]
    # A step that could not be said ends what belongs to this message.
    end = next((place for place, step in enumerate(rest) if "intent" in step), len(rest))
    return [*steps, *rest[:end], *_slots(expect.slots_after), *rest[end:]]


def _message(turn: ScriptTurn) -> str:
    """Return the message with its slots marked, as it was in Rasa where that is known."""
    for step in _read_kept(turn.expect):
        if set(step) == {"user"} and plain_message(str(step["user"]))[:2] == (turn.text, dict(turn.expect.slots)):
            return str(step["user"])
    return mark_message(turn.text, turn.expect.slots)


def _flat(expect: Expectation) -> Expectation:
    """Return an expectation with its action among the steps that were kept: without a domain they are alike."""
    steps = [*_read_kept(expect), *([{"action": expect.action}] if expect.action else [])]
    rest = {key: value for key, value in expect.extras.items() if key != KEPT}
    return replace(expect, action=None, extras=rest | ({KEPT: sorted(steps, key=str)} if steps else {}))


def carry_steps(suite: Suite) -> Suite:
    """Return a suite in which steps that were kept from Rasa go with the expectations, so that they are written."""
    return replace(
        suite,
        scenarios=tuple(replace(each, turns=_carry_all(each.turns)) for each in suite.scenarios),
        parts={name: _carry_all(steps) for name, steps in suite.parts.items()},
    )


def _carry_all(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    return tuple(_carry(step) if isinstance(step, Turn) else step for step in steps)


def _carry(turn: Turn) -> Turn:
    if KEPT not in turn.extras:
        return turn
    rest = {key: value for key, value in turn.extras.items() if key != KEPT}
    expect = replace(turn.expect, extras={**turn.expect.extras, KEPT: turn.extras[KEPT]})
    return replace(turn, expect=expect, extras=rest)


def _read_kept(expect: Expectation) -> Steps:
    rest = expect.extras.get(KEPT)
    return [step for step in rest if isinstance(step, dict)] if isinstance(rest, list) else []


def _restore_nulls(value: Any) -> Any:
    """Return a value as Rasa reads it: every scalar was read as text, and `null` must not stay one."""
    if isinstance(value, dict):
        return {key: _restore_nulls(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_restore_nulls(item) for item in value]
    return None if value == "null" else value


def _slots(slots: Any) -> Steps:
    return [{"slot_was_set": [{name: value or None} for name, value in slots.items()]}] if slots else []
