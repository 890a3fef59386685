"""Each problem in one sentence, with the numbers of its record."""

from __future__ import annotations

from vivavoce.intents.problems import Problem, ProblemKind
from vivavoce.records import Rate
from vivavoce.sentences import say


def problem_sentence(problem: Problem) -> str:
    """Say what is wrong."""
    match problem.kind:
        case ProblemKind.PAIR:
            a, b = problem.topics
            return say(
                f"'{a}' and '{b}' are mixed up: {problem.evidence:,} examples are taken for the other topic, or left "
                "undecided between the two."
            )
        case ProblemKind.TWIN_NAMES:
            a, b = problem.topics
            return say(f"The names '{a}' and '{b}' differ only in case, spacing, punctuation, plural or spelling.")
        case ProblemKind.CONTRADICTIONS:
            return say(
                f"{problem.evidence:,} examples say nearly the same as an example of another topic: the bot cannot "
                "get all of them right."
            )
        case ProblemKind.OUT_OF_SCOPE:
            return _answered(problem.measured or Rate(0.0, 0.0, 0.0, 0))
        case ProblemKind.WEAKEST_TOPIC:
            return _weakest(problem.topics[0], problem.measured or Rate(0.0, 0.0, 0.0, 0))


def _answered(answered: Rate) -> str:
    value, low, high = _hundredths(answered)
    return say(
        f"Of 100 out-of-scope questions, the bot answers {value:.0f} ({low:.0f} to {high:.0f}) although no topic "
        "fits."
    )


def _weakest(topic: str, missed: Rate) -> str:
    value, low, high = _hundredths(missed)
    return say(
        f"'{topic}' is the weakest topic: of 100 of its questions, {value:.0f} ({low:.0f} to {high:.0f}) get a wrong "
        "answer or none."
    )


def _hundredths(rate: Rate) -> tuple[float, float, float]:
    value = rate.value or 0.0
    low, high = (value if end is None else end for end in (rate.low, rate.high))
    return 100 * value, 100 * low, 100 * high
