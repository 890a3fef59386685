"""How each bot fares while a run goes on: the turns that were judged so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from vivavoce.conversations.findings.columns import rate_of
from vivavoce.outcomes import TurnOutcome
from vivavoce.records import Rate
from vivavoce.store.database import Store
from vivavoce.store.rows import Run


@dataclass(frozen=True, slots=True)
class RunningScore:
    """How many of the turns that were checked so far went as they should; `rate` has its interval and count."""

    right: int
    rate: Rate


def running_scores(store: Store, run: Run) -> Mapping[str, RunningScore]:
    """Return how each bot fares up to now, as the result will count it; a bot without a judged turn is missing."""
    counted = [str(outcome) for outcome in TurnOutcome if outcome.counted]
    right: dict[str, dict[str, int]] = {}
    all_of: dict[str, dict[str, int]] = {}
    with store.reading() as tx:
        for bot, scenario, outcome, n in tx.turns.counts_by_scenario(run.id, counted):
            hits = n if TurnOutcome(outcome).passed else 0
            right.setdefault(bot, {})[scenario] = right.get(bot, {}).get(scenario, 0) + hits
            all_of.setdefault(bot, {})[scenario] = all_of.get(bot, {}).get(scenario, 0) + n
    return {
        bot: RunningScore(
            sum(own.values()),
            rate_of(np.array([*own.values()], float), np.array([all_of[bot][name] for name in own], float)),
        )
        for bot, own in right.items()
    }
