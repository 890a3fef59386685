"""What is examined: projects with their topics, examples, bots and suites. All but new projects changes by edits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from vivavoce.errors import UsageError, nearest
from vivavoce.messages import say
from vivavoce.store.repositories.repository import (
    Repository,
    RowsById,
    columns_of,
    holding,
    matching,
    pieces,
    required,
)
from vivavoce.store.rows import BotRow, ExampleRow, Project, ScenarioRow, ScenarioVersion, SuiteRow, Topic
from vivavoce.store.stamps import new_id, now
from vivavoce.store.tables import answers, bots, examples, projects, scenario_versions, scenarios, suites, topics

_SIZE = sa.func.count(examples.c.id)
_NAME = sa.func.lower(topics.c.name)
# How a list of topics can be sorted; a minus turns it round. Names decide between equals.
_SORTS: Mapping[str, tuple[sa.ColumnElement[Any], ...]] = {
    "name": (_NAME, topics.c.name),
    "-name": (_NAME.desc(), topics.c.name.desc()),
    "size": (_SIZE, _NAME),
    "-size": (_SIZE.desc(), _NAME),
    "created": (topics.c.created, _NAME),
    "-created": (topics.c.created.desc(), _NAME),
    "owner": (sa.func.lower(topics.c.owner), _NAME),
    "-owner": (sa.func.lower(topics.c.owner).desc(), _NAME),
}
SORTS = tuple(_SORTS)


class Projects(RowsById[Project], table=projects, row=Project):
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
        taken = UsageError(
            say("there is a project '{slug}' already", slug=slug), remedy=say("choose another short name")
        )
        if self.by_slug(slug) is not None:
            raise taken
        try:
            return self._add(Project(new_id(), slug, name, language, spoken, classifier, threshold, at or now(), 1))
        except IntegrityError as error:  # somebody else added the same at the same time
            raise taken from error

    def by_slug(self, slug: str) -> Project | None:
        """Return the project with this short name."""
        return self._one(projects.c.slug == slug)

    def all(self) -> tuple[Project, ...]:
        """Return all projects, by name."""
        return tuple(sorted(self._all(self._select()), key=lambda project: (project.name.casefold(), project.slug)))

    def count(self) -> int:
        """Return how many projects there are."""
        return self._count()

    def delete(self, project_id: str) -> None:
        """Delete a project with everything in it; there is no way back."""
        # Topics hold on to their examples, so these go first.
        self.connection.execute(sa.delete(examples).where(examples.c.project_id == project_id))
        required(self._delete(projects.c.id == project_id) or None, "project", project_id)


class Topics(Repository[Topic], table=topics, row=Topic):
    """Topics with their answers."""

    def get(self, topic_id: str) -> Topic | None:
        """Return a topic."""
        return next(iter(self._topics(topics.c.id == topic_id)), None)

    def by_name(self, project_id: str, name: str) -> Topic | None:
        """Return the topic with exactly this name."""
        return next(iter(self._topics(topics.c.project_id == project_id, topics.c.name == name)), None)

    def of_project(self, project_id: str) -> tuple[Topic, ...]:
        """Return all topics of a project, by name."""
        every = self._topics(topics.c.project_id == project_id)
        return tuple(sorted(every, key=lambda topic: (topic.name.casefold(), topic.name)))

    def names(self, project_id: str) -> dict[str, str]:
        """Return the names of all topics of a project by their ids, in order."""
        query = sa.select(topics.c.id, topics.c.name).where(topics.c.project_id == project_id)
        rows = sorted(self.connection.execute(query), key=lambda row: (row.name.casefold(), row.name))
        return {row.id: row.name for row in rows}

    def sizes(self, project_id: str) -> dict[str, int]:
        """Return how many examples each topic has, by its id."""
        query = sa.select(topics.c.id, _SIZE).outerjoin(examples, examples.c.topic_id == topics.c.id)
        return self._pairs(query.where(topics.c.project_id == project_id).group_by(topics.c.id))

    def phrases(self, project_id: str) -> dict[str, tuple[str, ...]]:
        """Return up to two examples of each topic, by its name: the same ones every time."""
        # The first and the last in the alphabet: one query for all topics.
        query = (
            sa.select(topics.c.name, sa.func.min(examples.c.text), sa.func.max(examples.c.text))
            .outerjoin(examples, examples.c.topic_id == topics.c.id)
            .where(topics.c.project_id == project_id)
            .group_by(topics.c.id, topics.c.name)
        )
        return {
            name: tuple(dict.fromkeys(text for text in texts if text))
            for name, *texts in self.connection.execute(query)
        }

    def answer_ids(self, topic_id: str) -> dict[str, str]:
        """Return the ids of a topic's answers, by language."""
        return self._pairs(sa.select(answers.c.language, answers.c.id).where(answers.c.topic_id == topic_id))

    def count(self, project_id: str, search: str = "") -> int:
        """Return how many topics there are whose name, description or answer holds the words."""
        return self._count(*_searched(project_id, search))

    def page(
        self, project_id: str, search: str = "", sort: str = "name", limit: int = 50, offset: int = 0
    ) -> tuple[tuple[Topic, int], ...]:
        """Return topics, each with the number of its examples."""
        if sort not in _SORTS:
            raise UsageError(
                say("topics cannot be sorted by '{sort}'.{nearest}", sort=sort, nearest=nearest(sort, SORTS)),
                remedy=", ".join(SORTS),
            )
        query = sa.select(topics.c.id, _SIZE).outerjoin(examples, examples.c.topic_id == topics.c.id)
        query = query.where(*_searched(project_id, search)).group_by(topics.c.id)
        rows = self.connection.execute(query.order_by(*_SORTS[sort], topics.c.id).limit(limit).offset(offset))
        sizes = {row[0]: int(row[1]) for row in rows}
        by_id = {topic.id: topic for topic in self._topics(topics.c.id.in_(sizes))}
        return tuple((by_id[topic_id], size) for topic_id, size in sizes.items())

    def _topics(self, *conditions: sa.ColumnElement[bool]) -> tuple[Topic, ...]:
        query = sa.select(*self.columns, answers.c.language, answers.c.text).where(*conditions)
        query = query.outerjoin(answers, answers.c.topic_id == topics.c.id).order_by(topics.c.id, answers.c.language)
        spoken: dict[tuple[Any, ...], dict[str, str]] = {}
        for *columns, language, text in self.connection.execute(query):
            spoken.setdefault(tuple(columns), {}).update({} if language is None else {language: text})
        return tuple(Topic(*(*columns, texts)) for columns, texts in spoken.items())


