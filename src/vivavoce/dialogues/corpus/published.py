"""Readers of the public data sets, each from its own folder: `dialogues.jsonl`, or `fed_data.json`.

What differs between them is brought to one form: marks are 1 to 5, a thumb stands with the message it is about, and
the marks of outsiders are called `rater 1`, `rater 2` and so on (not the same person in every dialogue).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from vivavoce.dialogues.corpus.entries import LogOptions
from vivavoce.dialogues.corpus.parsing import BrokenJsonError, parse_json, read_lines
from vivavoce.dialogues.dialogue import Dialogue, Rating, Utterance
from vivavoce.errors import FileError, UsageError, nearest
from vivavoce.files import ReadOptions
from vivavoce.files.sources import check_file, read_text

LINES = "dialogues.jsonl"
FED = "fed_data.json"
THUMBS = {"good": True, "bad": False}
MAX_BYTES = 512 * 1024**2
Item = Mapping[str, Any]


def read_convai2017(folder: str | Path) -> tuple[Dialogue, ...]:
    """Read ConvAI 2017: July (source `july2017`) and autumn (`autumn2017`), rated by those who talked.

    The names of the bots are not published. Marks of 0, which two autumn dialogues have, are kept as they are.
    """
    return tuple(_read_lines(_file(folder, "convai2017", LINES), _rated_by_speakers))


def read_convai2018(folder: str | Path) -> tuple[Dialogue, ...]:
    """Read ConvAI2 of 2018: people and bots, with the bot and the user where volunteers talked."""
    return tuple(_read_lines(_file(folder, "convai2018", LINES), _rated_by_speakers))


def read_dstc9(folder: str | Path) -> tuple[Dialogue, ...]:
    """Read DSTC9, interactive: eleven bots, rated by outsiders. Two of them hardly agree on one dialogue."""
    return tuple(_read_lines(_file(folder, "dstc9", LINES), _rated_by_outsiders))


def read_fed(folder: str | Path) -> tuple[Dialogue, ...]:
    """Read the 125 whole dialogues of FED; `bot` is the system, which for `Human` is a person.

    The overall mark runs from 0 to 4 there and is moved up by one. Remarks that stand in place of a mark are no mark.
    """
    path = _file(folder, "fed", FED)
    items = _guarded(path, "", parse_json, read_text(path, ReadOptions(max_bytes=MAX_BYTES)))
    if not isinstance(items, list):
        raise _foreign(path, "it is not a list", "")
    whole = [
        (number, item) for number, item in enumerate(items, 1) if not (isinstance(item, dict) and "response" in item)
    ]
    return tuple(_guarded(path, f", item {number}", _of_fed, number, item) for number, item in whole)


PUBLISHED: Mapping[str, Callable[[str | Path], tuple[Dialogue, ...]]] = MappingProxyType(
    {"convai2017": read_convai2017, "convai2018": read_convai2018, "dstc9": read_dstc9, "fed": read_fed}
)


def read_published(name: str, folder: str | Path) -> tuple[Dialogue, ...]:
    """Read one of the public data sets from a folder that holds it, or that is it."""
    if name not in PUBLISHED:
        raise UsageError(
            f"there is no public data set '{name}'.{nearest(name, list(PUBLISHED))}",
            remedy=f"choose one of: {', '.join(PUBLISHED)}",
        )
    return PUBLISHED[name](folder)


def _file(folder: str | Path, name: str, file: str) -> Path:
    inside, itself = Path(folder) / name / file, Path(folder) / file
    path = itself if itself.is_file() and not inside.is_file() else inside
    check_file(path, MAX_BYTES)
    return path


def _read_lines(path: Path, convert: Callable[[int, Item], Dialogue]) -> Iterator[Dialogue]:
    for number, line in read_lines(path, LogOptions()):
        if isinstance(line, BrokenJsonError):
            raise _foreign(path, str(line), f", line {number}")
        item = _guarded(path, f", line {number}", parse_json, line)
        yield _guarded(path, f", line {number}", convert, number, item)


def _guarded(path: Path, place: str, read: Callable[..., Any], *given: object) -> Any:
    """Say of a file that differs from the published one where it does, instead of failing somewhere inside."""
    try:
        return read(*given)
    except (BrokenJsonError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise _foreign(path, f"{type(error).__name__}: {error}", place) from error


def _foreign(path: Path, reason: str, place: str) -> FileError:
    return FileError(
        f"this is not the published data set: {reason}",
        where=f"{path}{place}",
        remedy="get the file again; for logs of your own use the readers of logs",
    )


def _rated_by_speakers(row: int, item: Item) -> Dialogue:
    ratings = tuple(
        Rating(rater, _number(marks.get("quality")), _aspects(marks, "quality"))
        for rater, marks in item["ratings"].items()
    )
    return _dialogue(row, item, ratings)


def _rated_by_outsiders(row: int, item: Item) -> Dialogue:
    ratings = tuple(
        Rating(f"rater {number}", _number(marks.get("overall")), _aspects(marks, "overall"))
        for number, marks in enumerate(item["ratings"], 1)
    )
    return _dialogue(row, item, ratings)


def _dialogue(row: int, item: Item, ratings: tuple[Rating, ...]) -> Dialogue:
    turns = tuple(
        Utterance(turn["speaker"], turn["text"], turn["is_bot"], THUMBS.get(turn.get("utterance_eval", "")))
        for turn in item["turns"]
    )
    return Dialogue(
        item["id"], turns, ratings, item["source"], bot=item.get("bot_id"), user=item.get("user_id"), row=row
    )


def _of_fed(number: int, item: Item) -> Dialogue:
    turns = tuple(_fed_turn(line, item["system"] != "Human") for line in item["context"].split("\n"))
    return Dialogue(
        f"fed:{number}", turns, tuple(_fed_ratings(item["annotations"])), "fed", item["system"], row=number
    )


def _fed_turn(line: str, is_system_bot: bool) -> Utterance:
    speaker, colon, text = line.partition(":")
    if not colon or speaker not in ("User", "System"):
        raise ValueError(f"a line of the context names no speaker: {line[:60]}")
    return Utterance(speaker, text.strip(), is_system_bot and speaker == "System")


def _fed_ratings(annotations: Mapping[str, list[object]]) -> Iterator[Rating]:
    """Turn the marks around: from lists by aspect to one mark of each rater."""
    for place, overall in enumerate(annotations["Overall"]):
        mark = _number(overall)
        own = {
            name.lower().replace(" ", "_"): marks[place] for name, marks in annotations.items() if len(marks) > place
        }
        yield Rating(f"rater {place + 1}", None if mark is None else mark + 1, _aspects(own, "overall"))


def _aspects(marks: Mapping[str, object], but: str) -> dict[str, float]:
    numbers = {name: _number(mark) for name, mark in marks.items() if name != but}
    return {name: number for name, number in numbers.items() if number is not None}


def _number(mark: object) -> float | None:
    """Return a number; None for a mark that was not given or is a remark such as `N/A (no errors)`."""
    return float(mark) if isinstance(mark, int | float) and not isinstance(mark, bool) else None
