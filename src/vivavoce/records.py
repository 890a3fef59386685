"""Frozen data that every part shares."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import cached_property, lru_cache

from vivavoce.errors import DataError, Fault
from vivavoce.messages import say


@dataclass(frozen=True, slots=True)
class Example:
    """One message of training data with the topic it belongs to (None: out of scope).

    `id` is the example's own in a workspace: it stays the same when the example is filed under another topic.
    """

    text: str
    intent: str | None
    created: datetime | None = None
    language: str | None = None
    split: str | None = None
    answer: str | None = None
    row: int | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Guess:
    """What a classifier says a message means. `intent` None: it made no guess."""

    intent: str | None
    confidence: float = 0.0


NO_GUESS = Guess(None, 0.0)


class Status(StrEnum):
    """What became of one message to a bot: it got through, the bot said nothing, or one of the ways to fail."""

    OK = "ok"
    EMPTY = "empty"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    CLOSED = "closed"
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    REFUSED = "refused"
    NOT_JSON = "not_json"
    BAD_ENCODING = "bad_encoding"
    UNEXPECTED = "unexpected"
    TOO_LARGE = "too_large"
    FAILED = "failed"
    NOT_REACHED = "not_reached"

    @property
    def meaning(self) -> str:
        """One sentence for people."""
        return _STATUS_MEANING[self]

    @property
    def silent(self) -> bool:
        """Whether the bot was reached but gave no answer in time: its own failure, counted as such."""
        return self in (Status.EMPTY, Status.TIMEOUT)

    @property
    def error(self) -> bool:
        """Whether the message could not be delivered or the answer not be read: nobody's wrong answer."""
        return self not in (Status.OK, Status.EMPTY, Status.TIMEOUT, Status.NOT_REACHED)

    @property
    def transient(self) -> bool:
        """Whether trying again may help."""
        return self in (Status.UNREACHABLE, Status.CLOSED, Status.RATE_LIMITED, Status.SERVER_ERROR)


_STATUS_MEANING = {
    Status.OK: say("the bot replied"),
    Status.EMPTY: say("the bot sent an empty reply"),
    Status.TIMEOUT: say("the bot did not reply in time"),
    Status.UNREACHABLE: say("no connection to the bot"),
    Status.CLOSED: say("the bot closed the connection before replying"),
    Status.RATE_LIMITED: say("the bot kept limiting requests (429) until all retries were used"),
    Status.SERVER_ERROR: say("the bot reported a server error (5xx)"),
    Status.REFUSED: say("the bot rejected the request (4xx)"),
    Status.NOT_JSON: say("the response was not JSON (for example an HTML page)"),
    Status.BAD_ENCODING: say("the response was not UTF-8 text"),
    Status.UNEXPECTED: say("the response was JSON but had no reply in the expected place"),
    Status.TOO_LARGE: say("the response was too large"),
    Status.FAILED: say("the connector or its program failed"),
    Status.NOT_REACHED: say("the conversation had already ended"),
}


@dataclass(frozen=True, slots=True)
class Action:
    """Something that a bot did, or a tool that it called. `raw`: arguments that are no JSON object, as they came."""

    name: str
    args: Mapping[str, object] = field(default_factory=dict)
    raw: str = ""

    def __str__(self) -> str:
        values = {
            name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
            for name, value in self.args.items()
        }
        return f"{self.name}({', '.join(f'{name}={value}' for name, value in values.items()) or self.raw})"


@dataclass(frozen=True, slots=True)
class Reply:
    """What a bot said to one message: all its bubbles, and what it understood if it tells.

    `fallback` None: the bot does not say whether it understood. `guess`: the topic that it held back, if it
    tells. `seconds`: until the first bubble, where the connector can tell it from the last. `raw`: the payload as
    it came, in plain JSON values, for the record. `actions`: what the bot did, or the tools that it called.
    """

    texts: tuple[str, ...] = ()
    intent: str | None = None
    confidence: float | None = None
    slots: Mapping[str, str] = field(default_factory=dict)
    buttons: tuple[str, ...] = ()
    fallback: bool | None = None
    guess: Guess | None = None
    seconds: float | None = None
    raw: object = None
    actions: tuple[Action, ...] = ()

    @property
    def text(self) -> str:
        """All bubbles, one under another."""
        return "\n".join(self.texts)

    @property
    def shown(self) -> str:
        """What a reader is shown: the texts, else the buttons, else the actions; empty where the bot did nothing."""
        spoken = self.text if self.text.strip() else ""
        return spoken or " / ".join(self.buttons) or " / ".join(map(str, self.actions))


# An interval wider than this part of its scale says next to nothing.
WIDE = 0.4


@dataclass(frozen=True, slots=True)
class Rate:
    """A share with its interval and its count. `value` is None when there was nothing to count."""

    value: float | None
    low: float | None
    high: float | None
    n: int

    def tells_little(self, span: float = 1.0) -> bool:
        """Tell whether the value alone would mislead: its interval takes more than 40 % of all there is, the `span`.

        Large figures and first sentences then show the interval and not the value.
        """
        if self.value is None or self.low is None or self.high is None:
            return False
        return self.high - self.low > WIDE * span

    def to_json(self) -> dict[str, float | int | None]:
        """Return the stable JSON form: no interval where there is no value."""
        if self.value is None:
            return {"value": None, "n": self.n}
        return {"value": self.value, "low": self.low, "high": self.high, "n": self.n}


