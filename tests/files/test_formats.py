"""The registry of file formats: built-ins, those of others, and the page that lists them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from vivavoce import plugins
from vivavoce.conversations import read_suite
from vivavoce.conversations.scenarios.suites import convert_suite, form_of
from vivavoce.dialogues import read_dialogues
from vivavoce.errors import MissingPartError, UsageError
from vivavoce.files import Format, Kind, SourceFile, read_dataset
from vivavoce.files.formats import find_format, get_format, list_extensions, list_formats

Install = Callable[[str, str], None]
DOCS = Path(__file__).parents[2] / "docs" / "formats.md"
THREE_KINDS = """
from vivavoce.conversations.scenario import Expectation, Scenario, Suite, Turn
from vivavoce.dialogues.corpus.entries import Entry
from vivavoce.dialogues.dialogue import Dialogue, Utterance
from vivavoce.files import Format, Kind, Row, Table

def read_bars(file):
    rows = [line.split("|") for line in file.path.read_text().splitlines()]
    return Table(("text", "intent"), tuple(Row(n, tuple(row)) for n, row in enumerate(rows, 1)))

def read_script(file):
    turns = tuple(Turn(line, Expectation(answered=True)) for line in file.path.read_text().splitlines())
    return Suite("script", (Scenario("a", "basic", turns),))

def write_script(suite, path):
    lines = [turn.user for scenario in suite.scenarios for turn in scenario.turns]
    path.write_text("\\n".join(lines))
    return len(suite.scenarios), len(lines), ("all expectations are lost",)

def read_chat(file):
    turns = tuple(Utterance(*line.split("> ", 1)) for line in file.path.read_text().splitlines())
    yield Entry("line 1", Dialogue(file.path.stem, turns))

FORMATS = (
    Format("bars", Kind.TRAINING, "Bars.", (".bars",), read_bars),
    Format("script", Kind.SCENARIOS, "A line for each message.", (".script",), read_script, write_script),
    Format("chat", Kind.DIALOGUES, "Chats.", (".chat",), read_chat, sniff=lambda f: "> " in f.head, also=(".txt",)),
)
BARS, SCRIPT, CHAT = FORMATS
"""


@pytest.fixture(autouse=True)
def _fresh_cache() -> Iterator[None]:
    plugins._points.cache_clear()
    yield
    plugins._points.cache_clear()


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install a distribution with entry points of the group of formats."""

    def put(code: str, points: str) -> None:
        name = f"plug_{len(list(tmp_path.glob('plug_*')))}_{abs(hash(code)) % 10**6}"
        info = tmp_path / name / f"{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (tmp_path / name / f"{name}.py").write_text(code)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[{plugins.FORMATS}]\n{points.replace('HERE', name)}\n")
        monkeypatch.syspath_prepend(str(tmp_path / name))
        plugins._points.cache_clear()

    return put


@pytest.mark.parametrize(
    "points",
    ["training.bars = HERE:BARS\nscenarios.script = HERE:SCRIPT\ndialogues.chat = HERE:CHAT", "mine = HERE:FORMATS"],
)
def test_a_format_of_each_kind_can_be_plugged_in(tmp_path: Path, install: Install, points: str) -> None:
    install(THREE_KINDS, points)
    (tmp_path / "data.bars").write_text("hi|greet\nbye|leave")
    assert [example.intent for example in read_dataset(tmp_path / "data.bars")] == ["greet", "leave"]

    (tmp_path / "suites").mkdir()
    (tmp_path / "suites" / "talk.script").write_text("hi\nbye")
    for place in (tmp_path / "suites", tmp_path / "suites" / "talk.script"):
        suite = read_suite(place)
        assert len(suite.scenarios[0].turns) == 2
    assert form_of(tmp_path / "out.script") == "script"
    done = convert_suite(suite, tmp_path / "out.script", "script")
    assert (done.conversations, done.turns) == (1, 2)
    assert "all expectations are lost" in done.lost
    assert (tmp_path / "out.script").read_text() == "hi\nbye"

    for name in ("talk.chat", "talk.txt", "talk.unknown"):
        (tmp_path / name).write_text("User> hi\nBot> hello")
        (dialogue,) = read_dialogues(tmp_path / name).dialogues
        assert [turn.text for turn in dialogue.turns] == ["hi", "hello"]


