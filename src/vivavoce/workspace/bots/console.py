"""One message to a bot that is being connected: what it sent, and what its paths read in it."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from vivavoce.bots import Reply, load_entry
from vivavoce.bots.asking import new_session
from vivavoce.bots.guard import limited_to
from vivavoce.bots.shapes import ReplyReader
from vivavoce.errors import BotError, UsageError, VivaError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import Edit, Project, Role
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.access.bot_rules import BotRules, Entry, entry_faults, kind_of
from vivavoce.workspace.bots.bots import USUAL_AGENT, add_bot, list_bots, reject_entry
from vivavoce.workspace.bots.chatting import MAX_LETTERS, PLACES, refuse_program

SECONDS = 30.0
MAX_RAW = 50_000
MAX_LINES = 300
MAX_TEXT = 200
# What can be told by clicking, and the field of the form that it fills.
ROLES = ("reply.texts", "reply.intent", "reply.confidence", "reply.fallback")
# Engines that an admin can start on the server itself.
ENGINES = ("nlpjs", "rivescript", "chatterbot")
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_INDEX = re.compile(r"\[\d+\]")


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of a message: the answer as it came, what was read in it, and why there is none of either."""

    raw: object = None
    reply: Reply | None = None
    trouble: str = ""
    greeting: str = ""


@dataclass(frozen=True, slots=True)
class JsonLine:
    """A line of a JSON text; `path` is where its value is, where that is a text, a number or a yes or no."""

    depth: int
    key: str
    text: str
    path: str = ""


def ask_once(actor: Actor, entry: Entry, text: str, rules: BotRules) -> Attempt:
    """Send one message to the bot of an entry that is not saved; whatever the bot does is told as `trouble`."""
    actor.require(Role.ADMIN)
    message = text.strip()
    if not message or len(message) > MAX_LETTERS:
        raise UsageError(
            say("a message needs 1 to {most_letters:,} characters", most_letters=MAX_LETTERS),
            where="message",
            remedy=say("change the message"),
        )
    refuse_program(kind_of(entry), entry, rules)
    if faults := entry_faults("console", entry, rules):
        reject_entry(faults)
    with PLACES.take(actor.user_id or ""):
        return asyncio.run(_ask_in_time(entry, message, rules))


def can_pick(entry: Entry) -> bool:
    """Tell whether paths of an entry are read in a single answer, in which values can be clicked."""
    is_socket = str(entry.get("url", "")).startswith("ws")
    return kind_of(entry) == "http" and not (entry.get("stream") or entry.get("poll") or is_socket)


async def _ask_in_time(entry: Entry, message: str, rules: BotRules) -> Attempt:
    # Read as a whole, so that the answer is seen even where its paths do not fit yet.
    probe = {**entry, "reply": {"texts": "to_string(@)"}} if can_pick(entry) else entry
    with limited_to(rules.addresses):
        try:
            async with asyncio.timeout(SECONDS):
                bot = load_entry("console", probe)
                try:
                    conversation = await bot.open(new_session())
                    reply = await conversation.say(message)
                    with suppress(Exception):
                        await conversation.close()
                finally:
                    await bot.close()
        except TimeoutError:
            return Attempt(trouble=say("no reply within {seconds:g} s", seconds=SECONDS))
        except VivaError as error:
            return Attempt(trouble=error.what)
    greeting = getattr(conversation, "greeting", None)
    opening = greeting.shown if isinstance(greeting, Reply) else ""
    return read_again(entry, reply.raw, opening) if can_pick(entry) else Attempt(reply.raw, reply, greeting=opening)


def read_again(entry: Entry, raw: object, greeting: str = "") -> Attempt:
    """Read an answer by the paths of an entry."""
    paths = entry.get("reply")
    try:
        return Attempt(raw, ReplyReader(paths if isinstance(paths, Mapping) else {}).read(raw), greeting=greeting)
    except (BotError, UsageError) as error:
        return Attempt(raw, None, error.what, greeting)


def list_lines(raw: object) -> tuple[JsonLine, ...]:
    """Return an answer as lines of JSON, at most so many; values that can be read say their path."""
    lines = []
    for line in _list_lines(raw, 0, "", ""):
        lines.append(line)
        if len(lines) == MAX_LINES:
            lines.append(JsonLine(0, "", "..."))
            break
    return tuple(lines)


def _list_lines(value: object, depth: int, key: str, path: str) -> Iterator[JsonLine]:
    if isinstance(value, dict) and value:
        yield JsonLine(depth, key, "{")
        for name, inner in value.items():
            step = str(name) if _PLAIN.fullmatch(str(name)) else json.dumps(str(name))
            yield from _list_lines(inner, depth + 1, str(name), f"{path}.{step}" if path else step)
        yield JsonLine(depth, "", "}")
    elif isinstance(value, list) and value:
        yield JsonLine(depth, key, "[")
        for place, inner in enumerate(value):
            yield from _list_lines(inner, depth + 1, "", f"{path}[{place}]")
        yield JsonLine(depth, "", "]")
    else:
        text = json.dumps(value, ensure_ascii=False)
        beginning = text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}..."
        yield JsonLine(depth, key, beginning, (path or "@") if isinstance(value, str | int | float) else "")


def path_for(role: str, path: str) -> str:
    """Return the path of a value for a role: of replies all in a list are meant, of all else the one clicked."""
    return _INDEX.sub("[]", path) if role == "reply.texts" else path


def start_engine(store: Store, actor: Actor, project: Project, engine: str, rules: BotRules) -> tuple[str, Edit]:
    """Add an engine that runs on this server to a project; what it needs is installed in the background."""
    actor.require(Role.ADMIN)
    entry: dict[str, Any] = {"kind": engine, "agent": USUAL_AGENT}
    if engine not in ENGINES:
        raise UsageError(say("this server has no engine '{engine}'", engine=engine), where="engine")
    refuse_program(engine, entry, rules)
    names = {line.bot.name for line in list_bots(store, project)}
    candidates = (engine, *(f"{engine} {number}" for number in range(2, len(names) + 2)))
    name = next(name for name in candidates if name not in names)
    edit = add_bot(store, actor, project, name, entry, rules=rules, why="")
    threading.Thread(target=_install, args=(engine,), name=f"install-{engine}", daemon=True).start()
    return name, edit


def _install(engine: str) -> None:
    from vivavoce.bots.starting import install_engine

    # What fails is told by the first test of the bot.
    with suppress(VivaError):
        install_engine(engine)
