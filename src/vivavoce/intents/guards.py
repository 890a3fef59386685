"""Guards against fooling oneself: a score that rose because questions went, and a test set that edits never touch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from vivavoce.errors import UsageError
from vivavoce.intents.material import Material
from vivavoce.messages import say
from vivavoce.records import Dataset, Rate
from vivavoce.statistics import paired_test, wilson

FROZEN = "frozen"
# Fewer questions that went are no proof of anything.
MIN_REMOVED = 3


@dataclass(frozen=True, slots=True)
class Progress:
    """What a change of the data did to a score, the questions that stayed apart from those that came and went.

    `removed`: of the questions that are gone, the share that was right; `added` likewise. `low` and `high` enclose
    the change on the questions that stayed. `suspicious`: the score rose, and questions that went explain it.
    """

    before: Rate
    after: Rate
    stayed_before: Rate
    stayed_after: Rate
    low: float | None
    high: float | None
    removed: Rate
    added: Rate
    suspicious: bool

    @property
    def sentence(self) -> str:
        """What happened, in one sentence."""
        if self.suspicious:
            return say(
                "The score rose because {n:,} questions are gone, most of which the bot got wrong. On the questions "
                "that stayed, it did not get better.",
                n=self.removed.n,
            )
        change = (self.stayed_after.value or 0.0) - (self.stayed_before.value or 0.0)
        return say(
            "On the {n:,} questions that were asked both times, the score changed by {change:+.1f} points.",
            n=self.stayed_after.n,
            change=100 * change,
        )


def compare_scores(before: Mapping[str, float], after: Mapping[str, float]) -> Progress:
    """Compare two exams question by question; each value is the share of its tests that a question was right in.

    The keys name a question: its text, or an id that it keeps when it is filed under another topic.
    """
    stayed = sorted(before.keys() & after.keys())
    old, new = [before[key] for key in stayed], [after[key] for key in stayed]
    removed = [share for key, share in before.items() if key not in after]
    whole, then = _rate(list(before.values())), _rate(list(after.values()))
    stayed_before, stayed_after = _rate(old), _rate(new)
    test = paired_test(new, old) if len(stayed) > 1 else None
    low, high = (test.low, test.high) if test else (None, None)
    rise = (then.value or 0.0) - (whole.value or 0.0)
    own = (stayed_after.value or 0.0) - (stayed_before.value or 0.0)
    harder = len(removed) >= MIN_REMOVED and np.mean(removed) < (stayed_before.value or 0.0)
    # More than half of the rise is not on the questions that stayed, and there it is not sure.
    suspicious = bool(rise > 0 and harder and own < rise / 2 and (low is None or low <= 0))
    return Progress(
        before=whole,
        after=then,
        stayed_before=stayed_before,
        stayed_after=stayed_after,
        low=low,
        high=high,
        removed=_rate(removed),
        added=_rate([share for key, share in after.items() if key not in before]),
        suspicious=suspicious,
    )


def _rate(shares: list[float]) -> Rate:
    return wilson(sum(shares), len(shares))


def split_off(data: Dataset, share: float = 0.2, *, seed: int = 0) -> tuple[Dataset, Dataset]:
    """Set a part of every topic aside as a frozen test set, and mark it so; return what is left, and the frozen part.

    Near-duplicates stay together, or the test would be known. Topics with fewer than four examples give none.
    """
    if not 0 < share < 1:
        raise UsageError(say("the share of frozen questions must be above 0 and below 1, not {share:g}", share=share))
    material = Material.of(data)
    rng = np.random.default_rng(seed)
    frozen = np.zeros(len(data), dtype=bool)
    contradictory = set(material.groups[material.contradictory].tolist())
    for code in np.unique(material.labels):
        places = np.flatnonzero(material.labels == code)
        target = int(share * len(places))
        for group in rng.permutation(np.unique(material.groups[places])).tolist():
            own = places[material.groups[places] == group]
            if group not in contradictory and frozen[places].sum() + len(own) <= target and len(places) >= 4:
                frozen[own] = True
    kept, aside = (data.select(np.flatnonzero(flags).tolist()) for flags in (~frozen, frozen))
    return kept, replace(aside, examples=tuple(replace(example, split=FROZEN) for example in aside.examples))
