"""The pages of suites: brought in, looked at, pasted into, taken out again."""

from __future__ import annotations

import io
import tempfile
import zipfile

import pytest

from vivavoce import demo
from vivavoce.conversations import expand, read_suite
from vivavoce.workspace.scenarios.suites import list_suites

pytestmark = pytest.mark.slow

SHEET = "scenario\tlevel\tuser\texpect_topic\tgood_replies\nmine\tbasic\tHello\tgreet\thello\nmine\t\tBye\tbye\tbye\n"


@pytest.fixture
def flight(house, editor) -> str:
    assert editor.post("/p/jobs/suites", data={"do": "shipped", "shipped": "flight"}).status_code == 303
    return list_suites(house.store, house.project)[0].suite.id


def test_a_project_without_suites_says_what_to_do(editor) -> None:
    page = editor.get("/p/jobs/suites")
    assert page.status_code == 200
    assert "No suites yet" in page.text


def test_a_file_that_is_taken_out_and_brought_in_again_is_the_same_suite(house, editor, flight, tmp_path) -> None:
    for form in ("yaml", "csv", "xlsx"):
        file = editor.get(f"/p/jobs/suites/{flight}/file?form={form}")
        assert "attachment" in file.headers["content-disposition"]
        sent = {"file": (f"again.{form}", file.content)}
        answer = editor.post("/p/jobs/suites", data={"do": "upload", "called": f"again-{form}"}, files=sent)
        assert answer.status_code == 303, answer.text
        (tmp_path / f"again.{form}").write_bytes(file.content)
        assert len(expand(read_suite(tmp_path / f"again.{form}")).scripts) == len(
            expand(read_suite("flight")).scripts
        )
    names = {line.suite.name: line.scenarios for line in list_suites(house.store, house.project)}
    assert set(names) == {"flight", "again-yaml", "again-csv", "again-xlsx"}
    assert len(set(names.values())) == 1


def test_a_folder_comes_as_an_archive(house, editor) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path in sorted(demo.suite_path("medical").glob("*.yaml")):
            archive.write(path, f"medical/{path.name}")
    answer = editor.post("/p/jobs/suites", data={"do": "upload"}, files={"file": ("m.zip", packed.getvalue())})
    assert answer.status_code == 303, answer.text
    line = list_suites(house.store, house.project)[0]
    assert (line.suite.name, line.scenarios) == ("medical", len(read_suite("medical").scenarios))


def test_a_file_that_cannot_be_read_is_refused_without_a_path_of_the_server(editor) -> None:
    files = [("a.yaml", b"scenarios: [{id: 1}]"), ("a.yaml", b"{"), ("a.zip", b"no archive"), ("a.txt", b"hello")]
    for name, content in files:
        answer = editor.post("/p/jobs/suites", data={"do": "upload"}, files={"file": (name, content)})
        assert answer.status_code == 400
        assert tempfile.gettempdir() not in answer.text


def test_a_file_of_another_tool_is_named_on_the_page(editor) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("agent.json", "{}")
        archive.writestr("flows/Start/Start.json", "{}")
    promptfoo = b"prompts: [a]\nproviders: [b]\ntests: []\n"
    for name, content, what in (
        ("a.yaml", promptfoo, "a promptfoo configuration"),
        ("a.zip", packed.getvalue(), "a Dialogflow CX agent export"),
    ):
        answer = editor.post("/p/jobs/suites", data={"do": "upload"}, files={"file": (name, content)})
        assert answer.status_code == 400
        assert what in answer.text
        assert tempfile.gettempdir() not in answer.text


def test_only_what_ships_is_taken_by_name(editor) -> None:
    for wanted in ("nothing", "/etc", "../flight"):
        assert editor.post("/p/jobs/suites", data={"do": "shipped", "shipped": wanted}).status_code == 400


def test_scenarios_are_found_by_word_domain_and_level_and_sorted(editor, flight) -> None:
    path = f"/p/jobs/suites/{flight}"
    assert "57 scenarios" in editor.get(path).text
    assert "flight-complex-01<" not in editor.get(f"{path}?level=basic").text
    assert "No scenario matches" in editor.get(f"{path}?q=zzzzz").text
    forwards, backwards = (editor.get(f"{path}?sort={sort}").text for sort in ("title", "-title"))
    assert 'aria-sort="ascending"' in forwards
    first, last = "A backpacker asks what Numbat gives<", "The way to town is not ours<"
    assert forwards.index(first) < forwards.index(last)
    assert backwards.index(first) > backwards.index(last)
    assert editor.get(f"{path}?sort=nothing").status_code == 422


def test_levels_are_sorted_from_easy_to_hard(editor, flight) -> None:
    text = editor.get(f"/p/jobs/suites/{flight}?sort=level").text
    places = [text.index(f'data-label="Level">{level}</td>') for level in ("basic", "medium", "complex")]
    assert places == sorted(places)


def test_cells_that_were_pasted_become_scenarios_and_a_second_time_they_are_refused(house, editor, flight) -> None:
    path = f"/p/jobs/suites/{flight}"
    assert editor.post(path, data={"do": "paste", "sheet": SHEET}).status_code == 303
    assert list_suites(house.store, house.project)[0].scenarios == 58
    again = editor.post(path, data={"do": "paste", "sheet": SHEET})
    assert again.status_code == 400
    assert "mine" in again.text
    assert editor.post(path, data={"do": "paste", "sheet": "what\tis this"}).status_code == 400


def test_a_suite_is_renamed_and_deleted(house, editor, flight) -> None:
    path = f"/p/jobs/suites/{flight}"
    assert editor.post(path, data={"do": "rename", "name": "air", "title": "By air"}).status_code == 303
    assert "By air" in editor.get(path).text
    assert editor.post(path, data={"do": "rename", "name": "", "title": ""}).status_code == 400
    assert editor.get(f"{path}/delete").status_code == 200
    assert editor.post(f"{path}/delete").status_code == 303
    assert editor.get(path).status_code == 404


def test_a_reader_looks_and_takes_files_but_changes_nothing(reader, editor, flight) -> None:
    path = f"/p/jobs/suites/{flight}"
    page = reader.get(path)
    assert page.status_code == 200
    assert "Paste from a spreadsheet" not in page.text
    assert reader.get(f"{path}/file").status_code == 200
    assert reader.post("/p/jobs/suites", data={"do": "create", "name": "x"}).status_code == 403
    assert reader.post(f"{path}/delete").status_code == 403
