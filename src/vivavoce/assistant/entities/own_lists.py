"""Lists of occupations that users add: an ESCO table, or a text file with one occupation a line."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from vivavoce.assistant.entities.professions import SEPARATOR, load_occupations, own_list_path
from vivavoce.errors import DataError, EmptyFileError, Fault, FileError

ESCO_NAME, ESCO_OTHERS = "preferredLabel", ("altLabels", "hiddenLabels")
LONGEST = 120
# Both forms in one label: Bäcker/Bäckerin, infirmier/infirmière, Pfleger*in, Lehrer(in).
_ENDING = re.compile(r"[*:/(](?:in|innen)\)?$")


@dataclass(frozen=True, slots=True)
class AddedList:
    """What was added: the language, the file, occupations and their names."""

    language: str
    path: str
    occupations: int
    names: int


def add_list(path: Path, language: str) -> AddedList:
    """Read a list and keep it for this language beside the shipped one; all faulty rows are reported at once."""
    rows = list(_read(path))
    faults = [
        Fault(f"'{name[:30]}' is longer than {LONGEST} characters", f"row {number}")
        for number, names in rows
        for name in names
        if len(name) > LONGEST
    ]
    if faults:
        remedy = "give a CSV file of ESCO, or a text with one occupation a line and `|` between its names"
        raise DataError("this is no list of occupations", where=str(path), faults=faults, remedy=remedy)
    lines = [SEPARATOR.join(dict.fromkeys(names)) for _, names in rows if names]
    if not lines:
        raise EmptyFileError("the file names no occupations", where=str(path), remedy="write one a line")
    path_of_list = own_list_path(language)
    try:
        path_of_list.parent.mkdir(parents=True, exist_ok=True)
        path_of_list.write_text("\n".join(lines) + "\n", "utf-8")
    except OSError as error:
        raise FileError(
            f"cannot keep the list ({error.strerror})", where=str(path_of_list), remedy="set VIVA_HOME"
        ) from error
    forget_lists()
    return AddedList(language, str(path_of_list), len(lines), sum(line.count(SEPARATOR) + 1 for line in lines))


def remove_list(language: str) -> bool:
    """Remove the list of a language; tell whether there was one."""
    path = own_list_path(language)
    was_there = path.is_file()
    path.unlink(missing_ok=True)
    forget_lists()
    return was_there


def forget_lists() -> None:
    """Make the process read the lists anew."""
    from vivavoce.assistant.entities.extraction import load_extractor
    from vivavoce.assistant.entities.professions import find_last_part
    from vivavoce.assistant.entities.spelling import load_corrector

    for loaded in (load_occupations, load_extractor, load_corrector, find_last_part):
        loaded.cache_clear()


def _read(path: Path) -> Iterator[tuple[int, list[str]]]:
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError("the file is not UTF-8", where=str(path), remedy="save it as UTF-8") from error
    except OSError as error:
        raise FileError(
            f"cannot read the file ({error.strerror})", where=str(path), remedy="check the path"
        ) from error
    if ESCO_NAME in text.partition("\n")[0]:
        reader = csv.DictReader(text.splitlines(keepends=True))
        for row in reader:
            labels = [
                row[ESCO_NAME] or "",
                *(line for column in ESCO_OTHERS for line in (row.get(column) or "").split("\n")),
            ]
            yield reader.line_num, [name for label in labels for name in split_label(label)]
        return
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("#"):
            yield number, [name for label in line.split(SEPARATOR) for name in split_label(label)]


def split_label(label: str) -> list[str]:
    """Return the names in a label: both of `Bäcker/Bäckerin`, the bare one of `Pfleger*in`."""
    plain = _ENDING.sub("", " ".join(label.split()))
    halves = [half.strip() for half in plain.split("/")]
    # Where a half is no name of its own ("Kfz-/Nutzfahrzeugmechaniker"), the label stays whole.
    is_pair = len(halves) == 2 and all(len(half) > 3 and not half.endswith("-") for half in halves)
    return [name for name in (halves if is_pair else [plain]) if name]
