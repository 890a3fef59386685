"""Names of topics as a platform takes them: what it refuses is written in a form from which it is read again."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property

# In front of each intent that vivavoce creates: nothing else is ever deleted without being asked for.
PREFIX = "viva-"
_CODE = re.compile(r"X([0-9A-F]+)X")


@dataclass(frozen=True)
class NameRule:
    """Which names a platform takes. `refused` matches each character that it does not; at most `longest` characters.

    A refused character becomes its number: `reverted_card_payment?` is `viva-reverted_card_paymentX3FX`. A name that
    is too long ends in a checksum and is only known again by those who remember it.
    """

    refused: str = r"(?!)"
    longest: int = 100
    prefix: str = PREFIX

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        # An X before what looks like a number would be read as the beginning of one.
        return re.compile(rf"{self.refused}|X(?=[0-9A-F])")

    def encode(self, name: str) -> str:
        """Return the name under which a topic is kept on the platform."""
        written = self.prefix + self._pattern.sub(lambda match: f"X{ord(match[0]):X}X", name)
        if len(written) <= self.longest:
            return written
        checksum = hashlib.sha256(name.encode()).hexdigest()[:8]
        return f"{written[: self.longest - 9].rstrip('-_ .')}-{checksum}"

    def owns(self, written: str) -> bool:
        """Tell whether vivavoce gave a name."""
        return bool(self.prefix) and written.startswith(self.prefix)

    def decode(self, written: str) -> str:
        """Return the topic of a name; a name that others gave is the topic itself."""
        if self.prefix and not self.owns(written):
            return written
        return _CODE.sub(lambda code: _decode(code[0], int(code[1], 16)), written.removeprefix(self.prefix))


def _decode(written: str, number: int) -> str:
    return chr(number) if number <= 0x10FFFF else written
