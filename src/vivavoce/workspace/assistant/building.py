"""The assistant of a project, ready to talk: made of the bank of answers and of the examples that it has learned."""

from __future__ import annotations

import re
from collections.abc import Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import fields

from vivavoce.assistant import Answer, Assistant, Button, Company, Link, Matches, Opening, Options, Query, Stage
from vivavoce.errors import WorkError
from vivavoce.jobs.exams.documents import dataset_from_bytes
from vivavoce.kept import Kept
from vivavoce.messages import say
from vivavoce.records import Dataset
from vivavoce.store.database import Store
from vivavoce.store.rows import AssistantRow, OpeningRow, Project
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.assistant.settings import get_settings
from vivavoce.workspace.topics.datasets import project_dataset

# A line of an answer that is a link, `[Careers](https://...)`, or a button, `[Look for a job](/job_search)`.
_LINK = re.compile(r"\[([^\]\n]{1,200})\]\((\S(?:[^)\n]*\S)?)\)")
_ASSISTANTS: Kept[Assistant] = Kept(16)
# The last one of each project that was trained: it answers while the next one is trained in a thread of its own.
_LATEST: dict[Hashable, Assistant] = {}
_TRAINER = ThreadPoolExecutor(1, "viva-trainer")
_TRAINING: Kept[Future[Assistant]] = Kept(16)
_FIELDS = tuple(field.name for field in fields(Opening))


class PreparingError(WorkError):
    """The first assistant of a process is not trained yet: the same message is answered some seconds later."""


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
    """Return the assistant as it is now, trained."""
    with store.reading() as tx:
        settings = get_settings(tx, project)
        assistant = get_assistant(store, tx, project, settings)
    return assistant.prepare(settings.languages), settings


def get_assistant(store: Store, tx: Transaction, project: Project, settings: AssistantRow) -> Assistant:
    """Return the assistant as it is now, perhaps not trained yet; it is made anew where anything has changed."""
    key = (store.address, project.id, settings.build, tx.edits.state(project.id))
    return _ASSISTANTS.get(key, lambda: build_assistant(store, tx, project, settings, get_examples(tx, project)))


def choose_ready(
    assistant: Assistant, place: Hashable, languages: tuple[str, ...], patience: float | None
) -> Assistant:
    """Return an assistant that is trained: this one, or the one before as long as this one is trained beside.

    `place`: whose assistant it is. `patience`: how many seconds to wait for the first one, None: as long as it takes.
    PreparingError after them.
    """
    if not assistant.understander.is_trained(languages):
        if patience is not None and place in _LATEST:
            _train_beside(assistant, languages)
            return _LATEST[place]
        wait_until_trained(assistant, languages, patience)
    _LATEST[place] = assistant
    return assistant


def wait_until_trained(assistant: Assistant, languages: tuple[str, ...], patience: float | None) -> None:
    """Have an assistant trained for some languages, beside the requests of other visitors."""
    if assistant.understander.is_trained(languages):
        return
    if patience is None:
        assistant.prepare(languages)
        return
    try:
        _train_beside(assistant, languages).result(patience)
    except TimeoutError as error:
        raise PreparingError(
            say("the assistant is starting"), remedy=say("send the message again in a few seconds")
        ) from error


def prepare_beside(assistant: Assistant, languages: tuple[str, ...]) -> None:
    """Begin to train an assistant, if it is not trained, while nobody waits for it yet."""
    if not assistant.understander.is_trained(languages):
        _train_beside(assistant, languages)


def _train_beside(assistant: Assistant, languages: tuple[str, ...]) -> Future[Assistant]:
    training = _TRAINING.get((id(assistant), languages), lambda: _TRAINER.submit(assistant.prepare, languages))
    if training.done() and training.exception():
        # Tried again with the next message.
        _TRAINING.drop((id(assistant), languages))
    return training


def get_examples(tx: Transaction, project: Project) -> Dataset:
    """Return the examples that the assistant has learned; before the first time, all that the project has."""
    material = tx.assistants.material(project.id)
    return project_dataset(tx, project) if material is None else dataset_from_bytes(material)


def build_assistant(
    store: Store, tx: Transaction, project: Project, settings: AssistantRow, data: Dataset
) -> Assistant:
    """Make an assistant of examples; nothing is trained yet."""
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
        {
            topic.name: {language: parse_answer(text) for language, text in topic.answers.items()}
            for topic in topics
            if topic.answers
        },
        options=options,
    )
    return Assistant.build(company, StoredOpenings(store, project.id))


def parse_answer(text: str) -> Answer:
    """Return an answer of the bank: lines that are nothing but links and buttons stand under its text."""
    texts, buttons, links = [], [], []
    for line in text.splitlines():
        pairs = _LINK.findall(line)
        if not pairs or _LINK.sub("", line).strip():
            texts.append(line)
            continue
        for label, target in pairs:
            if target.startswith(("https://", "http://", "mailto:")):
                links.append(Link(label, target))
            else:
                buttons.append(Button(label, target))
    return Answer("\n".join(texts).strip(), tuple(buttons), tuple(links))
