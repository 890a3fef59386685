"""Any bot behind a small HTTP endpoint on this machine.

`POST /talk {"session", "text"}` answers with `texts`, `intent`, `confidence`, `fallback`, `slots`, `buttons` and what
was held back (`guess_intent`, `guess_confidence`), so the connector `http` needs nothing but the address. A session
begins with its first message; `POST /end {"session"}` ends it, `GET /` says who is there. Run as a program
(`python -m vivavoce.bots.serving`), it is the child process that serves a bot of any kind.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import cast

from aiohttp import web

from vivavoce import plugins
from vivavoce.bots.local_server import HOST, announce, read_material, wait_for_end
from vivavoce.bots.protocol import Bot, BotContext, Conversation
from vivavoce.bots.shapes import check_reply
from vivavoce.errors import BotError, UsageError, VivaError
from vivavoce.records import Reply

Handler = Callable[[web.Request], Awaitable[object]]

# A forgotten conversation costs memory, so the one that was silent for longest makes room.
MAX_CONVERSATIONS = 1_000
OWN_NAMES = (HOST, "localhost")


def reply_to_json(reply: Reply) -> dict[str, object]:
    """Return a reply in plain JSON values, without what came from further behind."""
    return {
        "texts": list(reply.texts),
        "intent": reply.intent,
        "confidence": reply.confidence,
        "fallback": reply.fallback,
        "slots": dict(reply.slots),
        "buttons": list(reply.buttons),
        "actions": [{"name": action.name, "args": action.raw or dict(action.args)} for action in reply.actions],
        "guess_intent": reply.guess.intent if reply.guess else None,
        "guess_confidence": reply.guess.confidence if reply.guess else None,
    }


@asynccontextmanager
async def serve_bot(bot: Bot, port: int = 0) -> AsyncIterator[str]:
    """Serve a bot on this machine only and give the address; port 0 takes any free one. The bot stays open."""
    conversations = _Conversations(bot)
    app = web.Application()
    app.router.add_post("/talk", _guard(conversations.reply))
    app.router.add_post("/end", _guard(conversations.end))
    app.router.add_get("/", _guard(conversations.describe))
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, HOST, port).start()
        except (OSError, OverflowError) as error:
            what = f"cannot use port {port}: {error}"
            raise UsageError(what, where=HOST, remedy="choose another port, or omit it to use a free one") from error
        yield f"http://{HOST}:{int(runner.addresses[0][1])}"
    finally:
        await runner.cleanup()
        await conversations.close()


class _Conversations:
    """The open conversations with a bot, and the handlers of requests."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._conversations: OrderedDict[str, Conversation] = OrderedDict()
        self._turns: dict[str, asyncio.Lock] = {}
        self._room = asyncio.Semaphore(max(1, bot.facts.limits.at_once))

    async def reply(self, request: web.Request) -> object:
        """Pass a message on and answer with the reply."""
        session, text = await _read_texts(request, "session", "text")
        # The messages of one conversation go one after another, whoever sends them.
        async with self._turns.setdefault(session, asyncio.Lock()), self._room:
            if session not in self._conversations:
                while len(self._conversations) >= MAX_CONVERSATIONS:
                    await self._drop(next(iter(self._conversations)))
                self._conversations[session] = await self._bot.open(session)
            self._conversations.move_to_end(session)
            return reply_to_json(check_reply(await self._conversations[session].say(text)))

    async def end(self, request: web.Request) -> object:
        """End a conversation; one that is not known has ended already."""
        (session,) = await _read_texts(request, "session")
        await self._drop(session)
        return {}

    async def describe(self, request: web.Request) -> object:
        """Say which bot this is."""
        facts = self._bot.facts
        return {"name": facts.name, "about": facts.about, "talk": "POST /talk with session and text"}

    async def close(self) -> None:
        """End all conversations."""
        for session in list(self._conversations):
            with suppress(VivaError):
                await self._drop(session)

    async def _drop(self, session: str) -> None:
        self._turns.pop(session, None)
        conversation = self._conversations.pop(session, None)
        if conversation is not None:
            await conversation.close()


def _guard(handler: Handler) -> Callable[[web.Request], Awaitable[web.Response]]:
    """Let only this machine in, and answer failures as JSON."""

    async def answer(request: web.Request) -> web.Response:
        # A web page may reach this machine under a name of its own, but never under these.
        if request.url.host not in OWN_NAMES:
            return web.json_response({"error": "this server only accepts requests from its own machine"}, status=403)
        try:
            return web.json_response(await handler(request))
        except UsageError as error:
            return web.json_response({"error": str(error)}, status=400)
        except VivaError as error:
            status = error.status if isinstance(error, BotError) else "failed"
            return web.json_response({"error": str(error), "status": status}, status=502)

    return answer


async def _read_texts(request: web.Request, *names: str) -> list[str]:
    remedy = f"send JSON (application/json) with the texts {' and '.join(names)}"
    # A form of a web page cannot have this content type, so no page can talk in the name of its reader.
    if request.content_type != "application/json":
        raise UsageError("the request is not JSON", where=request.path, remedy=remedy)
    try:
        message = await request.json()
    except ValueError as error:
        raise UsageError(f"the request is not JSON: {error}", where=request.path, remedy=remedy) from error
    values = [message.get(name) if isinstance(message, dict) else None for name in names]
    missing = [name for name, value in zip(names, values, strict=True) if not isinstance(value, str)]
    if missing:
        raise UsageError(f"missing or not a text: {', '.join(missing)}", where=request.path, remedy=remedy)
    return cast(list[str], values)


async def run_server(bot: Bot, port: int = 0) -> None:
    """Serve a bot to the parent of this process until it hangs up; then close the bot."""
    try:
        async with serve_bot(bot, port) as url:
            announce(url)
            await asyncio.to_thread(wait_for_end)
    finally:
        await bot.close()


def _main() -> None:
    material = cast(dict[str, object], read_material())
    context = BotContext(
        name=str(material["name"]), agent=cast(str | None, material["agent"]), seed=int(str(material["seed"]))
    )
    kind, option = plugins.split_name(context.name)
    try:
        bot = cast(Bot, plugins.build(plugins.BOTS, kind, option, context))
        asyncio.run(run_server(bot, int(str(material["port"]))))
    except VivaError as error:
        # The parent quotes it and says what to do; a traceback would only hide what it says.
        raise SystemExit(str(error).replace("\nWhat to do: ", "; ")) from error


if __name__ == "__main__":
    _main()
