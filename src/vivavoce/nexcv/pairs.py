"""Which two labels are taken for each other, worst first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from vivavoce.nexcv.scoring import Judged
from vivavoce.statistics import wilson

MAX_PAIRS = 50
MAX_EXAMPLES = 3


class Confusions:
    """Confusions summed over repetitions.

    Guesses count before the threshold: those that were not answered say as much about two labels.
    """

    def __init__(self) -> None:
        """Start with nothing seen."""
        self._tested: Counter[Any] = Counter()
        self._mistakes: dict[tuple[Any, Any], list[Judged]] = {}

    def add(self, items: Iterable[Judged]) -> None:
        """Add the items of one repetition; negatives belong to no label here."""
        topics = [item for item in items if item.truth is not None]
        self._tested.update([item.truth for item in topics])
        for item in topics:
            if item.guess.intent not in (None, item.truth):
                a, b = sorted((item.truth, item.guess.intent), key=str)
                self._mistakes.setdefault((a, b), []).append(item)

    def rank(self) -> list[dict[str, Any]]:
        """Return the worst pairs: mistakes between the two in either direction, of all tests of both."""
        rows: list[dict[str, Any]] = []
        for (a, b), items in self._mistakes.items():
            rate = wilson(len(items), self._tested[a] + self._tested[b])
            row = {"a": a, "b": b, "score": rate.value, "low": rate.low, "high": rate.high}
            row |= {"count": len(items), "n": rate.n}
            row |= {
                "a_as_b": sum(item.truth == a for item in items),
                "b_as_a": sum(item.truth == b for item in items),
            }
            row |= {"answered": sum(item.outcome.answered for item in items), "examples": _choose_examples(items)}
            rows.append(row)
        rows.sort(key=lambda row: (-row["score"], -row["count"], str(row["a"]), str(row["b"])))
        return rows[:MAX_PAIRS]


def _choose_examples(items: list[Judged]) -> list[dict[str, Any]]:
    # The surest mistakes first, each text once: repetitions test the same text again.
    by_text = {item.text: item for item in sorted(items, key=lambda item: item.guess.confidence)}
    surest = sorted(by_text.values(), key=lambda item: (-item.guess.confidence, item.text))
    return [
        {
            "text": item.text,
            "intent": item.truth,
            "guess": item.guess.intent,
            "confidence": round(item.guess.confidence, 3),
        }
        for item in surest[:MAX_EXAMPLES]
    ]
