"""The assistant of a project, ready to talk: made of the bank of answers and of the examples that it has learned."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields

from vivavoce.assistant import Answer, Assistant, Button, Company, Link, Matches, Opening, Options, Query, Stage
from vivavoce.jobs.exams.documents import dataset_from_bytes
from vivavoce.kept import Kept
from vivavoce.records import Dataset
from vivavoce.store.database import Store
from vivavoce.store.rows import AssistantRow, OpeningRow, Project, Topic
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.assistant.settings import get_settings
from vivavoce.workspace.topics.datasets import project_dataset

# A line of an answer that is a link, `[Careers](https://...)`, or a button, `[Look for a job](/job_search)`.
_LINK = re.compile(r"\[([^\]\n]{1,200})\]\((\S(?:[^)\n]*\S)?)\)")
_ASSISTANTS: Kept[Assistant] = Kept(16)
_FIELDS = tuple(field.name for field in fields(Opening))


class StoredOpenings:
    """The openings of a project, searched in the database."""

    def __init__(self, store: Store, project_id: str) -> None:
        self._store = store
        self._project_id = project_id

    def search(self, query: Query, *, limit: int, start: int = 0) -> Matches:
        """Return the openings that fit, the best first."""
        with self._store.reading() as tx:
            rows, total = tx.openings.search(self._project_id, query.groups, limit, start)
        return Matches(tuple(to_opening(row) for row in rows), total)


def to_opening(row: OpeningRow) -> Opening:
    """Return an opening as the assistant knows it."""
    return Opening(**{name: getattr(row, "ref" if name == "id" else name) for name in _FIELDS})


def load_assistant(store: Store, project: Project) -> tuple[Assistant, AssistantRow]:
    """Return the assistant as it is now; one that learned, or whose answers changed, is made anew."""
    with store.reading() as tx:
        settings = get_settings(tx, project)
        key = (store.address, project.id, settings.build, tx.edits.state(project.id))

        def make() -> Assistant:
            return build_assistant(store, tx, project, settings, learned_examples(tx, project))

        return _ASSISTANTS.get(key, make), settings


def learned_examples(tx: Transaction, project: Project) -> Dataset:
    """Return the examples that the assistant has learned; before the first time, all that the project has."""
    material = tx.assistants.material(project.id)
    return project_dataset(tx, project) if material is None else dataset_from_bytes(material)


def build_assistant(
    store: Store, tx: Transaction, project: Project, settings: AssistantRow, data: Dataset
) -> Assistant:
    """Make an assistant of examples; the classifiers of examples that are known already are not trained again."""
    topics = tx.topics.of_project(project.id)
    options = Options(
        tuple(map(Stage, settings.stages)),
        settings.general_threshold,
        settings.faq_threshold,
        settings.choice_threshold,
    )
    by_language: dict[str, list[int]] = {}
    for place, example in enumerate(data):
        by_language.setdefault(example.language or project.language, []).append(place)
    company = Company(
        project.name,
        settings.languages,
        {language: data.select(places) for language, places in by_language.items()},
        {topic.name: _answers(topic) for topic in topics if topic.answers},
        options=options,
    )
    assistant = Assistant.build(company, StoredOpenings(store, project.id))
    return assistant.prepare(settings.languages)


def _answers(topic: Topic) -> Mapping[str, Answer]:
    return {language: parse_answer(text) for language, text in topic.answers.items()}


def parse_answer(text: str) -> Answer:
    """Return an answer of the bank: lines that are nothing but links and buttons stand under its text."""
    said, buttons, links = [], [], []
    for line in text.splitlines():
        pairs = _LINK.findall(line)
        if not pairs or _LINK.sub("", line).strip():
            said.append(line)
            continue
        for label, target in pairs:
            if target.startswith(("https://", "http://", "mailto:")):
                links.append(Link(label, target))
            else:
                buttons.append(Button(label, target))
    return Answer("\n".join(said).strip(), tuple(buttons), tuple(links))
