"""Projects: a bot's content and all its exams."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import timedelta

from vivavoce.errors import Fault, UsageError
from vivavoce.messages import join, say
from vivavoce.store.database import Store
from vivavoce.store.migrating import head_version, schema_version
from vivavoce.store.repositories.units import LEASE_SECONDS
from vivavoce.store.rows import Edit, Project, Role, Run, WorkerRow
from vivavoce.store.stamps import now
from vivavoce.version import __version__
from vivavoce.workspace.access.actors import Actor, note
from vivavoce.workspace.access.engine_rules import check_engine, require_parts

MAX_NAME = 100
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def list_projects(store: Store) -> tuple[Project, ...]:
    """Return all projects, by name."""
    with store.reading() as tx:
        return tx.projects.all()


def find_project(store: Store, slug: str) -> Project | None:
    """Return the project with this short name."""
    with store.reading() as tx:
        return tx.projects.by_slug(slug)


def create_project(
    store: Store, actor: Actor, name: str, *, language: str = "en", slug: str = "", classifier: str = "linear"
) -> Project:
    """Make a project; its short name, part of every address, is made from the name unless given."""
    actor.require(Role.EDITOR)
    short = check_slug(slug or slug_of(name))
    engine = check_engine(actor, classifier)
    with store.writing() as tx:
        project = tx.projects.add(short, _check_name(name), language=language, classifier=engine, threshold=0.5)
        note(tx, actor, "create", "project", project.id, project_id=project.id, detail=project.name)
    return project


def change_project(
    store: Store, actor: Actor, project: Project, *, name: str, threshold: float, classifier: str, why: str = ""
) -> Edit:
    """Change what holds for a project; the change is a mark in its timeline and can be undone."""
    actor.require(Role.EDITOR)
    if not 0 <= threshold <= 1:
        raise UsageError(say("the threshold must be between 0 and 1, not {threshold:g}", threshold=threshold))
    engine = classifier
    if classifier != project.classifier:
        engine = check_engine(actor, classifier)
        require_parts(engine)
    with store.writing() as tx:
        plain = _check_name(name)
        change = tx.edits.update("projects", project.id, name=plain, threshold=threshold, classifier=engine)
        summary = _summarize_change(project, plain, threshold, engine)
        return tx.edits.apply(project.id, actor.user_id, "settings", summary, [change], why=why)


def adopt_threshold(store: Store, actor: Actor, project: Project, threshold: float, run: Run) -> Edit:
    """Make a threshold that of the project; the change can be undone."""
    why = say("from the confidence page of exam {number}", number=run.number)
    return change_project(
        store, actor, project, name=project.name, threshold=threshold, classifier=project.classifier, why=str(why)
    )


def delete_project(store: Store, actor: Actor, project: Project, typed: str) -> None:
    """Delete a project with everything in it, for good; whoever does it types its name to show that it is meant."""
    actor.require(Role.ADMIN)
    if typed.strip() != project.name:
        fault = Fault(say("this does not match the project name '{name}'", name=project.name), "name")
        raise UsageError(
            say("the project was not deleted"), faults=[fault], remedy=say("enter the name exactly as shown")
        )
    with store.writing() as tx:
        if tx.runs.open(project.id):
            raise UsageError(
                say("runs of this project are still in progress"), remedy=say("cancel them, then delete the project")
            )
        tx.projects.delete(project.id)
        note(tx, actor, "delete", "project", project.id, detail=f"{project.slug}: {project.name}")


def slug_of(name: str) -> str:
    """Return the short name of a name: small letters, digits and hyphens."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60].strip("-")


def check_slug(slug: str) -> str:
    """Refuse a short name that cannot stand in an address."""
    if not _SLUG.fullmatch(slug) or len(slug) > 60:
        raise UsageError(
            say("'{slug}' is not a valid short name", slug=slug),
            remedy=say("use lower-case letters, digits and hyphens"),
        )
    return slug


def _check_name(name: str) -> str:
    plain = name.strip()
    if not plain or len(plain) > MAX_NAME:
        raise UsageError(
            say("the name needs 1 to {most_name} characters", most_name=MAX_NAME), remedy=say("choose another name")
        )
    return plain


def _summarize_change(project: Project, name: str, threshold: float, classifier: str) -> str:
    old, engine = project.threshold, project.classifier
    parts = []
    if name != project.name:
        parts.append(say("name {name}", name=name))
    if threshold != old:
        parts.append(say("threshold {threshold:g} to {threshold2:g}", threshold=old, threshold2=threshold))
    if classifier != engine:
        parts.append(say("classifier {classifier} to {classifier2}", classifier=engine, classifier2=classifier))
    return say("Settings:") + " " + (join(", ", parts) or say("saved unchanged"))


@dataclass(frozen=True, slots=True)
class Facts:
    """`address` never holds a password. `current`: the schema is the newest that this program knows."""

    version: str
    address: str
    schema: str
    current: bool
    workers: tuple[WorkerRow, ...]
    projects: int
    people: int
    admins: int
    open_runs: int


def workspace_facts(store: Store) -> Facts:
    """Return what is the case now."""
    schema = schema_version(store) or ""
    with store.reading() as tx:
        return Facts(
            version=__version__,
            address=store.address,
            schema=schema,
            current=schema == head_version(),
            workers=tx.workers.alive(now() - timedelta(seconds=LEASE_SECONDS)),
            projects=tx.projects.count(),
            people=tx.users.count(),
            admins=tx.users.count(Role.ADMIN, active=True),
            open_runs=len(tx.runs.open()),
        )
