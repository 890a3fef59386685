"""Files of other tools, given where scenarios are read: which tool they belong to, and what can be done with them.

One table for all places that read a suite. A file is looked at only after no reader of scenarios claimed it.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from vivavoce.errors import FileError, VivaError
from vivavoce.files.delimited import read_csv
from vivavoce.files.sources import MEGABYTE, read_text
from vivavoce.files.tables import ReadOptions
from vivavoce.files.xlsx import read_xlsx
from vivavoce.files.yamls import read_yaml
from vivavoce.sentences import say

MAX_NAMES = 2_000
OWN = frozenset({"scenarios", "suite", "level"})
READ = say("scenarios are read from YAML, CSV and XLSX of our own form, Botium scripts and Rasa tests")
_MOST = ReadOptions(max_bytes=20 * MEGABYTE)

_SHEET = "write its cases into a sheet with the columns scenario, level, user and good_replies (docs/scenarios.md)"
_PROMPTFOO = f"{_SHEET}: the variable with the question as user, the values of `contains` as good_replies"
_DEEPEVAL = f"{_SHEET}: `input` as user, `expected_output` as good_replies with `similar` in the column match"
_LEX_TESTS = f"{_SHEET}: `Conversation #` as scenario, `Input` as user, `Expected Output Intent` as expect_topic"
_CX_TESTS = f"{_SHEET}: one scenario for each test case, user inputs as user, text responses as good_replies"
_PAIRS = f"{_SHEET}: the input as user, the output as good_replies"
_TRAINING = (
    "it describes an agent, not conversations with it: put its example messages into a table with the columns text "
    "and intent and examine them with `viva intents examine`; scenarios are a file of their own"
)
_EXAMPLES = "examine it with `viva intents examine`; scenarios are a file of their own"
_RASA = "give the test stories (`stories:` with `user` texts) or the end-to-end tests (`test_cases:`) of the project"
_LOG = (
    "a log has no expectations: score it with `viva dialogues score`, or write down what the bot should have said "
    "in a sheet with the columns scenario, level, user and good_replies"
)


@dataclass(frozen=True, slots=True)
class Foreign:
    """A kind of file that is known and not read, by what it holds.

    `keys` must all be there, and one of `some`: the keys of an object or of the first in a list, or the columns of a
    table. `names`: parts of the names of files in an archive or a folder. `endings`: enough by themselves.
    """

    what: str
    remedy: str
    keys: frozenset[str] = frozenset()
    some: frozenset[str] = frozenset()
    names: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()

    def fits(self, ending: str, keys: frozenset[str], names: frozenset[str]) -> bool:
        """Tell whether a file with these keys and names is of this kind."""
        if ending in self.endings:
            return True
        if self.names and all(any(part in f"/{name}" for name in names) for part in self.names):
            return True
        return bool(self.keys) and self.keys <= keys and (not self.some or bool(self.some & keys))


def _keys(*names: str) -> frozenset[str]:
    return frozenset(names)


# The first that fits is named, so the particular stand before the general.
FOREIGN = (
    Foreign(
        "a promptfoo configuration", _PROMPTFOO, _keys("prompts"), _keys("providers", "targets", "tests", "scenarios")
    ),
    Foreign("a promptfoo configuration", _PROMPTFOO, _keys("redteam"), _keys("targets", "providers", "purpose")),
    Foreign("a promptfoo test list", _PROMPTFOO, _keys("__expected")),
    Foreign(
        "a promptfoo test list", _PROMPTFOO, _keys("vars"), _keys("assert", "description", "metadata", "options")
    ),
    Foreign(
        "a DeepEval dataset",
        _DEEPEVAL,
        _keys("input"),
        _keys("expected_output", "actual_output", "retrieval_context", "expected_tools"),
    ),
    Foreign("a DeepEval dataset", _DEEPEVAL, _keys("scenario", "expected_outcome")),
    Foreign("a Bot Framework transcript", _LOG, endings=(".transcript",)),
    Foreign("a Bot Framework transcript", _LOG, _keys("type", "from", "recipient", "conversation")),
    Foreign("an Amazon Lex test set", _LEX_TESTS, _keys("conversation #", "source", "input")),
    Foreign("an export of an Amazon Lex bot", _TRAINING, names=("/Manifest.json", "/BotLocales/")),
    Foreign("an export of an Amazon Lex bot", _TRAINING, _keys("metadata", "resource")),
    Foreign("an export of an Amazon Lex bot", _TRAINING, _keys("metaData")),
    Foreign("a set of Dialogflow CX test cases", _CX_TESTS, _keys("testCaseConversationTurns")),
    Foreign("a set of Dialogflow CX test cases", _CX_TESTS, _keys("testCases")),
    Foreign("an export of a Dialogflow CX agent", _TRAINING, names=("/agent.json", "/flows/")),
    Foreign("an export of a Dialogflow ES agent", _TRAINING, names=("/agent.json", "/intents/")),
    Foreign("a LUIS app", _TRAINING, _keys("luis_schema_version")),
    Foreign("a CLU project", _TRAINING, _keys("projectFileVersion", "assets")),
    Foreign("a Watson Assistant skill", _TRAINING, _keys("intents", "dialog_nodes")),
    Foreign("a Watson Assistant skill", _TRAINING, _keys("workspace", "skill_id")),
    Foreign("a file of Rasa training data", _RASA, _keys("nlu")),
    Foreign("a file of Rasa training data", _RASA, _keys("rules")),
    Foreign("a file of Rasa flows", _RASA, _keys("flows")),
    Foreign("a Rasa domain", _RASA, _keys("responses")),
    Foreign("a Rasa domain", _RASA, _keys("intents"), _keys("actions", "slots", "session_config")),
    Foreign("a Rasa configuration", _RASA, _keys("pipeline"), _keys("policies", "recipe", "language")),
    Foreign("a LangSmith dataset", _PAIRS, _keys("inputs", "outputs")),
    Foreign("an inspect_ai dataset", _PAIRS, _keys("input", "target")),
    Foreign("an OpenAI evals dataset", _PAIRS, _keys("input", "ideal")),
    Foreign("a log of conversations", _LOG, _keys("messages")),
    Foreign("a log of conversations", _LOG, _keys("sender_id", "events")),
    Foreign(
        "a list of examples with their topics",
        _EXAMPLES,
        _keys("text"),
        _keys("intent", "topic", "label", "category"),
    ),
)


def recognise(path: Path, *, value: object = None, encoding: str | None = None) -> Foreign | None:
    """Return which tool's file or folder this is, or None; `value`: what it holds, where it was read before."""
    ending = path.suffix.lower()
    names = frozenset(_names(path, ending))
    keys = _keys_of(value) if value is not None else _top_keys(path, ending, encoding)
    if OWN & keys and "prompts" not in keys:
        return None  # a suite with a fault is a suite
    return next((kind for kind in FOREIGN if kind.fits(ending, keys, names)), None)


