"""Turns of conversations as rows: when they are held, and again when they are judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from vivavoce.jobs.exams.documents import storable
from vivavoce.store.rows import TurnRow, Unit
from vivavoce.store.transaction import Transaction

if TYPE_CHECKING:
    from vivavoce.conversations.transcript import Exchange
    from vivavoce.jobs.exams.conversation_run import Material
    from vivavoce.jobs.exams.conversations import TurnLine
    from vivavoce.jobs.store_thread import StoreThread

# The fields of a judged turn: columns of its row, and details.
_COLUMNS = (
    *("number", "bot", "script", "scenario", "domain", "level", "kind", "repeat"),
    *("sent", "reply", "status", "outcome", "first_ms"),
)
_DETAILS = ("intent", "confidence", "attempts", "in_scope", "fallback")


def live_row(material: Material, unit: Unit, exchange: Exchange) -> TurnRow:
    """Return a turn that was just held and is not judged yet."""
    key = material.conversation(unit.key)
    script = material.scripts[key.script]
    turn = next(turn for turn in script.turns if turn.number == exchange.number)
    reply = exchange.reply
    return TurnRow(
        unit_id=unit.id,
        number=exchange.number,
        run_id=unit.run_id,
        bot=key.bot,
        script=key.script,
        scenario=script.scenario,
        domain=script.domain,
        level=script.level,
        kind=str(turn.kind),
        repeat=key.repeat,
        sent=storable(exchange.sent),
        reply=storable(reply.shown if reply is not None else ""),
        status=str(exchange.status),
        outcome="",
        detail={},
        first_ms=exchange.first_ms,
    )


def judged_rows(unit_id: str, run_id: str, lines: Iterable[TurnLine]) -> Iterator[TurnRow]:
    """Yield the judged turns of a conversation."""
    for line in lines:
        detail = {name: getattr(line, name) for name in _DETAILS} | {
            "reasons": list(line.reasons),
            "expected": list(line.expected),
        }
        columns = {name: getattr(line, name) for name in _COLUMNS}
        yield TurnRow(unit_id=unit_id, run_id=run_id, detail=detail, **columns)


class TurnBuffer:
    """Turns that wait to be written together, so that live pages see them soon."""

    def __init__(self, store_thread: StoreThread) -> None:
        self.store_thread = store_thread
        self._waiting: dict[tuple[str, int], TurnRow] = {}

    def add(self, row: TurnRow) -> None:
        """Add a turn."""
        self._waiting[row.unit_id, row.number] = row

    def drop(self, unit_id: str) -> None:
        """Forget the turns of a unit: they are written otherwise, or belong to another worker now."""
        for key in [key for key in self._waiting if key[0] == unit_id]:
            del self._waiting[key]

    async def flush(self) -> None:
        """Write the waiting turns."""
        rows, self._waiting = list(self._waiting.values()), {}
        if not rows:
            return

        def do(tx: Transaction) -> None:
            tx.turns.put(rows)
            for run_id in sorted({row.run_id for row in rows}):
                tx.runs.touch(run_id)

        await self.store_thread.write(do)
