"""A project on its way from one workspace to another: its material, never its people."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from vivavoce import demo
from vivavoce.errors import FileError, UsageError
from vivavoce.messages import say
from vivavoce.plugins import split_name
from vivavoce.store import project_files as files
from vivavoce.store.archives import MEGABYTE, check_names, open_archive, write_archive
from vivavoce.store.database import Store
from vivavoce.store.project_files import Material, find_suite_files, read_material
from vivavoce.store.repositories.repository import require
from vivavoce.store.rows import Change, DialogueRow, Project, RatingRow
from vivavoce.store.stamps import new_id, now
from vivavoce.store.transaction import Transaction

MAX_BYTES = 500 * MEGABYTE
MAX_WHY = 500
# The engine of a new project, and those whose option is no more than a language.
ENGINE = "linear"
PLAIN_OPTIONS = frozenset({"tfidf"})
ALWAYS = (files.PROJECT, files.TOPICS, files.EXAMPLES, files.BOTS, files.SUITES)


def export_project(
    store: Store, project_id: str, path: str | Path, *, dialogues: bool = True, ratings: bool = True
) -> None:
    """Write the material of a project into a new ZIP file of plain files; runs and their results stay behind."""
    with write_archive(path) as archive, store.reading() as tx:
        project = require(tx.projects.get(project_id), "project", project_id)
        texts = files.write_project(
            project,
            tx.topics.of_project(project_id),
            tx.examples.of_project(project_id),
            tx.reserved.of_project(project_id),
            tx.bots.of_project(project_id),
            [(suite, tx.suites.scenarios(suite.id)) for suite in tx.suites.of_project(project_id)],
        )
        if dialogues:
            rows = tx.ratings.of_project(project_id) if ratings else ()
            texts[files.DIALOGUES] = files.write_dialogues(tx.dialogues.of_project(project_id), rows)
        for name, text in texts.items():
            archive.writestr(name, text)


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
    material, notes = _drop_foreign_names(read_project(path, max_bytes=max_bytes))
    for note in notes:
        tell(note)
    with store.writing() as tx:
        project = _add_project(tx, material, slug, str(path))
        changes = list(_list_changes(tx, material, project))
        if changes:
            summary = say("Imported from {name}", name=Path(path).name)
            tx.edits.apply(project.id, user_id, "import", summary, changes, why=" ".join(notes)[:MAX_WHY])
        rows, ratings = [], []
        for place, dialogue in enumerate(material.dialogues):
            row_id, values = new_id(), {**dialogue, "turns": tuple(dialogue["turns"])}
            rated = values.pop("ratings")
            rows.append(DialogueRow(id=row_id, project_id=project.id, place=place, **values))
            ratings += [RatingRow(id=new_id(), dialogue_id=row_id, user_id=None, **rating) for rating in rated]
        tx.dialogues.put(rows)
        tx.ratings.put_many(ratings)
    return project


def read_project(path: str | Path, *, max_bytes: int = MAX_BYTES) -> Material:
    """Read and check a file that was exported."""
    with open_archive(path, max_bytes) as archive:
        there = set(archive.namelist())
        if files.PROJECT not in there:
            remedy = say(
                "{project} must be at the top level: zip the files, not their folder",
                project=files.PROJECT,
            )
            raise FileError(say("this is not a project export"), where=str(path), remedy=remedy)
        names = {*ALWAYS, *({files.DIALOGUES, files.TEST_SET} & there)}
        if files.SUITES in there:
            names |= find_suite_files(_read_text(archive, files.SUITES, path))
        check_names(archive, names, path)
        parts = {name: _read_text(archive, name, path) for name in names}
    return read_material(parts, str(path))


def _drop_foreign_names(material: Material) -> tuple[Material, tuple[str, ...]]:
    """Return what was read without names of code and files, which mean nothing good here, and what that changed."""
    notes: list[str] = []
    head, suites = dict(material.head), []
    kind, option = split_name(head["classifier"] or ENGINE)
    if option and kind not in PLAIN_OPTIONS:
        notes.append(
            f"The classifier '{head['classifier']}' refers to code or files, so the project uses {ENGINE} instead."
        )
        head["classifier"] = ENGINE
    for suite in material.suites:
        foreign = bool(suite["agent"]) and suite["agent"] not in demo.suites()
        if foreign:
            notes.append(f"The suite '{suite['name']}' used the agent '{suite['agent']}', which is not bundled.")
        suites.append({**suite, "agent": None} if foreign else suite)
    return replace(material, head=head, suites=tuple(suites)), tuple(notes)


def _read_text(archive: zipfile.ZipFile, name: str, path: str | Path) -> str:
    try:
        return archive.read(name).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(
            say("the file is not UTF-8 text"), where=f"{path}, {name}", remedy=say("save the file as UTF-8")
        ) from error


def _add_project(tx: Transaction, material: Material, slug: str | None, path: str) -> Project:
    head, wanted = material.head, slug or material.head["slug"]
    if tx.projects.by_slug(wanted) is not None:
        raise UsageError(
            say("project '{wanted}' already exists", wanted=wanted),
            where=path,
            remedy=say("import it under another short name"),
        )
    same = {name: head[name] for name in ("name", "language", "languages", "classifier")}
    return tx.projects.add(wanted, **same, threshold=float(head["threshold"]))


def _list_changes(  # noqa: C901 - one loop for each kind of row
    tx: Transaction, material: Material, project: Project
) -> Iterator[Change]:
    at, own = now(), {"project_id": project.id}
    ids = {row["topic"]: new_id() for row in material.topics}
    for row in material.topics:
        topic_id = ids[row["topic"]]
        head = {"name": row["topic"], "description": row["description"], "owner": row["owner"], "created": at}
        yield tx.edits.insert("topics", {"id": topic_id, **own, **head}, topic_id)
    for row in material.topics:
        topic_id = ids[row["topic"]]
        for column, text in row.items():
            if column.startswith(files.ANSWER) and text:
                language = column.removeprefix(files.ANSWER)
                answer = {"id": new_id(), "topic_id": topic_id, "language": language, "text": text}
                yield tx.edits.insert("answers", answer, topic_id)
    for place, example in enumerate(material.examples):
        topic = ids[example["topic"]] if example["topic"] else None
        values = {name: example[name] for name in ("text", "language", "source", "created")}
        yield tx.edits.insert("examples", {"id": new_id(), **own, "topic_id": topic, **values, "place": place}, topic)
    for question in material.reserved:
        values = {name: question[name] for name in ("text", "language", "created")}
        yield tx.edits.insert("reserved", {"id": new_id(), **own, "topic_id": ids.get(question["topic"]), **values})
    for bot in material.bots:
        yield tx.edits.insert("bots", {"id": new_id(), **own, **bot, "created": at})
    suites = [(new_id(), suite) for suite in material.suites]
    for suite_id, suite in suites:
        values = {name: suite[name] for name in ("name", "title", "language", "agent", "head")}
        yield tx.edits.insert("suites", {"id": suite_id, **own, **values, "created": at})
    for suite_id, suite in suites:
        for place, scenario in enumerate(suite["scenarios"]):
            values = {name: scenario[name] for name in ("name", "title", "domain", "level", "text")}
            values = {"id": new_id(), "suite_id": suite_id, **values, "place": place, "created": at}
            yield tx.edits.insert("scenarios", values)
