"""Charts in the reader's language: the specification with its messages translated, and the picture drawn from it.

A chart is stored in English with the messages in it (`vivavoce.messages.noted`); one of an older release has none and
stays English. The names of topics, bots and people stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from vivavoce.messages import add_messages, message_from_json
from vivavoce.web.language import DEFAULT, Words, gettext_noop

# Fields of the data that hold names, never words of ours.
_NAMES = frozenset({"bot", "guess", "name", "origin", "pair", "script", "topic"})
# What stands in the box under the pointer before each value.
_FIELDS: Mapping[str, str] = MappingProxyType(
    {
        "bot": gettext_noop("bot"),
        "confidence": gettext_noop("confidence"),
        "count": gettext_noop("count"),
        "effect": gettext_noop("effect"),
        "examples": gettext_noop("examples"),
        "from": gettext_noop("from"),
        "guess": gettext_noop("guess"),
        "high": gettext_noop("up to"),
        "label": gettext_noop("what"),
        "low": gettext_noop("from"),
        "number": gettext_noop("message"),
        "origin": gettext_noop("topic"),
        "series": gettext_noop("series"),
        "share": gettext_noop("share"),
        "talks": gettext_noop("dialogues"),
        "to": gettext_noop("up to"),
        "topic": gettext_noop("topic"),
        "turns": gettext_noop("turns"),
        "value": gettext_noop("value"),
        "what": gettext_noop("what"),
        "who": gettext_noop("speaker"),
    }
)
_LOCALES: Mapping[str, Mapping[str, object]] = MappingProxyType(
    {"de": {"number": {"decimal": ",", "thousands": ".", "grouping": [3], "currency": ["", " €"]}}}
)


def draw(words: Words, spec: Mapping[str, Any]) -> str:
    """Return the picture of a stored chart in a language."""
    from vivavoce.reports.shared.svg import spec_to_svg

    translated = translate_spec(words, spec)
    width = spec["usermeta"].get("width")
    own = {} if width is None else {"width": width}
    return spec_to_svg({**translated, **own, "autosize": {"type": "pad"}})


def translate_spec(words: Words, spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a live chart is made of, in a language."""
    content = dict(spec) if "messages" in spec else add_messages(spec)
    messages = content.pop("messages", [])
    if words.language == DEFAULT:
        return content
    texts = {message["text"]: words.said(message_from_json(message)) for message in messages}
    translated: dict[str, Any] = _translate(words, texts, content)
    translated["config"] = {**content.get("config", {}), "locale": _LOCALES.get(words.language, {})}
    return translated


def _translate(words: Words, texts: Mapping[str, str], part: Any) -> Any:
    """Return a part of a specification with its messages translated."""
    if isinstance(part, str):
        return texts.get(part, part)
    if isinstance(part, list):
        return [_translate(words, texts, item) for item in part]
    if not isinstance(part, Mapping):
        return part
    named = part.get("field") in _NAMES
    translated = {
        key: value if key in _NAMES or (named and key in ("scale", "sort")) else _translate(words, texts, value)
        for key, value in part.items()
    }
    if isinstance(boxes := part.get("tooltip"), list):
        translated["tooltip"] = [
            {**box, "title": texts.get(title, words.gettext(title))}
            for box in boxes
            for title in [str(box.get("title") or _FIELDS.get(str(box.get("field")), box.get("field")))]
        ]
    return translated
