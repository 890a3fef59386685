"""Training data as platforms export it: Rasa, Dialogflow ES and CX, Lex V2, Watson, CLU and LUIS.

Each export becomes a table of messages with their topic, answer and language, for those who move from a platform or
examine what they have there. What answers a message of no topic (the phrases of fallback intents) is out of scope.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from vivavoce.errors import FileError
from vivavoce.files.formats import YAML, Format, Kind, SourceFile
from vivavoce.files.sources import read_text
from vivavoce.files.tables import Row, Table, check_rows
from vivavoce.messages import join_and, say
from vivavoce.records import is_out_of_scope

COLUMNS = ("text", "intent", "answer", "language")
OUT_OF_SCOPE = "out_of_scope"
_ENTITY = re.compile(r"\[([^\]]+)\](?:\([^)]*\)|\{[^}]*\})")
_BULLET = re.compile(r"^\s*-\s+", re.MULTILINE)


@dataclass(frozen=True)
class Export:
    """What an export holds: messages with topic, answer and language, and the names of the parts left out."""

    messages: Iterable[tuple[str, str, str, str]]
    left: tuple[str, ...] = ()


def read_rasa(file: SourceFile) -> Export:
    """Read Rasa training data (`nlu:`), without the marks of entities."""
    content: Any = file.yaml.value
    blocks = content.get("nlu") if isinstance(content, Mapping) else None
    blocks = [block for block in blocks or () if isinstance(block, Mapping)]

    def messages() -> Iterator[tuple[str, str, str, str]]:
        for block in blocks:
            examples = block.get("examples") or ""
            if isinstance(examples, str):
                examples = [{"text": line} for line in _BULLET.split(examples)]
            for example in examples if "intent" in block else ():
                text = example.get("text", "") if isinstance(example, Mapping) else str(example)
                yield _ENTITY.sub(r"\1", _BULLET.sub("", text)), str(block["intent"]), "", ""

    others = {key for block in blocks for key in block if key not in ("intent", "examples", "metadata")}
    return Export(messages(), tuple(sorted(others)))


def read_dialogflow(file: SourceFile) -> Export:
    """Read a Dialogflow ES agent (ZIP): training phrases with the first text response."""
    parts = _read_archive(file)

    def messages() -> Iterator[tuple[str, str, str, str]]:
        for name, content in parts.items():
            stem, says, language = name.rpartition("_usersays_")
            intent = parts.get(f"{stem}.json") or {}
            topic = (
                OUT_OF_SCOPE if intent.get("fallbackIntent") else str(intent.get("name") or PurePosixPath(stem).name)
            )
            code = language.removesuffix(".json")
            for phrase in content if says else ():
                text = "".join(part.get("text", "") for part in phrase.get("data", ()))
                yield text, topic, _find_speech(intent, code), code

    return Export(messages(), _list_folders(parts, "entities"))


def read_dialogflow_cx(file: SourceFile) -> Export:
    """Read a Dialogflow CX agent (ZIP, JSON package): training phrases."""
    parts = _read_archive(file)

    def messages() -> Iterator[tuple[str, str, str, str]]:
        for name, content in parts.items():
            path = PurePosixPath(name)
            if path.parent.name != "trainingPhrases":
                continue
            topic = path.parent.parent.name
            intent = parts.get(str(path.parent.parent / f"{topic}.json")) or {}
            for phrase in content.get("trainingPhrases", ()):
                text = "".join(part.get("text", "") for part in phrase.get("parts", ()))
                yield text, OUT_OF_SCOPE if intent.get("isFallback") else topic, "", path.stem

    return Export(messages(), _list_folders(parts, "entityTypes", "flows", "generators"))


def read_lex(file: SourceFile) -> Export:
    """Read a Lex V2 bot (ZIP): sample utterances with the closing response."""
    parts = _read_archive(file)

    def messages() -> Iterator[tuple[str, str, str, str]]:
        for name, intent in parts.items():
            steps = PurePosixPath(name).parts
            if steps[-1] == "Intent.json" and "BotLocales" in steps:
                closing = (intent.get("intentClosingSetting") or {}).get("closingResponse") or {}
                groups = closing.get("messageGroupList") or [{}]
                plain = (groups[0].get("message") or {}).get("plainTextMessage") or {}
                language = steps[steps.index("BotLocales") + 1].replace("_", "-")
                for sample in intent.get("sampleUtterances") or ():
                    yield sample["utterance"], intent["name"], plain.get("value") or "", language

    return Export(messages(), _list_folders(parts, "SlotTypes"))


def read_watson(file: SourceFile) -> Export:
    """Read a Watson Assistant workspace or actions skill (JSON); counterexamples are out of scope."""
    content = _read_json(file)
    space = content.get("workspace") or content
    language = str(content.get("language") or "")
    # An action has its name in its title; a title such as "Fallback" would put its examples out of scope.
    titles = {
        action["condition"]["intent"]: action["title"]
        for action in space.get("actions", ())
        if "intent" in (action.get("condition") or ()) and not is_out_of_scope(action.get("title") or OUT_OF_SCOPE)
    }

    def messages() -> Iterator[tuple[str, str, str, str]]:
        for intent in space.get("intents", ()):
            topic = titles.get(intent["intent"], intent["intent"])
            for example in intent.get("examples", ()):
                yield example["text"], topic, "", language
        for example in space.get("counterexamples", ()):
            yield example["text"], OUT_OF_SCOPE, "", language

    return Export(messages(), tuple(name for name in ("entities", "dialog_nodes", "actions") if space.get(name)))


def read_clu(file: SourceFile) -> Export:
    """Read a CLU or LUIS project (JSON)."""
    content = _read_json(file)
    assets = content.get("assets") or content
    usual = str(content.get("culture") or (content.get("metadata") or {}).get("language") or "")
    messages = (
        (one["text"], one["intent"], "", str(one.get("language") or usual)) for one in assets.get("utterances", ())
    )
    return Export(messages, ("entities",) if assets.get("entities") else ())


def _find_speech(intent: Mapping[str, Any], language: str) -> str:
    """Return the first text response of a Dialogflow ES intent in a language."""
    for response in intent.get("responses", ()):
        for message in response.get("messages", ()):
            if message.get("lang", language) == language and (speech := message.get("speech")):
                return str(speech[0] if isinstance(speech, list) else speech)
    return ""


def _read_json(file: SourceFile) -> Any:
    return json.loads(read_text(file.path, file.options))


def _read_archive(file: SourceFile) -> dict[str, Any]:
    """Return the JSON files of an archive by their names, without the folder that holds them all."""
    parts, left = {}, file.options.max_bytes
    with zipfile.ZipFile(file.path) as archive:
        for entry in archive.infolist():
            if entry.filename.endswith(".json"):
                left -= entry.file_size
                if left < 0:
                    what = say("unpacked, the archive is larger than the limit")
                    raise FileError(what, where=str(file.path), remedy=say("export fewer intents at a time"))
                parts[entry.filename] = json.loads(archive.read(entry))
    return parts


def _list_folders(parts: Iterable[str], *names: str) -> tuple[str, ...]:
    folders = {step for part in parts for step in PurePosixPath(part).parts[:-1]}
    return tuple(name for name in names if name in folders)


def _make_reader(read: Callable[[SourceFile], Export]) -> Callable[[SourceFile], Table]:
    def read_export(file: SourceFile) -> Table:
        try:
            export = read(file)
            messages = [message for message in export.messages if message[0].strip()]
        except (
            ValueError,
            TypeError,
            AttributeError,
            KeyError,
            RecursionError,
            OSError,
            zipfile.BadZipFile,
        ) as error:
            what = say("the export cannot be read; it is damaged or of another version")
            raise FileError(what, where=str(file.path), remedy=say("export it again from the platform")) from error
        if not messages:
            what, remedy = say("the export contains no messages"), say("export the whole agent, with its intents")
            raise FileError(what, where=str(file.path), remedy=remedy)
        check_rows(len(messages), file.options.max_rows, str(file.path))
        rows = tuple(Row(number, (text.strip(), *rest)) for number, (text, *rest) in enumerate(messages, 1))
        left = join_and(list(export.left))
        note = say("{source}: not imported from this export: {parts}", source=str(file.path), parts=left)
        return Table(COLUMNS, rows, (note,) if export.left else (), unit="item", typed=True)

    return read_export


def _make_format(
    name: str,
    read: Callable[[SourceFile], Export],
    sniff: Callable[[SourceFile], bool],
    extensions: tuple[str, ...],
) -> Format:
    summary = (read.__doc__ or "").strip().partition("\n")[0]
    return Format(name, Kind.TRAINING, summary, extensions, _make_reader(read), sniff=sniff)


def _has_file(ending: str) -> Callable[[SourceFile], bool]:
    return lambda file: any(ending in name for name in file.names)


def _is_watson(file: SourceFile) -> bool:
    return bool(file.keys & {"dialog_nodes", "workspace", "counterexamples"})


def _is_clu(file: SourceFile) -> bool:
    return {"assets", "metadata"} <= file.keys or "luis_schema_version" in file.keys


EXPORTS = (
    _make_format("rasa", read_rasa, lambda file: "nlu" in file.keys, YAML),
    _make_format("dialogflow", read_dialogflow, _has_file("_usersays_"), (".zip",)),
    _make_format("dialogflow-cx", read_dialogflow_cx, _has_file("/trainingPhrases/"), (".zip",)),
    _make_format("lex", read_lex, _has_file("/Intent.json"), (".zip",)),
    _make_format("watson", read_watson, _is_watson, (".json",)),
    _make_format("clu", read_clu, _is_clu, (".json",)),
)
