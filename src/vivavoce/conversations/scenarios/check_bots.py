"""Checks of scenarios against what is known about the bots: topics, slots, and messages they were trained on."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence

from vivavoce.bots.protocol import BotFacts
from vivavoce.conversations.judging.judge import turn_gaps
from vivavoce.conversations.result import Gap
from vivavoce.conversations.scenario import Plan
from vivavoce.conversations.scenarios.check import ERROR, INFO, WARNING, CheckProblem, Spot, list_spots, problem_of
from vivavoce.conversations.scenarios.expansion import Expanded
from vivavoce.errors import nearest, plural

ALIKE = 95.0
# A ratio of 95 is out of reach where one text is this much shorter than the other.
LENGTHS = 0.9
FEW_WORDS = 3
TRAINING = "the training data"


def bot_problems(
    expanded: Expanded, bots: Sequence[BotFacts], intents: Sequence[str] | None
) -> Iterator[CheckProblem]:
    """Yield topics and slots that a bot does not know, and messages that it was trained on."""
    every = list(list_spots(expanded.plan, expanded.lines))
    topics: dict[str, Sequence[str]] = {bot.name: bot.intents for bot in bots if bot.intents is not None}
    if intents is not None:
        topics[TRAINING] = intents
    slots: dict[str, Sequence[str]] = {bot.name: bot.slots for bot in bots if bot.slots is not None}
    asked_topics: dict[tuple[str, ...], list[Spot]] = {}
    asked_slots: dict[tuple[str, ...], list[Spot]] = {}
    for spot in every:
        expect = spot.turn.expect
        if expect.intents:
            asked_topics.setdefault(expect.intents, []).append(spot)
        first = spot.script.setup_slots if spot.turn.number == 1 else {}
        for name in dict.fromkeys([*expect.slots, *expect.slots_after, *expect.slot_names, *first]):
            asked_slots.setdefault((name,), []).append(spot)
    yield from _list_unknown("topic", asked_topics, topics)
    yield from _list_unknown("slot", asked_slots, slots)
    yield from _leaks(every, bots)
    for bot in bots:
        yield from list_unchecked_problems(expanded.plan, bot, expanded.lines)


def list_unchecked_problems(
    plan: Plan, bot: BotFacts, lines: Mapping[tuple[str, str], int | None] | None = None
) -> Iterator[CheckProblem]:
    """Yield what cannot be checked with a bot as far as is known, and in how many turns."""
    every = list(list_spots(plan, lines or {}))
    left: dict[Gap, list[Spot]] = {}
    partly: dict[Gap, list[Spot]] = {}
    for spot in every:
        gap, parts = turn_gaps(spot.turn, bot, plan)
        if gap is not None and not gap.by_choice:
            left.setdefault(gap, []).append(spot)
        for part in parts:
            partly.setdefault(part, []).append(spot)
    for gap, spots in left.items():
        turns = f"{len(spots):,} of {plural(len(every), 'turn')} cannot be checked unless it does"
        message = f"{bot.name} does not declare that it reports {gap.part}: {turns}; add an expected reply there too"
        yield problem_of(spots, "unchecked", WARNING, message)
    for gap, spots in partly.items():
        turns = f"in {plural(len(spots), 'turn')} only the other expectations can be checked unless it does"
        message = f"{bot.name} does not declare that it reports {gap.part}: {turns}"
        yield problem_of(spots, "unchecked", WARNING, message)


def _list_unknown(
    what: str, asked: Mapping[tuple[str, ...], list[Spot]], known: Mapping[str, Sequence[str]]
) -> Iterator[CheckProblem]:
    """Yield names that somebody does not know: an error where nobody knows them, else perhaps as it should be."""
    for names, spots in asked.items():
        lacking = [owner for owner, own in known.items() if not set(names) & set(own)]
        if not lacking:
            continue
        severity = ERROR if len(lacking) == len(known) else WARNING
        quoted = " or ".join(f"'{name}'" for name in names)
        hint = nearest(names[0], list(dict.fromkeys(name for owner in lacking for name in known[owner])))
        message = f"the {what} {quoted} is unknown to {', '.join(lacking)}.{hint}"
        yield problem_of(spots, f"unknown_{what}", severity, message)


def _leaks(every: Sequence[Spot], bots: Sequence[BotFacts]) -> Iterator[CheckProblem]:
    """Yield messages that are, nearly, training phrases: a bot that knows them by heart proves nothing."""
    # The phrases that bots were trained on, each with its topic and the bots.
    trained: dict[str, tuple[str, str, dict[str, None]]] = {}
    for bot in bots:
        for intent, phrases in (bot.phrases or {}).items():
            for phrase in phrases:
                trained.setdefault(_plain(phrase), (phrase, intent, {}))[2][bot.name] = None
    trained.pop("", None)
    if not trained:
        return
    from rapidfuzz import fuzz, process

    messages: dict[str, list[Spot]] = {}
    for spot in every:
        if not spot.turn.button:
            messages.setdefault(_plain(spot.turn.text), []).append(spot)
    by_length = sorted(trained, key=len)
    lengths = [len(phrase) for phrase in by_length]
    for message, spots in messages.items():
        known = message
        if message not in trained:
            low, high = bisect_left(lengths, len(message) * LENGTHS), bisect_right(lengths, len(message) / LENGTHS)
            best = process.extractOne(message, by_length[low:high], scorer=fuzz.ratio, score_cutoff=ALIKE)
            if not best:
                continue
            known = best[0]
        text = spots[0].turn.text
        # Short ones ("yes", "hello") can hardly be avoided.
        severity = WARNING if len(text.split()) >= FEW_WORDS else INFO
        how = "is" if known == message else "is almost"
        phrase, intent, owners = trained[known]
        leak = f"'{text}' {how} the training example '{phrase}' of '{intent}' ({', '.join(owners)})"
        yield problem_of(spots, "leak", severity, leak)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
