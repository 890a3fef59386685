"""Entries of an agent file, taken one by one: what has the wrong shape becomes a fault with its line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from datetime import date
from typing import TypeVar

from vivavoce.errors import Fault, nearest
from vivavoce.files.yamls import Step, Value, YamlFile

T = TypeVar("T")
FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


class Entries:
    """Takes typed values out of a YAML file and remembers every fault."""

    def __init__(self, file: YamlFile) -> None:
        self.file = file
        self.faults: list[Fault] = []

    def fault(self, message: str, *steps: Step) -> None:
        """Note a fault at the line of these steps."""
        self.faults.append(Fault(message, f"line {self.file.line(*steps)}"))

    def mapping(self, value: Value | None, *steps: Step, keys: Sequence[str] = ()) -> Mapping[str, Value]:
        """Return a mapping; with `keys`, refuse all others."""
        if value is None or value == "":
            return {}
        if not isinstance(value, dict):
            self.fault(f"{_name(steps)} must contain keys and values, not {_shape(value)}", *steps)
            return {}
        for key in value if keys else ():
            if key not in keys:
                self.fault(f"unknown key '{key}'.{nearest(key, keys)}", *steps, key)
        return value

    def listed(self, value: Value | None, *steps: Step) -> Sequence[Value]:
        """Return a list; one value is a list of one."""
        if value is None or value == "":
            return []
        return value if isinstance(value, list) else [value]

    def text(self, value: Value | None, *steps: Step, default: str = "") -> str:
        """Return a text without blanks around it."""
        if value is None:
            return default
        if isinstance(value, str):
            return value.strip()
        self.fault(f"{_name(steps)} must be a text, not {_shape(value)}; a text with `: ` needs quotes", *steps)
        return default

    def texts(self, value: Value | None, *steps: Step) -> tuple[str, ...]:
        """Return a list of texts that are not empty."""
        texts = []
        for place, item in enumerate(self.listed(value, *steps)):
            text = self.text(item, *steps, place)
            if text:
                texts.append(text)
            elif isinstance(item, str):
                self.fault(f"an entry of {_name(steps)} is empty", *steps, place)
        return tuple(texts)

    def record(self, kind: type[T], entry: Mapping[str, Value], /, *steps: Step, **ready: object) -> T:
        """Read the fields of a record by their types; `ready` are those that are read already."""
        readers: Mapping[object, Callable[..., object]] = {
            "str": self.text,
            "str | None": lambda *item: self.text(*item) or None,
            "tuple[str, ...]": self.texts,
            "bool": self.flag,
            "float | None": self.number,
            "date | None": self.day,
        }
        for field in fields(kind):  # type: ignore[arg-type]
            if field.name not in ready:
                ready[field.name] = readers[field.type](entry.get(field.name), *steps, field.name)
        return kind(**ready)

    def flag(self, value: Value | None, *steps: Step) -> bool:
        """Return true or false; nothing is false."""
        text = self.text(value, *steps, default="false").lower()
        if text not in FLAGS:
            self.fault(f"{_name(steps)} must be true or false, not '{text}'", *steps)
        return FLAGS.get(text, False)

    def number(self, value: Value | None, *steps: Step) -> float | None:
        """Return a number, if one is given."""
        text = self.text(value, *steps)
        if not text:
            return None
        try:
            return float(text)
        except ValueError:
            self.fault(f"{_name(steps)} must be a number, not '{text}'", *steps)
            return None

    def day(self, value: Value | None, *steps: Step) -> date | None:
        """Return a date, if one is given."""
        text = self.text(value, *steps)
        if not text:
            return None
        try:
            return date.fromisoformat(text)
        except ValueError:
            self.fault(f"{_name(steps)} must be a date such as 2019-10-12, not '{text}'", *steps)
            return None


def _name(steps: tuple[Step, ...]) -> str:
    names = [str(step) for step in steps if isinstance(step, str)]
    return f"`{names[-1]}`" if names else "the file"


def _shape(value: Value) -> str:
    return {dict: "keys and values", list: "a list", str: "a text"}[type(value)]
