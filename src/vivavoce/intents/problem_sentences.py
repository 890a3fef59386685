"""Each problem in one sentence, with the numbers of its record, and what to do about it."""

from __future__ import annotations

from vivavoce.intents.problems import Problem, ProblemKind, Remedy
from vivavoce.messages import join, say
from vivavoce.records import Rate


def problem_sentence(problem: Problem) -> str:
    """Say what is wrong."""
    match problem.kind:
        case ProblemKind.PAIR:
            a, b = problem.topics
            return say(
                "'{a}' and '{b}' are mixed up: {evidence:,} examples are taken for the other topic, or left "
                "undecided between the two.",
                a=a,
                b=b,
                evidence=problem.evidence,
            )
        case ProblemKind.TWIN_NAMES:
            a, b = problem.topics
            return say(
                "The names '{a}' and '{b}' differ only in case, spacing, punctuation, plural or spelling.", a=a, b=b
            )
        case ProblemKind.CONTRADICTIONS:
            return say(
                "{evidence:,} examples say nearly the same as an example of another topic: the bot cannot get all "
                "of them right.",
                evidence=problem.evidence,
            )
        case ProblemKind.OUT_OF_SCOPE:
            return _answered(problem.measured or Rate(0.0, 0.0, 0.0, 0))
        case ProblemKind.WEAKEST_TOPIC:
            return _weakest(problem.topics[0], problem.measured or Rate(0.0, 0.0, 0.0, 0))


def _answered(answered: Rate) -> str:
    value, low, high = _hundredths(answered)
    return say(
        "Of 100 out-of-scope questions, the bot answers {value:.0f} ({low:.0f} to {high:.0f}) although no "
        "topic fits.",
        value=value,
        low=low,
        high=high,
    )


def _weakest(topic: str, missed: Rate) -> str:
    value, low, high = _hundredths(missed)
    return say(
        "'{topic}' is the weakest topic: of 100 of its questions, {value:.0f} ({low:.0f} to {high:.0f}) get "
        "a wrong answer or none.",
        topic=topic,
        value=value,
        low=low,
        high=high,
    )


def _hundredths(rate: Rate) -> tuple[float, float, float]:
    value = rate.value or 0.0
    low, high = (value if end is None else end for end in (rate.low, rate.high))
    return 100 * value, 100 * low, 100 * high


def problem_advice(problem: Problem) -> str:
    """Say what to do about a problem: what its remedies are, and nothing else."""
    may_merge = Remedy.MERGE in problem.remedies
    match problem.kind:
        case ProblemKind.PAIR:
            parts = [
                say("Move the examples that are in the wrong topic, and add examples that tell the two apart."),
                *([say("If one answer fits both topics, merge them.")] if may_merge else []),
            ]
            return join(" ", parts)
        case ProblemKind.TWIN_NAMES if may_merge:
            return say("Merge them if they are one topic; otherwise give them names that tell them apart.")
        case ProblemKind.TWIN_NAMES:
            return say("Give them names that tell them apart.")
        case ProblemKind.CONTRADICTIONS:
            merge = [say("If one answer fits both topics, merge them.")] if may_merge else []
            return join(" ", [say("Decide for each of these texts which topic it belongs to."), *merge])
        case ProblemKind.OUT_OF_SCOPE:
            names = ", ".join(problem.topics)
            parts = [
                say("Add out-of-scope questions to the examples, or raise the threshold."),
                *([say("Topics that answer most of them: {names}.", names=names)] if names else []),
            ]
            return join(" ", parts)
        case ProblemKind.WEAKEST_TOPIC:
            return say("Add examples as visitors write them, and move those that belong elsewhere.")
