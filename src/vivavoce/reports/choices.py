"""Which lines of a result are worth showing first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from vivavoce.intents.findings import ConfusionCell, IntentFindings, SettingFindings
from vivavoce.intents.pairs import Pair
from vivavoce.intents.result import IntentsResult, Note
from vivavoce.reports.wording import most_mistaken, work_order

# Under this many tested examples a topic's share is too rough to rank it by.
ENOUGH_TESTED = 10
NOTES_OF_A_KIND = 3


def top_pairs(result: IntentsResult, most: int = 3) -> tuple[Pair, ...]:
    """Return the pairs to work on first: those that overlap most among those that were mistaken, then the others.

    The one with the most wrong answers (or that would cost most messages, where none was given) has the last place
    where it has none. A pair whose two topics both stand in pairs before it tells nothing new and makes room.
    """
    fresh: list[Pair] = []
    for pair in work_order(result):
        seen = {topic for other in fresh for topic in (other.a, other.b)}
        if not {pair.a, pair.b} <= seen:
            fresh.append(pair)
    dearest = most_mistaken(fresh) or max(fresh, key=lambda pair: pair.cost or 0.0, default=None)
    chosen = fresh[:most]
    if dearest is not None and dearest not in chosen and not dearest.only_alike:
        chosen[-1] = dearest
    return tuple(chosen)


def harmless_pairs(result: IntentsResult) -> tuple[Pair, ...]:
    """Return the pairs whose topics give the same answer."""
    return tuple(pair for pair in result.pairs if pair.same_answer and pair.enough)


def unclear_pairs(result: IntentsResult) -> tuple[Pair, ...]:
    """Return the pairs with too few examples to tell."""
    worked_on = work_order(result)
    return tuple(pair for pair in result.pairs if not pair.enough and pair not in worked_on)


def weakest_topics(findings: SettingFindings, most: int) -> tuple[IntentFindings, ...]:
    """Return the topics that are found least often, among those with enough tests to tell; none that is flawless."""
    tested = [line for line in findings.intents if line.recall.n >= ENOUGH_TESTED]
    return tuple(line for line in sorted(tested, key=_recall) if line.recall.value != 1)[:most]


def why_none_weakest(findings: SettingFindings) -> str:
    """Say why no topic is among the weakest."""
    if untold_topics(findings) == len(findings.intents):
        return f"No topic has {ENOUGH_TESTED} tested examples, so none can be called the weakest."
    return "Every topic with enough tested examples was always found."


def untold_topics(findings: SettingFindings) -> int:
    """Return how many topics have too few tests to be ranked."""
    return sum(line.recall.n < ENOUGH_TESTED for line in findings.intents)


def _recall(line: IntentFindings) -> tuple[float, str]:
    return (line.recall.value or 0.0, line.intent)


def confused_cells(findings: SettingFindings) -> tuple[ConfusionCell, ...]:
    """Return the cells in which a known topic was taken for another one, largest first."""
    return tuple(
        cell
        for cell in findings.confusion
        if not cell.negative and None not in (cell.origin, cell.guess) and cell.origin != cell.guess
    )


def main_setting(result: IntentsResult) -> SettingFindings | None:
    """Return the first setting that tested every topic as itself, or the first there is."""
    plain = (findings for findings in result.settings if not findings.low_topics)
    return next(plain, None) or next(iter(result.settings), None)


def confused_topics(findings: SettingFindings, most: int | None = None) -> tuple[str, ...]:
    """Return the topics that lose or draw most messages, in alphabetical order."""
    weight: Counter[str] = Counter()
    for cell in confused_cells(findings):
        for topic in (cell.origin, cell.guess):
            weight[topic or ""] += cell.answered + cell.deferred
    return tuple(sorted(topic for topic, _ in weight.most_common(most)))


def short_notes(notes: Sequence[Note], most: int = NOTES_OF_A_KIND) -> tuple[str, ...]:
    """Return the messages of the notes, at most a few of each kind, and how many more there are."""
    lines: list[str] = []
    for kind in dict.fromkeys(note.kind for note in notes):
        messages = [note.message for note in notes if note.kind == kind]
        lines += messages[:most]
        if len(messages) > most:
            lines.append(f"... and {len(messages) - most:,} more of this kind.")
    return tuple(lines)
