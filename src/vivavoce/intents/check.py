"""What is wrong with training data, as far as it can be seen without a model.

Facts come before guesses: the same text under two topics is reported as such; a guess says "maybe".
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Literal

import numpy as np

from vivavoce.files.dates import unreadable_date_rows
from vivavoce.files.exclusions import count_excluded
from vivavoce.intents.names import Answers, answers_by_topic, find_twins, may_merge
from vivavoce.intents.result import Result
from vivavoce.records import Dataset, Example
from vivavoce.text.duplicates import Ints, duplicate_groups, exact_groups

Member = tuple[int, Example]
Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
DEFINITIONS = 1

TINY = 5
LONG = 1000
IMBALANCE = 10
MAX_TEXTS = 20

DAMAGED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd-\uffff\ud800-\udfff]")
# UTF-8 read as Windows-1252: a lead byte shows as one of these letters, followed by a sign no word has there.
MOJIBAKE = re.compile("[ÃÂÐÑ][\x80-\xbf€‚ƒ„…†‡ˆ‰‹‘’“”•–—˜™›]|â€|ðŸ|ï»¿")
SCRIPTS = {
    "Latin": re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]"),
    "Cyrillic": re.compile("[\u0400-\u052f]"),
    "Greek": re.compile("[\u0370-\u03ff]"),
    "Chinese or Japanese": re.compile("[\u3040-\u30ff\u3400-\u9fff]"),
    "Korean": re.compile("[\u1100-\u11ff\uac00-\ud7af]"),
    "Arabic": re.compile("[\u0600-\u06ff]"),
    "Hebrew": re.compile("[\u0590-\u05ff]"),
    "Devanagari": re.compile("[\u0900-\u097f]"),
    "Thai": re.compile("[\u0e00-\u0e7f]"),
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding: where it is, and what to do in a plain sentence. Intent None: out of scope."""

    kind: str
    rows: tuple[int, ...]
    texts: tuple[str, ...]
    intents: tuple[str | None, ...]
    message: str
    severity: Severity


@dataclass(frozen=True)
class CheckResult(Result):
    """All problems, worst first and then by row; how many of each kind; examples per topic.

    `rows` were checked; `excluded` rows of the file could not be used and were left out before.
    """

    problems: tuple[Problem, ...]
    sizes: Mapping[str, int]
    counts: Mapping[str, int]
    rows: int
    out_of_scope: int
    data_hash: str
    notes: tuple[str, ...] = ()
    excluded: int = 0


def check(dataset: Dataset, *, now: datetime | None = None) -> CheckResult:
    """Find what a person can put right before any exam. Dates are compared with `now`, if it is given."""
    problems = [
        *_check_sizes(dataset),
        *_check_repeats(dataset),
        *_check_texts(dataset),
        *_check_scripts(dataset),
        *_check_dates(dataset, now),
    ]
    for twins in find_twins(list(dataset.sizes)):
        pair = (twins.a, twins.b)
        what = f"{_join_names(pair)} may be the same topic: if so, give them one name."
        problems.append(Problem("similar_names", (), (), pair, what, "warning" if twins.same else "info"))
    problems.sort(key=lambda problem: (SEVERITIES.index(problem.severity), min(problem.rows, default=-1)))
    counts = dict(Counter(problem.kind for problem in problems).most_common())
    return CheckResult(
        problems=tuple(problems),
        sizes=dataset.sizes,
        counts=counts,
        rows=len(dataset),
        out_of_scope=dataset.intents.count(None),
        data_hash=dataset.hash,
        notes=dataset.remarks,
        excluded=count_excluded(dataset.notes),
    )


def _build_problem(kind: str, severity: Severity, members: Sequence[Member], message: str) -> Problem:
    texts = tuple(dict.fromkeys(example.text for _, example in members))[:MAX_TEXTS]
    intents = tuple(dict.fromkeys(example.intent for _, example in members))
    return Problem(kind, tuple(row for row, _ in members), texts, intents, message, severity)


def _list_members(dataset: Dataset) -> list[Member]:
    """Return the examples with their row in the file, or their position where there was no file."""
    return [(dataset.number(place), example) for place, example in enumerate(dataset)]


def _group_by_intent(members: Iterable[Member]) -> dict[str | None, list[Member]]:
    parts: dict[str | None, list[Member]] = defaultdict(list)
    for member in members:
        parts[member[1].intent].append(member)
    return parts


