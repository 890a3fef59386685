from __future__ import annotations

import asyncio
import io
import stat
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook
from sent_files import damaged, upload, zipped
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from vivavoce.conversations import read_suite
from vivavoce.errors import FileError, UsageError, VivaError
from vivavoce.files import read_dataset
from vivavoce.files.yamls import read_yaml
from vivavoce.web.security.uploads import (
    MAX_NAME_BYTES,
    MEGABYTE,
    BodyLimit,
    FormLimits,
    forget_upload,
    name_as_sent,
    read_form,
    safe_name,
    saved_upload,
)

pytestmark = pytest.mark.slow

FORM = "application/x-www-form-urlencoded"


# Bodies


async def read_all(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


async def read_carelessly(request: Request) -> Response:
    """Read a body in the way of code that hides every error."""
    try:
        await request.body()
    except Exception as error:
        return PlainTextResponse(f"all is well: {error}")
    return PlainTextResponse("read")


async def answer_first(request: Request) -> Response:
    return PlainTextResponse("not read")


def limited(max_bytes: int = 100, max_upload_bytes: int = 10_000) -> TestClient:
    routes = [
        Route("/", read_all, methods=["POST"]),
        Route("/careless", read_carelessly, methods=["POST"]),
        Route("/first", answer_first, methods=["POST"]),
        Route("/form", show_form, methods=["POST"]),
    ]
    return TestClient(BodyLimit(Starlette(routes=routes), max_bytes, max_upload_bytes))


async def show_form(request: Request) -> Response:
    try:
        async with read_form(request, FormLimits(files=2, fields=3, field_bytes=50)) as form:
            return PlainTextResponse(",".join(name for name, _ in form.multi_items()))
    except UsageError as error:
        return PlainTextResponse(str(error), 422)


def pieces(total: int) -> Iterator[bytes]:
    """Yield a body in pieces: it is sent without telling its length."""
    for start in range(0, total, 30):
        yield b"x" * min(30, total - start)


@pytest.mark.parametrize("path", ["/", "/careless"])
@pytest.mark.parametrize("size", [0, 1, 100, 101, 5_000])
@pytest.mark.parametrize("told", [True, False])
def test_a_body_beyond_the_limit_is_refused_whether_or_not_its_length_is_told(
    path: str, size: int, told: bool
) -> None:
    answer = limited().post(path, content=b"x" * size if told else pieces(size))
    assert answer.status_code == (413 if size > 100 else 200)
    if size > 100:
        assert "100 bytes" in answer.json()["detail"]
        assert answer.json()["remedy"]


def test_a_false_length_helps_nobody() -> None:
    answer = limited().post("/", content=pieces(5_000), headers={"Content-Length": "10"})
    assert answer.status_code == 413


def test_an_endless_body_is_left_soon_after_the_limit() -> None:
    taken = 0

    async def receive() -> dict[str, Any]:
        nonlocal taken
        taken += 1
        return {"type": "http.request", "body": b"x" * 30, "more_body": True}

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/", "headers": [], "query_string": b""}
    app = BodyLimit(Starlette(routes=[Route("/", read_all, methods=["POST"])]), 100)
    asyncio.run(app(scope, receive, send))
    assert taken == 4
    assert sent[0]["status"] == 413


def test_a_page_that_does_not_read_the_body_answers_as_it_likes() -> None:
    assert limited().post("/first", content=pieces(5_000)).text == "not read"


def test_a_body_that_tells_its_length_is_refused_before_any_page_sees_it() -> None:
    assert limited().post("/first", content=b"x" * 101).status_code == 413


def test_files_may_be_larger_than_what_is_held_in_memory() -> None:
    def send(size: int) -> int:
        return limited().post("/", files={"file": ("a.csv", b"x" * size)}).status_code

    assert send(5_000) == 200
    assert send(20_000) == 413


def test_a_framework_that_turns_errors_into_answers_does_not_hide_the_reason() -> None:
    app = FastAPI()

    @app.post("/json")
    def take(body: dict[str, str]) -> dict[str, str]:
        return body

    client = TestClient(BodyLimit(app, 100))
    headers = {"Content-Type": "application/json"}
    assert client.post("/json", content=b'{"a": "b"}', headers=headers).json() == {"a": "b"}
    assert client.post("/json", content=pieces(300), headers=headers).status_code == 413


def test_a_person_reads_the_reason_on_a_page() -> None:
    answer = limited().post("/", content=b"x" * 101, headers={"Accept": "text/html"})
    assert "<h1>This exceeds the limit of 100 bytes" in answer.text


@pytest.mark.parametrize("size", [60, 5_000])
def test_a_form_with_too_much_in_one_field_is_refused(size: int) -> None:
    answer = limited(max_bytes=9_999).post("/form", data={"a": "x" * size})
    assert answer.status_code == 422
    assert "50 bytes in one field" in answer.text


def test_a_form_with_too_many_fields_or_files_is_refused_in_words() -> None:
    client = limited()
    assert client.post("/form", data={"a": "1", "b": "2", "c": "3"}).text == "a,b,c"
    many = "&".join(f"f{n}=1" for n in range(9))
    assert client.post("/form", content=many, headers={"Content-Type": FORM}).status_code == 422
    assert client.post("/form", files=[("f", (f"{n}.csv", b"x")) for n in range(2)]).text == "f,f"
    answer = client.post("/form", files=[("f", (f"{n}.csv", b"x")) for n in range(3)])
    assert "at most 2 files" in answer.text


def test_a_form_beyond_the_limit_of_the_body_says_so() -> None:
    content = pieces(300)
    assert limited().post("/form", content=content, headers={"Content-Type": FORM}).status_code == 413


# Names


@settings(deadline=None)
@given(st.text() | st.from_regex(r"(\.\.[/\\]){0,3}[a-z.]{0,9}[/\\]?[\x00-\x7f]{0,12}\.(csv|xlsx)"))
def test_a_safe_name_stays_in_its_folder_whatever_was_sent(name: str) -> None:
    safe = safe_name(name)
    assert safe not in ("", ".", "..")
    assert not set(safe) & set('/\\:*?"<>|\0\n')
    assert Path("/uploads", safe).parent == Path("/uploads")
    assert safe.isprintable()
    assert len(safe.encode()) <= MAX_NAME_BYTES
    assert safe_name(safe) == safe


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("faq.xlsx", "faq.xlsx"),
        ("Häufige Fragen (2).csv", "Häufige Fragen (2).csv"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\anna\\faq.csv", "faq.csv"),
        ("/etc/cron.d/x", "x"),
        ("..", "upload"),
        ("", "upload"),
        (".bashrc", "bashrc"),
        ("CON.csv", "_CON.csv"),
        ("-rf.csv", "_-rf.csv"),
        ("faq\u202exslx.exe", "faqxslx.exe"),
        ("a\x00b\r\n.csv", "ab.csv"),
        ("a:b?.csv", "a_b_.csv"),
        ("a\u00a0b.csv", "a b.csv"),
        ("x" * 119 + " y", "x" * 119),
        ("x" * 300 + ".xlsx", "x" * 115 + ".xlsx"),
    ],
)
def test_names_are_made_safe_and_keep_their_ending(sent: str, kept: str) -> None:
    assert safe_name(sent) == kept


