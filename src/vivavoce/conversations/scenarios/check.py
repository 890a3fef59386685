"""A look at scenarios before a run: what is wrong, what will be rough, how large it is and how long it takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from vivavoce.bots.protocol import BotFacts
from vivavoce.codec import Hook, shape, to_json
from vivavoce.conversations.scenario import Script, Suite
from vivavoce.conversations.scenarios.expansion import expand_leniently
from vivavoce.conversations.scenarios.formats.sheet_cells import Misspelt
from vivavoce.conversations.scenarios.references import find_broken, usable_part
from vivavoce.errors import plural


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
    from vivavoce.conversations.scenarios.check_turns import suite_problems, turn_problems

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
