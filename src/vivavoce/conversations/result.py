"""What an exam of conversations found: frozen numbers, each with its count and its interval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from vivavoce.conversations.transcript import ConversationKey, RunHeader
from vivavoce.errors import Fault, UsageError, nearest
from vivavoce.messages import say
from vivavoce.outcomes import TurnCounts, TurnOutcome, f1_of
from vivavoce.records import Rate

DEFINITIONS = 1
ALL = ""
LARGE_SHARE = 0.1
# Shorter delays matter to no reader of a response time, however fast the bot is.
MIN_DELAY_MS = 20.0


class Gap(StrEnum):
    """Why a turn, or a part of what it expects, is not checked."""

    NOTHING_EXPECTED = "nothing_expected"
    NOT_NEEDED = "not_needed"
    UNSUPPORTED = "unsupported"
    TOPICS = "topics"
    SLOTS = "slots"
    CONFIDENCE = "confidence"
    ACTIONS = "actions"

    @property
    def by_choice(self) -> bool:
        """Whether the suite itself asks for no check; else something is expected that this bot does not show."""
        return self in (Gap.NOTHING_EXPECTED, Gap.NOT_NEEDED)

    @property
    def part(self) -> str:
        """What the bot would have to report, as a sentence names it."""
        return _PARTS.get(self, "")


_PARTS = {
    Gap.TOPICS: say("topics"),
    Gap.SLOTS: say("slots"),
    Gap.CONFIDENCE: say("confidence"),
    Gap.ACTIONS: say("actions"),
    Gap.UNSUPPORTED: say("rich content such as cards"),
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one turn came to, and why.

    `fallback_rule`: which rule recognised the fallback (connector, intent, no_intent, reply, confidence). `matched`:
    the kind of match that made the reply pass. `needs_look`: a near match that a guard held back: a person decides.
    `guess_right`: whether the topic held back at a fallback was the right one (None: not known). `gap`: why the turn
    was not checked, or a part of it.
    """

    outcome: TurnOutcome
    in_scope: bool = True
    replied: bool = False
    fallback: bool = False
    fallback_rule: str = ""
    matched: str = ""
    reasons: tuple[str, ...] = ()
    needs_look: bool = False
    intent: str | None = None
    guess_right: bool | None = None
    gap: Gap | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One turn of a run in numbers: the row that every rate is counted from. Texts stay in the record.

    `lag_ms`: how much of the response time this machine was busy with other things.
    """

    key: ConversationKey
    number: int
    turn: str
    scenario: str
    domain: str
    level: str
    kind: str
    expected: tuple[str, ...]
    verdict: Verdict
    status: str
    first_ms: float | None
    last_ms: float | None
    attempts: int
    cold: bool
    twin: tuple[str, int] | None = None
    lag_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Times:
    """Response times in milliseconds over answered turns; what ran out of time is counted, never averaged in.

    `mean` is the paper's: the mean of each conversation, then over conversations. `pooled` is over turns.
    """

    mean: Rate
    pooled: float | None
    p50: float | None
    p95: float | None
    p99: float | None
    last: float | None
    turns: int
    timeouts: int
    retried: int
    cold: int


@dataclass(frozen=True, slots=True)
class Twins:
    """Misspelt messages beside their clean twins: how many pairs were right on both, one or neither side.

    A pair counts once however often it was repeated; a side was right if it was so in more than half of the repeats.
    """

    both: int
    only_clean: int
    only_typo: int
    neither: int
    p: float | None
    fewest_repeats: int = 1
    most_repeats: int = 1

    @property
    def n(self) -> int:
        """Pairs of messages of which both were counted, repeats not among them."""
        return self.both + self.only_clean + self.only_typo + self.neither


@dataclass(frozen=True)
class Cell:
    """One bot in one domain at one level; an empty domain or level means all of them.

    `rates` holds every share by its stable name: accuracy, precision, recall, f1, wrong_answer_rate, fallback_rate,
    fallback_in_scope, fallback_out_of_scope, comprehension_rate, clean_twin_rate, retention, conversations_passed,
    macro_f1, carefulness, stability, weakest_turn, mean_turn; and pass^k as pass_hat_2 ... where there are repeats.
    """

    bot: str
    domain: str
    level: str
    conversations: int
    turns: int
    counts: TurnCounts
    rates: Mapping[str, Rate]
    times: Times
    twins: Twins
    typo_out_of_scope: int
    intent_source: str
    incomplete: bool

    @property
    def literal(self) -> dict[str, float | None]:
        """The values of the ECHO paper's wording, under their own names."""
        return literal_of(self.counts)


def literal_of(counts: TurnCounts) -> dict[str, float | None]:
    """Return the values of the ECHO paper's wording, under their own names."""
    values = {name: share.value for name, share in counts.literal().items()}
    f1 = f1_of(values["echo_literal_precision"], values["echo_literal_recall"])
    return values | {"echo_literal_f1": f1}


