from __future__ import annotations

import tracemalloc
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vivavoce.errors import DataError, FileError, UsageError
from vivavoce.files import ReadOptions, read_dataset, read_table
from vivavoce.files.columns import SYNONYMS
from vivavoce.files.dates import parse_date, unreadable_date, unreadable_date_rows
from vivavoce.files.exclusions import count_excluded


def put(folder: Path, content: str, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", SYNONYMS["text"])
@pytest.mark.parametrize("label", SYNONYMS["intent"])
def test_usual_names_of_columns_are_understood(tmp_path: Path, name: str, label: str) -> None:
    data = read_dataset(put(tmp_path, f"id,{label.upper()},{name.title()}\n1,greet,hi\n"))
    assert (data.texts, data.intents) == (("hi",), ("greet",))


def test_the_plain_name_goes_before_synonyms(tmp_path: Path) -> None:
    assert read_dataset(put(tmp_path, "question,text,intent\nno,yes,a\n")).texts == ("yes",)


def test_all_columns_arrive(tmp_path: Path) -> None:
    header = "text,intent,Created At,lang,set,reply"
    data = read_dataset(put(tmp_path, f"{header}\n  hi  there , greet ,2024-01-31,en,train,Hello!\nbye,part,,,,\n"))
    first, second = data
    assert (first.text, first.intent, first.language, first.split) == ("hi  there", "greet", "en", "train")
    assert (first.answer, first.created, first.row) == ("Hello!", datetime(2024, 1, 31, tzinfo=UTC), 2)
    assert (second.created, second.language, second.split, second.answer) == (None, None, None, None)


def test_two_columns_that_could_be_the_text_are_refused_unless_one_is_named(tmp_path: Path) -> None:
    path = put(tmp_path, "question,message,intent\na,b,c\n")
    with pytest.raises(DataError, match="'question', 'message'") as caught:
        read_dataset(path)
    assert "--text-column" in caught.value.remedy
    assert read_dataset(path, text_column="MESSAGE").texts == ("b",)


def test_a_missing_column_is_refused_with_the_columns_found(tmp_path: Path) -> None:
    path = put(tmp_path, "text,subject\nhi,a\n")
    with pytest.raises(DataError, match="'text', 'subject'") as caught:
        read_dataset(path)
    assert "--intent-column" in caught.value.remedy
    with pytest.raises(DataError, match="Did you mean 'subject'"):
        read_dataset(path, intent_column="subjcet")
    with pytest.raises(UsageError, match="both text and intent"):
        read_dataset(path, intent_column="text")


def test_two_columns_for_the_date_are_settled_with_a_note(tmp_path: Path) -> None:
    data = read_dataset(put(tmp_path, "text,intent,date,timestamp\nhi,a,2024-01-31,2025-01-31\n"))
    assert data.examples[0].created == datetime(2024, 1, 31, tzinfo=UTC)
    assert "not 'timestamp'" in data.notes[0]


def test_one_split_is_kept(tmp_path: Path) -> None:
    path = put(tmp_path, "text,intent,split\na,x,train\nb,x,test\n,x,other\n")
    assert read_dataset(path, split="test").texts == ("b",)
    with pytest.raises(DataError, match="Did you mean 'train'"):
        read_dataset(path, split="trian")
    with pytest.raises(DataError, match="no column 'split'"):
        read_dataset(put(tmp_path, "text,intent\na,x\n"), split="test")


def test_out_of_scope_rows_have_no_intent(tmp_path: Path) -> None:
    path = put(tmp_path, "text,intent\na,oos\nb,None\nc,x\n")
    assert read_dataset(path, out_of_scope="None").intents == ("oos", None, "x")
    with pytest.raises(DataError, match="'None' is a reserved word"):
        read_dataset(path, out_of_scope="oos")


USUAL_NAMES = (
    *("oos", "OOS", "out_of_scope", "out-of-scope", "Out of scope", "fallback", "nlu_fallback", "None"),
    *("none_of_the_above", "default_fallback", "Default Fallback Intent", "AMAZON.FallbackIntent"),
)


@pytest.mark.parametrize("name", USUAL_NAMES)
def test_usual_names_of_out_of_scope_messages_are_recognised_unless_another_name_is_given(
    tmp_path: Path, name: str
) -> None:
    path = put(tmp_path, f"text,intent\na,{name}\nb,x\nc,other\n")
    data = read_dataset(path)
    assert data.intents == (None, "x", "other")
    assert data.recognised == (name,)
    assert f"'{name}'" in data.remarks[0]
    assert "--out-of-scope -" in data.remarks[0]
    if name != "None":
        assert read_dataset(path, out_of_scope="other").intents == (name, "x", None)
        assert read_dataset(path, out_of_scope=None).intents == (name, "x", "other")


@pytest.mark.parametrize("name", ["scope", "none_available", "fallback_plan", "oosterhout", "auto"])
def test_topics_that_only_sound_like_out_of_scope_stay_topics(tmp_path: Path, name: str) -> None:
    data = read_dataset(put(tmp_path, f"text,intent\na,{name}\nb,x\n"))
    assert data.intents == (name, "x")
    assert not data.remarks


def test_an_out_of_scope_name_that_never_occurs_is_noted(tmp_path: Path) -> None:
    path = put(tmp_path, "text,intent\na,x\n")
    assert not read_dataset(path).notes
    assert "'unknown'" in read_dataset(path, out_of_scope="unknown").notes[0]


@pytest.mark.parametrize("word", ["__Other", "None", "null", "nan", "NaN", "NULL"])
def test_reserved_words_are_refused_by_name_with_a_way_out(tmp_path: Path, word: str) -> None:
    with pytest.raises(DataError) as caught:
        read_dataset(put(tmp_path, f"text,intent\nhi,{word}\n"), out_of_scope="oos")
    message = caught.value.faults[0].message
    assert f"'{word}'" in message
    assert "rename" in message
    assert f"--out-of-scope {word}" in message


def test_all_faults_come_at_once_with_their_rows(tmp_path: Path) -> None:
    path = put(tmp_path, 'text,intent\nhi,a\n"  ",a\nbye,\n\n" "," "\nx,y,z\n')
    with pytest.raises(DataError) as caught:
        read_dataset(path)
    places = [fault.where.rpartition("row ")[2] for fault in caught.value.faults]
    assert places == ["3", "4", "6", "6", "7"]
    assert all(fault.where.startswith(str(path)) for fault in caught.value.faults)
    assert caught.value.what == "4 rows invalid (5 faults)"
    assert "--skip-bad" in caught.value.remedy


def test_bad_rows_can_be_left_out_but_never_silently(tmp_path: Path) -> None:
    path = put(tmp_path, "text,intent\nhi,a\n,a\nbye,\nx,y,z\nlast,null\n")
    data = read_dataset(path, skip_bad=True)
    assert [example.row for example in data] == [2]
    assert [note.split(": skipped: ")[0] for note in data.notes] == [f"{path}, row {row}" for row in (3, 4, 5, 6)]


def test_a_file_of_nothing_but_bad_rows_is_refused_all_the_same(tmp_path: Path) -> None:
    for content, why in (
        ("text,intent\n,a\nhi,\n", "the text is empty"),
        ("text,intent\nx,y,z\nx,y,z\n", "put texts that contain the delimiter in quotes"),
    ):
        with pytest.raises(DataError, match=r"every row was skipped \(2 rows\)") as caught:
            read_dataset(put(tmp_path, content), skip_bad=True)
        assert why in str(caught.value)
        assert "at least one example" not in str(caught.value)
        assert "skip-bad" not in str(caught.value)


def test_rows_left_out_are_counted_once_and_nothing_else_is(tmp_path: Path) -> None:
    quoted = '"x, row 9: left out: y"'
    path = put(tmp_path, f'text,intent,created\nhi,a,{quoted}\n" "," ",\nbye,,\n\nlast,b,\n')
    data = read_dataset(path, skip_bad=True)
    assert len(data.notes) == 5
    assert count_excluded(data.notes) == 2


# --- paths -------------------------------------------------------------------------------------------------


def test_a_missing_file_names_the_nearest(tmp_path: Path) -> None:
    put(tmp_path, "text,intent\n", "questions.csv")
    with pytest.raises(FileError, match=r"Did you mean 'questions\.csv'"):
        read_dataset(tmp_path / "question.csv")
    with pytest.raises(FileError, match=r"folder .* does not exist"):
        read_dataset(tmp_path / "nowhere" / "question.csv")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="a folder, not a file"):
        read_dataset(tmp_path)