# Keeping files


@pytest.fixture(scope="session")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzzed")


def test_a_file_is_kept_for_its_owner_alone_and_forgotten(tmp_path: Path) -> None:
    first, second = (saved_upload(upload(text), tmp_path / "new") for text in (b"one", b"two"))
    assert (first.name, first.read_bytes(), second.read_bytes()) == ("faq.csv", b"one", b"two")
    assert first.parent.parent == second.parent.parent == tmp_path / "new"
    assert stat.S_IMODE(first.stat().st_mode) == 0o600
    for path in (first, second):
        forget_upload(path)
    assert list((tmp_path / "new").iterdir()) == []


def test_a_file_already_read_is_kept_from_its_beginning(tmp_path: Path) -> None:
    file = upload(b"content")
    file.file.read()
    assert saved_upload(file, tmp_path).read_bytes() == b"content"


def test_a_file_beyond_the_limit_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"faq\.csv: the file is larger than 5 bytes"):
        saved_upload(upload(b"123456"), tmp_path, max_bytes=5)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_an_error_without_its_path(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError) as caught:
        saved_upload(upload(b"x"), tmp_path / "file")
    assert str(tmp_path) not in str(caught.value)


def test_errors_about_a_kept_file_do_not_tell_folders_of_the_server(tmp_path: Path) -> None:
    path = saved_upload(upload(b"text,intent\nhi\n"), tmp_path)
    with pytest.raises(VivaError) as caught:
        read_dataset(path)
    told = name_as_sent(caught.value, path)
    assert str(tmp_path) in str(caught.value)
    assert str(tmp_path) not in str(told)
    assert "faq.csv" in str(told)
    assert (type(told), len(told.faults)) == (type(caught.value), len(caught.value.faults))


# Files built to do harm: whatever comes in is refused with an error of ours


def workbook_parts() -> dict[str, bytes]:
    book, buffer = Workbook(), io.BytesIO()
    for row in (["text", "intent"], ["hi", "greet"], ["bye", "part"]):
        book.active.append(row)
    book.save(buffer)
    with zipfile.ZipFile(buffer) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


SHEET = "xl/worksheets/sheet1.xml"
BOMB = b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><worksheet'


def changed(part: str, old: bytes, new: bytes) -> dict[str, bytes]:
    parts = workbook_parts()
    assert old in parts[part]
    return {**parts, part: parts[part].replace(old, new)}


