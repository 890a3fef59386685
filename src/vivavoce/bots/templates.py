"""Texts with places for values, as the parts of a request need them: addresses, headers, JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from urllib.parse import quote

from vivavoce.bots.redaction import LEGAL
from vivavoce.errors import UsageError, nearest
from vivavoce.messages import say

_PLACE = re.compile(r"\{(\{)?([A-Za-z_][A-Za-z0-9_]*)\}(?(1)\})")
_HOST = re.compile(r"(?:https?|wss?)://[^/?#]*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


class Template:
    """A text with places for values; each value is escaped as the text around it needs."""

    __slots__ = ("_escape", "_parts", "names")

    def __init__(self, text: str, known: Collection[str], escape: Callable[[str], str], *, where: str = "") -> None:
        parts: list[tuple[str, str]] = []
        at = 0
        literal = ""
        for match in _PLACE.finditer(text):
            literal += text[at : match.start()]
            at = match.end()
            if match[1]:
                literal += match[0][1:-1]
                continue
            name = match[2]
            if name not in known:
                near, places = nearest(name, sorted(known)), ", ".join("{" + each + "}" for each in sorted(known))
                raise UsageError(
                    say("unknown placeholder '{{{name}}}'.{nearest}", name=name, nearest=near),
                    where=where,
                    remedy=say("use {names}, or {{{{{name}}}}} for literal braces", names=places, name=name),
                )
            parts.append((literal, name))
            literal = ""
        self._parts = (*parts, (literal + text[at:], ""))
        self._escape = escape
        self.names = frozenset(name for _, name in parts)

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the text with the values in their places."""
        if len(self._parts) == 1:
            return self._parts[0][0]
        return "".join([part + self._escape(values[name]) if name else part for part, name in self._parts])


def json_template(value: object, known: Collection[str], *, where: str = "") -> Template:
    """Make a template of a JSON value; the text of a value cannot leave the string that it stands in."""
    # Braces of JSON itself are followed by a quote or a brace, never by a name, so they are no places.
    return Template(json.dumps(value), known, lambda text: json.dumps(text)[1:-1], where=where)


def address_template(text: str, known: Collection[str], *, where: str = "") -> Template:
    """Make a template of an address; values are percent-encoded, so that they stay within their part of it."""
    host = _HOST.match(text)
    begin = host[0] if host else ""
    rest = quote(text[len(begin) :], safe=LEGAL)
    return Template(begin + rest, known, lambda value: quote(value, safe="", errors="replace"), where=where)


def header_template(text: str, known: Collection[str], *, where: str = "") -> Template:
    """Make a template of a header; line breaks in values become blanks."""
    return Template(text, known, lambda value: _CONTROL.sub(" ", value), where=where)


def protect(text: str) -> str:
    """Return a text in a form that a template writes out as it is, whatever braces it holds."""
    return _PLACE.sub(lambda match: f"{{{match[0]}}}", text)
