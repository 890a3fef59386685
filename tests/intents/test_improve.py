"""The costliest problems get remedies, and each remedy a forecast."""

from __future__ import annotations

import numpy as np
import pytest

from vivavoce import demo
from vivavoce.intents.improve import list_remedies, propose_improvements
from vivavoce.intents.problems import Problem, ProblemKind, Remedy
from vivavoce.intents.quality import ProblemExample
from vivavoce.intents.selftest import cut_topics
from vivavoce.intents.whatif import MergeTopics, MoveExamples
from vivavoce.records import Dataset

pytestmark = pytest.mark.slow
DATA = Dataset.of(["a 1", "a 2", "a 3", "b 1", "b 2"], ["a", "a", "a", "b", "b"])


def build_problem(kind: ProblemKind, *remedies: Remedy, **more: object) -> Problem:
    given = {"rows": (1, 3), "examples": (), **more}
    return Problem(kind, ("b", "a"), 5, 2, 9, evidence=2, remedies=remedies, **given)  # type: ignore[arg-type]


def test_examples_of_a_pair_go_to_the_other_topic_and_the_smaller_topic_to_the_larger() -> None:
    problem = build_problem(ProblemKind.PAIR, Remedy.MOVE, Remedy.ADD_EXAMPLES, Remedy.MERGE)
    assert list(list_remedies(problem, DATA)) == [
        (MoveExamples((3,), "a"), MoveExamples((1,), "b")),
        (MergeTopics("b", "a"),),
    ]
    apart = build_problem(ProblemKind.PAIR, Remedy.MOVE)
    assert not any(isinstance(edit, MergeTopics) for edits in list_remedies(apart, DATA) for edit in edits)


def test_suspects_go_where_they_probably_belong() -> None:
    examples = (ProblemExample("a 1", 0, "a", "b"), ProblemExample("a 2", 1, "a", "b"))
    problem = build_problem(ProblemKind.SUSPECTS, Remedy.MOVE, examples=examples)
    assert list(list_remedies(problem, DATA)) == [(MoveExamples((0, 1), "b"),)]


def test_what_only_people_can_mend_has_no_forecast() -> None:
    assert not list(list_remedies(build_problem(ProblemKind.WEAKEST_TOPIC, Remedy.ADD_EXAMPLES), DATA))


def test_a_topic_that_was_cut_in_two_is_merged_again() -> None:
    shipped = demo.load("recruiting-en")
    # Without answers: two topics with the same answer are no problem.
    data, halves = cut_topics(Dataset.of(shipped.texts, shipped.intents), np.random.default_rng(5))
    result = propose_improvements(data, "tfidf", most=4, rounds=3)
    merges = [
        edit
        for proposal in result.proposals
        for forecast in proposal.forecasts[:1]
        for edit in forecast.edits
        if isinstance(edit, MergeTopics)
    ]
    assert merges
    assert {frozenset((edit.topic, edit.into)) for edit in merges} & halves
    assert result.to_json()["kind"] == "intents-improve"
    sure = [proposal.best for proposal in result.proposals if proposal.best]
    assert all((best.effects["accuracy"].low or 0) > 0 for best in sure)
