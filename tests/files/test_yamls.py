"""YAML in which every scalar is text."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import DataError, FileError
from vivavoce.files import yamls
from vivavoce.files.yamls import Value, as_list, as_mapping, dump_yaml, parse_yaml, read_yaml

LOOKALIKES = [
    "yes",
    "no",
    "on",
    "off",
    "9:30",
    "007",
    "0x1F",
    "1e3",
    "2023-06-22",
    "~",
    "null",
    "true",
    "1_000",
    ".nan",
]
texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=30) | st.sampled_from(LOOKALIKES)
values: st.SearchStrategy[Value] = st.recursive(
    texts, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=10
)


@pytest.fixture(params=["fast", "plain"], autouse=True)
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "plain":
        monkeypatch.setattr(yamls, "_LOADER", yaml.BaseLoader)


@pytest.mark.parametrize("written", LOOKALIKES)
def test_every_scalar_is_the_text_that_was_written(written: str) -> None:
    assert parse_yaml(f"a: {written}\nb: [{written}]").value == {"a": written, "b": [written]}


def test_a_value_left_out_is_an_empty_text() -> None:
    assert parse_yaml("a:\nb: x").value == {"a": "", "b": "x"}
    assert parse_yaml("# only a remark").value == {}


def test_the_line_of_every_value_is_known() -> None:
    file = parse_yaml("a:\n  - b: 1\n    c: [x,\n      y]\n\n  - d\n")
    assert [file.line("a"), file.line("a", 0, "b"), file.line("a", 0, "c", 1), file.line("a", 1)] == [1, 2, 4, 6]
    assert file.line("a", 0, "nothing", "here") == 2
    assert file.where("a", 1) == "memory, line 6"


def test_a_mark_is_followed_and_counts_for_what_it_stands_for() -> None:
    assert parse_yaml("a: &x [1, 2]\nb: *x\nc: &y t\nd: *y").value == {
        "a": ["1", "2"],
        "b": ["1", "2"],
        "c": "t",
        "d": "t",
    }


def test_all_keys_given_twice_are_told_at_once() -> None:
    with pytest.raises(DataError) as caught:
        parse_yaml("a: 1\na: {x: 2, x: 3}\n[k]: 1\nb: *gone\n")
    found = [str(fault) for fault in caught.value.faults]
    assert found[:3] == [
        "line 2: duplicate key 'a'",
        "line 2: duplicate key 'x'",
        "line 3: a key must be a plain text",
    ]
    assert "line 4" in found[3]
    assert "gone" in found[3]


@pytest.mark.parametrize(
    "written",
    [
        "a: [1\nb: }",
        "a: 'open",
        "a: 1\n---\nb: 2",
        "a: \x01",
        "[" * 100_000,
        "- " * 5_000 + "a",
        "{a: " * 100 + "1" + "}" * 100,
    ],
    ids=["bracket", "quote", "two documents", "control character", "deep", "deep list", "deep mapping"],
)
def test_what_cannot_be_read_is_refused_with_a_reason(written: str) -> None:
    with pytest.raises(FileError) as caught:
        parse_yaml(written, source="suite.yaml")
    assert str(caught.value).startswith("suite.yaml")
    assert caught.value.remedy


def test_a_small_file_that_grows_without_end_is_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(FileError, match="repeats too much content"):
        parse_yaml("\n".join(lines))


def test_a_list_that_contains_itself_is_refused() -> None:
    with pytest.raises(DataError, match="used before '&x' is defined"):
        parse_yaml("a: &x [1, *x]")


def test_a_file_is_read_with_or_without_a_mark_of_its_encoding(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: \xc3\xa4")
    assert read_yaml(path).value == {"a": "ä"}
    path.write_bytes(b"a: \xe4")
    with pytest.raises(FileError, match="UTF-8"):
        read_yaml(path)
    with pytest.raises(FileError, match="bytes"):
        read_yaml(path, max_bytes=2)
    with pytest.raises(FileError, match="cannot be read"):
        read_yaml(tmp_path / "none.yaml")


@given(values)
def test_what_is_written_is_read_back_unchanged(value: Value) -> None:
    expected = {} if value is None else value
    assert parse_yaml(dump_yaml(expected)).value == expected


@pytest.mark.parametrize("written", LOOKALIKES)
def test_another_loader_too_reads_texts_as_texts(written: str) -> None:
    assert yaml.safe_load(dump_yaml({"a": written})) == {"a": written}


def test_one_value_counts_as_a_list_of_one() -> None:
    assert (as_list(None), as_list("a"), as_list(["a"])) == ([], ["a"], ["a"])
    assert (as_mapping(None), as_mapping("a"), as_mapping({"a": "b"})) == ({}, {}, {"a": "b"})
