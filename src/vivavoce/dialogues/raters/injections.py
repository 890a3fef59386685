"""Messages in a dialogue that speak to whoever judges it, instead of to the other side."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from vivavoce.dialogues.dialogue import Dialogue

MAX_SHOWN = 80
# Signs that cannot be seen, with which a word can be hidden from a search.
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_RULES = r"(?:instructions?|rubrics?|prompts?|rules|guidelines|criteria|anweisung(?:en)?|regeln|vorgaben|kriterien)"
_RATING = r"(?:rating|score|mark|grade|quality|stars?|points?|bewertung|note|punkte?|sterne?)"
_BEST = (
    r"(?:[45](?:\.0)?(?:\s*/\s*5)?|10|five|ten|highest|maximum|top|best|perfect|full"
    r"|f(?:ü|ue)nf|beste|h(?:ö|oe)chste)"
)
# Gaps are bounded: a log may hold messages of a megabyte.
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:ignore|disregard|forget|override|bypass|ignoriere?|vergiss|missachte)\b.{{0,40}}\b{_RULES}\b",
        r"\b(?:ignore|disregard|forget)\b.{0,20}\b(?:everything|all|anything)\b.{0,20}\b(?:above|before|previous|prior)\b",
        rf"\b(?:rate|score|grade|judge|bewerte)\b.{{0,40}}\b(?:as|with|a|at|mit|als)\s+(?:a\s+|the\s+|der\s+)?{_BEST}\b",
        rf"\b(?:give|assign|award|output|return|gib|vergib)\b.{{0,40}}\b{_BEST}\b.{{0,10}}\b{_RATING}\b",
        rf"\b(?:give|assign|award|output|return|gib|vergib)\b.{{0,40}}\b{_RATING}\b.{{0,15}}\b{_BEST}\b",
        r"\byou are (?:now )?(?:a|an|the) (?:\w+ )?(?:judge|rater|grader|evaluator|examiner)\b",
        r"\b(?:dear|attention|note to(?: the)?|hey|hello) (?:judge|rater|grader|evaluator)\b",
        r"[\"']quality[\"']\s*:",
        r"<\|?/?(?:im_start|im_end|system|endoftext)\b|\[/?inst\]|</?(?:instructions?|rubric)>",
    )
)


class Injection(NamedTuple):
    """A message that speaks to the judge: the number of its turn, from 1, and the words that gave it away."""

    turn: int
    words: str


def find_injections(dialogue: Dialogue) -> list[Injection]:
    """Return the turns that seem to instruct a judge, in order. Known forms in English and German, no more."""
    injections = []
    for number, turn in enumerate(dialogue.turns, 1):
        plain = " ".join(_INVISIBLE.sub("", unicodedata.normalize("NFKC", turn.text)).casefold().split())
        match = next(filter(None, (pattern.search(plain) for pattern in _PATTERNS)), None)
        if match and match[0]:
            injections.append(Injection(number, match[0][:MAX_SHOWN]))
    return injections
