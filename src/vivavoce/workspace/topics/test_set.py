"""The test set: questions that nobody learns from, bot or editor, and that no edit of examples touches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from vivavoce.errors import Fault, UsageError, nearest
from vivavoce.jobs.exams.documents import dataset_from_bytes
from vivavoce.kept import Kept
from vivavoce.messages import say, say_count
from vivavoce.records import Dataset, Example, Rate
from vivavoce.store.database import Store
from vivavoce.store.rows import Change, Edit, Project, ReservedRow, Role, Run
from vivavoce.store.stamps import new_id, now
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.topics.datasets import project_dataset
from vivavoce.workspace.topics.examples import clean_message, deletions
from vivavoce.workspace.topics.names import OUT_OF_SCOPE

if TYPE_CHECKING:
    from vivavoce.store.transaction import Transaction

MAX_LINES = 2000


@dataclass(frozen=True, slots=True)
class SetSize:
    """How many questions are set aside, by topic; None: out of scope."""

    total: int
    topics: Mapping[str | None, int]


@dataclass(frozen=True, slots=True)
class SetScore:
    """What a bot that learnt the examples of an exam does with the test set as it is now."""

    accuracy: Rate
    answered: Rate
    precision: Rate
    classifier: str


_SCORES: Kept[SetScore] = Kept(24)


def measure_test_set(store: Store, project: Project) -> SetSize:
    """Return how large the test set is."""
    with store.reading() as tx:
        names, rows = tx.topics.names(project.id), tx.reserved.of_project(project.id)
    counts = Counter(names.get(row.topic_id or "") for row in rows)
    return SetSize(len(rows), dict(counts.most_common()))


def set_aside(store: Store, actor: Actor, project: Project, share: float, *, why: str = "") -> Edit:
    """Take a share of the examples of each topic, drawn at random, out of the examples and into the test set.

    Near-duplicates stay together. Topics with fewer than four examples give none.
    """
    from vivavoce.intents.guards import split_off

    actor.require(Role.EDITOR)
    with store.writing() as tx:
        data = project_dataset(tx, project)
        chosen = {example.id for example in split_off(data, share)[1].examples} if data.examples else set()
        rows = tx.examples.some([own for own in chosen if own])
        if not rows:
            raise UsageError(
                say("there are too few examples to set some aside"),
                remedy=say("choose a larger share, or add examples"),
            )
        fresh = [ReservedRow(new_id(), project.id, row.topic_id, row.text, row.language, now()) for row in rows]
        changes = [*deletions(tx, rows), *_insertions(tx, fresh)]
        summary = say("Set aside for testing: {many}", many=say_count(len(rows), "{n} example", "{n} examples"))
        return tx.edits.apply(project.id, actor.user_id, "set aside", summary, changes, why=why)


def add_test_questions(store: Store, actor: Actor, project: Project, lines: Sequence[str], *, why: str = "") -> Edit:
    """Add real questions to the test set, each line a message, a tab and its topic; without a topic: out of scope."""
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        ids = {name: own for own, name in tx.topics.names(project.id).items()}
        known = {row.text for row in tx.reserved.of_project(project.id)}
        known |= {row.text for row in tx.examples.of_project(project.id)}
        fresh: list[ReservedRow] = []
        faults: list[Fault] = []
        for number, line in enumerate(lines, 1):
            text, _, name = (part.strip() for part in line.partition("\t"))
            where = say("line {number}", number=number)
            if not text:
                faults.append(Fault(say("the message is empty"), where))
            elif name and name not in ids and name != OUT_OF_SCOPE:
                hint = nearest(name, sorted(ids))
                faults.append(Fault(say("no topic is called '{name}'.{hint}", name=name, hint=hint), where))
            elif text in known:
                faults.append(Fault(say("this is an example or a test question already"), where))
            else:
                known.add(text)
                topic_id = ids.get(name)
                fresh.append(
                    ReservedRow(new_id(), project.id, topic_id, clean_message(text), project.language, now())
                )
        if faults:
            raise UsageError(say("these lines are invalid"), faults=faults, remedy=say("correct them and try again"))
        if not fresh:
            raise UsageError(say("no messages"), where="texts", remedy=say("write one message per line"))
        summary = say("Test set: {many} added", many=say_count(len(fresh), "{n} question", "{n} questions"))
        return tx.edits.apply(
            project.id, actor.user_id, "add test questions", summary, _insertions(tx, fresh), why=why
        )


def drop_test_set(store: Store, actor: Actor, project: Project, *, why: str = "") -> Edit:
    """Delete all questions of the test set; it can be undone."""
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        values = tx.edits.values("reserved", [row.id for row in tx.reserved.of_project(project.id)])
        changes = [Change("reserved", own, row, None) for own, row in values.items()]
        many = say_count(len(changes), "{n} question", "{n} questions")
        summary = say("Test set deleted: {many}", many=many)
        return tx.edits.apply(project.id, actor.user_id, "drop test set", summary, changes, why=why)


def score_test_set(store: Store, project: Project, run: Run, classifier: str) -> SetScore | None:
    """Train on the examples of a finished exam and ask the test set as it is now; None where that is empty.

    So exams of any age are measured on the same questions. Questions about topics that an exam did not have yet are
    out of scope for it.
    """
    with store.reading() as tx:
        rows = tx.reserved.of_project(project.id)
        if not rows:
            return None
        names, content = tx.topics.names(project.id), tx.runs.material(run.id)
        # A topic that was renamed since had another name in the exam.
        then = {own: name for own, name in tx.edits.topics_since(project.id, run.created).items() if name}
    questions = tuple((row.text, (names | then).get(row.topic_id or "")) for row in rows)
    threshold = float(run.options.get("threshold", project.threshold))

    def score() -> SetScore:
        from vivavoce.intents.blind import examine_blind

        train = dataset_from_bytes(content)
        test = Dataset(tuple(Example(text, intent) for text, intent in questions), "test set")
        result = examine_blind(train, test, classifier, threshold=threshold, unknown="negative")
        return SetScore(
            result.rate("accuracy"),
            result.rate("automation_rate"),
            result.rate("precision_answered"),
            result.classifier,
        )

    return _SCORES.get((run.id, run.version, classifier, threshold, questions), score)


def _insertions(tx: Transaction, rows: Sequence[ReservedRow]) -> list[Change]:
    return [tx.edits.insert("reserved", asdict(row)) for row in rows]