def renamed_sheet(name: str) -> dict[str, bytes]:
    """Return a workbook whose sheet goes under another name, and begins with a bomb."""
    parts = changed(SHEET, b"<worksheet", BOMB)
    for part in ("xl/_rels/workbook.xml.rels", "[Content_Types].xml"):
        parts[part] = parts[part].replace(b"sheet1.xml", name.encode())
    return {f"xl/worksheets/{name}" if part == SHEET else part: content for part, content in parts.items()}


HARMFUL_WORKBOOKS = {
    "zip bomb": {**workbook_parts(), "xl/media/x.bin": b"\0" * (40 * MEGABYTE)},
    "many parts": {**workbook_parts(), **{f"p{n}": b"" for n in range(10_001)}},
    "entities": changed(SHEET, b"<worksheet", BOMB),
    "entities in a part with an unusual name": renamed_sheet("sheet1.dat"),
    "entities in a part with capitals": renamed_sheet("SHEET1.XML"),
    "a row far below": changed(SHEET, b'<row r="3"', b'<row r="1000000000000"'),
    "a column far to the right": changed(SHEET, b'r="A3"', b'r="ZZZZZ3"'),
    "deep nesting": changed(SHEET, b"<sheetData>", b"<sheetData>" + b"<is>" * 200_000),
    "a way out": {**workbook_parts(), "../../outside.xml": b"<a/>"},
    "no end": changed(SHEET, b"</sheetData>", b""),
}


@pytest.mark.parametrize("kind", HARMFUL_WORKBOOKS)
def test_a_harmful_workbook_is_refused(kind: str, tmp_path: Path) -> None:
    path = saved_upload(upload(zipped(HARMFUL_WORKBOOKS[kind]), "faq.xlsx"), tmp_path)
    with pytest.raises(VivaError) as caught:
        read_dataset(path)
    assert caught.value.remedy


def test_the_workbook_that_the_harmful_ones_are_made_of_is_good(tmp_path: Path) -> None:
    picture = {"xl/media/image1.png": b"\x89PNG\r\n\x1a\n\0\0", "xl/vbaProject.bin": b"\xd0\xcf\x11\xe0"}
    path = saved_upload(upload(zipped({**workbook_parts(), **picture}), "faq.xlsx"), tmp_path)
    assert read_dataset(path).texts == ("hi", "bye")


def test_rows_that_reach_far_to_the_right_do_not_fill_the_memory(tmp_path: Path) -> None:
    rows = "".join(f'<row r="{n}"><c r="XFD{n}"><v>1</v></c></row>' for n in range(2, 4_000)).encode()
    parts = changed(SHEET, b"</sheetData>", rows + b"</sheetData>")
    parts[SHEET] = parts[SHEET].replace(b'<row r="1"', b'<row r="1"><c r="XFD1"><v>1</v></c></row><row r="1"', 1)
    path = saved_upload(upload(zipped(parts), "faq.xlsx"), tmp_path)
    with pytest.raises(VivaError, match="50,000,000 cells"):
        read_dataset(path)


GOOD = zipped(workbook_parts())


@settings(deadline=None)
@given(changes=st.lists(st.tuples(st.integers(0, len(GOOD) - 1), st.integers(0, 255)), min_size=1, max_size=8))
def test_a_damaged_workbook_is_read_or_refused_and_nothing_else(fuzzed: Path, changes: list[tuple[int, int]]) -> None:
    path = saved_upload(upload(damaged(GOOD, changes), "faq.xlsx"), fuzzed)
    try:
        with suppress(VivaError):
            read_dataset(path)
    finally:
        forget_upload(path)


ALIASES = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(n + 1)}: &{chr(n + 1)} [{', '.join([f'*{chr(n)}'] * 9)}]\n" for n in range(ord("a"), ord("j"))
)
HARMFUL_YAML = {
    "aliases": ALIASES,
    "deep lists": "[" * 100_000,
    "deep mappings": "".join(f"{' ' * n}a:\n" for n in range(2_000)),
    "what contains itself": "&a [*a]",
    "code": "!!python/object/apply:os.system ['true']\n---\nsecond: document",
    "no text": "\x00\x01",
    "an incomplete character": '"\\ud800"',
}


@pytest.mark.parametrize("kind", HARMFUL_YAML)
def test_harmful_yaml_is_refused_or_only_text(kind: str, tmp_path: Path) -> None:
    path = saved_upload(upload(HARMFUL_YAML[kind].encode(), "suite.yaml"), tmp_path)
    with pytest.raises(VivaError):
        read_suite(path)
    if kind != "an incomplete character":
        with pytest.raises(VivaError):
            read_yaml(path)


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_deep_json_is_refused(opening: str, tmp_path: Path) -> None:
    path = saved_upload(upload((opening * 100_000).encode(), "faq.json"), tmp_path)
    with pytest.raises(FileError, match="nested too deeply"):
        read_dataset(path)


def test_a_number_without_end_is_refused(tmp_path: Path) -> None:
    path = saved_upload(upload(b'[{"text": ' + b"9" * 10_000 + b', "intent": "a"}]', "faq.json"), tmp_path)
    with pytest.raises(VivaError):
        read_dataset(path)
