"""Examples of another language: what they are worth to a bot that has few of its own.

The questions tested are those of the bot's own language. A classifier that borrows also trains on the examples of the
other language, of the topics that it is trained on anyway. Its exam is set beside that without the borrowed examples,
and that with nothing else, on the same splits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vivavoce.classifiers.linear import DefaultClassifier
from vivavoce.classifiers.protocol import Classifier, ProbabilisticClassifier, Probabilities
from vivavoce.errors import UsageError
from vivavoce.intents.differences import Examined, differences_of
from vivavoce.intents.findings import find
from vivavoce.intents.material import Material
from vivavoce.intents.record import ExamRecord
from vivavoce.intents.runner import AnyClassifier, is_parallel
from vivavoce.intents.splits import SplitPlan
from vivavoce.languages import Use, name_languages
from vivavoce.messages import say
from vivavoce.records import Dataset, Example, Guess, Rate
from vivavoce.statistics import PairedTest
from vivavoce.text.words import guess_language, guess_text_language


@dataclass(frozen=True, slots=True)
class Borrowed:
    """What borrowed examples bring: accuracy with them minus that of the bot's own examples, on the same questions.

    `alone`: trained on the borrowed examples and nothing else. All at the first setting of the exam.
    """

    language: str
    examples: int
    own_examples: int
    accuracy: Rate
    own_accuracy: Rate
    alone_accuracy: Rate
    gain: PairedTest
    alone_gain: PairedTest

    @property
    def sentence(self) -> str:
        """What the borrowed examples are worth, in words."""
        language = name_languages(Use.PROJECTS).get(self.language, self.language)
        facts = {"language": language, "examples": self.examples, "own": self.own_examples}
        if self.gain.difference is None or self.gain.low is None or self.gain.high is None:
            return say("With {examples:,} borrowed examples ({language}), nothing could be compared.", **facts)
        return say(
            "{examples:,} borrowed examples ({language}) beside {own:,} own ones: accuracy changes by {gain:+.1f} "
            "points ({low:+.1f} to {high:+.1f}). Without own examples it would change by {alone:+.1f} points.",
            gain=100 * self.gain.difference,
            low=100 * self.gain.low,
            high=100 * self.gain.high,
            alone=100 * (self.alone_gain.difference or 0.0),
            **facts,
        )


class BorrowingClassifier:
    """Trains a classifier on borrowed examples too, or with `own` off on nothing else."""

    def __init__(self, classifier: Classifier, borrowed: Sequence[Example], language: str, *, own: bool) -> None:
        self.classifier, self.borrowed, self.own = classifier, borrowed, own
        self.name = f"{classifier.name}+{language}" if own else f"{classifier.name}, {language} alone"
        self.parallel = is_parallel(classifier)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the classifier says of itself."""
        return tuple(getattr(self.classifier, "notes", ()))

    def fit(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Train on these examples and on the borrowed ones of their topics."""
        topics = set(intents)
        lent = [(example.text, example.intent) for example in self.borrowed if example.intent in topics]
        rows = [*lent, *zip(texts, intents, strict=True)] if self.own else lent
        self.classifier.fit([text for text, _ in rows], [str(intent) for _, intent in rows])

    def guess(self, texts: Sequence[str]) -> list[Guess]:
        """Return the best guess for each text."""
        return self.classifier.guess(texts)


class ProbabilisticBorrower(BorrowingClassifier):
    """One whose classifier says how probable every topic is."""

    classifier: ProbabilisticClassifier

    def probabilities(self, texts: Sequence[str]) -> Probabilities:
        """Return the probability of each trained topic for each text."""
        return self.classifier.probabilities(texts)


def borrow(
    classifier: AnyClassifier, borrowed: Sequence[Example], language: str, *, usual: str, own: bool = True
) -> BorrowingClassifier:
    """Return a classifier that trains on borrowed examples beside its own, or on them alone.

    `usual`: the language of the questions.
    """
    if not isinstance(classifier, Classifier):
        what = say("the classifier '{name}' cannot borrow examples", name=classifier.name)
        raise UsageError(what, remedy=say("use a classifier with `fit` and `guess`"))
    if isinstance(classifier, DefaultClassifier):
        # Most examples may be borrowed, or all: they do not say what the questions are written in.
        classifier = classifier.read_mostly(usual)
    kind = ProbabilisticBorrower if isinstance(classifier, ProbabilisticClassifier) else BorrowingClassifier
    return kind(classifier, borrowed, language, own=own)


def divide_by_language(data: Dataset, language: str) -> tuple[Dataset, tuple[Example, ...], str]:
    """Return the examples that are examined, those in `language` that they may borrow, and what most others are in.

    By the column `language` where a row has it, else by the words of the text. Examples of a topic that has none in
    another language cannot be borrowed; no such example at all is an error.
    """
    usual = guess_language(data.texts)
    codes = [(each.language or guess_text_language(each.text, usual)).lower().partition("-")[0] for each in data]
    own = data.select(place for place, code in enumerate(codes) if code != language)
    pairs = zip(data, codes, strict=True)
    borrowed = tuple(example for example, code in pairs if code == language and example.intent in own.sizes)
    if not borrowed:
        counts = ", ".join(f"{code} ({codes.count(code):,} rows)" for code in sorted(set(codes)))
        raise UsageError(
            say("no topic has examples both in '{language}' and in another language", language=language),
            where=data.source,
            remedy=say(
                "languages here: {counts}; if that is wrong, name each row's language in a column `language`",
                counts=counts,
            ),
        )
    return own, borrowed, Counter(code for code in codes if code != language).most_common(1)[0][0]


def measure_borrowing(
    runs: Mapping[str, ExamRecord],
    lender: tuple[str, int],
    material: Material,
    plan: SplitPlan,
    *,
    threshold: float,
) -> Borrowed:
    """Return what borrowed examples bring; `runs`: with them, with own examples only, with the borrowed ones only.

    `lender`: the language and how many examples it gave.
    """
    setting, seed = plan.design.setting, plan.design.seed
    examined = [
        Examined(name, run, {setting: find(run.of(setting), material, plan, threshold=threshold, seed=seed)})
        for name, run in runs.items()
    ]
    both, own, alone = examined
    gain, alone_gain = (
        differences_of(pair, material, threshold=threshold, seed=seed)[0].pooled.test
        for pair in ((both, own), (alone, own))
    )
    accuracy, own_accuracy, alone_accuracy = (each.findings[setting].rates["accuracy"] for each in examined)
    return Borrowed(*lender, len(material), accuracy, own_accuracy, alone_accuracy, gain, alone_gain)
