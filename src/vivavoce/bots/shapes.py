"""Reading a reply out of what a bot sent: by paths that were given, else by the shapes that bots commonly use."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vivavoce.errors import BotError, Fault, UsageError
from vivavoce.messages import say
from vivavoce.records import Action, Guess, Reply, Status

ACTION_KEYS = ("actions", "tool_calls", "function_call")
_ACTION_NAMES = ("name", "action", "toolName")
_ARGUMENTS = ("args", "arguments", "parameters", "input")


def read_actions(value: object) -> tuple[Action, ...]:
    """Return the actions of a list or of a single one: names, or objects with a name and arguments.

    Objects are read as OpenAI (`function: {name, arguments}`), Anthropic (`name`, `input`) and others write them.
    """
    items = value if isinstance(value, list) else [value]
    return tuple(action for action in map(_read_action, items) if action is not None)


def _read_action(item: object) -> Action | None:
    if isinstance(item, str):
        return Action(item) if item.strip() else None
    if not isinstance(item, Mapping):
        return None
    inner = item.get("function")
    call = inner if isinstance(inner, Mapping) else item
    name = next((call[key] for key in _ACTION_NAMES if isinstance(call.get(key), str) and call[key].strip()), None)
    if name is None:
        return None
    written = arguments = next((call[key] for key in _ARGUMENTS if call.get(key) is not None), "")
    if isinstance(written, str) and written:
        try:
            arguments = json.loads(written)
        except (ValueError, RecursionError):
            arguments = None
    if isinstance(arguments, Mapping):
        return Action(name, dict(arguments))
    # What is not a JSON object is kept as it came.
    return Action(name, raw=written if isinstance(written, str) else json.dumps(written, ensure_ascii=False))


PATHS = (
    *("texts", "intent", "confidence", "slots", "buttons", "fallback"),
    *("guess_intent", "guess_confidence", "actions"),
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
                what = say("'{path}' is not a JMESPath expression: {first}", path=path, first=first)
                faults.append(Fault(what, f"reply.{field}"))
        if faults:
            raise UsageError(
                say("these paths are invalid"), where=where, faults=faults, remedy=say("see https://jmespath.org")
            )

    def read(self, payload: object, *, needs_texts: bool = True) -> Reply:
        """Return the reply; BotError `unexpected` where there is none and one is needed."""
        import jmespath

        if not self._paths:
            return _build_reply(_find_parts(payload, needs_texts=needs_texts), payload)
        parts: dict[str, object] = {}
        for field, path in self._paths.items():
            try:
                parts[field] = path.search(payload)
            except jmespath.exceptions.JMESPathError as error:
                first = str(error).splitlines()[0]
                raise _refuse_payload(f"the path reply.{field} does not match the response: {first}") from None
        if needs_texts and "texts" in parts and parts["texts"] is None:
            raise _refuse_payload(f"nothing found at the path reply.texts; {_outline(payload)}")
        usual = _find_parts(payload, needs_texts=needs_texts and "texts" not in parts)
        if parts.get("texts", "") is None:
            parts["texts"] = []
        return _build_reply({**usual, **parts}, payload)


def read_reply(payload: object) -> Reply:
    """Return the reply from a payload of a common shape; BotError `unexpected` where there is none.

    A text; a list of texts or of objects with `text` (and `buttons`); an object with `texts`, `replies`, `reply`,
    `answer`, `response`, `messages`, `message` or `text`, and if it tells with `intent`, `confidence` or `score`,
    `slots` or `entities`, `buttons`, `fallback`, `guess_intent`, `guess_confidence`, `actions` or `tool_calls`.
    """
    return _build_reply(_find_parts(payload), payload)


def join_replies(replies: Sequence[Reply], seconds: float | None = None) -> Reply:
    """Return one reply made of parts that came one after another: all bubbles, and the last word on all else."""
    joined: dict[str, Any] = {"raw": [reply.raw for reply in replies], "seconds": seconds}
    for name in ("intent", "confidence", "fallback", "guess"):
        joined[name] = next((value for part in reversed(replies) if (value := getattr(part, name)) is not None), None)
    for name in ("texts", "buttons", "actions"):
        joined[name] = tuple(value for part in replies for value in getattr(part, name))
    return Reply(slots={name: value for part in replies for name, value in part.slots.items()}, **joined)


def check_reply(reply: object) -> Reply:
    """Return what a bot gave as its reply, with tuples where it has lists; BotError `failed` where it is none."""
    if not isinstance(reply, Reply):
        raise _refuse_reply(say("`say` returned {kind}, not Reply", kind=type(reply).__name__))
    parts = {"texts": reply.texts, "buttons": reply.buttons, "actions": reply.actions}
    if any(isinstance(value, list) for value in parts.values()):
        # Authors of connectors easily return a list; nothing is lost by reading it.
        parts = {name: tuple(value) if isinstance(value, list) else value for name, value in parts.items()}
        reply = replace(reply, **parts)  # type: ignore[arg-type]
    for name, value in parts.items():
        if isinstance(value, tuple) and all(isinstance(item, Action if name == "actions" else str) for item in value):
            continue
        if name == "actions":
            raise _refuse_reply(say("`actions` is not a tuple of Action"))
        raise _refuse_reply(say("`{name}` is not a tuple of texts", name=name))
    return reply


def _refuse_reply(what: str) -> BotError:
    return BotError(what, status=Status.FAILED, remedy=say('return a Reply: `Reply(("Hello!",))`'))


def _find_parts(payload: object, *, needs_texts: bool = True) -> dict[str, object]:
    if isinstance(payload, str | list):
        return {"texts": payload, "buttons": _list_buttons(payload)}
    if not isinstance(payload, dict):
        if needs_texts:
            raise _refuse_payload(_outline(payload))
        return {}
    key = next((key for key in TEXT_KEYS if key in payload), None)
    # A bot that only understands (an NLU service) tells a topic and says nothing; one that acts may say nothing too.
    if key is None and needs_texts and not {"intent", *ACTION_KEYS} & payload.keys():
        raise _refuse_payload(f"no reply found; {_outline(payload)}")
    texts = payload[key] if key else None
    parts = {field: payload.get(field) for field in ("intent", "fallback", "guess_intent", "guess_confidence")}
    parts |= {"texts": [] if texts is None else texts, "slots": _first(payload, SLOT_KEYS)}
    parts |= {"confidence": _first(payload, CONFIDENCE_KEYS), "actions": _first(payload, ACTION_KEYS)}
    parts["buttons"] = [*_as_list(_first(payload, BUTTON_KEYS)), *_list_buttons(texts)]
    return parts


def _build_reply(parts: Mapping[str, object], payload: object) -> Reply:
    written = parts.get("texts")
    bubbles = [_read_bubble(item) for item in (written if isinstance(written, list) else [written])]
    if bubbles and all(bubble is None for bubble in bubbles):
        raise _refuse_payload(f"the value in the reply's place is not a text; {_outline(payload)}")
    intent, confidence = parts.get("intent"), parts.get("confidence")
    if isinstance(intent, dict):
        confidence = intent.get("confidence") if confidence is None else confidence
        intent = _first(intent, _NAMES)
    topic, guess = _read_name(intent), _read_name(parts.get("guess_intent"))
    understood = topic not in NO_TOPIC
    return Reply(
        texts=tuple(bubble for bubble in bubbles if bubble),
        intent=topic if understood else None,
        confidence=_read_share(confidence) if understood else None,
        slots=read_slots(parts.get("slots")),
        buttons=tuple(filter(None, map(_read_label, _as_list(parts.get("buttons"))))),
        fallback=_read_flag(parts.get("fallback")) if understood else True,
        guess=Guess(guess, _read_share(parts.get("guess_confidence")) or 0.0) if guess else None,
        raw=payload,
        actions=read_actions(parts.get("actions")),
    )


def _read_bubble(item: object) -> str | None:
    """Return the text of a bubble, empty where it has none; None for what is no bubble."""
    if isinstance(item, str):
        return item if item.strip() else ""
    if isinstance(item, dict):
        # An image or a card is a bubble without a text.
        inner = item.get("text")
        return inner if isinstance(inner, str) else "" if inner is None and item else None
    if isinstance(item, bool) or not isinstance(item, int | float):
        return None
    return str(item)


def _read_name(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _read_share(value: object) -> float | None:
    if value is None or isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        share = float(value)
    except (ValueError, OverflowError):
        return None
    return share if math.isfinite(share) else None


def _read_flag(value: object) -> bool | None:
    if isinstance(value, str):
        return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}.get(value.lower())
    return bool(value) if isinstance(value, bool | int) else None


def read_slots(value: object) -> dict[str, str]:
    """Return slots as texts: of a mapping, or of a list of objects with a name and a value."""
    if isinstance(value, dict):
        pairs = list(value.items())
    else:
        items = [item for item in _as_list(value) if isinstance(item, dict)]
        pairs = [(_first(item, _SLOT_NAMES), _first(item, _SLOT_VALUES)) for item in items]
        pairs = [(name, item) for name, item in pairs if name is not None]
    return {
        str(name): item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)
        for name, item in pairs
        if item is not None
    }


def _list_buttons(value: object) -> list[object]:
    items = [item for item in _as_list(value) if isinstance(item, dict)]
    return [button for item in items for button in _as_list(_first(item, BUTTON_KEYS))]


def _read_label(button: object) -> str:
    label = _first(button, _LABELS) if isinstance(button, dict) else button
    return label if isinstance(label, str) else ""


def _first(mapping: Mapping[str, object], keys: Iterable[str]) -> object:
    return next((mapping[key] for key in keys if mapping.get(key) is not None), None)


def _as_list(value: object) -> list[object]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


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
        raise refuse(Status.NOT_JSON, say("nested more than {max_depth} levels deep", max_depth=MAX_DEPTH))
    # Half a character, written as an escape, is valid JSON and cannot be written to any file.
    return _mend(value) if "\\u" in text else value


def _is_shallow(value: object) -> bool:
    level: list[object] = [value]
    for _ in range(MAX_DEPTH):
        nested = [item for item in level if isinstance(item, list | dict)]
        level = [inner for item in nested for inner in (item.values() if isinstance(item, dict) else item)]
        if not level:
            return True
    return False


def _mend(value: object) -> object:
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_mend(item) for item in value]
    if isinstance(value, dict):
        return {_mend(key): _mend(item) for key, item in value.items()}
    return value


def _refuse_payload(what: str) -> BotError:
    return BotError(
        say("unknown response format: {what}", what=what),
        status=Status.UNEXPECTED,
        remedy=say("set the path to the reply: `reply: {texts: <JMESPath>}` in the bot's entry in bots.yaml"),
    )


def _outline(payload: object) -> str:
    if isinstance(payload, dict):
        return f"its keys are {', '.join(sorted(map(str, payload)))[:120] or '(none)'}"
    return f"it is {'a list' if isinstance(payload, list) else type(payload).__name__}"
