"""Suites of a project, their scenarios and what these were before; they are changed through edits only."""

from __future__ import annotations

import sqlalchemy as sa

from vivavoce.store import tables
from vivavoce.store.repositories.repository import Repository
from vivavoce.store.rows import ScenarioRow, ScenarioVersion, SuiteRow


class Suites(Repository):
    """Suites, scenarios and versions of scenarios."""

    def get(self, suite_id: str) -> SuiteRow | None:
        """Return a suite."""
        return self._one(SuiteRow, sa.select(tables.suites).where(tables.suites.c.id == suite_id))

    def by_name(self, project_id: str, name: str) -> SuiteRow | None:
        """Return the suite of this name."""
        suites = tables.suites
        return self._one(SuiteRow, sa.select(suites).where(suites.c.project_id == project_id, suites.c.name == name))

    def of_project(self, project_id: str) -> tuple[SuiteRow, ...]:
        """Return all suites of a project, by name."""
        suites = tables.suites
        return self._all(SuiteRow, sa.select(suites).where(suites.c.project_id == project_id).order_by(suites.c.name))

    def scenarios(
        self, suite_id: str, *, domain: str | None = None, level: str | None = None
    ) -> tuple[ScenarioRow, ...]:
        """Return the scenarios of a suite in their order, all or those of a domain or level."""
        table = tables.scenarios
        query = sa.select(table).where(table.c.suite_id == suite_id)
        for column, wanted in ((table.c.domain, domain), (table.c.level, level)):
            if wanted is not None:
                query = query.where(column == wanted)
        return self._all(ScenarioRow, query.order_by(table.c.place, table.c.name))

    def counts(self, project_id: str) -> dict[str, int]:
        """Return how many scenarios each suite of a project has, by the id of the suite."""
        scenarios, suites = tables.scenarios, tables.suites
        query = (
            sa.select(suites.c.id, sa.func.count(scenarios.c.id))
            .outerjoin(scenarios, scenarios.c.suite_id == suites.c.id)
            .where(suites.c.project_id == project_id)
            .group_by(suites.c.id)
        )
        return {found[0]: int(found[1]) for found in self.connection.execute(query)}

    def scenario(self, scenario_id: str) -> ScenarioRow | None:
        """Return a scenario."""
        return self._one(ScenarioRow, sa.select(tables.scenarios).where(tables.scenarios.c.id == scenario_id))

    def scenario_by_name(self, suite_id: str, name: str) -> ScenarioRow | None:
        """Return the scenario of this name."""
        table = tables.scenarios
        return self._one(ScenarioRow, sa.select(table).where(table.c.suite_id == suite_id, table.c.name == name))

    def versions(self, scenario_id: str) -> tuple[ScenarioVersion, ...]:
        """Return what a scenario was at each save, the newest first."""
        table = tables.scenario_versions
        query = sa.select(table).where(table.c.scenario_id == scenario_id)
        return self._all(ScenarioVersion, query.order_by(table.c.version.desc()))

    def version(self, scenario_id: str, version: int) -> ScenarioVersion | None:
        """Return what a scenario was at one save."""
        table = tables.scenario_versions
        query = sa.select(table).where(table.c.scenario_id == scenario_id, table.c.version == version)
        return self._one(ScenarioVersion, query)