def refusal(kind: Foreign, where: str) -> FileError:
    """Return the error that says what a file is, and what can be done with it."""
    return FileError(f"this is {kind.what}; {READ}", where=where, remedy=kind.remedy)


def _names(path: Path, ending: str) -> Iterable[str]:
    """Return the names of the files in a folder or an archive."""
    if path.is_dir():
        files = (file for file in path.rglob("*") if file.is_file())
        return [file.relative_to(path).as_posix() for file in islice(files, MAX_NAMES)]
    if ending != ".zip":
        return ()
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()[:MAX_NAMES]
    except (OSError, zipfile.BadZipFile):
        return ()


def _top_keys(path: Path, ending: str, encoding: str | None) -> frozenset[str]:
    """Return the keys of an object or of the first in a list, or the columns of a table; none where unreadable."""
    try:
        if ending in (".yaml", ".yml"):
            return _keys_of(read_yaml(path).value)
        if ending in (".csv", ".xlsx"):
            table = (read_csv if ending == ".csv" else read_xlsx)(path, ReadOptions(encoding))
            return frozenset(map(_bare, table.columns))
        if ending in (".json", ".jsonl", ".ndjson"):
            return _keys_of(_first_json(read_text(path, _MOST), ending == ".json"))
    except (VivaError, ValueError, RecursionError):
        pass
    return frozenset()


def _first_json(text: str, whole: bool) -> object:
    return json.loads(text if whole else next(line for line in [*text.split("\n"), "{}"] if line.strip()))


def _keys_of(value: object) -> frozenset[str]:
    if isinstance(value, list):
        value = next((item for item in value if isinstance(item, Mapping)), None)
    return frozenset(str(key) for key in value) if isinstance(value, Mapping) else frozenset()


def _bare(column: str) -> str:
    """Return the name of a column without its number: promptfoo counts `__expected1`, `__expected2`."""
    return column.strip().lower().rstrip("0123456789")