# --- topics and their sizes --------------------------------------------------------------------------------


def _check_sizes(dataset: Dataset) -> Iterator[Problem]:
    sizes, by_intent = dataset.sizes, _group_by_intent(_list_members(dataset))
    if len(sizes) < 2:
        reason = (
            f"There is only one topic, {_join_names(sizes)}"
            if sizes
            else "There are no topics, only out-of-scope questions"
        )
        what = f"{reason}: an exam needs at least two topics. Check the intent column."
        yield Problem("one_class", (), (), tuple(sizes), what, "error")
    elif max(sizes.values()) == 1:
        what = (
            f"Each of the {len(sizes)} topics has one example, which cannot be used for both "
            "training and testing. Add more."
        )
        yield Problem("all_singletons", (), (), tuple(sizes), what, "error")
        return
    for intent, size in sizes.items():
        if size == 1:
            what = (
                f"'{intent}' has one example, which cannot be used for both training and "
                f"testing. Add at least {TINY - 1} more."
            )
            yield _build_problem("singleton", "warning", by_intent[intent], what)
        elif size < TINY:
            what = f"'{intent}' has {size} examples: too few to judge. Add at least {TINY - size} more."
            yield _build_problem("tiny", "info", by_intent[intent], what)
    usual = median(sizes.values()) if len(sizes) > 1 else 0
    large = [intent for intent, size in sizes.items() if len(sizes) > 1 and size > IMBALANCE * usual]
    if large:
        what = (
            f"{_join_names(large)}: more than {IMBALANCE} times the usual size (up to "
            f"{max(sizes.values())} examples; half of all topics have at most {usual:g}). Large "
            "topics absorb questions from small ones: add examples to the small ones."
        )
        yield Problem("imbalance", (), (), tuple(large), what, "info")


# --- the same text twice -----------------------------------------------------------------------------------


def _check_repeats(dataset: Dataset) -> Iterator[Problem]:
    members, answers = _list_members(dataset), answers_by_topic(dataset)
    exact, near = exact_groups(dataset.texts), duplicate_groups(dataset.texts)
    for indices in _list_groups(exact):
        yield from _check_equal_texts([members[index] for index in indices], answers)
    for indices in _list_groups(near):
        texts = [int(exact[index]) for index in indices]
        if len(set(texts)) > 1:
            yield from _check_similar_texts([members[index] for index in indices], texts)


def _list_groups(numbers: Ints) -> list[list[int]]:
    """Return the positions of each group of two or more."""
    groups: dict[int, list[int]] = defaultdict(list)
    for index in np.flatnonzero(np.bincount(numbers)[numbers] > 1).tolist() if len(numbers) else ():
        groups[int(numbers[index])].append(index)
    return list(groups.values())


def _check_equal_texts(members: Sequence[Member], answers: Answers) -> Iterator[Problem]:
    parts = _group_by_intent(members)
    text = _quote(members[0][1].text)
    if len(parts) > 1:
        topics = [intent for intent in parts if intent is not None]
        merge = ", or merge the topics" if len(topics) == len(parts) and may_merge(topics, answers) else ""
        what = f"{text} is in {_join_names(parts)}: choose one{merge}."
        yield _build_problem("contradiction", "error", members, what)
    for intent, part in parts.items():
        if len(part) > 1:
            what = f"{text} appears {len(part)} times in {_join_names([intent])}: keep it once."
            yield _build_problem("duplicate", "info", part, what)


def _check_similar_texts(members: Sequence[Member], texts: Sequence[int]) -> Iterator[Problem]:
    topics: dict[int, set[str | None]] = defaultdict(set)
    for (_, example), text in zip(members, texts, strict=True):
        topics[text].add(example.intent)
    kinds = {frozenset(topic) for topic in topics.values()}
    # Two different texts share no topic; one text under two topics is reported separately.
    if any(a.isdisjoint(b) for a in kinds for b in kinds):
        what = (
            f"Nearly the same text is in {_join_names(_group_by_intent(members))}, for example "
            f"{_quote_pair(members, texts, apart=True)}: if they mean the same, choose one "
            "topic."
        )
        yield _build_problem("contradiction", "warning", members, what)
    number = {row: text for (row, _), text in zip(members, texts, strict=True)}
    for intent, part in _group_by_intent(members).items():
        of_part = [number[row] for row, _ in part]
        if len(set(of_part)) > 1:
            what = (
                f"{len(set(of_part))} texts in {_join_names([intent])} are nearly the same, for "
                f"example {_quote_pair(part, of_part)}: they teach no more than one. Replace "
                "some with other wordings."
            )
            yield _build_problem("near_duplicate", "info", part, what)


