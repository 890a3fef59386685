"""From a suite as written to conversations ready to be held: parts, rows and phrases put in, twins found."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import product

from vivavoce.conversations.record_form import to_json
from vivavoce.conversations.scenario import (
    Button,
    Expectation,
    Include,
    Phrase,
    Plan,
    Scenario,
    Script,
    ScriptTurn,
    Step,
    Suite,
    Turn,
)
from vivavoce.conversations.scenarios.placeholders import fill, fill_expectation, fill_map, fill_pattern
from vivavoce.conversations.scenarios.references import find_broken
from vivavoce.errors import DataError, Fault, UsageError, nearest
from vivavoce.messages import say

Pair = tuple[int, int, int]
Row = list[int | None]


def cover_pairs(sizes: Sequence[int], seed: int = 0) -> list[tuple[int, ...]]:
    """Return combinations of places (from 0) so that any two places of any two factors occur together.

    For one factor that is each of its places, for two their product; for more it is far less than the product.
    The factors are taken one after the other: each is set where it makes most new pairs, then what is left over
    gets rows of its own.
    """
    if not sizes:
        return [()]
    if 0 in sizes:
        return []
    draw = random.Random(seed)  # noqa: S311 - a choice of tests, not a secret
    order = sorted(range(len(sizes)), key=lambda factor: -sizes[factor])
    rows: list[Row] = [list(row) for row in product(*(range(sizes[factor]) for factor in order[:2]))]
    for column in range(2, len(order)):
        _extend(rows, [sizes[factor] for factor in order[: column + 1]], draw)
    place = {factor: column for column, factor in enumerate(order)}
    return sorted(
        tuple(
            draw.randrange(size) if (value := row[place[factor]]) is None else value
            for factor, size in enumerate(sizes)
        )
        for row in rows
    )


def _extend(rows: list[Row], sizes: Sequence[int], draw: random.Random) -> None:
    """Give each row a value of the next factor, then add rows for the pairs that no row holds."""
    new = len(sizes) - 1
    open_pairs = {(old, a, b) for old in range(new) for a in range(sizes[old]) for b in range(sizes[new])}
    for row in rows:
        gains = [len(open_pairs & _pairs(row, b)) for b in range(sizes[new])]
        best = draw.choice([b for b, gain in enumerate(gains) if gain == max(gains)])
        open_pairs -= _pairs(row, best)
        row.append(best)
    added: list[Row] = []
    for old, a, b in sorted(open_pairs):
        free = next((row for row in added if row[new] == b and row[old] is None), None)
        if free is None:
            free = [None] * new + [b]
            added.append(free)
        free[old] = a
    rows += added


def _pairs(row: Row, value: int) -> set[Pair]:
    return {(old, a, value) for old, a in enumerate(row) if a is not None}


DIGITS = 16
MAX_TURNS = 10_000


@dataclass(frozen=True)
class Draft:
    """A conversation with its texts chosen, before twins are looked up. `row`, `phrases`: what was chosen."""

    id: str
    scenario: Scenario
    row: str | None
    phrases: tuple[int, ...]
    values: Mapping[str, str]
    turns: tuple[tuple[str, Turn], ...]


@dataclass(frozen=True)
class Expanded:
    """A plan and what is wrong with it. `faults`: what cannot be settled, each with its scenario and turn.

    `lost`: scenario, turn and the twin it names that is not there.
    `lines`: the line of each turn in its file, by scenario and turn.
    """

    plan: Plan
    faults: tuple[tuple[str, str, Fault], ...]
    lost: tuple[tuple[str, str, str], ...]
    lines: Mapping[tuple[str, str], int | None]


def expand(
    suite: Suite,
    *,
    levels: Sequence[str] = (),
    domains: Sequence[str] = (),
    tags: Sequence[str] = (),
    scenarios: Sequence[str] = (),
    seed: int = 0,
    sample: int | None = None,
) -> Plan:
    """Return all conversations of a suite, or those of the named levels, domains, tags (any of them) and scenarios.

    `sample`: that many conversations, drawn by the seed. A twin in a scenario that is left out is not linked.
    """
    _refuse(suite, [Fault(broken.message, broken.where) for broken in find_broken(suite)])
    chosen = {"levels": levels, "domains": domains, "tags": tags, "scenarios": scenarios}
    refuse_unknown([suite], chosen)
    selected = select_scenarios(suite, chosen)
    if not selected:
        remedy = say("use fewer filters for levels, domains or tags")
        raise UsageError(say("no scenario matches"), where=suite.source, remedy=remedy)
    expansion = _Expansion(suite, seed)
    drafts = [draft for scenario in selected for draft in expansion.drafts(scenario)]
    if sample is not None and sample < len(drafts):
        if sample < 1:
            what = say("invalid sample size {sample}", sample=sample)
            raise UsageError(what, remedy=say("enter a number of 1 or more"))
        places = random.Random(seed).sample(range(len(drafts)), sample)  # noqa: S311 - a choice of tests
        drafts = [drafts[place] for place in sorted(places)]
    plan = expansion.plan(drafts)
    _refuse(suite, [fault for _, _, fault in expansion.faults])
    return plan


def expand_leniently(suite: Suite, *, seed: int = 0) -> Expanded:
    """Return all conversations of a suite whose names lead somewhere, with what is wrong with its twins."""
    expansion = _Expansion(suite, seed)
    drafts = [draft for scenario in suite.scenarios for draft in expansion.drafts(scenario)]
    plan = expansion.plan(drafts)
    lines = {(draft.scenario.id, name): turn.line for draft in drafts for name, turn in draft.turns}
    return Expanded(plan, tuple(expansion.faults), tuple(dict.fromkeys(expansion.lost)), lines)


class _Expansion:
    """Makes the conversations of one suite; drafts are kept because twins are looked up across scenarios."""

    def __init__(self, suite: Suite, seed: int) -> None:
        self.suite = suite
        self.seed = seed
        self.faults: list[tuple[str, str, Fault]] = []
        self.lost: list[tuple[str, str, str]] = []
        self._scenarios = {scenario.id: scenario for scenario in suite.scenarios}
        self._drafts: dict[str, list[Draft]] = {}

    def drafts(self, scenario: Scenario) -> list[Draft]:
        """Return the conversations of a scenario, one for each row and phrase."""
        if scenario.id not in self._drafts:
            turns = _include_parts(self.suite, scenario.turns)
            named = list(zip(_turn_ids(turns), turns, strict=True))
            self._drafts[scenario.id] = [
                _draft(self.suite, scenario, named, row, phrases)
                for row, phrases in _choices(self.suite, scenario, turns, self.seed)
            ]
        return self._drafts[scenario.id]

    def plan(self, drafts: Sequence[Draft]) -> Plan:
        """Return these conversations as a plan."""
        suite = self.suite
        planned = {draft.id for draft in drafts}
        scripts = tuple(self.script(draft, planned) for draft in drafts)
        versions = [(script.id, script.version) for script in scripts]
        digest = hash_content([suite.language, repr(suite.fallback), versions])
        return Plan(suite.name, suite.language, scripts, suite.defaults, suite.fallback, suite.notice, digest)

    def script(self, draft: Draft, planned: Collection[str]) -> Script:
        """Return the conversation with every expectation settled; only twins in planned ones are linked."""
        scenario, defaults = draft.scenario, self.suite.defaults
        turns = tuple(self._turn(draft, place, planned) for place in range(len(draft.turns)))
        script = Script(
            draft.id,
            scenario.id,
            fill(scenario.title, draft.values),
            scenario.domain,
            scenario.level,
            turns,
            scenario.tags,
            scenario.on_mismatch or defaults.on_mismatch,
            setup_slots=fill_map(scenario.setup_slots, draft.values),
        )
        # Titles, notes, ids and links do not change a result.
        sent = [
            {key: value for key, value in to_json(turn).items() if key not in ("id", "note", "twin")}
            for turn in turns
        ]
        version = hash_content([defaults.match.value, script.on_mismatch.value, dict(script.setup_slots), sent])
        return replace(script, version=version)

    def _turn(self, draft: Draft, place: int, planned: Collection[str]) -> ScriptTurn:
        name, turn = draft.turns[place]
        text = turn.user.label if isinstance(turn.user, Button) else str(turn.user)
        twin = self.twin(draft, turn.twin_of) if turn.twin_of else None
        if turn.twin_of and twin is None:
            self.lost.append((draft.scenario.id, name, turn.twin_of))
        return ScriptTurn(
            place + 1,
            name,
            fill(text, draft.values),
            self._expect(draft, place, ()),
            isinstance(turn.user, Button),
            turn.kind,
            (twin[0].id, twin[1] + 1) if twin and twin[0].id in planned else None,
            {key: fill_pattern(pattern, draft.values) for key, pattern in turn.save.items()} if turn.save else {},
            turn.wait_s,
            turn.pause_ms,
            turn.note,
        )

    def _expect(self, draft: Draft, place: int, seen: tuple[tuple[str, int], ...]) -> Expectation:
        """Return an expectation; `same` is the twin's, with what is given beside it in its place."""
        name, turn = draft.turns[place]
        own = fill_expectation(turn.expect, draft.values)
        if not own.same:
            return own
        twin = self.twin(draft, turn.twin_of) if turn.twin_of else None
        if twin is None or (draft.id, place) in seen:
            message = "`expect: same` needs `twin_of` with the turn to compare with"
            if turn.twin_of:
                message = (
                    f"`expect: same` cannot be resolved: turn '{turn.twin_of}' does not exist, or refers back here"
                )
            self.faults.append((draft.scenario.id, name, Fault(message, f"{draft.id}/{name}")))
            return own
        usual = Expectation()
        differing = {
            field.name: getattr(own, field.name)
            for field in fields(Expectation)
            if field.name != "same" and getattr(own, field.name) != getattr(usual, field.name)
        }
        return replace(self._expect(*twin, (*seen, (draft.id, place))), **differing)

    def twin(self, draft: Draft, wanted: str) -> tuple[Draft, int] | None:
        """Return the conversation and the place of a turn named from this one, or None."""
        place = _find_place(draft, wanted)
        if place is not None:
            return draft, place
        parts = wanted.split("/")
        for cut in range(1, len(parts)):
            scenario = self._scenarios.get("/".join(parts[:cut]))
            # Of another scenario, the conversation that made the same choices, or the nearest one.
            other = max(
                self.drafts(scenario) if scenario else (),
                key=lambda each: ((each.row, each.phrases) == (draft.row, draft.phrases), each.row == draft.row),
                default=None,
            )
            place = _find_place(other, "/".join(parts[cut:])) if other else None
            if other and place is not None:
                return other, place
        return None


