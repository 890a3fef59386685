"""Two stages: the general intents of a language, then the company's FAQ; the first sure one decides.

Both use the default classifier on the same sentence vectors, so a message is encoded once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from vivavoce.assistant.company import Company, Options
from vivavoce.assistant.material import general_examples
from vivavoce.assistant.talk import LANGUAGES, Stage
from vivavoce.kept import Kept
from vivavoce.records import Dataset, Guess

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vivavoce.classifiers.bayes import TextCounts
    from vivavoce.classifiers.lexical import LexicalClassifier
    from vivavoce.classifiers.linear import LinearClassifier
    from vivavoce.text.vectors import Encoder

    # The sentence vector of a message, and its words and letters.
    Encoded = tuple[NDArray[np.float32], TextCounts]

SHOWN = 3
# What the general intents learn beside their own: questions about applying and working, which are for the FAQ.
BACKGROUND = "\0background"
_NO_LETTERS = re.compile(r"[\W_]+")


class Understanding(NamedTuple):
    """What a message means: which stage was sure of what, and the three best guesses of the stages asked."""

    stage: Stage = Stage.NONE
    intent: str | None = None
    confidence: float | None = None
    general: tuple[Guess, ...] = ()
    faq: tuple[Guess, ...] = ()


NOT_UNDERSTOOD = Understanding()


@dataclass(frozen=True, eq=False)
class StageModel:
    """A trained stage: its classifier, and its examples as phrases that need none."""

    classifier: LinearClassifier | LexicalClassifier
    phrases: Mapping[str, str]

    def guess(self, text: str, encode: Callable[[], Encoded | None]) -> tuple[Guess, ...]:
        """Return the three best guesses; a message that is an example itself is sure."""
        from vivavoce.classifiers.lexical import LexicalClassifier

        known = self.phrases.get(bare(text))
        if known is not None:
            return (Guess(known, 1.0),)
        if not isinstance(self.classifier, LexicalClassifier) and (encoded := encode()):
            chances = self.classifier.weigh([text], *encoded)
        else:
            chances = self.classifier.probabilities([text])
        row = chances.rows[0]
        ranked = (Guess(chances.intents[place], float(row[place])) for place in row.argsort()[::-1][: SHOWN + 1])
        return tuple(guess for guess in ranked if guess.intent != BACKGROUND)[:SHOWN]


_MODELS: Kept[StageModel] = Kept(64)


def train_stage(language: str, data: Dataset, background: Sequence[str] = ()) -> StageModel:
    """Train a stage on examples of one language; what was trained on the same examples before is used again.

    `background`: messages that belong to none of its intents, in any language.
    """
    return _MODELS.get(_key(language, data, background), lambda: _train(language, data, background))


def _key(language: str, data: Dataset, background: Sequence[str]) -> tuple[str, str, int]:
    return language, data.hash, hash(tuple(background))


def _train(language: str, data: Dataset, background: Sequence[str]) -> StageModel:
    from vivavoce.text.languages.mixed import Reading, can_read, name_encoder

    pairs = [(each.text, each.intent) for each in data if each.intent is not None]
    classifier: LinearClassifier | LexicalClassifier
    if can_read(language):
        from vivavoce.classifiers.linear import LinearClassifier

        reading = Reading(language, mixed=bool(background))
        classifier = LinearClassifier(encoder=name_encoder(language), reading=reading)
    else:
        from vivavoce.classifiers.lexical import LexicalClassifier

        classifier = LexicalClassifier(language=language, name="linear")
    elsewhere = [(text, BACKGROUND) for text in background]
    classifier.fit(*zip(*pairs, *elsewhere, strict=True))
    phrases: dict[str, str] = {}
    doubtful = set()
    for text, intent in pairs:
        if phrases.setdefault(bare(text), intent) != intent:
            doubtful.add(bare(text))
    return StageModel(classifier, {phrase: intent for phrase, intent in phrases.items() if phrase not in doubtful})


@lru_cache(maxsize=8)
def background(language: str) -> tuple[str, ...]:
    """Return shipped questions of applicants, in the language where there are some, else in English."""
    from vivavoce import demo

    name = f"recruiting-{language}"
    return tuple(each.text for each in demo.load(name if name in demo.shipped() else "recruiting-en") if each.intent)


def bare(text: str) -> str:
    """Return a message without case and signs: what makes two messages the same phrase. Signs alone stay (👍)."""
    return _NO_LETTERS.sub(" ", text.casefold()).strip() or text.strip()


@lru_cache(maxsize=1024)
def encode(language: str, text: str) -> Encoded | None:
    """Return what classifiers read of a message; None where there are no sentence vectors for its language."""
    from vivavoce.classifiers.bayes import count_one

    encoder = _load_encoder(language)
    return (encoder.encode([text]), count_one(text)) if encoder else None


@lru_cache(maxsize=8)
def _load_encoder(language: str) -> Encoder | None:
    from vivavoce.text.languages.mixed import can_read, name_encoder
    from vivavoce.text.vectors import load_encoder

    return load_encoder(name_encoder(language)) if can_read(language) else None


class Understander:
    """Asks the stages in their order. A language without a FAQ of its own is asked that of the first language."""

    def __init__(self, company: Company, general: Mapping[str, Dataset] | None = None) -> None:
        self.options: Options = company.options
        self.general = general or {}
        self._faq = {language: data for language, data in company.faq.items() if any(data.intents)}
        self._first = next((code for code in company.languages if code in self._faq), next(iter(self._faq), ""))

    def prepare(self, languages: Sequence[str] = LANGUAGES) -> None:
        """Train what is not trained yet, so that no visitor waits for it."""
        for language in languages:
            self.model(Stage.GENERAL, language)
            self.model(Stage.FAQ, language)

    def is_trained(self, languages: Sequence[str]) -> bool:
        """Tell whether no message in these languages has to wait for training."""
        lessons = (self._lesson(stage, language) for stage in self.options.order for language in languages)
        return all(lesson is None or _MODELS.peek(_key(*lesson)) is not None for lesson in lessons)

    def model(self, stage: Stage, language: str) -> StageModel | None:
        """Return the trained model of a stage; None for a company without a FAQ."""
        lesson = self._lesson(stage, language)
        return None if lesson is None else train_stage(*lesson)

    def _lesson(self, stage: Stage, language: str) -> tuple[str, Dataset, Sequence[str]] | None:
        """Return what a stage is trained on: language, examples, background."""
        if stage is Stage.GENERAL:
            return language, self.general.get(language) or general_examples(language), background(language)
        own = language if language in self._faq else self._first
        return (own, self._faq[own], ()) if own else None

    def understand(self, text: str, language: str) -> Understanding:
        """Return what a message means."""
        guesses: dict[Stage, tuple[Guess, ...]] = {Stage.GENERAL: (), Stage.FAQ: ()}
        decided = NOT_UNDERSTOOD
        for stage in self.options.order:
            model = self.model(stage, language)
            if model is None:
                continue
            guesses[stage] = model.guess(text, lambda: encode(language, text))
            best = guesses[stage][0]
            if best.confidence >= self.threshold(stage):
                decided = Understanding(stage, best.intent, best.confidence)
                break
        return decided._replace(general=guesses[Stage.GENERAL], faq=guesses[Stage.FAQ])

    def is_phrase(self, text: str, language: str) -> bool:
        """Tell whether a message is an example of a stage, word for word."""
        models = (self.model(stage, language) for stage in self.options.order)
        return any(model is not None and bare(text) in model.phrases for model in models)

    def threshold(self, stage: Stage) -> float:
        """Return the confidence from which on a stage is sure."""
        return self.options.general_threshold if stage is Stage.GENERAL else self.options.faq_threshold
