"""Titles by which people tell the scenarios of a suite apart: doubtful where two are alike, never refused."""

from __future__ import annotations

from collections import Counter

from vivavoce.conversations import Scenario, Suite
from vivavoce.errors import plural
from vivavoce.sentences import say


def free_title(suite: Suite, wanted: str, *, besides: str = "") -> str:
    """Return the wanted title, with a number where it is taken; `besides`: a scenario that does not count."""
    taken = {_alike(one.title) for one in suite.scenarios if one.id != besides}
    title, number = wanted, 2
    while wanted and _alike(title) in taken:
        title, number = f"{wanted} ({number})", number + 1
    return title


def title_doubt(suite: Suite, scenario: Scenario) -> str:
    """Say which other scenario has the same title and offer one that is free; nothing where none has it."""
    wanted = _alike(scenario.title)
    same = [one.id for one in suite.scenarios if one.id != scenario.id and _alike(one.title) == wanted]
    if not same or not scenario.title.strip():
        return ""
    offered = free_title(suite, scenario.title, besides=scenario.id)
    return say(f"'{same[0]}' has the title '{scenario.title}' too; '{offered}' would tell them apart")


def shared_titles(suite: Suite) -> str:
    """Say how many titles stand at several scenarios; nothing where all differ."""
    counted = Counter(_alike(one.title) for one in suite.scenarios if one.title.strip())
    shared = sum(number > 1 for number in counted.values())
    return say(f"{plural(shared, 'title')} at more than one scenario: all were taken") if shared else ""


def _alike(title: str) -> str:
    return " ".join(title.casefold().split())
