"""A suite as Rasa test stories: messages with their intent and entities, actions where they are known."""

from __future__ import annotations

from pathlib import Path

from vivavoce.conversations.scenario import Plan, Script, ScriptTurn
from vivavoce.files.writing import write_text
from vivavoce.files.yamls import dump_yaml

FALLBACK = "nlu_fallback"


def write_rasa(plan: Plan, path: str | Path) -> tuple[str, ...]:
    """Write the conversations of a plan as test stories; return what could not be expressed."""
    stories, lost = to_rasa(plan)
    write_text(path, dump_yaml({"version": "3.1", "stories": stories}))
    return lost


def to_rasa(plan: Plan) -> tuple[list[object], tuple[str, ...]]:
    """Return the conversations of a plan as stories, and what could not be expressed."""
    lost: list[str] = []
    return [_story(script, lost) for script in plan.scripts], tuple(lost)


def _story(script: Script, lost: list[str]) -> object:
    steps: list[object] = []
    for turn in script.turns:
        steps += _steps(turn, script, lost)
    return {"story": script.id, "steps": steps}


def _steps(turn: ScriptTurn, script: Script, lost: list[str]) -> list[object]:
    expect = turn.expect
    intent = FALLBACK if expect.fallback else next(iter(expect.intents), None)
    asked: dict[str, object] = {"intent": intent} if intent else {}
    steps: list[object] = [{**asked, "user": _marked(turn)}]
    if expect.action:
        steps.append({"action": expect.action})
    if expect.slots_after:
        steps.append({"slot_was_set": [{name: value} for name, value in expect.slots_after.items()]})
    left = [name for name in ("any", "all", "none", "buttons", "within_ms") if getattr(expect, name)]
    left = [] if expect.action and left == ["any"] else left
    if left or len(expect.intents) > 1:
        lost.append(
            f"{script.id}, turn {turn.number}: a test story has no place for {', '.join(left) or 'two intents'}"
        )
    return steps


def _marked(turn: ScriptTurn) -> str:
    """Mark slots whose value stands in the message, as Rasa does."""
    text = turn.text
    for name, value in turn.expect.slots.items():
        place = text.casefold().find(value.casefold())
        if place >= 0:
            found = text[place : place + len(value)]
            text = f"{text[:place]}[{found}]({name}){text[place + len(value) :]}"
    return text
