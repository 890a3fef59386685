"""The questions that two intents exams share, whatever became of their topics in between."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

from vivavoce.errors import DataError
from vivavoce.jobs.exams.documents import dataset_from_bytes
from vivavoce.kept import Kept
from vivavoce.records import Example
from vivavoce.store.repositories.results import GOOD
from vivavoce.store.rows import OutcomeRow, Run
from vivavoce.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Asked:
    """One example that a run tested: its topic then, and its most frequent outcome over all retries.

    `guess` is the most frequent one with that outcome. `example_id` is None in runs that kept no ids.
    """

    example_id: str | None
    text: str
    topic: str | None
    guess: str | None
    outcome: str

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
    return _SHEETS.get((run.id, run.version), lambda: _sheet(tx, run))


def match_asked(before: Sequence[Asked], after: Sequence[Asked]) -> Shared:
    """Pair the examples of two runs: by id, then by text and topic, then by text where no other example has it.

    Ids follow an example through merge, move, split and rename. Texts serve runs that kept no ids, and examples that
    were deleted and added again.
    """
    by_id, before, after = _matched(before, after, lambda asked: asked.example_id)
    by_topic, before, after = _matched(before, after, lambda asked: (asked.text, asked.topic))
    by_text, before, after = _matched(before, after, lambda asked: asked.text)
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
    counted = list(answers)
    return 2 * sum(counted) >= len(counted)


def same_examples(a: Sheet, b: Sheet) -> bool:
    """Tell whether two runs examined the same examples; one of them may have kept no ids."""
    if not a.examples or len(a.examples) != len(b.examples):
        return False
    pairs = zip(a.examples, b.examples, strict=True)
    return all(replace(one, id=None) == replace(other, id=None) for one, other in pairs)


# --- the work ----------------------------------------------------------------------------------------------------


def _sheet(tx: Transaction, run: Run) -> Sheet:
    try:
        examples = dataset_from_bytes(tx.runs.material(run.id)).examples
    except DataError:
        examples = ()
    return Sheet(tuple(_asked(row, examples) for row in tx.outcomes.of_run(run.id)), examples)


def _asked(row: OutcomeRow, examples: Sequence[Example]) -> Asked:
    # The place of an outcome is that of its example in the material of the run.
    example = examples[row.place] if row.place < len(examples) else None
    known = example is not None and example.text == row.text
    # Earlier versions kept the most frequent guess of all tests: it can be the right one beside a wrong answer.
    guess = None if row.outcome == "wrong_intent" and row.guess == row.intent else row.guess
    return Asked(example.id if example and known else None, row.text, row.intent, guess, row.outcome)


def _matched(
    before: Sequence[Asked], after: Sequence[Asked], key: Callable[[Asked], Hashable | None]
) -> tuple[list[Pair], list[Asked], list[Asked]]:
    """Pair what has the same key, where nothing else on its side has it; return the pairs and what is left."""
    old, new = _by_key(before, key), _by_key(after, key)
    pairs = [Pair(own[0], new[name][0]) for name, own in old.items() if len(own) == len(new.get(name, ())) == 1]
    paired = {id(asked) for pair in pairs for asked in (pair.before, pair.after)}
    old_left, new_left = ([asked for asked in side if id(asked) not in paired] for side in (before, after))
    return pairs, old_left, new_left


def _by_key(asked: Sequence[Asked], key: Callable[[Asked], Hashable | None]) -> dict[Hashable, list[Asked]]:
    found: dict[Hashable, list[Asked]] = {}
    for one in asked:
        name = key(one)
        if name is not None:
            found.setdefault(name, []).append(one)
    return found
