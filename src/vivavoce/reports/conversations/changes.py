"""Two runs side by side in sentences: the same words in terminal, page and summary."""

from __future__ import annotations

from vivavoce.conversations.result import Comparison, RunDiff
from vivavoce.messages import say, say_count
from vivavoce.reports.conversations.verdicts import (
    forecast,
    points_text,
    unchanged,
    verdict_sentence,
    verdict_text,
    winner,
)
from vivavoce.reports.conversations.wording import enumerate_some, sentence

# How the later of two runs of one bot is marked.
AFTER = " (after)"


def diff_headline(diff: RunDiff) -> str:
    """Return the sentence that a comparison of two runs begins with."""
    better, worse = len(diff.improved), len(diff.regressed)
    total = better + worse + diff.unchanged
    if not total:
        return say("The two runs have no comparable turns in common.")
    turns = say_count(total, "{n} turn", "{n} turns")
    if not better and not worse:
        return say("Nothing changed: {turns} in both runs, each passed or failed as before.", turns=turns)
    numbers = {"better": better, "worse": worse, "unchanged": diff.unchanged}
    counts = say("{better} improved, {worse} got worse and {unchanged} stayed the same", **numbers)
    if len(diff.comparisons) == 1:
        course = _describe_course(diff.comparisons[0])
        return say("{course}: of {turns} in both runs, {counts}.", course=course, turns=turns, counts=counts)
    return say("Of {turns} in both runs, {counts}.", turns=turns, counts=counts)


def _describe_course(comparison: Comparison) -> str:
    """Say how a bot fared from one run to the other, which is always the first of the two."""
    name = comparison.a.removesuffix(AFTER)
    if comparison.a == name:
        better = winner(comparison)
        if better:
            return say("{better} is better", better=better)
        return say(
            "{a} and {b} are {verdict_text}", a=comparison.a, b=comparison.b, verdict_text=verdict_text(comparison)
        )
    if winner(comparison) is None:
        return say("Whether {name} got better is {verdict_text}", name=name, verdict_text=verdict_text(comparison))
    got_better = winner(comparison) == comparison.a
    return say("{name} got better", name=name) if got_better else say("{name} got worse", name=name)


def course_sentence(comparison: Comparison) -> str:
    """Say how a bot fared from one run to the other, by how much, and what would decide it."""
    if unchanged(comparison) and comparison.a.endswith(AFTER):
        name, turns = comparison.a.removesuffix(AFTER), say_count(comparison.turns, "{n} turn", "{n} turns")
        return say("{a}: nothing changed in the {turns} counted in both runs.", a=name, turns=turns)
    if comparison.difference is None or unchanged(comparison):
        return verdict_sentence(comparison)
    more = forecast(comparison) if winner(comparison) is None else ""
    return _describe_course(comparison) + " (" + points_text(comparison) + ")." + more


def diff_remarks(diff: RunDiff, most: int = 5) -> list[str]:
    """Return what to know about a comparison of two runs."""
    remarks = []
    if diff.new:
        turns = say_count(len(diff.new), "{n} turn", "{n} turns")
        remarks.append(say("{turns} only in the later run.", turns=turns))
    if diff.gone:
        turns = say_count(len(diff.gone), "{n} turn", "{n} turns")
        remarks.append(say("{turns} only in the earlier run.", turns=turns))
    if diff.edited:
        scripts = say_count(len(diff.edited), "{n} conversation", "{n} conversations")
        names = enumerate_some(diff.edited, most)
        remarks.append(
            say("{conversations} edited between the runs and excluded: {names}.", conversations=scripts, names=names)
        )
    return [*remarks, *(sentence(warning) for warning in diff.warnings)]
