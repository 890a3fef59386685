"""The findings of a conversations exam in sentences: the same words in terminal, page and summary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from vivavoce.conversations.result import ALL, Cell, Comparison, ConversationsResult, RunDiff
from vivavoce.conversations.scenario import LEVELS
from vivavoce.errors import plural
from vivavoce.records import Rate
from vivavoce.reports.meanings import interval_text, share_text

TOO_CLOSE = "too close to call"
ROUGH = 0.1
# A share of fewer turns than this says little: they are counted out.
FEWEST = 10
SURE = 0.001

LITERAL = (
    "By the wording of the paper, every question in scope counts as correct, whether it was answered rightly, from "
    "another topic or not at all, so that its “accuracy” tells what was asked and not how good a bot is. "
    "These values are for comparison with the paper alone: no ranking, verdict or gate uses them."
)


# --- the first sentence ------------------------------------------------------------------------------------------


def headline(result: ConversationsResult) -> str:
    """Return the sentence that a report begins with: which bot is best, by how much, and whether that is real."""
    ranked = ranked_cells(result)
    if not ranked:
        return "Nothing could be counted: no checked turn got through to a bot."
    if len(ranked) == 1:
        among = "" if len(result.header.bots) == 1 else "; no other bot could be examined"
        return f"{ranked[0].bot} was right in {right_of(ranked[0])} of {talks_of(ranked)}{among}."
    top = unbeaten(result, ranked)
    if len(top) > 1:
        return _level_at_the_top(top, len(ranked))
    best = leader(result, ranked)
    if best is not None:
        return _ahead(result, best, [cell for cell in ranked if cell is not best])
    return f"No bot is clearly the best of {len(ranked)}: right in {_each(ranked)}."


def unbeaten(result: ConversationsResult, cells: Sequence[Cell]) -> list[Cell]:
    """Return the bots than which no other is better, as far as can be shown."""
    return [cell for cell in cells if not any(beats(result, other.bot, cell.bot) for other in cells)]


def ranked_cells(result: ConversationsResult) -> list[Cell]:
    """Return the totals of the bots of which something was counted, the most often right first."""
    cells = [result.cell(bot.name) for bot in result.header.bots]
    counted = [cell for cell in cells if cell.rates["accuracy"].value is not None]
    return sorted(counted, key=lambda cell: -(cell.rates["accuracy"].value or 0))


def leader(result: ConversationsResult, cells: Sequence[Cell]) -> Cell | None:
    """Return the bot that is better than every other one, if it can be shown."""
    for best in cells:
        if all(cell is best or beats(result, best.bot, cell.bot) for cell in cells):
            return best
    return None


def _ahead(result: ConversationsResult, best: Cell, others: Sequence[Cell]) -> str:
    found = between(result, best.bot, others[0].bot)
    gap = abs(100 * (found.difference or 0)) if found else 0.0
    best_of = f"is better than {others[0].bot}" if len(others) == 1 else f"is the best of {len(others) + 1} bots"
    ahead = f"{gap:.0f} points ahead" + (f" of {others[0].bot}" if len(others) > 1 else "")
    return f"{best.bot} {best_of}: right in {right_of(best)}, {ahead} ({_ends(found)})."


def _level_at_the_top(top: Sequence[Cell], bots: int) -> str:
    where = "" if len(top) == bots else f" at the top of {bots} bots"
    return f"{listed([cell.bot for cell in top])} are {TOO_CLOSE}{where}: right in {_each(top)}."


def _each(cells: Sequence[Cell]) -> str:
    """Return how often each was right, the noun once."""
    return listed([right_of(cell, "" if place else "turn") for place, cell in enumerate(cells)])


def right_of(cell: Cell, noun: str = "turn") -> str:
    """Return how often a bot was right: a share of so many turns, or the bare count where there are few."""
    rate = cell.rates["accuracy"]
    if rate.value is None:
        return "n/a"
    if rate.n < FEWEST:
        return f"{round(rate.value * rate.n)} of {plural(rate.n, noun) if noun else rate.n}"
    return f"{share_text(rate.value)} of {plural(rate.n, noun) if noun else f'{rate.n:,}'}"


def talks_of(cells: Iterable[Cell]) -> str:
    """Return how many conversations were held."""
    return plural(max(cell.conversations for cell in cells), "conversation")


def between(result: ConversationsResult, a: str, b: str) -> Comparison | None:
    """Return the comparison of two bots over everything."""
    for one in result.comparisons:
        if (one.domain, one.level) == (ALL, ALL) and {one.a, one.b} == {a, b}:
            return one
    return None


def beats(result: ConversationsResult, a: str, b: str) -> bool:
    """Tell whether one bot is better than another, as far as can be shown."""
    found = between(result, a, b)
    return found is not None and winner(found) == a


def winner(comparison: Comparison) -> str | None:
    """Return the bot that the comparison calls better, if any."""
    return next((name for name in (comparison.a, comparison.b) if comparison.verdict == f"{name} better"), None)


def _ends(comparison: Comparison | None) -> str:
    """Return the ends of a difference that is real, seen from the better one."""
    if comparison is None or comparison.low is None or comparison.high is None:
        return "no interval"
    low, high = 100 * comparison.low, 100 * comparison.high
    return f"{low:.0f} to {high:.0f}" if winner(comparison) == comparison.a else f"{-high:.0f} to {-low:.0f}"


def second_sentence(result: ConversationsResult) -> str:
    """Say how far the headline can be trusted: where its number would lie, or what would decide it."""
    ranked = ranked_cells(result)
    if not ranked:
        return ""
    if len(ranked) == 1:
        around = interval_text(ranked[0].rates["accuracy"])
        return f"With other conversations of this kind the share would be {around}." if around else ""
    if leader(result, ranked) is not None:
        return "The difference is real; in brackets: where it would lie with other conversations of this kind."
    top = unbeaten(result, ranked)
    found = between(result, top[0].bot, top[1].bot) if len(top) > 1 else None
    return verdict_sentence(found) if found else ""


# --- differences -------------------------------------------------------------------------------------------------

_MIXED = " They were judged differently: one tells its topics, the other not."


def verdicts(result: ConversationsResult) -> Iterator[str]:
    """Say of each two bots whether the difference between them is real, over everything."""
    for comparison in result.comparisons:
        if (comparison.domain, comparison.level) == (ALL, ALL):
            yield verdict_sentence(comparison)


def verdict_sentence(comparison: Comparison) -> str:
    """Say whether one of two bots is better, by how much, and what would decide it."""
    a, b = comparison.a, comparison.b
    if comparison.difference is None or comparison.low is None or comparison.high is None:
        return f"{a} and {b} cannot be compared: {plural(comparison.turns, 'turn')} in common."
    mixed = _MIXED if comparison.mixed_sources else ""
    better = winner(comparison)
    if better is None:
        return f"{a} and {b}: too close to call ({points_text(comparison)}).{_more(comparison)}{mixed}"
    points = abs(100 * comparison.difference)
    return f"{better} is better than {b if better == a else a}: {points:.0f} points ({_ends(comparison)}).{mixed}"


def points_text(comparison: Comparison) -> str:
    """Write a difference with its interval, in points, seen from the first of the two."""
    if comparison.difference is None or comparison.low is None or comparison.high is None:
        return "n/a"
    points, low, high = (100 * value for value in (comparison.difference, comparison.low, comparison.high))
    return f"{points:+.0f} points, {low:+.0f} to {high:+.0f}"


def _more(comparison: Comparison) -> str:
    if comparison.more is None:
        return ""
    if comparison.more > 100 * max(1, comparison.conversations):
        return " If there is a difference, it is too small for any suite of a bearable size to show."
    return f" About {plural(max(1, comparison.more), 'more conversation')} would decide."


def roughness(rate: Rate) -> str:
    """Return `rough` where the interval is wide."""
    if rate.value is None or rate.low is None or rate.high is None:
        return ""
    return "rough" if (rate.high - rate.low) / 2 > ROUGH else ""


# --- names -------------------------------------------------------------------------------------------------------


def level_order(levels: Iterable[str]) -> list[str]:
    """Return levels from easy to hard, those of a suite's own after them as they come."""
    found = list(dict.fromkeys(levels))
    return [*(level for level in LEVELS if level in found), *(level for level in found if level not in LEVELS)]


