"""The messages and the marks of one dialogue as JSON objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from vivavoce.dialogues.corpus.entries import Findings, is_bot_by_name
from vivavoce.dialogues.corpus.values import (
    UnreadableError,
    kind_of,
    read_aspect,
    read_flag,
    read_mark,
    read_name,
    read_thumb,
)
from vivavoce.dialogues.dialogue import Rating, Utterance
from vivavoce.errors import nearest
from vivavoce.files.tables import ReadOptions
from vivavoce.messages import join, say

SYNONYMS: dict[str, tuple[str, ...]] = {
    "speaker": ("speaker", "role", "sender", "author", "from", "userId"),
    "text": ("text", "content", "utterance", "message", "body"),
    "is_bot": ("is_bot", "isBot"),
    "thumb": ("thumb", "utterance_eval", "evaluation"),
}
# Keys of chat logs that say nothing about who said what.
TECHNICAL = frozenset(
    {"tool_calls", "function_call", "tool_call_id", "refusal", "annotations", "audio", "name", "id"}
)
INSTRUCTIONS = frozenset({"system", "developer"})
TOOLS = frozenset({"tool", "function"})
ANSWERING = "assistant"


@dataclass(frozen=True, slots=True)
class Keys:
    """Which key of a message holds what; None where it has none."""

    speaker: str | None
    text: str | None
    is_bot: str | None
    thumb: str | None
    unknown: tuple[str, ...]


def read_messages(value: object, found: Findings, options: ReadOptions) -> tuple[Utterance, ...]:
    """Return the messages in order; empty ones are kept, what is no message is a fault."""
    if not isinstance(value, list):
        found.fault(say("the turns are {kind_of}, not a list", kind_of=kind_of(value)))
        return ()
    silent = _silent_roles(value)
    turns = [
        _plain(item, options.bot) or _utterance(item, place, silent, found, options)
        for place, item in enumerate(value, 1)
    ]
    return tuple([turn for turn in turns if turn is not None])


def _plain(item: object, bot: str | None) -> Utterance | None:
    """Return a message of the plainest shape without further questions: large logs hold millions of them."""
    if type(item) is not dict or len(item) > 3:
        return None
    speaker, text, is_bot = item.get("speaker"), item.get("text"), item.get("is_bot")
    if type(speaker) is not str or type(text) is not str or not speaker.strip():
        return None
    if len(item) == 2:
        return Utterance(speaker, text, is_bot_by_name(speaker, bot))
    return Utterance(speaker, text, is_bot) if type(is_bot) is bool else None


def _silent_roles(items: Sequence[object]) -> frozenset[str]:
    """Return the roles of a chat log that nobody speaks in: instructions to the model and the output of tools.

    Where no assistant speaks, `system` is the name of the bot if it answers, that is, not only stands at the front.
    """
    roles = [
        str(item["role"]) for item in items if isinstance(item, dict) and "role" in item and "speaker" not in item
    ]
    if not roles:
        return frozenset()
    last = max((place for place, role in enumerate(roles) if role == "system"), default=0)
    answers = ANSWERING not in roles and any(role not in INSTRUCTIONS for role in roles[:last])
    return TOOLS | (INSTRUCTIONS - {"system"} if answers else INSTRUCTIONS)


def _utterance(
    item: object, place: int, silent: frozenset[str], found: Findings, options: ReadOptions
) -> Utterance | None:
    if not isinstance(item, dict):
        found.fault(
            say("turn {place} is {kind_of}, not an object with speaker and text", place=place, kind_of=kind_of(item))
        )
        return None
    keys = _keys(tuple(item))
    for key in keys.unknown:
        found.remark(f"the key '{key}' of turns is passed over.{nearest(key, list(SYNONYMS))}")
    if str(item.get("role")) in silent:
        found.remark(f"messages of the role '{item['role']}' are passed over: they are not part of the talk")
        return None
    if _only_calls_tools(item, keys):
        found.remark("messages that only call tools are passed over: nobody reads them")
        return None
    try:
        return _read(item, keys, options)
    except UnreadableError as error:
        found.fault(say("turn {place}: {error}", place=place, error=error.args[0]))
        return None


@lru_cache(maxsize=1024)
def _keys(names: tuple[str, ...]) -> Keys:
    used = {role: next((name for name in known if name in names), None) for role, known in SYNONYMS.items()}
    known = {name for names in SYNONYMS.values() for name in names} | TECHNICAL
    return Keys(**used, unknown=tuple(name for name in names if name not in known))


def _only_calls_tools(item: Mapping[str, object], keys: Keys) -> bool:
    empty = not item.get(keys.text or "")
    return empty and any(item.get(key) for key in ("tool_calls", "function_call"))


def _read(item: Mapping[str, object], keys: Keys, options: ReadOptions) -> Utterance:
    if keys.speaker is None:
        raise UnreadableError(_missing("speaker", item))
    if keys.text is None:
        raise UnreadableError(_missing("text", item))
    speaker, text = item[keys.speaker], item[keys.text]
    if type(speaker) is not str or not speaker.strip():
        speaker = read_name(speaker, "speaker")
    if type(text) is not str:
        text = _parts(text, item)
    thumb = read_thumb(item[keys.thumb]) if keys.thumb else None
    return Utterance(speaker, text, _is_bot(item, keys, speaker, options), thumb)


def _is_bot(item: Mapping[str, object], keys: Keys, speaker: str, options: ReadOptions) -> bool | None:
    """Return what the log says; `null` there means unknown, which only the user's own word can change."""
    if keys.is_bot is None:
        return is_bot_by_name(speaker, options.bot)
    said = read_flag(item[keys.is_bot], "'is_bot'")
    return is_bot_by_name(speaker, options.bot) if said is None and options.bot is not None else said


