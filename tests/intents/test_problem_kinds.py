"""Problems of single topics, three topics that are confused, and what people decided about problems before."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vivavoce.classifiers.lexical import tfidf
from vivavoce.intents import Decision, Setting, Standing, Verdict, examine_intents, review_problems
from vivavoce.intents.exam import PLAIN
from vivavoce.intents.json_form import intents_result_from_json
from vivavoce.intents.material import Material
from vivavoce.intents.problem_record import Order, Problem, ProblemKind, Remedy, list_open, order_problems
from vivavoce.intents.problem_sentences import attraction_sentence, problem_advice, problem_sentence
from vivavoce.intents.quality import DataQuality, ProblemExample
from vivavoce.intents.result import IntentsResult
from vivavoce.intents.topic_problems import find_topic_problems
from vivavoce.intents.topic_structure import SPLIT_GAP, TextView, find_halves
from vivavoce.records import Dataset, Example
from vivavoce.reports.intents.problem_wording import problem_title

WORDS = {
    "pay": "salary wage money income earnings bonus",
    "leave": "holiday vacation absence days free rest",
    "place": "office parking building entrance floor canteen",
    "apply": "form letter resume upload documents photo",
}
FRAMES = ("what about the {0} and {1}", "{0} or {1}", "tell me of {0} with {1}", "is there any {0} {1} now")


def rows_of(topic: str, name: str | None = None) -> list[tuple[str, str]]:
    words = WORDS[topic].split()
    texts = [frame.format(words[n], words[(n + step) % 6]) for step, frame in enumerate(FRAMES, 1) for n in range(6)]
    return [(text, name or topic) for text in texts]


def everything() -> list[tuple[str, str]]:
    return [row for topic in WORDS for row in rows_of(topic)]


def examine(rows: list[tuple[str, str]], answers: dict[str, str] | None = None, **options: object) -> IntentsResult:
    examples = tuple(Example(text, topic, answer=(answers or {}).get(topic)) for text, topic in rows)
    settings = {"settings": [PLAIN], "threshold": 0.0, "workers": 1, **options}
    return examine_intents(Dataset(examples, "test"), tfidf(), **settings)  # type: ignore[arg-type]


def only(result: IntentsResult, kind: ProblemKind) -> Problem:
    (problem,) = (problem for problem in result.problems if problem.kind is kind)
    return problem


# --- three topics --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cluster() -> IntentsResult:
    """One topic under three names, turn by turn."""
    names = ("pay", "wages", "reward")
    mixed = [(text, names[n % 3]) for n, (text, _) in enumerate(rows_of("pay") + rows_of("pay"))]
    mixed = [(f"{text} {n}", topic) for n, (text, topic) in enumerate(mixed)]
    return examine([*mixed, *(row for row in everything() if row[1] != "pay")])


def test_three_topics_that_are_confused_with_each_other_are_one_problem(cluster: IntentsResult) -> None:
    problem = only(cluster, ProblemKind.CLUSTER)
    assert set(problem.topics) == {"pay", "wages", "reward"}
    assert not [
        one for one in cluster.problems if one.kind is ProblemKind.PAIR and set(one.topics) < set(problem.topics)
    ]
    assert problem.low <= problem.cost <= problem.high <= 850
    assert Remedy.KEEP_APART in problem.remedies
    assert all(name in problem_sentence(problem) for name in problem.topics)
    assert "merge them" in problem_advice(problem)


def test_a_cluster_keeps_the_pairs_that_explain_it(cluster: IntentsResult) -> None:
    topics = set(only(cluster, ProblemKind.CLUSTER).topics)
    assert sum({pair.a, pair.b} <= topics for pair in cluster.pairs) == 3


# --- single topics -------------------------------------------------------------------------------------------


def build_vectors(*centres: int, size: int = 12, noise: float = 0.1) -> np.ndarray:
    """Return unit vectors around some axes, so many for each."""
    rng = np.random.default_rng(1)
    rows = np.eye(8)[np.repeat(centres, size)] + rng.normal(scale=noise, size=(len(centres) * size, 8))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def build_material(*topics: str, size: int = 12) -> Material:
    texts = [f"{topic} {n} {place}" for place, topic in enumerate(topics) for n in range(size)]
    return Material.of(Dataset.of(texts, [topic for topic in topics for _ in range(size)]), leak_proof=False)


def test_a_topic_that_holds_two_looks_like_two_and_its_smaller_half_is_named() -> None:
    # The topic "mixed" lies around two axes, and each has another topic near it.
    material = build_material("mixed", "mixed", "first", "second")
    vectors = build_vectors(0, 1, 0, 1)
    (halves,) = find_halves(vectors, material)
    assert halves.topic == "mixed"
    assert halves.places in (tuple(range(12)), tuple(range(12, 24)))
    assert halves.gap >= SPLIT_GAP


def test_topics_of_one_piece_do_not_look_like_two() -> None:
    assert list(find_halves(build_vectors(0, 0, 1, 2), build_material("one", "one", "first", "second"))) == []


def test_the_smaller_half_of_a_topic_costs_what_its_messages_do() -> None:
    half = tuple(ProblemExample(f"text {n}", n, "mixed") for n in range(3))
    main = examine(everything()).settings[0]
    (problem,) = find_topic_problems(main, DataQuality(halves=(half,)), weigh=lambda examples: 10 * examples)
    assert (problem.kind, problem.topics, problem.cost) == (ProblemKind.TO_SPLIT, ("mixed",), 30)
    assert problem.rows == (0, 1, 2)
    assert problem.remedies[0] is Remedy.SPLIT


def test_topics_that_hold_one_thing_do_not_look_like_two() -> None:
    assert not [one for one in examine(everything()).problems if one.kind is ProblemKind.TO_SPLIT]


def test_topics_with_few_examples_are_one_problem_as_far_as_their_questions_get_no_right_answer() -> None:
    few = [
        ("quokka habitat", "zoo"),
        ("giraffe feeding", "zoo"),
        ("violin lesson", "music"),
        ("trumpet noise", "music"),
    ]
    problem = only(examine([*everything(), *few]), ProblemKind.TOO_SMALL)
    assert set(problem.topics) == {"zoo", "music"}
    assert problem.evidence == 4
    assert "2 topics have too few examples" in problem_sentence(problem)


def test_topics_without_an_answer_are_a_problem_where_most_have_one() -> None:
    answers = dict.fromkeys(("pay", "leave", "place"), "Yes.")
    problem = only(
        examine(everything(), {name: f"{text} {name}" for name, text in answers.items()}), ProblemKind.NO_ANSWER
    )
    assert problem.topics == ("apply",)
    assert not [one for one in examine(everything()).problems if one.kind is ProblemKind.NO_ANSWER]


def test_examples_that_are_like_no_topic_are_found_and_others_are_not() -> None:
    odd = [("zzz qqq", "pay"), ("xkcd vvv", "leave"), ("hjkl bnm", "place")]
    result = examine([*everything(), *odd])
    problem = only(result, ProblemKind.OUTLIERS)
    assert {example.text for example in problem.examples} == {text for text, _ in odd}
    assert Remedy.MARK_OUT_OF_SCOPE in problem.remedies


def test_texts_without_examples_of_a_topic_can_be_judged() -> None:
    data = Dataset.of(["a b", "a c", "d e", "d f"], ["x", "x", "y", "y"])
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(4, 8)).astype(np.float32)
    assert TextView.of(vectors, Material.of(data)).halves == ()


# --- what draws out-of-scope questions -----------------------------------------------------------------------


def test_the_topic_that_answers_the_questions_of_a_topic_that_is_not_taught_is_named_first() -> None:
    rows = everything()
    pay = [row for row in rows if row[1] == "pay"]
    lent = {text for text, _ in pay[::4]}
    taken = [(text, "bonus" if text in lent else topic) for text, topic in rows]
    result = examine(taken, settings=[Setting(0, 0.0), Setting(0, 0.05)])
    attracted = only(result, ProblemKind.OUT_OF_SCOPE).attracted
    assert (attracted[0].topic, attracted[0].origin) == ("pay", "bonus")
    assert 0 < attracted[0].answered <= attracted[0].asked
    assert "questions about 'bonus', which was not taught" in attraction_sentence(attracted[0])
    assert "out-of-scope questions" in attraction_sentence(replace(attracted[0], origin=None))


# --- asides and decisions ------------------------------------------------------------------------------------


def test_topics_with_one_answer_are_no_problem_and_are_kept_aside() -> None:
    rows = [(text, "wages" if topic == "pay" and n % 2 else topic) for n, (text, topic) in enumerate(everything())]
    same = examine(rows, {"pay": "Monthly.", "wages": "Monthly.", "leave": "30 days."})
    assert {frozenset(one.topics) for one in same.asides if one.standing is Standing.SAME_ANSWER} == {
        frozenset(("pay", "wages"))
    }
    assert not [one for one in same.problems if one.kind is ProblemKind.PAIR]


def test_asides_and_new_fields_survive_the_json_form(cluster: IntentsResult) -> None:
    content = cluster.to_json()
    assert intents_result_from_json(content).problems == cluster.problems
    assert intents_result_from_json(content).asides == cluster.asides
    older = {key: value for key, value in content.items() if key != "asides"}
    for problem in older["problems"]:
        problem.pop("standing"), problem.pop("attracted")
    assert intents_result_from_json(older).problems == tuple(replace(one, attracted=()) for one in cluster.problems)


def build(cost: float, low: float, high: float, topics: tuple[str, ...] = ("a", "b"), evidence: int = 4) -> Problem:
    return Problem(ProblemKind.PAIR, topics, cost, low, high, evidence=evidence, remedies=())


def test_what_is_kept_apart_stays_so_until_it_surely_costs_more() -> None:
    kept = Decision(Verdict.KEEP_APART, ProblemKind.PAIR, ("b", "a"), high=10)
    (same,) = review_problems([build(12, 9, 15)], [kept])
    assert same.standing is Standing.KEPT_APART
    assert list_open([same]) == ()
    (worse,) = review_problems([build(20, 11, 30)], [kept])
    assert worse.standing is Standing.CAME_BACK
    assert list_open([worse]) == (worse,)


def test_what_was_solved_and_is_a_problem_again_came_back() -> None:
    (back,) = review_problems([build(5, 2, 9)], [Decision(Verdict.SOLVED, ProblemKind.PAIR, ("a", "b"), high=50)])
    assert back.standing is Standing.CAME_BACK
    (other,) = review_problems([build(5, 2, 9)], [Decision(Verdict.SOLVED, ProblemKind.TWIN_NAMES, ("a", "b"))])
    assert other.standing is Standing.OPEN


def test_the_last_decision_counts() -> None:
    decisions = [
        Decision(Verdict.SOLVED, ProblemKind.PAIR, ("a", "b")),
        Decision(Verdict.KEEP_APART, ProblemKind.PAIR, ("a", "b"), 99),
    ]
    assert review_problems([build(5, 2, 9)], decisions)[0].standing is Standing.KEPT_APART


def test_little_work_for_much_gain_comes_first_by_minutes_and_not_by_cost() -> None:
    long, short = build(30, 20, 40, ("a", "b"), evidence=200), build(20, 10, 30, ("c", "d"), evidence=4)
    assert order_problems([short, long]) == (long, short)
    assert order_problems([long, short], Order.GAIN_PER_MINUTE) == (short, long)
    assert long.gain_per_minute == pytest.approx(long.cost / long.minutes)


def test_every_kind_has_a_title_a_sentence_an_advice_and_a_time() -> None:
    for kind in ProblemKind:
        problem = Problem(kind, ("a", "b"), 5, 2, 9, evidence=3, remedies=())
        assert problem_title(problem)
        assert problem_sentence(problem).strip()
        assert problem_advice(problem).strip()
        assert problem.minutes > 0
