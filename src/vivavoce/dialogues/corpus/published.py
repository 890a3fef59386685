"""Readers of the public data sets: a file, the folder that holds it, or a folder with one for each set.

ConvAI is read as it was published (`train_full.json`, `data_volunteers.json`, ...), and every set but FED as our own
`dialogues.jsonl`. What differs between them is brought to one form: marks are 1 to 5, a thumb stands with the message
it is about, and the marks of outsiders are called `rater 1`, `rater 2` and so on (not the same person in every
dialogue).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from vivavoce.dialogues.corpus.convai import is_convai2017, is_convai2018, read_2017, read_2018
from vivavoce.dialogues.corpus.parsing import BrokenJsonError, parse_json, read_lines
from vivavoce.dialogues.corpus.values import UnreadableError
from vivavoce.dialogues.dialogue import Dialogue, Rating, Utterance
from vivavoce.errors import FileError, UsageError, nearest
from vivavoce.files import ReadOptions
from vivavoce.files.sources import check_file, read_text

LINES = "dialogues.jsonl"
FED = "fed_data.json"
THUMBS = {"good": True, "bad": False}
MAX_BYTES = 512 * 1024**2
Item = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Part:
    """One part of ConvAI. `files`: the names it was published under; the first that is there is read, with its like.

    `where`: from where it can be got; empty: it is not public any more.
    """

    source: str
    files: tuple[tuple[str, ...], ...]
    where: str


_TURING = "https://github.com/deepmipt/turing-data (unpack data_1501534800.tar.gz)"
_CONVAI = "https://github.com/DeepPavlov/convai"
_JULY = (("train_full.json",), ("data_train_1501534800.json", "data_test_1501534800.json"), ("train_final.json",))
_EXPORTS = tuple(f"export_2018-07-0{day}_train.json" for day in range(4, 8))
_TOLOKA = (("data_tolokers.json",), ("summer_wild_evaluation_dialogs.json",), _EXPORTS)
PARTS: Mapping[str, tuple[Part, ...]] = MappingProxyType(
    {
        "convai2017": (
            Part("july2017", _JULY, f"{_TURING}, or 2017/data in {_CONVAI}"),
            Part("autumn2017", (), ""),
        ),
        "convai2018": (
            Part("toloka_2018-07", _TOLOKA, f"2018/data in {_CONVAI}"),
            Part("volunteers_2018-07_10", (("data_intermediate.json",),), f"2018/data in {_CONVAI}"),
            Part("volunteers_2018-10_12", (("data_volunteers.json",),), f"2018/data in {_CONVAI}"),
        ),
    }
)


def read_convai2017(place: str | Path) -> tuple[Dialogue, ...]:
    """Read ConvAI 2017: July (source `july2017`) and autumn (`autumn2017`), rated by those who talked.

    As published there is July alone. The names of the bots are not published. Marks of 0, which two autumn dialogues
    have, are kept as they are.
    """
    return _read_convai(place, "convai2017", is_convai2017, lambda item, row, _: read_2017(item, row))


def read_convai2018(place: str | Path) -> tuple[Dialogue, ...]:
    """Read ConvAI2 of 2018: people and bots, with the bot and the user where volunteers talked."""
    return _read_convai(place, "convai2018", is_convai2018, read_2018)


def missing_parts(name: str, place: str | Path) -> tuple[Part, ...]:
    """Return the parts of a set that are not in a folder; none where our own form of it is, or one file is named."""
    if name not in PARTS or Path(place).is_file() or _find(place, name, LINES) is not None:
        return ()
    return tuple(part for part in PARTS[name] if not _published_files(place, name, part))


def read_dstc9(place: str | Path) -> tuple[Dialogue, ...]:
    """Read DSTC9, interactive: eleven bots, rated by outsiders. Two of them hardly agree on one dialogue."""
    return tuple(_read_lines(_file(place, "dstc9", LINES), _rated_by_outsiders))


def read_fed(place: str | Path) -> tuple[Dialogue, ...]:
    """Read the 125 whole dialogues of FED; `bot` is the system, which for `Human` is a person.

    The overall mark runs from 0 to 4 there and is moved up by one. Remarks that stand in place of a mark are no mark.
    """
    path = _file(place, "fed", FED)
    items = _read_list(path)
    whole = [
        (number, item) for number, item in enumerate(items, 1) if not (isinstance(item, dict) and "response" in item)
    ]
    return tuple(_guarded(path, f", item {number}", _of_fed, number, item) for number, item in whole)


PUBLISHED: Mapping[str, Callable[[str | Path], tuple[Dialogue, ...]]] = MappingProxyType(
    {"convai2017": read_convai2017, "convai2018": read_convai2018, "dstc9": read_dstc9, "fed": read_fed}
)


def read_published(name: str, place: str | Path) -> tuple[Dialogue, ...]:
    """Read one of the public data sets from a file, a folder that holds it, or that is it."""
    if name not in PUBLISHED:
        raise UsageError(
            f"there is no public data set '{name}'.{nearest(name, list(PUBLISHED))}",
            remedy=f"choose one of: {', '.join(PUBLISHED)}",
        )
    return PUBLISHED[name](place)


# --- finding the files -------------------------------------------------------------------------------------------


def _file(place: str | Path, name: str, file: str) -> Path:
    path = Path(place) if Path(place).is_file() else _find(place, name, file)
    if path is None:
        raise _absent(place, name, f"`{file}`")
    check_file(path, MAX_BYTES)
    return path


def _find(place: str | Path, name: str, file: str) -> Path | None:
    candidates = (Path(place) / name / file, Path(place) / file)
    return next((path for path in candidates if path.is_file()), None)


def _published_files(place: str | Path, name: str, part: Part) -> list[Path]:
    for alternative in part.files:
        paths = [path for file in alternative if (path := _find(place, name, file)) is not None]
        if paths:
            return paths
    return []


def _absent(place: str | Path, name: str, wanted: str, where: str = "") -> FileError:
    return FileError(
        f"the public data set {name} is not here",
        where=str(place),
        remedy=f"give a folder with {wanted}, or one with `{name}` in it that holds it{where}",
    )


# --- ConvAI as published -----------------------------------------------------------------------------------------


def _read_convai(
    place: str | Path, name: str, fits: Callable[[Item], bool], read: Callable[[Item, int, str], Dialogue]
) -> tuple[Dialogue, ...]:
    own = Path(place) if Path(place).suffix in (".jsonl", ".ndjson") else _find(place, name, LINES)
    if own is not None:
        check_file(own, MAX_BYTES)
        return tuple(_read_lines(own, _rated_by_speakers))
    return tuple(
        _renamed(_guarded(path, f", item {row}", _checked, item, row, path, fits, read), name, source)
        for path, source in _sources(place, name)
        for row, item in enumerate(_read_list(path), 1)
    )


def _sources(place: str | Path, name: str) -> list[tuple[Path, str]]:
    """Return the published files with the part that each belongs to; a file of another name is its own part."""
    path = Path(place)
    if path.is_file():
        known = {file: part.source for part in PARTS[name] for files in part.files for file in files}
        return [(path, known.get(path.name, path.stem))]
    found = [(path, part.source) for part in PARTS[name] for path in _published_files(place, name, part)]
    if not found:
        public = [part for part in PARTS[name] if part.files]
        wanted = ", ".join(f"`{files[0]}`" for part in public for files in part.files)
        raise _absent(place, name, f"`{LINES}` or one of {wanted}", f"; get them from {public[0].where}")
    return found


def _checked(
    item: object, row: int, path: Path, fits: Callable[[Item], bool], read: Callable[[Item, int, str], Dialogue]
) -> Dialogue:
    if not isinstance(item, dict) or not fits(item):
        raise UnreadableError("it has other keys")
    return read(item, row, f"{path.stem}:{row - 1}")


def _renamed(dialogue: Dialogue, name: str, source: str) -> Dialogue:
    return replace(dialogue, id=f"{name}:{dialogue.id}", source=source)


def _read_list(path: Path) -> Sequence[Any]:
    check_file(path, MAX_BYTES)
    text = read_text(path, ReadOptions(max_bytes=MAX_BYTES))
    if text.lstrip().startswith("<"):
        raise _foreign(path, "it is a web page: download the raw file", "")
    items = _guarded(path, "", parse_json, text)
    if not isinstance(items, list):
        raise _foreign(path, "it is not a list", "")
    return items


# --- single files ------------------------------------------------------------------------------------------------


def _read_lines(path: Path, convert: Callable[[int, Item], Dialogue]) -> Iterator[Dialogue]:
    for number, line in read_lines(path, ReadOptions()):
        if isinstance(line, BrokenJsonError):
            raise _foreign(path, str(line), f", line {number}")
        item = _guarded(path, f", line {number}", parse_json, line)
        yield _guarded(path, f", line {number}", convert, number, item)


def _guarded(path: Path, place: str, read: Callable[..., Any], *given: object) -> Any:
    """Say of a file that differs from the published one where it does, instead of failing somewhere inside."""
    try:
        return read(*given)
    except (BrokenJsonError, UnreadableError) as error:
        raise _foreign(path, str(error), place) from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
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
