"""From which confidence on a guess counts, found out on the training phrases alone."""

from __future__ import annotations

from collections.abc import Sequence

FEWEST = 10
# Most visitors ask about what the bot knows, and real strangers are stranger than the topics next door that
# stand in for them here: one message in five counts as foreign.
FOREIGN = 0.2


def choose_threshold(own: Sequence[float], foreign: Sequence[float], limits: tuple[float, float]) -> float:
    """Return the confidence that tells phrases of known topics from those of unknown ones best.

    `own`: each phrase asked while it alone was left out (0 where the guess was wrong). `foreign`: each phrase
    asked while its whole topic was left out, so that every guess is wrong. The result stays in `limits`, which is
    also where it lies when there are too few phrases to tell.
    """
    low, high = limits
    if len(own) < FEWEST:
        return round((low + high) / 2, 2)
    steps = [round(low + step / 100, 2) for step in range(round((high - low) * 100) + 1)]
    return max(steps, key=lambda step: (_balance(own, foreign, step), -step))


def _balance(own: Sequence[float], foreign: Sequence[float], threshold: float) -> float:
    answered = sum(score >= threshold for score in own) / len(own)
    refused = sum(score < threshold for score in foreign) / len(foreign)
    return (1 - FOREIGN) * answered + FOREIGN * refused
