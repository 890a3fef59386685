"""Whether a later intents exam is better than an earlier one: one verdict, for every page that compares two runs.

Each run counts as it was counted: by the topics that it had. So the verdict agrees with the numbers of both runs, and
topics that were merged show the gain that their merge brought. How much of it the bot would have had right before, by
the topics of the later run, is told beside it (`judge_by_later_topics`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from vivavoce.errors import DataError
from vivavoce.jobs.exams.documents import dataset_from_bytes
from vivavoce.kept import Kept
from vivavoce.records import Example, Rate
from vivavoce.statistics import mcnemar_exact
from vivavoce.store.repositories.results import GOOD
from vivavoce.store.rows import Run
from vivavoce.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Asked:
    """One example that a run tested: its topic then, and its most frequent outcome over all retries.

    `guess` is the most frequent one with that outcome. `example_id` is None in runs that kept no ids. `place`: where
    the run lists it.
    """

    example_id: str | None
    text: str
    topic: str | None
    guess: str | None
    outcome: str
    place: int = -1

    @property
    def right(self) -> bool:
        """Whether it was answered with the right topic or, where no topic fits, rightly left unanswered."""
        return self.outcome in GOOD


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a run asked, and all examples it was made of; no examples where the material cannot be read."""

    asked: tuple[Asked, ...]
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """The same example in two runs."""

    before: Asked
    after: Asked

    @property
    def example_id(self) -> str | None:
        """The example's id, where one of the runs kept it."""
        return self.after.example_id or self.before.example_id


@dataclass(frozen=True, slots=True)
class Question:
    """A message that both runs asked, with every example that has this text.

    Examples with the same text under several topics are one question, since the bot gives one answer to all of
    them. It is right where at least half of them are.
    """

    text: str
    pairs: tuple[Pair, ...]

    @property
    def right_before(self) -> bool:
        """Whether the earlier run had it right."""
        return is_mostly(pair.before.right for pair in self.pairs)

    @property
    def right_after(self) -> bool:
        """Whether the later run had it right."""
        return is_mostly(pair.after.right for pair in self.pairs)


@dataclass(frozen=True, slots=True)
class Shared:
    """The questions of two runs. `only_before`, `only_after`: examples that one run alone tested.

    `reworded`: examples that both tested, but with another text, which is another question.
    """

    questions: tuple[Question, ...]
    only_before: int
    only_after: int
    reworded: int


_SHEETS: Kept[Sheet] = Kept(8)
_SHARED: Kept[Shared] = Kept(12)


def shared_questions(tx: Transaction, a: Run, b: Run) -> Shared:
    """Return the questions that two finished runs share; `a` is the earlier one."""
    # Both are over, so what they say of the same questions never changes.
    key = (a.id, a.version, b.id, b.version)
    return _SHARED.get(key, lambda: match_asked(read_sheet(tx, a).asked, read_sheet(tx, b).asked))


def read_sheet(tx: Transaction, run: Run) -> Sheet:
    """Return what a finished run asked."""

    def read() -> Sheet:
        try:
            examples = dataset_from_bytes(tx.runs.material(run.id)).examples
        except DataError:
            examples = ()
        asked = []
        for row in tx.outcomes.of_run(run.id):
            # The place of an outcome is that of its example in the material of the run.
            example = examples[row.place] if row.place < len(examples) else None
            example_id = example.id if example is not None and example.text == row.text else None
            # Earlier versions kept the most frequent guess of all tests, which can be right beside a wrong answer.
            guess = None if row.outcome == "wrong_intent" and row.guess == row.intent else row.guess
            asked.append(Asked(example_id, row.text, row.intent, guess, row.outcome, row.place))
        return Sheet(tuple(asked), examples)

    return _SHEETS.get((run.id, run.version), read)


def match_asked(before: Sequence[Asked], after: Sequence[Asked]) -> Shared:
    """Pair the examples of two runs: by id, then by text and topic, then by text where no other example has it.

    Ids follow an example through merge, move, split and rename. Texts serve runs that kept no ids, and examples that
    were deleted and added again.
    """
    by_id, before, after = _match_by(before, after, lambda asked: asked.example_id)
    by_topic, before, after = _match_by(before, after, lambda asked: (asked.text, asked.topic))
    by_text, before, after = _match_by(before, after, lambda asked: asked.text)
    same_text = [pair for pair in by_id if pair.before.text == pair.after.text]
    questions: dict[str, list[Pair]] = {}
    for pair in (*same_text, *by_topic, *by_text):
        questions.setdefault(pair.after.text, []).append(pair)
    return Shared(
        tuple(Question(text, tuple(pairs)) for text, pairs in questions.items()),
        len(before),
        len(after),
        len(by_id) - len(same_text),
    )


def is_mostly(answers: Iterable[bool]) -> bool:
    """Tell whether at least half are true."""
    listed = list(answers)
    return 2 * sum(listed) >= len(listed)


def same_examples(a: Sheet, b: Sheet) -> bool:
    """Tell whether two runs examined the same examples; one of them may have kept no ids."""
    if not a.examples or len(a.examples) != len(b.examples):
        return False
    pairs = zip(a.examples, b.examples, strict=True)
    return all(replace(example, id=None) == replace(other, id=None) for example, other in pairs)