def _draft(
    suite: Suite, scenario: Scenario, named: Sequence[tuple[str, Turn]], row: str | None, phrases: tuple[int, ...]
) -> Draft:
    values = suite.rows[row] if row is not None else {}
    free = iter(phrases)
    turns: list[tuple[str, Turn]] = []
    marks = [] if row is None else [row]
    for name, turn in named:
        if isinstance(turn.user, Phrase):
            pick = turn.user.pick
            if pick is None:
                pick = next(free) + 1
                marks.append(f"{turn.user.list}:{pick}")
            turn = replace(turn, user=suite.lists[turn.user.list][pick - 1])  # noqa: PLW2901
        turns.append((name, turn))
    name = f"{scenario.id}[{','.join(marks)}]" if marks else scenario.id
    return Draft(name, scenario, row, phrases, values, tuple(turns))


def _choices(
    suite: Suite, scenario: Scenario, turns: Sequence[Turn], seed: int
) -> list[tuple[str | None, tuple[int, ...]]]:
    """Return the row and the phrases of each conversation: every pair of them meets at least once."""
    free = [turn.user.list for turn in turns if isinstance(turn.user, Phrase) and turn.user.pick is None]
    if not free:
        return [(row, ()) for row in scenario.rows] or [(None, ())]
    sizes = [len(suite.lists[name]) for name in free]
    if not scenario.rows:
        return [(None, places) for places in cover_pairs(sizes, seed)]
    return [(scenario.rows[places[0]], places[1:]) for places in cover_pairs([len(scenario.rows), *sizes], seed)]


