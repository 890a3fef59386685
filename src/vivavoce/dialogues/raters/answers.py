"""Reading what a judge wrote: JSON, JSON in a fence, `4`, `4/5`, `Rating: 4`; anything else is no rating.

`4 or 3 out of 5`, `between 3 and 4`, `Rating: 4, no, 3` and `not 4/5` are no ratings either: to choose one would be
a guess.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from vivavoce.dialogues.dialogue import HIGHEST, LOWEST

MAX_WHY = 500
MAX_READ = 20_000
MAX_OBJECTS = 50
NAMES = ("quality", "rating", "score", "mark", "grade")
_NUMBER = r"(?<![\d.,/-])(\d{1,3}(?:[.,]\d{1,3})?)"
# Neither part of a larger number, nor of another scale, nor the beginning of a range.
_ALONE = r"(?![.,]?\d|\s*(?:/|%|out of\b|of\b|von\b|to\b|[-–]\s*\d))"
_THOUGHTS = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_BARE = re.compile(rf"[\s*_`\"'(\[]*{_NUMBER}[\s*_`\"'.)\]]*(?:stars?|points?)?[\s*_.]*", re.IGNORECASE)
_OF_FIVE = re.compile(rf"{_NUMBER}\s*(?:/|out of|of|von)\s*5(?![.,]?\d|\s*/)", re.IGNORECASE)
_NAMED = re.compile(
    rf"\b(?:{'|'.join(NAMES)})\b[\"'*_`]*\s*(?:[:=]|\bis\b|\bof\b|\s[-–]\s)[\s\"'*_`]*{_NUMBER}{_ALONE}",
    re.IGNORECASE,
)


# Words that may come between two ratings of which only one can be meant.
_BETWEEN = (
    "or|to|and|but|no|nope|not|maybe|perhaps|possibly|probably|rather|actually|wait|well|hmm|even|more|like|closer|"
    "leaning|towards?|between|could|might|would|should|be|is|it|its|it's|i|i'd|mean|meant|think|say|sorry|correction|"
    "make|that|let|me|a|an|about|around|nearly|almost|arguably|borderline|bordering|on|vs|versus|also|"
    "oder|bis|und|nein|eher|vielleicht|doch|aber"
)
_OTHER = r"(?:\b(?:one|two|three|four|five)\b|(?<![\d.,/])[0-5](?:[.,]\d{1,3})?(?!\d|[.,]\d))"
_UNIT = r"(?:\s*(?:/|out of|of|von)\s*5|\s*(?:stars?|points?))?"
_LINK = rf"(?:\W*\b(?:{_BETWEEN})\b){{1,6}}\W*?|\s*(?:[,;–—~-]|\.{{2,}}|…)\s*"
_OTHER_BEFORE = re.compile(rf"({_OTHER}){_UNIT}(?:{_LINK})$", re.IGNORECASE)
_OTHER_AFTER = re.compile(rf"{_UNIT}(?:{_LINK})({_OTHER})(?!\s*[a-z]{{3}})", re.IGNORECASE)
# A bound or a denial is no rating: `at least 4/5`, `I would not give 4/5`.
_BOUND = re.compile(
    r"(?:(?:\b(?:least|most|than|under|over|above|below|up to|nearly|almost)|[<>≤≥~])\s*(?:a\s+)?"
    r"|(?:not\b|n't\b|never\b)\s+(?:\w+\s+){0,3})$",
    re.IGNORECASE,
)
# How far around a rating another one is looked for.
_NEAR = 60


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge said: the rating from 1 to 5, the turns that it found worst, and why."""

    quality: float
    turns: tuple[int, ...] = ()
    why: str = ""


def read_verdict(content: str) -> Verdict | None:
    """Return the rating that a judge gave; None where there is none, or where it could be one or another."""
    text = _THOUGHTS.sub(" ", content[:MAX_READ]).strip()
    objects = list(_find_objects(text))
    if not objects:
        rating = _read_text_rating(text)
        return None if rating is None else Verdict(rating)
    # Who thinks aloud ends with the answer.
    last, end = objects[-1]
    value = next(last[name] for name in NAMES if name in last)
    rating = _read_text_rating(value) if isinstance(value, str) else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        rating = _parse_rating(value)
    if rating is None or set(_find_ratings(text[end:])) - {rating}:
        return None
    return Verdict(rating, tuple(dict.fromkeys(_read_turns(last.get("turns")))), _flatten(last.get("why")))


def _find_objects(text: str) -> Iterator[tuple[Mapping[str, object], int]]:
    """Yield the JSON objects that hold a rating, in order, wherever they are, each with the place where it ends."""
    decoder, place, tries = json.JSONDecoder(), text.find("{"), 0
    while place >= 0 and tries < MAX_OBJECTS:
        tries += 1
        try:
            content, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            content, end = {}, place + 1
        lowered = {key.lower(): value for key, value in content.items()}
        if any(name in lowered for name in NAMES):
            yield lowered, end
        else:
            end = place + 1
        place = text.find("{", end)


def _read_text_rating(text: str) -> float | None:
    """Return the one rating in a text; None for none, for several, and where one is off the scale."""
    match = _BARE.fullmatch(text)
    ratings = {*([_parse_rating(match[1])] if match else []), *_find_ratings(text)}
    return ratings.pop() if len(ratings) == 1 else None


def _find_ratings(text: str) -> Iterator[float | None]:
    """Yield every rating in a text, None for one that is not clear."""
    for pattern in (_OF_FIVE, _NAMED):
        for match in pattern.finditer(text):
            yield _parse_rating(match[1]) if _is_clear(text, match) else None


def _is_clear(text: str, match: re.Match[str]) -> bool:
    """Say whether no other rating takes the place of this one, and it is no bound."""
    start, end = match.span(1)
    before, after = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    if _BOUND.search(before):
        return False
    others = [other[1] for other in (_OTHER_BEFORE.search(before), _OTHER_AFTER.match(after)) if other]
    return all(_parse_rating(other) == _parse_rating(match[1]) for other in others)


def _parse_rating(value: str | int | float) -> float | None:
    try:
        number = float(value.replace(",", ".") if isinstance(value, str) else value)
    except (OverflowError, ValueError):
        return None
    return number if LOWEST <= number <= HIGHEST else None


def _read_turns(value: object) -> Iterator[int]:
    for item in value if isinstance(value, list) else []:
        number = item.get("turn") if isinstance(item, dict) else item
        if isinstance(number, str) and number.isascii() and number.isdigit() and len(number) < 10:
            number = int(number)
        if isinstance(number, int) and not isinstance(number, bool) and number > 0:
            yield number


def _flatten(value: object) -> str:
    # A judge's words go to terminals and pages; what steers a terminal does not.
    plain = "".join(" " if unicodedata.category(c) in ("Cc", "Cf", "Cs") else c for c in str(value or ""))
    text = " ".join(plain.split())
    return text if len(text) <= MAX_WHY else f"{text[: MAX_WHY - 3]}..."
