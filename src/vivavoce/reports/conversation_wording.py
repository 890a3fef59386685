"""The findings of a conversations exam in sentences: the same words in terminal, page and summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vivavoce.conversations.result import ALL, Cell, Comparison, ConversationsResult, RunDiff
from vivavoce.errors import plural
from vivavoce.records import Rate
from vivavoce.reports.meanings import interval_text, share_text

TOO_CLOSE = "too close to call"
ROUGH = 0.1
FEW = 10


def headline(result: ConversationsResult) -> str:
    """Return the sentence that a report begins with: how often each bot was right."""
    cells = [result.cell(bot.name) for bot in result.header.bots]
    counted = [cell for cell in cells if cell.rates["accuracy"].n]
    if not counted:
        return "Nothing could be counted: see below why."
    best = sorted(counted, key=lambda cell: -(cell.rates["accuracy"].value or 0))
    parts = [f"{cell.bot} {_right(cell.rates['accuracy'])}" for cell in best]
    talks = plural(max(cell.conversations for cell in counted), "conversation")
    return f"Right in {talks}, by turns: {'; '.join(parts)}."


def _right(rate: Rate) -> str:
    around = interval_text(rate)
    return share_text(rate.value) + (f" ({around})" if around else "")


def verdicts(result: ConversationsResult) -> Iterator[str]:
    """Say of each two bots whether the difference between them is real, over everything."""
    for comparison in result.comparisons:
        if (comparison.domain, comparison.level) == (ALL, ALL):
            yield verdict_sentence(comparison)


def verdict_sentence(comparison: Comparison) -> str:
    """Say whether one of two bots is better, by how much, and what would decide it."""
    a, b = comparison.a, comparison.b
    if comparison.difference is None or comparison.low is None or comparison.high is None:
        return f"{a} and {b} cannot be compared: {plural(comparison.conversations, 'conversation')} in common."
    points, low, high = (100 * value for value in (comparison.difference, comparison.low, comparison.high))
    mixed = " They were judged differently: one tells its topics, the other not." if comparison.mixed_sources else ""
    if comparison.verdict == TOO_CLOSE:
        return (
            f"{a} and {b}: too close to call ({points:+.0f} points, {low:+.0f} to {high:+.0f})."
            f"{_more(comparison)}{mixed}"
        )
    better, worse = (a, b) if points > 0 else (b, a)
    ends = sorted((abs(low), abs(high)))
    return f"{better} is better than {worse}: {abs(points):.0f} points ({ends[0]:.0f} to {ends[1]:.0f}).{mixed}"


def _more(comparison: Comparison) -> str:
    if comparison.more is None:
        return ""
    if comparison.more > 100 * max(1, comparison.conversations):
        return " If there is a difference, it is too small for any suite of a bearable size to show."
    return f" About {plural(max(1, comparison.more), 'more conversation')} would decide."


def roughness(rate: Rate) -> str:
    """Return `rough` where the interval is wide, and the bare count where there is little to go by."""
    if rate.value is None or rate.low is None or rate.high is None:
        return ""
    return "rough" if (rate.high - rate.low) / 2 > ROUGH else ""


def cell_name(cell: Cell) -> str:
    """Return a level as a row is called."""
    return cell.level or "all levels"


def domain_name(domain: str) -> str:
    """Return a domain as a heading."""
    return domain.replace("_", " ").capitalize() if domain else "All domains"


def source_note(result: ConversationsResult) -> str:
    """Say which bots were judged by their replies alone."""
    silent = [bot.name for bot in result.header.bots if not bot.reports_intent]
    if not silent:
        return ""
    does = "tells" if len(silent) == 1 else "tell"
    return f"{', '.join(silent)} {does} no topics and were judged by the reply alone.".replace(
        "were", "was" if len(silent) == 1 else "were"
    )


def twins_sentence(cell: Cell) -> str:
    """Say what misspelling costs a bot."""
    twins = cell.twins
    if not twins.n:
        return ""
    lost, won = twins.only_clean, twins.only_typo
    chance = "" if twins.p is None else f" (p = {twins.p:.2g})"
    return (
        f"{cell.bot}: of {plural(twins.n, 'message')} in both spellings, {lost} "
        f"{'was' if lost == 1 else 'were'} lost by misspelling and {won} won{chance}."
    )


def diff_headline(diff: RunDiff) -> str:
    """Return the sentence that a comparison of two runs begins with."""
    better, worse = len(diff.improved), len(diff.regressed)
    total = better + worse + diff.unchanged
    if not total:
        return "The two runs have no turn in common."
    return (
        f"Of {plural(total, 'turn')} in both runs, {better} improved, {worse} got worse and "
        f"{diff.unchanged} came out the same."
    )


def enumerate_some(names: Sequence[str], most: int = 5) -> str:
    """Return a few names and how many more there are."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
