"""What an entry of a bot behind HTTP says, read and checked: its requests, and how replies are read and collected."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from vivavoce.bots.collecting import EVERY_S, SETTLE_S, Collecting
from vivavoce.bots.declaration import number
from vivavoce.bots.guard import Request
from vivavoce.bots.oauth import NEEDED
from vivavoce.bots.shapes import ReplyReader
from vivavoce.bots.streaming import DELTA, StreamReader
from vivavoce.bots.templates import Template, address_template, header_template, json_template
from vivavoce.errors import Fault, UsageError
from vivavoce.messages import say

METHODS = ("POST", "GET", "PUT", "PATCH")
BODY = {"session": "{session}", "text": "{text}"}
SSE = "sse"
WEBSOCKET = re.compile(r"^ws(?=s?://)")
_REQUESTS = ("open", "poll")
_GROUPS = ("headers", "reply", *_REQUESTS, "values", "oauth")


@dataclass(frozen=True)
class Call:
    """One kind of request, made ready."""

    method: str
    url: Template = field(repr=False)
    headers: tuple[tuple[str, Template], ...] = field(repr=False)
    body: Template | None = field(repr=False)

    def request(self, values: Mapping[str, str]) -> Request:
        """Return the request with these values."""
        headers = {name: template.fill(values) for name, template in self.headers}
        body = self.body.fill(values).encode() if self.body else None
        return Request(self.method, self.url.fill(values), headers, body)

    def text(self, values: Mapping[str, str]) -> str:
        """Return the body alone, as a WebSocket sends it."""
        return self.body.fill(values) if self.body else values["text"]

    def names(self) -> set[str]:
        """Return the names of all places."""
        templates = [self.url, *(template for _, template in self.headers), *([self.body] if self.body else [])]
        return {name for template in templates for name in template.names}


@dataclass(frozen=True)
class Plan:
    """All that is needed to talk: how a conversation is opened, how a message is sent, how a reply is read."""

    saying: Call
    opening: Call | None
    values: Mapping[str, Any]
    reader: ReplyReader
    collecting: Collecting
    websocket: bool = False
    stream: StreamReader | None = None
    polling: Call | None = None
    poll_values: Mapping[str, Any] = field(default_factory=dict)
    watermark: Any = None
    every_s: float = EVERY_S
    greeting_s: float = 0.0

    @property
    def greets_early(self) -> bool:
        """Whether replies can be asked for before anything was said."""
        return self.polling is not None and not self.polling.names() & set(self.poll_values)

    @classmethod
    def of(cls, entry: Mapping[str, Any], where: str) -> Plan:
        """Read an entry; UsageError for what is wrong with it."""
        opening, poll = entry.get("open"), entry.get("poll") or {}
        paths = dict(entry.get("reply") or {})
        headers = entry.get("headers") or {}
        values = _compile_paths((opening or {}).get("values") or {}, where, "open.values.")
        poll_values = _compile_paths(poll.get("values") or {}, where, "poll.values.")
        saying = _build_call(entry, ["session", "text", "turn", *values], where)
        begin = _build_call({"headers": headers, **opening}, ["session"], where) if opening else None
        polling = None
        if poll:
            part = {"method": "GET", "headers": headers, **poll}
            polling = _build_call(part, ["session", "turn", "watermark", *values, *poll_values], where)
        websocket = bool(WEBSOCKET.match(str(entry["url"])))
        if "text" not in saying.names() and not websocket:
            raise UsageError(
                say("the message is never sent: `{text}` does not appear in the address, headers or body"),
                where=where,
                remedy=say("put {text} where the bot expects the message"),
            )
        single = {"reply.delta": paths.pop("delta", DELTA), "reply.end": paths.pop("end", None)}
        single |= {"until": entry.get("until"), "poll.watermark": poll.get("watermark")}
        path = _compile_paths(single, where)
        reader = ReplyReader(paths, where=where)
        # With `until`, no pause ends a reply, unless its length is given.
        waits = entry.get("until") and entry.get("settle_s") in (None, "")
        settle_s = None if waits else _read_seconds(entry, "settle_s", SETTLE_S, where)
        return cls(
            saying,
            begin,
            values,
            reader,
            Collecting(reader, path["until"], settle_s, bool(poll) and not poll.get("watermark")),
            websocket,
            StreamReader(path["reply.delta"], path["reply.end"], reader) if entry.get("stream") else None,
            polling,
            poll_values,
            path["poll.watermark"],
            _read_seconds(poll, "every_s", EVERY_S, where),
            _read_seconds(entry, "greeting_s", 0.0, where),
        )


def list_addresses(entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield the addresses of an entry."""
    yield str(entry["url"])
    for name in ("open", "poll", "oauth"):
        if entry.get(name):
            yield str(entry[name]["url"])


