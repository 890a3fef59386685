"""Misspelt twins: copies of scenarios in which some messages hold typing mistakes, beside the clean ones.

A twin expects what its clean turn expects (`same`); the other turns of a copy only lead up to it and are not counted
a second time.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from vivavoce.codec import shape, to_json
from vivavoce.conversations.scenario import Expectation, Include, Kind, Scenario, Step, Suite, Turn
from vivavoce.errors import DataError, Fault, UsageError, nearest, plural
from vivavoce.text.typos import BUDGET, Edit, Misspelt, count_letters, misspell

SHARE = 1 / 3
SUFFIX = "~typo"


@dataclass(frozen=True, slots=True)
class TypoTurn:
    """One misspelt turn: where its clean twin is, and what was done to it."""

    scenario: str
    turn: str
    level: str
    before: str
    after: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True)
class TypoReport:
    """What was added. `eligible`: clean turns in scope that can be misspelt; `already`: those that had a twin before.

    `impossible`: turns, as scenario/place, without a letter that may be changed. `letters`: those of the misspelt
    turns that might have been changed.
    """

    turns: tuple[TypoTurn, ...]
    scenarios: int
    eligible: int
    already: int
    impossible: tuple[str, ...]
    letters: int
    changed: int
    layout: str

    @property
    def per_100(self) -> float:
        """Letters changed in 100, a swap of two counted once."""
        return 100 * self.changed / self.letters if self.letters else 0.0

    @property
    def kinds(self) -> Mapping[str, int]:
        """How often each kind of mistake was made, most often first."""
        return dict(Counter(edit.kind for turn in self.turns for edit in turn.edits).most_common())

    @property
    def examples(self) -> tuple[tuple[str, str], ...]:
        """Every misspelt message, before and after."""
        return tuple((turn.before, turn.after) for turn in self.turns)

    @property
    def summary(self) -> str:
        """One sentence for people."""
        copies = plural(self.scenarios, "copy").replace("copys", "copies")
        skipped = f" {plural(len(self.impossible), 'message')} had no letter to change." if self.impossible else ""
        return (
            f"{len(self.turns):,} of {plural(self.eligible, 'message')} misspelt in {copies}: "
            f"{self.per_100:.1f} of 100 letters changed.{skipped}"
        )

    def to_json(self) -> dict[str, object]:
        """Return the stable JSON form."""
        return to_json(self)  # type: ignore[no-any-return]


shape(
    TypoReport,
    order="turns scenarios eligible already impossible letters_changed_per_100 kinds layout",
    added={"letters_changed_per_100": lambda report: report.per_100, "kinds": lambda report: dict(report.kinds)},
    skip={"letters": 0, "changed": 0},
)


@dataclass(frozen=True)
class _Place:
    """A clean turn in scope that may get a twin."""

    scenario: Scenario
    at: int
    turn: Turn
    misspelt: Misspelt
    letters: int
    has_twin: bool

    @property
    def name(self) -> str:
        return f"{self.scenario.id}/{self.turn.id or self.at + 1}"


def add_typos(
    suite: Suite,
    *,
    seed: int = 0,
    share: float = SHARE,
    budget: float = BUDGET,
    layout: str | None = None,
    levels: Sequence[str] | None = None,
) -> tuple[Suite, TypoReport]:
    """Return the suite with misspelt twins for a share of its clean turns in scope, in every level alike.

    Which turns are chosen follows from the seed and the names of scenario and turn, so that an edit elsewhere
    changes nothing. `layout` None: the keyboard of the suite's language.
    """
    from rapidfuzz.distance import OSA

    if not 0 < share <= 1:
        raise UsageError(
            f"the share of turns is {share:g}", remedy="enter a number above 0 and up to 1, such as 0.33"
        )
    known = list(dict.fromkeys((*suite.levels, *(scenario.level for scenario in suite.scenarios))))
    unknown = [name for name in levels or () if name not in known]
    if unknown:
        faults = [Fault(f"unknown level '{name}'.{nearest(name, known)}") for name in unknown]
        raise UsageError("unknown levels", faults=faults, remedy=f"use {', '.join(known)}")
    keyboard = layout or ("qwertz" if suite.language.lower().startswith("de") else "qwerty")
    every = list(_places(suite, seed, budget, keyboard, levels))
    places = [place for place in every if place.misspelt.edits]
    chosen = _choose(places, share, seed)
    if not chosen:
        raise _nothing_to_add(suite, places, share)
    grown = _add_copies(suite, chosen)
    scenarios = {scenario.id: scenario for scenario in grown.scenarios}
    turns = []
    for place in chosen:
        scenario, misspelt = scenarios[place.scenario.id], place.misspelt
        turn = scenario.turns[place.at]
        name = turn.id if isinstance(turn, Turn) else ""
        before = str(place.turn.user)
        turns.append(TypoTurn(scenario.id, name, scenario.level, before, misspelt.text, misspelt.edits))
    report = TypoReport(
        turns=tuple(turns),
        scenarios=len(grown.scenarios) - len(suite.scenarios),
        eligible=len(places),
        already=sum(place.has_twin for place in every),
        impossible=tuple(place.name for place in every if not place.misspelt.edits),
        letters=sum(place.letters for place in chosen),
        changed=sum(int(OSA.distance(turn.before, turn.after)) for turn in turns),
        layout=keyboard,
    )
    return grown, report


def _places(suite: Suite, seed: int, budget: float, layout: str, levels: Sequence[str] | None) -> Iterator[_Place]:
    twins = {
        turn.twin_of if "/" in turn.twin_of else f"{scenario.id}/{turn.twin_of}"
        for scenario in suite.scenarios
        for turn in scenario.turns
        if isinstance(turn, Turn) and turn.twin_of and turn.kind is Kind.TYPO
    }
    for scenario in suite.scenarios:
        if levels is not None and scenario.level not in levels:
            continue
        for at, turn in enumerate(scenario.turns):
            if isinstance(turn, Turn) and isinstance(turn.user, str) and _is_clean(turn, suite):
                protect = protected(suite, turn)
                misspelt = misspell(turn.user, seed=seed, budget=budget, layout=layout, protect=protect)
                letters = count_letters(turn.user, protect)
                has_twin = bool(turn.id) and f"{scenario.id}/{turn.id}" in twins
                yield _Place(scenario, at, turn, misspelt, letters, has_twin)


def _is_clean(turn: Turn, suite: Suite) -> bool:
    """Tell whether a turn is in scope, counted, and neither misspelt nor a twin itself."""
    expect = turn.expect
    fallbacks = {name.casefold() for name in suite.fallback.intents}
    declines = bool(expect.intents) and {name.casefold() for name in expect.intents} <= fallbacks
    in_scope = expect.counted and not (expect.fallback or expect.same or declines)
    return in_scope and turn.kind is Kind.CLEAN and turn.twin_of is None


def protected(suite: Suite, turn: Turn) -> tuple[str, ...]:
    """Return the phrases that must stay as they are: values of slots and rows, phrases of lists."""
    expect = turn.expect
    slots = (*expect.slots.values(), *expect.slots_after.values(), *expect.slot_values)
    rows = (value for row in suite.rows.values() for value in row.values())
    # A message that is a phrase of a list as a whole would have nothing left to misspell.
    message = turn.user.strip().casefold() if isinstance(turn.user, str) else ""
    phrases = (phrase for listed in suite.lists.values() for phrase in listed if phrase.strip().casefold() != message)
    return tuple(dict.fromkeys((*slots, *rows, *phrases)))


def _choose(places: Sequence[_Place], share: float, seed: int) -> list[_Place]:
    """Return the turns to be misspelt: in every level as many as the share needs beside those that exist."""

    def rank(place: _Place) -> bytes:
        return hashlib.sha256(f"{seed}\x1f{place.name}".encode("utf-8", "surrogatepass")).digest()

    chosen = []
    for level in dict.fromkeys(place.scenario.level for place in places):
        here = [place for place in places if place.scenario.level == level]
        wanted = max(1, int(share * len(here) + 0.5)) - sum(place.has_twin for place in here)
        free = sorted((place for place in here if not place.has_twin), key=rank)
        chosen += free[: max(0, wanted)]
    return chosen


def _nothing_to_add(suite: Suite, places: Sequence[_Place], share: float) -> DataError:
    if not places:
        what, remedy = "no turn can be misspelt", "add in-scope turns that are typed and expect something"
    elif all(place.has_twin for place in places):
        what, remedy = "every clean in-scope turn already has a misspelt twin", "use the suite as it is"
    else:
        had = sum(place.has_twin for place in places)
        what = (
            f"{plural(had, 'turn')} of {len(places)} already have a misspelt twin, which covers the requested share"
        )
        remedy = f"request a share above {share:.2f}"
    return DataError(what, where=suite.source, remedy=remedy)


def _add_copies(suite: Suite, chosen: Sequence[_Place]) -> Suite:
    ids = {scenario.id for scenario in suite.scenarios}
    scenarios: list[Scenario] = []
    for scenario in suite.scenarios:
        mine = {place.at: place for place in chosen if place.scenario.id == scenario.id}
        if not mine:
            scenarios.append(scenario)
            continue
        name, number = f"{scenario.id}{SUFFIX}", 2
        while name in ids:
            name, number = f"{scenario.id}{SUFFIX}{number}", number + 1
        ids.add(name)
        named = _add_ids(suite, scenario, mine)
        steps: list[Step] = []
        for at, step in enumerate(named.turns):
            if at in mine and isinstance(step, Turn):
                twin_of, text = f"{named.id}/{step.id}", mine[at].misspelt.text
                expect = Expectation(same=True)
                steps.append(replace(step, user=text, kind=Kind.TYPO, twin_of=twin_of, expect=expect, line=None))
            else:
                # Turns of a part are written out: what is shared keeps its expectations, here they must not count.
                expect = Expectation(counted=False)
                steps += [replace(turn, expect=expect, twin_of=None, line=None) for turn in _include(suite, step)]
        title = f"{named.title or named.id} (misspelt)"
        scenarios += [named, replace(named, id=name, title=title, turns=tuple(steps), line=None)]
    return replace(suite, scenarios=tuple(scenarios))


def _add_ids(suite: Suite, scenario: Scenario, mine: Mapping[int, _Place]) -> Scenario:
    """Return the scenario with an id for every chosen turn: a twin must be able to name it."""
    taken = {turn.id for step in scenario.turns for turn in _include(suite, step)}
    turns = list(scenario.turns)
    for at in mine:
        turn = turns[at]
        if isinstance(turn, Turn) and not turn.id:
            name = f"t{at + 1}"
            while name in taken:
                name += "a"
            taken.add(name)
            turns[at] = replace(turn, id=name)
    return replace(scenario, turns=tuple(turns))


def _include(suite: Suite, step: Step, within: tuple[str, ...] = ()) -> list[Turn]:
    """Return the turns of a step; a part that holds itself is left out, as it can never be said."""
    if not isinstance(step, Include):
        return [step]
    if step.part in within or step.part not in suite.parts:
        return []
    return [turn for inner in suite.parts[step.part] for turn in _include(suite, inner, (*within, step.part))]
