"""Two runs side by side in sentences: the same words in terminal, page and summary."""

from __future__ import annotations

from vivavoce.conversations.result import Comparison, RunDiff
from vivavoce.errors import plural
from vivavoce.reports.conversations.wording import (
    enumerate_some,
    forecast,
    points_text,
    sentence,
    unchanged,
    verdict_sentence,
    verdict_text,
    winner,
)
from vivavoce.sentences import say

# How the later of two runs of one bot is marked.
AFTER = " (after)"


def diff_headline(diff: RunDiff) -> str:
    """Return the sentence that a comparison of two runs begins with."""
    better, worse = len(diff.improved), len(diff.regressed)
    total = better + worse + diff.unchanged
    if not total:
        return say("The two runs have no turn in common that could be compared.")
    if not better and not worse:
        return say(f"Nothing changed: of {plural(total, 'turn')} in both runs, each passed or failed as before.")
    counts = say(f"{better} improved, {worse} got worse and {diff.unchanged} came out the same")
    if len(diff.comparisons) == 1:
        return say(f"{_course(diff.comparisons[0])}: of {plural(total, 'turn')} in both runs, {counts}.")
    return say(f"Of {plural(total, 'turn')} in both runs, {counts}.")


def _course(comparison: Comparison) -> str:
    """Say how a bot fared from one run to the other, which is always the first of the two."""
    name = comparison.a.removesuffix(AFTER)
    if comparison.a == name:
        better = winner(comparison)
        if better:
            return say(f"{better!s} is better")
        return say(f"{comparison.a!s} and {comparison.b!s} are {verdict_text(comparison)}")
    if winner(comparison) is None:
        return say(f"Whether {name!s} got better is {verdict_text(comparison)}")
    return say(f"{name!s} got better") if winner(comparison) == comparison.a else say(f"{name!s} got worse")


def course_sentence(comparison: Comparison) -> str:
    """Say how a bot fared from one run to the other, by how much, and what would decide it."""
    if unchanged(comparison) and comparison.a.endswith(AFTER):
        turns = plural(comparison.turns, "turn")
        return say(f"{comparison.a.removesuffix(AFTER)!s}: nothing changed in the {turns} counted in both runs.")
    if comparison.difference is None or unchanged(comparison):
        return verdict_sentence(comparison)
    more = forecast(comparison) if winner(comparison) is None else ""
    return f"{_course(comparison)} ({points_text(comparison)})." + more


def diff_remarks(diff: RunDiff, most: int = 5) -> list[str]:
    """Return what to know about a comparison of two runs."""
    told = [say(f"{plural(len(diff.new), 'turn')} only in the later run.")] if diff.new else []
    told += [say(f"{plural(len(diff.gone), 'turn')} only in the earlier run.")] if diff.gone else []
    if diff.edited:
        names = enumerate_some(diff.edited, most)
        told.append(say(f"{plural(len(diff.edited), 'conversation')} edited between the runs and left out: {names}."))
    return [*told, *(sentence(warning) for warning in diff.warnings)]
