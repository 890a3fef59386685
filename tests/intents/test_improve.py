"""The costliest problems get remedies, and each remedy a forecast."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from vivavoce import demo
from vivavoce.intents.improve import Proposal, are_one_topic, list_remedies, order_remedies, propose_improvements
from vivavoce.intents.problems import Problem, ProblemKind, Remedy
from vivavoce.intents.quality import ProblemExample
from vivavoce.intents.selftest import cut_topics
from vivavoce.intents.whatif import Effect, Forecast, MarkOutOfScope, MergeTopics, MoveExamples, SplitTopic
from vivavoce.records import Dataset

pytestmark = pytest.mark.slow
DATA = Dataset.of(["a 1", "a 2", "a 3", "b 1", "b 2"], ["a", "a", "a", "b", "b"])


def build_problem(kind: ProblemKind, *remedies: Remedy, **more: object) -> Problem:
    given = {"rows": (1, 3), "examples": (), **more}
    return Problem(kind, ("b", "a"), 5, 2, 9, evidence=2, remedies=remedies, **given)  # type: ignore[arg-type]


def test_examples_of_a_pair_go_to_the_other_topic_and_the_smaller_topic_to_the_larger() -> None:
    problem = build_problem(ProblemKind.PAIR, Remedy.MOVE, Remedy.ADD_EXAMPLES, Remedy.MERGE)
    first, second, both, merge = list_remedies(problem, DATA)
    moves = {MoveExamples((3,), "a"), MoveExamples((1,), "b")}
    assert {*first, *second} == set(both) == moves
    assert both == (*first, *second)
    assert merge == (MergeTopics("b", "a"),)
    apart = build_problem(ProblemKind.PAIR, Remedy.MOVE)
    assert not any(isinstance(edit, MergeTopics) for edits in list_remedies(apart, DATA) for edit in edits)


def test_the_examples_that_stand_apart_from_their_topic_are_moved_first() -> None:
    pay = ["What is the salary?", "How much is the pay?", "Is the salary paid monthly?"]
    leave = ["How many days of holiday?", "When may I take my holiday?", "How long is the holiday?"]
    lost = ["What salary would I get?", "How is the pay here?"]
    for topics in (("pay", "leave"), ("leave", "pay")):
        texts = {"pay": [*pay], "leave": [*leave, *lost]}
        rows = [(text, topic) for topic in topics for text in texts[topic]]
        data = Dataset.of([text for text, _ in rows], [topic for _, topic in rows])
        moved = tuple(place for place, (text, _) in enumerate(rows) if text in lost)
        other = next(place for place, (text, _) in enumerate(rows) if text == pay[1])
        problem = Problem(ProblemKind.PAIR, topics, 5, 2, 9, 3, (Remedy.MOVE,), rows=(*moved, other))
        assert next(list_remedies(problem, data)) == (MoveExamples(moved, "pay"),)


def test_suspects_go_where_they_probably_belong() -> None:
    examples = (ProblemExample("a 1", 0, "a", "b"), ProblemExample("a 2", 1, "a", "b"))
    problem = build_problem(ProblemKind.SUSPECTS, Remedy.MOVE, examples=examples)
    assert list(list_remedies(problem, DATA)) == [(MoveExamples((0, 1), "b"),)]


def test_a_topic_that_looks_like_two_is_split_and_examples_of_no_topic_go_out_of_scope() -> None:
    split = Problem(ProblemKind.TO_SPLIT, ("a",), 5, 2, 9, evidence=1, remedies=(Remedy.SPLIT,), rows=(2,))
    assert list(list_remedies(split, DATA)) == [(SplitTopic("a", (2,), "a (2)"),)]
    outliers = build_problem(ProblemKind.OUTLIERS, Remedy.MARK_OUT_OF_SCOPE)
    assert list(list_remedies(outliers, DATA)) == [(MarkOutOfScope((1, 3)),)]


def test_a_text_in_several_topics_goes_to_the_one_that_has_it_most_often() -> None:
    data = Dataset.of(["where is it", "where is it?", "Where is it", "b 1"], ["a", "a", "b", "b"])
    problem = build_problem(ProblemKind.CONTRADICTIONS, Remedy.MOVE, rows=(0, 1, 2))
    assert list(list_remedies(problem, data)) == [(MoveExamples((2,), "a"),)]


def fake_forecast(edit: object, low: float, later: float | None = None) -> Forecast:
    effect = Effect(low + 0.01, low, low + 0.02, 0.5, 0.5, 10)
    judged = None if later is None else Effect(later, later, later, 0.5, 0.5, 10)
    values = dict.fromkeys(Forecast.__dataclass_fields__, None)
    return Forecast(**{**values, "edits": (edit,), "effects": {"accuracy": effect}, "by_later_topics": judged})  # type: ignore[arg-type]


def test_two_topics_are_merged_only_where_they_overlap_like_one() -> None:
    merge, move = fake_forecast(MergeTopics("b", "a"), 0.05), fake_forecast(MoveExamples((1,), "b"), 0.01)
    assert order_remedies([move, merge], one_topic=True) == (merge, move)
    assert order_remedies([merge, move]) == (move, merge)


def test_moves_stay_in_their_order_unless_one_surely_harms() -> None:
    first, second = fake_forecast(MoveExamples((1,), "b"), -0.015), fake_forecast(MoveExamples((2,), "a"), 0.01)
    assert order_remedies([first, second]) == (first, second)
    harmful = fake_forecast(MoveExamples((1,), "b"), -0.5)
    assert order_remedies([harmful, second]) == (second, harmful)


def test_topics_are_one_where_they_overlap_like_one_cut_in_two() -> None:
    pairs = [SimpleNamespace(a="a", b="b", overlap=0.95), SimpleNamespace(a="b", b="c", overlap=0.7)]
    assert are_one_topic(("a", "b", "c"), pairs)  # type: ignore[arg-type]
    assert not are_one_topic(("b", "c"), pairs)  # type: ignore[arg-type]
    assert not are_one_topic(("a",), pairs)  # type: ignore[arg-type]


def test_a_split_is_judged_by_those_who_need_the_new_answer() -> None:
    split = fake_forecast(SplitTopic("a", (2,), "a (2)"), -0.02, later=0.03)
    problem = Problem(ProblemKind.TO_SPLIT, ("a",), 5, 2, 9, evidence=1, remedies=(Remedy.SPLIT,), rows=(2,))
    assert Proposal(problem, (split,)).best is split


def test_what_only_people_can_mend_has_no_forecast() -> None:
    assert not list(list_remedies(build_problem(ProblemKind.WEAKEST_TOPIC, Remedy.ADD_EXAMPLES), DATA))


def test_a_topic_that_was_cut_in_two_is_merged_again() -> None:
    shipped = demo.load("recruiting-en")
    # Without answers: two topics with the same answer are no problem.
    data, halves = cut_topics(Dataset.of(shipped.texts, shipped.intents), np.random.default_rng(5))
    result = propose_improvements(data, "linear", most=4, rounds=3)
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
