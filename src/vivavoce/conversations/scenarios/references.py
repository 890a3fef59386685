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
    """Return where something stands as people say it: scenario, turn and line."""
    named = f"{scenario.id}/{turn.id}" if turn is not None and turn.id else scenario.id
    line = scenario.line if turn is None else turn.line
    return f"{named} (line {line})" if line is not None else named


def find_broken(suite: Suite) -> list[Broken]:
    """Return every name of a suite that cannot be resolved."""
    found = [*_duplicates(suite), *_circular(suite)]
    for scenario in suite.scenarios:
        found += _missing_rows(suite, scenario)
        found += [Broken(*fault, place_of(scenario), scenario.id) for fault in _missing(suite, scenario.turns)]
    for name, steps in suite.parts.items():
        found += [Broken(*fault, f"part {name}", part=name) for fault in _missing(suite, steps)]
    return found


def usable_part(suite: Suite, broken: Iterable[Broken]) -> Suite:
    """Return the suite without the scenarios that lead nowhere, so that the others can still be looked at."""
    found = list(broken)
    scenarios = {one.scenario for one in found}
    parts = {one.part for one in found if one.part}
    parts |= {name for name in suite.parts if any(_reaches(suite, name, bad, set()) for bad in parts)}
    kept = tuple(
        scenario
        for scenario in suite.scenarios
        if scenario.id not in scenarios
        and not any(isinstance(step, Include) and step.part in parts for step in scenario.turns)
    )
    return replace(suite, scenarios=kept)


def _duplicates(suite: Suite) -> Iterator[Broken]:
    for name, times in Counter(scenario.id for scenario in suite.scenarios).items():
        if times > 1:
            lines = [str(one.line) for one in suite.scenarios if one.id == name and one.line is not None]
            where = f"{name} (lines {', '.join(lines)})" if lines else name
            yield Broken("duplicate_id", f"{plural(times, 'scenario')} have the id '{name}'", where, name)


def _circular(suite: Suite) -> Iterator[Broken]:
    for name in suite.parts:
        if _reaches(suite, name, name, set()):
            yield Broken("circular_part", f"the part '{name}' includes itself", f"part {name}", part=name)


def _reaches(suite: Suite, start: str, goal: str, seen: set[str]) -> bool:
    for step in suite.parts.get(start, ()):
        if isinstance(step, Include) and step.part not in seen:
            seen.add(step.part)
            if step.part == goal or _reaches(suite, step.part, goal, seen):
                return True
    return False


def _missing_rows(suite: Suite, scenario: Scenario) -> Iterator[Broken]:
    for row in scenario.rows:
        if row not in suite.rows:
            message = f"there is no row '{row}'.{nearest(row, list(suite.rows))}"
            yield Broken("unknown_row", message, place_of(scenario), scenario.id)
    for row, times in Counter(scenario.rows).items():
        if times > 1:
            message = f"the row '{row}' is named {times} times"
            yield Broken("duplicate_row", message, place_of(scenario), scenario.id)


def _missing(suite: Suite, steps: Iterable[Step]) -> Iterator[tuple[str, str]]:
    for step in steps:
        if isinstance(step, Include):
            if step.part not in suite.parts:
                yield "unknown_part", f"there is no part '{step.part}'.{nearest(step.part, list(suite.parts))}"
        elif isinstance(step.user, Phrase):
            yield from _missing_phrase(suite, step.user)


def _missing_phrase(suite: Suite, phrase: Phrase) -> Iterator[tuple[str, str]]:
    if phrase.list not in suite.lists:
        yield "unknown_list", f"there is no list '{phrase.list}'.{nearest(phrase.list, list(suite.lists))}"
        return
    n = len(suite.lists[phrase.list])
    if n == 0:
        yield "empty_list", f"the list '{phrase.list}' has no phrases"
    elif phrase.pick is not None and phrase.pick > n:
        yield (
            "unknown_phrase",
            f"the list '{phrase.list}' has {plural(n, 'phrase')}: there is no number {phrase.pick}",
        )