# Instead of the name of an intent: whichever has one of OUT_OF_SCOPE_NAMES.
AUTO = "auto"
# What chatbot tools call messages that no topic fits, in small letters, without blanks and signs.
OUT_OF_SCOPE_NAMES = frozenset(
    {
        *("oos", "ood", "outofscope", "outofscopeintent", "outofdomain"),
        *("fallback", "fallbackintent", "nlufallback", "defaultfallback", "defaultfallbackintent"),
        *("amazonfallbackintent", "nonodesdetected"),
        *("none", "noneintent", "noneoftheabove", "noneofthese"),
    }
)


@lru_cache(maxsize=4096)
def is_out_of_scope(intent: str, name: str | None = AUTO) -> bool:
    """Tell whether an intent stands for messages that no topic fits: by one name, or with AUTO by the usual names."""
    if name != AUTO:
        return intent == name
    return re.sub(r"[\W_]+", "", intent.casefold()) in OUT_OF_SCOPE_NAMES


@dataclass(frozen=True)
class Dataset:
    """Training examples in their original order, and where they came from.

    `recognised`: the intents that were taken for out-of-scope messages because of their usual names.
    """

    examples: tuple[Example, ...]
    source: str = "memory"
    notes: tuple[str, ...] = field(default=())
    recognised: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        texts: Sequence[str],
        intents: Sequence[str | None],
        *,
        source: str = "memory",
        out_of_scope: str | None = AUTO,
    ) -> Dataset:
        """Build a data set from two lists of equal length; refuse what is not text, all faults at once.

        Rows of the intent `out_of_scope` get none: they belong to no topic. By default these are the intents with
        one of the usual names (`oos`, `fallback`, `None`, ...); None: every intent is a topic.
        """
        if len(texts) != len(intents):
            raise DataError(
                f"{len(texts)} texts but {len(intents)} intents",
                where=source,
                remedy="provide exactly one intent per text",
            )
        rows = list(enumerate(zip(texts, intents, strict=True)))
        faults = [fault for row, pair in rows for fault in _find_faults(row, *pair)]
        if faults:
            raise DataError("these rows are invalid", where=source, faults=faults, remedy="fix the rows")
        outside = {intent for intent in intents if intent is not None and is_out_of_scope(intent, out_of_scope)}
        examples = tuple(Example(text, None if i in outside else i, row=row) for row, (text, i) in rows)
        return cls(examples, source, recognised=tuple(sorted(outside)) if out_of_scope == AUTO else ())

    def __len__(self) -> int:
        return len(self.examples)

    def __iter__(self) -> Iterator[Example]:
        return iter(self.examples)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The messages, in order."""
        return tuple(example.text for example in self.examples)

    @cached_property
    def intents(self) -> tuple[str | None, ...]:
        """The topics, in order; None marks an out-of-scope row."""
        return tuple(example.intent for example in self.examples)

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """Examples per topic, largest first; out-of-scope rows are not a topic."""
        return dict(Counter(intent for intent in self.intents if intent is not None).most_common())

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The codes of the languages that the rows name, the most frequent first; none where most rows name none."""
        named = Counter((example.language or "").lower().partition("-")[0] for example in self.examples)
        return tuple(code for code, _ in named.most_common() if code) if 2 * named[""] < len(self) else ()

    @cached_property
    def hash(self) -> str:
        """A fingerprint of texts and topics in order: 16 hexadecimal digits of SHA-256."""
        return fingerprint(self.texts, self.intents)

    @property
    def recognition(self) -> str:
        """Which intents were taken for out-of-scope messages, and how to switch that off; empty where none was."""
        if not self.recognised:
            return ""
        names = ", ".join(f"'{name}'" for name in self.recognised)
        return say(
            "The names of these intents suggest out-of-scope messages: {names}. They are used for "
            "testing, never for training. To treat them as topics, use --out-of-scope - (in Python "
            "out_of_scope=None).",
            names=names,
        )

    @property
    def remarks(self) -> tuple[str, ...]:
        """What to know about the data: which intents were recognised, then the notes."""
        return (self.recognition, *self.notes) if self.recognised else self.notes

    def number(self, place: int) -> int:
        """Return the row of an example in its file, or its position where there was no file."""
        row = self.examples[place].row
        return place if row is None else row

    def select(self, keep: Iterable[int]) -> Dataset:
        """Return the rows at these positions, in that order."""
        return replace(self, examples=tuple(self.examples[index] for index in keep))


def fingerprint(texts: Iterable[str], intents: Iterable[str | None]) -> str:
    """Return 16 hexadecimal digits of SHA-256 over texts and topics in order."""
    # A topic may be called None; out of scope is not a topic.
    rows = (f"{t}\x1f{'' if i is None else '=' + i}\x1e" for t, i in zip(texts, intents, strict=True))
    return hashlib.sha256("".join(rows).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _find_faults(row: int, text: object, intent: object) -> Iterator[Fault]:
    where = f"row {row}"
    if not isinstance(text, str):
        yield Fault(f"the text is {type(text).__name__}, not a string", where)
    elif not text.strip():
        yield Fault("the text is empty", where)
    if intent is not None and not isinstance(intent, str):
        yield Fault(f"the intent {intent!r} is {type(intent).__name__}, not a string", where)
    elif isinstance(intent, str) and not intent.strip():
        yield Fault("the intent is empty", where)
