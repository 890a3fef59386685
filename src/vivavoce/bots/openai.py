"""A language model behind any endpoint that speaks OpenAI's chat protocol; it keeps all messages."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vivavoce.bots.declaration import NOTHING, BotOption, Connector, Reach, entry_facts, number
from vivavoce.bots.guard import Addresses, check_address, shown_address
from vivavoce.bots.protocol import BotContext, BotFacts, Limits, Nature
from vivavoce.bots.redaction import Redactor, open_entry
from vivavoce.bots.responses import CONFIRMED, Endpoint, ResponsesConversation
from vivavoce.bots.shapes import read_actions
from vivavoce.errors import BotError, UsageError
from vivavoce.messages import say
from vivavoce.plugins import declare
from vivavoce.records import Reply, Status

if TYPE_CHECKING:
    from vivavoce.bots.client import BotClient, BotSession

CHAT, RESPONSES = "chat", "responses"
OPENAI = "https://api.openai.com/v1"
KEY, BASE = "OPENAI_API_KEY", "OPENAI_BASE_URL"
_LIMITS = Limits(at_once=4, timeout_s=60.0)
_MODEL = say("Language model")
CONNECTOR = Connector(
    Reach.ADDRESS,
    (
        BotOption("model", label=say("Model"), group=_MODEL, required=True),
        BotOption(
            "base_url",
            "address",
            say("Any endpoint that supports OpenAI's chat API. Empty: OpenAI."),
            label=say("Address"),
            group=_MODEL,
        ),
        BotOption(
            "api_key",
            help=say(
                "The name of an environment variable on the server, never the key itself. Empty: no key is sent."
            ),
            label=say("API key variable"),
            group=_MODEL,
            secret=True,
            variable=KEY,
        ),
        BotOption("system", "long text", say("The model's system prompt."), label=say("Prompt"), group=_MODEL),
        BotOption("prompt_file", "file"),
        BotOption(
            "api",
            "choice",
            say("The chat API, which most servers support, or OpenAI's newer Responses API."),
            default=CHAT,
            label=say("API"),
            group=_MODEL,
            choices=(CHAT, RESPONSES),
        ),
        BotOption("temperature", "number", label=say("Temperature"), group=_MODEL, low="0", high="2"),
        BotOption("max_tokens", "whole", label=say("Maximum reply length in tokens"), group=_MODEL, low="1"),
        BotOption("seed", "whole"),
        BotOption("headers", "headers", secret=True),
        BotOption("extra", "json"),
    ),
    limits=_LIMITS,
    title=say("Language model"),
    position=2,
)


@declare(CONNECTOR)
def from_option(option: str, context: BotContext) -> OpenAIBot:
    """Language model behind an OpenAI-compatible endpoint; option: `model` or `model@base_url`."""
    entry = dict(context.entry)
    model, at, base = option.rpartition("@") if "@http" in option else (option, "", "")
    if option:
        entry |= {"model": model, **({"base_url": base} if at else {})}
    if not entry.get("model"):
        raise UsageError(
            say("the model is missing"),
            where=context.name,
            remedy=say("write `model: ...` or `openai:MODEL@ADDRESS`"),
        )
    if entry.get("api", CHAT) not in (CHAT, RESPONSES):
        raise UsageError(
            say("'{name}' is not an API of this kind", name=entry["api"]),
            where=context.name,
            remedy=say("use {names}", names=f"{CHAT}, {RESPONSES}"),
        )
    entry.setdefault("base_url", os.environ.get(BASE) or OPENAI)
    if "api_key" not in entry and (os.environ.get(KEY) or entry["base_url"] == OPENAI):
        entry["api_key"] = f"${{{KEY}}}"
    about = f"{entry['model']} at {shown_address(str(entry['base_url']))}"
    facts = BotFacts(context.name, about, reports_actions=True, nature=Nature.LANGUAGE_MODEL, limits=_LIMITS)
    return OpenAIBot(entry, entry_facts(context, facts), seed=context.seed)


class OpenAIBot:
    """A language model. The prompt is the bot: two prompts of one model are two bots.

    `policy`: where the endpoint may be, for a server that we started ourselves.
    """

    def __init__(
        self, entry: Mapping[str, Any], facts: BotFacts, *, seed: int = 0, policy: Addresses | None = None
    ) -> None:
        self._policy = policy
        self._entry = {**entry, "system": _read_prompt(entry, facts.name)}
        try:
            extra = entry.get("extra")
            self._entry["extra"] = json.loads(extra) if isinstance(extra, str) else extra or {}
        except ValueError:
            self._entry["extra"] = None
        if not isinstance(self._entry["extra"], dict):
            remedy = say("write `extra: '{\"top_p\": 0.9}'`")
            raise UsageError(say("`extra` is neither a mapping nor a JSON object"), where=facts.name, remedy=remedy)
        self.facts = facts
        settings: dict[str, float] = {}
        for key, default, least in (("temperature", 0, 0.0), ("max_tokens", 512, 1.0), ("seed", seed, 0.0)):
            value = entry.get(key, default)
            if str(value).strip().lower() in NOTHING:
                continue
            try:
                amount = number(value, least=least, whole=key != "temperature")
            except ValueError as error:
                remedy = say("enter a number, or `none` to leave it out")
                raise UsageError(f"{key}: {error}", where=facts.name, remedy=remedy) from error
            settings[key] = amount if key == "temperature" else int(amount)
        self._settings = settings
        if "${" not in str(entry["base_url"]):
            check_address(str(entry["base_url"]), where=facts.name)
        self._ready: tuple[Endpoint, BotClient, Redactor] | None = None

    async def open(self, session: str) -> OpenAIConversation | ResponsesConversation:
        """Begin a conversation with nothing but the prompt."""
        endpoint, client, redactor = self._ready or self._prepare()
        if self._entry.get("api") == RESPONSES:
            return ResponsesConversation(endpoint, client.begin(redactor, where=self.facts.name))
        return OpenAIConversation(endpoint, client.begin(redactor, where=self.facts.name))

    async def close(self) -> None:
        """Close the connections."""
        if self._ready is not None:
            await self._ready[1].close()

    def _prepare(self) -> tuple[Endpoint, BotClient, Redactor]:
        from vivavoce.bots.client import BotClient

        # A prompt of its own file is a text for the model, in which braces mean nothing.
        apart = {"system": self._entry["system"]} if "prompt_file" in self._entry else {}
        entry, redactor = open_entry({k: v for k, v in self._entry.items() if k not in apart}, where=self.facts.name)
        check_address(str(entry["base_url"]), where=self.facts.name)
        endpoint = Endpoint({**entry, **apart}, self._settings)
        self._ready = endpoint, BotClient(self._policy), redactor
        return self._ready


class OpenAIConversation:
    """One conversation: the model is sent all that was said so far."""

    def __init__(self, endpoint: Endpoint, requests: BotSession) -> None:
        self._endpoint, self._requests = endpoint, requests
        self._messages: list[dict[str, Any]] = []

    async def say(self, text: str) -> Reply:
        """Send the conversation so far with a new message, which stays in it once it is answered."""
        messages: list[dict[str, Any]] = [*self._messages, {"role": "user", "content": text}]
        prompt = [{"role": "system", "content": self._endpoint.prompt}] if self._endpoint.prompt else []
        request = self._endpoint.request("/chat/completions", {"messages": [*prompt, *messages]})
        payload = await self._requests.fetch(request)
        message = _find_message(payload)
        content = _read_content(message)
        # Kept as it came, not as recorded; and many servers refuse empty messages or two of one speaker in a row.
        if content.strip() or _list_calls(message):
            self._messages = [*messages, *_list_kept_messages(message, content)]
        text, redacted = self._requests.redactor.text(content), self._requests.redactor.value(payload)
        calls = read_actions(_list_calls(_find_message(redacted)))
        return Reply(texts=(text,) if text.strip() else (), raw=redacted, actions=calls)

    async def close(self) -> None:
        """End the conversation; the connections belong to the bot and stay."""


def _find_message(payload: object) -> Mapping[str, Any]:
    choices = payload.get("choices") if isinstance(payload, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict):
        raise BotError(
            say("not a chat endpoint response: choices[0].message is missing"),
            status=Status.UNEXPECTED,
            remedy=say("check the address; it usually ends in /v1"),
        )
    return message


def _list_calls(message: Mapping[str, Any]) -> list[Any]:
    """Return the tools that the model called, also in the older form of a single function."""
    tools, function = message.get("tool_calls"), message.get("function_call")
    return [*(tools if isinstance(tools, list) else []), *([function] if isinstance(function, Mapping) else [])]


def _list_kept_messages(message: Mapping[str, Any], content: str) -> Iterator[dict[str, Any]]:
    """Yield what stays in the conversation. No tool is run: each call is confirmed, as the protocol demands."""
    calls = {key: message[key] for key in ("tool_calls", "function_call") if message.get(key)}
    yield {"role": "assistant", "content": content or None if calls else content, **calls}
    for call in message.get("tool_calls") or ():
        if isinstance(call, Mapping):
            yield {"role": "tool", "tool_call_id": call.get("id", ""), "content": CONFIRMED}
    function = message.get("function_call")
    if isinstance(function, Mapping):
        yield {"role": "function", "name": function.get("name", ""), "content": CONFIRMED}


def _read_content(message: Mapping[str, Any]) -> str:
    """Return the text of a message; nothing where the model only reasoned or called a tool."""
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _read_prompt(entry: Mapping[str, Any], where: str) -> str:
    path = entry.get("prompt_file")
    if path is None:
        return str(entry.get("system", ""))
    if "system" in entry:
        raise UsageError(
            say("`system` and `prompt_file` cannot be combined"), where=where, remedy=say("remove one of them")
        )
    try:
        return Path(str(path)).read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise UsageError(
            say("the prompt cannot be read: {reason}", reason=reason),
            where=str(path),
            remedy=say("check `prompt_file`"),
        ) from error
