"""Each expected topic against the rest: how often it was asked, found and wrongly used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from vivavoce.conversations.findings.columns import Columns, Floats, Ints, quotients
from vivavoce.conversations.result import Line, TopicRow
from vivavoce.outcomes import TurnOutcome, f1_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# What is counted of a topic: asked, used and, of both, found.
ASKED, USED, FOUND = range(3)
KINDS = 3
SHOWN = 5


def truth_of(line: Line) -> str | None:
    """Return the topic that a turn in scope asked for; of several right ones, the one that was found or the first."""
    if not line.verdict.in_scope or not line.expected:
        return None
    return line.verdict.intent if line.verdict.intent in line.expected else line.expected[0]


def used_topic(line: Line) -> str | None:
    """Return the topic that the bot answered with, None where it did not answer or does not tell.

    A bot that names no topic but gave the expected reply has found the topic.
    """
    verdict = line.verdict
    if verdict.outcome is TurnOutcome.RIGHT:
        return truth_of(line)
    answers = (TurnOutcome.WRONG_REPLY, TurnOutcome.WRONG_INTENT, TurnOutcome.OVERREACH)
    return verdict.intent if verdict.outcome in answers else None


def count_topics(columns: Columns) -> csr_array:
    """Count how often each expected topic was asked, used and found with each bot on each script: a column each."""
    from scipy.sparse import csr_array

    rows = [(index, columns.lines[index]) for index in np.flatnonzero(columns.counted).tolist()]
    pairs = [(index, truth_of(line), used_topic(line)) for index, line in rows]
    topics = tuple(sorted({truth for _, truth, _ in pairs if truth is not None}))
    place = {topic: KINDS * number for number, topic in enumerate(topics)}
    cells = [(i, place[truth] + ASKED) for i, truth, _ in pairs if truth is not None]
    cells += [(i, place[used] + USED) for i, _, used in pairs if used in place]
    cells += [(i, place[truth] + FOUND) for i, truth, used in pairs if truth is not None and truth == used]
    where: Ints = np.array(cells, dtype=np.int64).reshape(-1, 2)
    # Indices are sorted by topic, not by unit: the sparse table sums what falls on one place.
    units = columns.unit[where[:, 0]]
    shape = (columns.units, KINDS * len(topics))
    return csr_array((np.ones(len(where)), (units, where[:, 1])), shape=shape)


def macro_f1(sums: Floats) -> Floats:
    """Return the mean F1 over the topics asked at least once, for rows of counts; NaN where none was.

    F1 of a topic is 2 found / (asked + used): 0 for one that was asked and never found.
    """
    counts = sums.reshape(len(sums), -1, KINDS)
    asked = counts[..., ASKED] > 0
    return quotients(_topic_f1(counts).sum(axis=1), asked.sum(axis=1).astype(np.float64))


def macro_f1_without(table: csr_array) -> Floats:
    """Return the mean F1 without each row of a table of counts in turn; NaN where nothing asked would be left.

    A row changes the few topics that it counts, so only those are computed anew.
    """
    total = np.asarray(table.sum(axis=0), dtype=np.float64).reshape(-1, KINDS)
    filled = table.tocoo()
    places = filled.row.astype(np.int64) * len(total) + filled.col // KINDS
    cells, place = np.unique(places, return_inverse=True)
    counts = np.zeros((len(cells), KINDS))
    np.add.at(counts, (place.ravel(), filled.col % KINDS), filled.data)
    rows, topics = cells // max(1, len(total)), cells % max(1, len(total))
    before, after = _topic_f1(total), _topic_f1(total[topics] - counts)
    asked = total[:, ASKED] > 0
    gone = asked[topics] & (total[topics, ASKED] == counts[:, ASKED])
    moved, lost = (np.bincount(rows, weights, table.shape[0]) for weights in (after - before[topics], gone))
    return quotients(before.sum() + moved, asked.sum() - lost)


def _topic_f1(counts: Floats) -> Floats:
    size = np.maximum(counts[..., ASKED] + counts[..., USED], 1)
    return np.asarray(np.where(counts[..., ASKED] > 0, 2 * counts[..., FOUND] / size, 0.0))


def topic_rows(columns: Columns) -> tuple[TopicRow, ...]:
    """Return a row for each topic of each bot, most asked first; the last row is out of scope."""
    rows: list[TopicRow] = []
    for place, bot in enumerate(columns.bots):
        counted = np.flatnonzero(columns.counted & (columns.bot == place)).tolist()
        lines = [columns.lines[index] for index in counted]
        pairs = [(truth_of(line), used_topic(line)) for line in lines]
        mixed = Counter(pair for pair in pairs if pair[0] is not None)
        asked = Counter(truth for truth, _ in pairs if truth is not None)
        answers = Counter(used for _, used in pairs)
        for topic, n in sorted(asked.items(), key=lambda item: (-item[1], item[0])):
            others = {used: k for (truth, used), k in mixed.items() if truth == topic and used and used != topic}
            rows.append(_row(bot, topic, (n, answers[topic], mixed[topic, topic]), others))
        # Questions that no topic fits: found means declined, used means any fallback.
        outside = [line for line in lines if not line.verdict.in_scope]
        if outside:
            outcomes = Counter(line.verdict.outcome for line in lines)
            declined, missed = outcomes[TurnOutcome.DECLINED], outcomes[TurnOutcome.MISSED]
            wrong = Counter(used for line in outside if (used := used_topic(line)) is not None)
            rows.append(_row(bot, None, (len(outside), declined + missed, declined), wrong))
    return tuple(rows)


def _row(bot: str, intent: str | None, counts: tuple[int, int, int], others: Mapping[str, int]) -> TopicRow:
    n, used, right = counts
    precision, recall = (right / used if used else None), (right / n if n else None)
    confused = sorted(others.items(), key=lambda item: (-item[1], item[0]))[:SHOWN]
    return TopicRow(bot, intent, n, precision, recall, f1_of(precision, recall), tuple(confused))
