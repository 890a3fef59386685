"""Every command explains itself."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from typer.main import get_command

from vivavoce.cli.app import app


def walk(command, words=("viva",)):
    yield words, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from walk(inner, (*words, name))


COMMANDS = dict(walk(get_command(app)))
NAMES = [" ".join(words) for words in COMMANDS]


@pytest.mark.parametrize("words", COMMANDS, ids=NAMES)
def test_help_has_an_example_of_the_command_itself(words):
    examples = re.findall(r"^ {4}(.*)$", COMMANDS[words].help or "", flags=re.MULTILINE)
    assert any(" ".join(words) in example for example in examples)


@pytest.mark.parametrize("words", COMMANDS, ids=NAMES)
def test_every_option_and_argument_has_help(words):
    silent = [parameter.name for parameter in COMMANDS[words].params if not (parameter.help or "").strip()]
    assert not silent


@pytest.mark.parametrize("words", [words for words in COMMANDS if hasattr(COMMANDS[words], "commands")])
def test_every_group_tells_its_exit_codes(words):
    assert "Exit codes" in COMMANDS[words].help


@pytest.mark.parametrize("words", [words for words in COMMANDS if not hasattr(COMMANDS[words], "commands")])
def test_every_command_can_write_json_and_be_quiet(words):
    flags = {flag for parameter in COMMANDS[words].params for flag in parameter.opts}
    assert {"--json", "--quiet"} <= flags


@pytest.mark.parametrize("words", COMMANDS, ids=NAMES)
@pytest.mark.parametrize("width", ["80", "160"])
def test_help_is_shown_at_any_width_with_its_examples_as_code(viva, words, width, monkeypatch):
    monkeypatch.setenv("COLUMNS", width)
    result = viva(*words[1:], "--help")
    assert result.exit_code == 0
    # Markdown that lost its indentation would run the example into the text, one column to the left.
    assert re.search(r"^  +viva ", re.sub(r"\x1b\[[0-9;]*m", "", result.stdout), flags=re.MULTILINE)


def test_help_loads_none_of_the_heavy_parts():
    code = (
        "import sys\n"
        "from vivavoce.cli.app import app\n"
        "try: app(['intents', 'examine', '--help'])\n"
        "except SystemExit: pass\n"
        "print([m for m in ('numpy', 'sklearn', 'altair', 'onnxruntime', 'scipy') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    "words", [("--help",), ("dialogues", "score", "--help"), ("runs", "start", "intents", "--help")]
)
def test_help_shows_defaults_plainly_and_no_types_of_python(viva, plain, words, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    shown = plain(viva(*words).stdout)
    assert not re.findall(r"<(?:bool|str|path|int|float)>|\[default: \(", shown)
    assert words == ("--help",) or "[default: " in shown


def test_help_groups_the_commands_by_what_they_are_for(viva, plain):
    shown = plain(viva("--help").stdout)
    places = [
        shown.index(f"{frame} {word} ")
        for title, command in (("Exams", "demo"), ("Workspace and server", "serve"), ("Bots, models", "doctor"))
        for frame, word in (("─", title), ("│", command))
    ]
    assert places == sorted(places)