def _quote_pair(members: Sequence[Member], texts: Sequence[int], *, apart: bool = False) -> str:
    """Quote the first text and the first other one, of another topic if `apart`."""
    (_, first), start = members[0], texts[0]
    others = (
        example
        for (_, example), text in zip(members, texts, strict=True)
        if text != start and not (apart and example.intent == first.intent)
    )
    other = next(others, members[-1][1])
    return f"{_quote(first.text)} and {_quote(other.text)}"


# --- single texts ------------------------------------------------------------------------------------------


def _check_texts(dataset: Dataset) -> Iterator[Problem]:
    for member in _list_members(dataset):
        text = member[1].text
        if _says_nothing(text):
            what = f"{_quote(text)} says almost nothing: write a message as people would send it, or delete the row."
            yield _build_problem("short_text", "info", [member], what)
        elif len(text) > LONG:
            what = (
                f"The text has {len(text):,} characters, more than people usually write to a "
                "bot. Check that it is one message."
            )
            yield _build_problem("very_long_text", "info", [member], what)
        if text.isascii() and text.isprintable():
            continue
        if DAMAGED.search(text):
            what = f"{_quote(text)} contains damaged or invisible characters: enter the text again."
            yield _build_problem("encoding", "warning", [member], what)
        elif MOJIBAKE.search(text):
            meant = ""
            for encoding in ("latin-1", "cp1252"):
                with suppress(UnicodeError):
                    meant = f" It may mean {_quote(text.encode(encoding).decode('utf-8'))}."
            what = f"{_quote(text)} was read in the wrong encoding: export the file as UTF-8.{meant}"
            yield _build_problem("encoding", "warning", [member], what)


def _says_nothing(text: str) -> bool:
    if len(text) > 1 and text[0].isalpha() and text[1].isalpha():  # nearly all texts, quickly
        return False
    signs = [sign for sign in text if unicodedata.category(sign)[0] in "LN"]
    syllable = len(signs) == 1 and unicodedata.category(signs[0]) == "Lo"  # one character can be a word
    return not signs or (len(text.strip()) == 1 and not syllable)


# --- the whole ---------------------------------------------------------------------------------------------


def _check_scripts(dataset: Dataset) -> Iterator[Problem]:
    """Hint at mixed languages by their letters; where every row names its language, the mix is intended."""
    if all(example.language for example in dataset):
        return
    by_script: dict[str, list[Member]] = defaultdict(list)
    for member in _list_members(dataset):
        if script := _guess_script(member[1].text):
            by_script[script].append(member)
    main, *others = sorted(by_script, key=lambda script: -len(by_script[script])) or [""]
    for script in others:
        what = (
            f"{len(by_script[script])} of {len(dataset)} texts are in {script} script, most are "
            f"in {main}: test one language at a time, or add a column 'language'."
        )
        yield _build_problem("language_mix", "info", by_script[script], what)


def _guess_script(text: str) -> str:
    if text.isascii():
        return "Latin" if SCRIPTS["Latin"].search(text) else ""
    counts = {script: len(letters.findall(text)) for script, letters in SCRIPTS.items()}
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] else ""


def _check_dates(dataset: Dataset, now: datetime | None) -> Iterator[Problem]:
    if rows := unreadable_date_rows(dataset.notes):
        what = f"{len(rows)} dates are invalid, so these rows have no date. Use the format 2024-12-31."
        yield Problem("unreadable_date", tuple(rows), (), (), what, "warning")
    later = [member for member in _list_members(dataset) if now and member[1].created and member[1].created > now]
    if later:
        what = f"{len(later)} dates are in the future: check the day, month and year."
        yield _build_problem("future_date", "warning", later, what)


def _join_names(intents: Iterable[str | None]) -> str:
    names = ["out of scope" if intent is None else f"'{intent}'" for intent in intents]
    parts = names if len(names) <= 5 else [*names[:4], f"{len(names) - 4} more"]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _quote(text: str) -> str:
    line = " ".join(text.split())
    return f'"{line[:77]}..."' if len(line) > 80 else f'"{line}"'
