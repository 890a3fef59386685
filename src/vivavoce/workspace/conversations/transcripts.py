"""Conversations as they were held: every turn of a run, and the same talk with every bot side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from vivavoce.conversations.findings.columns import rate_of
from vivavoce.errors import AbsentError, nearest
from vivavoce.jobs.exams.conversation_run import Material, read_material
from vivavoce.jobs.exams.documents import storable
from vivavoce.kept import Kept
from vivavoce.messages import say, say_count
from vivavoce.outcomes import TurnOutcome
from vivavoce.records import Rate
from vivavoce.reports.conversations.wording import level_order
from vivavoce.store.database import Store
from vivavoce.store.repositories.results import ALL_TURNS, WRONG, TurnFilter
from vivavoce.store.rows import Run, RunState, TurnRow

if TYPE_CHECKING:
    from vivavoce.conversations.scenario import Script, ScriptTurn


# Turns on one page of a transcript, those of all bots together.
MAX_TURNS = 500
FIELDS = ("bot", "domain", "level", "scenario", "kind")

_TOTALS: Kept[int] = Kept(100)
_MATERIALS: Kept[Material] = Kept(6)
_CHOICES: Kept[Mapping[str, tuple[str, ...]]] = Kept(16)


def material_of(store: Store, run: Run) -> Material:
    """Return what a run was made of: its scripts and bots, which never change."""

    def read() -> Material:
        with store.reading() as tx:
            return read_material(tx.runs.material(run.id))

    return _MATERIALS.get(run.id, read)


@dataclass(frozen=True, slots=True)
class TurnPage:
    """Some turns of a run and how many there are in all."""

    rows: tuple[TurnRow, ...]
    total: int


def list_turns(
    store: Store, run: Run, chosen: TurnFilter = ALL_TURNS, *, sort: str = "", limit: int = 50, offset: int = 0
) -> TurnPage:
    """Return some turns of a run."""
    chosen = TurnFilter(**_storable_values(chosen))
    with store.reading() as tx:
        rows = tx.turns.page(run.id, chosen, sort=sort, limit=limit, offset=offset)
        # A page that is not full is the last one: what comes before it is known without counting again.
        if len(rows) < limit and (rows or not offset):
            return TurnPage(rows, offset + len(rows))
        if run.state.open:
            return TurnPage(rows, tx.turns.count(run.id, chosen))
        key = (run.id, run.version, chosen)
        return TurnPage(rows, _TOTALS.get(key, lambda: tx.turns.count(run.id, chosen)))


def _storable_values(chosen: TurnFilter) -> dict[str, str | None]:
    # What no text can hold is found nowhere.
    return {name: None if value is None else storable(value) for name, value in asdict(chosen).items()}


def turn_choices(store: Store, run: Run) -> Mapping[str, tuple[str, ...]]:
    """Return what turns of a run can be narrowed down by: bots, domains, levels, scenarios, kinds that occur."""
    if run.state is RunState.DONE:
        return _CHOICES.get((run.id, run.version), lambda: _find_choices(store, run))
    return _find_choices(store, run)


def _find_choices(store: Store, run: Run) -> Mapping[str, tuple[str, ...]]:
    with store.reading() as tx:
        rows = tx.turns.combinations(run.id, FIELDS)
    header = material_of(store, run).header
    # Names in the order in which the run has them.
    planned: dict[str, Iterable[str]] = {
        "bot": (bot.name for bot in header.bots),
        "level": level_order(script.level for script in header.plan.scripts),
        "domain": (script.domain for script in header.plan.scripts),
        "scenario": (script.scenario for script in header.plan.scripts),
    }
    choices = {}
    for place, field in enumerate(FIELDS):
        names = {row[place] for row in rows if row[place]}
        first = [name for name in dict.fromkeys(planned.get(field, ())) if name in names]
        choices[field] = (*first, *sorted(names.difference(first)))
    return choices


Facets = Mapping[str, Mapping[str, int]]
FACETS = ("outcome", "bot", "level", "domain")
_FACETS: Kept[Facets] = Kept(60)


def turn_facets(store: Store, run: Run, chosen: TurnFilter) -> Facets:
    """Return for each of `FACETS` how many turns each of its values has, given all other choices.

    Of outcomes, WRONG is the sum of those that did not pass.
    """
    wanted = _storable_values(chosen)
    others = replace(TurnFilter(**wanted), **dict.fromkeys(FACETS))

    def count() -> Facets:
        with store.reading() as tx:
            rows = tx.turns.tallies(run.id, FACETS, others)
        return {name: _count_facet(rows, place, wanted) for place, name in enumerate(FACETS)}

    return count() if run.state.open else _FACETS.get((run.id, run.version, chosen), count)


def _count_facet(rows: Sequence[Sequence[Any]], place: int, wanted: Mapping[str, str | None]) -> Mapping[str, int]:
    counts: Counter[str] = Counter()
    for row in rows:
        if all(_fits(name, row[at], wanted[name]) for at, name in enumerate(FACETS) if at != place):
            counts[row[place]] += row[-1]
            if FACETS[place] == "outcome" and _fits("outcome", row[place], WRONG):
                counts[WRONG] += row[-1]
    return counts


def _fits(name: str, value: str, wanted: str | None) -> bool:
    if name == "outcome" and wanted == WRONG:
        return bool(value) and TurnOutcome(value).counted and not TurnOutcome(value).passed
    return wanted is None or value == wanted


@dataclass(frozen=True)
class Talk:
    """One script in one repeat (from 0) with every bot. `rows`: the turns of each bot, by their numbers.

    `turns` are those of this page of the script; `previous` and `next` are scripts, empty where there is none.
    `place` (from 1) of `total`: where in the run it is.
    """

    script: Script
    repeat: int
    repeats: int
    bots: tuple[str, ...]
    turns: tuple[ScriptTurn, ...]
    rows: Mapping[str, Mapping[int, TurnRow]]
    previous: str
    next: str
    page: int
    pages: int
    place: int
    total: int


def find_talk(store: Store, run: Run, script: str, *, repeat: int = 0, page: int = 1) -> Talk:
    """Return a script with every bot; AbsentError where the run has no such script or repeat."""
    header = material_of(store, run).header
    names = [planned.id for planned in header.plan.scripts]
    if script not in names or not 0 <= repeat < header.repeats:
        near = {"number": run.number, "script": script, "nearest": nearest(script, names[:2000])}
        what = say("run {number:d} has no conversation '{script}'.{nearest}", **near)
        if script in names:
            what = say(
                "run {number:d} ran '{script}' {times}, not {wanted} times",
                number=run.number,
                script=script,
                times=say_count(header.repeats, "{n} time", "{n} times"),
                wanted=repeat + 1,
            )
        raise AbsentError(what, remedy=say("choose one from the list"))
    place = names.index(script)
    content, size = header.plan.scripts[place], max(1, MAX_TURNS // len(header.bots))
    turns = content.turns[(page - 1) * size : page * size]
    numbers = {turn.number for turn in turns}
    rows: dict[str, dict[int, TurnRow]] = {}
    with store.reading() as tx:
        for row in tx.turns.of_script(run.id, script, repeat):
            if row.number in numbers:
                rows.setdefault(row.bot, {})[row.number] = row
    return Talk(
        script=content,
        repeat=repeat,
        repeats=header.repeats,
        bots=tuple(bot.name for bot in header.bots),
        turns=turns,
        rows=rows,
        previous=names[place - 1] if place else "",
        next=names[place + 1] if place + 1 < len(names) else "",
        page=page,
        pages=max(1, -(-len(content.turns) // size)),
        place=place + 1,
        total=len(names),
    )


@dataclass(frozen=True, slots=True)
class Tally:
    """How many checked turns of a talk went as they should, over all repeats."""

    right: int
    counted: int


@dataclass(frozen=True)
class TalkLine:
    """One script of a run and how each bot fared in it; a bot that has not held it yet is missing."""

    script: Script
    tallies: Mapping[str, Tally]


Tallies = Mapping[str, Mapping[str, Tally]]
# Counting thousands of turns takes longer than all the rest of the page; a run that is over stays as it is.
_TALLIES: Kept[Tallies] = Kept(20)


@dataclass(frozen=True)
class TalkPage:
    """Some talks of a run, how many there are in all, and the bots."""

    lines: tuple[TalkLine, ...]
    total: int
    bots: tuple[str, ...]


def list_talks(
    store: Store, run: Run, domain: str = "", level: str = "", search: str = "", *, limit: int = 50, offset: int = 0
) -> TalkPage:
    """Return some scripts of a run in their order, with how each bot fared."""
    header = material_of(store, run).header
    wanted = search.casefold()
    chosen = [
        script
        for script in header.plan.scripts
        if (not domain or script.domain == domain)
        and (not level or script.level == level)
        and (not wanted or wanted in f"{script.id} {script.title}".casefold())
    ]
    page, bots = chosen[offset : offset + limit], tuple(bot.name for bot in header.bots)
    ids = tuple(script.id for script in page)
    tallies = _TALLIES.get((run.id, run.version, bots, ids), lambda: _count_tallies(store, run, bots, ids))
    return TalkPage(tuple(TalkLine(script, tallies.get(script.id, {})) for script in page), len(chosen), bots)


def _count_tallies(store: Store, run: Run, bots: Sequence[str], scripts: Sequence[str]) -> Tallies:
    counted = [str(outcome) for outcome in TurnOutcome if outcome.counted]
    tallies: dict[str, dict[str, Tally]] = {}
    with store.reading() as tx:
        for script, bot, outcome, n in tx.turns.counts_by_script(run.id, bots, scripts, counted):
            before = tallies.setdefault(script, {}).get(bot, Tally(0, 0))
            right = n if TurnOutcome(outcome).passed else 0
            tallies[script][bot] = Tally(before.right + right, before.counted + n)
    return tallies


@dataclass(frozen=True, slots=True)
class RunningScore:
    """How many of the turns that were checked so far went as they should; `rate` has its interval and count."""

    right: int
    rate: Rate


def running_scores(store: Store, run: Run) -> Mapping[str, RunningScore]:
    """Return how each bot fares up to now, as the result will count it; a bot without a judged turn is missing."""
    counted = [str(outcome) for outcome in TurnOutcome if outcome.counted]
    right: dict[str, dict[str, int]] = {}
    all_of: dict[str, dict[str, int]] = {}
    with store.reading() as tx:
        for bot, scenario, outcome, n in tx.turns.counts_by_scenario(run.id, counted):
            hits = n if TurnOutcome(outcome).passed else 0
            right.setdefault(bot, {})[scenario] = right.get(bot, {}).get(scenario, 0) + hits
            all_of.setdefault(bot, {})[scenario] = all_of.get(bot, {}).get(scenario, 0) + n
    return {
        bot: RunningScore(
            sum(own.values()),
            rate_of(np.array([*own.values()], float), np.array([all_of[bot][name] for name in own], float)),
        )
        for bot, own in right.items()
    }
