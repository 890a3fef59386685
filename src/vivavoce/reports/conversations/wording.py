"""The findings of a conversations exam in sentences: the same words in terminal, page and summary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from vivavoce import messages as texts
from vivavoce.conversations.result import Cell, Comparison, ConversationsResult, Problem, RunDiff
from vivavoce.conversations.scenario import LEVELS
from vivavoce.messages import join, join_and, say, say_count
from vivavoce.reports.conversations import verdicts
from vivavoce.reports.conversations.meanings import too_few
from vivavoce.reports.shared.numbers import NOT_AVAILABLE, hundred

SURE = 0.001

LITERAL = (
    "As the paper defines it, every in-scope question counts as correct, whether it was answered correctly, from "
    "another topic or not at all. Its “accuracy” therefore describes the questions, not the quality of a bot. Use "
    "these values only for comparison with the paper: no ranking, verdict or gate uses them."
)


def headline(result: ConversationsResult) -> str:
    """Return what a report begins with: which bot is best, whether that is real, and what could not be checked."""
    return join(" ", (standing(result), *cautions(result)))


def cautions(result: ConversationsResult) -> Iterator[str]:
    """Say how many turns could not be checked with each bot and why, and whether response times are those of bots."""
    for bot in result.header.bots:
        gaps = [gap for gap in result.unchecked if gap.bot == bot.name and gap.turns]
        if gaps:
            turns, of = sum(gap.turns for gap in gaps), say_count(gaps[0].of, "{n} turn", "{n} turns")
            facts = {"turns": turns, "of": of, "name": bot.name, "parts": join_and([gap.gap.part for gap in gaps])}
            yield say("{turns:,} of {of} could not be checked: {name} reports no {parts}.", **facts)
    if any(delay.large for delay in result.delays):
        yield say("Response times include delays on this machine.")


def standing(result: ConversationsResult) -> str:
    """Say which bot is best, if any, and by how much."""
    ranked = rank_cells(result)
    if not ranked:
        return say("Nothing could be counted: no checked turn reached a bot.")
    if len(ranked) == 1:
        cell = ranked[0]
        facts = {
            "bot": cell.bot,
            "right": right_of(cell),
            "talks": say_count(cell.conversations, "{n} conversation", "{n} conversations"),
        }
        if len(result.header.bots) > 1:
            return say("{bot} was right in {right} of {talks}; no other bot could be tested.", **facts)
        return say("{bot} was right in {right} of {talks}.", **facts)
    top = unbeaten(result, ranked)
    if len(top) > 1:
        return _level_at_the_top(result, top, len(ranked))
    best = leader(result, ranked)
    if best is not None:
        return _ahead(result, best, [cell for cell in ranked if cell is not best])
    bots, parts = len(ranked), _list_rates(ranked)
    return say("No bot is clearly the best of {bots}: right in {parts}.", bots=bots, parts=parts)


def doubt(result: ConversationsResult) -> tuple[bool, str]:
    """Say whether the lead of the first bot is real, as one sees at a glance; nothing where nobody leads."""
    ranked = rank_cells(result)
    if len(ranked) < 2:
        return False, ""
    if leader(result, ranked) is not None:
        return True, say("The lead is real")
    top = unbeaten(result, ranked)
    pair = verdicts.between(result, top[0].bot, top[1].bot) if len(top) > 1 else None
    if pair is not None and verdicts.few_scenarios(pair):
        return False, say("Too few scenarios to tell")
    return False, say("The lead may be chance")


def unbeaten(result: ConversationsResult, cells: Sequence[Cell]) -> list[Cell]:
    """Return the bots than which no other is better, as far as can be shown."""
    return [cell for cell in cells if not any(verdicts.beats(result, other.bot, cell.bot) for other in cells)]


def rank_cells(result: ConversationsResult) -> list[Cell]:
    """Return the totals of the bots of which something was counted, the most often right first."""
    cells = [result.cell(bot.name) for bot in result.header.bots]
    counted = [cell for cell in cells if cell.rates["accuracy"].value is not None]
    return sorted(counted, key=lambda cell: -(cell.rates["accuracy"].value or 0))


def leader(result: ConversationsResult, cells: Sequence[Cell]) -> Cell | None:
    """Return the bot that is better than every other one, if it can be shown."""
    for best in cells:
        if all(cell is best or verdicts.beats(result, best.bot, cell.bot) for cell in cells):
            return best
    return None


def _ahead(result: ConversationsResult, best: Cell, others: Sequence[Cell]) -> str:
    comparison = verdicts.between(result, best.bot, others[0].bot)
    ends, bots = verdicts.ends_text(comparison), len(others) + 1
    facts = {"bot": best.bot, "other": others[0].bot, "right": right_of(best), "bots": bots, "ends": ends}
    facts["gap"] = abs(100 * (comparison.difference or 0)) if comparison else 0.0
    if bots == 2:
        facts["bracketed"] = verdicts.bracket(ends)
        return say("{bot} is better than {other}: right in {right}, {gap:.0f} points ahead{bracketed}.", **facts)
    if not ends:
        return say("{bot} is the best of {bots} bots: right in {right}, {gap:.0f} points ahead of {other}.", **facts)
    return say(
        "{bot} is the best of {bots} bots: right in {right}, {gap:.0f} points ahead of {other} ({ends}).", **facts
    )


def _level_at_the_top(result: ConversationsResult, top: Sequence[Cell], bots: int) -> str:
    where = "" if len(top) == bots else " " + say("at the top of {bots} bots", bots=bots)
    pair = verdicts.between(result, top[0].bot, top[1].bot) if len(top) == 2 else None
    facts = {"names": join_and([cell.bot for cell in top]), "where": where, "parts": _list_rates(top)}
    if pair and not pair.turns:
        return say("{names} cannot be compared{where}: right in {parts}.", **facts)
    if pair and verdicts.few_scenarios(pair):
        return say("Too few scenarios to say which of {names} is better{where}: right in {parts}.", **facts)
    return say("{names} are too close to call{where}: right in {parts}.", **facts)


def _list_rates(cells: Sequence[Cell]) -> str:
    """Return how often each was right, the noun once."""
    return join_and([right_of(cell, "" if place else "turn") for place, cell in enumerate(cells)])


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


def second_sentence(result: ConversationsResult) -> str:
    """Say how far the headline can be trusted: where its number would lie, or what would decide it."""
    ranked = rank_cells(result)
    if not ranked:
        return ""
    if len(ranked) == 1:
        rate = ranked[0].rates["accuracy"]
        if rate.low is None or rate.high is None or too_few(rate):
            return ""
        return say(
            "With other conversations of this kind, the share would probably be between {low} and {high} %.",
            low=hundred(rate.low),
            high=hundred(rate.high),
        )
    best = leader(result, ranked)
    if best is not None:
        pair = verdicts.between(result, best.bot, next(cell.bot for cell in ranked if cell is not best))
        text = say("The lead is real.")
        if verdicts.ends_text(pair):
            text = say("The lead is real; the brackets show its likely range for other conversations of this kind.")
        return text + (verdicts.common_text(pair, verdicts.count_text(result, pair)) if pair else "")
    top = unbeaten(result, ranked)
    pair = verdicts.between(result, top[0].bot, top[1].bot) if len(top) > 1 else None
    return verdicts.verdict_sentence(pair, verdicts.count_text(result, pair)) if pair else ""


def level_order(levels: Iterable[str]) -> list[str]:
    """Return levels from easy to hard, those of a suite's own after them as they come."""
    names = list(dict.fromkeys(levels))
    return [*(level for level in LEVELS if level in names), *(level for level in names if level not in LEVELS)]


