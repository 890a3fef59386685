"""Whether a score follows people's marks, in one word, and what would help: defined and worded once."""

from __future__ import annotations

from collections.abc import Mapping

from vivavoce.dialogues.dialogue import Kind
from vivavoce.dialogues.result import Agreement, Concord, Follows, Help
from vivavoce.messages import say, say_count
from vivavoce.records import Rate

# Below this many marks the interval of a correlation of 0.4 reaches down to about 0: nothing can be said.
LEAST_MARKS = 30
# A correlation of 0.2 explains 4 % of the marks. Counting messages alone reaches about 0.3 in talks with bots, so a
# score whose lower end lies below 0.2 may be worse than counting.
FLOOR = 0.2
# About how well one person's marks follow another's on the same talk: 0.33 to 0.44 in ConvAI 2017.
CLEAR = 0.4
# Below this alpha people hardly mark the same thing, and no score can follow all of them.
LEAST_ALPHA = 0.4


def judged(local: Mapping[str, Agreement]) -> Agreement | None:
    """Return the agreement by which a score is judged: on talks with bots, else on all."""
    return local.get(str(Kind.HUMAN_BOT)) or local.get("overall")


def follows(found: Agreement) -> Follows:
    """Say how well the score follows the marks, by the interval of the weaker of both correlations."""
    if found.n < LEAST_MARKS:
        return Follows.TOO_FEW
    if found.spearman.value is None or found.pearson.value is None:
        return Follows.ALIKE
    rate, _ = weaker(found)
    if rate.low is None or rate.high is None:
        return Follows.TOO_FEW
    if rate.low > FLOOR:
        return Follows.STRONG if rate.low > CLEAR else Follows.MODERATE
    return Follows.WEAK if rate.high < CLEAR else Follows.TOO_FEW


def weaker(found: Agreement) -> tuple[Rate, str]:
    """Return the correlation whose lower end is lower, and its name."""
    pairs = ((found.spearman, "Spearman"), (found.pearson, "Pearson"))
    return min(pairs, key=lambda pair: -1.0 if pair[0].low is None else pair[0].low)


def what_helps(found: Agreement, people: Concord | None = None) -> tuple[Help, ...]:
    """Return what would help, the first thing first; nothing where the score follows people."""
    code = follows(found)
    if code is Follows.ALIKE:
        return (Help.MARK_BOTH_ENDS,)
    if code is Follows.TOO_FEW:
        return (Help.MARK_MORE,)
    if code is not Follows.WEAK:
        return ()
    if people is None or people.alpha.value is None:
        return (Help.MARK_TWICE, Help.TRAIN_ON_MARKS, Help.OTHER_RATER)
    if people.alpha.value < LEAST_ALPHA:
        return (Help.AGREE_ON_CRITERIA, Help.OTHER_RATER)
    return (Help.TRAIN_ON_MARKS, Help.OTHER_RATER)


# --- in words ----------------------------------------------------------------------------------------------------


def follows_sentence(found: Agreement | None) -> str:
    """Say how well the score follows people, with its numbers."""
    if found is None or not found.n:
        return say("Nobody can tell yet whether the score follows people: no talk has both a score and a mark.")
    code = follows(found)
    if code is Follows.TOO_FEW:
        return _too_few(found)
    numbers = correlation_text(found) if code is not Follows.ALIKE else ""
    return {
        Follows.ALIKE: say(
            "On these {n:,} marked talks all scores or all marks are the same: nothing shows whether one "
            "follows the other.",
            n=found.n,
        ),
        Follows.WEAK: say(
            "The score follows these raters weakly at best ({numbers}). More marks will hardly change that.",
            numbers=numbers,
        ),
        Follows.MODERATE: say("The score follows these raters moderately ({numbers}).", numbers=numbers),
        Follows.STRONG: say("The score follows these raters well ({numbers}).", numbers=numbers),
    }[code]


def _too_few(found: Agreement) -> str:
    if found.n < LEAST_MARKS or weaker(found)[0].low is None:
        marked = say_count(found.n, "{n} marked talk", "{n} marked talks")
        return say(
            "Nobody can tell yet whether the score follows people: {marked} with a score are too few.", marked=marked
        )
    numbers = correlation_text(found)
    return say(
        "It is open whether the score follows these raters: the marks are too few to be sure ({numbers}).",
        numbers=numbers,
    )


def correlation_text(found: Agreement) -> str:
    """Write the weaker correlation with its interval and count."""
    rate, name = weaker(found)
    return say(
        "{name} {value:.2f}, between {low:.2f} and {high:.2f}, n = {n:,}",
        name=name,
        value=rate.value,
        low=rate.low,
        high=rate.high,
        n=found.n,
    )


def help_sentences(found: Agreement | None, people: Concord | None = None) -> list[str]:
    """Say what would help, one sentence each."""
    if found is None:
        return []
    told = {
        Help.MARK_MORE: say("Let people mark more talks from 1 to 5, then score again."),
        Help.MARK_BOTH_ENDS: say("Mark good talks as well as poor ones."),
        Help.MARK_TWICE: say("Let two people mark the same talks: where they disagree, no score can follow both."),
        Help.TRAIN_ON_MARKS: say("Train a model on your own marks; you need about 500."),
        Help.OTHER_RATER: say("Try another rater, for instance a language model as the judge."),
        Help.AGREE_ON_CRITERIA: _disagreement(people),
    }
    return [told[code] for code in what_helps(found, people)]


def _disagreement(people: Concord | None) -> str:
    alpha = (people.alpha.value if people else None) or 0.0
    return say(
        "Your raters hardly agree with each other (alpha {alpha:.2f}; 0 is luck, 1 is perfect), and no "
        "score can follow all of them: agree on fewer and clearer criteria, then mark some talks again.",
        alpha=alpha,
    )
