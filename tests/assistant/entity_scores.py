"""How well professions and places are found: precision, recall and F1 on sentences written by hand.

python tests/assistant/entity_scores.py dev|test [-v]     # -v shows what was missed or found wrongly
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import NamedTuple

from vivavoce.assistant.entities import extract

MATERIAL = Path(__file__).parent / "material"
LANGUAGES = ("en", "de", "fr", "zh")
KINDS = ("profession", "place")


class Score(NamedTuple):
    """Counts of one kind: found rightly, found in all, annotated."""

    hits: int
    found: int
    annotated: int

    @property
    def f1(self) -> float:
        return 2 * self.hits / max(1, self.found + self.annotated)

    def __str__(self) -> str:
        precision, recall = self.hits / max(1, self.found), self.hits / max(1, self.annotated)
        return f"P {precision:.3f} R {recall:.3f} F1 {self.f1:.3f} (n={self.annotated})"


def score(part: str, language: str, *, tell: bool = False) -> dict[str, Score]:
    """Compare what is found with the annotation; a span counts if it shares half of the longer one."""
    totals = {kind: [0, 0, 0] for kind in KINDS}
    with (MATERIAL / f"entities_{part}_{language}.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            entities = extract(row["text"], language)
            for kind in KINDS:
                spans = annotated_spans(row["text"], row[kind] or "")
                found = [(each.start, each.end) for each in entities if each.kind == kind]
                hits = count_hits(spans, found)
                for place, n in enumerate((hits, len(found), len(spans))):
                    totals[kind][place] += n
                if tell and not hits == len(found) == len(spans):
                    shown = [each.text for each in entities if each.kind == kind]
                    sys.stdout.write(f"  {kind}: {row['text']} | {row[kind]} | {shown}\n")
    return {kind: Score(*counts) for kind, counts in totals.items()}


def annotated_spans(text: str, names: str) -> list[tuple[int, int]]:
    """Return where the annotated names stand; each occurrence is used once."""
    spans, at = [], 0
    for name in filter(None, (part.strip() for part in names.split(";"))):
        start = text.find(name, at)
        start = text.index(name) if start < 0 else start
        spans.append((start, start + len(name)))
        at = start + len(name)
    return spans


def count_hits(spans: list[tuple[int, int]], found: list[tuple[int, int]]) -> int:
    left = list(found)
    for start, end in spans:
        near = [(a, b) for a, b in left if 2 * (min(end, b) - max(start, a)) >= max(end - start, b - a)]
        if near:
            left.remove(near[0])
    return len(found) - len(left)


if __name__ == "__main__":
    for code in LANGUAGES:
        scores = score(sys.argv[1], code, tell="-v" in sys.argv)
        sys.stdout.write(f"{code}: " + "; ".join(f"{kind} {each}" for kind, each in scores.items()) + "\n")
