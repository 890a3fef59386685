"""What a page says where the command line names its options: see `vivavoce.files.advice`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from vivavoce.errors import DataError, Fault, VivaError
from vivavoce.files.advice import Advice
from vivavoce.messages import Message, change_messages, change_texts, say

_SEND_AGAIN = say("correct them and send the file again")
_SAVE_AS_UTF8 = say("save the file as UTF-8 and send it again")
_IN_PARTS = say("send it in several parts")
_CHOOSE_COLUMN = say("choose the column")

# For forms on which columns and the encoding can be chosen.
TABLE_ADVICE: Mapping[str, Message] = MappingProxyType(
    {
        Advice.NAME_FORMAT: say("known formats: {names}"),
        Advice.CHOOSE_FORMAT: say("known formats: {names}"),
        Advice.GIVE_JSONL: say("correct the place and send the file again"),
        Advice.CHOOSE_COLUMN: _CHOOSE_COLUMN,
        Advice.NAME_COLUMN: say("columns found: {columns}; choose one"),
        Advice.CALL_COLUMN: _CHOOSE_COLUMN,
        Advice.SKIP_ROWS: _SEND_AGAIN,
        Advice.SKIP_ROWS_LATER: _SEND_AGAIN,
        Advice.SKIP_DIALOGUES: _SEND_AGAIN,
        Advice.DO_NOT_SKIP: say("correct the file and send it again"),
        Advice.OUT_OF_SCOPE: say(
            "the intent '{intent}' is a reserved word: rename it, for instance '{other}', or mark these rows as "
            "out of scope with '{intent}' as the name for it"
        ),
        Advice.GIVE_CP1252: say(
            "choose Windows-1252 as its encoding and send it again, where this reads well: {shown}"
        ),
        Advice.GIVE_UTF16: say("choose UTF-16 as its encoding and send it again"),
        Advice.MORE_ROWS: _IN_PARTS,
        Advice.MORE_MEGABYTES: _IN_PARTS,
        Advice.SHEET_TOO_LARGE: say("save the one sheet as CSV"),
        Advice.LINE_TOO_LONG: say("write one dialogue on each line"),
    }
)
# For logs, whose encoding cannot be chosen.
LOG_ADVICE: Mapping[str, Message] = MappingProxyType(
    {**TABLE_ADVICE, Advice.GIVE_CP1252: _SAVE_AS_UTF8, Advice.GIVE_UTF16: _SAVE_AS_UTF8}
)


def reword(text: str, path: Path, advice: Mapping[str, Message]) -> str:
    """Return a text that names a file as its sender does, and has the advice of a page."""
    return _advise(change_texts(text, lambda value: value.replace(str(path), path.name)), advice)


def _advise(text: str, advice: Mapping[str, Message]) -> str:
    if isinstance(text, Message) and text.template in advice:
        text = Message(advice[text.template].template, text.values)
    return change_messages(text, lambda part: _advise(part, advice))


def reword_error(error: VivaError, path: Path, advice: Mapping[str, Message]) -> VivaError:
    """Return an error that names a file as its sender does, and has the advice of a page."""
    faults = [Fault(reword(one.message, path, advice), reword(one.where, path, advice)) for one in error.faults]
    where, remedy = (reword(text, path, advice) for text in (error.where, error.remedy))
    kind: Any = type(error) if type(error).__init__ is VivaError.__init__ else DataError
    reworded: VivaError = kind(reword(error.what, path, advice), where=where, remedy=remedy, faults=faults)
    return reworded
