"""Raters by their names: `kind` or `kind:option`, found by the entry points of the group `vivavoce.raters`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from vivavoce import plugins
from vivavoce.dialogues.raters.options import RaterOptions, check_options
from vivavoce.dialogues.raters.protocol import Rater
from vivavoce.errors import UsageError, nearest

__all__ = ["RATERS", "list_raters", "load_rater"]

RATERS = "vivavoce.raters"
NEEDS = "a rater has `name`, `origin` (None if nobody has measured it) and `rate(dialogues)`"


def load_rater(name: str, *, options: RaterOptions | None = None) -> Rater:
    """Return the rater of this name: `learned`, `learned:PATH`, `python:module:function`, `openai:MODEL`, `length`.

    A factory takes the option, and the RaterOptions where it has a use for them; options that a rater cannot heed
    are refused.
    """
    options = options or RaterOptions()
    kind, option = plugins.split_name(name)
    _check_kind(kind)
    check_options(options, where=name)
    arguments = _arguments(kind, option, options)
    return _checked(plugins.build(RATERS, kind, *arguments), kind)


def list_raters() -> list[plugins.Description]:
    """Return a line for each kind of rater: its name, the distribution it came from, what it is."""
    return plugins.describe(RATERS)


def _check_kind(kind: str) -> None:
    known = plugins.available(RATERS)
    if kind not in known:
        there = f"choose one of: {', '.join(known)}" if known else "install a package that provides one"
        raise UsageError(f"there is no rater '{kind}'.{nearest(kind, known)}", remedy=there)


def _arguments(kind: str, option: str, options: RaterOptions) -> tuple[object, ...]:
    factory = plugins.load(RATERS, kind)
    if callable(factory) and _takes_two(factory):
        return option, options
    if options.given:
        raise UsageError(
            f"the rater '{kind}' has no use for {', '.join(options.given)}", remedy="leave the options out"
        )
    return (option,)


def _takes_two(factory: Callable[..., Any]) -> bool:
    try:
        inspect.signature(factory).bind("", RaterOptions())
    except (TypeError, ValueError):
        return False
    return True


def _checked(made: object, kind: str) -> Rater:
    if isinstance(made, Rater) and not isinstance(made, type) and callable(made.rate):
        return made
    raise UsageError(f"what '{kind}' makes is not a rater but a {type(made).__name__}", remedy=NEEDS)
