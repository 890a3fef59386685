"""What a result says in plain sentences, each number in them taken from the result as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vivavoce.errors import plural
from vivavoce.intents.check import CheckResult
from vivavoce.intents.findings import SettingFindings, TimingFindings
from vivavoce.intents.pairs import CLASH_LEVEL, MIN_EVIDENCE, Pair
from vivavoce.intents.result import IntentsResult
from vivavoce.intents.splits import Setting
from vivavoce.outcomes import Counts, Outcome
from vivavoce.records import Rate
from vivavoce.reports.meanings import (
    MEASURES,
    NOT_AVAILABLE,
    Measure,
    absence,
    hundred,
    interval_text,
    percent,
    rate_text,
    render_measures_table,
    score_text,
    seconds_text,
    share_text,
    value_text,
)
from vivavoce.reports.titles import OUTCOME_TITLES, PROBLEM_TITLES
from vivavoce.sentences import say

__all__ = [
    "MEASURES",
    "NOT_AVAILABLE",
    "NO_GUESSES",
    "OUTCOME_TITLES",
    "PROBLEM_TITLES",
    "WATCH_LEVEL",
    "Measure",
    "absence",
    "check_sentence",
    "cost_fact",
    "cost_text",
    "headline",
    "hundred",
    "interval_text",
    "most_mistaken",
    "needs_work",
    "never_guessed",
    "pair_advice",
    "pair_direction",
    "pair_mistakes",
    "pair_sentence",
    "pair_stability",
    "percent",
    "plural",
    "rate_text",
    "render_measures_table",
    "score_text",
    "seconds_text",
    "setting_sentence",
    "setting_title",
    "share_text",
    "strangers_sentence",
    "swallowed",
    "timing_sentence",
    "value_text",
    "verdict",
    "work_order",
]

# Below this a pair needs no attention: half of the level at which it counts as a clash.
WATCH_LEVEL = CLASH_LEVEL / 2
# Below this share of re-checks a pair's place at the top is chance.
SELDOM = 0.05
# From here on two topics look the same, not just alike.
SAME_LEVEL = 0.99
NO_GUESSES = say("the engine had no guess for any question")


# --- the whole exam ----------------------------------------------------------------------------------------


def headline(result: IntentsResult) -> str:
    """Say in one sentence how many questions the bot would answer by itself, and how many of these right."""
    if not result.settings:
        return say("No retry was completed, so nothing can be said about the bot.")
    first = result.settings[0]
    answered, right = first.rates["automation_rate"], first.rates["precision_answered"]
    if answered.value is None:
        return _untested(result)
    asked = _asked(first)
    if right.value is None:
        unsure = say(f"it is never sure enough at the threshold of {result.threshold:g}")
        why = NO_GUESSES if _had_no_guess(result) else unsure
        return say(f"Of 100 {asked}, the bot would answer none by itself: {why}.")
    by_itself, rightly = of_hundred(answered), of_hundred(right)
    return say(
        f"Of 100 {asked}, the bot would answer {by_itself} by itself; of 100 such answers, {rightly} would be right."
    )


def _asked(findings: SettingFindings) -> str:
    if (share := findings.out_of_scope_share) is not None:
        return say(f"questions, {hundred(share)} of them out of scope")
    return say("questions") if findings.counts.negatives else say("questions about its topics")


def _untested(result: IntentsResult) -> str:
    known = (note.message for note in result.warnings if note.kind == "untestable")
    return next(known, say("Nothing was tested, so nothing can be said about the bot."))


def never_guessed(counts: Counts) -> bool:
    """Say whether questions were asked and the engine had no guess for any of them."""
    return 0 < counts.total == counts[Outcome.NO_GUESS] + counts[Outcome.DECLINED_NO_GUESS]


def _had_no_guess(result: IntentsResult) -> bool:
    return bool(result.settings) and all(never_guessed(findings.counts) for findings in result.settings)


def strangers_sentence(result: IntentsResult) -> str:
    """Say how the bot treats questions that no topic fits."""
    for findings in result.settings:
        declined = findings.rates["negative_rejection"]
        if declined.value is not None and findings.same_as is None:
            left = of_hundred(declined)
            return say(f"Of 100 questions that no topic fits, it would rightly leave {left} unanswered.")
    return say(f"How it treats questions that no topic fits is not known: {absence('negative_rejection')}.")


def verdict(result: IntentsResult) -> str:
    """Say how many pairs of topics need attention, and where to begin."""
    clashing = [pair for pair in work_order(result) if needs_work(pair) and pair.overlap >= CLASH_LEVEL]
    unclear = [p for p in result.pairs if not p.enough and not p.same_answer and p.overlap >= CLASH_LEVEL]
    said = [_clash_text(result, clashing)] if clashing else []
    said += [_unclear_text(unclear)] if unclear else []
    said = said or [say(f"No two topics overlap by {share_text(CLASH_LEVEL)} or more.")]
    return " ".join([*said, *_dearest_text(result, clashing)])


def _dearest_text(result: IntentsResult, clashing: Sequence[Pair]) -> Iterator[str]:
    """Name the pair with the most wrong answers, where the sentence before begins with another or with none."""
    first = most_mistaken(work_order(result))
    if first is not None and first not in clashing[:1]:
        yield say(f"Most wrong answers lie between '{first.a}' and '{first.b}': {pair_mistakes(first)}.")


def _clash_text(result: IntentsResult, clashing: Sequence[Pair]) -> str:
    first = clashing[0]
    level, pairs = share_text(CLASH_LEVEL), len(clashing)
    if pairs == 1:
        return say(f"One pair of topics overlaps by {level} or more; begin with '{first.a}' and '{first.b}'.")
    # The result lists the worst pairs only: where all of them clash, there may be more.
    if pairs == len(result.pairs):
        return say(
            f"At least {pairs} pairs of topics overlap by {level} or more; begin with '{first.a}' and '{first.b}'."
        )
    return say(f"{pairs} pairs of topics overlap by {level} or more; begin with '{first.a}' and '{first.b}'.")


def _unclear_text(unclear: Sequence[Pair]) -> str:
    """Name the first pair that seems to clash but has too few examples for a judgement."""
    first, more = unclear[0], len(unclear) - 1
    look = say("look the same") if first.overlap >= SAME_LEVEL else say("look alike")
    rest = " " + say(f"The same holds for {plural(more, 'more pair')}.") if more else ""
    return (
        say(
            f"'{first.a}' and '{first.b}' {look} (overlap {share_text(first.overlap)}), but there are not enough "
            "different examples to tell."
        )
        + rest
    )


def timing_sentence(timing: TimingFindings) -> str:
    """Say how long training and answering took."""
    return say(
        f"Training took {seconds_text(timing.train)} a retry; a message is answered in "
        f"{seconds_text(timing.classify_p50)} (95 of 100 within {seconds_text(timing.classify_p95)})."
    )


def of_hundred(rate: Rate) -> str:
    """Write how many of 100 a share is, with its range."""
    assert rate.value is not None  # noqa: S101 - callers have said what a missing value means
    if rate.low is None or rate.high is None:
        return hundred(rate.value)
    if rate.tells_little():
        return say(f"between {100 * rate.low:z.0f} and {100 * rate.high:z.0f}")
    around = say(f"{100 * rate.low:z.0f} to {100 * rate.high:z.0f}")
    return f"{hundred(rate.value)} ({around})"


# --- settings ----------------------------------------------------------------------------------------------


def setting_title(findings: SettingFindings) -> str:
    """Name a setting by what the bot has to face."""
    setting = findings.setting
    if setting.k:
        return say(f"Topics under {setting.k} examples unknown")
    return say("Smallest topics unknown") if setting.p else say("All topics known")


def setting_sentence(findings: SettingFindings) -> str:
    """Say what a setting asks of the bot."""
    setting, low = findings.setting, findings.low_topics
    if findings.same_as is not None:
        fewer = say(f"no topic has fewer than {setting.k} examples")
        small = fewer if setting.k else say("no topic could be held out")
        return say(f"Setting {setting!s} equals {findings.same_as!s}: {small}.")
    if not low:
        strangers = findings.counts.negatives
        some = say(f"{plural(strangers, 'test')} asked what no topic fits")
        asked = some if strangers else say("no stranger was asked")
        return say(f"Every topic was taught and tested; {asked}.")
    share = share_text(findings.share_low)
    return say(
        f"{plural(len(low), 'topic')} ({share} of the examples) took turns in not being taught: their questions are "
        "strangers then, to be left unanswered."
    )


# --- pairs of topics ---------------------------------------------------------------------------------------


def pair_sentence(pair: Pair) -> str:
    """Say how much two topics are mixed up, and in which direction."""
    overlap = Rate(pair.overlap, pair.low, pair.high, pair.evidence)
    said = say(f"'{pair.a}' and '{pair.b}' overlap by {share_text(pair.overlap)} ({interval_text(overlap)})")
    facts = [*([] if pair.only_alike else [pair_direction(pair)]), pair_mistakes(pair)]
    return f"{'; '.join([said, *filter(None, facts)])}."


def pair_mistakes(pair: Pair) -> str:
    """Say how often one of the two was taken for the other in the exam; nothing where that was not measured."""
    if pair.mistakes is None or pair.bot_overlap is None:
        return ""
    if pair.mistakes:
        if pair.mistakes == 1:
            return say("1 question was answered with the wrong one of the two")
        return say(f"{pair.mistakes:,} questions were answered with the wrong one of the two")
    if pair.held_back:
        if pair.held_back == 1:
            return say("no question was answered wrongly; 1 wrong guess was held back")
        return say(f"no question was answered wrongly; {pair.held_back:,} wrong guesses were held back")
    return say("no question was mistaken; the texts look alike")


def pair_direction(pair: Pair) -> str:
    """Say which topic loses questions to which."""
    way = say("one way only, from") if swallowed(pair) else say("more often from")
    return say(f"questions stray {way} '{pair.a}' to '{pair.b}'")


def pair_stability(pair: Pair) -> str:
    """Say how firmly the pair stands at the top of the ranking; nothing where it stands there by chance."""
    if pair.top3_share < SELDOM:
        return ""
    return say(f"in the top three in {100 * pair.top3_share:.0f} of 100 re-checks")


def cost_text(pair: Pair) -> str:
    """Say how many messages the pair costs, were traffic like the training data."""
    if pair.cost is None:
        return NOT_AVAILABLE
    if pair.cost >= 1:
        return f"about {pair.cost:.1f} of 100 messages"
    return f"about {10 * pair.cost:.0f} of 1,000 messages" if pair.cost >= 0.05 else "under 1 of 1,000 messages"


def cost_fact(pair: Pair, result: IntentsResult) -> str:
    """Say what the pair costs, and whether no other costs as much; nothing where it is not known."""
    if pair.cost is None:
        return ""
    others = [other.cost or 0.0 for other in result.pairs if (other.a, other.b) != (pair.a, pair.b)]
    if others and pair.cost > max(others):
        return f"costs most messages of all pairs: {cost_text(pair).removesuffix(' messages')}"
    return f"costs {cost_text(pair)}"


def pair_advice(pair: Pair, result: IntentsResult | None = None) -> str:
    """Say what to look at; the result tells why the bot's view of a pair is missing."""
    if not pair.enough and not pair.mistakes:
        return say("Not enough examples to tell: add some to the smaller topic, then check again.")
    if pair.same_answer:
        return say("Harmless: both topics give the same answer. Merge them when convenient.")
    if pair.mistakes and (pair.overlap < WATCH_LEVEL or not pair.enough):
        return say(
            "Read the questions that were mistaken: move those in the wrong topic, add examples like the others."
        )
    if pair.overlap < WATCH_LEVEL:
        return say("Nothing to do: the two are told apart.")
    return _views_advice(pair, result) or _direction_advice(pair)


