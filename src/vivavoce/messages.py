"""Messages: sentences as data. As text a message is its English sentence; it also keeps its template and values.

    say("no bot is called '{name}'", name=name)
    say_count(n, "{n} example", "{n} examples")
    say("{bot} was right in {share:.0%} of {turns}.", bot=bot, share=0.5, turns=say_count(3, "{n} turn", "{n} turns"))
    join(", ", notes)

A message is a `str`: terminals, files and the database take it as it is. Pages look its template up in the catalogue
of the reader's language (`vivavoce.web.language`) and fill the values in again: numbers as the language writes them,
messages translated, everything else as it is. The template must be a literal in the call, so that `make catalogues`
finds it. Messages can be added; but an f-string and `str.join` make plain text of them: use `say` and `join` instead.

A place may have a format: `{share:.0%}` writes a number, `{text:capital}` begins a text with a capital. `{at:day}`
and `{at:moment}` write a time in ISO form as a day, or with the clock; pages say "Monday" where that is enough.
Translations may add cases of grammar, such as `{turns:dative}`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from numbers import Integral, Real
from string import Formatter
from types import MappingProxyType
from typing import Any

COUNT = "n"
TIMES = ("day", "moment")


class Message(str):
    """A sentence with its template and values; `plural` is the template for other numbers than one."""

    __slots__ = ("plural", "template", "values")

    template: str
    plural: str
    values: Mapping[str, str | int | float]

    def __new__(cls, template: str, values: Mapping[str, object] | None = None, plural: str = "") -> Message:
        """Fill a template in English."""
        kept = {name: _plain(value) for name, value in (values or {}).items()}
        text = fill(plural if plural and kept[COUNT] != 1 else template, kept, write_english, count=bool(plural))
        message = super().__new__(cls, text)
        message.template, message.plural, message.values = str(template), plural, MappingProxyType(kept)
        return message

    def __add__(self, other: str) -> Message:
        return join("", (self, other))

    def __radd__(self, other: str) -> Message:
        return join("", (other, self))

    def __deepcopy__(self, memo: object) -> Message:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return (Message, (self.template, dict(self.values), self.plural))


def say(template: str, /, **values: object) -> Message:
    """Make a message of a template and the values for its places."""
    return Message(template, values)


def say_count(n: int, one: str, many: str, /, **values: object) -> Message:
    """Make a message about a number, `{n}` in both templates."""
    return Message(one, {COUNT: n, **values}, many)


def join(separator: str, parts: Iterable[object]) -> Message:
    """Make one message of several texts."""
    texts = {f"part{place}": part for place, part in enumerate(parts, 1)}
    return Message(separator.replace("{", "{{").replace("}", "}}").join(f"{{{name}}}" for name in texts), texts)


def join_and(parts: Sequence[object]) -> Message:
    """List texts: `a, b and c`."""
    if len(parts) < 2:
        return join("", parts)
    return say("{names} and {last}", names=join(", ", parts[:-1]), last=parts[-1])


def sentence(text: str, *, capital: bool = True) -> Message:
    """Return a remark as a sentence: a capital first and a stop last."""
    stop = "" if not text or text.endswith((".", "!", "?", ":")) else "."
    return Message(f"{{text{':capital' if capital else ''}}}{stop}", {"text": text})


def values_named(text: str, name: str) -> Iterator[str]:
    """Yield the values of a name in a message and in the messages in it; plain text has none."""
    for key, value in text.values.items() if isinstance(text, Message) else ():
        if isinstance(value, Message):
            yield from values_named(value, name)
        elif key == name:
            yield str(value)


def change_messages(text: str, change: Callable[[Message], str]) -> str:
    """Change the messages that are values of a message."""
    if not isinstance(text, Message):
        return text
    values = {n: change(value) if isinstance(value, Message) else value for n, value in text.values.items()}
    return Message(text.template, values, text.plural)


def change_texts(text: str, change: Callable[[str], str]) -> str:
    """Change the texts that are values of a message, or a plain text itself."""
    if not isinstance(text, Message):
        return change(text)
    values = {n: change_texts(value, change) if isinstance(value, str) else value for n, value in text.values.items()}
    return Message(text.template, values, text.plural)


def _plain(value: object) -> str | int | float:
    """Return a value as it is kept: a message, a text or a number."""
    if isinstance(value, str):
        return value if isinstance(value, Message) else str(value)
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else str(value)


def fill(template: str, values: Mapping[str, Any], write: Callable[[Any, str], str], *, count: bool = False) -> str:
    """Fill the places of a template; `write` writes a value by its format. Without values it is plain text."""
    if not values:
        return template
    pieces = []
    for before, name, form in _places(template):
        pieces.append(before)
        if name:
            pieces.append(write(values[name], form or ("," if count and name == COUNT else "")))
    return "".join(pieces)


@lru_cache(maxsize=8192)
def _places(template: str) -> tuple[tuple[str, str, str], ...]:
    """Return the parts of a template: the words before each place, its name and its format."""
    return tuple((before, name or "", form or "") for before, name, form, _ in Formatter().parse(template))


def write_english(value: str | int | float, form: str) -> str:
    """Write a value in English."""
    if not isinstance(value, str):
        return format(value, form)
    if form in TIMES:
        at = datetime.fromisoformat(value)
        return f"{at:%A} {at.day} {at:%B %Y}" + (f" {at:%H:%M}" if form == "moment" else "")
    return value[:1].upper() + value[1:] if form == "capital" else value


def is_dated(message: Message) -> bool:
    """Tell whether a message has a time in it, which pages write as the reader's day."""
    return any(form in TIMES for _, _, form in _places(message.template))


def message_to_json(message: Message) -> dict[str, Any]:
    """Return a message as JSON, without its text."""
    values = {name: message_to_json(v) if isinstance(v, Message) else v for name, v in message.values.items()}
    return {
        "template": message.template,
        **({"plural": message.plural} if message.plural else {}),
        **({"values": values} if values else {}),
    }


def message_from_json(content: Mapping[str, Any]) -> Message:
    """Return a message that `message_to_json` wrote."""
    values = {n: message_from_json(v) if isinstance(v, Mapping) else v for n, v in content.get("values", {}).items()}
    return Message(content["template"], values, content.get("plural", ""))


def _find_messages(content: object) -> Iterator[Message]:
    if isinstance(content, Message):
        yield content
    elif isinstance(content, Mapping):
        content = list(content.values())
    if isinstance(content, list | tuple):
        for value in content:
            yield from _find_messages(value)


def add_messages(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON document with every message in it listed under `messages`, once each."""
    messages = {str(message): message for message in _find_messages(content)}
    entries = [{"text": text, **message_to_json(message)} for text, message in messages.items()]
    return {**content, "messages": entries} if entries else dict(content)


def restore_messages(content: Any) -> Any:
    """Return a JSON document that lists its messages with these in the places of their texts."""
    if not isinstance(content, Mapping) or not isinstance(content.get("messages"), list):
        return content
    messages = {entry["text"]: message_from_json(entry) for entry in content["messages"]}

    def restore(part: Any) -> Any:
        if isinstance(part, str):
            return messages.get(part, part)
        if isinstance(part, Mapping):
            return {key: restore(value) for key, value in part.items()}
        return [restore(value) for value in part] if isinstance(part, list) else part

    return {key: restore(value) for key, value in content.items() if key != "messages"}