class Examples(RowsById[ExampleRow], table=examples, row=ExampleRow):
    """Examples of topics, and those out of scope, which have no topic."""

    def some(self, ids: Sequence[str]) -> tuple[ExampleRow, ...]:
        """Return the examples with these ids, in their order in the project; those that are gone are left out."""
        rows = [row for piece in pieces(ids) for row in self._all(self._select(examples.c.id.in_(piece)))]
        return tuple(sorted(rows, key=lambda row: (row.place, row.id)))

    def of_topic(
        self, topic_id: str, limit: int | None = None, offset: int = 0, search: str = ""
    ) -> tuple[ExampleRow, ...]:
        """Return the examples of a topic, in order."""
        return self._page(search, limit, offset, examples.c.topic_id == topic_id)

    def out_of_scope(
        self, project_id: str, limit: int | None = None, offset: int = 0, search: str = ""
    ) -> tuple[ExampleRow, ...]:
        """Return the examples of a project that belong to no topic, in order."""
        return self._page(search, limit, offset, examples.c.project_id == project_id, examples.c.topic_id.is_(None))

    def of_project(self, project_id: str) -> tuple[ExampleRow, ...]:
        """Return all examples of a project, in order."""
        return self.page(project_id, limit=None)

    def page(
        self, project_id: str, search: str = "", limit: int | None = 50, offset: int = 0
    ) -> tuple[ExampleRow, ...]:
        """Return examples of all topics that hold the words, in order."""
        return self._page(search, limit, offset, examples.c.project_id == project_id)

    def count(self, project_id: str, search: str = "") -> int:
        """Return how many examples of a project hold the words."""
        return self._count(examples.c.project_id == project_id, *holding(search.strip(), examples.c.text))

    def count_of_topic(self, topic_id: str, search: str = "") -> int:
        """Return how many examples of a topic hold the words."""
        return self._count(examples.c.topic_id == topic_id, *holding(search.strip(), examples.c.text))

    def count_out_of_scope(self, project_id: str, search: str = "") -> int:
        """Return how many examples without a topic hold the words."""
        without_topic = (examples.c.project_id == project_id, examples.c.topic_id.is_(None))
        return self._count(*without_topic, *holding(search.strip(), examples.c.text))

    def next_place(self, project_id: str) -> int:
        """Return the place of the next new example: after all others."""
        last = self._scalar(sa.select(sa.func.max(examples.c.place)).where(examples.c.project_id == project_id))
        return 0 if last is None else int(last) + 1

    def _page(
        self, search: str, limit: int | None, offset: int, *conditions: sa.ColumnElement[bool]
    ) -> tuple[ExampleRow, ...]:
        query = self._select(*conditions, *holding(search.strip(), examples.c.text))
        return self._all(query.order_by(examples.c.place, examples.c.id).limit(limit).offset(offset))


