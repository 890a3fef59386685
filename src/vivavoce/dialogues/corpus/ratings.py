"""The marks of one dialogue as JSON: a list of raters, an object keyed by rater, or a single number."""

from __future__ import annotations

from collections.abc import Mapping

from vivavoce.dialogues.corpus.entries import Findings
from vivavoce.dialogues.corpus.values import UnreadableError, kind_of, read_aspect, read_mark, read_name
from vivavoce.dialogues.dialogue import Rating

QUALITY = ("quality", "rating", "overall", "score", "mark")
RATER = ("rater", "rater_id", "annotator", "rated_by")
# One person's mark, not marks keyed by person.
SINGLE = frozenset(QUALITY) | frozenset(RATER) | {"aspects"}


def read_ratings(value: object, found: Findings) -> tuple[Rating, ...]:
    """Return the marks; a mark that is no number from 1 to 5 is a fault."""
    if value is None or value == "":
        return ()
    if isinstance(value, list):
        each = [_rating(item, None, place, found) for place, item in enumerate(value, 1)]
    elif isinstance(value, dict) and not SINGLE & value.keys():
        each = [_rating(item, rater, place, found) for place, (rater, item) in enumerate(value.items(), 1)]
    else:
        each = [_rating(value, None, 1, found)]
    return tuple(rating for rating in each if rating is not None)


def _rating(item: object, rater: str | None, place: int, found: Findings) -> Rating | None:
    who = f"rating {place}" if rater is None else f"the rating by '{rater}'"
    try:
        if isinstance(item, dict):
            return _of_object(item, rater, found)
        if isinstance(item, list):
            raise UnreadableError(f"this is {kind_of(item)}, not a number or an object with rater and quality")
        return Rating(rater or "", read_mark(item))
    except UnreadableError as error:
        found.fault(f"{who}: {error}")
        return None


def _of_object(item: Mapping[str, object], rater: str | None, found: Findings) -> Rating:
    quality = next((key for key in QUALITY if key in item), None)
    named = next((key for key in RATER if key in item), None)
    aspects = _aspects({key: value for key, value in item.items() if key not in (quality, named)}, found)
    if quality is None and not aspects:
        raise UnreadableError("the key 'quality' is missing: write a number from 1 to 5, or null")
    if rater is None:
        rater = read_name(item[named], "rater") if named and item[named] not in (None, "") else ""
    return Rating(rater, read_mark(item[quality]) if quality else None, aspects)


def _aspects(item: Mapping[str, object], found: Findings) -> dict[str, float]:
    """Return the finer marks: those under `aspects`, and other numbers beside the mark."""
    nested = item.get("aspects")
    if nested is not None and not isinstance(nested, dict):
        raise UnreadableError(f"'aspects' is {kind_of(nested)}, not an object of numbers")
    aspects = {name: read_aspect(name, value) for name, value in (nested or {}).items() if value is not None}
    for name, value in item.items():
        if name == "aspects" or value is None:
            continue
        if isinstance(value, int | float) and not isinstance(value, bool):
            aspects[name] = read_aspect(name, value)
        else:
            found.remark(f"the key '{name}' of ratings is passed over: it is no number")
    return aspects
