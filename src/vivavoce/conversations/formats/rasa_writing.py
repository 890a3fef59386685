"""A suite as Rasa test stories: messages with their intent and entities, actions where they are known.

Each turn is read back as it was written: what differs is told as lost, so that nothing can be dropped unseen.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vivavoce.conversations.formats.losses import Losses, find_losses, head_losses
from vivavoce.conversations.formats.rasa import FALLBACK, read_story
from vivavoce.conversations.formats.rasa_messages import mark_message
from vivavoce.conversations.matching import kind_of
from vivavoce.conversations.scenario import Match, Plan, Script, ScriptTurn
from vivavoce.files.writing import write_text
from vivavoce.files.yamls import dump_yaml, parse_yaml

VERSION = "3.1"
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
        losses.add("texts of a fallback are not kept", ", ".join(plan.fallback.replies[:3]))
    return [_story(script, plan, losses) for script in plan.scripts], losses.told()


def _story(script: Script, plan: Plan, losses: Losses) -> dict[str, Any]:
    steps: Steps = _slots(script.setup_slots)
    for turn in script.turns:
        written = _steps(turn, plan.defaults.match)
        read = read_story(parse_yaml(dump_yaml(written)))
        where = f"{script.id}, turn {turn.number}"
        for loss in find_losses(turn, read, plan.defaults.match, Match.CONTAINS):
            losses.add(loss, where)
        steps += written
    if script.title and script.title != script.id:
        losses.add("`title` is not kept", script.id)
    return {"story": script.id, "steps": steps}


def _steps(turn: ScriptTurn, default: Match) -> Steps:
    expect = turn.expect
    intent = FALLBACK if expect.fallback else next(iter(expect.intents), "")
    asked = {"intent": intent} if intent else {}
    steps: Steps = [{**asked, "user": mark_message(turn.text, expect.slots)}]
    if expect.action:
        steps.append({"action": expect.action})
    bubbles = expect.any if len(expect.any) == 1 and not expect.all else expect.all if not expect.any else ()
    if bubbles and all(kind_of(pattern, default) is Match.EXACT for pattern in bubbles):
        steps += [{"bot": pattern.text} for pattern in bubbles]
    return steps + _slots(expect.slots_after)


def _slots(slots: Any) -> Steps:
    return [{"slot_was_set": [{name: value or None} for name, value in slots.items()]}] if slots else []
