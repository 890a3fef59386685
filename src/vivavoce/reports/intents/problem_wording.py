"""What to fix next, in words: the sentence before the list, what a problem costs, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator

from vivavoce.intents.pairs import CLASH_LEVEL, Pair
from vivavoce.intents.problem_sentences import problem_advice, problem_sentence
from vivavoce.intents.problems import MIN_COST, PAIRS, Problem, ProblemKind
from vivavoce.intents.quality import ProblemExample
from vivavoce.intents.result import IntentsResult
from vivavoce.messages import join, join_and, say, say_count

__all__ = [
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
    return join(" ", [_worth(result.problems), *_unknown(result)])


def _worth(problems: tuple[Problem, ...]) -> str:
    if not problems:
        return say(
            "Nothing worth your time: no problem surely costs {min_cost:.0f} of 1,000 messages or more.",
            min_cost=MIN_COST,
        )
    cost = problems[0].cost
    if len(problems) == 1:
        return say("One problem is worth your time: it costs about {cost:.0f} of 1,000 messages.", cost=cost)
    return say(
        "{count:,} problems are worth your time; the first costs about {cost:.0f} of 1,000 messages.",
        count=len(problems),
        cost=cost,
    )


def _unknown(result: IntentsResult) -> Iterator[str]:
    unclear = sum(not one.enough and not one.same_answer and one.overlap >= CLASH_LEVEL for one in result.pairs)
    if unclear:
        pairs = say_count(unclear, "{n} pair", "{n} pairs")
        yield say("Too few examples to tell whether {pairs} of topics that look alike are mixed up.", pairs=pairs)
    if result.settings and all(pair.loss is None for pair in result.pairs):
        yield say("Which topics are mixed up was not measured: that takes the setting 0,0.")


def problem_title(problem: Problem) -> str:
    """Name a problem in a few words."""
    match problem.kind:
        case ProblemKind.PAIR | ProblemKind.TWIN_NAMES:
            a, b = problem.topics
            return join_and((a, b))
        case ProblemKind.WEAKEST_TOPIC:
            return problem.topics[0]
        case ProblemKind.OUT_OF_SCOPE:
            return say("Out-of-scope questions")
        case ProblemKind.CONTRADICTIONS:
            return say("Contradictory examples")


def cost_sentence(problem: Problem) -> str:
    """Say how many messages a problem costs."""
    cost, low, high = problem.cost, problem.low, problem.high
    if problem.measured is None:
        return say("That costs about {cost:.0f} of 1,000 messages.", cost=cost)
    return say(
        "That costs about {cost:.0f} of 1,000 messages ({low:.0f} to {high:.0f}).", cost=cost, low=low, high=high
    )


def example_place(example: ProblemExample) -> str:
    """Say where in a file an example is, and what it is taken for."""
    return say("row {row}, {place}", row=example.row, place=example_topic(example))


def example_topic(example: ProblemExample) -> str:
    """Say to which topic an example belongs, and what it is taken for."""
    if example.intent is None:
        return (
            say("out of scope")
            if example.guess is None
            else say("out of scope, taken for {guess}", guess=example.guess)
        )
    if example.guess is None:
        return say("in topic {intent}", intent=example.intent)
    return say("in topic {intent}, taken for {guess}", intent=example.intent, guess=example.guess)


def pair_of(problem: Problem, result: IntentsResult) -> Pair | None:
    """Return the two topics that a problem is about as they were ranked; None where it is about something else."""
    if problem.kind not in PAIRS:
        return None
    return next((pair for pair in result.pairs if {pair.a, pair.b} == set(problem.topics)), None)