def test_a_name_that_no_file_can_have_is_refused() -> None:
    for name in ("a\0b.csv", "x" * 5000 + ".csv"):
        with pytest.raises(FileError, match="cannot be read"):
            read_dataset(name)


def test_an_unknown_suffix_lists_the_known_ones(tmp_path: Path) -> None:
    for name in ("data.parquet", "data", "data.xls"):
        path = put(tmp_path, "text,intent\nhi,a\n", name)
        with pytest.raises(FileError) as caught:
            read_dataset(path)
        assert all(f" {name}" in caught.value.remedy for name in ("csv", "json", "jsonl", "tsv", "xlsx", "rasa"))
        assert read_dataset(path, format="csv").texts == ("hi",)
    with pytest.raises(UsageError, match="csw"):
        read_dataset(path, format="csw")


def test_suffixes_of_the_same_format_are_known(tmp_path: Path) -> None:
    assert read_dataset(put(tmp_path, "text\tintent\nhi\ta\n", "data.TAB")).texts == ("hi",)
    assert read_dataset(put(tmp_path, '{"text": "hi", "intent": "a"}\n', "data.ndjson")).texts == ("hi",)


def test_a_file_over_the_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.csv"
    with path.open("wb") as file:
        file.truncate(3 * 1024**3)  # sparse: it takes no room until it is read
    tracemalloc.start()
    with pytest.raises(FileError, match=r"3,072\.0 MB, the limit is 512\.0 MB") as caught:
        read_dataset(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 * 1024**2
    assert "--max-file-mb 3072" in caught.value.remedy


def test_a_table_can_be_read_without_knowing_its_columns(tmp_path: Path) -> None:
    table = read_table(put(tmp_path, "a,b\n1,2\n"), ReadOptions())
    assert (table.columns, table.rows[0].cells) == (("a", "b"), ("1", "2"))


# --- dates -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "written",
    [
        "2024-01-31",
        "20240131",
        "2024-01-31T00:00:00Z",
        "2024-01-31 01:00+01:00",
        "31.01.2024",
        "31.1.2024 00:00",
        "1706659200",
        1706659200,
        1706659200.0,
        "1706659200000",
    ],
)
def test_dates_are_understood_and_mean_utc(written: object) -> None:
    assert parse_date(written) == datetime(2024, 1, 31, tzinfo=UTC)


