"""Learning: a new classifier is built aside, asked all questions that people made sure of, and then swapped in."""

from __future__ import annotations

from dataclasses import dataclass

from vivavoce.errors import UsageError
from vivavoce.jobs.exams.documents import dataset_to_bytes
from vivavoce.kept import Kept
from vivavoce.messages import say, say_count
from vivavoce.records import Dataset
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role
from vivavoce.store.stamps import now
from vivavoce.workspace.access.actors import Actor, note
from vivavoce.workspace.assistant.building import build_assistant, get_examples
from vivavoce.workspace.assistant.settings import get_settings
from vivavoce.workspace.topics.datasets import project_dataset

_NEW: Kept[int] = Kept(64)


@dataclass(frozen=True, slots=True)
class Lesson:
    """What learning changes for the questions that people made sure of: texts that get better and worse."""

    examples: int
    new: int
    confirmed: int
    fixed: tuple[str, ...]
    broken: tuple[str, ...]
    learned: bool


def count_new(store: Store, project: Project) -> int:
    """Return how many examples the project has that the assistant has not learned."""
    with store.reading() as tx:
        key = (store.address, project.id, get_settings(tx, project).build, tx.edits.state(project.id))
        return _NEW.get(key, lambda: _count_new(project_dataset(tx, project), get_examples(tx, project)))


def learn(store: Store, actor: Actor, project: Project, *, anyway: bool = False) -> Lesson:
    """Train on all examples of the project; swapped in unless a confirmed question would get worse (`anyway`: still).

    Servers go on answering with the assistant that they have until the new one is there.
    """
    actor.require(Role.REVIEWER)
    with store.reading() as tx:
        settings = get_settings(tx, project)
        data, before = project_dataset(tx, project), get_examples(tx, project)
        confirmed = tx.reviews.list_confirmed(project.id)
        old, new = (build_assistant(store, tx, project, settings, examples) for examples in (before, data))
    if not any(example.intent for example in data):
        raise UsageError(say("the project has no examples yet"), remedy=say("import or add topics first"))
    right = {
        assistant: {
            text
            for text, (topic, language) in confirmed.items()
            if assistant.understander.understand(text, language).intent == topic
        }
        for assistant in (old, new)
    }
    broken, fixed = sorted(right[old] - right[new]), sorted(right[new] - right[old])
    can_swap = anyway or not broken
    if can_swap:
        with store.writing() as tx:
            tx.assistants.put(get_settings(tx, project))
            tx.assistants.swap(project.id, dataset_to_bytes(data), now())
            detail = say_count(len(data), "{n} example", "{n} examples")
            note(tx, actor, "learn", "assistant", project.id, project_id=project.id, detail=detail)
    return Lesson(len(data), _count_new(data, before), len(confirmed), tuple(fixed), tuple(broken), can_swap)


def _count_new(data: Dataset, before: Dataset) -> int:
    known = {(example.text, example.intent) for example in before}
    return sum((example.text, example.intent) not in known for example in data)
