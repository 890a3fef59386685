"""The two stages as one classifier, for the exams of intents: the general intents come before the trained topics."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.assistant.company import Company, Options
from vivavoce.assistant.language import detect_language
from vivavoce.assistant.talk import LANGUAGES, Stage
from vivavoce.assistant.understanding import Understander
from vivavoce.errors import UsageError
from vivavoce.plugins import Declaration, Reach, declare
from vivavoce.records import NO_GUESS, Dataset, Guess
from vivavoce.text.words import guess_language


class AssistantClassifier:
    """Learns a company's FAQ; a message that a general intent takes is none of its topics."""

    name = "assistant"
    parallel = True

    def __init__(self, options: Options | None = None) -> None:
        self._options = options or Options()
        self._understander: Understander | None = None
        self._first, self._topics = "en", frozenset[str]()

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Train the FAQ on these examples alone, in their usual language."""
        usual = guess_language(texts)
        self._first = usual if usual in LANGUAGES else "en"
        self._topics = frozenset(intents)
        faq = {self._first: Dataset.of(texts, intents, out_of_scope=None)}
        self._understander = Understander(Company("exam", (self._first,), faq, options=self._options))

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        """Return what decides on each text: no guess where a general intent takes it that is no examined topic.

        Below the threshold it is the best guess of the FAQ with its confidence.
        """
        if self._understander is None:
            raise UsageError("the classifier is not trained", remedy="call fit first")
        return [self._guess(self._understander, text) for text in texts]

    def _guess(self, understander: Understander, text: str) -> Guess:
        understood = understander.understand(text, detect_language(text, talk=self._first))
        if understood.stage is Stage.GENERAL and understood.intent not in self._topics:
            return NO_GUESS
        if understood.stage is not Stage.NONE:
            return Guess(understood.intent, understood.confidence or 0.0)
        return understood.faq[0] if understood.faq else NO_GUESS


@declare(Declaration(Reach.PROCESS))
def from_option(option: str = "") -> AssistantClassifier:
    """Two stages: the assistant's general intents, then the topics; the option names an assistant."""
    if not option:
        return AssistantClassifier()
    from vivavoce.assistant.finding import load_assistant

    return AssistantClassifier(load_assistant(option).company.options)
