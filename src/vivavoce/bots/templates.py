"""Texts with `{name}` in them, made ready once and filled in for each message.

Only whole names are replaced: there is no access to attributes or items, whatever a file says. `{{name}}` stands
for the characters themselves.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from urllib.parse import quote

from vivavoce.errors import UsageError, nearest
from vivavoce.messages import say

__all__ = ["LEGAL", "Template", "address_template", "header_template", "json_template", "protect"]

_PLACE = re.compile(r"\{(\{)?([A-Za-z_][A-Za-z0-9_]*)\}(?(1)\})")
_HOST = re.compile(r"https?://[^/?#]*")
# What an address may hold as it is; blanks, quotes and the like are percent-encoded.
LEGAL = "%/:?#[]@!$&'()*+,;=~{}"
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
            parts.append((literal, _known(match[2], known, where)))
            literal = ""
        self._parts = (*parts, (literal + text[at:], ""))
        self._escape = escape
        self.names = frozenset(name for _, name in parts)

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the text with the values in their places."""
        if len(self._parts) == 1:
            return self._parts[0][0]
        return "".join([part + self._escape(values[name]) if name else part for part, name in self._parts])


def _known(name: str, known: Collection[str], where: str) -> str:
    if name in known:
        return name
    raise UsageError(
        say("'{{{name}}}' is not known here.{nearest}", name=name, nearest=nearest(name, sorted(known))),
        where=where,
        remedy=say(
            "use {names}, or {{{{{name}}}}} for the characters",
            names=", ".join("{" + each + "}" for each in sorted(known)),
            name=name,
        ),
    )


def json_template(value: object, known: Collection[str], *, where: str = "") -> Template:
    """Make a template of a JSON value; the text of a value cannot leave the string that it stands in."""
    # Braces of JSON itself are followed by a quote or a brace, never by a name, so they are no places.
    return Template(json.dumps(value), known, _json_text, where=where)


def address_template(text: str, known: Collection[str], *, where: str = "") -> Template:
    """Make a template of an address; values are percent-encoded, so that they stay within their part of it."""
    host = _HOST.match(text)
    begin = host[0] if host else ""
    return Template(begin + quote(text[len(begin) :], safe=LEGAL), known, _address_part, where=where)


def header_template(text: str, known: Collection[str], *, where: str = "") -> Template:
    """Make a template of a header; line breaks in values become blanks."""
    return Template(text, known, lambda value: _CONTROL.sub(" ", value), where=where)


def protect(text: str) -> str:
    """Return a text in a form that a template writes out as it is, whatever braces it holds."""
    return _PLACE.sub(lambda match: f"{{{match[0]}}}", text)


def _json_text(value: str) -> str:
    return json.dumps(value)[1:-1]


def _address_part(value: str) -> str:
    return quote(value, safe="", errors="replace")
