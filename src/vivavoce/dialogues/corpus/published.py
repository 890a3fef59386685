"""Readers of the public data sets: a file, the folder that holds it, or a folder with one for each set.

ConvAI is read as it was published (`train_full.json`, `data_volunteers.json`, ...), and every set but FED as our own
`dialogues.jsonl`. What differs between them is brought to one form: ratings are 1 to 5, a thumb belongs to the
message it is about, and outsiders are called `rater 1`, `rater 2` and so on (not the same person in every dialogue).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from vivavoce.dialogues.corpus.convai import is_convai2017, is_convai2018, read_2017, read_2018
from vivavoce.dialogues.corpus.entries import UnreadableError
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
        "convai2017": (Part("july2017", _JULY, f"{_TURING}, or 2017/data in {_CONVAI}"), Part("autumn2017", (), "")),
        "convai2018": (
            Part("toloka_2018-07", _TOLOKA, f"2018/data in {_CONVAI}"),
            Part("volunteers_2018-07_10", (("data_intermediate.json",),), f"2018/data in {_CONVAI}"),
            Part("volunteers_2018-10_12", (("data_volunteers.json",),), f"2018/data in {_CONVAI}"),
        ),
    }
)


def read_convai2017(place: str | Path) -> tuple[Dialogue, ...]:
    """Read ConvAI 2017: July (source `july2017`) and autumn (`autumn2017`), rated by the participants.

    As published there is July alone. The names of the bots are not published. Two autumn dialogues have ratings of 0,
    which are kept.
    """
    return _read_convai(place, "convai2017", is_convai2017, lambda item, row, _: read_2017(item, row))


def read_convai2018(place: str | Path) -> tuple[Dialogue, ...]:
    """Read ConvAI2 of 2018: people and bots, with the bot and the user where volunteers took part."""
    return _read_convai(place, "convai2018", is_convai2018, read_2018)


def missing_parts(name: str, place: str | Path) -> tuple[Part, ...]:
    """Return the parts of a set that are not in a folder; none where our own form of it is, or one file is named."""
    if name not in PARTS or Path(place).is_file() or _find(place, name, LINES) is not None:
        return ()
    return tuple(part for part in PARTS[name] if not _find_published(place, name, part))


def read_dstc9(place: str | Path) -> tuple[Dialogue, ...]:
    """Read DSTC9, interactive: eleven bots, rated by outsiders. Two of them hardly agree on one dialogue."""
    return _read_lines(_find_file(place, "dstc9", LINES), "overall")


def read_fed(place: str | Path) -> tuple[Dialogue, ...]:
    """Read the 125 whole dialogues of FED; `bot` is the system, which for `Human` is a person.

    The overall rating runs from 0 to 4 there and is moved up by one. Remarks in place of a rating are no rating.
    """
    path = _find_file(place, "fed", FED)
    return tuple(
        _guard(path, f", item {number}", _read_fed_item, number, item)
        for number, item in enumerate(_read_list(path), 1)
        if not (isinstance(item, dict) and "response" in item)
    )


PUBLISHED: Mapping[str, Callable[[str | Path], tuple[Dialogue, ...]]] = MappingProxyType(
    {"convai2017": read_convai2017, "convai2018": read_convai2018, "dstc9": read_dstc9, "fed": read_fed}
)


def read_published(name: str, place: str | Path) -> tuple[Dialogue, ...]:
    """Read one of the public data sets from a file, a folder that holds it, or that is it."""
    if name not in PUBLISHED:
        raise UsageError(
            f"unknown public data set '{name}'.{nearest(name, list(PUBLISHED))}",
            remedy=f"choose one of: {', '.join(PUBLISHED)}",
        )
    return PUBLISHED[name](place)


def _find_file(place: str | Path, name: str, file: str) -> Path:
    path = Path(place) if Path(place).is_file() else _find(place, name, file)
    if path is None:
        raise _report_missing(place, name, f"`{file}`")
    check_file(path, MAX_BYTES)
    return path


def _find(place: str | Path, name: str, file: str) -> Path | None:
    candidates = (Path(place) / name / file, Path(place) / file)
    return next((path for path in candidates if path.is_file()), None)


def _find_published(place: str | Path, name: str, part: Part) -> list[Path]:
    for alternative in part.files:
        paths = [path for file in alternative if (path := _find(place, name, file)) is not None]
        if paths:
            return paths
    return []


def _report_missing(place: str | Path, name: str, wanted: str, where: str = "") -> FileError:
    return FileError(
        f"the public data set {name} was not found",
        where=str(place),
        remedy=f"use a folder that contains {wanted}, or one whose subfolder `{name}` contains it{where}",
    )


def _read_convai(
    place: str | Path, name: str, fits: Callable[[Item], bool], read: Callable[[Item, int, str], Dialogue]
) -> tuple[Dialogue, ...]:
    own = Path(place) if Path(place).suffix in (".jsonl", ".ndjson") else _find(place, name, LINES)
    if own is not None:
        check_file(own, MAX_BYTES)
        return _read_lines(own, "quality")

    def read_item(item: object, row: int, path: Path, source: str) -> Dialogue:
        if not isinstance(item, dict) or not fits(item):
            raise UnreadableError("it has other keys")
        dialogue = read(item, row, f"{path.stem}:{row - 1}")
        return replace(dialogue, id=f"{name}:{dialogue.id}", source=source)

    return tuple(
        _guard(path, f", item {row}", read_item, item, row, path, source)
        for path, source in _list_sources(place, name)
        for row, item in enumerate(_read_list(path), 1)
    )


def _list_sources(place: str | Path, name: str) -> list[tuple[Path, str]]:
    """Return the published files with the part that each belongs to; a file of another name is its own part."""
    path = Path(place)
    if path.is_file():
        known = {file: part.source for part in PARTS[name] for files in part.files for file in files}
        return [(path, known.get(path.name, path.stem))]
    sources = [(path, part.source) for part in PARTS[name] for path in _find_published(place, name, part)]
    if not sources:
        public = [part for part in PARTS[name] if part.files]
        wanted = ", ".join(f"`{files[0]}`" for part in public for files in part.files)
        raise _report_missing(place, name, f"`{LINES}` or one of {wanted}", f"; download them from {public[0].where}")
    return sources


def _read_list(path: Path) -> Sequence[Any]:
    check_file(path, MAX_BYTES)
    text = read_text(path, ReadOptions(max_bytes=MAX_BYTES))
    if text.lstrip().startswith("<"):
        raise _refuse_foreign(path, "it is a web page: download the raw file", "")
    items = _guard(path, "", parse_json, text)
    if not isinstance(items, list):
        raise _refuse_foreign(path, "it is not a list", "")
    return items


def _read_lines(path: Path, overall: str) -> tuple[Dialogue, ...]:
    """Read our own form; `overall`: the key of a rating that speaks of the whole dialogue."""
    dialogues = []
    for number, line in read_lines(path, ReadOptions()):
        place = f", line {number}"
        if isinstance(line, BrokenJsonError):
            raise _refuse_foreign(path, str(line), place)
        dialogues.append(_guard(path, place, _read_item, _guard(path, place, parse_json, line), number, overall))
    return tuple(dialogues)


def _guard(path: Path, place: str, read: Callable[..., Any], *arguments: object) -> Any:
    """Say of a file that differs from the published one where it does, instead of failing somewhere inside."""
    try:
        return read(*arguments)
    except (BrokenJsonError, UnreadableError) as error:
        raise _refuse_foreign(path, str(error), place) from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _refuse_foreign(path, f"{type(error).__name__}: {error}", place) from error


def _refuse_foreign(path: Path, reason: str, place: str) -> FileError:
    return FileError(
        f"this is not the published data set: {reason}",
        where=f"{path}{place}",
        remedy="download the file again; to read your own logs, use the log readers",
    )


def _read_item(item: Item, row: int, overall: str) -> Dialogue:
    values = item["ratings"]
    if not isinstance(values, dict):
        values = {f"rater {number}": value for number, value in enumerate(values, 1)}
    ratings = [_read_rating(rater, each, overall) for rater, each in values.items()]
    turns = tuple(
        Utterance(turn["speaker"], turn["text"], turn["is_bot"], THUMBS.get(turn.get("utterance_eval", "")))
        for turn in item["turns"]
    )
    bot, user = item.get("bot_id"), item.get("user_id")
    return Dialogue(item["id"], turns, tuple(ratings), item["source"], bot=bot, user=user, row=row)


def _read_fed_item(number: int, item: Item) -> Dialogue:
    turns, ratings = [], []
    for line in item["context"].split("\n"):
        speaker, colon, text = line.partition(":")
        if not colon or speaker not in ("User", "System"):
            raise ValueError(f"a line of the context has no speaker: {line[:60]}")
        turns.append(Utterance(speaker, text.strip(), item["system"] != "Human" and speaker == "System"))
    # Lists by aspect become one rating of each rater.
    for place in range(len(item["annotations"]["Overall"])):
        columns = item["annotations"].items()
        values = {name.lower().replace(" ", "_"): each[place] for name, each in columns if len(each) > place}
        rating = _read_rating(f"rater {place + 1}", values, "overall")
        ratings.append(replace(rating, quality=None if rating.quality is None else rating.quality + 1))
    return Dialogue(f"fed:{number}", tuple(turns), tuple(ratings), "fed", item["system"], row=number)


def _read_rating(rater: str, values: Item, overall: str) -> Rating:
    """Return a rating; what is not a number, such as `N/A (no errors)`, was not given."""
    numbers = {
        name: float(value)
        for name, value in values.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    return Rating(rater, numbers.pop(overall, None), numbers)