def test_a_function_that_reads_tables_is_still_a_format_of_training_data(tmp_path: Path, install: Install) -> None:
    code = (
        "from vivavoce.files import Row, Table\n"
        "def read(path, options):\n    '''Read it.'''\n"
        "    return Table(('text', 'intent'), (Row(1, ('hi', 'greet')),))"
    )
    install(code, "old = HERE:read")
    (tmp_path / "x.old").write_text("x")
    assert next(iter(read_dataset(tmp_path / "x.old"))).text == "hi"
    assert get_format(Kind.TRAINING, "old").summary == "Read it."
    assert "old" not in [format.name for format in list_formats(Kind.DIALOGUES)]


def test_what_is_no_format_is_refused_with_the_remedy_and_breaks_no_other(tmp_path: Path, install: Install) -> None:
    install("NUMBER = 5", "training.five = HERE:NUMBER\nbroken = nowhere_at_all:read")
    (tmp_path / "a.csv").write_text("text,intent\nhi,greet\n")
    assert len(read_dataset(tmp_path / "a.csv")) == 1
    with pytest.raises(MissingPartError, match=r"vivavoce\.files\.Format") as refused:
        read_dataset(tmp_path / "a.csv", format="five")
    assert "'int'" in refused.value.what
    with pytest.raises(MissingPartError, match="nowhere_at_all"):
        read_dataset(tmp_path / "a.csv", format="broken")


def test_a_format_of_ours_is_not_replaced(install: Install) -> None:
    install("def read(path, options):\n    raise AssertionError", "csv = HERE:read")
    assert get_format(Kind.TRAINING, "csv").extensions == (".csv",)
    assert "comma, semicolon" in get_format(Kind.TRAINING, "csv").summary


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="Did you mean 'jsonl'") as refused:
        get_format(Kind.DIALOGUES, "jsonlines")
    assert "xlsx" in refused.value.remedy
    with pytest.raises(UsageError):
        get_format(Kind.SCENARIOS, "promptfoo-configuration")


def test_extensions_decide_before_content_and_content_where_they_do_not(tmp_path: Path) -> None:
    lines = '{"id": "a", "turns": []}\n{"id": "b", "turns": []}\n'
    for name, content, format in (
        ("a.json", lines, "jsonl"),
        ("a.json", "[]", "json"),
        ("a.txt", lines, "jsonl"),
        ("a.txt", "dialogue,speaker,text\n", "csv"),
        ("a.csv", lines, "csv"),
        ("a.log", "User: hi", "text"),
        ("a.log", "nothing of the kind", None),
    ):
        (tmp_path / name).write_text(content)
        chosen = find_format(Kind.DIALOGUES, SourceFile(tmp_path / name))
        assert (chosen.name if chosen else None) == format, (name, content)


@pytest.mark.parametrize("kind", list(Kind))
def test_every_format_says_what_it_is(kind: Kind) -> None:
    formats = list_formats(kind)
    assert formats
    assert all(format.summary for format in formats)
    assert all(format.remedy for format in formats if format.reader is None)
    assert all(extension.startswith(".") for extension in list_extensions(kind))


@pytest.mark.parametrize("kind", list(Kind))
def test_the_page_lists_every_format_with_its_extensions(kind: Kind) -> None:
    rows = re.findall(rf"^\| {kind} \| `(\S+)` \| (.*?) \| (yes|) \| (.*?) \|$", DOCS.read_text(), re.MULTILINE)
    expected = [
        (format.name, " ".join(format.extensions), "yes" if format.writer else "", format.summary)
        for format in list_formats(kind)
        if format.reader
    ]
    assert rows == expected


def test_the_page_names_every_other_tool() -> None:
    text = " ".join(DOCS.read_text().split())
    tools = [format for format in list_formats(Kind.SCENARIOS) if format.reader is None]
    assert [tool.summary for tool in tools if tool.summary not in text] == []


def test_a_format_without_sniffing_fits_by_its_extension() -> None:
    format = Format("x", Kind.TRAINING, "X.", (".x",))
    assert format.fits(SourceFile("a.X"))
    assert not format.fits(SourceFile("a.y"))
