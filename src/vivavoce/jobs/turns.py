"""Turns of conversations as rows: judged as they are held, and again when their conversation has ended."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from vivavoce.store.rows import TurnRow, Unit
from vivavoce.store.transaction import Transaction

if TYPE_CHECKING:
    from vivavoce.conversations.transcript import Exchange
    from vivavoce.jobs.exams.conversation_run import Material
    from vivavoce.jobs.exams.conversations import TurnLine
    from vivavoce.jobs.store_thread import StoreThread

    # What a conversation is part of, and what was said in it so far.
    LiveTurn = tuple[Material, Unit, tuple[Exchange, ...]]

# The fields of a judged turn: columns of its row, and details.
_COLUMNS = (
    *("number", "bot", "script", "scenario", "domain", "level", "kind", "repeat"),
    *("sent", "reply", "status", "outcome", "first_ms"),
)
_DETAILS = ("intent", "confidence", "attempts", "in_scope", "fallback")


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
    """Turns of conversations in progress that wait to be judged and written together, for live pages.

    They are judged again when their conversation has ended; what ends before the next writing is judged only then.
    """

    def __init__(self, store_thread: StoreThread) -> None:
        self.store_thread = store_thread
        self._waiting: dict[tuple[str, int], LiveTurn] = {}
        self._in_judging: dict[tuple[str, int], LiveTurn] = {}

    def add(self, material: Material, unit: Unit, exchanges: tuple[Exchange, ...]) -> None:
        """Add the last turn of a conversation as far as it was held."""
        self._waiting[unit.id, exchanges[-1].number] = (material, unit, exchanges)

    def drop(self, unit_id: str) -> None:
        """Forget the turns of a unit: they are written otherwise, or belong to another worker now."""
        for turns in (self._waiting, self._in_judging):
            for key in [key for key in turns if key[0] == unit_id]:
                del turns[key]

    async def flush(self) -> None:
        """Judge the waiting turns beside the loop, on which bots are being timed, and write them."""
        if not self._waiting:
            return
        self._in_judging, self._waiting = self._waiting, {}
        judged = await asyncio.to_thread(_judge_turns, dict(self._in_judging))
        # A unit that ended meanwhile has written its turns itself.
        rows = [row for key, row in judged.items() if key in self._in_judging]

        def do(tx: Transaction) -> None:
            tx.turns.put(rows)
            for run_id in sorted({row.run_id for row in rows}):
                tx.runs.touch(run_id)

        if rows:
            await self.store_thread.write(do)


def _judge_turns(turns: Mapping[tuple[str, int], LiveTurn]) -> dict[tuple[str, int], TurnRow]:
    from vivavoce.jobs.exams.conversations import judge_last

    lines = {key: judge_last(material, unit.key, exchanges) for key, (material, unit, exchanges) in turns.items()}
    return {key: next(judged_rows(key[0], turns[key][1].run_id, [line])) for key, line in lines.items()}
