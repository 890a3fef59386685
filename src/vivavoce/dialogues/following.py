"""Whether a score follows people's ratings, in one word, and what would help: defined and worded once."""

from __future__ import annotations

from collections.abc import Mapping

from vivavoce.dialogues.dialogue import Kind
from vivavoce.dialogues.result import Agreement, Concord, Follows, Help
from vivavoce.messages import say, say_count
from vivavoce.records import Rate

# Below this many ratings the interval of a correlation of 0.4 reaches down to about 0: nothing can be said.
MIN_RATINGS = 30
# A correlation of 0.2 explains 4 % of the ratings. Counting messages alone reaches about 0.3 in dialogues with bots,
# so a score whose lower end lies below 0.2 may be worse than counting.
FLOOR = 0.2
# About how well one person's ratings follow another's on the same dialogue: 0.33 to 0.44 in ConvAI 2017.
CLEAR = 0.4
# Below this alpha people hardly rate the same thing, and no score can follow all of them.
MIN_ALPHA = 0.4


def judged(local: Mapping[str, Agreement]) -> Agreement | None:
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
            "People hardly agree with each other (alpha {alpha:.2f}; 0 is chance, 1 is perfect), "
            "so no score can agree with all of them: agree on fewer, clearer criteria, then rate "
            "some dialogues again.",
            alpha=alpha,
        ),
    }
    return [sentences[code] for code in what_helps(agreement, people)]
