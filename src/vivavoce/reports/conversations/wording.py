"""The findings of a conversations exam in sentences: the same words in terminal, page and summary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from vivavoce import messages
from vivavoce.conversations.result import Cell, Comparison, ConversationsResult, Problem, Twins
from vivavoce.conversations.scenario import LEVELS
from vivavoce.messages import join, join_and, say, say_count
from vivavoce.records import Rate
from vivavoce.reports.conversations.meanings import too_few
from vivavoce.reports.conversations.verdicts import (
    ENOUGH_SCENARIOS,
    beats,
    between,
    bracketed,
    common_text,
    counted_of,
    ends_text,
    verdict_sentence,
    verdict_text,
)
from vivavoce.reports.shared.numbers import NOT_AVAILABLE, hundred

SURE = 0.001

LITERAL = (
    "By the wording of the paper, every question in scope counts as correct, whether it was answered rightly, from "
    "another topic or not at all, so that its “accuracy” tells what was asked and not how good a bot is. "
    "These values are for comparison with the paper alone: no ranking, verdict or gate uses them."
)


# --- the first sentence ------------------------------------------------------------------------------------------


def headline(result: ConversationsResult) -> str:
    """Return what a report begins with: which bot is best, whether that is real, and what could not be checked."""
    return join(" ", (_standing(result), *cautions(result)))


def cautions(result: ConversationsResult) -> Iterator[str]:
    """Say how many turns could not be checked with each bot and why, and whether response times are those of bots."""
    for bot in result.header.bots:
        gaps = [one for one in result.unchecked if one.bot == bot.name and one.turns]
        if gaps:
            turns, of = sum(one.turns for one in gaps), say_count(gaps[0].of, "{n} turn", "{n} turns")
            parts = join_and([one.gap.part for one in gaps])
            yield say(
                "{turns:,} of {of} could not be checked: {name} reports no {parts}.",
                turns=turns,
                of=of,
                name=bot.name,
                parts=parts,
            )
    if any(one.large for one in result.delays):
        yield say("Response times include delays of this machine.")


def _standing(result: ConversationsResult) -> str:
    ranked = ranked_cells(result)
    if not ranked:
        return say("Nothing could be counted: no checked turn got through to a bot.")
    if len(ranked) == 1:
        return _alone(ranked[0], len(result.header.bots) > 1)
    top = unbeaten(result, ranked)
    if len(top) > 1:
        return _level_at_the_top(result, top, len(ranked))
    best = leader(result, ranked)
    if best is not None:
        return _ahead(result, best, [cell for cell in ranked if cell is not best])
    bots, parts = len(ranked), _each(ranked)
    return say("No bot is clearly the best of {bots}: right in {parts}.", bots=bots, parts=parts)


def _alone(cell: Cell, others: bool) -> str:
    """Say how often the one bot was right of which anything was counted."""
    bot, right, talks = cell.bot, right_of(cell), talks_of([cell])
    if others:
        return say(
            "{bot} was right in {right} of {talks}; no other bot could be examined.",
            bot=bot,
            right=right,
            talks=talks,
        )
    return say("{bot} was right in {right} of {talks}.", bot=bot, right=right, talks=talks)


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
    other, right, ends, bots = others[0].bot, right_of(best), ends_text(found), len(others) + 1
    if bots == 2:
        return say(
            "{bot} is better than {other}: right in {right}, {gap:.0f} points ahead{bracketed}.",
            bot=best.bot,
            other=other,
            right=right,
            gap=gap,
            bracketed=bracketed(ends),
        )
    if not ends:
        return say(
            "{bot} is the best of {bots} bots: right in {right}, {gap:.0f} points ahead of {other}.",
            bot=best.bot,
            bots=bots,
            right=right,
            gap=gap,
            other=other,
        )
    return say(
        "{bot} is the best of {bots} bots: right in {right}, {gap:.0f} points ahead of {other} ({ends}).",
        bot=best.bot,
        bots=bots,
        right=right,
        gap=gap,
        other=other,
        ends=ends,
    )


def _level_at_the_top(result: ConversationsResult, top: Sequence[Cell], bots: int) -> str:
    where = "" if len(top) == bots else " " + say("at the top of {bots} bots", bots=bots)
    found = between(result, top[0].bot, top[1].bot) if len(top) == 2 else None
    names, parts = listed([cell.bot for cell in top]), _each(top)
    if found and not found.turns:
        return say("{names} cannot be compared{where}: right in {parts}.", names=names, where=where, parts=parts)
    if found and found.differing < ENOUGH_SCENARIOS and verdict_text(found) != found.verdict:
        # Far apart, but in so few scenarios that it may be chance: nobody would call that close.
        return say(
            "Too few scenarios to say which of {names} is better{where}: right in {parts}.",
            names=names,
            where=where,
            parts=parts,
        )
    return say("{names} are too close to call{where}: right in {parts}.", names=names, where=where, parts=parts)


def _each(cells: Sequence[Cell]) -> str:
    """Return how often each was right, the noun once."""
    return listed([right_of(cell, "" if place else "turn") for place, cell in enumerate(cells)])


def right_of(cell: Cell, noun: str = "turn") -> str:
    """Return how often a bot was right: a share of so many turns, or the bare count where there are few."""
    rate = cell.rates["accuracy"]
    if rate.value is None:
        return NOT_AVAILABLE
    turns = say_count(rate.n, "{n} turn", "{n} turns") if noun else say("{n:,}", n=rate.n)
    if too_few(rate) or rate.tells_little():
        right = round(rate.value * rate.n)
        some = (
            say("{right:,} of {n:,} turns", right=right, n=rate.n)
            if rate.n != 1
            else say("{right:,} of 1 turn", right=right)
        )
        return some if noun else say("{right:,} of {n:,}", right=right, n=rate.n)
    return say("{hundred} % of {turns}", hundred=hundred(rate.value), turns=turns)


def talks_of(cells: Iterable[Cell]) -> str:
    """Return how many conversations were held."""
    return say_count(max(cell.conversations for cell in cells), "{n} conversation", "{n} conversations")


def second_sentence(result: ConversationsResult) -> str:
    """Say how far the headline can be trusted: where its number would lie, or what would decide it."""
    ranked = ranked_cells(result)
    if not ranked:
        return ""
    if len(ranked) == 1:
        return _around(ranked[0].rates["accuracy"])
    best = leader(result, ranked)
    if best is not None:
        return _how_real(result, between(result, best.bot, next(cell.bot for cell in ranked if cell is not best)))
    top = unbeaten(result, ranked)
    found = between(result, top[0].bot, top[1].bot) if len(top) > 1 else None
    return verdict_sentence(found, counted_of(result, found)) if found else ""


def _around(rate: Rate) -> str:
    if rate.low is None or rate.high is None or too_few(rate):
        return ""
    low, high = hundred(rate.low), hundred(rate.high)
    return say(
        "With other conversations of this kind the share would probably lie between {low} and {high} %.",
        low=low,
        high=high,
    )


def _how_real(result: ConversationsResult, comparison: Comparison | None) -> str:
    told = say("The difference is real.")
    if ends_text(comparison):
        told = say(
            "The difference is real; in brackets: where it would probably lie with other conversations of this kind."
        )
    return told + (common_text(comparison, counted_of(result, comparison)) if comparison else "")


# --- names -------------------------------------------------------------------------------------------------------


def level_order(levels: Iterable[str]) -> list[str]:
    """Return levels from easy to hard, those of a suite's own after them as they come."""
    found = list(dict.fromkeys(levels))
    return [*(level for level in LEVELS if level in found), *(level for level in found if level not in LEVELS)]


