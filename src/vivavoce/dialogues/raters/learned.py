"""The learned model as a rater: refuses what it cannot read, warns where it is unsure, explains the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from vivavoce.dialogues.dialogue import Dialogue, Kind, View, fingerprint, judge_of
from vivavoce.dialogues.refusals import MAX_MESSAGES, OTHER_SCRIPT, refuse, shorten
from vivavoce.dialogues.result import Cause, Drift, Origin, Score
from vivavoce.errors import MissingPartError
from vivavoce.languages import Use, name_languages
from vivavoce.messages import say, say_count
from vivavoce.text.words import guess_language

if TYPE_CHECKING:
    from vivavoce.dialogues.model.model import Model

# With more unknown words than this it is hardly English; fewer words than these do not tell.
MAX_UNKNOWN = 0.5
MIN_WORDS = 10
# Dialogues explained together: large enough for fast arithmetic, small enough for memory.
BATCH = 32
LEARNED = "the model was trained on this dialogue: the score is not a test of it"
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

        scores: list[Score] = []
        with one_blas_thread():
            for start in range(0, len(dialogues), BATCH):
                scores += self._rate_batch(dialogues[start : start + BATCH])
        return scores

    def compare(self, dialogues: Sequence[Dialogue]) -> Drift | None:
        """Return how far these dialogues lie from those that the model learned from."""
        from vivavoce.dialogues.model.explaining import measure_drift
        from vivavoce.text.forward import one_blas_thread

        with one_blas_thread():
            return measure_drift(self.model, dialogues)

    def _rate_batch(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        from vivavoce.dialogues.model.explaining import explain

        scores = []
        for dialogue in dialogues:
            why = refuse(dialogue)
            cause = Cause.SCRIPT if OTHER_SCRIPT in why else Cause.TALK
            scores.append(Score(dialogue.id, None, refusal=why, cause=cause if why else None))
        readable = [row for row, score in enumerate(scores) if not score.refusal]
        short = [shorten(dialogues[row]) for row in readable]
        views = [View(part, judge_of(dialogues[row])) for row, (part, _) in zip(readable, short, strict=True)]
        for row, (part, places), grounds in zip(readable, short, explain(self.model, views), strict=True):
            learned = fingerprint(dialogues[row]) in self.model.learned
            warnings = [*warn(dialogues[row], places, self.origin), *self._warn_of_words(part)]
            scores[row] = Score(
                dialogues[row].id,
                grounds.score,
                grounds.low,
                grounds.high,
                tuple(replace(turn, number=places[turn.number - 1] + 1) for turn in grounds.turns),
                grounds.reasons,
                (*warnings, *([LEARNED] if learned else [])),
                learned=learned,
            )
        return scores

    def _warn_of_words(self, dialogue: Dialogue) -> list[str]:
        from vivavoce.dialogues.model.messages import tokens_of

        known = self.model.parts.words.index
        words = [word for turn in dialogue.turns for word in tokens_of(turn.text) if word[0].isalpha()]
        unknown = sum(word not in known for word in words)
        if len(words) < MIN_WORDS or unknown < MAX_UNKNOWN * len(words):
            return []
        share = unknown / len(words)
        return [
            say("{unknown:.0%} of the words are unknown to the model: the text may not be English", unknown=share)
        ]


def from_option(option: str) -> LearnedRater:
    """Give the shipped model, or one of the user's own: `learned:PATH`."""
    if not option:
        return load_shipped()
    from vivavoce.dialogues.model.weights import load_weights

    return LearnedRater(load_weights(option), f"learned:{option}")


@cache
def load_shipped() -> LearnedRater:
    """Return the model that comes with vivavoce."""
    from vivavoce.dialogues.model.weights import SHIPPED, load_weights

    if not SHIPPED.is_file():
        raise MissingPartError("the dialogue model is missing", where=str(SHIPPED), remedy="reinstall vivavoce")
    return LearnedRater(load_weights(SHIPPED))


def warn(dialogue: Dialogue, places: Sequence[int], origin: Origin) -> tuple[str, ...]:
    """Return what makes the score less sure than usual."""
    from vivavoce.dialogues.model.messages import MAX_WORDS

    turns, warnings, judge = dialogue.turns, [], judge_of(dialogue)
    if len(places) < len(turns):
        warnings.append(
            say(
                "very long: only the first and last {most_messages} of {count:,} messages were read",
                most_messages=MAX_MESSAGES // 2,
                count=len(turns),
            )
        )
    elif origin.lengths and not origin.lengths[0] <= len(turns) <= origin.lengths[1]:
        low, high = origin.lengths
        shorter = say("shorter than the dialogues the model was trained on ({low} to {high} messages)")
        longer = say("longer than the dialogues the model was trained on ({low} to {high} messages)")
        warnings.append(say(shorter if len(turns) < low else longer, low=low, high=high))
    if empty := sum(not turn.text.strip() for turn in turns):
        warnings.append(say("{messages} without text", messages=say_count(empty, "{n} message", "{n} messages")))
    if (count := len(dialogue.speakers)) > 2:
        warnings.append(
            say("{count} speakers: all except {judge_of} were treated as one side", count=count, judge_of=judge)
        )
    if dialogue.bots and set(dialogue.speakers) <= dialogue.bots:
        warnings.append(say("all speakers are bots: scored from the side of {judge_of}", judge_of=judge))
    if wordy := sum(len(turn.text.split()) > MAX_WORDS for turn in turns if len(turn.text) > MAX_WORDS):
        warnings.append(
            say(
                "{messages} with more than {most_words} words: only the beginning was read",
                messages=say_count(wordy, "{n} message", "{n} messages"),
                most_words=MAX_WORDS,
            )
        )
    if dialogue.kind is Kind.UNKNOWN:
        warnings.append(say("the log does not say who is a bot: scored from the side of {judge_of}", judge_of=judge))
    language = guess_language([turn.text for turn in turns[:50]])
    if language in FOREIGN:
        warnings.append(say("this looks like {foreign}: the model was trained on English", foreign=FOREIGN[language]))
    return tuple(warnings)
