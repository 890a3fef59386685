"""The examples of the documentation are run as they stand there, in-process."""

from __future__ import annotations

import io
import re
import shlex
from contextlib import redirect_stdout
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.request import Request

import pytest
from filled_house import do_work
from starlette.testclient import TestClient

from vivavoce.store.rows import Role
from vivavoce.workspace.access.keys import make_key
from vivavoce.workspace.access.sessions import actor_of

if TYPE_CHECKING:
    from conftest import House

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
URL = "http://localhost/api/v1"
FILES = {"faq.csv": b"text,intent\nis it open on sunday,hours\nwhen do you close,hours\n"}


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.fixture
def program(house: House) -> TestClient:
    """Return a program with a key that may edit."""
    _, secret = make_key(house.store, actor_of(house.users[Role.ADMIN], ""), "tour", ["edit"])
    client = house.enter(None)
    client.headers["authorization"] = f"Bearer {secret}"
    return client


def opened(client: TestClient, request: Request) -> io.BytesIO:
    """Answer as the network would."""
    answer = client.request(
        request.get_method(), request.full_url, content=request.data, headers=dict(request.header_items())
    )
    assert answer.status_code < 400, (request.full_url, answer.text)
    return io.BytesIO(answer.content)


def run_python(house: House, client: TestClient, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, Any], str]:
    """Run all examples one after the other, as one program; return its names and what it wrote."""
    monkeypatch.setenv("VIVA_URL", URL)
    monkeypatch.setenv("VIVA_KEY", client.headers["authorization"].removeprefix("Bearer "))
    names: dict[str, Any] = {}
    said = io.StringIO()
    for place, block in enumerate(blocks("python")):
        with redirect_stdout(said):
            exec(compile(block, f"docs/api.md, example {place}", "exec"), names)  # noqa: S102
        # Whoever waits lets the worker work.
        names["time"] = SimpleNamespace(sleep=lambda _: do_work(house.store))
        names["urlopen"] = lambda request: opened(client, request)
    return names, said.getvalue()


def run_curl(client: TestClient, line: str, values: dict[str, str]) -> Any:
    """Do what a line with curl does."""
    words = shlex.split(re.sub(r"\$(\w+)", lambda found: values[found[1]], line))
    assert words[:2] == ["curl", "-s"]
    given: dict[str, list[str]] = {}
    for flag, value in zip(words[3::2], words[4::2], strict=True):
        given.setdefault(flag, []).append(value)
    assert set(given) <= {"-H", "-d", "-F", "-o"}
    headers = dict(header.split(": ", 1) for header in given["-H"])
    fields = dict(field.split("=", 1) for field in given.get("-F", ()))
    files = {name: (value[1:], FILES[value[1:]]) for name, value in fields.items() if value.startswith("@")}
    plain = {name: value for name, value in fields.items() if name not in files}
    method = "POST" if {"-d", "-F"} & set(given) else "GET"
    content = given["-d"][0] if "-d" in given else None
    return client.request(method, words[2], headers=headers, content=content, data=plain or None, files=files or None)


def test_the_examples_of_the_documentation_do_what_they_say(
    house: House, program: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    names, said = run_python(house, program, monkeypatch)
    assert "['delivery', 'payment']" in said
    assert (names["first"]["state"], names["second"]["state"], names["talks"]["state"]) == ("done", "done", "done")
    assert names["compared"]["all_edits"] == 1
    assert names["findings"]["kind"] == "intents"
    assert names["accuracy"]["n"] > 0

    values = {"VIVA_URL": URL, "VIVA_KEY": program.headers["authorization"].removeprefix("Bearer ")}
    lines = [line for block in blocks("sh") for line in block.replace("\\\n", "").splitlines() if "curl" in line]
    assert len(lines) > 8
    for line in lines:
        answer = run_curl(house.enter(None), line, values)
        assert answer.status_code < 300, (line, answer.text)
        if "location" in answer.headers:
            values["IMPORT" if "/imports/" in answer.headers["location"] else "RUN"] = answer.headers[
                "location"
            ].rsplit("/")[-1]
            do_work(house.store)


def test_a_gate_that_is_not_met_ends_the_script_with_1() -> None:
    gate = blocks("python")[-1]
    cell = {"accuracy": {"value": 0.0, "low": 0.0, "high": 0.4, "n": 6}}
    answers = {"ask": lambda *_: {"items": [cell], "number": 1}, "wait": lambda run: run}
    with pytest.raises(SystemExit) as stopped, redirect_stdout(io.StringIO()):
        exec(compile(gate, "docs/api.md", "exec"), answers)  # noqa: S102
    assert stopped.value.code == 1