def _include_parts(suite: Suite, steps: Sequence[Step]) -> list[Turn]:
    turns: list[Turn] = []
    for step in steps:
        turns += _include_parts(suite, suite.parts[step.part]) if isinstance(step, Include) else [step]
        if len(turns) > MAX_TURNS:  # parts of parts of parts grow without end
            raise DataError(say("its parts make a scenario too large"), remedy=say("include fewer parts"))
    return turns


def list_places(suite: Suite, scenario: Scenario) -> tuple[int, ...]:
    """Return, for each turn of a conversation, the place (from 0) of the step of its scenario that it comes from."""
    steps = enumerate(scenario.turns)
    return tuple(place for place, step in steps for _ in _include_parts(suite, (step,)))


def _turn_ids(turns: Sequence[Turn]) -> Iterator[str]:
    """Yield an id for each turn, unlike any other: its own, or its place; a part put in twice gets a number."""
    used = {turn.id for turn in turns if turn.id}
    taken: set[str] = set()
    for number, turn in enumerate(turns, 1):
        name, again = turn.id or f"t{number}", 2
        base = name
        while name in taken or (not turn.id and name in used) or (again > 2 and name in used):
            name, again = f"{base}-{again}", again + 1
        taken.add(name)
        yield name


def _find_place(draft: Draft, wanted: str) -> int | None:
    """Return the place of a turn by its id, or by its number where no turn has such an id."""
    for place, (name, _) in enumerate(draft.turns):
        if name == wanted:
            return place
    if wanted.isascii() and wanted.isdigit() and 0 < int(wanted[:9]) <= len(draft.turns):
        return int(wanted) - 1
    return None


