"""Projects: a bot's content and all its exams."""

from __future__ import annotations

import re
import unicodedata

from vivavoce.errors import Fault, UsageError
from vivavoce.messages import join, say
from vivavoce.store.database import Store
from vivavoce.store.rows import Edit, Project, Role
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.access.auditing import note
from vivavoce.workspace.access.engine_rules import check_engine
from vivavoce.workspace.exams.engine_parts import require_parts

MOST_NAME = 100
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
        made = tx.projects.add(short, _named(name), language=language, classifier=engine, threshold=0.5)
        note(tx, actor, "create", "project", made.id, project_id=made.id, detail=made.name)
    return made


def change_project(
    store: Store, actor: Actor, project: Project, *, name: str, threshold: float, classifier: str, why: str = ""
) -> Edit:
    """Change what holds for a project; the change is a mark in its timeline and can be undone."""
    actor.require(Role.EDITOR)
    if not 0 <= threshold <= 1:
        raise UsageError(say("the threshold must lie between 0 and 1, not {threshold:g}", threshold=threshold))
    engine = classifier
    if classifier != project.classifier:
        engine = check_engine(actor, classifier)
        require_parts(engine)
    with store.writing() as tx:
        change = tx.edits.update("projects", project.id, name=_named(name), threshold=threshold, classifier=engine)
        summary = _change_summary(project, name, threshold, engine)
        return tx.edits.apply(project.id, actor.user_id, "settings", summary, [change], why=why)


def delete_project(store: Store, actor: Actor, project: Project, typed: str) -> None:
    """Delete a project with everything in it, for good; whoever does it types its name to show that it is meant."""
    actor.require(Role.ADMIN)
    if typed.strip() != project.name:
        fault = Fault(say("this is not '{name}', the name of the project", name=project.name), "name")
        raise UsageError(
            say("the project was not deleted"), faults=[fault], remedy=say("type the name as it is written")
        )
    with store.writing() as tx:
        if tx.runs.open(project.id):
            raise UsageError(
                say("runs of this project are still going on"), remedy=say("cancel them, then delete the project")
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
            say("'{slug}' cannot be the short name of a project", slug=slug),
            remedy=say("use small letters, digits and hyphens"),
        )
    return slug


def _named(name: str) -> str:
    said = name.strip()
    if not said or len(said) > MOST_NAME:
        raise UsageError(
            say("the name needs 1 to {most_name} characters", most_name=MOST_NAME), remedy=say("choose another name")
        )
    return said


def _change_summary(project: Project, name: str, threshold: float, classifier: str) -> str:
    parts = [say("name {name}", name=name.strip())] if name.strip() != project.name else []
    parts += (
        [say("threshold {threshold:g} to {threshold2:g}", threshold=project.threshold, threshold2=threshold)]
        if threshold != project.threshold
        else []
    )
    parts += (
        [say("engine {classifier} to {classifier2}", classifier=project.classifier, classifier2=classifier)]
        if classifier != project.classifier
        else []
    )
    return say("Settings:") + " " + (join(", ", parts) or say("saved unchanged"))
