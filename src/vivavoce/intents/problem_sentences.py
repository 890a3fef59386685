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
                "'{a}' and '{b}' are confused: {evidence:,} examples are mistaken for the other "
                "topic, or left undecided between the two.",
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
                "{evidence:,} examples are near-duplicates of an example in another topic: the bot "
                "cannot get all of them right.",
                evidence=problem.evidence,
            )
        case ProblemKind.OUT_OF_SCOPE:
            return say(
                "Of 100 out-of-scope questions, the bot answers {value:.0f} ({low:.0f} to {high:.0f}) although no "
                "topic fits.",
                **_write_hundredths(problem.measured),
            )
        case ProblemKind.WEAKEST_TOPIC:
            return say(
                "'{topic}' is the weakest topic: of 100 of its questions, {value:.0f} ({low:.0f} to {high:.0f}) get "
                "a wrong answer or none.",
                topic=problem.topics[0],
                **_write_hundredths(problem.measured),
            )
        case ProblemKind.SUSPECTS:
            return say(
                "{evidence:,} examples fit another topic far better than their own; about {value:,.0f} "
                "({low:,.0f} to {high:,.0f}) of them are filed under the wrong topic.",
                evidence=problem.evidence,
                **_write_examples(problem.measured),
            )


def _write_examples(rate: Rate | None) -> dict[str, float]:
    ends = (rate.value, rate.low, rate.high) if rate else (0.0, 0.0, 0.0)
    return {
        name: (end or 0.0) * (rate.n if rate else 0) for name, end in zip(("value", "low", "high"), ends, strict=True)
    }


def _write_hundredths(rate: Rate | None) -> dict[str, float]:
    value, low, high = (rate.value or 0.0, rate.low, rate.high) if rate else (0.0, 0.0, 0.0)
    ends = {"low": value if low is None else low, "high": value if high is None else high}
    return {"value": 100 * value, **{name: 100 * end for name, end in ends.items()}}


def problem_advice(problem: Problem) -> str:
    """Say what to do about a problem: what its remedies are, and nothing else."""
    may_merge = Remedy.MERGE in problem.remedies
    merge = [say("If one answer fits both topics, merge them.")] if may_merge else []
    match problem.kind:
        case ProblemKind.PAIR:
            move = say("Move examples that are in the wrong topic, and add examples that tell the two apart.")
            return join(" ", [move, *merge])
        case ProblemKind.TWIN_NAMES:
            one = say("If they are one topic, merge them; otherwise give them distinct names.")
            return one if may_merge else say("Give them distinct names.")
        case ProblemKind.CONTRADICTIONS:
            return join(" ", [say("For each of these texts, decide which topic it belongs to."), *merge])
        case ProblemKind.OUT_OF_SCOPE:
            names = ", ".join(problem.topics)
            topics = [say("Topics that answer most of them: {names}.", names=names)] if names else []
            add = say("Add out-of-scope questions to the examples, or raise the threshold.")
            return join(" ", [add, *topics])
        case ProblemKind.WEAKEST_TOPIC:
            return say("Add examples in visitors' own words, and move those that belong elsewhere.")
        case ProblemKind.SUSPECTS:
            return say("Read them: move those that are in the wrong topic, and confirm the others.")
