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
from vivavoce.reports.shared.numbers import hundred, interval_text, seconds_text, share_text

# Below this a pair needs no attention: half of the level at which it counts as a clash.
WATCH_LEVEL = CLASH_LEVEL / 2
# Below this share of re-checks a pair's place at the top is chance.
SELDOM = 0.05
NO_GUESSES = say("the classifier had no guess for any question")


OUTCOME_TITLES = {
    Outcome.RIGHT: say("Correct"),
    Outcome.WRONG_INTENT: say("Wrong topic"),
    Outcome.OVERREACH: say("Out-of-scope question answered"),
    Outcome.MISSED: say("Missed"),
    Outcome.WRONG_DEFERRED: say("Error avoided"),
    Outcome.NO_GUESS: say("No guess"),
    Outcome.DECLINED: say("Out-of-scope question declined"),
    Outcome.DECLINED_NO_GUESS: say("Out-of-scope question declined, no guess"),
}

PROBLEM_TITLES = {
    "all_singletons": say("Every topic has one example"),
    "contradiction": say("Same text in two topics"),
    "duplicate": say("Duplicate text"),
    "encoding": say("Garbled characters"),
    "future_date": say("Date in the future"),
    "imbalance": say("Very large topics"),
    "language_mix": say("Mixed languages"),
    "near_duplicate": say("Near-duplicate text"),
    "one_class": say("Only one topic to train on"),
    "short_text": say("Meaningless text"),
    "similar_names": say("Nearly identical topic names"),
    "singleton": say("Topic with one example"),
    "tiny": say("Topic with few examples"),
    "unreadable_date": say("Invalid date"),
    "very_long_text": say("Very long text"),
}


def headline(result: IntentsResult) -> str:
    """Say in one sentence how many questions the bot would answer by itself, and how many of these right."""
    if not result.settings:
        return say("No round was completed, so there is no result for the bot.")
    first = result.settings[0]
    answered, right = first.rates["automation_rate"], first.rates["precision_answered"]
    if answered.value is None:
        reasons = (note.message for note in result.warnings if note.kind == "untestable")
        return next(reasons, say("Nothing was tested, so there is no result for the bot."))
    if (share := first.out_of_scope_share) is not None:
        asked = say("questions, {hundred} of them out of scope", hundred=hundred(share))
    else:
        asked = say("questions") if first.counts.negatives else say("questions about its topics")
    if right.value is None:
        unsure = say("its confidence never reaches the threshold of {threshold:g}", threshold=result.threshold)
        why = NO_GUESSES if all(never_guessed(findings.counts) for findings in result.settings) else unsure
        return say("Of 100 {asked}, the bot would answer none: {why}.", asked=asked, why=why)
    return say(
        "Of 100 {asked}, the bot would answer {by_itself}; of 100 such answers, {rightly} would be right.",
        asked=asked,
        by_itself=of_hundred(answered),
        rightly=of_hundred(right),
    )


def verdict_title(result: IntentsResult) -> str:
    """Say the same in the few words of a heading, without the ranges; where nothing can be said, say why."""
    first = next(iter(result.settings), None)
    rates = [first.rates[name].value for name in ("automation_rate", "precision_answered")] if first else [None]
    if None in rates:
        return headline(result)
    answered, right = (hundred(value) for value in rates if value is not None)
    facts = {"answered": answered, "right": right}
    return say("The bot answers {answered} of 100 questions; {right} of 100 answers are correct.", **facts)


def never_guessed(counts: Counts) -> bool:
    """Return whether the engine had no guess for any of the questions."""
    return 0 < counts.total == counts[Outcome.NO_GUESS] + counts[Outcome.DECLINED_NO_GUESS]


def strangers_sentence(result: IntentsResult) -> str:
    """Say how the bot treats questions that no topic fits."""
    for findings in result.settings:
        declined = findings.rates["negative_rejection"]
        if declined.value is not None and findings.same_as is None:
            left = of_hundred(declined)
            return say("Of 100 out-of-scope questions, it would rightly decline {left}.", left=left)
    return say("How it handles out-of-scope questions is unknown: {absence}.", absence=absence("negative_rejection"))


def balance_sentence(result: IntentsResult) -> str:
    """Say which topic dominates, if any, and how many known questions are right when every topic counts alike."""
    sentences = [note.message for note in result.warnings if note.kind == "largest_topic"]
    rates = result.settings[0].rates if result.settings else {}
    alike, by_size = rates.get("recall_macro"), rates.get("in_scope_accuracy")
    if alike is not None and by_size is not None and alike.value is not None and by_size.value is not None:
        sentences.append(
            say(
                "Of 100 known questions, it would answer {of_hundred} correctly if visitors asked "
                "about each topic equally often, and {hundred} if their questions were distributed "
                "like the examples.",
                of_hundred=of_hundred(alike),
                hundred=hundred(by_size.value),
            )
        )
    return join(" ", sentences)


