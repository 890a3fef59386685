"""What the assistant ships with: general intents, answers, its own messages; and shipped companies.

All of it is text in `vivavoce/demo/assistant`. A company's own files have the same columns.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from vivavoce.assistant.company import Answer, Company
from vivavoce.assistant.openings import Opening
from vivavoce.assistant.talk import LANGUAGES, Button, Link
from vivavoce.errors import DataError, EmptyFileError, Fault, FileError, UsageError, nearest
from vivavoce.records import Dataset

FOLDER = Path(__file__).parents[1] / "demo" / "assistant"
# The folders of shipped companies by their names.
COMPANIES = {"demo": "company"}
SAY = "say:"
OPENING_COLUMNS = tuple(Opening.__dataclass_fields__)


@lru_cache(maxsize=8)
def general_examples(language: str) -> Dataset:
    """Return the shipped examples of the general intents in a language."""
    return read_examples(FOLDER / f"general_{language}.csv", language)


@lru_cache(maxsize=8)
def general_test(language: str) -> Dataset:
    """Return the shipped test questions of the general intents, written apart from the training examples."""
    return read_examples(FOLDER / f"general_test_{language}.csv", language)


@lru_cache(maxsize=1)
def general_answers() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return what the assistant says to each general intent, by intent and language: one or two wordings."""
    answers: dict[str, dict[str, tuple[str, ...]]] = {}
    for _, row in read_rows(FOLDER / "general_answers.csv", ("intent", "language", "answer")):
        wordings = answers.setdefault(row["intent"], {})
        wordings[row["language"]] = (*wordings.get(row["language"], ()), row["answer"])
    return answers


@lru_cache(maxsize=1)
def _messages() -> Mapping[str, Mapping[str, str]]:
    rows = read_rows(FOLDER / "messages.csv", ("name", *LANGUAGES))
    return {row["name"]: row for _, row in rows}


def word(name: str, language: str, /, **values: object) -> str:
    """Return one of the assistant's own messages in a language, its places filled in."""
    return _messages()[name][language].format(**values)


def read_company(folder: Path, name: str) -> tuple[Company, tuple[Opening, ...]]:
    """Read a company from a folder of `faq_LANGUAGE.csv`, `answers.csv` and `openings.csv`."""
    faq = {
        path.stem.removeprefix("faq_"): read_examples(path, path.stem.removeprefix("faq_"))
        for path in sorted(folder.glob("faq_*.csv"))
    }
    if not faq:
        raise FileError(
            "no questions of a company here", where=str(folder), remedy="it needs a file such as faq_en.csv"
        )
    first = "en" if "en" in faq else next(iter(faq))
    languages = (first, *(code for code in LANGUAGES if code != first))
    openings = folder / "openings.csv"
    company = Company(name, languages, faq, read_answers(folder / "answers.csv"))
    return company, read_openings(openings) if openings.is_file() else ()


@lru_cache(maxsize=4)
def load_company(name: str) -> tuple[Company, tuple[Opening, ...]]:
    """Return a shipped company and its openings."""
    if name not in COMPANIES:
        remedy = f"choose one of: {', '.join(COMPANIES)}; or give the folder of your own"
        raise UsageError(f"no company '{name}' is shipped.{nearest(name, [*COMPANIES])}", remedy=remedy)
    return read_company(FOLDER / COMPANIES[name], name)


def read_examples(path: Path, language: str = "") -> Dataset:
    """Read examples with the columns `text`, `intent` and perhaps `language`; rows of `oos` belong to no topic."""
    rows = list(read_rows(path, ("text", "intent")))
    if not rows:
        raise EmptyFileError("no examples", where=str(path), remedy="write a text and its intent in each row")
    data = Dataset.of([row["text"] for _, row in rows], [row["intent"] for _, row in rows], source=path.name)
    examples = tuple(
        replace(each, language=row.get("language") or language or None, row=number)
        for each, (number, row) in zip(data, rows, strict=True)
    )
    return replace(data, examples=examples)


def read_answers(path: Path) -> dict[str, dict[str, Answer]]:
    """Read a bank of answers: `intent,language,answer,buttons`; buttons are `label|address` or `label|say:TEXT`."""
    bank: dict[str, dict[str, Answer]] = {}
    for _, row in read_rows(path, ("intent", "language", "answer")):
        bank.setdefault(row["intent"], {})[row["language"]] = parse_answer(row["answer"], row.get("buttons") or "")
    return bank


def parse_answer(text: str, buttons: str = "") -> Answer:
    """Return an answer with its buttons and links; `buttons` as in the file, separated by ` ; `."""
    pressed, links = [], []
    for part in filter(None, (part.strip() for part in re.split(r"\s;\s|\s;$", buttons))):
        label, _, target = (piece.strip() for piece in part.partition("|"))
        if target.startswith(SAY):
            pressed.append(Button(label, target.removeprefix(SAY).strip()))
        elif target:
            links.append(Link(label, target))
        else:
            pressed.append(Button(label, label))
    return Answer(text, tuple(pressed), tuple(links))


def read_openings(path: Path) -> tuple[Opening, ...]:
    """Read openings: a column for each field of `Opening`; `id` and `title` are required."""
    rows = list(read_rows(path, ("id", "title")))
    faults = [Fault("id or title is empty", f"row {n}") for n, row in rows if not (row["id"] and row["title"])]
    if faults:
        raise DataError("some openings are incomplete", where=str(path), faults=faults, remedy="fill them in")
    return tuple(Opening(**{name: row.get(name) or "" for name in OPENING_COLUMNS}) for _, row in rows)


def read_rows(path: Path, columns: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows of a CSV file as the column names say, with the numbers of their lines."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            missing = [name for name in columns if name not in (reader.fieldnames or ())]
            if missing:
                remedy = f"the first row names the columns: {', '.join(columns)}"
                raise FileError(f"no column {', '.join(missing)}", where=str(path), remedy=remedy)
            for row in reader:
                yield reader.line_num, {name: (value or "").strip() for name, value in row.items() if name}
    except UnicodeDecodeError as error:
        raise FileError("the file is not UTF-8", where=str(path), remedy="save it as UTF-8") from error
    except OSError as error:
        raise FileError(
            f"cannot read the file ({error.strerror})", where=str(path), remedy="check the path"
        ) from error
