"""Two bots compared: whether the difference is real, in words."""

from __future__ import annotations

from collections.abc import Iterator

from vivavoce.conversations.result import ALL, Comparison, ConversationsResult
from vivavoce.messages import say, say_count
from vivavoce.reports.conversations.meanings import MIN_TURNS
from vivavoce.reports.shared.numbers import NOT_AVAILABLE

TOO_CLOSE = say("too close to call")

# So many scenarios that all favour one of two bots happen by luck less often than once in twenty times.
ENOUGH_SCENARIOS = 6


def between(result: ConversationsResult, a: str, b: str) -> Comparison | None:
    """Return the comparison of two bots over everything."""
    whole = (each for each in result.comparisons if (each.domain, each.level) == (ALL, ALL))
    return next((each for each in whole if {each.a, each.b} == {a, b}), None)


def beats(result: ConversationsResult, a: str, b: str) -> bool:
    """Return whether one bot is better than another, as far as can be shown."""
    comparison = between(result, a, b)
    return comparison is not None and winner(comparison) == a


def winner(comparison: Comparison) -> str | None:
    """Return the bot that the comparison calls better, if any."""
    return next((name for name in (comparison.a, comparison.b) if comparison.verdict == f"{name} better"), None)


def ends_text(comparison: Comparison | None) -> str:
    """Return the ends of a difference that is real, seen from the better one; nothing where turns are too few."""
    if comparison is None or comparison.low is None or comparison.high is None or comparison.turns < MIN_TURNS:
        return ""
    low, high = 100 * comparison.low, 100 * comparison.high
    low, high = (low, high) if winner(comparison) == comparison.a else (-high, -low)
    return say("{low:.0f} to {high:.0f}", low=low, high=high)


def count_text(result: ConversationsResult, comparison: Comparison) -> int:
    """Return how many turns the rates of two bots are shown over: the more of the two."""
    place = comparison.domain, comparison.level
    return max(result.cell(bot, *place).counts.counted for bot in (comparison.a, comparison.b))


def verdicts(result: ConversationsResult) -> Iterator[str]:
    """Say of each two bots whether the difference between them is real, over everything."""
    for comparison in result.comparisons:
        if (comparison.domain, comparison.level) == (ALL, ALL):
            yield verdict_sentence(comparison, count_text(result, comparison))


def verdict_sentence(comparison: Comparison, counted: int = 0) -> str:
    """Say whether one of two bots is better, by how much, and what would decide it.

    `counted`: how many turns the rates beside it are shown over, which may be more than both bots have in common.
    """
    a, b = comparison.a, comparison.b
    if comparison.difference is None:
        return say("{a} and {b} cannot be compared: no turn was counted for both.", a=a, b=b)
    mixed = ""
    if comparison.mixed_sources:
        mixed = " " + say("They were judged differently: one reports its topics, the other does not.")
    if unchanged(comparison):
        turns = say_count(comparison.turns, "{n} turn", "{n} turns")
        same = say("{a} and {b} got the same results on the {turns} counted for both.", a=a, b=b, turns=turns)
        return same + mixed
    better, rest = winner(comparison), common_text(comparison, counted) + mixed
    if better is None:
        verdict, points = verdict_text(comparison), points_text(comparison)
        first = say("{a} and {b}: {verdict} ({points}).", a=a, b=b, verdict=verdict, points=points)
        return first + forecast(comparison) + rest
    other, gap, ends = b if better == a else a, abs(100 * comparison.difference), bracket(ends_text(comparison))
    facts = {"better": better, "other": other, "gap": gap, "ends": ends}
    return say("{better} is better than {other}: {gap:.0f} points{ends}.", **facts) + rest


def unchanged(comparison: Comparison) -> bool:
    """Return whether no turn passed on one side alone."""
    return comparison.turns > 0 and not comparison.only_a and not comparison.only_b


def verdict_text(comparison: Comparison) -> str:
    """Return the verdict; where it is none although the interval leaves out 0, with the reason."""
    low, high = comparison.low, comparison.high
    verdict = TOO_CLOSE if comparison.verdict == TOO_CLOSE else comparison.verdict
    if few_scenarios(comparison):
        if comparison.differing == 1:
            return say("too few scenarios to tell, because only 1 scenario differs")
        scenarios = say_count(comparison.differing, "{n} scenario", "{n} scenarios")
        return say("too few scenarios to tell, because only {scenarios} differ", scenarios=scenarios)
    if winner(comparison) or low is None or high is None or low <= 0 <= high:
        return verdict
    if comparison.family > 1:
        several = say("several pairs are compared, so each difference must be clearer than for a single pair")
        return say("{verdict}, because {several}", verdict=verdict, several=several)
    return say("{verdict}, because it is borderline and may be chance", verdict=verdict)


def few_scenarios(comparison: Comparison) -> bool:
    """Tell whether two bots look far apart, but in so few scenarios that it may be chance."""
    if winner(comparison) or not 0 < comparison.differing < ENOUGH_SCENARIOS:
        return False
    low, high = comparison.low, comparison.high
    apart = low is not None and high is not None and not low <= 0 <= high
    return apart or 2 * comparison.differing >= comparison.conversations


def points_text(comparison: Comparison) -> str:
    """Write a difference in points, seen from the first of the two, with its interval unless it says nothing."""
    if comparison.difference is None:
        return NOT_AVAILABLE
    low, high = comparison.low, comparison.high
    points = _points(comparison.difference)
    if low is None or high is None or low == high or comparison.turns < MIN_TURNS:
        return say("{points} points", points=points)
    return say("{points} points, {points2} to {points3}", points=points, points2=_points(low), points3=_points(high))


def _points(value: float) -> str:
    """Write a difference in points; what is not 0 is never shown as 0, unless it is very small."""
    if value == 0 or abs(100 * value) >= 0.5:
        return say("{points:+.0f}", points=100 * value)
    return say("{points:+.1f}", points=100 * value)


def common_text(comparison: Comparison, counted: int) -> str:
    """Say over how many turns two bots are compared, where that is fewer than were counted."""
    if not 0 < comparison.turns < counted:
        return ""
    turns = say_count(comparison.turns, "{n} turn", "{n} turns")
    return " " + say("The comparison uses the {turns} counted for both.", turns=turns)


def bracket(text: str) -> str:
    """Return a text in brackets, with a blank before them; nothing for nothing."""
    return " (" + text + ")" if text else ""


def forecast(comparison: Comparison) -> str:
    """Say about how many more conversations would decide, where that is known."""
    if comparison.more is None:
        return ""
    if comparison.more > 100 * max(1, comparison.conversations):
        return " " + say("If there is a difference, it is too small to show with a suite of practical size.")
    about = say_count(max(1, comparison.more), "{n} more conversation", "{n} more conversations")
    return " " + say(
        "About {about} would probably settle it, if the difference is as large as it looks.", about=about
    )
