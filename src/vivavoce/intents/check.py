"""What is wrong with training data, as far as it can be seen without a model.

Facts come before guesses: the same text under two topics is reported as such; a guess says "maybe".
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any, Literal

import numpy as np

from vivavoce.files.dates import unreadable_date_rows
from vivavoce.files.exclusions import count_excluded
from vivavoce.intents.merging import Answers, answers_by_topic, may_merge
from vivavoce.intents.names import find_twins
from vivavoce.records import Dataset, Example
from vivavoce.text.duplicates import Ints, duplicate_groups, exact_groups

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
class CheckResult:
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

    def to_json(self) -> dict[str, Any]:
        """Return the stable JSON form of `viva intents check`."""
        from vivavoce.intents.json_form import to_json

        return to_json(self)  # type: ignore[no-any-return]


def check(dataset: Dataset, *, now: datetime | None = None) -> CheckResult:
    """Find what a person can put right before any exam. Dates are compared with `now`, if it is given."""
    found = [
        *_about_sizes(dataset),
        *_about_repeats(dataset),
        *_about_texts(dataset),
        *_about_scripts(dataset),
        *_about_names(list(dataset.sizes)),
        *_about_dates(dataset, now),
    ]
    found.sort(key=lambda problem: (SEVERITIES.index(problem.severity), min(problem.rows, default=-1)))
    counts = dict(Counter(problem.kind for problem in found).most_common())
    return CheckResult(
        problems=tuple(found),
        sizes=dataset.sizes,
        counts=counts,
        rows=len(dataset),
        out_of_scope=dataset.intents.count(None),
        data_hash=dataset.hash,
        notes=dataset.remarks,
        excluded=count_excluded(dataset.notes),
    )


def _problem(kind: str, severity: Severity, members: Sequence[tuple[int, Example]], message: str) -> Problem:
    texts = tuple(dict.fromkeys(example.text for _, example in members))[:MAX_TEXTS]
    intents = tuple(dict.fromkeys(example.intent for _, example in members))
    return Problem(kind, tuple(row for row, _ in members), texts, intents, message, severity)


def _members(dataset: Dataset) -> list[tuple[int, Example]]:
    """Return the examples with their row in the file, or their position where there was no file."""
    return [(index if example.row is None else example.row, example) for index, example in enumerate(dataset)]


# --- topics and their sizes --------------------------------------------------------------------------------


def _about_sizes(dataset: Dataset) -> Iterator[Problem]:
    sizes = dataset.sizes
    by_intent: dict[str | None, list[tuple[int, Example]]] = defaultdict(list)
    for member in _members(dataset):
        by_intent[member[1].intent].append(member)
    if len(sizes) < 2:
        yield _one_class(list(sizes))
    if len(sizes) > 1 and max(sizes.values()) == 1:
        what = f"Each of the {len(sizes)} topics has one example: none can be both learnt and tested. Add more."
        yield Problem("all_singletons", (), (), tuple(sizes), what, "error")
        return
    for intent, size in sizes.items():
        if size < TINY:
            yield _small(intent, by_intent[intent])
    yield from _imbalance(sizes)


def _one_class(intents: Sequence[str]) -> Problem:
    found = f"There is one topic only, {_named(intents)}" if intents else "There is no topic, only negatives"
    what = f"{found}: with nothing to tell apart, no exam is possible. Check the intent column."
    return Problem("one_class", (), (), tuple(intents), what, "error")


def _small(intent: str, members: Sequence[tuple[int, Example]]) -> Problem:
    if len(members) == 1:
        what = f"'{intent}' has one example: it cannot be both learnt and tested. Add at least {TINY - 1} more."
        return _problem("singleton", "warning", members, what)
    what = f"'{intent}' has {len(members)} examples: too few to judge. Add at least {TINY - len(members)} more."
    return _problem("tiny", "info", members, what)


def _imbalance(sizes: Mapping[str, int]) -> Iterator[Problem]:
    if len(sizes) < 2:
        return
    usual = median(sizes.values())
    large = [intent for intent, size in sizes.items() if size > IMBALANCE * usual]
    if large:
        biggest = max(sizes.values())
        what = (
            f"{_named(large)}: more than {IMBALANCE} times the usual size (up to {biggest} examples; half of "
            f"all topics have at most {usual:g}). Large topics swallow small ones: add examples there."
        )
        yield Problem("imbalance", (), (), tuple(large), what, "info")


# --- the same text twice -----------------------------------------------------------------------------------


def _about_repeats(dataset: Dataset) -> Iterator[Problem]:
    members, answers = _members(dataset), answers_by_topic(dataset)
    exact, near = exact_groups(dataset.texts), duplicate_groups(dataset.texts)
    for indices in _groups(exact):
        yield from _exact([members[index] for index in indices], answers)
    for indices in _groups(near):
        if len({exact[index] for index in indices}) > 1:
            yield from _near([members[index] for index in indices], [int(exact[index]) for index in indices])


def _groups(numbers: Ints) -> list[list[int]]:
    """Return the positions of each group of two or more."""
    groups: dict[int, list[int]] = defaultdict(list)
    for index in np.flatnonzero(np.bincount(numbers)[numbers] > 1).tolist() if len(numbers) else ():
        groups[int(numbers[index])].append(index)
    return list(groups.values())


def _by_intent(members: Iterable[tuple[int, Example]]) -> dict[str | None, list[tuple[int, Example]]]:
    parts: dict[str | None, list[tuple[int, Example]]] = defaultdict(list)
    for member in members:
        parts[member[1].intent].append(member)
    return parts


def _exact(members: Sequence[tuple[int, Example]], answers: Answers) -> Iterator[Problem]:
    parts = _by_intent(members)
    text = _short(members[0][1].text)
    if len(parts) > 1:
        topics = [intent for intent in parts if intent is not None]
        merge = ", or merge the topics" if len(topics) == len(parts) and may_merge(topics, answers) else ""
        what = f"{text} stands under {_named(parts)}: decide for one{merge}."
        yield _problem("contradiction", "error", members, what)
    for intent, part in parts.items():
        if len(part) > 1:
            what = f"{text} stands {len(part)} times under {_named([intent])}: keep it once."
            yield _problem("duplicate", "info", part, what)


def _near(members: Sequence[tuple[int, Example]], texts: Sequence[int]) -> Iterator[Problem]:
    if _contradict(members, texts):
        what = (
            f"Nearly the same text stands under {_named(_by_intent(members))}, for instance "
            f"{_pair(members, texts, apart=True)}: if they mean the same, decide for one topic."
        )
        yield _problem("contradiction", "warning", members, what)
    number = {row: text for (row, _), text in zip(members, texts, strict=True)}
    for intent, part in _by_intent(members).items():
        of_part = [number[row] for row, _ in part]
        if len(set(of_part)) > 1:
            what = (
                f"{len(set(of_part))} texts under {_named([intent])} are nearly the same, for instance "
                f"{_pair(part, of_part)}: they teach as much as one. Replace some by other wordings."
            )
            yield _problem("near_duplicate", "info", part, what)


def _contradict(members: Sequence[tuple[int, Example]], texts: Sequence[int]) -> bool:
    """Say whether two different texts share no topic; one text under two topics is reported on its own."""
    topics: dict[int, set[str | None]] = defaultdict(set)
    for (_, example), text in zip(members, texts, strict=True):
        topics[text].add(example.intent)
    kinds = {frozenset(topic) for topic in topics.values()}
    return any(a.isdisjoint(b) for a in kinds for b in kinds)


def _pair(members: Sequence[tuple[int, Example]], texts: Sequence[int], *, apart: bool = False) -> str:
    """Quote the first text and the first other one, of another topic if `apart`."""
    (_, first), start = members[0], texts[0]
    others = (
        example
        for (_, example), text in zip(members, texts, strict=True)
        if text != start and not (apart and example.intent == first.intent)
    )
    other = next(others, members[-1][1])
    return f"{_short(first.text)} and {_short(other.text)}"


# --- single texts ------------------------------------------------------------------------------------------


def _about_texts(dataset: Dataset) -> Iterator[Problem]:
    for member in _members(dataset):
        text = member[1].text
        if _says_nothing(text):
            what = f"{_short(text)} says next to nothing: write a message as people send it, or delete the row."
            yield _problem("short_text", "info", [member], what)
        elif len(text) > LONG:
            what = f"The text has {len(text):,} characters: people write less to a bot. Is it one message?"
            yield _problem("very_long_text", "info", [member], what)
        if not text.isascii() or not text.isprintable():
            yield from _encoding(member)


def _says_nothing(text: str) -> bool:
    if len(text) > 1 and text[0].isalpha() and text[1].isalpha():  # nearly all texts, quickly
        return False
    signs = [sign for sign in text if unicodedata.category(sign)[0] in "LN"]
    syllable = len(signs) == 1 and unicodedata.category(signs[0]) == "Lo"  # one character can be a word
    return not signs or (len(text.strip()) == 1 and not syllable)


def _encoding(member: tuple[int, Example]) -> Iterator[Problem]:
    text = member[1].text
    if DAMAGED.search(text):
        what = f"{_short(text)} has characters that are damaged or cannot be seen: write the text anew."
    elif MOJIBAKE.search(text):
        repaired = _repaired(text)
        meant = f" Maybe it should read {_short(repaired)}." if repaired else ""
        what = f"{_short(text)} was read in the wrong encoding: export the file as UTF-8.{meant}"
    else:
        return
    yield _problem("encoding", "warning", [member], what)


def _repaired(text: str) -> str:
    for encoding in ("cp1252", "latin-1"):
        try:
            return text.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
    return ""


# --- the whole ---------------------------------------------------------------------------------------------


def _about_scripts(dataset: Dataset) -> Iterator[Problem]:
    """Hint at mixed languages by their letters; where every row names its language, the mix is intended."""
    if all(example.language for example in dataset):
        return
    by_script: dict[str, list[tuple[int, Example]]] = defaultdict(list)
    for member in _members(dataset):
        if script := _script(member[1].text):
            by_script[script].append(member)
    main, *others = sorted(by_script, key=lambda script: -len(by_script[script])) or [""]
    for script in others:
        what = (
            f"{len(by_script[script])} of {len(dataset)} texts are in {script} letters, most are in {main}: "
            "examine one language at a time, or name it in a column 'language'."
        )
        yield _problem("language_mix", "info", by_script[script], what)


def _script(text: str) -> str:
    if text.isascii():
        return "Latin" if SCRIPTS["Latin"].search(text) else ""
    counts = {script: len(letters.findall(text)) for script, letters in SCRIPTS.items()}
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] else ""


def _about_names(names: Sequence[str]) -> Iterator[Problem]:
    for twins in find_twins(names):
        pair = (twins.a, twins.b)
        what = f"{_named(pair)} maybe are the same topic: if so, give them one name."
        yield Problem("similar_names", (), (), pair, what, "warning" if twins.same else "info")


def _about_dates(dataset: Dataset, now: datetime | None) -> Iterator[Problem]:
    if rows := unreadable_date_rows(dataset.notes):
        what = f"{len(rows)} dates cannot be read: without them these rows have no time. Write 2024-12-31."
        yield Problem("unreadable_date", tuple(rows), (), (), what, "warning")
    later = [member for member in _members(dataset) if now and member[1].created and member[1].created > now]
    if later:
        what = f"{len(later)} dates are in the future: check day, month and year."
        yield _problem("future_date", "warning", later, what)


def _named(intents: Iterable[str | None]) -> str:
    names = ["out of scope" if intent is None else f"'{intent}'" for intent in intents]
    shown = names if len(names) <= 5 else [*names[:4], f"{len(names) - 4} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return f'"{line[:77]}..."' if len(line) > 80 else f'"{line}"'