def cell_name(cell: Cell) -> str:
    """Return a level as a row is called."""
    return cell.level or "all levels"


def domain_name(domain: str) -> str:
    """Return a domain as a heading."""
    return domain.replace("_", " ").capitalize() if domain else "All domains"


def sentence(text: str, names: Iterable[str] = ()) -> str:
    """Return a remark as a sentence: a capital first, unless it begins with the name of a bot, and a stop last."""
    told = text.strip()
    if told and not any(told.startswith(name) for name in names):
        told = told[0].upper() + told[1:]
    return told if not told or told.endswith((".", "!", "?")) else f"{told}."


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence lists them."""
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def enumerate_some(names: Sequence[str], most: int = 5) -> str:
    """Return a few names and how many more there are."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


# --- what to know ------------------------------------------------------------------------------------------------


def remarks(result: ConversationsResult) -> list[str]:
    """Return all that a reader should know before trusting a number, what failed first."""
    names = [bot.name for bot in result.header.bots]
    told = [*result.failures, *result.warnings, source_note(result)]
    told += [twins_sentence(result.cell(name)) for name in names]
    return [sentence(note, names) for note in told if note]


def source_note(result: ConversationsResult) -> str:
    """Say which bots were judged by their replies alone."""
    silent = [bot.name for bot in result.header.bots if result.cell(bot.name).intent_source != "bot"]
    if not silent:
        return ""
    does = "tells no topics and was" if len(silent) == 1 else "tell no topics and were"
    return f"{listed(silent)} {does} judged by the reply alone."