def _views_advice(pair: Pair, result: IntentsResult | None) -> str:
    """Compare what the bot mixes with how alike the texts are, where they disagree or one is missing."""
    bot, text = pair.bot_overlap, pair.text_overlap
    if bot is None:
        return say(f"Only the texts were compared{_why_texts_only(result)}.")
    if text is None:
        return ""
    if text >= CLASH_LEVEL and bot < WATCH_LEVEL:
        return say("The texts are alike, but the bot copes: leave the topics as they are.")
    if bot >= CLASH_LEVEL and text < WATCH_LEVEL:
        return say("The bot mixes them although the texts differ: examples are missing, the topics are fine.")
    if pair.only_alike:
        return say("The bot told them apart in every test: merge the two only if one answer serves both.")
    return ""


def _why_texts_only(result: IntentsResult | None) -> str:
    if result is not None and _had_no_guess(result):
        return say(": the engine gave no guesses")
    if result is not None and any(findings.setting == Setting(0, 0.0) for findings in result.settings):
        return ""
    return say(": add the setting 0,0 to see what the bot makes of them")


def _direction_advice(pair: Pair) -> str:
    if swallowed(pair):
        return say(
            f"'{pair.b}' swallows '{pair.a}': add examples to '{pair.a}', move stray ones, or merge the two if one "
            "answer serves both."
        )
    return say(
        "They are mixed in both directions: decide which questions belong where, or merge the two if one answer "
        "serves both."
    )