def further_sentences(result: IntentsResult) -> list[str]:
    """Return what follows the headline: out-of-scope questions, topics alike, what borrowed examples bring."""
    borrowed = result.borrowed.sentence if result.borrowed else ""
    return [text for text in (strangers_sentence(result), balance_sentence(result), borrowed) if text]


def timing_sentence(timing: TimingFindings) -> str:
    """Say how long training and answering took."""
    return say(
        "Training took {seconds_text} per round; a message is answered in {seconds_text2} (95 of "
        "100 within {seconds_text3}).",
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


def setting_title(findings: SettingFindings) -> str:
    """Name a setting by what the bot has to face."""
    setting = findings.setting
    if setting.k:
        return say("Topics with fewer than {k} examples unknown", k=setting.k)
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
        some = say("{tests} asked out-of-scope questions", tests=say_count(strangers, "{n} test", "{n} tests"))
        asked = some if strangers else say("no out-of-scope questions were asked")
        return say("Every topic was trained and tested; {asked}.", asked=asked)
    facts = {"topics": say_count(len(low), "{n} topic", "{n} topics"), "share": share_text(findings.share_low)}
    return say(
        "{topics} ({share} of the examples) were held out of training in turn: their questions "
        "then count as out of scope, and the bot should decline them.",
        **facts,
    )


def pair_sentence(pair: Pair) -> str:
    """Say how much two topics are mixed up, and in which direction."""
    around = interval_text(Rate(pair.overlap, pair.low, pair.high, pair.evidence))
    shares = {"share_text": share_text(pair.overlap), "interval_text": around}
    first = say("'{a}' and '{b}' overlap by {share_text} ({interval_text})", a=pair.a, b=pair.b, **shares)
    facts = [*([] if pair.only_alike else [pair_direction(pair)]), pair_mistakes(pair)]
    return join("; ", [first, *filter(None, facts)]) + "."


def pair_mistakes(pair: Pair) -> str:
    """Say how many examples are lost between the two; nothing where that was not measured."""
    if pair.loss is None:
        return ""
    if pair.loss.examples == 1:
        return say("1 example gets the other topic's answer, or none")
    if pair.loss.examples:
        return say("{examples:,} examples get the other topic's answer, or none", examples=pair.loss.examples)
    return say("no example was mistaken for the other topic in most of its tests")


def pair_direction(pair: Pair) -> str:
    """Say which topic loses questions to which."""
    way = say("one way only, from") if is_swallowed(pair) else say("more often from")
    return say("mistakes go {way} '{a}' to '{b}'", way=way, a=pair.a, b=pair.b)


def pair_stability(pair: Pair) -> str:
    """Say how firmly the pair stands at the top of the ranking; nothing where it stands there by chance."""
    if pair.top3_share < SELDOM:
        return ""
    return say("in the top three in {top3_share:.0f} of 100 checks", top3_share=100 * pair.top3_share)


def pair_advice(pair: Pair) -> str:
    """Say why a pair is not among the problems: it is harmless, or nobody can tell yet."""
    if not pair.same_answer:
        return say("Too few examples to tell: add some to the smaller topic, then test again.")
    if are_opposite(pair.a, pair.b):
        return say("Harmless: both topics give the same answer.")
    return say("Harmless: both topics give the same answer. You can merge them.")


def is_swallowed(pair: Pair) -> bool:
    """Return whether questions stray one way only: from `a` to `b`.

    The border examples are the most doubtful of each side; where none of b's leans to a, none of b does.
    """
    strays = sum(e.intent == pair.a and e.chance_b >= e.chance_a for e in pair.examples)
    return strays >= 2 and not any(e.intent == pair.b and e.chance_a >= e.chance_b for e in pair.examples)


def check_sentence(check: CheckResult) -> str:
    """Say in one sentence what is wrong with training data, and first what of it was not looked at."""
    size = f"{plural(check.rows, 'example')} in {plural(len(check.sizes), 'topic')}:"
    if check.out_of_scope:
        inside = f"{check.rows - check.out_of_scope:,} in {plural(len(check.sizes), 'topic')}"
        size = f"{plural(check.rows, 'example')}: {inside} and {check.out_of_scope:,} out of scope;"
    if check.excluded:
        were = "was" if check.excluded == 1 else "were"
        size = f"{check.excluded:,} of {plural(check.rows + check.excluded, 'row')} {were} skipped; {size}"
    if not check.problems:
        return f"{size} nothing {'else ' if check.excluded else ''}to fix."
    counts = {s: sum(p.severity == s for p in check.problems) for s in ("error", "warning", "info")}
    words = {"error": "error", "warning": "warning", "info": "hint"}
    parts = [plural(n, words[severity]) for severity, n in counts.items() if n]
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"{size} {listed}."