def _match_by(
    before: Sequence[Asked], after: Sequence[Asked], key: Callable[[Asked], Hashable | None]
) -> tuple[list[Pair], list[Asked], list[Asked]]:
    """Pair what has the same key, where nothing else on its side has it; return the pairs and what is left."""
    old: dict[Hashable, list[Asked]] = {}
    new: dict[Hashable, list[Asked]] = {}
    for side, by_key in ((before, old), (after, new)):
        for asked in side:
            if (name := key(asked)) is not None:
                by_key.setdefault(name, []).append(asked)
    pairs = [Pair(own[0], new[name][0]) for name, own in old.items() if len(own) == len(new.get(name, ())) == 1]
    paired = {id(asked) for pair in pairs for asked in (pair.before, pair.after)}
    old_left, new_left = ([asked for asked in side if id(asked) not in paired] for side in (before, after))
    return pairs, old_left, new_left


Verdict = Literal["better", "worse", "same", "unknown"]
NO_RATE = Rate(None, None, None, 0)
SIGNIFICANT = 0.05
# Of a normal distribution, 95 of 100 lie within so many standard errors.
WIDTH = 1.959964
ANSWERED = ("right", "wrong_intent", "overreach")


@dataclass(frozen=True, slots=True)
class QuestionVerdict:
    """Two runs question by question, on the questions that both asked.

    `improved` became right, `broken` no longer are; `p` is that of the exact McNemar test on the two. `difference`
    is the change in the share of right questions. `unknown`: the runs share no question.
    """

    shared: int
    right_before: int
    right_after: int
    improved: int
    broken: int
    p: float
    difference: Rate
    verdict: Verdict


def verdict_between(tx: Transaction, a: Run, b: Run) -> QuestionVerdict:
    """Return the verdict on two finished runs, `a` being the earlier one; each is judged as it was counted."""

    def judge() -> QuestionVerdict:
        questions = shared_questions(tx, a, b).questions
        return judge_changes((question.right_before, question.right_after) for question in questions)

    return _VERDICTS.get((a.id, a.version, b.id, b.version), judge)


_VERDICTS: Kept[QuestionVerdict] = Kept(64)


def main_scope(run: Run) -> str:
    """Return the setting that the questions of a run come from: its first."""
    k, p = (run.options.get("settings") or [[0, 0.0]])[0]
    return f"{int(k)},{repr(float(p)).removesuffix('.0')}"


def judge_changes(changes: Iterable[tuple[bool, bool]]) -> QuestionVerdict:
    """Return the verdict on questions, each with whether it was right before and whether it is after."""
    counts = Counter(changes)
    improved, broken, shared = counts[False, True], counts[True, False], counts.total()
    p = mcnemar_exact(improved, broken)
    verdict: Verdict = "same" if p >= SIGNIFICANT else "better" if improved > broken else "worse"
    return QuestionVerdict(
        shared,
        counts[True, True] + broken,
        counts[True, True] + improved,
        improved,
        broken,
        p,
        difference_of_questions(improved, broken, shared, clear=p < SIGNIFICANT),
        verdict if shared else "unknown",
    )


def difference_of_questions(improved: int, broken: int, shared: int, *, clear: bool) -> Rate:
    """Return the change in the share of right questions, with its interval (Bonett and Price, 2012).

    One is added to each kind of change, so that few changes, or none, have a real interval too. The verdict comes
    from the exact test: where the two disagree by a hair, the interval ends at 0.
    """
    if not shared:
        return NO_RATE
    gap, n = (improved - broken) / shared, shared + 2
    up, down = (improved + 1) / n, (broken + 1) / n
    half = WIDTH * math.sqrt((up + down - (up - down) ** 2) / n)
    low, high = max(-1.0, up - down - half), min(1.0, up - down + half)
    if not clear:
        low, high = min(low, 0.0), max(high, 0.0)
    return Rate(gap, low, high, shared)


def judge_by_later_topics(before: Sheet, after: Sheet, questions: Iterable[Question]) -> QuestionVerdict:
    """Return the verdict with the topics of the later run in both: what became right by filing alone is left out.

    A guess of the earlier run counts as the topic that its topic became since, by merge or rename.
    """
    became = follow_topics(before, after)

    def follow(topic: str | None) -> str | None:
        return None if topic is None else became.get(topic, topic)

    def would_be_right(asked: Asked, topic: str | None) -> bool:
        # Whether what the earlier run made of an example is right by the topic that the example has now.
        if asked.right and follow(asked.topic) == topic:
            return True
        if asked.outcome not in ANSWERED:
            return topic is None
        return topic is not None and follow(asked.guess) == topic

    return judge_changes(
        (is_mostly(would_be_right(pair.before, pair.after.topic) for pair in question.pairs), question.right_after)
        for question in questions
    )


def follow_topics(before: Sheet, after: Sheet) -> dict[str, str | None]:
    """Return what became of each topic of the earlier run: where most of its examples are filed in the later one.

    A topic of which no example is left is not in it.
    """
    by_id = {example.id: example.intent for example in after.examples if example.id}
    by_text = {example.text: example.intent for example in after.examples}
    places: dict[str, Counter[str | None]] = {}
    for example in before.examples:
        known, key = (by_id, example.id) if example.id and by_id else (by_text, example.text)
        if example.intent is not None and key in known:
            places.setdefault(example.intent, Counter())[known[key]] += 1
    return {topic: counts.most_common(1)[0][0] for topic, counts in places.items()}
