from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vivavoce.errors import DataError, FileError
from vivavoce.files import read_dataset
from vivavoce.records import Dataset

visible = st.text(max_size=15).filter(lambda text: text.strip() == text != "").map("x{}".format)
same_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
PAIRS = [("hi", "greet"), ("bye", "part"), ("hello", "greet")]


def read(folder: Path, content: object, name: str = "data.json") -> Dataset:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return read_dataset(path)


def refusal(folder: Path, content: object, name: str = "data.json") -> FileError | DataError:
    with pytest.raises((FileError, DataError)) as caught:
        read(folder, content, name)
    return caught.value


def test_all_three_shapes_mean_the_same(tmp_path: Path) -> None:
    items = [{"text": text, "intent": intent} for text, intent in PAIRS]
    shapes = [items, {"examples": items}, {"greet": ["hi", "hello"], "part": ["bye"]}]
    for shape in shapes:
        data = read(tmp_path, shape)
        assert sorted(zip(data.texts, data.intents, strict=True)) == sorted(PAIRS)


def test_an_intent_may_be_called_examples(tmp_path: Path) -> None:
    assert read(tmp_path, {"examples": ["show me one"], "greet": ["hi"]}).intents == ("examples", "greet")


@same_folder
@given(st.lists(st.tuples(visible, visible), min_size=1, max_size=5))
def test_json_lines_are_read_back(tmp_path: Path, pairs: list[tuple[str, str]]) -> None:
    lines = [json.dumps({"text": text, "intent": intent}) for text, intent in pairs]
    data = read(tmp_path, "\n".join(lines), "data.jsonl")
    assert list(data.texts) == [text for text, _ in pairs]
    assert [example.row for example in data] == list(range(1, len(pairs) + 1))


def test_every_scalar_is_read_as_text(tmp_path: Path) -> None:
    data = read(tmp_path, [{"text": 42, "intent": 1}, {"text": True, "intent": 2.0}, {"text": 1.5, "intent": 3}])
    assert data.texts == ("42", "true", "1.5")
    assert data.intents == ("1", "2", "3")


def test_intents_of_mixed_types_are_refused_with_the_items_of_each(tmp_path: Path) -> None:
    error = refusal(tmp_path, [{"text": "a", "intent": 1}, {"text": "b", "intent": "1"}, {"text": "c", "intent": 1}])
    assert "number in items 1, 3; text in items 2" in error.faults[0].message


def test_missing_and_wrong_values_are_all_named(tmp_path: Path) -> None:
    error = refusal(
        tmp_path,
        '[{"text": "a"}, {"intent": "x"}, {"text": "b", "intent": NaN}, {"text": ["c"], "intent": "x"}, "d"]',
    )
    places = [fault.where.rpartition("item ")[2] for fault in error.faults]
    assert places == ["1", "2", "3", "4", "5"]


def test_bad_lines_are_all_named(tmp_path: Path) -> None:
    error = refusal(tmp_path, '{"text": "a", "intent": "x"}\n{"text": \n\n[1]\n', "data.jsonl")
    assert [fault.where.rpartition("line ")[2] for fault in error.faults] == ["2", "4"]


def test_nothing_but_bad_lines_are_to_be_corrected_not_added_to(tmp_path: Path) -> None:
    assert refusal(tmp_path, '{"text": \n', "data.jsonl").remedy == "fix the faults above"


@pytest.mark.parametrize("name", ["data.json", "data.jsonl"])
def test_a_string_that_never_ends_is_told_in_whole_words(tmp_path: Path, name: str) -> None:
    told = str(refusal(tmp_path, '{"text": "a', name))
    assert "Unterminated string starting" in told
    assert "at at" not in told
    assert "at in" not in told


def mixed(folder: Path, *more: object, skip_bad: bool) -> DataError:
    path = folder / "data.json"
    path.write_text(json.dumps([{"text": "a", "intent": 1}, {"text": "b", "intent": "x"}, *more]))
    with pytest.raises(DataError) as caught:
        read_dataset(path, skip_bad=skip_bad)
    return caught.value


def test_leaving_out_rows_is_no_advice_to_those_who_do_it_already(tmp_path: Path) -> None:
    error = mixed(tmp_path, {"text": "", "intent": "x"}, skip_bad=True)
    assert error.what == "the intents invalid"
    assert len(error.faults) == 1
    assert "skip-bad" not in str(error)


def test_what_cannot_be_used_agrees_with_the_faults_listed(tmp_path: Path) -> None:
    assert mixed(tmp_path, skip_bad=False).what == "the intents invalid"
    error = mixed(tmp_path, {"text": "", "intent": "x"}, skip_bad=False)
    assert error.what == "the intents and 1 item invalid"
    assert len(error.faults) == 2
    assert error.remedy.startswith("fix the intents")


def test_types_of_rows_that_are_left_out_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    path.write_text('[{"text": "a", "intent": 1}, {"text": "", "intent": "x"}]')
    assert read_dataset(path, skip_bad=True).intents == ("1",)


def test_an_intent_without_examples_is_noted(tmp_path: Path) -> None:
    assert "'part' has no example" in read(tmp_path, {"greet": ["hi"], "part": []}).notes[0]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"a": ', "line 1, column"),
        ("3", "a number, not examples"),
        ('{"greet": "hi"}', "'greet' contains text, not a list"),
        ("{}", "it is empty"),
        ("[]", "no examples"),
        ('["hi", "bye"]', "no examples"),
        ('{"a": ["x"], "a": ["y"]}', "the key 'a' appears twice"),
        ("[" * 100_000, "nested too deeply"),
        ('[{"text": "a", "intent": ' + "1" * 5000 + "}]", "not valid JSON"),
    ],
)
def test_other_contents_are_refused_with_the_reason(tmp_path: Path, content: str, said: str) -> None:
    error = refusal(tmp_path, content)
    assert said in str(error)
    assert error.remedy


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("list.json", json.dumps([{"text": "hi", "intent": "a"}] * 4)),
        ("topics.json", json.dumps({"a": ["hi", "hello"], "b": ["bye", "so long"]})),
        ("lines.jsonl", '{"text": "hi", "intent": "a"}\n' * 4),
    ],
)
def test_more_items_than_the_limit_are_refused(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert len(read_dataset(path, max_rows=4).examples) == 4
    with pytest.raises(FileError, match="4 rows, the limit is 3"):
        read_dataset(path, max_rows=3)


def test_objects_that_all_have_other_keys_are_refused(tmp_path: Path) -> None:
    items = [{"text": "hi", "intent": "a", f"key {number}": 1} for number in range(1_000)]
    assert "1,002 columns" in refusal(tmp_path, items).what
