"""A project on its way from one workspace to another: its material, never its people."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from vivavoce import demo
from vivavoce.errors import FileError, UsageError
from vivavoce.messages import say
from vivavoce.plugins import split_name
from vivavoce.store.archives import MEGABYTE, check_names, opened_archive, read_part, written_archive
from vivavoce.store.database import Store
from vivavoce.store.project_files import (
    ANSWER,
    BOTS,
    DIALOGUES,
    EXAMPLES,
    PROJECT,
    SUITES,
    TOPICS,
    bots_text,
    dialogues_lines,
    examples_text,
    project_text,
    suite_texts,
    topics_text,
)
from vivavoce.store.project_reading import Material, read_material, suite_files
from vivavoce.store.repositories.repository import required
from vivavoce.store.rows import Change, DialogueRow, Project, RatingRow
from vivavoce.store.stamps import new_id, now
from vivavoce.store.transaction import Transaction

MAX_BYTES = 500 * MEGABYTE
MOST_WHY = 500
# The engine of a new project, and those whose option is no more than a language.
ENGINE = "linear"
PLAIN_OPTIONS = frozenset({"tfidf"})
ALWAYS = (PROJECT, TOPICS, EXAMPLES, BOTS, SUITES)


def export_project(
    store: Store, project_id: str, path: str | Path, *, dialogues: bool = True, ratings: bool = True
) -> None:
    """Write the material of a project into a new ZIP file of plain files; runs and their results stay behind."""
    with written_archive(path) as archive, store.reading() as tx:
        project = required(tx.projects.get(project_id), "project", project_id)
        for name, text in _texts(tx, project).items():
            archive.writestr(name, text)
        if dialogues:
            rated = _ratings(tx, project_id) if ratings else {}
            archive.writestr(DIALOGUES, "".join(dialogues_lines(tx.dialogues.of_project(project_id), rated)))


def import_project(
    store: Store,
    path: str | Path,
    user_id: str | None,
    *,
    slug: str | None = None,
    max_bytes: int = MAX_BYTES,
    tell: Callable[[str], None] = lambda _: None,
) -> Project:
    """Make a new project of a file that was exported, as one edit; `slug`: another short name than its own.

    `tell` hears what was not taken over because it names code or files of a machine; the edit says it as well.
    """
    material, notes = without_foreign_names(read_project(path, max_bytes=max_bytes))
    for note in notes:
        tell(note)
    with store.writing() as tx:
        project = _add_project(tx, material, slug, str(path))
        changes = list(_changes(tx, material, project))
        if changes:
            summary = say("Imported from {name}", name=Path(path).name)
            tx.edits.apply(project.id, user_id, "import", summary, changes, why=" ".join(notes)[:MOST_WHY])
        rows, ratings = [], []
        for place, talk in enumerate(material.talks):
            told = {name: talk[name] for name in ("name", "batch", "bot", "person", "source", "passed", "created")}
            row = DialogueRow(id=new_id(), project_id=project.id, turns=tuple(talk["turns"]), place=place, **told)
            rows.append(row)
            ratings += [_rating(rating, row) for rating in talk["ratings"]]
        tx.dialogues.put(rows)
        tx.ratings.put_many(ratings)
    return project


def read_project(path: str | Path, *, max_bytes: int = MAX_BYTES) -> Material:
    """Read and check a file that was exported."""
    with opened_archive(path, max_bytes) as archive:
        if PROJECT not in archive.namelist():
            raise FileError(
                say("this is not an exported project"),
                where=str(path),
                remedy=say(
                    "{project} must be at the top: pack the files themselves, not the folder around them",
                    project=PROJECT,
                ),
            )
        names = {*ALWAYS, *({DIALOGUES} & set(archive.namelist()))}
        if SUITES in archive.namelist():
            names |= suite_files(_text(archive, SUITES, path))
        check_names(archive, names, path)
        parts = {name: _text(archive, name, path) for name in names}
    return read_material(parts, str(path))


def without_foreign_names(material: Material) -> tuple[Material, tuple[str, ...]]:
    """Return what was read without names of code and files, which mean nothing good here, and what that changed."""
    notes: list[str] = []
    head, suites = dict(material.head), []
    kind, option = split_name(head["classifier"] or ENGINE)
    if option and kind not in PLAIN_OPTIONS:
        notes.append(f"The engine '{head['classifier']}' names code or files: the project has {ENGINE} instead.")
        head["classifier"] = ENGINE
    for suite in material.suites:
        foreign = bool(suite["agent"]) and suite["agent"] not in demo.suites()
        if foreign:
            notes.append(f"The suite '{suite['name']}' named the agent '{suite['agent']}', which does not ship.")
        suites.append({**suite, "agent": None} if foreign else suite)
    return replace(material, head=head, suites=tuple(suites)), tuple(notes)


def _texts(tx: Transaction, project: Project) -> dict[str, str]:
    topics = tx.topics.of_project(project.id)
    suites = [(suite, tx.suites.scenarios(suite.id)) for suite in tx.suites.of_project(project.id)]
    return {
        PROJECT: project_text(project),
        TOPICS: topics_text(topics),
        EXAMPLES: examples_text(tx.examples.of_project(project.id), {topic.id: topic.name for topic in topics}),
        BOTS: bots_text(tx.bots.of_project(project.id)),
        **suite_texts(suites),
    }


def _ratings(tx: Transaction, project_id: str) -> dict[str, list[RatingRow]]:
    found: dict[str, list[RatingRow]] = {}
    for rating in tx.ratings.of_project(project_id):
        found.setdefault(rating.dialogue_id, []).append(rating)
    return found


def _text(archive: zipfile.ZipFile, name: str, path: str | Path) -> str:
    try:
        return read_part(archive, name).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(
            say("the file is not UTF-8 text"), where=f"{path}, {name}", remedy=say("save it as UTF-8")
        ) from error


def _add_project(tx: Transaction, material: Material, slug: str | None, path: str) -> Project:
    head = material.head
    wanted = slug or head["slug"]
    if tx.projects.by_slug(wanted) is not None:
        raise UsageError(
            say("there is a project '{wanted}' already", wanted=wanted),
            where=path,
            remedy=say("import it under another short name"),
        )
    return tx.projects.add(
        wanted,
        head["name"],
        language=head["language"],
        languages=head["languages"],
        classifier=head["classifier"],
        threshold=float(head["threshold"]),
    )


def _changes(tx: Transaction, material: Material, project: Project) -> Iterator[Change]:
    at, own = now(), {"project_id": project.id}
    ids = {row["topic"]: new_id() for row in material.topics}
    for row in material.topics:
        topic_id = ids[row["topic"]]
        head = {"name": row["topic"], "description": row["description"], "owner": row["owner"], "created": at}
        yield tx.edits.insert("topics", {"id": topic_id, **own, **head}, topic_id)
    for row in material.topics:
        for language, text in _answers(row):
            answer = {"id": new_id(), "topic_id": ids[row["topic"]], "language": language, "text": text}
            yield tx.edits.insert("answers", answer, ids[row["topic"]])
    for place, example in enumerate(material.examples):
        topic_id = ids[example["topic"]] if example["topic"] else ""
        kept = {name: example[name] for name in ("text", "language", "source", "created")}
        values = {"id": new_id(), **own, "topic_id": topic_id or None, **kept, "place": place}
        yield tx.edits.insert("examples", values, topic_id or None)
    for bot in material.bots:
        yield tx.edits.insert("bots", {"id": new_id(), **own, **bot, "created": at})
    yield from _suite_changes(tx, material, project)


def _answers(row: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for column, text in row.items():
        if column.startswith(ANSWER) and text:
            yield column.removeprefix(ANSWER), text


def _suite_changes(tx: Transaction, material: Material, project: Project) -> Iterator[Change]:
    at = now()
    ids = [new_id() for _ in material.suites]
    for suite_id, suite in zip(ids, material.suites, strict=True):
        own = {name: suite[name] for name in ("name", "title", "language", "agent", "head")}
        yield tx.edits.insert("suites", {"id": suite_id, "project_id": project.id, **own, "created": at})
    for suite_id, suite in zip(ids, material.suites, strict=True):
        for place, scenario in enumerate(suite["scenarios"]):
            own = {name: scenario[name] for name in ("name", "title", "domain", "level", "text")}
            yield tx.edits.insert(
                "scenarios", {"id": new_id(), "suite_id": suite_id, **own, "place": place, "created": at}
            )


def _rating(rating: Mapping[str, Any], talk: DialogueRow) -> RatingRow:
    told = {name: rating[name] for name in ("turn", "rater", "quality", "verdict", "created")}
    return RatingRow(id=new_id(), dialogue_id=talk.id, user_id=None, **told)
