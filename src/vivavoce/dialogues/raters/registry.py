"""Raters by their names: `kind` or `kind:option`, found by the entry points of the group `vivavoce.raters`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from vivavoce import plugins
from vivavoce.dialogues.raters.protocol import Rater, RaterOptions, check_options
from vivavoce.errors import UsageError, nearest

RATERS = "vivavoce.raters"
NEEDS = "a rater has `name`, `origin` (None if it is not validated) and `rate(dialogues)`"


def load_rater(name: str, *, options: RaterOptions | None = None) -> Rater:
    """Return the rater of this name: `learned`, `learned:PATH`, `python:module:function`, `openai:MODEL`, `length`.

    A factory takes the option, and the RaterOptions where it has a use for them; options that a rater cannot heed
    are refused.
    """
    options = options or RaterOptions()
    kind, option = plugins.split_name(name)
    known = plugins.available(RATERS)
    if kind not in known:
        remedy = f"choose one of: {', '.join(known)}" if known else "install a package that provides one"
        raise UsageError(f"unknown rater '{kind}'.{nearest(kind, known)}", remedy=remedy)
    check_options(options, where=name)
    factory = plugins.load(RATERS, kind)
    arguments: tuple[object, ...] = (option,)
    if callable(factory) and _takes_options(factory):
        arguments = (option, options)
    elif options.given:
        raise UsageError(f"the rater '{kind}' does not use {', '.join(options.given)}", remedy="remove these options")
    rater = plugins.build(RATERS, kind, *arguments)
    if isinstance(rater, Rater) and not isinstance(rater, type) and callable(rater.rate):
        return rater
    raise UsageError(f"'{kind}' returned {type(rater).__name__}, not a rater", remedy=NEEDS)


def list_raters() -> list[plugins.Description]:
    """Return a line for each kind of rater: its name, the distribution it came from, what it is."""
    return plugins.describe(RATERS)


def _takes_options(factory: Callable[..., Any]) -> bool:
    try:
        inspect.signature(factory).bind("", RaterOptions())
    except (TypeError, ValueError):
        return False
    return True
