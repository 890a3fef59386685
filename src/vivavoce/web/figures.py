"""Figures of runs as pages show them: the stored picture and its live version, in the reader's language.

A chart is stored in English with the messages in it (`vivavoce.messages.noted`); one of an older release has none and
stays English. The names of topics, bots and people stay as they are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from markupsafe import Markup

from vivavoce.errors import AbsentError
from vivavoce.kept import Kept
from vivavoce.messages import add_messages, message_from_json, restore_messages
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run
from vivavoce.web.language import DEFAULT, Words, gettext_noop
from vivavoce.workspace.exams.runs import document


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure: its title, how it is read, the picture, where its specification is, and that specification.

    A picture without a specification is in the reader's language already.
    """

    title: str
    meaning: str
    svg: Markup
    address: str
    spec: Mapping[str, Any] = field(default_factory=dict)
    key: tuple[object, ...] = ()

    def in_words(self, language: str) -> Markup:
        """Return the picture with its words in a language; one of an older release stays English."""
        if language == DEFAULT or "messages" not in self.spec:
            return self.svg
        # Drawn by ourselves, with all texts in it escaped.
        return _PICTURES.get((*self.key, language), lambda: Markup(draw(Words(language), self.spec)))  # noqa: S704


_KEPT: Kept[Drawn | None] = Kept(60)
_PICTURES: Kept[Markup] = Kept(240)


def find_figure(store: Store, project: Project, run: Run, name: str) -> Drawn | None:
    """Return a figure of a run that is done; None where the run had no data for it."""
    address = f"/p/{project.slug}/runs/{run.number}/charts/{name}.json"
    key = (run.id, run.version, name)

    def read() -> Drawn | None:
        try:
            spec = json.loads(document(store, run, f"charts/{name}.json"))
            svg = document(store, run, f"charts/{name}.svg").decode()
        except AbsentError:
            return None
        about = restore_messages(spec).get("usermeta", {})
        # Written by ourselves when the run was concluded, with all texts in it escaped.
        return Drawn(about.get("title", name), about.get("meaning", ""), Markup(svg), address, spec, key)  # noqa: S704

    return _KEPT.get(key, read)


def chart_file(store: Store, run: Run, name: str, kind: str, words: Words) -> bytes:
    """Return the chart of a run as `json` or `svg`, with its words in the reader's language."""
    content = document(store, run, f"charts/{name}.{kind}")
    if words.language == DEFAULT:
        return content
    spec = json.loads(document(store, run, f"charts/{name}.json"))
    if kind == "json":
        return json.dumps(translate_spec(words, spec)).encode()
    return draw(words, spec).encode() if "messages" in spec else content


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
