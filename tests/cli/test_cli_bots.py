"""`viva bots`: what there is, whether it keeps the contract, and a bot of one's own behind HTTP."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

pytestmark = pytest.mark.slow

PATIENCE = 60
ENTRIES = """
bots:
  parrot: {kind: "scripted:echo", about: repeats everything}
  staging: {kind: http, url: "https://bot.example.org/talk?key=secret"}
"""


@contextmanager
def started(*words: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """Start a bot in a process of its own; give the process and what it told about itself."""
    process = subprocess.Popen(
        [sys.executable, "-m", "vivavoce.cli", "bots", "start", *words, "--json", "-"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
        # Whoever runs the tests in the background may ignore Ctrl-C; the server must not.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    try:
        yield process, _announced(process)
    finally:
        process.kill()
        process.communicate()


def _announced(process: subprocess.Popen[str]) -> dict[str, str]:
    lines = []
    for line in process.stdout or ():
        lines.append(line)
        if line == "}\n":
            break
    assert lines, process.stderr.read() if process.stderr else ""
    return dict(json.loads("".join(lines)))


def talk(url: str, session: str, text: str) -> dict[str, object]:
    body = json.dumps({"session": session, "text": text}).encode()
    request = urllib.request.Request(f"{url}/talk", body, {"Content-Type": "application/json"})  # noqa: S310
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310
        return dict(json.load(answer))


# Listing


def test_kinds_and_the_bots_of_the_file_are_listed_without_secrets(viva, folder, plain):
    (folder / "bots.yaml").write_text(ENTRIES, encoding="utf-8")
    result = viva("bots", "list", "--json", "-")
    assert result.exit_code == 0
    content = json.loads(result.stdout)
    names = [bot["name"] for bot in content["bots"]]
    assert {"http", "openai", "python", "scripted", "vectors"} <= set(names)
    assert names[-2:] == ["parrot", "staging"]
    assert "secret" not in result.stdout
    assert "repeats everything" in plain(viva("bots", "list").stdout)
    assert viva("bots", "list", "--quiet").stdout == ""


def test_a_file_of_bots_that_is_wrong_is_refused_with_its_lines(viva, folder, plain):
    (folder / "team.yaml").write_text("bots:\n  one: {url: 'http://a'}\nboots: {}\n", encoding="utf-8")
    result = viva("bots", "list", "--bots", "team.yaml")
    assert result.exit_code == 2
    assert "line 2: 'one' has no `kind`" in plain(result.stderr)
    assert "Did you mean 'bots'?" in plain(result.stderr)


# Checking


def test_a_bot_that_keeps_the_contract_ends_with_0(viva, plain):
    shown = viva("bots", "check", "scripted:echo")
    assert shown.exit_code == 0
    assert "scripted:echo keeps the contract" in plain(shown.stdout)
    content = json.loads(viva("bots", "check", "scripted:echo", "--json", "-").stdout)
    assert (content["kind"], content["passed"]) == ("bot-check", True)


@pytest.mark.parametrize("name", ["scripted:failing=server_error", "http:http://127.0.0.1:9/"])
def test_a_bot_that_does_not_ends_with_3(viva, name):
    result = viva("bots", "check", name, "--json", "-")
    assert result.exit_code == 3
    assert json.loads(result.stdout)["passed"] is False
    assert "breaks the contract" in result.stderr


@pytest.mark.parametrize(
    ("name", "hint"),
    [("scriptd", "Did you mean 'scripted'?"), ("parot", "Did you mean 'parrot'?"), (":echo", "kind:option")],
)
def test_a_bot_that_does_not_exist_is_refused_with_the_nearest_name(viva, folder, plain, name, hint):
    (folder / "bots.yaml").write_text(ENTRIES, encoding="utf-8")
    for command in ("check", "start"):
        result = viva("bots", command, name)
        assert result.exit_code == 2
        assert hint in plain(result.stderr)


# Starting


def test_a_started_bot_answers_over_http_can_be_examined_and_stops_on_ctrl_c(viva, folder):
    suite = "suite: echo\nscenarios:\n  - {id: a, level: basic, turns: [{user: hello, expect: {reply: hello}}]}\n"
    (folder / "suite.yaml").write_text(suite, encoding="utf-8")
    with started("scripted:echo") as (process, told):
        assert talk(told["url"], "1", "Grüße")["texts"] == ["Grüße"]
        result = viva("conversations", "run", "suite.yaml", "--bot", told["bot"], "--strict", "--quiet")
        assert result.exit_code == 0, result.stderr
        process.send_signal(signal.SIGINT)
        _, words = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert f"--bot {told['bot']}" in words
    assert words.endswith("Stopped.\n")
    with pytest.raises(OSError, match="refused"):
        talk(told["url"], "1", "hello")


def test_a_bot_of_the_file_can_be_started_too(folder):
    (folder / "bots.yaml").write_text(ENTRIES, encoding="utf-8")
    with started("parrot", "--quiet") as (process, told):
        assert talk(told["url"], "1", "hello")["texts"] == ["hello"]
        process.send_signal(signal.SIGINT)
        _, words = process.communicate(timeout=PATIENCE)
    assert (process.returncode, words) == (0, "Stopped.\n")


def test_a_wrong_option_is_refused_once_and_with_2(viva):
    result = viva("bots", "start", "scripted:nonsens")
    assert result.exit_code == 2
    assert result.stderr.count("What to do") == 1


def test_a_long_path_of_the_file_takes_no_room_from_the_kinds(viva, folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    alone = viva("bots", "list").stdout
    deep = folder / "a_folder_with_a_long_name" / "and_another_one"
    deep.mkdir(parents=True)
    (deep / "bots.yaml").write_text(ENTRIES, encoding="utf-8")
    assert viva("bots", "list", "--bots", str(deep / "bots.yaml")).stdout.startswith(alone)
