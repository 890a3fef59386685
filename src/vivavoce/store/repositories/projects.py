"""Projects, found and added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from vivavoce.errors import UsageError
from vivavoce.store.repositories.repository import Repository, required
from vivavoce.store.rows import Project
from vivavoce.store.stamps import new_id, now
from vivavoce.store.tables import examples, projects


class Projects(Repository):
    """Projects; a new one is added here, all changes of it are edits."""

    def add(
        self,
        slug: str,
        name: str,
        *,
        language: str,
        classifier: str,
        threshold: float,
        languages: Sequence[str] = (),
        at: datetime | None = None,
    ) -> Project:
        """Add a project; the main language is the first of its languages."""
        spoken = tuple(dict.fromkeys((language, *languages)))
        made = Project(new_id(), slug, name, language, spoken, classifier, threshold, at or now(), 1)
        if self.by_slug(slug) is not None:
            raise _taken(slug)
        try:
            values = {column.name: getattr(made, column.name) for column in projects.c}
            self._put(projects, [{**values, "languages": list(spoken)}])
        except IntegrityError as error:  # somebody else added the same at the same time
            raise _taken(slug) from error
        return made

    def get(self, project_id: str) -> Project | None:
        """Return a project."""
        return self._project(projects.c.id == project_id)

    def by_slug(self, slug: str) -> Project | None:
        """Return the project with this short name."""
        return self._project(projects.c.slug == slug)

    def all(self) -> tuple[Project, ...]:
        """Return all projects, by name."""
        found = self.connection.execute(sa.select(projects)).mappings()
        made = (_as_project(row) for row in found)
        return tuple(sorted(made, key=lambda project: (project.name.casefold(), project.slug)))

    def count(self) -> int:
        """Return how many projects there are."""
        return int(self.connection.execute(sa.select(sa.func.count()).select_from(projects)).scalar_one())

    def delete(self, project_id: str) -> None:
        """Delete a project with everything in it; there is no way back."""
        # Topics hold on to their examples, so these go first.
        self.connection.execute(sa.delete(examples).where(examples.c.project_id == project_id))
        done = self.connection.execute(sa.delete(projects).where(projects.c.id == project_id))
        required(done.rowcount or None, "project", project_id)

    def _project(self, condition: sa.ColumnElement[bool]) -> Project | None:
        found = self.connection.execute(sa.select(projects).where(condition)).mappings().first()
        return None if found is None else _as_project(found)


def _as_project(row: Mapping[Any, Any]) -> Project:
    return Project(**{**row, "languages": tuple(row["languages"])})


def _taken(slug: str) -> UsageError:
    return UsageError(f"there is a project '{slug}' already", remedy="choose another short name")
