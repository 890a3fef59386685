"""Actions in an answer: tool calls of a language model, or whatever a bot reports that it did."""

from __future__ import annotations

import json
from collections.abc import Mapping

from vivavoce.records import Action

__all__ = ["ACTION_KEYS", "read_actions"]

ACTION_KEYS = ("actions", "tool_calls", "function_call")
_NAMES = ("name", "action", "toolName")
_ARGUMENTS = ("args", "arguments", "parameters", "input")


def read_actions(value: object) -> tuple[Action, ...]:
    """Return the actions of a list or of a single one: names, or objects with a name and arguments.

    Objects are read as OpenAI (`function: {name, arguments}`), Anthropic (`name`, `input`) and others write them.
    """
    items = value if isinstance(value, list) else [value]
    return tuple(action for action in map(_action, items) if action is not None)


def _action(item: object) -> Action | None:
    if isinstance(item, str):
        return Action(item) if item.strip() else None
    if not isinstance(item, Mapping):
        return None
    inner = item.get("function")
    call = inner if isinstance(inner, Mapping) else item
    name = next((call[key] for key in _NAMES if isinstance(call.get(key), str) and call[key].strip()), None)
    given = next((call[key] for key in _ARGUMENTS if call.get(key) is not None), None)
    return None if name is None else _with_arguments(name, given)


def _with_arguments(name: str, given: object) -> Action:
    """Return an action with its arguments; text that is not a JSON object is kept as it came."""
    if isinstance(given, Mapping):
        return Action(name, dict(given))
    if given is None or given == "":
        return Action(name)
    if isinstance(given, str):
        try:
            read = json.loads(given)
        except (ValueError, RecursionError):
            read = None
        if isinstance(read, dict):
            return Action(name, read)
    return Action(name, raw=given if isinstance(given, str) else json.dumps(given, ensure_ascii=False))