class Bots(RowsById[BotRow], table=bots, row=BotRow):
    """Bots that a project can talk to."""

    def by_name(self, project_id: str, name: str) -> BotRow | None:
        """Return the bot of this name."""
        return self._one(bots.c.project_id == project_id, bots.c.name == name)

    def of_project(self, project_id: str) -> tuple[BotRow, ...]:
        """Return all bots of a project, by name."""
        return self._all(self._select(bots.c.project_id == project_id).order_by(bots.c.name))


class Suites(RowsById[SuiteRow], table=suites, row=SuiteRow):
    """Suites of scenarios."""

    def by_name(self, project_id: str, name: str) -> SuiteRow | None:
        """Return the suite of this name."""
        return self._one(suites.c.project_id == project_id, suites.c.name == name)

    def of_project(self, project_id: str) -> tuple[SuiteRow, ...]:
        """Return all suites of a project, by name."""
        return self._all(self._select(suites.c.project_id == project_id).order_by(suites.c.name))

    def counts(self, project_id: str) -> dict[str, int]:
        """Return how many scenarios each suite of a project has, by the id of the suite."""
        query = (
            sa.select(suites.c.id, sa.func.count(scenarios.c.id))
            .outerjoin(scenarios, scenarios.c.suite_id == suites.c.id)
            .where(suites.c.project_id == project_id)
            .group_by(suites.c.id)
        )
        return self._pairs(query)

    def scenarios(
        self, suite_id: str, *, domain: str | None = None, level: str | None = None
    ) -> tuple[ScenarioRow, ...]:
        """Return the scenarios of a suite in their order, all or those of a domain or level."""
        wanted = matching((scenarios.c.domain, domain), (scenarios.c.level, level))
        return self._scenarios(scenarios.c.suite_id == suite_id, *wanted)

    def scenario(self, scenario_id: str) -> ScenarioRow | None:
        """Return a scenario."""
        return next(iter(self._scenarios(scenarios.c.id == scenario_id)), None)

    def scenario_by_name(self, suite_id: str, name: str) -> ScenarioRow | None:
        """Return the scenario of this name."""
        return next(iter(self._scenarios(scenarios.c.suite_id == suite_id, scenarios.c.name == name)), None)

    def versions(self, scenario_id: str) -> tuple[ScenarioVersion, ...]:
        """Return what a scenario was at each save, the newest first."""
        return self._versions(scenario_versions.c.scenario_id == scenario_id)

    def version(self, scenario_id: str, version: int) -> ScenarioVersion | None:
        """Return what a scenario was at one save."""
        table = scenario_versions.c
        return next(iter(self._versions(table.scenario_id == scenario_id, table.version == version)), None)

    def _scenarios(self, *conditions: sa.ColumnElement[bool]) -> tuple[ScenarioRow, ...]:
        query = sa.select(*columns_of(scenarios, ScenarioRow)).where(*conditions)
        return self._rows(ScenarioRow, query.order_by(scenarios.c.place, scenarios.c.name))

    def _versions(self, *conditions: sa.ColumnElement[bool]) -> tuple[ScenarioVersion, ...]:
        query = sa.select(*columns_of(scenario_versions, ScenarioVersion)).where(*conditions)
        return self._rows(ScenarioVersion, query.order_by(scenario_versions.c.version.desc()))


def _searched(project_id: str, search: str) -> tuple[sa.ColumnElement[bool], ...]:
    answered = [
        sa.exists().where(answers.c.topic_id == topics.c.id, condition)
        for condition in holding(search.strip(), answers.c.text)
    ]
    named = holding(search.strip(), topics.c.name, topics.c.description)
    return (topics.c.project_id == project_id, *((sa.or_(*named, *answered),) if named else ()))
