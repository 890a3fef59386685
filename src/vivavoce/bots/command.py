"""A program of the user's own that speaks JSON lines: started without a shell, never left behind."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from vivavoce.bots.declaration import BotOption, Connector, Reach, entry_facts, flag, texts_of
from vivavoce.bots.protocol import BotContext, BotFacts
from vivavoce.bots.redaction import Redactor, excerpt, open_entry
from vivavoce.bots.shapes import MAX_BYTES, decode_json, read_reply
from vivavoce.errors import BotError, Fault, UsageError
from vivavoce.messages import say
from vivavoce.plugins import declare
from vivavoce.records import Reply, Status

MAX_STDERR = 2_000
# The end of it is said in one sentence; the rest is kept beside.
MAX_QUOTED = 300
PATIENCE_S = 1.0
_REMEDY = {
    Status.CLOSED: "check the program's error output, and run it by hand",
    Status.NOT_JSON: "print only JSON lines to standard output; send everything else to standard error",
    Status.BAD_ENCODING: "the program must write UTF-8",
    Status.TOO_LARGE: f"a line can have at most {MAX_BYTES:,} bytes",
}


@dataclass(eq=False)
class _Waiting:
    """A message that has been sent and has no answer yet."""

    session: str
    turn: int
    answer: asyncio.Future[object]


class Program:
    """A running program. Answers go to the oldest message of their session, or of all if they name none."""

    def __init__(self, process: asyncio.subprocess.Process, redactor: Redactor, where: str) -> None:
        self._process, self._redactor, self._where = process, redactor, where
        self._waiting: list[_Waiting] = []
        self._stderr = ""
        self._ending = ""
        self._readers = [asyncio.create_task(self._read_answers()), asyncio.create_task(self._read_complaints())]

    @classmethod
    async def start(
        cls,
        arguments: Sequence[str],
        folder: str | None,
        environment: Mapping[str, str],
        redactor: Redactor,
        where: str,
    ) -> Program:
        """Start it; BotError `failed` where that is not possible."""
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(
                *arguments,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                limit=MAX_BYTES,
                cwd=folder,
                env={**os.environ, **environment},
                # A group of its own: what the program starts is ended with it.
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise BotError(
                redactor.text(f"cannot start the program: {reason}"),
                status=Status.FAILED,
                where=where,
                remedy="check the path and that the file is executable",
            ) from None
        return cls(process, redactor, where)

    @property
    def alive(self) -> bool:
        """Whether it can still answer."""
        return not self._ending and self._process.returncode is None and not self._readers[0].done()

    async def ask(self, session: str, turn: int, text: str) -> object:
        """Send a message and return the answer, without secrets."""
        if not self.alive:
            raise await self._explain_end()
        waiting = _Waiting(session, turn, asyncio.get_running_loop().create_future())
        # A message that nobody waits for any more stays in the queue: its answer may still come, and must not
        # be taken for the answer to the next one.
        self._waiting.append(waiting)
        stdin = self._process.stdin
        assert stdin is not None, "the program was started with a pipe"  # noqa: S101
        try:
            stdin.write((json.dumps({"session": session, "turn": turn, "text": text}) + "\n").encode())
            await stdin.drain()
        except (OSError, RuntimeError):
            # The reader sees the end as well, and reports it to everyone who waits.
            self._refuse_all(await self._explain_end())
        return await waiting.answer

    async def close(self) -> None:
        """End the program and all that it started; wait until it is gone."""
        if self._process.returncode is None:
            # Ask it to end by closing its input, then firmly, then at once.
            self._ending = self._ending or "it was stopped"
            if self._process.stdin is not None:
                self._process.stdin.close()
            for number in (None, signal.SIGTERM, signal.SIGKILL):
                if number is not None:
                    self._signal(number)
                with suppress(TimeoutError):
                    async with asyncio.timeout(PATIENCE_S):
                        await self._process.wait()
                    break
            # Children of the program may hold its output open, and must not outlive it.
            self._signal(signal.SIGKILL)
        await asyncio.gather(*self._readers, return_exceptions=True)
        self._refuse_all(self._build_error(Status.CLOSED, "the program was stopped"))

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    async def _read_answers(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None, "the program was started with a pipe"  # noqa: S101
        while True:
            try:
                line = await stdout.readline()
            except ValueError:
                # The rest of the line cannot be told from the next one, so the program is of no use any more.
                self._ending = "its response was too long"
                self._refuse_all(self._build_error(Status.TOO_LARGE, f"a line with more than {MAX_BYTES:,} bytes"))
                self._signal(signal.SIGKILL)
                return
            if not line:
                break
            if line.strip():
                self._deliver(line)
        self._refuse_all(await self._explain_end())

    async def _read_complaints(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None, "the program was started with a pipe"  # noqa: S101
        while chunk := await stderr.read(4096):
            self._stderr = (self._stderr + chunk.decode("utf-8", "replace"))[-2 * MAX_STDERR :]

    def _deliver(self, line: bytes) -> None:
        def refuse(status: Status, detail: str) -> BotError:
            return self._build_error(status, excerpt(detail, self._redactor))

        keys: dict[str, object] = {}
        answer: object
        try:
            answer = decode_json(line, refuse)
            if isinstance(answer, dict):
                keys = {key: answer[key] for key in ("session", "turn") if answer.get(key) is not None}
            answer = self._redactor.value(answer)
        except BotError as error:
            answer = error
        for waiting in self._waiting:
            if all(str(value) == str(getattr(waiting, key)) for key, value in keys.items()):
                self._hand_over(waiting, answer)
                return
        self._stderr += "\n(skipped a line that answers no message)"

    def _hand_over(self, waiting: _Waiting, answer: object) -> None:
        self._waiting.remove(waiting)
        if waiting.answer.done():
            return
        if isinstance(answer, BotError):
            waiting.answer.set_exception(answer)
        else:
            waiting.answer.set_result(answer)

    def _refuse_all(self, error: BotError) -> None:
        for waiting in list(self._waiting):
            self._hand_over(waiting, error)

    async def _explain_end(self) -> BotError:
        """Say how the program ended, with its last words; wait a little for both."""
        with suppress(TimeoutError):
            async with asyncio.timeout(2 * PATIENCE_S):
                await self._process.wait()
                await asyncio.shield(self._readers[1])
        code = self._process.returncode
        ended = self._ending or ("it closed its output" if code is None else f"it exited with code {code}")
        return self._build_error(Status.CLOSED, ended)

    def _build_error(self, status: Status, detail: str) -> BotError:
        words = self._redactor.text(self._stderr).strip()[-MAX_STDERR:] if status is Status.CLOSED else ""
        quote = f"; its output: {' '.join(words[-MAX_QUOTED:].split())}" if words else ""
        what = say("{meaning}: {detail}", meaning=status.meaning, detail=self._redactor.text(f"{detail}{quote}"))
        faults = [Fault(words, "standard error")] if len(words) > MAX_QUOTED else []
        return BotError(what, status=status, where=self._where, remedy=_REMEDY.get(status, ""), faults=faults)


_OPTIONS = (
    BotOption("command"),
    BotOption("cwd", "file"),
    BotOption("env", "json", secret=True),
    BotOption("per_talk", "flag"),
)


@declare(Connector(Reach.PROGRAM, _OPTIONS, option="command"))
def from_option(option: str, context: BotContext) -> CommandBot:
    """Program that exchanges JSON lines; option: command line, run without a shell."""
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
