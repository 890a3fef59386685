"""Each problem in one sentence, with the numbers of its record, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.intents.problem_record import Attraction, Problem, ProblemKind, Remedy
from vivavoce.messages import join, join_and, say, say_count
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
        case ProblemKind.CLUSTER:
            return say(
                "{topics} are confused with each other: {evidence:,} examples are mistaken for another of them, or "
                "left undecided.",
                topics=join_and([f"'{name}'" for name in problem.topics]),
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
        case _:
            return _describe_topic_problem(problem)


def _describe_topic_problem(problem: Problem) -> str:
    match problem.kind:
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
        case ProblemKind.TOO_SMALL:
            return say(
                "{topics} too few examples to be learnt: of 100 of their questions, {value:.0f} ({low:.0f} to "
                "{high:.0f}) get a wrong answer or none.",
                topics=say_count(len(problem.topics), "{n} topic has", "{n} topics have"),
                **_write_hundredths(problem.measured),
            )
        case ProblemKind.TO_SPLIT:
            return say(
                "'{topic}' looks like two topics: {evidence:,} of its examples are less like the others than like "
                "another topic.",
                topic=problem.topics[0],
                evidence=problem.evidence,
            )
        case ProblemKind.NO_ANSWER:
            return say(
                "{topics} no answer.", topics=say_count(len(problem.topics), "{n} topic has", "{n} topics have")
            )
        case _:
            return say(
                "{examples} like no topic.",
                examples=say_count(problem.evidence, "{n} example is", "{n} examples are"),
            )


def attraction_sentence(attraction: Attraction, words: Sequence[str] = ()) -> str:
    """Say which topic answers questions that are none of its own, and because of which words."""
    values = {"topic": attraction.topic, "answered": attraction.answered, "asked": attraction.asked}
    if attraction.origin is None:
        sentence = say("'{topic}' answers {answered:,} of {asked:,} out-of-scope questions.", **values)
    else:
        sentence = say(
            "'{topic}' answers {answered:,} of {asked:,} questions about '{origin}', which was not taught.",
            origin=attraction.origin,
            **values,
        )
    if not words:
        return sentence
    because = say("Words that attract them: {words}.", words=join_and([f"“{word}”" for word in words]))
    return join(" ", [sentence, because])


def _write_examples(rate: Rate | None) -> dict[str, float]:
    ends = (rate.value, rate.low, rate.high) if rate else (0.0, 0.0, 0.0)
    return {
        name: (end or 0.0) * (rate.n if rate else 0) for name, end in zip(("value", "low", "high"), ends, strict=True)
    }


def _write_hundredths(rate: Rate | None) -> dict[str, float]:
    value, low, high = (rate.value or 0.0, rate.low, rate.high) if rate else (0.0, 0.0, 0.0)
    ends = {"low": value if low is None else low, "high": value if high is None else high}
    return {"value": 100 * value, **{name: 100 * end for name, end in ends.items()}}


_ADVICE = {
    ProblemKind.WEAKEST_TOPIC: say("Add examples in visitors' own words, and move those that belong elsewhere."),
    ProblemKind.SUSPECTS: say("Read them: move those that are in the wrong topic, and confirm the others."),
    ProblemKind.TOO_SMALL: say("Add examples until each has ten, merge it into a related topic, or drop it."),
    ProblemKind.TO_SPLIT: say("If they need different answers, split the topic."),
    ProblemKind.NO_ANSWER: say("Write an answer, or drop the topic."),
    ProblemKind.OUTLIERS: say(
        "Read them: move them to another topic, mark them as out of scope, or add examples like them."
    ),
}


def problem_advice(problem: Problem) -> str:
    """Say what to do about a problem: what its remedies are, and nothing else."""
    may_merge = Remedy.MERGE in problem.remedies
    merge = [say("If one answer fits both topics, merge them.")] if may_merge else []
    match problem.kind:
        case ProblemKind.PAIR:
            move = say("Move examples that are in the wrong topic, and add examples that tell the two apart.")
            return join(" ", [move, *merge])
        case ProblemKind.CLUSTER:
            move = say("Move examples that are in the wrong topic, and add examples that tell the topics apart.")
            return join(" ", [move, *([say("If one answer fits all of them, merge them.")] if may_merge else [])])
        case ProblemKind.TWIN_NAMES:
            one = say("If they are one topic, merge them; otherwise give them distinct names.")
            return one if may_merge else say("Give them distinct names.")
        case ProblemKind.CONTRADICTIONS:
            return join(" ", [say("For each of these texts, decide which topic it belongs to."), *merge])
        case ProblemKind.OUT_OF_SCOPE:
            add = say("Add out-of-scope questions to the examples, or raise the threshold.")
            names = ", ".join(problem.topics)
            topics = [say("Topics that answer most of them: {names}.", names=names)] if names else []
            return join(" ", [add, *topics])
    return _ADVICE[problem.kind]