def domain_name(domain: str) -> str:
    """Return a domain as a heading."""
    return domain.replace("_", " ").capitalize() if domain else "All domains"


def sentence(text: str, names: Iterable[str] = ()) -> str:
    """Return a remark as a sentence: a capital first, unless it begins with the name of a bot, and a stop last."""
    return texts.sentence(text, capital=not any(text.startswith(name) for name in names))


def enumerate_some(names: Sequence[str], most: int = 5) -> str:
    """Return a few names and how many more there are."""
    first = ", ".join(names[:most])
    return first if len(names) <= most else say("{shown} and {n:,} more", shown=first, n=len(names) - most)


def first_problems(result: ConversationsResult, bot: str, most: int) -> tuple[list[Problem], int]:
    """Return the biggest problems of a bot, and how many more there are.

    What happened in one place only is not among them where something larger is.
    """
    problems = [problem for problem in result.problems if problem.bot == bot]
    large = [problem for problem in problems if len(problem.examples) > 1]
    first = (large or problems)[:most]
    return first, len(problems) - len(first)


def remarks(result: ConversationsResult) -> list[str]:
    """Return all that a reader should know before trusting a number, what failed first."""
    names = [bot.name for bot in result.header.bots]
    notes = [*result.failures, *result.warnings, _source_note(result)]
    notes += [twins_sentence(result.cell(name)) for name in names]
    return [sentence(note, names) for note in notes if note]


