"""Examples of a topic with what the latest intents exam made of each, mistakes first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from vivavoce.store.database import Store
from vivavoce.store.rows import ExampleRow, OutcomeRow, Project, Topic
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.topics.examples import check_expected
from vivavoce.workspace.topics.names import find_topic

Verdict = Literal["wrong", "deferred", "right", "untested"]
# In the order in which they are shown.
VERDICTS: tuple[Verdict, ...] = ("wrong", "deferred", "untested", "right")


@dataclass(frozen=True, slots=True)
class JudgedExample:
    """An example and what came of it in the latest exam (None: it was not asked)."""

    row: ExampleRow
    outcome: OutcomeRow | None = None

    @property
    def verdict(self) -> Verdict:
        """What most of its tests came to."""
        return self.outcome.mostly if self.outcome else "untested"


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """Some examples, how many fit, and how many of those that hold the words came out how."""

    examples: tuple[JudgedExample, ...]
    total: int
    counts: Mapping[Verdict, int] = field(default_factory=dict)


def list_judged(
    store: Store,
    project: Project,
    topic_id: str | None,
    *,
    search: str = "",
    verdict: Verdict | None = None,
    limit: int | None = 50,
    offset: int = 0,
) -> JudgedPage:
    """Return examples of a topic (None: out of scope) that hold the words: mistakes first, then in their order."""
    with store.reading() as tx:
        topic = None if topic_id is None else find_topic(tx, project, topic_id)
        rows = (
            tx.examples.of_topic(topic.id, search=search)
            if topic
            else tx.examples.out_of_scope(project.id, search=search)
        )
        judged = judge_examples(tx, project, rows, topic)
    fitting = [one for one in judged if verdict in (None, one.verdict)]
    fitting.sort(key=lambda one: (VERDICTS.index(one.verdict), -(one.outcome.confidence if one.outcome else 0)))
    end = None if limit is None else offset + limit
    return JudgedPage(tuple(fitting[offset:end]), len(fitting), Counter(one.verdict for one in judged))


def matching_examples(
    store: Store,
    project: Project,
    *,
    topic_id: str | None,
    search: str,
    expected: int,
    verdict: Verdict | None = None,
) -> tuple[str, ...]:
    """Return the ids of all examples of a topic (None: out of scope) that a list shows.

    `expected` is how many there were when they were chosen: StaleError where there are more or fewer now.
    """
    page = list_judged(store, project, topic_id, search=search, verdict=verdict, limit=None)
    check_expected(page.total, expected, "example")
    return tuple(one.row.id for one in page.examples)


def judge_examples(
    tx: Transaction, project: Project, rows: Sequence[ExampleRow], topic: Topic | None
) -> tuple[JudgedExample, ...]:
    """Return examples of one topic (None: out of scope), each with what came of it in the latest exam."""
    run = tx.runs.latest(project.id, "intents")
    if run is None:
        return tuple(JudgedExample(row) for row in rows)
    then = tx.edits.topics_since(project.id, run.created) if topic else {}
    name = (then.get(topic.id) or topic.name) if topic else None
    # Asked under another topic, a message was another question.
    own = {outcome.text: outcome for outcome in tx.outcomes.of_intent(run.id, name)}
    return tuple(JudgedExample(row, own.get(row.text)) for row in rows)