@pytest.mark.parametrize(
    "written", ["yesterday", "32.01.2024", "2024-13-01", "2024", "12", "99999999999999", "1/2/24"]
)
def test_other_dates_are_not_guessed(written: str) -> None:
    assert parse_date(written) is None


def test_a_date_that_cannot_be_read_keeps_its_row_and_is_noted(tmp_path: Path) -> None:
    data = read_dataset(put(tmp_path, "text,intent,created\na,x,soon\nb,x,2024-01-31\nc,x,\n"))
    assert [example.created is None for example in data] == [True, False, True]
    assert len(data.notes) == 1
    assert "row 2" in data.notes[0]
    assert "'soon'" in data.notes[0]
    assert unreadable_date_rows(data.notes) == [2]


def test_notes_about_dates_are_found_whatever_the_value() -> None:
    note = unreadable_date("a 3: b.csv", "row", 12, "7: the value\n'x'")
    assert unreadable_date_rows([note, "something else"]) == [12]


def test_thirty_thousand_rows_are_all_read_in_order(tmp_path: Path) -> None:
    rows = "\n".join(f'"how do I, please, change my card number {n}",intent {n % 150}' for n in range(30_000))
    path = put(tmp_path, f"text,intent\n{rows}\n")
    data = read_dataset(path)
    assert [int(text.rsplit(maxsplit=1)[1]) for text in data.texts] == list(range(30_000))
    assert len(data.sizes) == 150
