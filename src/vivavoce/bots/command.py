"""A bot that is a program: it reads messages as JSON lines and writes its replies as JSON lines."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Mapping
from typing import Any

from vivavoce.bots.declaration import BotOption, Connector, Reach
from vivavoce.bots.entries import entry_facts, flag, texts_of
from vivavoce.bots.program import Program
from vivavoce.bots.protocol import BotContext, BotFacts
from vivavoce.bots.redaction import open_entry
from vivavoce.bots.shapes import read_reply
from vivavoce.errors import UsageError
from vivavoce.plugins import declare
from vivavoce.records import Reply

_OPTIONS = (
    BotOption("command"),
    BotOption("cwd", "file"),
    BotOption("env", "json", secret=True),
    BotOption("per_talk", "flag"),
)


@declare(Connector(Reach.PROGRAM, _OPTIONS, option="command"))
def from_option(option: str, context: BotContext) -> CommandBot:
    """Start a program that speaks JSON lines; the option is its command line, run without a shell."""
    entry: dict[str, Any] = dict(context.entry)
    if option:
        entry["command"] = option
    command = entry.get("command")
    try:
        entry["command"] = shlex.split(command) if isinstance(command, str) else list(texts_of(command or []))
    except ValueError as error:
        what = f"the command is invalid: {error}"
        raise UsageError(what, where=context.name, remedy="check the quotes") from None
    if not entry["command"]:
        remedy = "write `command: ./bot.py` or `command:./bot.py`"
        raise UsageError("the command is missing", where=context.name, remedy=remedy)
    env = entry.get("env", {})
    if not isinstance(env, Mapping) or not all(isinstance(value, str) for value in env.values()):
        raise UsageError("`env` must map each name to one text", where=context.name, remedy="fix `env`")
    try:
        per_talk = flag(entry.get("per_talk", "no"))
    except ValueError as error:
        raise UsageError(f"per_talk: {error}", where=context.name, remedy="enter yes or no") from None
    # What it is called with may be a secret, written out; its name is not.
    facts = BotFacts(context.name, f"the program {entry['command'][0]}", in_process=True)
    return CommandBot(entry, entry_facts(context, facts), per_talk=per_talk)


class CommandBot:
    """A program: one for all conversations, or with `per_talk` one for each."""

    def __init__(self, entry: Mapping[str, Any], facts: BotFacts, *, per_talk: bool = False) -> None:
        self._entry, self.facts, self._per_talk = entry, facts, per_talk
        self._shared: Program | None = None
        self._own: set[Program] = set()
        self._starting: asyncio.Lock | None = None

    async def open(self, session: str) -> CommandConversation:
        """Begin a conversation; the program is started where it does not run yet, or has died."""
        if self._per_talk:
            program = await self._start()
            self._own.add(program)
            return CommandConversation(program, session, self)
        self._starting = self._starting or asyncio.Lock()
        async with self._starting:
            if self._shared is not None and not self._shared.alive:
                await self._shared.close()
                self._shared = None
            if self._shared is None:
                self._shared = await self._start()
        return CommandConversation(self._shared, session, None)

    async def close(self) -> None:
        """End every program."""
        programs = [*([self._shared] if self._shared else []), *self._own]
        self._shared, self._starting, self._own = None, None, set()
        await asyncio.gather(*(program.close() for program in programs))

    async def end(self, program: Program) -> None:
        """End the program of one conversation."""
        self._own.discard(program)
        await program.close()

    async def _start(self) -> Program:
        filled, redactor = open_entry(self._entry, where=self.facts.name)
        entry: dict[str, Any] = filled
        folder = str(entry["cwd"]) if entry.get("cwd") else None
        return await Program.start(entry["command"], folder, entry.get("env") or {}, redactor, self.facts.name)


class CommandConversation:
    """One conversation with a program."""

    def __init__(self, program: Program, session: str, owner: CommandBot | None) -> None:
        self._program, self._session, self._owner = program, session, owner
        self._turn = 0

    async def say(self, text: str) -> Reply:
        """Send a line and read the line that answers it."""
        self._turn += 1
        return read_reply(await self._program.ask(self._session, self._turn, text))

    async def close(self) -> None:
        """End the conversation, and the program if it is this conversation's own."""
        owner, self._owner = self._owner, None
        if owner is not None:
            await owner.end(self._program)
