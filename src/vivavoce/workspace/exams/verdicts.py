"""Whether a later intents exam is better than an earlier one: one verdict, for every page that compares two runs.

Each run counts as it was counted: by the topics that it had. So the verdict agrees with the numbers of both runs, and
topics that were merged show the gain that their merge brought. How much of it the bot would have had right before, by
the topics of the later run, is told beside it (`judge_by_later_topics`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from vivavoce.kept import Kept
from vivavoce.records import Rate
from vivavoce.statistics import mcnemar_exact
from vivavoce.store.rows import Run
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.exams.matching import Asked, Question, Sheet, is_mostly, shared_questions

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
    return _VERDICTS.get((a.id, a.version, b.id, b.version), lambda: _judged(tx, a, b))


_VERDICTS: Kept[QuestionVerdict] = Kept(64)


def _judged(tx: Transaction, a: Run, b: Run) -> QuestionVerdict:
    questions = shared_questions(tx, a, b).questions
    return judge_changes((question.right_before, question.right_after) for question in questions)


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


# --- both runs by the topics of the later one --------------------------------------------------------------------


def judge_by_later_topics(before: Sheet, after: Sheet, questions: Iterable[Question]) -> QuestionVerdict:
    """Return the verdict with the topics of the later run in both: what became right by filing alone is left out.

    A guess of the earlier run counts as the topic that its topic became since, by merge or rename.
    """
    became = follow_topics(before, after)
    return judge_changes((_right_today(question, became), question.right_after) for question in questions)


def follow_topics(before: Sheet, after: Sheet) -> dict[str, str | None]:
    """Return what became of each topic of the earlier run: where most of its examples are filed in the later one.

    A topic of which no example is left is not in it.
    """
    by_id = {one.id: one.intent for one in after.examples if one.id}
    by_text = {one.text: one.intent for one in after.examples}
    places: dict[str, Counter[str | None]] = {}
    for example in before.examples:
        known, key = (by_id, example.id) if example.id and by_id else (by_text, example.text)
        if example.intent is not None and key in known:
            places.setdefault(example.intent, Counter())[known[key]] += 1
    return {topic: counts.most_common(1)[0][0] for topic, counts in places.items()}


def _right_today(question: Question, became: Mapping[str, str | None]) -> bool:
    return is_mostly(_would_be_right(pair.before, pair.after.topic, became) for pair in question.pairs)


def _would_be_right(asked: Asked, topic: str | None, became: Mapping[str, str | None]) -> bool:
    """Tell whether what the earlier run made of an example is right by the topic that the example has now."""
    if asked.right and _now(asked.topic, became) == topic:
        return True
    if asked.outcome not in ANSWERED:
        return topic is None
    return topic is not None and _now(asked.guess, became) == topic


def _now(topic: str | None, became: Mapping[str, str | None]) -> str | None:
    return None if topic is None else became.get(topic, topic)