def _parts(value: object, item: Mapping[str, object]) -> str:
    """Return the text of a content that is a list of parts, as chat logs have it, or of a refusal."""
    if isinstance(value, list) and all(isinstance(part, dict) and "type" in part for part in value):
        texts = [part.get("text", part.get("refusal", "")) for part in value]
        return "\n".join(text for text in texts if isinstance(text, str) and text)
    refusal = item.get("refusal")
    if value is None and isinstance(refusal, str):
        return refusal
    raise UnreadableError(
        say('the text is {kind_of}: write text in quotes, "" if nothing was said', kind_of=kind_of(value))
    )


def _missing(role: str, item: Mapping[str, object]) -> str:
    near = next((hint for key in item if (hint := nearest(key, SYNONYMS[role]))), "")
    shown = ", ".join(f"'{key}'" for key in list(item)[:10]) or "none"
    return f"the key '{role}' is missing (keys found: {shown}).{near}"


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
            raise UnreadableError(
                say("this is {kind_of}, not a number or an object with rater and quality", kind_of=kind_of(item))
            )
        return Rating(rater or "", read_mark(item))
    except UnreadableError as error:
        found.fault(join(": ", (who, error.args[0])))
        return None


def _of_object(item: Mapping[str, object], rater: str | None, found: Findings) -> Rating:
    quality = next((key for key in QUALITY if key in item), None)
    named = next((key for key in RATER if key in item), None)
    aspects = _aspects({key: value for key, value in item.items() if key not in (quality, named)}, found)
    if quality is None and not aspects:
        raise UnreadableError(say("the key 'quality' is missing: write a number from 1 to 5, or null"))
    if rater is None:
        rater = read_name(item[named], "rater") if named and item[named] not in (None, "") else ""
    return Rating(rater, read_mark(item[quality]) if quality else None, aspects)


def _aspects(item: Mapping[str, object], found: Findings) -> dict[str, float]:
    """Return the finer marks: those under `aspects`, and other numbers beside the mark."""
    nested = item.get("aspects")
    if nested is not None and not isinstance(nested, dict):
        raise UnreadableError(say("'aspects' is {kind_of}, not an object of numbers", kind_of=kind_of(nested)))
    aspects = {name: read_aspect(name, value) for name, value in (nested or {}).items() if value is not None}
    for name, value in item.items():
        if name == "aspects" or value is None:
            continue
        if isinstance(value, int | float) and not isinstance(value, bool):
            aspects[name] = read_aspect(name, value)
        else:
            found.remark(f"the key '{name}' of ratings is passed over: it is no number")
    return aspects
