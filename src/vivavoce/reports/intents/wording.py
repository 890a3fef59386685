"""What a result says in plain sentences, each number in them taken from the result as it is."""

from __future__ import annotations

from vivavoce.errors import plural
from vivavoce.intents.check import CheckResult
from vivavoce.intents.findings import SettingFindings, TimingFindings
from vivavoce.intents.names import are_opposite
from vivavoce.intents.pairs import CLASH_LEVEL, Pair
from vivavoce.intents.result import IntentsResult
from vivavoce.messages import join, say, say_count
from vivavoce.outcomes import Counts, Outcome
from vivavoce.records import Rate
from vivavoce.reports.intents.meanings import absence
from vivavoce.reports.intents.titles import OUTCOME_TITLES, PROBLEM_TITLES
from vivavoce.reports.shared.numbers import hundred, interval_text, seconds_text, share_text

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
        unsure = say("it is never sure enough at the threshold of {threshold:g}", threshold=result.threshold)
        why = (
            NO_GUESSES
            if (bool(result.settings) and all(never_guessed(findings.counts) for findings in result.settings))
            else unsure
        )
        return say("Of 100 {asked}, the bot would answer none by itself: {why}.", asked=asked, why=why)
    by_itself, rightly = of_hundred(answered), of_hundred(right)
    return say(
        "Of 100 {asked}, the bot would answer {by_itself} by itself; of 100 such answers, {rightly} would be right.",
        asked=asked,
        by_itself=by_itself,
        rightly=rightly,
    )


def _asked(findings: SettingFindings) -> str:
    if (share := findings.out_of_scope_share) is not None:
        return say("questions, {hundred} of them out of scope", hundred=hundred(share))
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
            return say("Of 100 questions that no topic fits, it would rightly leave {left} unanswered.", left=left)
    return say(
        "How it treats questions that no topic fits is not known: {absence}.", absence=absence("negative_rejection")
    )


def balance_sentence(result: IntentsResult) -> str:
    """Say which topic dominates, if any, and how many known questions are right when every topic counts alike."""
    largest = [note.message for note in result.warnings if note.kind == "largest_topic"]
    return join(" ", [*largest, *_mean_over_topics(result)])


def _mean_over_topics(result: IntentsResult) -> list[str]:
    rates = result.settings[0].rates if result.settings else {}
    alike, by_size = rates.get("recall_macro"), rates.get("in_scope_accuracy")
    if alike is None or by_size is None or alike.value is None or by_size.value is None:
        return []
    return [
        say(
            "Of 100 known questions, it would answer {of_hundred} rightly if visitors asked about each topic "
            "equally often, and {hundred} if their questions were spread over the topics as the examples are.",
            of_hundred=of_hundred(alike),
            hundred=hundred(by_size.value),
        )
    ]


def timing_sentence(timing: TimingFindings) -> str:
    """Say how long training and answering took."""
    return say(
        "Training took {seconds_text} a retry; a message is answered in {seconds_text2} (95 of 100 within "
        "{seconds_text3}).",
        seconds_text=seconds_text(timing.train),
        seconds_text2=seconds_text(timing.classify_p50),
        seconds_text3=seconds_text(timing.classify_p95),
    )


def of_hundred(rate: Rate) -> str:
    """Write how many of 100 a share is, with its range."""
    assert rate.value is not None  # noqa: S101 - callers have said what a missing value means
    if rate.low is None or rate.high is None:
        return hundred(rate.value)
    if rate.tells_little():
        return say("between {low:z.0f} and {high:z.0f}", low=100 * rate.low, high=100 * rate.high)
    around = say("{low:z.0f} to {high:z.0f}", low=100 * rate.low, high=100 * rate.high)
    return hundred(rate.value) + " (" + around + ")"


# --- settings ----------------------------------------------------------------------------------------------


def setting_title(findings: SettingFindings) -> str:
    """Name a setting by what the bot has to face."""
    setting = findings.setting
    if setting.k:
        return say("Topics under {k} examples unknown", k=setting.k)
    return say("Smallest topics unknown") if setting.p else say("All topics known")


def setting_sentence(findings: SettingFindings) -> str:
    """Say what a setting asks of the bot."""
    setting, low = findings.setting, findings.low_topics
    if findings.same_as is not None:
        fewer = say("no topic has fewer than {k} examples", k=setting.k)
        small = fewer if setting.k else say("no topic could be held out")
        return say(
            "Setting {setting} equals {same_as}: {small}.", setting=setting, same_as=findings.same_as, small=small
        )
    if not low:
        strangers = findings.counts.negatives
        some = say("{tests} asked what no topic fits", tests=say_count(strangers, "{n} test", "{n} tests"))
        asked = some if strangers else say("no stranger was asked")
        return say("Every topic was taught and tested; {asked}.", asked=asked)
    share = share_text(findings.share_low)
    return say(
        "{topics} ({share} of the examples) took turns in not being taught: their questions are strangers "
        "then, to be left unanswered.",
        topics=say_count(len(low), "{n} topic", "{n} topics"),
        share=share,
    )


# --- pairs of topics ---------------------------------------------------------------------------------------


def pair_sentence(pair: Pair) -> str:
    """Say how much two topics are mixed up, and in which direction."""
    overlap = Rate(pair.overlap, pair.low, pair.high, pair.evidence)
    said = say(
        "'{a}' and '{b}' overlap by {share_text} ({interval_text})",
        a=pair.a,
        b=pair.b,
        share_text=share_text(pair.overlap),
        interval_text=interval_text(overlap),
    )
    facts = [*([] if pair.only_alike else [pair_direction(pair)]), pair_mistakes(pair)]
    return join("; ", [said, *filter(None, facts)]) + "."


def pair_mistakes(pair: Pair) -> str:
    """Say how many examples are lost between the two; nothing where that was not measured."""
    if pair.loss is None:
        return ""
    if pair.loss.examples == 1:
        return say("1 example gets the other topic's answer, or none")
    if pair.loss.examples:
        return say("{examples:,} examples get the other topic's answer, or none", examples=pair.loss.examples)
    return say("no example was taken for the other topic in most of its tests")


def pair_direction(pair: Pair) -> str:
    """Say which topic loses questions to which."""
    way = say("one way only, from") if swallowed(pair) else say("more often from")
    return say("questions stray {way} '{a}' to '{b}'", way=way, a=pair.a, b=pair.b)


def pair_stability(pair: Pair) -> str:
    """Say how firmly the pair stands at the top of the ranking; nothing where it stands there by chance."""
    if pair.top3_share < SELDOM:
        return ""
    return say("in the top three in {top3_share:.0f} of 100 re-checks", top3_share=100 * pair.top3_share)


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
