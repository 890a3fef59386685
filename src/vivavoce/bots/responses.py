"""OpenAI's Responses API: the server keeps the conversation, unless the entry's `extra` says `store: false`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vivavoce.bots.guard import Request
from vivavoce.bots.shapes import read_actions
from vivavoce.errors import BotError
from vivavoce.messages import say
from vivavoce.records import Reply, Status

if TYPE_CHECKING:
    from vivavoce.bots.client import BotSession

_RENAMED = {"max_tokens": "max_output_tokens"}
CONFIRMED = '{"status": "accepted"}'


class Endpoint:
    """Where and how the model is asked; holds the key, so it is never shown."""

    def __init__(self, entry: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        self.base = str(entry["base_url"]).rstrip("/")
        self.headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if entry.get("api_key"):
            self.headers["Authorization"] = f"Bearer {entry['api_key']}"
        self.headers |= entry.get("headers") or {}
        if entry.get("api") == "responses":
            settings = {_RENAMED.get(name, name): value for name, value in settings.items() if name != "seed"}
        self.fixed = {"model": entry["model"], **settings, **entry["extra"]}
        self.prompt = str(entry["system"] or "")

    def request(self, path: str, body: Mapping[str, Any]) -> Request:
        """Return a request with what is the same in all of them."""
        return Request("POST", self.base + path, self.headers, json.dumps({**self.fixed, **body}).encode())


class ResponsesConversation:
    """One conversation. No tool is run: each call is confirmed with the next message, as the protocol demands."""

    def __init__(self, endpoint: Endpoint, requests: BotSession) -> None:
        self._endpoint, self._requests = endpoint, requests
        self._stored = endpoint.fixed.get("store", True)
        # What is sent again with each message: everything, or where the server keeps it the calls to confirm.
        self._before: list[dict[str, Any]] = []
        self._previous = ""

    async def say(self, text: str) -> Reply:
        """Send a message; it stays in the conversation once it is answered."""
        items = [*self._before, {"role": "user", "content": text}]
        body: dict[str, Any] = {"input": items}
        # Instructions hold for one response only.
        if self._endpoint.prompt:
            body["instructions"] = self._endpoint.prompt
        if self._previous:
            body["previous_response_id"] = self._previous
        payload = await self._requests.fetch(self._endpoint.request("/responses", body))
        output = _find_output(payload)
        confirmed = [
            {"type": "function_call_output", "call_id": item.get("call_id", ""), "output": CONFIRMED}
            for item in output
            if item.get("type") == "function_call"
        ]
        if self._stored:
            self._previous, self._before = str(payload["id"]), confirmed  # type: ignore[index]
        else:
            self._before = [*items, *(item for item in output if item.get("type") != "reasoning"), *confirmed]
        redacted: Any = self._requests.redactor.value(payload)
        redacted_items = _find_output(redacted)
        texts = (
            part for item in redacted_items if item.get("type") == "message" for part in item.get("content") or ()
        )
        reply_text = "".join(str(part.get("text") or part.get("refusal") or "") for part in texts)
        calls = [item for item in redacted_items if item.get("type") == "function_call"]
        return Reply((reply_text,) if reply_text.strip() else (), raw=redacted, actions=read_actions(calls))

    async def close(self) -> None:
        """End the conversation; the connections belong to the bot and stay."""


def _find_output(payload: object) -> list[dict[str, Any]]:
    output = payload.get("output") if isinstance(payload, dict) and payload.get("id") else None
    if not isinstance(output, list):
        raise BotError(
            say("not a response of the Responses API: id or output is missing"),
            status=Status.UNEXPECTED,
            remedy=say("check the address, or set `api: chat`"),
        )
    return [item for item in output if isinstance(item, dict)]
