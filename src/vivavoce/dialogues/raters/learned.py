"""The learned model as a rater: refuses what it cannot read, warns where it is unsure, explains the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from vivavoce.dialogues.dialogue import Dialogue, Kind, View, judge_of
from vivavoce.dialogues.fingerprint import fingerprint
from vivavoce.dialogues.refusals import MOST_MESSAGES, OTHER_SCRIPT, refuse, shorten
from vivavoce.dialogues.result import Cause, Drift, Origin, Score
from vivavoce.errors import MissingPartError
from vivavoce.languages import Use, name_languages
from vivavoce.messages import say, say_count
from vivavoce.text.words import guess_language

if TYPE_CHECKING:
    from vivavoce.dialogues.model.model import Model

# With more unknown words than this it is hardly English; fewer words than these do not tell.
MOST_UNKNOWN = 0.5
LEAST_WORDS = 10
# Talks explained together: large enough for fast arithmetic, small enough for memory.
BATCH = 32
LEARNED = "the model learned from this very talk: the score is no test of it"
FOREIGN = {code: name for code, name in name_languages(Use.GUESSED).items() if code != "en"}


@dataclass(frozen=True)
class LearnedRater:
    """A model with its name in reports."""

    model: Model
    name: str = "learned"

    @property
    def origin(self) -> Origin:
        """What the model learnt from."""
        return self.model.origin

    def rate(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        """Return one score or refusal for each dialogue, in order."""
        from vivavoce.text.forward import one_blas_thread

        found: list[Score] = []
        with one_blas_thread():
            for start in range(0, len(dialogues), BATCH):
                found += self._batch(dialogues[start : start + BATCH])
        return found

    def compare(self, dialogues: Sequence[Dialogue]) -> Drift | None:
        """Return how far these talks lie from those that the model learned from."""
        from vivavoce.dialogues.model.drift import measure_drift
        from vivavoce.text.forward import one_blas_thread

        with one_blas_thread():
            return measure_drift(self.model, dialogues)

    def _batch(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        from vivavoce.dialogues.model.explaining import explain

        scores = [_refused(dialogue.id, refuse(dialogue)) for dialogue in dialogues]
        readable = [row for row, score in enumerate(scores) if not score.refusal]
        short = [shorten(dialogues[row]) for row in readable]
        views = [View(talk, judge_of(dialogues[row])) for row, (talk, _) in zip(readable, short, strict=True)]
        for row, (talk, kept), grounds in zip(readable, short, explain(self.model, views), strict=True):
            learned = fingerprint(dialogues[row]) in self.model.learned
            scores[row] = Score(
                dialogues[row].id,
                grounds.score,
                grounds.low,
                grounds.high,
                tuple(replace(turn, number=kept[turn.number - 1] + 1) for turn in grounds.turns),
                grounds.reasons,
                (
                    *warn(dialogues[row], kept, self.origin),
                    *self._strange_words(talk),
                    *([LEARNED] if learned else []),
                ),
                learned=learned,
            )
        return scores

    def _strange_words(self, talk: Dialogue) -> tuple[str, ...]:
        from vivavoce.dialogues.model.messages import tokens_of

        known = self.model.parts.words.index
        words = [word for turn in talk.turns for word in tokens_of(turn.text) if word[0].isalpha()]
        unknown = sum(word not in known for word in words)
        if len(words) < LEAST_WORDS or unknown < MOST_UNKNOWN * len(words):
            return ()
        return (
            say(
                "{unknown:.0%} of the words are unknown to the model: is this English?", unknown=unknown / len(words)
            ),
        )


def from_option(option: str) -> LearnedRater:
    """Give the shipped model, or one of the user's own: `learned:PATH`."""
    if not option:
        return shipped()
    from vivavoce.dialogues.model.weights import load_weights

    return LearnedRater(load_weights(option), f"learned:{option}")


@cache
def shipped() -> LearnedRater:
    """Return the model that comes with vivavoce."""
    from vivavoce.dialogues.model.weights import SHIPPED, load_weights

    if not SHIPPED.is_file():
        raise MissingPartError(
            "the dialogue model is not where it should be", where=str(SHIPPED), remedy="install vivavoce again"
        )
    return LearnedRater(load_weights(SHIPPED))


def _refused(name: str, why: str) -> Score:
    cause = Cause.SCRIPT if OTHER_SCRIPT in why else Cause.TALK
    return Score(name, None, refusal=why, cause=cause if why else None)


def warn(dialogue: Dialogue, kept: Sequence[int], origin: Origin) -> tuple[str, ...]:
    """Return what makes the score less sure than usual."""
    from vivavoce.dialogues.model.messages import MOST_WORDS

    turns = dialogue.turns
    found = []
    if len(kept) < len(turns):
        found.append(
            say(
                "very long: only the first and last {most_messages} of {count:,} messages were read",
                most_messages=MOST_MESSAGES // 2,
                count=len(turns),
            )
        )
    elif origin.lengths and not origin.lengths[0] <= len(turns) <= origin.lengths[1]:
        low, high = origin.lengths
        shorter = say("shorter than the talks that the model learned from ({low} to {high} messages)")
        longer = say("longer than the talks that the model learned from ({low} to {high} messages)")
        found.append(say(shorter if len(turns) < low else longer, low=low, high=high))
    if empty := sum(not turn.text.strip() for turn in turns):
        found.append(say("{messages} without text", messages=say_count(empty, "{n} message", "{n} messages")))
    if (count := len(dialogue.speakers)) > 2:
        judge = judge_of(dialogue)
        found.append(say("{count} speakers: all but {judge_of} were taken for one side", count=count, judge_of=judge))
    if dialogue.bots and set(dialogue.speakers) <= dialogue.bots:
        found.append(say("all speakers are bots: seen from the side of {judge_of}", judge_of=judge_of(dialogue)))
    if wordy := sum(len(turn.text.split()) > MOST_WORDS for turn in turns if len(turn.text) > MOST_WORDS):
        found.append(
            say(
                "{messages} of more than {most_words} words: only the beginning was read",
                messages=say_count(wordy, "{n} message", "{n} messages"),
                most_words=MOST_WORDS,
            )
        )
    if dialogue.kind is Kind.UNKNOWN:
        found.append(
            say("the log does not say who is a bot: seen from the side of {judge_of}", judge_of=judge_of(dialogue))
        )
    language = guess_language([turn.text for turn in turns[:50]])
    if language in FOREIGN:
        found.append(say("this looks {foreign}: the model learned from English", foreign=FOREIGN[language]))
    return tuple(found)
