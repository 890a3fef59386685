"""A bot of the user's own in Python: a function, a class or a factory, sync or async."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from vivavoce.bots.contract import NEEDS, check_parts
from vivavoce.bots.declaration import Connector, Reach, entry_facts
from vivavoce.bots.protocol import Bot, BotContext, BotFacts
from vivavoce.bots.shapes import read_reply
from vivavoce.errors import BotError, UsageError, nearest
from vivavoce.plugins import declare
from vivavoce.records import Reply, Status

# How many run at once is decided where they are asked: waiting here would be taken for the bot's slowness.
MAX_THREADS = 1024
_OF_A_FILE = "vivavoce_bot_"
_EXAMPLE = "write python:package.module:name or python:path/to/file.py:name"
_FORMS = (
    "use a function that takes one text, a class with `say(text)`, or a function without arguments that returns one"
)


def as_bot(target: object) -> Bot:
    """Return a bot as it is, and a function, a class or an object with `say` as a bot of that name."""
    name = str(getattr(target, "__name__", type(target).__name__))
    if isinstance(target, type) and _is_bot(target):
        return check_parts(target(), name)
    # A bot that lacks a part must hear which one, and not be taken for a function.
    if hasattr(target, "open") or hasattr(target, "facts"):
        return check_parts(target, name)
    if not (callable(target) or callable(getattr(target, "say", None))):
        raise UsageError(f"this is not a bot: {target!r}"[:200], remedy=f"{_FORMS}; or a bot: {NEEDS}")
    return PythonBot(target, BotFacts(name, f"Python: {name}", in_process=True))


@declare(Connector(Reach.PROGRAM, ()))
def from_option(option: str, context: BotContext) -> Bot:
    """Your own Python function of one text, or class with `say`; option: `module:name` or `file.py:name`."""
    module_name, _, attribute = option.rpartition(":")
    if not (module_name and attribute):
        raise UsageError(
            f"'{option}' does not name a module and an object in it", where=context.name, remedy=_EXAMPLE
        )
    with current_folder_first():
        target = load_attribute(load_module(module_name), attribute, module_name)
    if _is_bot(target):
        bot: Bot = target() if isinstance(target, type) else target
        return bot
    facts = BotFacts(context.name, f"Python: {option}", in_process=True)
    return PythonBot(target, entry_facts(context, facts))


class PythonBot:
    """A callable of the user's, or something that makes one for each conversation.

    What is not a coroutine runs in a thread of its own, so that others do not wait for it.
    """

    def __init__(self, target: Any, facts: BotFacts) -> None:
        self.facts = facts
        self._make, self._takes_session = target, isinstance(target, type) and count_required(target) == 1
        self._threads: ThreadPoolExecutor | None = None
        if isinstance(target, type):
            return
        if callable(getattr(target, "say", None)) or (callable(target) and count_required(target) in (1, 2)):
            self._make = lambda: target
        elif not callable(target) or count_required(target) > 0:
            what = f"a {type(target).__name__} of this form is not a bot"
            raise UsageError(what, where=facts.name, remedy=_FORMS)

    async def open(self, session: str) -> PythonConversation:
        """Begin a conversation; a class or a factory is called for each."""
        if self._threads is None:
            self._threads = ThreadPoolExecutor(MAX_THREADS, "vivavoce-bot")
        speaker = await _call(self._threads, self._make, *([session] if self._takes_session else []))
        say = getattr(speaker, "say", speaker)
        if not callable(say):
            what = f"a {type(speaker).__name__} cannot receive messages"
            raise BotError(what, status=Status.FAILED, where=self.facts.name, remedy=_FORMS)
        return PythonConversation(self._threads, say, speaker, session)

    async def close(self) -> None:
        """Let the threads go."""
        threads, self._threads = self._threads, None
        if threads is not None:
            threads.shutdown(wait=False, cancel_futures=True)


class PythonConversation:
    """One conversation with the user's callable."""

    def __init__(self, threads: ThreadPoolExecutor, say: Callable[..., Any], speaker: Any, session: str) -> None:
        self._threads, self._say, self._speaker = threads, say, speaker
        self._more = (session,) if count_required(say) == 2 else ()

    async def say(self, text: str) -> Reply:
        """Call it and read what it returns."""
        result = await _call(self._threads, self._say, text, *self._more)
        if isinstance(result, Reply):
            return result
        if result is None:
            return Reply()
        if isinstance(result, Mapping):
            return read_reply(dict(result))
        return read_reply(list(result) if isinstance(result, tuple) else result)

    async def close(self) -> None:
        """Call its `close`, if it has one, once."""
        close, self._speaker = getattr(self._speaker, "close", None), None
        if callable(close):
            await _call(self._threads, close)


