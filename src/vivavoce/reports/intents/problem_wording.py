"""What to fix next, in words: the sentence before the list, what a problem costs, and what to do about it."""

from __future__ import annotations

from vivavoce.intents.pairs import CLASH_LEVEL, Pair
from vivavoce.intents.problem_sentences import attraction_sentence, problem_advice, problem_sentence
from vivavoce.intents.problems import MIN_COST, PAIRS, Problem, ProblemKind
from vivavoce.intents.quality import ProblemExample
from vivavoce.intents.result import IntentsResult
from vivavoce.messages import join, join_and, say, say_count

__all__ = [
    "attraction_sentence",
    "cost_sentence",
    "example_place",
    "example_topic",
    "pair_of",
    "problem_advice",
    "problem_sentence",
    "problem_title",
    "verdict",
]


def verdict(result: IntentsResult) -> str:
    """Say how many problems are worth fixing, and what cannot be judged yet."""
    problems = result.problems
    if not problems:
        first = say(
            "Nothing needs fixing: no problem clearly affects {min_cost:.0f} in 1,000 messages or more.",
            min_cost=MIN_COST,
        )
    elif len(problems) == 1:
        first = say(
            "One problem is worth fixing: it affects about {cost:.0f} in 1,000 messages.", cost=problems[0].cost
        )
    else:
        first = say(
            "{count:,} problems are worth fixing; the first affects about {cost:.0f} in 1,000 messages.",
            count=len(problems),
            cost=problems[0].cost,
        )
    sentences = [first]
    unclear = sum(not pair.enough and not pair.same_answer and pair.overlap >= CLASH_LEVEL for pair in result.pairs)
    if unclear:
        pairs = say_count(unclear, "{n} pair", "{n} pairs")
        sentences.append(say("Too few examples to tell whether {pairs} of similar topics are confused.", pairs=pairs))
    if result.settings and all(pair.loss is None for pair in result.pairs):
        sentences.append(say("Topic confusion was not measured: it needs the setting 0,0."))
    return join(" ", sentences)


# The others are named by their topics.
_TITLES = {
    ProblemKind.OUT_OF_SCOPE: say("Out-of-scope questions"),
    ProblemKind.CONTRADICTIONS: say("Contradictory examples"),
    ProblemKind.SUSPECTS: say("Examples in the wrong topic"),
    ProblemKind.TOO_SMALL: say("Topics with too few examples"),
    ProblemKind.NO_ANSWER: say("Topics without an answer"),
    ProblemKind.OUTLIERS: say("Examples that fit no topic"),
}


def problem_title(problem: Problem) -> str:
    """Name a problem in a few words."""
    title = _TITLES.get(problem.kind)
    return title or join_and(problem.topics)


def cost_sentence(problem: Problem) -> str:
    """Say how many messages a problem costs."""
    cost, low, high = problem.cost, problem.low, problem.high
    if problem.measured is None:
        return say("It affects about {cost:.0f} in 1,000 messages.", cost=cost)
    return say(
        "It affects about {cost:.0f} in 1,000 messages ({low:.0f} to {high:.0f}).", cost=cost, low=low, high=high
    )


def example_place(example: ProblemExample, kind: ProblemKind) -> str:
    """Say where in a file an example is, and what it is taken for."""
    return say("row {row}, {place}", row=example.row, place=example_topic(example, kind))


def example_topic(example: ProblemExample, kind: ProblemKind) -> str:
    """Say to which topic an example belongs, and what it is taken for."""
    if example.intent is None and example.guess is None:
        return say("out of scope")
    if example.intent is None:
        return say("out of scope, mistaken for {guess}", guess=example.guess)
    if example.guess is None:
        return say("filed under {intent}", intent=example.intent)
    if kind is ProblemKind.OUT_OF_SCOPE:
        # Its topic was held out of training, so no topic covered it.
        return say("{intent} was not taught; mistaken for {guess}", intent=example.intent, guess=example.guess)
    if kind is ProblemKind.SUSPECTS:
        return say("filed under {intent}, fits {guess} better", intent=example.intent, guess=example.guess)
    return say("filed under {intent}, mistaken for {guess}", intent=example.intent, guess=example.guess)


def pair_of(problem: Problem, result: IntentsResult) -> Pair | None:
    """Return the two topics that a problem is about as they were ranked; None where it is about something else."""
    if problem.kind not in PAIRS:
        return None
    return next((pair for pair in result.pairs if {pair.a, pair.b} == set(problem.topics)), None)
