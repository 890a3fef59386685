"""A look at scenarios before a run: what is wrong, what will be rough, how large it is and how long it takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise

from vivavoce.bots.protocol import BotFacts
from vivavoce.codec import Hook, shape, to_json
from vivavoce.conversations.judging.matching import check_pattern, kind_of
from vivavoce.conversations.scenario import Expectation, Kind, Match, Pattern, Plan, Script, ScriptTurn, Suite, Turn
from vivavoce.conversations.scenarios.expansion import Expanded, expand_leniently
from vivavoce.conversations.scenarios.formats.sheet_rows import Misspelt
from vivavoce.conversations.scenarios.placeholders import BUILT_IN, fill, names_in, texts_of
from vivavoce.conversations.scenarios.references import find_broken, place_of, usable_part
from vivavoce.errors import nearest, plural


@dataclass(frozen=True, slots=True)
class Measured:
    """Turns, different slots that are asked about, and changes of the expected topic from one turn to the next."""

    turns: int
    slots: int
    switches: int


def measure_script(script: Script) -> Measured:
    """Measure a conversation, to be shown beside its declared level.

    Turns without an expected topic are passed over when changes of topic are counted.
    """
    slots: set[str] = set()
    for turn in script.turns:
        slots |= {*turn.expect.slots, *turn.expect.slots_after, *turn.expect.slot_names}
    topics = [set(turn.expect.intents) for turn in script.turns if turn.expect.intents]
    switches = sum(not (before & after) for before, after in pairwise(topics))
    return Measured(len(script.turns), len(slots), switches)


ERROR = "error"
WARNING = "warning"
INFO = "info"
SEVERITIES = (ERROR, WARNING, INFO)
SECONDS_A_TURN = 1.0


@dataclass(frozen=True, slots=True)
class CheckProblem:
    """One thing to look at; an error would make the run wrong. `scenarios`: all in which it occurs."""

    kind: str
    severity: str
    message: str
    where: str = ""
    scenarios: tuple[str, ...] = ()


@dataclass(frozen=True)
class SuiteCheck:
    """What was found, worst first, and the size of a run with all scenarios.

    `by_kind` counts turns, `by_level` and `by_domain` conversations. `minutes`: about how long each bot takes.
    `measured`: turns, slots and switches of each conversation, to be held against its declared level.
    """

    problems: tuple[CheckProblem, ...]
    scenarios: int
    scripts: int
    turns: int
    repeats: int = 1
    by_level: Mapping[str, int] = field(default_factory=dict)
    by_domain: Mapping[str, int] = field(default_factory=dict)
    by_kind: Mapping[str, int] = field(default_factory=dict)
    minutes: Mapping[str, float] = field(default_factory=dict)
    measured: Mapping[str, Measured] = field(default_factory=dict)

    @property
    def errors(self) -> tuple[CheckProblem, ...]:
        """What must be corrected before a run."""
        return tuple(problem for problem in self.problems if problem.severity == ERROR)

    @property
    def warnings(self) -> tuple[CheckProblem, ...]:
        """What a run would go on with, though its result will be poorer."""
        return tuple(problem for problem in self.problems if problem.severity == WARNING)

    @property
    def summary(self) -> str:
        """The size in one sentence or two."""
        sizes = f"{plural(self.scenarios, 'scenario')}, {plural(self.scripts, 'conversation')}, "
        sizes += f"{plural(self.turns, 'turn')}"
        sizes += f", run {self.repeats} times." if self.repeats > 1 else "."
        times = ", ".join(f"{bot} {_describe_duration(minutes)}" for bot, minutes in self.minutes.items())
        return f"{sizes} Time: {times}." if times else sizes

    def to_json(self) -> dict[str, object]:
        """Return all of it as plain JSON."""
        return to_json(self)  # type: ignore[no-any-return]


shape(SuiteCheck, hooks={"minutes": Hook(lambda minutes: {bot: round(value, 2) for bot, value in minutes.items()})})


def check_suite(
    suite: Suite, bots: Sequence[BotFacts] = (), *, intents: Sequence[str] | None = None, repeats: int = 1
) -> SuiteCheck:
    """Look at a suite and at what is known about the bots; `intents`: topics of the training data, where known."""
    from vivavoce.conversations.scenarios.check_bots import bot_problems

    broken = find_broken(suite)
    expanded = expand_leniently(usable_part(suite, broken))
    problems = [
        CheckProblem(name.kind, ERROR, name.message, name.where, (name.scenario,) if name.scenario else ())
        for name in broken
    ]
    problems += suite_problems(suite, expanded)
    problems += turn_problems(expanded)
    problems += bot_problems(expanded, bots, intents)
    for note in suite.notes:
        # What a misspelt column means is not checked, which is worse than other remarks on the file.
        kind, severity = ("column", WARNING) if isinstance(note, Misspelt) else ("note", INFO)
        problems.append(CheckProblem(kind, severity, str(note)))
    unique = sorted(dict.fromkeys(problems), key=lambda problem: SEVERITIES.index(problem.severity))
    scripts = expanded.plan.scripts
    turns = sum(len(script.turns) for script in scripts)
    return SuiteCheck(
        tuple(unique),
        len(suite.scenarios),
        len(scripts),
        turns,
        repeats,
        by_level=Counter(script.level for script in scripts),
        by_domain=Counter(script.domain for script in scripts),
        by_kind=Counter(turn.kind.value for script in scripts for turn in script.turns),
        minutes={bot.name: estimate_minutes(turns * repeats, bot) for bot in bots},
        measured={script.id: measure_script(script) for script in scripts},
    )


def estimate_minutes(turns: int, bot: BotFacts) -> float:
    """Return about how long a bot takes: a second for each turn, several talks at once, never above its rate."""
    a_second = bot.limits.at_once / SECONDS_A_TURN
    if bot.limits.per_second is not None:
        a_second = min(a_second, bot.limits.per_second)
    return turns / a_second / 60


def _describe_duration(minutes: float) -> str:
    if minutes < 1:
        return "under a minute"
    return f"about {plural(round(minutes), 'minute')}" if minutes < 90 else f"about {minutes / 60:.1f} hours"


MIN_TYPOS = 10
MIN_LETTERS = 4
USUAL_TURNS: Mapping[str, tuple[int, int]] = {"basic": (1, 3), "medium": (3, 6), "complex": (6, 12)}
PROBES = ("", "zq", "7 § \n x", "Ok.")
PROBE_SECONDS = 0.1
NO_EXPECTATION = Expectation()
NOTHING_EXPECTED = (
    "no turn expects anything, so there is nothing to check: add expectations under `expect` (in a "
    "sheet: expect_topic, good_replies ...)"
)


@dataclass(frozen=True)
class Spot:
    """A turn of a conversation, and how its place is called."""

    script: Script
    turn: ScriptTurn
    where: str


def problem_of(spots: Sequence[Spot], kind: str, severity: str, message: str) -> CheckProblem:
    """Return a problem of several turns; its place is the first."""
    scenarios = tuple(dict.fromkeys(spot.script.scenario for spot in spots))
    return CheckProblem(kind, severity, message, spots[0].where, scenarios)


def list_spots(plan: Plan, lines: Mapping[tuple[str, str], int | None]) -> Iterator[Spot]:
    """Yield every turn of a plan with its place; `lines`: the line of each in its file."""
    for script in plan.scripts:
        for turn in script.turns:
            line = lines.get((script.scenario, turn.id))
            where = f"{script.scenario}/{turn.id}"
            yield Spot(script, turn, f"{where} (line {line})" if line is not None else where)


def suite_problems(suite: Suite, expanded: Expanded) -> Iterator[CheckProblem]:
    """Yield what is wrong with scenarios and with the suite as a whole."""
    if not suite.scenarios:
        yield CheckProblem("no_scenarios", ERROR, "no scenarios found")
        return
    for scenario in suite.scenarios:
        where, names = place_of(scenario), (scenario.id,)
        if not scenario.turns:
            yield CheckProblem("empty_scenario", ERROR, "the scenario has no turns", where, names)
        ids = Counter(step.id for step in scenario.turns if isinstance(step, Turn) and step.id)
        for name, times in ids.items():
            if times > 1:
                message = f"{times} turns have the id '{name}'"
                yield CheckProblem("duplicate_turn_id", ERROR, message, where, names)
    yield from _twin_problems(expanded)
    # Not even what is checked but not counted.
    turns = suite.all_turns
    if turns and all(replace(turn.expect, counted=True) == NO_EXPECTATION for turn in turns):
        yield CheckProblem("nothing_expected", ERROR, NOTHING_EXPECTED)
    elif expanded.plan.scripts:
        yield from _coverage_problems(expanded.plan.scripts)
    for script in expanded.plan.scripts:
        least, most = USUAL_TURNS.get(script.level, (0, 10**6))
        n = len(script.turns)
        if n and not least <= n <= most:
            message = f"the level is {script.level}, usually {least} to {most} turns, but the scenario has {n}"
            yield CheckProblem("level", INFO, message, script.scenario, (script.scenario,))


def _twin_problems(expanded: Expanded) -> Iterator[CheckProblem]:
    spots = list(list_spots(expanded.plan, expanded.lines))
    ids = [f"{spot.script.scenario}/{spot.turn.id}" for spot in spots]
    for scenario, name, wanted in expanded.lost:
        own = [turn.removeprefix(f"{scenario}/") for turn in ids if turn.startswith(f"{scenario}/")]
        message = f"twin_of names '{wanted}', which does not exist.{nearest(wanted, [*own, *ids])}"
        yield CheckProblem("lost_twin", ERROR, message, f"{scenario}/{name}", (scenario,))
    lost = {(scenario, name) for scenario, name, _ in expanded.lost}
    for scenario, name, fault in expanded.faults:
        if (scenario, name) not in lost:
            yield CheckProblem("same_as_nothing", ERROR, fault.message, f"{scenario}/{name}", (scenario,))
    misspelt = [spot for spot in spots if spot.turn.kind is Kind.TYPO]
    places = {(spot.script.id, spot.turn.number) for spot in misspelt}
    for spot in misspelt:
        if spot.turn.twin in places:
            yield problem_of([spot], "twin_not_clean", WARNING, "the twin of this misspelt turn is also misspelt")
    if alone := [spot for spot in misspelt if spot.turn.twin is None]:
        message = (
            f"{plural(len(alone), 'misspelt turn')} without a clean twin (`twin_of`): the cost "
            "of misspelling cannot be measured with them"
        )
        yield problem_of(alone, "typo_without_twin", INFO, message)


def _coverage_problems(scripts: Sequence[Script]) -> Iterator[CheckProblem]:
    turns = [turn for script in scripts for turn in script.turns]
    if not any(turn.expect.fallback for turn in turns):
        message = "no turn is out of scope (`expect: fallback`), so overreaching answers are not measured"
        yield CheckProblem("no_out_of_scope", WARNING, message)
    typos = sum(turn.kind is Kind.TYPO for turn in turns)
    if typos < MIN_TYPOS:
        message = f"{plural(typos, 'misspelt turn')}: the comprehension rate is imprecise below {MIN_TYPOS}"
        if not typos:
            message = "no misspelt turns, so the comprehension rate is not measured"
        yield CheckProblem("few_typos", WARNING, message)


def turn_problems(expanded: Expanded) -> Iterator[CheckProblem]:
    """Yield what is wrong with single turns."""
    default = expanded.plan.defaults.match
    saved: set[str] = set()
    for spot in list_spots(expanded.plan, expanded.lines):
        if spot.turn.number == 1:
            saved = set()
        expected = {name for text in texts_of(spot.turn.expect) for name in names_in(text)}
        for name in sorted((set(names_in(spot.turn.text)) | expected - BUILT_IN) - saved):
            message = f"'{{{name}}}' has no value: no row of the scenario sets it and no earlier turn saves it"
            yield problem_of([spot], "placeholder", ERROR, message)
        yield from _expectation_problems(spot, default)
        saved |= set(spot.turn.save)


def _expectation_problems(spot: Spot, default: Match) -> Iterator[CheckProblem]:
    expect = spot.turn.expect
    if not spot.turn.text.strip():
        yield problem_of([spot], "empty_message", WARNING, "the message is empty")
    if expect == NO_EXPECTATION:
        yield problem_of(
            [spot], "passes_all", WARNING, "the turn expects nothing, so every reply passes: write `expect: any`"
        )
    if expect.fallback and (expect.intents or expect.answered):
        yield problem_of([spot], "contradiction", ERROR, "a turn cannot expect both a fallback and an answer")
    for pattern in (*expect.any, *expect.all, *expect.none, *spot.turn.save.values()):
        kind = kind_of(pattern, default)
        if reason := check_pattern(pattern, default):
            kinds = ("regex", ERROR) if kind is Match.REGEX else ("pattern", WARNING)
            yield problem_of([spot], *kinds, reason)
        if kind is Match.SUBSTRING and 0 < len(pattern.text.strip()) < MIN_LETTERS:
            message = (
                f"'{pattern.text}' is too short for a substring match and is found inside other words; use `contains`"
            )
            yield problem_of([spot], "short_substring", WARNING, message)
    yield from _passing_problems(spot, default)


def _passing_problems(spot: Spot, default: Match) -> Iterator[CheckProblem]:
    for pattern in (*spot.turn.expect.any, *spot.turn.expect.all):
        if passes_all(pattern, default):
            yield problem_of([spot], "passes_all", WARNING, f"every reply matches the expected text '{pattern.text}'")
    for pattern in spot.turn.expect.none:
        if passes_all(pattern, default):
            yield problem_of([spot], "passes_none", ERROR, f"no reply can pass: '{pattern.text}' forbids every text")


def passes_all(pattern: Pattern, default: Match) -> bool:
    """Say whether there is no reply that fails this pattern."""
    kind = kind_of(pattern, default)
    if kind in (Match.CONTAINS, Match.SUBSTRING):
        return not pattern.text.strip()
    if kind is Match.WILDCARD:
        return "*" in pattern.text and not pattern.text.replace("*", "").strip()
    if kind in (Match.FUZZY, Match.SIMILAR):
        return pattern.minimum is not None and pattern.minimum <= 0
    return kind is Match.REGEX and _finds_all(pattern.text)


@lru_cache(maxsize=4096)
def _finds_all(written: str) -> bool:
    import regex

    try:
        # Values that are only known during a conversation are filled with something.
        compiled = regex.compile(fill(written, dict.fromkeys(names_in(written), "0")))
        return all(compiled.search(probe, timeout=PROBE_SECONDS) for probe in PROBES)
    except (regex.error, TimeoutError):
        return False
