from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vivavoce.errors import DataError, FileError, UsageError
from vivavoce.files import ReadOptions, read_dataset
from vivavoce.files.delimited import read_csv, read_tsv, sniff

cell = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=15)
visible = cell.filter(lambda text: text.strip() and text.strip() == text and not text.startswith("\ufeff"))
same_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def put(folder: Path, content: str | bytes, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@same_folder
@given(st.lists(st.tuples(visible, visible), min_size=1, max_size=6), st.sampled_from(",;\t|"))
def test_what_a_csv_writer_wrote_is_read_back(tmp_path: Path, pairs: list[tuple[str, str]], delimiter: str) -> None:
    path = tmp_path / "round.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows([("text", "intent"), *pairs])
    assert [row.cells for row in read_csv(path).rows] == pairs


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_out(tmp_path: Path, delimiter: str) -> None:
    path = put(tmp_path, f"text{delimiter}intent\nhi{delimiter}greet\n")
    assert read_csv(path).columns == ("text", "intent")


def test_commas_in_texts_do_not_hide_a_semicolon() -> None:
    assert sniff("Frage;Thema\nja, gut, danke;gruss\nnein, nie;absage\n") == ";"


def test_the_line_that_excel_writes_about_the_delimiter_is_no_row(tmp_path: Path) -> None:
    table = read_csv(put(tmp_path, "sep=|\r\ntext|intent\r\nhi|greet\r\n"))
    assert table.columns == ("text", "intent")
    assert table.rows[0].number == 2


def test_tabs_are_fixed_for_tsv(tmp_path: Path) -> None:
    table = read_tsv(put(tmp_path, "text\tintent\nyes, please; now\tgreet\n", "data.tsv"))
    assert table.rows[0].cells == ("yes, please; now", "greet")


def test_rows_are_counted_as_in_a_spreadsheet(tmp_path: Path) -> None:
    table = read_csv(put(tmp_path, 'text,intent\n"two\nlines",a\n\nhi,b\n\n\n'))
    assert [row.number for row in table.rows] == [2, 4]
    assert [note.endswith("blank rows skipped: 3") for note in table.notes] == [True]


def test_empty_cells_beyond_the_last_column_do_no_harm(tmp_path: Path) -> None:
    table = read_csv(put(tmp_path, "text,intent,,\nhi,greet,,\n"))
    assert table.columns == ("text", "intent")
    assert not table.faults


def test_all_ragged_rows_are_named(tmp_path: Path) -> None:
    path = put(tmp_path, "text,intent\nhi,greet\nyes, please,affirm\nhello\n")
    with pytest.raises(DataError) as caught:
        read_dataset(path)
    assert [fault.where for fault in caught.value.faults] == [f"{path}, row 3", f"{path}, row 4"]
    assert "3 cells, but the header has 2" in caught.value.faults[0].message


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('text,intent\nhi,greet\n"open,greet\nbye,bye\n', "opened in row 3 is never closed"),
        ('text,intent\n"a"b,greet\n', "quote in row 2 is closed in the middle"),
        ('text,intent\n"' + "x" * 200_000 + "\n", "row 2 is far too long"),
        ("text,text,intent\na,b,c\n", "duplicate columns: 'text'"),
        ("", "empty"),
        ("\ufeff \n\n", "empty"),
        (b"\xff\xfe", "empty"),
        ("text,intent\n", "no rows"),
        (b"text,intent\nhi\0,greet\n", "row 2 contains a NUL character"),
        (b"PK\x03\x04rest", "Excel workbook"),
        (b"%PDF-1.7", "a PDF"),
        (b"\xd0\xcf\x11\xe0rest", "old (.xls)"),
        ("text,intent\nhi,greet\n".encode("utf-16-le"), "UTF-16 without a byte order mark"),
        ("I lost my card,lost\nwhere is it?,lost\nbye,bye\n", "first row looks like data"),
        ("hi,greet\nhello,greet\n", "first row looks like data"),
    ],
)
def test_bad_files_are_refused_with_the_reason(tmp_path: Path, content: str | bytes, said: str) -> None:
    with pytest.raises((FileError, DataError)) as caught:
        read_dataset(put(tmp_path, content))
    assert said in str(caught.value)
    assert caught.value.where
    assert caught.value.remedy


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_is_read_whatever_its_form(tmp_path: Path, encoding: str) -> None:
    data = read_dataset(put(tmp_path, "text,intent\nGrüße 你好,greet\n".encode(encoding)))
    assert data.texts == ("Grüße 你好",)


def test_a_wrong_encoding_names_the_place_and_shows_what_it_could_be(tmp_path: Path) -> None:
    content = 'text,intent\n"two\nlines",a\nschöne Grüße,greet\n'.encode("cp1252")
    with pytest.raises(FileError) as caught:
        read_dataset(put(tmp_path, content))
    assert f"offset {content.index(0xF6)}, row 3" in caught.value.what
    assert "--encoding cp1252" in caught.value.remedy
    assert "schöne Grüße" in caught.value.remedy
    assert read_dataset(put(tmp_path, content), encoding="cp1252").texts[1] == "schöne Grüße"


def test_an_encoding_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    for name in ("utf-88", "base64"):
        with pytest.raises(UsageError, match="unknown text encoding"):
            read_csv(put(tmp_path, "text,intent\nhi,a\n"), ReadOptions(encoding=name))


def test_more_rows_than_the_limit_are_refused_before_they_are_parsed(tmp_path: Path) -> None:
    # A quote that is never closed would be the first complaint of the parser.
    path = put(tmp_path, "text,intent\n" + "hi,greet\n" * 21 + '"hi,greet\n')
    with pytest.raises(FileError, match="22 rows, the limit is 20") as caught:
        read_csv(path, ReadOptions(max_rows=20))
    assert "--max-rows 22" in caught.value.remedy
    with pytest.raises(FileError, match="never closed"):
        read_csv(path, ReadOptions(max_rows=22))


def test_a_cell_of_many_lines_is_one_row(tmp_path: Path) -> None:
    path = put(tmp_path, 'text,intent\n"' + "line\n" * 50 + '",greet\n')
    assert len(read_csv(path, ReadOptions(max_rows=1)).rows) == 1


def test_a_header_that_no_person_wrote_is_refused(tmp_path: Path) -> None:
    path = put(tmp_path, ",".join(f"c{number}" for number in range(1_001)) + "\n")
    with pytest.raises(FileError, match="1,001 columns, the limit is 1,000"):
        read_csv(path)
