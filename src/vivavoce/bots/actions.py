"""Actions in an answer: tool calls of a language model, or whatever a bot reports that it did."""

from __future__ import annotations

import json
from collections.abc import Mapping

from vivavoce.records import Action

ACTION_KEYS = ("actions", "tool_calls", "function_call")
_NAMES = ("name", "action", "toolName")
_ARGUMENTS = ("args", "arguments", "parameters", "input")


def read_actions(value: object) -> tuple[Action, ...]:
    """Return the actions of a list or of a single one: names, or objects with a name and arguments.

    Objects are read as OpenAI (`function: {name, arguments}`), Anthropic (`name`, `input`) and others write them.
    """
    items = value if isinstance(value, list) else [value]
    return tuple(action for action in map(_read_action, items) if action is not None)


def _read_action(item: object) -> Action | None:
    if isinstance(item, str):
        return Action(item) if item.strip() else None
    if not isinstance(item, Mapping):
        return None
    inner = item.get("function")
    call = inner if isinstance(inner, Mapping) else item
    name = next((call[key] for key in _NAMES if isinstance(call.get(key), str) and call[key].strip()), None)
    if name is None:
        return None
    written = arguments = next((call[key] for key in _ARGUMENTS if call.get(key) is not None), "")
    if isinstance(written, str) and written:
        try:
            arguments = json.loads(written)
        except (ValueError, RecursionError):
            arguments = None
    if isinstance(arguments, Mapping):
        return Action(name, dict(arguments))
    # What is not a JSON object is kept as it came.
    return Action(name, raw=written if isinstance(written, str) else json.dumps(written, ensure_ascii=False))
