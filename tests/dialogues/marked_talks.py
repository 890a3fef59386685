"""Small logs with marks and scores for the tests of this folder."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vivavoce.dialogues.dialogue import Dialogue, Rating, Utterance
from vivavoce.dialogues.result import Origin, Score

ENGLISH = ("hello, how are you and what do you want to do today", "i have no idea what this is about, do you")


def talk(
    name: str,
    mark: float | None = None,
    *,
    bot: str | None = None,
    user: str | None = None,
    passed: bool | None = None,
    bots: bool | None = True,
    texts: Sequence[str] = ENGLISH,
) -> Dialogue:
    """Return a talk of a person with a bot; `bots` False: with a person, None: nobody knows."""
    sides = (("user", None if bots is None else False), ("peer", bots))
    turns = tuple(Utterance(*sides[i % 2][:1], text, sides[i % 2][1]) for i, text in enumerate(texts))
    ratings = () if mark is None else (Rating("user", mark),)
    return Dialogue(name, turns, ratings, bot=bot, user=user, passed=passed)


def simulated(
    n: int, *, slope: float = 1.0, shift: float = 0.0, noise: float = 0.6, seed: int = 0, bots: int = 2
) -> tuple[list[Dialogue], list[Score]]:
    """Return talks whose marks are `slope * score + shift` and noise, and their scores between 2 and 4."""
    draw = np.random.default_rng(seed)
    scores = draw.uniform(2, 4, n)
    marks = np.clip(slope * scores + shift + draw.normal(0, noise, n), 1, 5)
    talks = [talk(f"t{i}", float(mark), bot=f"bot{i % bots}") for i, mark in enumerate(marks)]
    return talks, [Score(one.id, float(score)) for one, score in zip(talks, scores, strict=True)]


class FixedRater:
    """Gives the scores it was told, by the id of the dialogue; refuses those it does not know."""

    def __init__(self, scores: Sequence[Score], name: str = "fixed", origin: Origin | None = None) -> None:
        self.name, self.origin = name, origin
        self._scores = {score.id: score for score in scores}
        self.calls: list[int] = []

    def rate(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        self.calls.append(len(dialogues))
        unknown = "nothing is known about it"
        return [self._scores.get(one.id) or Score(one.id, None, refusal=unknown) for one in dialogues]
