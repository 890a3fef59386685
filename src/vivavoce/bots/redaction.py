"""Secrets of a bot: taken from the environment when it is opened, and kept out of everything that is recorded."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from urllib.parse import quote, quote_plus

from vivavoce.errors import BotError
from vivavoce.messages import say
from vivavoce.records import Status

# What an address may hold as it is; blanks, quotes and the like are percent-encoded.
LEGAL = "%/:?#[]@!$&'()*+,;=~{}"
HIDDEN = "***"
MAX_EXCERPT = 200
# Much more than is quoted, since a page begins with scripts and styles; the rest is not looked at.
_MAX_READ = 20_000
# One without its end goes on to the last letter: to look for the end again at each next one would take forever.
_TAGS = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)|<[^<>]*>", re.DOTALL | re.IGNORECASE)
# Shorter values stand in too many innocent words to be struck out.
MIN_LENGTH = 4
_VARIABLE = re.compile(r"(\$?)\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_TELLING = re.compile(r"authori[sz]ation|cookie|token|secret|password|api.?key|credential", re.IGNORECASE)
_PLACES = ("headers", "open", "env", "poll", "oauth")


class Redactor:
    """Replaces every known secret by `***` in texts and in plain JSON values."""

    __slots__ = ("_pattern", "_secrets")

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets = frozenset(secrets)
        forms = {form for secret in self._secrets if len(secret) >= MIN_LENGTH for form in _forms(secret)}
        # The longest first: a secret may begin with another one.
        ordered = sorted(forms, key=lambda form: (-len(form), form))
        self._pattern = re.compile("|".join(map(re.escape, ordered))) if ordered else None

    def also(self, secrets: Iterable[str]) -> Redactor:
        """Return a redactor that knows these secrets too."""
        more = frozenset(secrets) - self._secrets
        return Redactor(self._secrets | more) if more else self

    def text(self, text: str) -> str:
        """Return the text without secrets."""
        return text if self._pattern is None else self._pattern.sub(HIDDEN, text)

    def value(self, value: object) -> object:
        """Return texts, lists and mappings without secrets, keys included."""
        if self._pattern is None:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(str(key)): self.value(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(item) for item in value]
        # A secret made of digits may come back as a number.
        if isinstance(value, int | float) and not isinstance(value, bool) and self.text(str(value)) != str(value):
            return HIDDEN
        return value


def excerpt(text: str, redactor: Redactor) -> str:
    """Return the beginning of a text for people: without secrets, tags and line breaks, 200 characters at most."""
    # Secrets go first: half of one, cut off or torn by a tag, would not be found.
    plain = " ".join(_TAGS.sub(" ", redactor.text(text)[:_MAX_READ]).split())
    return plain if len(plain) <= MAX_EXCERPT else f"{plain[: MAX_EXCERPT - 3]}..."


def _forms(secret: str) -> Iterator[str]:
    """Return a secret as servers write it back: plain, in an address, in JSON, in a page, without outer blanks."""
    for form in {secret, secret.strip()}:
        yield from (form, quote_plus(form), *(quote(form, safe=safe) for safe in ("", "/", "!'()*", LEGAL)))
        yield from (json.dumps(form)[1:-1], json.dumps(form, ensure_ascii=False)[1:-1])
        yield form.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def is_telling(name: str) -> bool:
    """Tell whether what goes by this name is probably a secret."""
    return bool(_TELLING.search(name))


def variables_of(value: object) -> list[str]:
    """Return the names of the variables that are written as `${NAME}` anywhere in a value, each once."""
    matches = [match for text in _find_texts(value) for match in _VARIABLE.finditer(text)]
    return list(dict.fromkeys(match[2] for match in matches if not match[1]))


def sent_variables(value: object) -> list[str]:
    """Return the variables that a value needs once texts that are JSON are read, each once.

    Bodies may be written as JSON, where a dollar sign can be an escape that nobody sees in the text.
    """
    parsed = []
    for text in _find_texts(value):
        with suppress(ValueError, RecursionError):
            parsed.append(json.loads(text))
    return list(dict.fromkeys((*variables_of(value), *variables_of(parsed))))


def missing_variables(value: object, environment: Mapping[str, str] | None = None) -> list[str]:
    """Return the variables that a value needs and the environment lacks; an empty one is as good as none."""
    known = os.environ if environment is None else environment
    return [name for name in variables_of(value) if not known.get(name)]


def fill_in(value: object, environment: Mapping[str, str]) -> object:
    """Return a value with each `${NAME}` replaced; `$${NAME}` stands for the characters themselves."""
    if isinstance(value, str):
        return _VARIABLE.sub(lambda m: m[0][1:] if m[1] else environment[m[2]], value)
    if isinstance(value, Mapping):
        return {key: fill_in(item, environment) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [fill_in(item, environment) for item in value]
    return value


def open_entry(
    entry: Mapping[str, object],
    *,
    where: str = "",
    environment: Mapping[str, str] | None = None,
    guard: Callable[[str], str] = str,
) -> tuple[dict[str, object], Redactor]:
    """Return an entry of bots.yaml with its variables filled in, and what strikes their values out again.

    Values that were written out under a telling name (`api_key`, a header `Authorization`) are struck out too.
    `guard` is applied to each value before it is filled in, where the place needs it.
    """
    known = os.environ if environment is None else environment
    missing = missing_variables(entry, known)
    if missing:
        raise BotError(
            say("these variables are not set: {names}", names=", ".join(missing)),
            status=Status.FAILED,
            where=where,
            remedy=say("set them in the command's environment"),
        )
    secrets = {name: known[name] for name in variables_of(entry)}
    guarded = {name: guard(secret) for name, secret in secrets.items()}
    filled = {key: fill_in(item, guarded) for key, item in entry.items()}
    return filled, Redactor([*secrets.values(), *_find_secrets(entry)])


def _find_secrets(entry: Mapping[str, object]) -> Iterator[str]:
    """Yield what was written out where a secret is to be expected."""
    for key, item in entry.items():
        if isinstance(item, Mapping) and key in _PLACES:
            yield from _find_secrets(item)
        elif isinstance(item, str) and is_telling(key) and "{" not in item:
            yield item
            # `Bearer abc`: the second word alone is the secret.
            yield from item.split()[1:]


def _find_texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _find_texts(item)
