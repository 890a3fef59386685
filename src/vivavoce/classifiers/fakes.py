"""Classifiers that need no model: baselines to beat, and the ones that fail, dawdle or echo on purpose.

They follow the protocol in full, work offline and give the same answers everywhere, so a set-up can be tried
out before a real classifier costs money.
"""

from __future__ import annotations

import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from vivavoce.classifiers.protocol import Classifier, Probabilities
from vivavoce.errors import ClassifierError
from vivavoce.records import NO_GUESS, Guess

_WORD = re.compile(r"\w+")


class NullClassifier:
    """Never guesses: what an exam says about a bot that answers nothing."""

    name = "null"
    parallel = True

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Learn nothing."""

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        """Return no guess for each text."""
        return [NO_GUESS for _ in texts]


class MajorityClassifier:
    """Always says the most frequent topic (ties: the smallest), as sure as the topic is frequent."""

    name = "majority"
    parallel = True

    def __init__(self) -> None:
        self._shares: dict[str, float] = {}

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Count the topics."""
        counts = Counter(intents)
        self._shares = {intent: counts[intent] / len(intents) for intent in sorted(counts)}

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        """Return the same topic for each text; no guess without training."""
        return self.probabilities(texts).guesses() if self._shares else [NO_GUESS for _ in texts]

    def probabilities(self, texts: Sequence[str]) -> Probabilities:
        """Return the share of each topic in the training, whatever the text."""
        row = np.array(list(self._shares.values()), dtype=np.float64)
        return Probabilities(tuple(self._shares), np.tile(row, (len(texts), 1)))


class EchoClassifier:
    """Answers each text from a table given beforehand, trained or not; no guess for other texts.

    The table may hold whole guesses, or topics alone (confidence 1), or None (no guess).
    """

    name = "echo"

    def __init__(self, answers: Mapping[str, Guess | str | None]) -> None:
        self._answers = {
            text: NO_GUESS if answer is None else answer if isinstance(answer, Guess) else Guess(answer, 1.0)
            for text, answer in answers.items()
        }

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Learn nothing."""

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        """Return what the table says."""
        return [self._answers.get(text, NO_GUESS) for text in texts]


class _Wrapper:
    """Does as another classifier does; its name shows what is different."""

    prefix = ""

    def __init__(self, inner: Classifier) -> None:
        self._inner = inner
        self.name = f"{self.prefix}({inner.name})"

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Train the classifier inside."""
        self._inner.fit(texts, intents)

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        """Ask the classifier inside."""
        return self._inner.guess(texts)


class FailingClassifier(_Wrapper):
    """Does as another classifier does and fails on purpose.

    `fail_at` is the number of the training that fails (7: the seventh; later ones work again), or a
    condition on a text: each `guess` with such a text fails.
    """

    prefix = "failing"

    def __init__(self, inner: Classifier, fail_at: int | Callable[[str], bool] = 7) -> None:
        super().__init__(inner)
        self._fail_at = fail_at
        self._fits = 0

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Train the classifier inside, unless it is the turn to fail."""
        self._fits += 1
        if self._fits == self._fail_at:
            raise ClassifierError(f"simulated failure in training {self._fits}")
        super().fit(texts, intents)

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        """Ask the classifier inside, unless a text is one to fail at."""
        if callable(self._fail_at):
            for text in filter(self._fail_at, texts):
                raise ClassifierError(f"simulated failure for '{text}'")
        return super().guess(texts)


class SlowClassifier(_Wrapper):
    """Does as another classifier does, some seconds later: each training and each batch of guesses waits."""

    prefix = "slow"

    def __init__(self, inner: Classifier, seconds: float) -> None:
        super().__init__(inner)
        self._seconds = seconds

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Wait, then train."""
        time.sleep(self._seconds)
        super().fit(texts, intents)

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        """Wait, then ask."""
        time.sleep(self._seconds)
        return super().guess(texts)


class JaccardClassifier:
    r"""Says the topic of the training text that shares most words, counted exactly.

    The score is the Jaccard index of the sets of lower-cased `\w+` words (common words / all words). Ties go
    to the smallest topic; a text that shares no word with any training text gets no guess.
    """

    name = "jaccard"
    parallel = True

    def __init__(self) -> None:
        self._examples: list[tuple[int, str]] = []
        self._holders: dict[str, list[int]] = {}

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Keep the words of each training text."""
        sets = [_find_words(text) for text in texts]
        self._examples = [(len(words), intent) for words, intent in zip(sets, intents, strict=True)]
        holders: defaultdict[str, list[int]] = defaultdict(list)
        for position, words in enumerate(sets):
            for word in words:
                holders[word].append(position)
        self._holders = dict(holders)

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        """Return the topic of the most alike training text; the index is the confidence."""
        return [self._guess(_find_words(text)) for text in texts]

    def _guess(self, words: frozenset[str]) -> Guess:
        # Only texts that share a word can win, so the others are never looked at.
        shared: Counter[int] = Counter()
        for word in words:
            shared.update(self._holders.get(word, ()))
        score, best = 0.0, ""
        for position, common in shared.items():
            size, intent = self._examples[position]
            index = common / (size + len(words) - common)
            if index > score or (index == score and intent < best):
                score, best = index, intent
        return Guess(best, score) if shared else NO_GUESS


class NearestExample:
    """Says the topic of the training text with the nearest spelling (rapidfuzz ratio of lower-cased texts).

    Bears typing errors, knows nothing of meaning. Ties go to the smallest topic; no likeness, no guess.
    """

    name = "nearest"
    parallel = True

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._intents: list[str] = []

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Keep the training texts."""
        self._texts = [text.lower() for text in texts]
        self._intents = list(intents)

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        """Return the topic of the nearest training text; the likeness (0 to 1) is the confidence."""
        return [self._guess(text.lower()) for text in texts]

    def _guess(self, text: str) -> Guess:
        from rapidfuzz import fuzz

        best = NO_GUESS
        for known, intent in zip(self._texts, self._intents, strict=True):
            # Everything under the best so far comes back as 0 at once; equals still count, for the ties.
            likeness = fuzz.ratio(text, known, score_cutoff=100 * best.confidence) / 100
            is_tie = likeness == best.confidence and intent < (best.intent or "")
            if likeness > best.confidence or (likeness > 0 and is_tie):
                best = Guess(intent, likeness)
        return best


def _find_words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))
