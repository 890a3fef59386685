"""The messages and the ratings of one dialogue as JSON objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from vivavoce.dialogues.corpus.entries import (
    Findings,
    UnreadableError,
    describe_missing,
    is_bot_by_name,
    kind_of,
    make_key_finder,
    read_aspect,
    read_flag,
    read_name,
    read_rating,
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


_find_keys = make_key_finder(SYNONYMS, TECHNICAL)


def read_messages(value: object, findings: Findings, options: ReadOptions) -> tuple[Utterance, ...]:
    """Return the messages in order; empty ones are kept, what is no message is a fault."""
    if not isinstance(value, list):
        findings.fault(say("the messages are {kind_of}, not a list", kind_of=kind_of(value)))
        return ()
    silent = _find_silent_roles(value)
    turns = [
        _read_plain(item, options.bot) or _read_message(item, place, silent, findings, options)
        for place, item in enumerate(value, 1)
    ]
    return tuple([turn for turn in turns if turn is not None])


def _read_plain(item: object, bot: str | None) -> Utterance | None:
    """Return a message of the plainest shape without further checks: large logs hold millions of them."""
    if type(item) is not dict or len(item) > 3:
        return None
    speaker, text, is_bot = item.get("speaker"), item.get("text"), item.get("is_bot")
    if type(speaker) is not str or type(text) is not str or not speaker.strip():
        return None
    if len(item) == 2:
        return Utterance(speaker, text, is_bot_by_name(speaker, bot))
    return Utterance(speaker, text, is_bot) if type(is_bot) is bool else None


def _find_silent_roles(items: Sequence[object]) -> frozenset[str]:
    """Return the roles of a chat log that nobody speaks in: instructions to the model and the output of tools.

    Where no assistant speaks, `system` is the name of the bot if it answers, that is, comes not only first.
    """
    roles = [
        str(item["role"]) for item in items if isinstance(item, dict) and "role" in item and "speaker" not in item
    ]
    if not roles:
        return frozenset()
    last = max((place for place, role in enumerate(roles) if role == "system"), default=0)
    answers = ANSWERING not in roles and any(role not in INSTRUCTIONS for role in roles[:last])
    return TOOLS | (INSTRUCTIONS - {"system"} if answers else INSTRUCTIONS)


def _read_message(
    item: object, place: int, silent: frozenset[str], findings: Findings, options: ReadOptions
) -> Utterance | None:
    if not isinstance(item, dict):
        findings.fault(
            say(
                "message {place} is {kind_of}, not an object with speaker and text",
                place=place,
                kind_of=kind_of(item),
            )
        )
        return None
    keys = _find_keys(tuple(item))
    for key in keys.unknown:
        findings.remark(f"the turn key '{key}' is ignored.{nearest(key, list(SYNONYMS))}")
    if str(item.get("role")) in silent:
        findings.remark(f"messages with the role '{item['role']}' are skipped: they are not part of the dialogue")
        return None
    if not item.get(keys.roles.get("text", "")) and any(item.get(key) for key in ("tool_calls", "function_call")):
        findings.remark("messages that only call tools are skipped: nobody reads them")
        return None
    try:
        return _read_utterance(item, keys.roles, options)
    except UnreadableError as error:
        findings.fault(say("message {place}: {error}", place=place, error=error.args[0]))
        return None


def _read_utterance(item: Mapping[str, object], roles: Mapping[str, str], options: ReadOptions) -> Utterance:
    for role in ("speaker", "text"):
        if role not in roles:
            raise UnreadableError(describe_missing(role, item, SYNONYMS))
    speaker, text = item[roles["speaker"]], item[roles["text"]]
    if type(speaker) is not str or not speaker.strip():
        speaker = read_name(speaker, "speaker")
    if type(text) is not str:
        text = _join_parts(text, item)
    thumb = read_thumb(item[roles["thumb"]]) if "thumb" in roles else None
    is_bot = read_flag(item[roles["is_bot"]], "'is_bot'") if "is_bot" in roles else None
    # A log that writes `null` does not know it; only the user's own word can change that.
    if is_bot is None and ("is_bot" not in roles or options.bot is not None):
        is_bot = is_bot_by_name(speaker, options.bot)
    return Utterance(speaker, text, is_bot, thumb)


def _join_parts(value: object, item: Mapping[str, object]) -> str:
    """Return the text of a content that is a list of parts, as chat logs have it, or of a refusal."""
    if isinstance(value, list) and all(isinstance(part, dict) and "type" in part for part in value):
        texts = [part.get("text", part.get("refusal", "")) for part in value]
        return "\n".join(text for text in texts if isinstance(text, str) and text)
    refusal = item.get("refusal")
    if value is None and isinstance(refusal, str):
        return refusal
    raise UnreadableError(
        say('the text is {kind_of}: put text in quotes, or write "" if nothing was said', kind_of=kind_of(value))
    )


QUALITY = ("quality", "rating", "overall", "score", "mark")
RATER = ("rater", "rater_id", "annotator", "rated_by")
# One person's rating, not ratings by person.
SINGLE = frozenset(QUALITY) | frozenset(RATER) | {"aspects"}


def read_ratings(value: object, findings: Findings) -> tuple[Rating, ...]:
    """Return the ratings; one that is no number from 1 to 5 is a fault."""
    if value is None or value == "":
        return ()
    pairs: Iterable[tuple[str | None, object]] = [(None, value)]
    if isinstance(value, list):
        pairs = [(None, item) for item in value]
    elif isinstance(value, dict) and not SINGLE & value.keys():
        pairs = value.items()
    ratings = []
    for place, (rater, item) in enumerate(pairs, 1):
        try:
            ratings.append(_read_rating(item, rater, findings))
        except UnreadableError as error:
            which = f"rating {place}" if rater is None else f"the rating by '{rater}'"
            findings.fault(join(": ", (which, error.args[0])))
    return tuple(ratings)


def _read_rating(item: object, rater: str | None, findings: Findings) -> Rating:
    if isinstance(item, list):
        raise UnreadableError(
            say("this is {kind_of}, not a number or an object with rater and quality", kind_of=kind_of(item))
        )
    if not isinstance(item, dict):
        return Rating(rater or "", read_rating(item))
    quality = next((key for key in QUALITY if key in item), None)
    named = next((key for key in RATER if key in item), None)
    aspects = _read_aspects({key: value for key, value in item.items() if key not in (quality, named)}, findings)
    if quality is None and not aspects:
        raise UnreadableError(say("the key 'quality' is missing: enter a number from 1 to 5, or null"))
    if rater is None:
        rater = read_name(item[named], "rater") if named and item[named] not in (None, "") else ""
    return Rating(rater, read_rating(item[quality]) if quality else None, aspects)


def _read_aspects(item: Mapping[str, object], findings: Findings) -> dict[str, float]:
    """Return the finer ratings: those under `aspects`, and other numbers beside the rating."""
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
            findings.remark(f"the rating key '{name}' is ignored: it is not a number")
    return aspects