def count_required(target: Callable[..., Any]) -> int:
    """Count the positional arguments that must be given; what cannot tell takes a text."""
    try:
        parameters = inspect.signature(target).parameters.values()
    except (TypeError, ValueError):
        return 1
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    positional = [p for p in parameters if p.kind in kinds]
    needed = sum(p.default is inspect.Parameter.empty for p in positional)
    # `f(*messages)` and `f(text="")` take a text although nothing is required.
    takes_text = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters) or any(
        p.name in ("text", "message") for p in positional
    )
    return 1 if needed == 0 and takes_text and not isinstance(target, type) else needed


async def _call(threads: ThreadPoolExecutor, function: Callable[..., Any], *arguments: object) -> Any:
    try:
        if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__):
            return await function(*arguments)
        result = await asyncio.get_running_loop().run_in_executor(threads, function, *arguments)
        return await result if inspect.isawaitable(result) else result
    except BotError:
        raise
    except Exception as error:
        place = error_place(error)
        remedy = f"see {place}" if place else "fix the program"
        raise BotError(error_line(error), status=Status.FAILED, remedy=remedy) from error


def _is_bot(target: Any) -> bool:
    return callable(getattr(target, "open", None)) and hasattr(target, "facts")


@contextmanager
def current_folder_first() -> Iterator[None]:
    """Let modules of the current folder be found before installed ones."""
    folder = str(Path.cwd())
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
        _keep_folder(folder)


def _keep_folder(folder: str) -> None:
    # At the end: what is imported later is still found, and hides no installed module.
    if folder not in sys.path:
        sys.path.append(folder)


def load_module(name: str) -> ModuleType:
    """Import a module by its name or by the path of its file."""
    importlib.invalidate_caches()
    try:
        return _load_file(Path(name)) if name.endswith(".py") else importlib.import_module(name)
    except Exception as error:
        raise UsageError(
            f"cannot import '{name}': {error_line(error)}",
            where=error_place(error),
            remedy=("run the command in the module's folder or install the module, and fix the errors it reports"),
        ) from error


def _load_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"{_OF_A_FILE}{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    # Errors name the file as the user wrote it, not by the name that it has here.
    spec.loader_state = str(path)
    module = importlib.util.module_from_spec(spec)
    _keep_folder(str(path.resolve().parent))
    # Dataclasses look their own module up while it is being run.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def load_attribute(module: ModuleType, name: str, shown: str) -> Any:
    """Return what a module holds under a dotted name; `shown` is how the user wrote the module."""
    value: Any = module
    for part in name.split("."):
        if not hasattr(value, part):
            known = [each for each in dir(value) if not each.startswith("_")]
            what = f"'{shown}' has no '{name}'.{nearest(part, known)}"
            raise UsageError(what, where=str(module.__file__ or ""), remedy=_EXAMPLE)
        value = getattr(value, part)
    return value


def error_line(error: BaseException) -> str:
    """Return kind and first line of an error."""
    line = str(error).splitlines()[0] if str(error) else "no message"
    for name in [name for name in sys.modules if name.startswith(_OF_A_FILE) and name in line]:
        spec = sys.modules[name].__spec__
        line = line.replace(name, str(spec.loader_state)) if spec else line
    return f"{type(error).__name__}: {line}"


def error_place(error: BaseException) -> str:
    """Return file and line of the user's code where it went wrong; nothing if it went wrong before that."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}, line {error.lineno}"
    own = (__file__, importlib.__file__, asyncio.__file__)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename not in own]
    frames = [f for f in frames if not f.filename.startswith("<") and "concurrent/futures" not in f.filename]
    return f"{frames[-1].filename}, line {frames[-1].lineno}" if frames else ""
