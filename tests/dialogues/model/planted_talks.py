"""Invented talks whose marks follow a rule that is known: a bot that repeats itself is marked down."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from vivavoce.dialogues.dialogue import Dialogue, Rating, Utterance, View

NOUNS = ("music", "rain", "football", "history", "paris", "books", "films", "coffee", "trains", "gardens", "planets")
SAID = (
    "what do you think about {}?",
    "i like {} very much",
    "tell me more about {} please",
    "{} is a strange thing, is n't it?",
    "my friend knows a lot about {}",
    "when did you first hear of {}?",
    "some people say that {} and {} are the same",
)


def talk(*texts: str, name: str = "t", bot: bool | None = True) -> Dialogue:
    """Return a talk of Ann, who begins, and Bob, who is a bot unless told otherwise."""
    sides = (("Ann", None if bot is None else False), ("Bob", bot))
    turns = tuple(Utterance(sides[place % 2][0], text, sides[place % 2][1]) for place, text in enumerate(texts))
    return Dialogue(name, turns)


def view(*texts: str, judge: str = "Ann") -> View:
    return View(talk(*texts), judge)


def plant(number: int) -> Dialogue:
    """Return a marked talk: the more often Bob repeats himself, the lower the mark; every sixth Bob is a person."""
    chance = random.Random(number)  # noqa: S311 - talks, not secrets
    person = number % 6 == 0
    again = 0.0 if person else chance.random()
    turns: list[Utterance] = []
    own = _sentence(chance)
    repeated = 0
    for _ in range(chance.randint(3, 6)):
        turns.append(Utterance("Ann", _sentence(chance), is_bot=False))
        same = chance.random() < again
        repeated += same
        own = own if same else _sentence(chance)
        turns.append(Utterance("Bob", own, is_bot=not person, thumb=not same if chance.random() < 0.5 else None))
    mark = 4.5 - 3.5 * repeated / (len(turns) / 2) + chance.uniform(-0.7, 0.7)
    marks = [Rating("Ann", min(5.0, max(1.0, round(mark))))]
    marks += [Rating("Bob", 4.0 + number % 2)] if person else []
    bot = None if person else ("alpha", "beta", "gamma")[number % 3]
    return Dialogue(f"talk-{number}", tuple(turns), tuple(marks), bot=bot)


def _sentence(chance: random.Random) -> str:
    return chance.choice(SAID).format(chance.choice(NOUNS), chance.choice(NOUNS))


def dialogues(texts: st.SearchStrategy[str], most: int = 12) -> st.SearchStrategy[Dialogue]:
    """Return a strategy: any number of turns of up to five speakers, of whom the log knows much or nothing."""
    speakers = st.sampled_from(["Ann", "Bob", "", "Zoë", "系统"])
    utterances = st.builds(Utterance, speakers, texts, st.sampled_from([None, True, False]))
    return st.builds(lambda turns: Dialogue("any", tuple(turns)), st.lists(utterances, max_size=most))
