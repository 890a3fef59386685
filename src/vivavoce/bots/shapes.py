"""Reading a reply out of what a bot sent: by paths that were given, else by the shapes that bots commonly use."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from vivavoce.bots.actions import ACTION_KEYS, read_actions
from vivavoce.errors import BotError, Fault, UsageError
from vivavoce.messages import say
from vivavoce.records import Action, Guess, Reply, Status

__all__ = ["MAX_BYTES", "PATHS", "ReplyReader", "decode_json", "read_reply", "settled"]

PATHS = (
    "texts",
    "intent",
    "confidence",
    "slots",
    "buttons",
    "fallback",
    "guess_intent",
    "guess_confidence",
    "actions",
)
# Names under which platforms report that they understood nothing: never a topic.
NO_TOPIC = frozenset({"None", "nlu_fallback", "Default Fallback Intent", "AMAZON.FallbackIntent", "FallbackIntent"})
TEXT_KEYS = ("texts", "replies", "reply", "answer", "response", "messages", "message", "text")
SLOT_KEYS = ("slots", "entities")
BUTTON_KEYS = ("buttons", "quick_replies")
CONFIDENCE_KEYS = ("confidence", "score")
MAX_DEPTH = 100
MAX_BYTES = 2_000_000
_NAMES = ("name", "displayName", "intent")
_LABELS = ("title", "text", "label", "value", "payload")
_SLOT_NAMES = ("entity", "name", "slot")
_SLOT_VALUES = ("value", "option", "utteranceText", "sourceText")
_DECODER = json.JSONDecoder(parse_constant=lambda _: None)


class ReplyReader:
    """Reads replies by JMESPath expressions, made ready once; what has no path is looked for in the usual places."""

    def __init__(self, paths: Mapping[str, str], *, where: str = "") -> None:
        import jmespath

        faults, self._paths = [], {}
        for field, path in paths.items():
            try:
                self._paths[field] = jmespath.compile(path)
            except jmespath.exceptions.JMESPathError as error:
                first = str(error).splitlines()[0]
                faults.append(
                    Fault(
                        say("'{path}' is not a JMESPath expression: {first}", path=path, first=first),
                        f"reply.{field}",
                    )
                )
        if faults:
            raise UsageError(
                say("these paths cannot be used"), where=where, faults=faults, remedy=say("see https://jmespath.org")
            )

    def read(self, payload: object) -> Reply:
        """Return the reply; BotError `unexpected` where there is none."""
        if not self._paths:
            return read_reply(payload)
        found = {field: self._search(field, path, payload) for field, path in self._paths.items()}
        if "texts" in found and found["texts"] is None:
            raise _unexpected(f"there is nothing at the path of reply.texts; {_outline(payload)}")
        return _reply({**_usual(payload, needs_texts="texts" not in found), **found}, payload)

    @staticmethod
    def _search(field: str, path: Any, payload: object) -> object:
        import jmespath

        try:
            return path.search(payload)
        except jmespath.exceptions.JMESPathError as error:
            first = str(error).splitlines()[0]
            raise _unexpected(f"the path of reply.{field} does not fit the answer: {first}") from None


def read_reply(payload: object) -> Reply:
    """Return the reply from a payload of a common shape; BotError `unexpected` where there is none.

    A text; a list of texts or of objects with `text` (and `buttons`); an object with `texts`, `replies`, `reply`,
    `answer`, `response`, `messages`, `message` or `text`, and if it tells with `intent`, `confidence` or `score`,
    `slots` or `entities`, `buttons`, `fallback`, `guess_intent`, `guess_confidence`, `actions` or `tool_calls`.
    """
    return _reply(_usual(payload), payload)


def settled(said: object) -> Reply:
    """Return what a talk said, with tuples where it has lists; BotError `failed` where it is not a reply."""
    if not isinstance(said, Reply):
        raise _no_reply(say("`say` gives {kind}, not Reply", kind=type(said).__name__))
    if any(isinstance(value, list) for value in (said.texts, said.buttons, said.actions)):
        # Whoever writes a connector easily gives a list; nothing is lost by reading it.
        said = replace(
            said, texts=_tuple_of(said.texts), buttons=_tuple_of(said.buttons), actions=_tuple_of(said.actions)
        )
    for name, value in (("texts", said.texts), ("buttons", said.buttons)):
        if not isinstance(value, tuple) or not all(isinstance(item, str) for item in value):
            raise _no_reply(say("`{name}` is not a tuple of texts", name=name))
    if not isinstance(said.actions, tuple) or not all(isinstance(item, Action) for item in said.actions):
        raise _no_reply(say("`actions` is not a tuple of Action"))
    return said


def _tuple_of(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _no_reply(what: str) -> BotError:
    return BotError(what, status=Status.FAILED, remedy=say('return a Reply: `Reply(("Hello!",))`'))


def _usual(payload: object, *, needs_texts: bool = True) -> dict[str, object]:
    if isinstance(payload, str | list):
        return {"texts": payload, "buttons": _all_buttons(payload)}
    if not isinstance(payload, dict):
        if needs_texts:
            raise _unexpected(_outline(payload))
        return {}
    key = next((key for key in TEXT_KEYS if key in payload), None)
    # A bot that only understands (an NLU service) tells a topic and says nothing; one that acts may say nothing too.
    if key is None and needs_texts and not {"intent", *ACTION_KEYS} & payload.keys():
        raise _unexpected(f"no reply was found; {_outline(payload)}")
    texts = payload[key] if key else None
    found = {field: payload.get(field) for field in ("intent", "fallback", "guess_intent", "guess_confidence")}
    found |= {"texts": [] if texts is None else texts, "slots": _first(payload, SLOT_KEYS)}
    found |= {"confidence": _first(payload, CONFIDENCE_KEYS), "actions": _first(payload, ACTION_KEYS)}
    found["buttons"] = [*_list(_first(payload, BUTTON_KEYS)), *_all_buttons(texts)]
    return found


def _reply(found: Mapping[str, object], payload: object) -> Reply:
    texts = _texts(found.get("texts"))
    if texts is None:
        raise _unexpected(f"what stands in the place of the reply is no text; {_outline(payload)}")
    intent, confidence = _intent(found.get("intent"), found.get("confidence"))
    fallback = _flag(found.get("fallback"))
    if intent in NO_TOPIC:
        intent, confidence, fallback = None, None, True
    return Reply(
        texts=texts,
        intent=intent,
        confidence=confidence,
        slots=_slots(found.get("slots")),
        buttons=tuple(filter(None, map(_label, _list(found.get("buttons"))))),
        fallback=fallback,
        guess=_guess(found.get("guess_intent"), found.get("guess_confidence")),
        raw=payload,
        actions=read_actions(found.get("actions")),
    )


# --- the parts ---------------------------------------------------------------------------------------------------


def _texts(value: object) -> tuple[str, ...] | None:
    """Return the bubbles, empty ones left out; None for what is no text at all."""
    if isinstance(value, list):
        parts = [_bubble(item) for item in value]
        if parts and all(part is None for part in parts):
            return None
        return tuple(part for part in parts if part)
    part = _bubble(value)
    return None if part is None else (part,) if part else ()


def _bubble(item: object) -> str | None:
    if isinstance(item, str):
        return item if item.strip() else ""
    if isinstance(item, dict):
        # An image or a card is a bubble without a text.
        inner = item.get("text")
        return inner if isinstance(inner, str) else "" if inner is None and item else None
    if isinstance(item, bool) or not isinstance(item, int | float):
        return None
    return str(item)


def _intent(value: object, confidence: object) -> tuple[str | None, float | None]:
    if isinstance(value, dict):
        confidence = value.get("confidence") if confidence is None else confidence
        value = _first(value, _NAMES)
    name = value if isinstance(value, str) and value.strip() else None
    return name, _share(confidence)


def _guess(intent: object, confidence: object) -> Guess | None:
    return Guess(intent, _share(confidence) or 0.0) if isinstance(intent, str) and intent.strip() else None


def _share(value: object) -> float | None:
    if value is None or isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def _flag(value: object) -> bool | None:
    if isinstance(value, str):
        return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}.get(value.lower())
    return bool(value) if isinstance(value, bool | int) else None


def _slots(value: object) -> dict[str, str]:
    if isinstance(value, dict):
        return {str(name): _plain(item) for name, item in value.items() if item is not None}
    pairs = [(_first(i, _SLOT_NAMES), _first(i, _SLOT_VALUES)) for i in _list(value) if isinstance(i, dict)]
    return {str(name): _plain(item) for name, item in pairs if name is not None and item is not None}


def _plain(item: object) -> str:
    return item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)


def _all_buttons(value: object) -> list[object]:
    items: Iterable[object] = value if isinstance(value, list) else [value]
    return [button for item in items if isinstance(item, dict) for button in _list(_first(item, BUTTON_KEYS))]


def _label(button: object) -> str:
    found = _first(button, _LABELS) if isinstance(button, dict) else button
    return found if isinstance(found, str) else ""


def _first(mapping: Mapping[str, object], keys: Iterable[str]) -> object:
    return next((mapping[key] for key in keys if mapping.get(key) is not None), None)


def _list(value: object) -> list[object]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


# --- what came ----------------------------------------------------------------------------------------------------


def decode_json(body: bytes, refuse: Callable[[Status, str], BotError]) -> object:
    """Read JSON in UTF-8; the error that `refuse` makes is raised for anything else."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise refuse(Status.BAD_ENCODING, say("byte {start} is not UTF-8", start=error.start)) from None
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        raise refuse(Status.NOT_JSON, text) from None
    if text.count("[") + text.count("{") > MAX_DEPTH and not _is_shallow(value):
        raise refuse(Status.NOT_JSON, say("it is nested more than {max_depth} levels deep", max_depth=MAX_DEPTH))
    # Half a character, written as an escape, is valid JSON and cannot be written to any file.
    return _mended(value) if "\\u" in text else value


def _is_shallow(value: object) -> bool:
    level: list[object] = [value]
    for _ in range(MAX_DEPTH):
        level = [inner for item in level if isinstance(item, list | dict) for inner in _inside(item)]
        if not level:
            return True
    return False


def _inside(item: list[object] | dict[str, object]) -> Iterable[object]:
    return item.values() if isinstance(item, dict) else item


def _mended(value: object) -> object:
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_mended(item) for item in value]
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    return value


def _unexpected(what: str) -> BotError:
    return BotError(
        say("the answer is not of a known shape: {what}", what=what),
        status=Status.UNEXPECTED,
        remedy=say("say where the reply stands: `reply: {texts: <JMESPath>}` in the bot's entry of bots.yaml"),
    )


def _outline(payload: object) -> str:
    if isinstance(payload, dict):
        return f"it has the keys {', '.join(sorted(map(str, payload)))[:120] or '(none)'}"
    return f"it is {'a list' if isinstance(payload, list) else type(payload).__name__}"