def _source_note(result: ConversationsResult) -> str:
    """Say which bots were judged by their replies alone."""
    silent = [bot.name for bot in result.header.bots if result.cell(bot.name).intent_source != "bot"]
    if not silent:
        return ""
    names = join_and(silent)
    if len(silent) == 1:
        return say("{names} does not report topics and was judged by its replies alone.", names=names)
    return say("{names} do not report topics and were judged by their replies alone.", names=names)


def twins_sentence(cell: Cell) -> str:
    """Say what misspelling costs a bot."""
    twins = cell.twins
    if not twins.n:
        return ""
    times = ""
    if twins.most_repeats > 1 and twins.fewest_repeats == twins.most_repeats:
        times = say(", each {most_repeats} times", most_repeats=twins.most_repeats)
    elif twins.most_repeats > 1:
        times = say(", each up to {most_repeats} times", most_repeats=twins.most_repeats)
    messages = say_count(twins.n, "{n} message", "{n} messages")
    sent = say("{messages} sent in both spellings{how_often}", messages=messages, how_often=times)
    if not twins.only_clean and not twins.only_typo:
        return say("{bot}: misspelling made no difference in {sent}.", bot=cell.bot, sent=sent)
    mostly = " " + say("(in most repeats, where they differ)") if twins.most_repeats > 1 else ""
    chance = ""
    if twins.p is not None:
        chance = " (p < 0.001)" if twins.p < SURE else " (p = " + say("{p:.2g}", p=twins.p) + ")"
    counts = {"only_clean": twins.only_clean, "only_typo": twins.only_typo}
    return say(
        "{bot}: of {sent}, {only_clean} were answered correctly{mostly} only with correct spelling and "
        "{only_typo} only when misspelt{chance}.",
        **{"bot": cell.bot, "sent": sent, "mostly": mostly, "chance": chance, **counts},
    )


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
        better = verdicts.winner(comparison)
        if better:
            return say("{better} is better", better=better)
        return say(
            "{a} and {b} are {verdict_text}",
            a=comparison.a,
            b=comparison.b,
            verdict_text=verdicts.verdict_text(comparison),
        )
    if verdicts.winner(comparison) is None:
        return say(
            "Whether {name} got better is {verdict_text}", name=name, verdict_text=verdicts.verdict_text(comparison)
        )
    got_better = verdicts.winner(comparison) == comparison.a
    return say("{name} got better", name=name) if got_better else say("{name} got worse", name=name)


def course_sentence(comparison: Comparison) -> str:
    """Say how a bot fared from one run to the other, by how much, and what would decide it."""
    if verdicts.unchanged(comparison) and comparison.a.endswith(AFTER):
        name, turns = comparison.a.removesuffix(AFTER), say_count(comparison.turns, "{n} turn", "{n} turns")
        return say("{a}: nothing changed in the {turns} counted in both runs.", a=name, turns=turns)
    if comparison.difference is None or verdicts.unchanged(comparison):
        return verdicts.verdict_sentence(comparison)
    more = verdicts.forecast(comparison) if verdicts.winner(comparison) is None else ""
    return _describe_course(comparison) + " (" + verdicts.points_text(comparison) + ")." + more


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