def hash_content(content: object) -> str:
    """Return a short hash of anything that JSON can write."""
    written = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=str)
    return hashlib.sha256(written.encode("ascii")).hexdigest()[:DIGITS]


def _list_traits(scenario: Scenario) -> dict[str, tuple[str, ...]]:
    level, domain = (scenario.level,), (scenario.domain,)
    return {"levels": level, "domains": domain, "tags": scenario.tags, "scenarios": (scenario.id,)}


def refuse_unknown(suites: Sequence[Suite], chosen: Mapping[str, Sequence[str]]) -> None:
    """Refuse names of levels, domains, tags and scenarios that none of the suites knows."""
    for what, names in chosen.items():
        traits = [name for suite in suites for each in suite.scenarios for name in _list_traits(each)[what]]
        declared = [level for suite in suites for level in suite.levels] if what == "levels" else []
        known = list(dict.fromkeys([*declared, *traits]))
        if unknown := [name for name in names if name not in known]:
            hint = nearest(unknown[0], known)
            raise UsageError(
                say("unknown {what} '{name}'.{nearest}", what=what.removesuffix("s"), name=unknown[0], nearest=hint),
                remedy=say("available: {shown}", shown=", ".join(name or "(none)" for name in known[:20])),
            )


def select_scenarios(suite: Suite, chosen: Mapping[str, Sequence[str]]) -> list[Scenario]:
    """Return the scenarios that have one of the names of each choice."""
    return [
        scenario
        for scenario in suite.scenarios
        if all(not names or set(names) & set(_list_traits(scenario)[what]) for what, names in chosen.items())
    ]


def _refuse(suite: Suite, faults: Sequence[Fault]) -> None:
    if faults:
        what, remedy = say("these scenarios cannot be run"), say("fix these places")
        raise DataError(what, where=suite.source, faults=faults, remedy=remedy)
