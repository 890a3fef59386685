from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import DataError
from vivavoce.files import read_dataset
from vivavoce.intents.check import SEVERITIES, CheckResult, Problem, check
from vivavoce.records import Dataset, Example

pytestmark = pytest.mark.slow

FIVE = ("one", "two", "three", "four", "five")
FILLING = [
    (f"{word} the {topic}", topic) for topic in ("card", "loan") for word in ("show", "block", "find", "lend", "dye")
]


def of(*pairs: tuple[str, str | None], filled: bool = True) -> CheckResult:
    rows = [*pairs, *(FILLING if filled else [])]
    return check(Dataset.of([text for text, _ in rows], [intent for _, intent in rows]))


def only(result: CheckResult, kind: str) -> Problem:
    assert set(result.counts) == {kind}, result.problems
    return result.problems[0]


def test_good_data_have_no_problems() -> None:
    assert of().problems == ()


def test_the_same_text_under_two_topics_is_a_contradiction() -> None:
    problem = only(of(("Cancel it!", "card"), ("cancel it", "loan")), "contradiction")
    assert (problem.severity, problem.rows, problem.intents) == ("error", (0, 1), ("card", "loan"))
    assert problem.texts == ("Cancel it!", "cancel it")
    assert "'card' and 'loan'" in problem.message


def test_a_negative_that_is_an_example_elsewhere_is_a_contradiction() -> None:
    problem = only(of(("cancel it", None), ("cancel it", "loan")), "contradiction")
    assert "out of scope and 'loan'" in problem.message


def test_nearly_the_same_text_under_two_topics_comes_after_the_exact_ones() -> None:
    result = of(("my paymnet failed", "card"), ("my payment failed", "loan"), ("stop", "card"), ("Stop.", "loan"))
    assert [problem.severity for problem in result.problems] == ["error", "warning"]
    assert result.counts == {"contradiction": 2}


def test_one_contradiction_is_not_told_twice() -> None:
    result = of(("my payment failed", "card"), ("my payment failed", "loan"), ("my paymnet failed", "card"))
    assert result.counts == {"contradiction": 1, "near_duplicate": 1}


def test_repeats_under_one_topic_are_duplicates() -> None:
    problem = only(of(("cancel it", "card"), ("CANCEL it?", "card")), "duplicate")
    assert (problem.rows, problem.severity) == ((0, 1), "info")


def test_typing_mistakes_under_one_topic_are_near_duplicates() -> None:
    assert only(of(("my paymnet failed", "card"), ("my payment failed", "card")), "near_duplicate").rows == (
        0,
        1,
    )


def test_small_topics_are_told_by_size() -> None:
    assert only(of(("cancel it", "fees")), "singleton").rows == (0,)
    assert only(of(("cancel it", "fees"), ("how much", "fees")), "tiny").intents == ("fees",)


def test_a_topic_far_larger_than_the_others_is_told() -> None:
    many = [(f"number {n} please", "numbers") for n in range(60)]
    problem = only(of(*many), "imbalance")
    assert problem.intents == ("numbers",)


def test_one_topic_or_none_is_no_training_data() -> None:
    assert of(("a b", "x"), filled=False).problems[0].kind == "one_class"
    assert of(("a b", None), filled=False).problems[0].kind == "one_class"
    assert of(filled=False).problems[0].kind == "one_class"


def test_singletons_everywhere_are_one_problem() -> None:
    assert only(of(("cancel it", "a"), ("how much", "b"), filled=False), "all_singletons").severity == "error"


@pytest.mark.parametrize("text", ["?", "a", "7", "!!!", "👍", "❤️ 👍🏽", "...", "\u200b"])
def test_texts_that_say_nothing_are_told(text: str) -> None:
    assert "short_text" in of((text, "card")).counts


@pytest.mark.parametrize("text", ["ok", "是", "42", "¿qué?", "'s up", "(hm)", "1 2"])
def test_short_texts_that_say_something_are_left_alone(text: str) -> None:
    assert "short_text" not in of((text, "card")).counts


def test_very_long_texts_are_told() -> None:
    assert only(of(("word " * 250, "card")), "very_long_text").rows == (0,)
    assert "very_long_text" not in of(("w" * 1000, "card")).counts


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("CafÃ© gesucht", "Café gesucht"),
        ("SchÃ¶ne GrÃ¼ÃŸe", "Schöne Grüße"),
        ("donâ€™t know", "don’t know"),
        ("what \ufffd now", "damaged"),
        ("bell \x07 rings", "damaged or invisible characters"),
        ("half \ud800 sign", "damaged"),
        ("c1 \x85 control", "damaged"),
    ],
)
def test_damaged_characters_are_told_with_a_repair_if_there_is_one(text: str, hint: str) -> None:
    problem = only(of((text, "card")), "encoding")
    assert hint in problem.message


@pytest.mark.parametrize("text", ["NÃO PODE SER", "ÂGE MINIMUM", "Grüße aus Köln", "ÐÐÐ no", "two\nlines\there"])
def test_sound_text_is_not_called_damaged(text: str) -> None:
    assert "encoding" not in of((text, "card")).counts


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Cancel Order", "cancel_order"),
        ("CancelOrder", "cancel-order"),
        ("refund", "refunds"),
        ("delivery", "delivrey"),
    ],
)
def test_names_that_maybe_mean_one_topic_are_told(left: str, right: str) -> None:
    rows = [(f"{word} it {n}", name) for n, name in enumerate((left, right)) for word in FIVE]
    assert only(of(*rows), "similar_names").intents == (left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [("topic_1", "topic_2"), ("time", "timer"), ("bot_games", "bot_name"), ("1.10.a", "11.0.a")],
)
def test_other_names_are_left_alone(left: str, right: str) -> None:
    rows = [(f"{word} it {n}", name) for n, name in enumerate((left, right)) for word in FIVE]
    assert "similar_names" not in of(*rows).counts


