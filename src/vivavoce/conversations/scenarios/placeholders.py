"""`{name}` in messages and expected texts: which there are, and what is put in for them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from vivavoce.conversations.scenario import Expectation, ExpectedAction, Match, Pattern

# Kinds of values that matching knows.
BUILT_IN = frozenset({"number", "date", "time", "money"})
_NAME = re.compile(r"\{([^\W\d][\w-]*)\}")


def names_in(text: str) -> list[str]:
    """Return the names between braces; `{2}` of a regular expression is none."""
    return _NAME.findall(text) if "{" in text else []


def fill(text: str, values: Mapping[str, str]) -> str:
    """Put in the values that are known and leave the others as they are."""
    if not values or "{" not in text:
        return text
    return _NAME.sub(lambda match: values.get(match[1], match[0]), text)


def fill_pattern(pattern: Pattern, values: Mapping[str, str]) -> Pattern:
    """Put values into an expected text; in a regular expression they stand for themselves."""
    if not values or "{" not in pattern.text:
        return pattern
    if pattern.match is Match.REGEX:
        values = {name: re.escape(value) for name, value in values.items()}
    return replace(pattern, text=fill(pattern.text, values))


def fill_map(texts: Mapping[str, str], values: Mapping[str, str]) -> Mapping[str, str]:
    """Put values into named texts."""
    return {name: fill(text, values) for name, text in texts.items()} if values else texts


def fill_expectation(expect: Expectation, values: Mapping[str, str]) -> Expectation:
    """Put values wherever an expectation has a text."""
    if not values:
        return expect
    changes: dict[str, Any] = {
        name: tuple(fill(text, values) for text in getattr(expect, name))
        for name in ("intents", "slot_names", "slot_values", "buttons", "cards", "media", "accepted")
    }
    for name in ("any", "all", "none"):
        changes[name] = tuple(fill_pattern(pattern, values) for pattern in getattr(expect, name))
    changes["slots"] = fill_map(expect.slots, values)
    changes["slots_after"] = fill_map(expect.slots_after, values)
    changes["action"] = None if expect.action is None else fill(expect.action, values)
    changes["actions"] = tuple(
        ExpectedAction(fill(action.name, values), _fill_all(action.args, values)) for action in expect.actions
    )
    return replace(expect, **changes)


def texts_of(expect: Expectation) -> list[str]:
    """Return every text of an expectation that may hold a placeholder."""
    patterns = (*expect.any, *expect.all, *expect.none)
    texts = [pattern.text for pattern in patterns]
    texts += [*expect.slots.values(), *expect.slots_after.values(), *expect.intents, *expect.slot_values]
    texts += [text for action in expect.all_actions for text in (action.name, *_texts_in(action.args))]
    return [*texts, *expect.buttons, *expect.cards, *expect.media]


def _fill_all(value: Any, values: Mapping[str, str]) -> Any:
    """Put values into every text of a nested value."""
    if isinstance(value, str):
        return fill(value, values)
    if isinstance(value, Mapping):
        return {name: _fill_all(item, values) for name, item in value.items()}
    return [_fill_all(item, values) for item in value] if isinstance(value, list) else value


def _texts_in(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return [text for item in inner for text in _texts_in(item)]