def domain_name(domain: str) -> str:
    """Return a domain as a heading."""
    return domain.replace("_", " ").capitalize() if domain else "All domains"


def sentence(text: str, names: Iterable[str] = ()) -> str:
    """Return a remark as a sentence: a capital first, unless it begins with the name of a bot, and a stop last."""
    return messages.sentence(text, capital=not any(text.startswith(name) for name in names))


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence lists them."""
    return join_and(names)


def enumerate_some(names: Sequence[str], most: int = 5) -> str:
    """Return a few names and how many more there are."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else say("{shown} and {n:,} more", shown=shown, n=len(names) - most)


# --- what to fix -------------------------------------------------------------------------------------------------


def first_problems(result: ConversationsResult, bot: str, most: int) -> tuple[list[Problem], int]:
    """Return the biggest problems of a bot, and how many more there are.

    What happened in one place only is not among them where something larger is.
    """
    found = [problem for problem in result.problems if problem.bot == bot]
    large = [problem for problem in found if len(problem.examples) > 1]
    shown = (large or found)[:most]
    return shown, len(found) - len(shown)


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
    names = listed(silent)
    if len(silent) == 1:
        return say("{names} tells no topics and was judged by the reply alone.", names=names)
    return say("{names} tell no topics and were judged by the reply alone.", names=names)


def twins_sentence(cell: Cell) -> str:
    """Say what misspelling costs a bot."""
    twins = cell.twins
    if not twins.n:
        return ""
    sent = say(
        "{messages} sent in both spellings{how_often}",
        messages=say_count(twins.n, "{n} message", "{n} messages"),
        how_often=_how_often(twins),
    )
    if not twins.only_clean and not twins.only_typo:
        return say("{bot}: misspelling changed nothing in {sent}.", bot=cell.bot, sent=sent)
    mostly = " " + say("(mostly, where repeats differ)") if twins.most_repeats > 1 else ""
    return say(
        "{bot}: of {sent}, {only_clean} went right{mostly} only when spelt rightly and {only_typo} only "
        "when misspelt{chance}.",
        bot=cell.bot,
        sent=sent,
        only_clean=twins.only_clean,
        mostly=mostly,
        only_typo=twins.only_typo,
        chance=_chance(twins.p),
    )


def _how_often(twins: Twins) -> str:
    if twins.most_repeats < 2:
        return ""
    if twins.fewest_repeats == twins.most_repeats:
        return say(", each {most_repeats} times", most_repeats=twins.most_repeats)
    return say(", each up to {most_repeats} times", most_repeats=twins.most_repeats)


def _chance(p: float | None) -> str:
    if p is None:
        return ""
    return " (p < 0.001)" if p < SURE else " (p = " + say("{p:.2g}", p=p) + ")"
