"""What must be known before a score is believed, in plain sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from vivavoce.dialogues.agreement import (
    MIN_USERS,
    check_pairing,
    kind_of,
    measure_bots,
    measure_people,
    pair_up,
    value_of,
)
from vivavoce.dialogues.dialogue import Dialogue, Kind
from vivavoce.dialogues.raters.protocol import Comparing, Rater
from vivavoce.dialogues.result import Agreement, Concord, Drift, Follows, Help, Origin, Passport, Score
from vivavoce.languages import Use, name_languages
from vivavoce.messages import join, say, say_count
from vivavoce.records import Rate
from vivavoce.text.words import guess_language, words

# A score that was only met with one bot may know that bot's habits and not quality.
MIN_BOTS = 2
# Above this share of the dialogues a difference from what the rater learnt from is worth a sentence.
TOLERATED_SHARE = 0.2
# Enough dialogues to tell a language; words below which one dialogue does not show its own.
MAX_SAMPLED = 200
MIN_WORDS = 10
# What differs between two kinds of dialogue, by the names of the model's groups of features.
TRAITS = {
    "liking": say("the kinds of replies people like"),
    "repetition": say("how much is repeated"),
    "relevance": say("how replies pick up what was said"),
    "questions": say("who asks questions"),
    "not knowing": say("how often someone does not know or understand"),
    "mood": say("mood"),
    "effort": say("how much the person writes"),
    "bot's length": say("how long the bot's messages are"),
    "length": say("how many messages a dialogue has"),
    "style": say("writing style"),
}
LANGUAGES = name_languages(Use.GUESSED)


def issue(
    rater: Rater,
    local: Mapping[str, Agreement],
    dialogues: Sequence[Dialogue],
    scores: Sequence[Score],
    *,
    seed: int = 0,
) -> Passport:
    """Return the passport of these scores; `local` is what `measure` found on the same dialogues."""
    check_pairing(dialogues, scores)
    people = measure_people(dialogues)
    may_compare, verdict = _judge(local.get(str(Kind.HUMAN_BOT)), dialogues, scores, people)
    drift = None
    if isinstance(rater, Comparing):
        pairs = zip(dialogues, scores, strict=True)
        drift = rater.compare([each for each, score in pairs if value_of(score) is not None and not score.learned])
    warnings = (
        *([drift_sentence(drift)] if drift is not None and drift.differs else []),
        *_warn_of_origin(rater.origin, dialogues),
        *_warn_of_scores(dialogues, scores),
    )
    bots = measure_bots(dialogues, scores, seed=seed)
    return Passport(rater.name, rater.origin, dict(local), may_compare, verdict, warnings, bots, people, drift)


def usual_lengths(dialogues: Iterable[Dialogue]) -> tuple[int, int] | None:
    """Return how many messages 9 of 10 dialogues have, from and to: the `lengths` of an origin."""
    lengths = sorted(len(dialogue.turns) for dialogue in dialogues)
    if not lengths:
        return None
    last = len(lengths) - 1
    return lengths[round(0.05 * last)], lengths[round(0.95 * last)]


def _judge(
    agreement: Agreement | None, dialogues: Sequence[Dialogue], scores: Sequence[Score], people: Concord | None
) -> tuple[bool, str]:
    """Say whether bots may be compared, why, and what to do next: the first rule that is not met speaks."""
    n = agreement.n if agreement else 0
    rated = pair_up(dialogues, scores, Kind.HUMAN_BOT).dialogues
    bots = [dialogue.bot for dialogue in rated if dialogue.bot]
    because = ""
    if agreement is None or n < MIN_RATINGS:
        because = _say_too_few(n, dialogues)
    elif any(dialogue.bot for dialogue in dialogues):
        because = _say_unnamed(bots, n)
    if agreement is None or because:
        return False, say("Do not compare bots with this score yet: {because}", because=because)
    if follows(agreement) not in (Follows.MODERATE, Follows.STRONG):
        because = join(" ", [follows_sentence(agreement), *help_sentences(agreement, people)])
        return False, say("Do not compare bots with this score yet. {because}", because=because)
    count = say_count(len(set(bots)), "{n} bot", "{n} bots")
    among = ""
    if bots and len(bots) < n:
        among = " " + say("with a bot ({count:,} of them name it: {bots})", count=len(bots), bots=count)
    elif bots:
        among = " " + say("with {bots}", bots=count)
    because = say(
        "on your own {n:,} rated dialogues{among} it agrees with people's ratings "
        "({correlation_text}). Trust averages over many dialogues, not the score of a single one.",
        n=n,
        among=among,
        correlation_text=correlation_text(agreement),
    )
    return True, say("You can compare bots with this score: {because}", because=because)


def _say_unnamed(bots: Sequence[str], n: int) -> str:
    """Say why bots that the log names cannot be told apart by these rated dialogues; nothing where they can."""
    if len(bots) < MIN_RATINGS:
        have = say("only {count:,} of them name", count=len(bots)) if len(bots) > 1 else say("only 1 of them names")
        return say(
            "{n:,} rated dialogues are with a bot, but {have} it. At least {least_marks} must, "
            "with at least {least_bots} bots: name the bot of each dialogue in the log (`bot`), or "
            "have people rate more dialogues that name it.",
            n=n,
            have=have if bots else say("none of them names"),
            least_marks=MIN_RATINGS,
            least_bots=MIN_BOTS,
        )
    if len(set(bots)) < MIN_BOTS:
        every = say("all {n:,} rated dialogues", n=n)
        every = every if len(bots) == n else say("all {count:,} rated dialogues that name their bot", count=len(bots))
        return say(
            "{every} are with a single bot ({named}). Have people rate dialogues with at least "
            "{least_bots} bots, then score again.",
            every=every,
            named=bots[0],
            least_bots=MIN_BOTS,
        )
    return ""


def _say_too_few(n: int, dialogues: Sequence[Dialogue]) -> str:
    have = say("no dialogue with a bot has both a score and a person's rating.")
    if n:
        have = say_count(
            n,
            "only {n} dialogue with a bot has both a score and a person's rating.",
            "only {n} dialogues with a bot have both a score and a person's rating.",
        )
    unclear = sum(dialogue.quality is not None and kind_of(dialogue) is Kind.UNKNOWN for dialogue in dialogues)
    hint = say_count(
        unclear,
        "{n} rated dialogue is not counted because the log does not say which side is a bot.",
        "{n} rated dialogues are not counted because the log does not say which side is a bot.",
    )
    more = say_count(MIN_RATINGS - n, "{n} more dialogue", "{n} more dialogues")
    if not n:
        more = say_count(MIN_RATINGS, "{n} dialogue", "{n} dialogues")
    todo = say(
        "Have people rate at least {more} from 1 to 5, with at least {least_bots} bots in total, then score again.",
        more=more,
        least_bots=MIN_BOTS,
    )
    return join(" ", [have, *([hint] if unclear else []), todo])


def drift_sentence(drift: Drift) -> str:
    """Say that a log is another kind of talk than what the rater learnt from, and in what."""
    numbers = say("distance {distance:.2f}, normally below {limit:.2f}", distance=drift.distance, limit=drift.limit)
    parts = join(", ", [TRAITS.get(name, name) for name in drift.traits])
    differing = say(", mainly in: {parts}", parts=parts) if parts else ""
    return say(
        "These dialogues differ from those the rater was trained on ({numbers}){differing}. The rater has not been "
        "validated on such dialogues: rate some yourself before you trust the scores.",
        numbers=numbers,
        differing=differing,
    )


def _warn_of_origin(origin: Origin | None, dialogues: Sequence[Dialogue]) -> Iterable[str]:
    if origin is None:
        yield say("This rater is not validated: only your own ratings can show how far to trust it.")
        return
    step = max(1, len(dialogues) // MAX_SAMPLED)
    languages = [language for dialogue in dialogues[::step] if (language := _guess_language(dialogue))]
    others = Counter(language for language in languages if language != origin.language)
    if others and others.total() > TOLERATED_SHARE * len(languages):
        yield say(
            "About {total:.0%} of the dialogues are not in {languages}, the language this rater "
            "was trained on (mostly {named}): trust their scores only after you rate some yourself.",
            total=others.total() / len(languages),
            languages=LANGUAGES.get(origin.language, origin.language),
            named=LANGUAGES.get(others.most_common(1)[0][0], say("another language")),
        )
    if origin.lengths is None or not dialogues:
        return
    shortest, longest = origin.lengths
    outside = sum(not shortest <= len(dialogue.turns) <= longest for dialogue in dialogues)
    if outside > TOLERATED_SHARE * len(dialogues):
        yield say(
            "{outside:.0%} of the dialogues are shorter than {lengths} or longer than {lengths2} "
            "messages, unlike most of this rater's training data: their scores are less certain.",
            outside=outside / len(dialogues),
            lengths=shortest,
            lengths2=longest,
        )


def _guess_language(dialogue: Dialogue) -> str | None:
    """Return the language of a dialogue, None where it has too few words to tell."""
    text = "\n".join(turn.text for turn in dialogue.turns[:50])[:5000]
    language = guess_language([text])
    # Chinese has no spaces: its words are not counted.
    return language if language == "zh" or len(words(text, "en")) >= MIN_WORDS else None


def _warn_of_scores(dialogues: Sequence[Dialogue], scores: Sequence[Score]) -> Iterable[str]:
    learned = sum(score.learned for score in scores)
    if learned:
        yield say(
            "The rater was trained on {learned:,} of these {count:,} dialogues. They are excluded "
            "from all agreement figures.",
            learned=learned,
            count=len(scores),
        )
    refusals = [score.refusal.rstrip(" .") for score in scores if value_of(score) is None]
    if refusals:
        why, _ = Counter(refusals).most_common(1)[0]
        yield say(
            "{count:,} of {talks} ({share}) got no score{because}.",
            count=len(refusals),
            talks=say_count(len(scores), "{n} dialogue", "{n} dialogues"),
            share=f"{len(refusals) / len(scores):.0%}",
            because=say(", mainly because: {why}", why=why) if why else "",
        )
    rated = pair_up(dialogues, scores).dialogues
    people = {dialogue.user for dialogue in rated if dialogue.user}
    # One name for all is how many logs call the human side, not a person.
    if len(rated) >= MIN_RATINGS and 2 <= len(people) < MIN_USERS:
        yield say(
            "The ratings come from only {count} people: the intervals do not cover how other people would rate.",
            count=len(people),
        )


# Below this many ratings the interval of a correlation of 0.4 reaches down to about 0: nothing can be said.
MIN_RATINGS = 30
# A correlation of 0.2 explains 4 % of the ratings. Counting messages alone reaches about 0.3 in dialogues with bots,
# so a score whose lower end lies below 0.2 may be worse than counting.
FLOOR = 0.2
# About how well one person's ratings follow another's on the same dialogue: 0.33 to 0.44 in ConvAI 2017.
CLEAR = 0.4
# Below this alpha people hardly rate the same thing, and no score can follow all of them.
MIN_ALPHA = 0.4


def find_agreement(local: Mapping[str, Agreement]) -> Agreement | None:
    """Return the agreement by which a score is judged: on dialogues with bots, else on all."""
    return local.get(str(Kind.HUMAN_BOT)) or local.get("overall")


def follows(agreement: Agreement) -> Follows:
    """Say how well the score follows the ratings, by the interval of the weaker of both correlations."""
    if agreement.n < MIN_RATINGS:
        return Follows.TOO_FEW
    if agreement.spearman.value is None or agreement.pearson.value is None:
        return Follows.ALIKE
    rate, _ = weaker(agreement)
    if rate.low is None or rate.high is None:
        return Follows.TOO_FEW
    if rate.low > FLOOR:
        return Follows.STRONG if rate.low > CLEAR else Follows.MODERATE
    return Follows.WEAK if rate.high < CLEAR else Follows.TOO_FEW


def weaker(agreement: Agreement) -> tuple[Rate, str]:
    """Return the correlation whose lower end is lower, and its name."""
    pairs = ((agreement.spearman, "Spearman"), (agreement.pearson, "Pearson"))
    return min(pairs, key=lambda pair: -1.0 if pair[0].low is None else pair[0].low)


def what_helps(agreement: Agreement, people: Concord | None = None) -> tuple[Help, ...]:
    """Return what would help, the first thing first; nothing where the score follows people."""
    code = follows(agreement)
    if code is Follows.ALIKE:
        return (Help.MARK_BOTH_ENDS,)
    if code is Follows.TOO_FEW:
        return (Help.MARK_MORE,)
    if code is not Follows.WEAK:
        return ()
    if people is None or people.alpha.value is None:
        return (Help.MARK_TWICE, Help.TRAIN_ON_MARKS, Help.OTHER_RATER)
    if people.alpha.value < MIN_ALPHA:
        return (Help.AGREE_ON_CRITERIA, Help.OTHER_RATER)
    return (Help.TRAIN_ON_MARKS, Help.OTHER_RATER)


def follows_sentence(agreement: Agreement | None) -> str:
    """Say how well the score follows people, with its numbers."""
    if agreement is None or not agreement.n:
        return say("It is unknown whether the score agrees with people: no dialogue has both a score and a rating.")
    code = follows(agreement)
    if code is Follows.ALIKE:
        return say(
            "On these {n:,} rated dialogues, all scores or all ratings are the same, so their "
            "agreement cannot be measured.",
            n=agreement.n,
        )
    if agreement.n < MIN_RATINGS or weaker(agreement)[0].low is None:
        marked = say_count(agreement.n, "{n} rated dialogue", "{n} rated dialogues")
        return say(
            "Too early to say whether the score agrees with people: only {marked} with a score.", marked=marked
        )
    sentence = {
        Follows.TOO_FEW: say(
            "It is unclear whether the score agrees with people: there are too few ratings to be sure ({numbers})."
        ),
        Follows.WEAK: say(
            "The score agrees with people weakly at best ({numbers}). More ratings are unlikely to change that."
        ),
        Follows.MODERATE: say("The score agrees with people moderately ({numbers})."),
        Follows.STRONG: say("The score agrees with people well ({numbers})."),
    }[code]
    return say(sentence, numbers=correlation_text(agreement))


def correlation_text(agreement: Agreement) -> str:
    """Write the weaker correlation with its interval and count."""
    rate, name = weaker(agreement)
    return say(
        "{name} {value:.2f}, between {low:.2f} and {high:.2f}, n = {n:,}",
        name=name,
        value=rate.value,
        low=rate.low,
        high=rate.high,
        n=agreement.n,
    )


def help_sentences(agreement: Agreement | None, people: Concord | None = None) -> list[str]:
    """Say what would help, one sentence each."""
    if agreement is None:
        return []
    alpha = (people.alpha.value if people else None) or 0.0
    sentences = {
        Help.MARK_MORE: say("Have people rate more dialogues from 1 to 5, then score again."),
        Help.MARK_BOTH_ENDS: say("Rate good dialogues as well as poor ones."),
        Help.MARK_TWICE: say(
            "Have two people rate the same dialogues: where they disagree, no score can agree with both."
        ),
        Help.TRAIN_ON_MARKS: say("Train a model on your own ratings; you need about 500."),
        Help.OTHER_RATER: say("Try another rater, for example a language model as judge."),
        Help.AGREE_ON_CRITERIA: say(
            "People hardly agree with each other (alpha {alpha:.2f}; 0 is chance, 1 is perfect), so no score can "
            "agree with all of them: agree on fewer, clearer criteria, then rate some dialogues again.",
            alpha=alpha,
        ),
    }
    return [sentences[code] for code in what_helps(agreement, people)]