def test_another_script_is_a_hint_unless_languages_are_named() -> None:
    result = of(("отменить платёж", "card"), ("取消订单", "card"), ("🙂 123", "card"))
    assert {problem.rows for problem in result.problems if problem.kind == "language_mix"} == {(0,), (1,)}
    data = Dataset.of(["отменить платёж", "cancel it"], ["a", "b"])
    named = replace(data, examples=tuple(replace(example, language="xx") for example in data))
    assert "language_mix" not in check(named).counts


def test_dates_are_told_that_cannot_be_or_be_read(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    rows = "".join(f"{text},{intent},2024-01-31\n" for text, intent in FILLING)
    path.write_text(f"text,intent,created\nstop,card,soon\ngo on,card,2030-01-01\n{rows}", encoding="utf-8")
    data = read_dataset(path)
    result = check(data, now=datetime(2025, 1, 1, tzinfo=UTC))
    assert [(problem.kind, problem.rows) for problem in result.problems] == [
        ("unreadable_date", (2,)),
        ("future_date", (3,)),
    ]
    assert "future_date" not in check(data).counts


def test_rows_are_those_of_the_file() -> None:
    examples = tuple(Example(text, intent, row=row) for row, (text, intent) in enumerate([*FILLING, FILLING[0]], 2))
    assert only(check(Dataset(examples)), "duplicate").rows == (2, 12)


def test_the_json_form_is_the_promised_one() -> None:
    result = of(("cancel it", "card"), ("cancel it", "loan"), ("what now", None))
    content = json.loads(json.dumps(result.to_json()))
    assert {"vivavoce", "kind", "definitions", "seed", "data", "problems", "sizes"} <= set(content)
    assert content["data"]["rows"] == len(FILLING) + 3
    assert set(content["problems"][0]) == {"kind", "rows", "texts", "intents", "message", "severity"}
    assert content["sizes"] == {"card": 6, "loan": 6}
    assert content["out_of_scope"] == 1


@given(
    st.lists(
        st.tuples(st.text(max_size=8).filter(str.strip), st.sampled_from(["card", "Card", "fees", None])),
        max_size=15,
    )
)
def test_any_data_are_checked_and_sorted_by_severity_then_row(pairs: list[tuple[str, str | None]]) -> None:
    result = of(*pairs, filled=False)
    order = [(SEVERITIES.index(problem.severity), min(problem.rows, default=-1)) for problem in result.problems]
    assert order == sorted(order)
    assert sum(result.counts.values()) == len(result.problems)
    assert all(problem.message.endswith((".", "?", '".')) for problem in result.problems)


def test_rows_that_were_left_out_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text('text,intent\nhi,greet\n" "," "\nbye,\nwell, then,part\nwho,oos\n')
    result = check(read_dataset(path, skip_bad=True))
    assert (result.rows, result.excluded, result.out_of_scope) == (2, 3, 1)
    assert result.to_json()["excluded"] == 3
    assert of().excluded == 0


# --- public data -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def public(shared: Path) -> dict[str, tuple[int, CheckResult]]:
    """Return the number of examples of each public data set, and what was found in it."""
    paths = [path for path in sorted((shared / "data" / "intents").glob("*.csv")) if "domains" not in path.name]
    sets = {path.name: read_dataset(path) for path in paths}
    return {name: (len(data), check(data)) for name, data in sets.items()}


@pytest.mark.shared
def test_every_public_data_set_is_read_and_checked(public: dict[str, tuple[int, CheckResult]]) -> None:
    assert len(public) > 20
    for name, (size, result) in public.items():
        assert "encoding" not in result.counts, name
        assert result.rows == size


@pytest.mark.shared
def test_a_table_without_texts_is_refused(shared: Path) -> None:
    with pytest.raises(DataError, match="no column for the text"):
        read_dataset(shared / "data" / "intents" / "clinc150_domains.csv")


@pytest.mark.shared
def test_known_contradictions_of_public_data_are_found(public: dict[str, tuple[int, CheckResult]]) -> None:
    _, result = public["clinc150_full.csv"]
    errors = [problem.texts[0] for problem in result.problems if problem.severity == "error"]
    assert len(errors) >= 4
    assert "what is on my to do list" in errors


@pytest.mark.parametrize(
    ("topics", "answers", "merge"),
    [
        (("pay", "wages"), (None, None), True),
        (("pay", "wages"), ("Monthly.", "Yearly."), False),
        (("vocative_yes", "vocative_no"), (None, None), False),
        (("pay", None), (None, None), False),
    ],
)
def test_topics_are_to_be_merged_only_where_one_can_stand_for_both(
    topics: tuple[str, str | None], answers: tuple[str | None, str | None], merge: bool
) -> None:
    both = [Example("so it is", topic, answer=answer) for topic, answer in zip(topics, answers, strict=True)]
    others = [Example(f"another text about {n}", "place") for n in range(6)]
    found = check(Dataset((*both, *others), "test"))
    (problem,) = [one for one in found.problems if one.kind == "contradiction"]
    assert ("merge" in problem.message) is merge