def _build_call(part: Mapping[str, Any], names: Sequence[str], where: str) -> Call:
    method = read_method(part, where)
    body = part.get("body", None if method == "GET" else {key: BODY[key] for key in BODY if key in names})
    headers = {"Accept": "application/json", **(part.get("headers") or {})}
    if body is not None and not any(name.lower() == "content-type" for name in headers):
        headers["Content-Type"] = "application/json"
    return Call(
        method,
        address_template(part["url"], names, where=where),
        tuple((name, header_template(value, names, where=where)) for name, value in headers.items()),
        None if body is None else json_template(body, names, where=where),
    )


def read_method(part: Mapping[str, Any], where: str) -> str:
    """Return the method of a request; UsageError for one that sends nothing."""
    method = str(part.get("method", "POST")).upper()
    if method not in METHODS:
        raise UsageError(
            say("'{method}' cannot send a message", method=method),
            where=where,
            remedy=say("use {names}", names=", ".join(METHODS)),
        )
    return method


def read_entry(entry: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the entry with bodies that were written as JSON text made values; refuse parts of a wrong kind."""
    parts = {"": dict(entry)}
    faults: list[Fault] = []
    for name in _REQUESTS:
        inner = entry.get(name)
        if isinstance(inner, Mapping):
            parts[name] = dict(inner)
            if not isinstance(inner.get("url"), str):
                faults.append(Fault(say("the address `url` is missing"), name))
    faults += _list_mode_faults(entry)
    for place, part in parts.items():
        groups: dict[str, Any] = {key: part[key] for key in _GROUPS if key in part}
        wrong = [key for key, group in groups.items() if not isinstance(group, Mapping)]
        texts = {key: group for key, group in groups.items() if key not in wrong and key not in _REQUESTS}
        wrong += [f"{key}.{name}" for key in texts for name, v in texts[key].items() if not isinstance(v, str)]
        faults += [Fault(say("'{key}' must contain keys", key=key), place) for key in wrong]
        try:
            if isinstance(part.get("body"), str):
                part["body"] = json.loads(part["body"])
        except ValueError as error:
            raise UsageError(
                say("the body is neither a mapping nor JSON: {error}", error=error),
                where=where,
                remedy=say('write `body: {message: "{text}"}`, or JSON in single quotes if types matter'),
            ) from error
    if faults:
        raise UsageError(say("these values are invalid"), where=where, faults=faults, remedy=say("fix them"))
    return parts.pop("") | parts


def _list_mode_faults(entry: Mapping[str, Any]) -> list[Fault]:
    """Return what is wrong with how a bot is signed in to, and how its replies come."""
    faults: list[Fault] = []
    oauth = entry.get("oauth")
    if isinstance(oauth, Mapping):
        lacking = [name for name in NEEDED if not isinstance(oauth.get(name), str)]
        faults += [Fault(say("'{key}' is missing", key=name), "oauth") for name in lacking]
    if entry.get("stream") not in (None, "", SSE):
        faults.append(Fault(say("only '{name}' can be read", name=SSE), "stream"))
    if isinstance(entry.get("poll"), Mapping) and not (entry.get("until") or entry["poll"].get("watermark")):
        faults.append(Fault(say("set `until`, or `watermark` to tell old messages from new ones"), "poll"))
    modes = [name for name in ("stream", "poll") if entry.get(name)]
    modes += ["ws://"] if WEBSOCKET.match(str(entry.get("url"))) else []
    if len(modes) > 1:
        faults.append(Fault(say("{names} cannot be combined", names=", ".join(modes))))
    return faults


def _compile_paths(paths: Mapping[str, str], where: str, under: str = "") -> dict[str, Any]:
    """Return the expressions of these paths; those without one are None."""
    import jmespath

    compiled: dict[str, Any] = {}
    for name, path in paths.items():
        try:
            compiled[name] = jmespath.compile(path) if path else None
        except jmespath.exceptions.JMESPathError as error:
            what = say(
                "{name} is not a valid JMESPath expression: {error}",
                name=under + name,
                error=str(error).splitlines()[0],
            )
            raise UsageError(what, where=where, remedy=say("see https://jmespath.org")) from error
    return compiled


def _read_seconds(part: Mapping[str, Any], name: str, default: float, where: str) -> float:
    try:
        return default if part.get(name) in (None, "") else number(part[name], least=0)
    except ValueError as error:
        raise UsageError(f"{name}: {error}", where=where, remedy=say("enter a number")) from error
