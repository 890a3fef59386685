"""How often a reader agrees with the facts of dialogues (docs/dialogue_facts.md), on public logs.

    python benchmarks/dialogue_facts.py draw SHEET.txt      # what a reader judges: flags and other messages, mixed
    python benchmarks/dialogue_facts.py score ANSWERS.txt

The sheet does not say which items a rule flagged, and nothing about the rules. A line of the answers is the name of a
part and the numbers of the items where the reader says yes: `en fallback: 1 4 5`. Rules were written on one half of
the dialogues; the sheet is drawn from the other half. Needs the public data sets (VIVA_SHARED).
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import os
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from vivavoce.dialogues.dialogue import Utterance
from vivavoce.dialogues.facts import (
    FALLBACK,
    PERSON,
    THANKED,
    FactKind,
    find_facts,
    find_said,
    plain_text,
    tell_sides,
)
from vivavoce.statistics import wilson

DATA = Path(os.environ.get("VIVA_SHARED", "../shared")) / "data"
FLAGS, OTHERS, SEED = 50, 12, 20170701
QUESTIONS = {
    FactKind.FALLBACK: "Does the bot say that it did not understand, does not know, or cannot help?",
    FactKind.REPEATED_QUESTION: "Does the visitor send the same message again?",
    FactKind.BOT_REPEATED: "Does the bot send the same message again?",
    FactKind.ASKED_FOR_PERSON: "Does the visitor ask for a person to talk to?",
    FactKind.THANKED: "Does the visitor thank?",
    FactKind.NO_ANSWER: "Did the visitor get no answer where one was due?",
    FactKind.ENDED_AFTER_FALLBACK: "Did the bot say last that it did not understand, does not know, or cannot help?",
    FactKind.ENDED_ANGRY: "Is the visitor angry with the bot, or insulting, at the end?",
}
SENTENCES = {
    FactKind.FALLBACK: FALLBACK,
    FactKind.THANKED: THANKED,
}


class Item(NamedTuple):
    """What a reader sees, and whether a rule flagged it."""

    text: str
    flagged: bool


def draw() -> dict[str, list[Item]]:
    """Return the items of each part, flagged and not, in an order of chance."""
    parts: dict[str, list[Item]] = {}
    for name, items in _candidates().items():
        rng = random.Random(f"{SEED}/{name}")
        flagged = sorted({item for item in items if item.flagged})
        texts = {item.text for item in flagged}
        others = sorted({item for item in items if not item.flagged and item.text not in texts})
        chosen = rng.sample(flagged, min(FLAGS, len(flagged))) + rng.sample(others, min(OTHERS, len(others)))
        rng.shuffle(chosen)
        parts[name] = chosen
    return parts


def _candidates() -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = {}
    for turns in _read_logs():
        flags = {(fact.kind, fact.turn): fact.earlier for fact in find_facts(turns)}
        for kind, number, text in _show(turns, flags):
            found.setdefault(f"en {kind}", []).append(Item(text, (kind, number) in flags))
    for text in _read_questions():
        flagged = PERSON.search(plain_text(text)) is not None
        found.setdefault("en asked_for_person", []).append(Item(f"visitor: {text}", flagged))
    for text in _read_german():
        for kind, pattern in SENTENCES.items():
            found.setdefault(f"de {kind}", []).append(Item(text, find_said(pattern, plain_text(text)) is not None))
    return found


def _show(
    turns: Sequence[Utterance], flags: dict[tuple[FactKind, int], int | None]
) -> Iterator[tuple[FactKind, int, str]]:
    """Yield for each question what a reader needs to see of a dialogue, with the number of the message."""
    sides = tell_sides(turns) or [False] * len(turns)
    pairs = enumerate(zip(turns, sides, strict=True), 1)
    said = [(number, by_bot, " ".join(turn.text.split())) for number, (turn, by_bot) in pairs if turn.text.strip()]
    texts = {number: text for number, _, text in said}
    before: dict[bool, int] = {}
    for place, (number, by_bot, text) in enumerate(said):
        asked = said[place - 1][2][-70:] if place else ""
        if by_bot:
            yield FactKind.FALLBACK, number, f"visitor: {asked} | bot: {text[:200]}"
        else:
            yield FactKind.THANKED, number, f"visitor: {text[:200]}"
            yield FactKind.ASKED_FOR_PERSON, number, f"visitor: {text[:200]}"
        kind = FactKind.BOT_REPEATED if by_bot else FactKind.REPEATED_QUESTION
        earlier = flags.get((kind, number)) or before.get(by_bot)
        if earlier:
            yield kind, number, f"{texts[earlier][:110]} | {text[:110]}"
        before[by_bot] = number
    if said:
        last = " | ".join(f"{'bot' if by_bot else 'visitor'}: {text[:110]}" for _, by_bot, text in said[-3:])
        own = [number for number, by_bot, _ in said if not by_bot]
        of_bot = [number for number, by_bot, _ in said if by_bot]
        yield FactKind.NO_ANSWER, said[-1][0] if of_bot else said[0][0], f"{last} | END"
        if of_bot:
            yield FactKind.ENDED_AFTER_FALLBACK, of_bot[-1], f"{last} | END"
        for number in own[-2:]:
            yield FactKind.ENDED_ANGRY, number, f"visitor: {texts[number][:200]}"


def _read_logs() -> Iterator[list[Utterance]]:
    """Yield the dialogues of people with bots that no rule was written on."""
    for name in ("convai2017", "convai2018", "dstc9"):
        with (DATA / name / "dialogues.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                log = json.loads(line)
                if log.get("kind") != "human-human" and hashlib.sha256(log["id"].encode()).digest()[0] % 2:
                    yield [Utterance(turn["speaker"], turn["text"], turn["is_bot"]) for turn in log["turns"]]


def _read_questions() -> Iterator[str]:
    """Yield what people wrote to service bots, one message each."""
    for path in sorted((DATA / "intents").glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            yield from (row["text"] for row in csv.DictReader(file) if row.get("text"))


def _read_german() -> Iterator[str]:
    with gzip.open(DATA / "parallel" / "tatoeba.deu-eng.tsv.gz", "rt", encoding="utf-8") as lines:
        yield from (line.split("\t")[0] for line in lines)


def _write_sheet(path: str) -> None:
    lines = []
    for name, items in draw().items():
        lines += [f"== {name}: {QUESTIONS[FactKind(name.split()[1])]}"]
        lines += [f"{number}. {item.text}" for number, item in enumerate(items, 1)]
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _score(path: str) -> None:
    parts = draw()
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        name, _, numbers = line.partition(":")
        yes, items = {int(number) for number in numbers.split()}, parts[name]
        flagged = [number for number, item in enumerate(items, 1) if item.flagged]
        rate = wilson(sum(number in yes for number in flagged), len(flagged))
        missed = sum(not item.flagged and number in yes for number, item in enumerate(items, 1))
        print(
            f"{name:28} agrees with {rate.value:.0%} ({rate.low:.0%} to {rate.high:.0%}, n = {rate.n});"
            f" says yes to {missed} of {len(items) - len(flagged)} others"
        )


if __name__ == "__main__":
    if sys.argv[1] == "draw":
        _write_sheet(sys.argv[2])
    else:
        _score(sys.argv[2])
