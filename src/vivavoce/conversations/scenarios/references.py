"""What a suite refers to by name: lists, parts and rows that must exist before anything can be held."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from vivavoce.conversations.scenario import Include, Phrase, Scenario, Step, Suite, Turn
from vivavoce.errors import nearest, plural


@dataclass(frozen=True, slots=True)
class Broken:
    """A name that leads nowhere, or to two things."""

    kind: str
    message: str
    where: str
    scenario: str = ""
    part: str = ""


def place_of(scenario: Scenario, turn: Turn | None = None) -> str:
    """Return the place of something as people say it: scenario, turn and line."""
    named = f"{scenario.id}/{turn.id}" if turn is not None and turn.id else scenario.id
    line = scenario.line if turn is None else turn.line
    return f"{named} (line {line})" if line is not None else named


def find_broken(suite: Suite) -> list[Broken]:
    """Return every name of a suite that cannot be resolved."""
    broken = []
    for name, times in Counter(scenario.id for scenario in suite.scenarios).items():
        if times > 1:
            lines = [str(each.line) for each in suite.scenarios if each.id == name and each.line is not None]
            where = f"{name} (lines {', '.join(lines)})" if lines else name
            broken.append(Broken("duplicate_id", f"{plural(times, 'scenario')} have the id '{name}'", where, name))
    for name in suite.parts:
        if _reaches(suite, name, name, set()):
            message = f"the part '{name}' includes itself"
            broken.append(Broken("circular_part", message, f"part {name}", part=name))
    for scenario in suite.scenarios:
        faults = (*_find_missing_rows(suite, scenario), *_find_missing(suite, scenario.turns))
        broken += [Broken(*fault, place_of(scenario), scenario.id) for fault in faults]
    for name, steps in suite.parts.items():
        broken += [Broken(*fault, f"part {name}", part=name) for fault in _find_missing(suite, steps)]
    return broken


def usable_part(suite: Suite, broken: Iterable[Broken]) -> Suite:
    """Return the suite without the scenarios that lead nowhere, so that the others can still be looked at."""
    faults = list(broken)
    scenarios = {fault.scenario for fault in faults}
    parts = {fault.part for fault in faults if fault.part}
    parts |= {name for name in suite.parts if any(_reaches(suite, name, bad, set()) for bad in parts)}
    usable = tuple(
        scenario
        for scenario in suite.scenarios
        if scenario.id not in scenarios
        and not any(isinstance(step, Include) and step.part in parts for step in scenario.turns)
    )
    return replace(suite, scenarios=usable)


def _reaches(suite: Suite, start: str, goal: str, seen: set[str]) -> bool:
    for step in suite.parts.get(start, ()):
        if isinstance(step, Include) and step.part not in seen:
            seen.add(step.part)
            if step.part == goal or _reaches(suite, step.part, goal, seen):
                return True
    return False


def _find_missing_rows(suite: Suite, scenario: Scenario) -> Iterator[tuple[str, str]]:
    for row in scenario.rows:
        if row not in suite.rows:
            yield "unknown_row", f"unknown row '{row}'.{nearest(row, list(suite.rows))}"
    for row, times in Counter(scenario.rows).items():
        if times > 1:
            yield "duplicate_row", f"the row '{row}' appears {times} times"


def _find_missing(suite: Suite, steps: Iterable[Step]) -> Iterator[tuple[str, str]]:
    for step in steps:
        if isinstance(step, Include):
            if step.part not in suite.parts:
                yield "unknown_part", f"unknown part '{step.part}'.{nearest(step.part, list(suite.parts))}"
        elif isinstance(phrase := step.user, Phrase):
            name = phrase.list
            n = len(suite.lists.get(name, ()))
            if name not in suite.lists:
                yield "unknown_list", f"unknown list '{name}'.{nearest(name, list(suite.lists))}"
            elif n == 0:
                yield "empty_list", f"the list '{name}' has no phrases"
            elif phrase.pick is not None and phrase.pick > n:
                message = f"the list '{name}' has {plural(n, 'phrase')}: number {phrase.pick} does not exist"
                yield "unknown_phrase", message