@dataclass(frozen=True, slots=True)
class TopicRow:
    """One expected topic of one bot: how often it was asked, found and wrongly used; `intent` None: out of scope."""

    bot: str
    intent: str | None
    n: int
    precision: float | None
    recall: float | None
    f1: float | None
    confused_with: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Bot a against bot b on the same conversations: a difference with its interval, and what may be said of it.

    `verdict`: a better, b better, too close to call, or cannot be compared where no turn was counted for both.
    `more`: about how many more conversations would decide. `differing`: how many scenarios came out unlike.
    `p` is that of whole scenarios, adjusted for the number of comparisons, `family`. `mcnemar_p` takes the turns of a
    conversation for independent and is too small: kept for those who read it, used for no verdict.
    """

    a: str
    b: str
    domain: str
    level: str
    measure: str
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    verdict: str
    more: int | None
    conversations: int
    turns: int
    only_a: int
    only_b: int
    mcnemar_p: float | None
    mixed_sources: bool = False
    differing: int = 0
    family: int = 1


@dataclass(frozen=True, slots=True)
class Strength:
    """A bot's place among three or more: Bradley-Terry strength (mean 0) with its interval over conversations.

    `wins`: conversations won against another bot, a draw as half.
    """

    bot: str
    strength: float
    low: float | None
    high: float | None
    wins: float
    contests: int


@dataclass(frozen=True, slots=True)
class Problem:
    """One of the biggest problems of a bot, most costly first: what goes wrong, how often, and where to look."""

    bot: str
    kind: str
    message: str
    turns: int
    examples: tuple[tuple[ConversationKey, int], ...]
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Unchecked:
    """What could not be checked with a bot, because it does not report it.

    `turns`: turns that are in no rate for this reason; `partly`: turns that were judged by the rest of what they
    expect; `of`: all turns that were held with the bot.
    """

    bot: str
    gap: Gap
    turns: int
    partly: int
    of: int


@dataclass(frozen=True, slots=True)
class Delay:
    """How busy this machine was while it waited for a bot, in milliseconds; `share`: of all response times."""

    bot: str
    p95_ms: float
    max_ms: float
    share: float

    @property
    def large(self) -> bool:
        """Whether the response times say more about this machine than they should."""
        return self.share >= LARGE_SHARE and self.p95_ms >= MIN_DELAY_MS


@dataclass(frozen=True, slots=True)
class Unstable:
    """A turn that does not always come out the same in repeats."""

    bot: str
    script: str
    number: int
    passed: int
    n: int


@dataclass(frozen=True)
class Health:
    """How good the test itself is: too easy, never passed, leaked from training, and what it covers.

    Turns are named as (script, number). `coverage`: counted turns by (topic or None, level, clean|typo).
    `difficulty`: level, then the share of turns that passed over all bots.
    """

    too_easy: tuple[tuple[str, int], ...] = ()
    never_passed: tuple[tuple[str, int], ...] = ()
    leaks: tuple[tuple[str, int, str], ...] = ()
    coverage: Mapping[tuple[str | None, str, str], int] = field(default_factory=dict)
    difficulty: Mapping[str, Rate] = field(default_factory=dict)


@dataclass(frozen=True)
class ConversationsResult:
    """All findings of one run."""

    header: RunHeader
    cells: tuple[Cell, ...]
    topics: tuple[TopicRow, ...]
    comparisons: tuple[Comparison, ...]
    strengths: tuple[Strength, ...]
    problems: tuple[Problem, ...]
    unstable: tuple[Unstable, ...]
    health: Health
    lines: tuple[Line, ...]
    warnings: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    unchecked: tuple[Unchecked, ...] = ()
    delays: tuple[Delay, ...] = ()

    def cell(self, bot: str, domain: str = ALL, level: str = ALL) -> Cell:
        """Return the cell of a bot; by default over all domains and levels. UsageError where there is none."""
        for cell in self.cells:
            if (cell.bot, cell.domain, cell.level) == (bot, domain, level):
                return cell
        asked = {"bot": bot, "domain": domain, "level": level}
        known = {part: list(dict.fromkeys(getattr(cell, part) for cell in self.cells)) for part in asked}
        faults = [
            Fault(f"unknown {part} '{name}'.{nearest(name, known[part])}")
            for part, name in asked.items()
            if name not in known[part]
        ]
        offered = "; ".join(f"{part}s: {', '.join(filter(None, names)) or 'none'}" for part, names in known.items())
        what = "no findings for " + ", ".join(f"{part} '{name}'" for part, name in asked.items() if name)
        raise UsageError(what, faults=faults, remedy=f"choose from {offered}")


@dataclass(frozen=True, slots=True)
class Change:
    """A turn whose outcome differs between two runs of the same bot name."""

    key: ConversationKey
    number: int
    before: TurnOutcome
    after: TurnOutcome


@dataclass(frozen=True)
class RunDiff:
    """Two runs side by side: what improved, regressed, is new or gone. `edited`: scripts whose content changed."""

    before: RunHeader
    after: RunHeader
    improved: tuple[Change, ...]
    regressed: tuple[Change, ...]
    new: tuple[tuple[ConversationKey, int], ...]
    gone: tuple[tuple[ConversationKey, int], ...]
    edited: tuple[str, ...]
    unchanged: int
    comparisons: tuple[Comparison, ...]
    warnings: tuple[str, ...] = ()
