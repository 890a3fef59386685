"""The demo project: material that ships, with three months of work behind it."""

from __future__ import annotations

from itertools import count

from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role
from vivavoce.store.stamps import dated, now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.projects.demo_runs import keep_run
from vivavoce.workspace.projects.demo_story import BEGAN, PEOPLE, Examine, Scene, tell_story
from vivavoce.workspace.projects.projects import create_project

NAME, SLUG, LANGUAGE = "Demo: recruiting", "demo", "en"


def create_demo_project(store: Store, actor: Actor, *, examine: Examine = keep_run) -> Project:
    """Make a project with a recruiting FAQ, all shipped suites, bots, logged dialogues, and what was done so far.

    The people in it are invented and cannot sign in. `examine` puts in what an exam found: as it was computed before
    and ships, or in another way. A project that has the short name already stays as it is; the new one gets a number.
    """
    actor.require(Role.EDITOR)
    loaded = now()
    with store.writing() as tx:
        taken = {project.slug for project in tx.projects.all()}
        cast = {login: _invent(tx, login, name) for login, name in PEOPLE.items()}
    slugs = (SLUG if number == 1 else f"{SLUG}-{number}" for number in count(1))
    slug = next(slug for slug in slugs if slug not in taken)
    with dated(loaded - BEGAN):
        project = create_project(store, actor, NAME, slug=slug, language=LANGUAGE)
    tell_story(Scene(store, project, cast, loaded, examine))
    with store.reading() as tx:
        return tx.projects.by_slug(slug) or project


def _invent(tx: Transaction, login: str, name: str) -> Actor:
    """Return a person of the demo, who has no password and is disabled."""
    person = tx.users.by_login(login) or tx.users.add(login, name, Role.EDITOR, at=now() - BEGAN)
    tx.users.set(person.id, disabled=True)
    return Actor(person.id, person.name, Role.ADMIN)
