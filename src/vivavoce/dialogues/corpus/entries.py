"""What every format hands over: one entry for each dialogue, with what is wrong with it or was passed over."""

from __future__ import annotations

from dataclasses import dataclass, field

from vivavoce.dialogues.dialogue import Dialogue
from vivavoce.errors import Fault


@dataclass(frozen=True, slots=True)
class Entry:
    """One dialogue of a file, or the reasons why there is none.

    `place` is where it begins, as people say it (`line 3`). `remarks` are things that were passed over on purpose;
    equal ones are counted together.
    """

    place: str
    dialogue: Dialogue | None
    faults: tuple[Fault, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(slots=True)
class Findings:
    """Collects what is wrong with one dialogue while it is read, and what is passed over."""

    place: str
    faults: list[Fault] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def fault(self, message: str, place: str | None = None) -> None:
        """Note that something cannot be used."""
        self.faults.append(Fault(message, place or self.place))

    def remark(self, message: str) -> None:
        """Note that something is passed over; once for each dialogue is enough."""
        if message not in self.remarks:
            self.remarks.append(message)

    def entry(self, dialogue: Dialogue | None) -> Entry:
        """Return the entry; with any fault the dialogue is not used."""
        return Entry(self.place, None if self.faults else dialogue, tuple(self.faults), tuple(self.remarks))