def twins_sentence(cell: Cell) -> str:
    """Say what misspelling costs a bot."""
    twins = cell.twins
    if not twins.n:
        return ""
    if not twins.only_clean and not twins.only_typo:
        return f"{cell.bot}: misspelling changed nothing in {plural(twins.n, 'message')} sent in both spellings."
    return (
        f"{cell.bot}: of {plural(twins.n, 'message')} sent in both spellings, {twins.only_clean} went right only "
        f"when spelt rightly and {twins.only_typo} only when misspelt{_chance(twins.p)}."
    )


def _chance(p: float | None) -> str:
    if p is None:
        return ""
    return " (p < 0.001)" if p < SURE else f" (p = {p:.2g})"


# --- two runs ----------------------------------------------------------------------------------------------------


def diff_headline(diff: RunDiff) -> str:
    """Return the sentence that a comparison of two runs begins with."""
    better, worse = len(diff.improved), len(diff.regressed)
    total = better + worse + diff.unchanged
    if not total:
        return "The two runs have no turn in common that could be compared."
    counts = f"{better} improved, {worse} got worse and {diff.unchanged} came out the same"
    if len(diff.comparisons) == 1:
        return f"{_course(diff.comparisons[0])}: of {plural(total, 'turn')} in both runs, {counts}."
    return f"Of {plural(total, 'turn')} in both runs, {counts}."


def _course(comparison: Comparison) -> str:
    """Say how a bot fared from one run to the other, which is always the first of the two."""
    name = comparison.a.removesuffix(" (after)")
    if comparison.a == name:
        better = winner(comparison)
        return f"{better} is better" if better else f"{comparison.a} and {comparison.b} are {TOO_CLOSE}"
    if winner(comparison) is None:
        return f"Whether {name} got better is {TOO_CLOSE}"
    return f"{name} got {'better' if winner(comparison) == comparison.a else 'worse'}"


def course_sentence(comparison: Comparison) -> str:
    """Say how a bot fared from one run to the other, by how much, and what would decide it."""
    if comparison.difference is None:
        return verdict_sentence(comparison)
    more = _more(comparison) if winner(comparison) is None else ""
    return f"{_course(comparison)} ({points_text(comparison)}).{more}"


def diff_remarks(diff: RunDiff, most: int = 5) -> list[str]:
    """Return what to know about a comparison of two runs."""
    told = [f"{plural(len(diff.new), 'turn')} only in the later run."] if diff.new else []
    told += [f"{plural(len(diff.gone), 'turn')} only in the earlier run."] if diff.gone else []
    if diff.edited:
        told.append(f"Edited between the runs, and left out: {enumerate_some(diff.edited, most)}.")
    return [*told, *(sentence(warning) for warning in diff.warnings)]