def swallowed(pair: Pair) -> bool:
    """Say whether questions stray one way only: from `a` to `b`.

    The border examples are the most doubtful of each side; where none of b's leans to a, none of b does.
    """
    strays = [
        example for example in pair.examples if example.intent == pair.a and example.chance_b >= example.chance_a
    ]
    back = [example for example in pair.examples if example.intent == pair.b and example.chance_a >= example.chance_b]
    return len(strays) >= 2 and not back


def needs_work(pair: Pair) -> bool:
    """Say whether a pair is worth a person's time: enough examples, and not the same answer anyway."""
    return pair.enough and not pair.same_answer


def work_order(result: IntentsResult) -> tuple[Pair, ...]:
    """Return the pairs worth a person's time, most overlap first: with wrong answers, unsure ones, only alike."""
    worth = (
        pair
        for pair in result.pairs
        if (needs_work(pair) and pair.overlap >= WATCH_LEVEL)
        or ((pair.mistakes or 0) >= MIN_EVIDENCE and not pair.same_answer)
    )
    return tuple(sorted(worth, key=lambda pair: (pair.mistakes == 0, pair.only_alike)))


def most_mistaken(pairs: Sequence[Pair]) -> Pair | None:
    """Return the pair with the most wrong answers, if any has one."""
    found = max(pairs, key=lambda pair: pair.mistakes or 0, default=None)
    return found if found is not None and found.mistakes else None


# --- checking data -----------------------------------------------------------------------------------------


def check_sentence(check: CheckResult) -> str:
    """Say in one sentence what is wrong with training data, and first what of it was not looked at."""
    size = f"{plural(check.rows, 'example')} in {plural(len(check.sizes), 'topic')}:"
    if check.out_of_scope:
        inside = f"{check.rows - check.out_of_scope:,} in {plural(len(check.sizes), 'topic')}"
        size = f"{plural(check.rows, 'example')}: {inside} and {check.out_of_scope:,} out of scope;"
    if check.excluded:
        were = "was" if check.excluded == 1 else "were"
        size = f"{check.excluded:,} of {plural(check.rows + check.excluded, 'row')} {were} left out; {size}"
    if not check.problems:
        return f"{size} nothing {'else ' if check.excluded else ''}to put right."
    counts = {s: sum(p.severity == s for p in check.problems) for s in ("error", "warning", "info")}
    words = {"error": "error", "warning": "warning", "info": "hint"}
    parts = [plural(n, words[severity]) for severity, n in counts.items() if n]
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"{size} {listed}."
