"""What a result says in plain sentences, each number in them taken from the result as it is."""

from __future__ import annotations

from vivavoce.errors import plural
from vivavoce.intents.check import CheckResult
from vivavoce.intents.findings import SettingFindings, TimingFindings
from vivavoce.intents.names import are_opposite
from vivavoce.intents.pairs import CLASH_LEVEL, Pair
from vivavoce.intents.result import IntentsResult
from vivavoce.outcomes import Counts, Outcome
from vivavoce.records import Rate
from vivavoce.reports.intents.meanings import absence
from vivavoce.reports.intents.titles import OUTCOME_TITLES, PROBLEM_TITLES
from vivavoce.reports.shared.numbers import hundred, interval_text, seconds_text, share_text
from vivavoce.sentences import say

__all__ = ["OUTCOME_TITLES", "PROBLEM_TITLES"]

# Below this a pair needs no attention: half of the level at which it counts as a clash.
WATCH_LEVEL = CLASH_LEVEL / 2
# Below this share of re-checks a pair's place at the top is chance.
SELDOM = 0.05
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
        why = (
            NO_GUESSES
            if (bool(result.settings) and all(never_guessed(findings.counts) for findings in result.settings))
            else unsure
        )
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


def strangers_sentence(result: IntentsResult) -> str:
    """Say how the bot treats questions that no topic fits."""
    for findings in result.settings:
        declined = findings.rates["negative_rejection"]
        if declined.value is not None and findings.same_as is None:
            left = of_hundred(declined)
            return say(f"Of 100 questions that no topic fits, it would rightly leave {left} unanswered.")
    return say(f"How it treats questions that no topic fits is not known: {absence('negative_rejection')}.")


def balance_sentence(result: IntentsResult) -> str:
    """Say which topic dominates, if any, and how many known questions are right when every topic counts alike."""
    largest = [note.message for note in result.warnings if note.kind == "largest_topic"]
    return " ".join([*largest, *_mean_over_topics(result)])


def _mean_over_topics(result: IntentsResult) -> list[str]:
    rates = result.settings[0].rates if result.settings else {}
    alike, by_size = rates.get("recall_macro"), rates.get("in_scope_accuracy")
    if alike is None or by_size is None or alike.value is None or by_size.value is None:
        return []
    return [
        say(
            f"Of 100 known questions, it would answer {of_hundred(alike)} rightly if visitors asked about each topic "
            f"equally often, and {hundred(by_size.value)} if their questions were spread over the topics as the "
            "examples are."
        )
    ]


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
    """Say how many examples are lost between the two; nothing where that was not measured."""
    if pair.loss is None:
        return ""
    if pair.loss.examples == 1:
        return say("1 example gets the other topic's answer, or none")
    if pair.loss.examples:
        return say(f"{pair.loss.examples:,} examples get the other topic's answer, or none")
    return say("no example was taken for the other topic in most of its tests")


def pair_direction(pair: Pair) -> str:
    """Say which topic loses questions to which."""
    way = say("one way only, from") if swallowed(pair) else say("more often from")
    return say(f"questions stray {way} '{pair.a}' to '{pair.b}'")


def pair_stability(pair: Pair) -> str:
    """Say how firmly the pair stands at the top of the ranking; nothing where it stands there by chance."""
    if pair.top3_share < SELDOM:
        return ""
    return say(f"in the top three in {100 * pair.top3_share:.0f} of 100 re-checks")


def pair_advice(pair: Pair) -> str:
    """Say why a pair is not among the problems: it is harmless, or nobody can tell yet."""
    if not pair.same_answer:
        return say("Not enough examples to tell: add some to the smaller topic, then check again.")
    if are_opposite(pair.a, pair.b):
        return say("Harmless: both topics give the same answer.")
    return say("Harmless: both topics give the same answer. Merge them when convenient.")


def swallowed(pair: Pair) -> bool:
    """Say whether questions stray one way only: from `a` to `b`.

    The border examples are the most doubtful of each side; where none of b's leans to a, none of b does.
    """
    strays = [
        example for example in pair.examples if example.intent == pair.a and example.chance_b >= example.chance_a
    ]
    back = [example for example in pair.examples if example.intent == pair.b and example.chance_a >= example.chance_b]
    return len(strays) >= 2 and not back


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
