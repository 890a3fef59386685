from __future__ import annotations

import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from openpyxl import Workbook

from vivavoce.errors import DataError, FileError
from vivavoce.files import read_dataset
from vivavoce.files.sources import MEGABYTE

SHEET = "xl/worksheets/sheet1.xml"


def book(folder: Path, rows: list[list[object]], name: str = "data.xlsx", **sheets: list[list[object]]) -> Path:
    workbook = Workbook()
    for row in rows:
        workbook.active.append(row)
    for title, content in sheets.items():
        page = workbook.create_sheet(title)
        for row in content:
            page.append(row)
    workbook.save(folder / name)
    return folder / name


def rewritten(path: Path, part: str, change: tuple[str, str]) -> Path:
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts[part] = parts[part].decode().replace(*change).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def test_cells_become_text_and_dates(tmp_path: Path) -> None:
    rows = [["Text", "Intent", "Created"], ["hi", 404, datetime(2024, 5, 1, 12)], [7.0, "b", None]]
    data = read_dataset(book(tmp_path, rows))
    assert data.texts == ("hi", "7")
    assert data.intents == ("404", "b")
    assert data.examples[0].created == datetime(2024, 5, 1, 12, tzinfo=UTC)
    assert data.examples[1].row == 3


def test_the_first_sheet_is_read_unless_another_is_named(tmp_path: Path) -> None:
    header = ["text", "intent"]
    path = book(tmp_path, [header, ["hi", "a"]], More=[header, ["bye", "b"]])
    assert read_dataset(path).texts == ("hi",)
    assert "not More" in read_dataset(path).notes[0]
    assert read_dataset(path, sheet="More").texts == ("bye",)
    with pytest.raises(FileError, match=r"Did you mean 'More'") as caught:
        read_dataset(path, sheet="Mroe")
    assert "More" in caught.value.remedy


def test_cells_beside_the_table_and_blank_rows_do_no_harm(tmp_path: Path) -> None:
    data = read_dataset(book(tmp_path, [["text", "intent"], ["hi", "a", None, "a remark"], [], ["bye", "b"], []]))
    assert [example.row for example in data] == [2, 4]
    assert data.notes[0].endswith("skipped: 3")


def test_formulas_count_by_their_stored_value(tmp_path: Path) -> None:
    path = book(tmp_path, [["text", "intent"], ["=CONCATENATE(1)", "a"], ["bye", "b"]])
    with pytest.raises(DataError, match="row 2: text: the cell is a formula without a saved result: open the file"):
        read_dataset(path)
    stored = rewritten(path, SHEET, ("<v></v>", "<v>1</v>"))
    stored = rewritten(stored, SHEET, ("<v />", "<v>1</v>"))
    assert read_dataset(stored).texts == ("1", "bye")


def test_rows_of_nothing_but_formulas_without_result_are_not_taken_for_blank(tmp_path: Path) -> None:
    path = book(tmp_path, [["text", "intent"], ["hi", "a"], ["=A2", "=B2"], ["bye", None], []])
    with pytest.raises(DataError) as caught:
        read_dataset(path)
    told = [
        (fault.where.rpartition("row ")[2], "without a saved result" in str(fault)) for fault in caught.value.faults
    ]
    assert told == [("3", True), ("3", True), ("4", False)]


def test_a_formula_whose_saved_result_is_an_empty_text_is_an_empty_cell(tmp_path: Path) -> None:
    path = book(tmp_path, [["text", "intent"], ["hi", "a"], ['=IF(1,"","")', '=IF(1,"","")'], ["bye", "b"]])
    for saved in ((f'<c r="{cell}">', f'<c r="{cell}" t="str">') for cell in ("A3", "B3")):
        rewritten(path, SHEET, saved)
    data = read_dataset(path)
    assert data.texts == ("hi", "bye")
    assert data.notes[0].endswith("skipped: 3")


def test_a_date_that_is_a_formula_without_result_is_noted(tmp_path: Path) -> None:
    data = read_dataset(book(tmp_path, [["text", "intent", "created"], ["hi", "a", "=TODAY()"]]))
    assert data.examples[0].created is None
    assert "row 2: 'formula without a saved result'" in data.notes[0]


def test_cells_without_an_address_are_counted_from_the_left(tmp_path: Path) -> None:
    path = book(tmp_path, [["text", "intent"], ["hi", "=B1"]])
    for address in (' r="A2"', ' r="B2"', ' r="2"'):
        rewritten(path, SHEET, (address, ""))
    with pytest.raises(DataError, match="row 2: intent: the cell is a formula"):
        read_dataset(path)


def test_spreadsheet_errors_are_faults(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="row 2: the text contains the spreadsheet error #N/A"):
        read_dataset(book(tmp_path, [["text", "intent"], ["#N/A", "a"]]))


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(SHEET, b" " * (40 * MEGABYTE))
    with pytest.raises(FileError, match=r"unpacks to 40\.0 MB"):
        read_dataset(path)


def test_an_archive_larger_inside_than_the_limit_is_refused(tmp_path: Path) -> None:
    rows: list[list[object]] = [["text", "intent"], *[[f"text {n}", "a"] for n in range(500)]]
    path = book(tmp_path, rows)
    with pytest.raises(FileError, match="--max-file-mb"):
        read_dataset(path, max_bytes=path.stat().st_size + 1)


@pytest.mark.parametrize("padding", ["", "<!--" + "x" * 70_000 + "-->"])
def test_entities_are_refused(tmp_path: Path, padding: str) -> None:
    evil = f'{padding}<!DOCTYPE a [<!ENTITY b "c">]><worksheet'
    path = rewritten(book(tmp_path, [["text", "intent"], ["hi", "a"]]), SHEET, ("<worksheet", evil))
    with pytest.raises(FileError, match=r"document type definition|does not start like a workbook"):
        read_dataset(path)


@pytest.mark.parametrize("content", [b"text,intent\nhi,a\n", b"PK\x03\x04 and nothing more", b"\xd0\xcf\x11\xe0 old"])
def test_what_is_no_workbook_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "data.xlsx"
    path.write_bytes(content)
    with pytest.raises(FileError) as caught:
        read_dataset(path)
    assert ".xlsx" in caught.value.remedy


def test_a_workbook_with_missing_parts_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("hello.txt", "not a workbook")
    with pytest.raises(FileError, match="cannot be read"):
        read_dataset(path)


def test_an_empty_sheet_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="empty"):
        read_dataset(book(tmp_path, []))


def test_a_row_beyond_the_limit_is_refused_by_its_number(tmp_path: Path) -> None:
    path = book(tmp_path, [["text", "intent"], ["hi", "a"], ["hello", "a"]])
    assert len(read_dataset(path, max_rows=2).examples) == 2
    with pytest.raises(FileError, match="2 rows, the limit is 1"):
        read_dataset(path, max_rows=1)
    for number in ("1048576", "9" * 5_000):
        far = rewritten(book(tmp_path, [["text", "intent"], ["hi", "a"]]), SHEET, ('r="2"', f'r="{number}"'))
        with pytest.raises(FileError, match="rows, the limit is 500,000"):
            read_dataset(far)
