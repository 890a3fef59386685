"""What is examined: projects with their topics, examples, bots and suites. All but new projects changes by edits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from vivavoce.errors import UsageError, nearest
from vivavoce.messages import say
from vivavoce.store.repositories.repository import (
    AddedRows,
    NamedRows,
    Repository,
    RowsById,
    RowsOfProject,
    columns_of,
    holding,
    matching,
    pieces,
    require,
)
from vivavoce.store.rows import (
    BotRow,
    DecisionRow,
    ExampleRow,
    ForecastRow,
    Project,
    ReservedRow,
    ScenarioRow,
    ScenarioVersion,
    SuiteRow,
    Topic,
)
from vivavoce.store.stamps import new_id, now
from vivavoce.store.tables import (
    answers,
    bots,
    decisions,
    edits,
    examples,
    forecasts,
    projects,
    reserved,
    scenario_versions,
    scenarios,
    suites,
    topics,
)

_SIZE = sa.func.count(examples.c.id)
_NAME = sa.func.lower(topics.c.name)
# What a list of topics can be sorted by; a minus turns the order round. Names decide between equals.
_SORTS: Mapping[str, tuple[sa.ColumnElement[Any], ...]] = {
    "name": (_NAME, topics.c.name),
    "size": (_SIZE,),
    "created": (topics.c.created,),
    "owner": (sa.func.lower(topics.c.owner),),
}
SORTS = tuple(f"{sign}{name}" for name in _SORTS for sign in ("", "-"))


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
        project = Project(new_id(), slug, name, language, spoken, classifier, threshold, at or now(), 1)
        what, remedy = say("project '{slug}' already exists", slug=slug), say("choose another short name")
        return self._add_unique(project, "slug", UsageError(what, remedy=remedy))

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
        require(self._delete(projects.c.id == project_id) or None, "project", project_id)


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
        rows = self._topics(topics.c.project_id == project_id)
        return tuple(sorted(rows, key=lambda topic: (topic.name.casefold(), topic.name)))

    def names(self, project_id: str) -> dict[str, str]:
        """Return the names of all topics of a project by their ids, in order."""
        query = sa.select(topics.c.id, topics.c.name).where(topics.c.project_id == project_id)
        rows = sorted(self.connection.execute(query), key=lambda row: (row.name.casefold(), row.name))
        return {row.id: row.name for row in rows}

    def phrases(self, project_id: str) -> dict[str, tuple[str, ...]]:
        """Return up to two examples of each topic, by its name: the same ones every time."""
        # The first and the last in the alphabet: one query for all topics.
        query = sa.select(topics.c.name, sa.func.min(examples.c.text), sa.func.max(examples.c.text))
        query = query.outerjoin(examples, examples.c.topic_id == topics.c.id).group_by(topics.c.id, topics.c.name)
        rows = self.connection.execute(query.where(topics.c.project_id == project_id))
        return {name: tuple(dict.fromkeys(text for text in texts if text)) for name, *texts in rows}

    def answer_ids(self, topic_id: str) -> dict[str, str]:
        """Return the ids of a topic's answers, by language."""
        return self._pairs(sa.select(answers.c.language, answers.c.id).where(answers.c.topic_id == topic_id))

    def count(self, project_id: str, search: str = "") -> int:
        """Return how many topics there are whose name, description or answer holds the words."""
        return self._count(*_matching_topics(project_id, search))

    def page(
        self, project_id: str, search: str = "", sort: str = "name", limit: int = 50, offset: int = 0
    ) -> tuple[tuple[Topic, int], ...]:
        """Return topics, each with the number of its examples."""
        if sort not in SORTS:
            raise UsageError(
                say("cannot sort topics by '{sort}'.{nearest}", sort=sort, nearest=nearest(sort, SORTS)),
                remedy=", ".join(SORTS),
            )
        query = sa.select(topics.c.id, _SIZE).outerjoin(examples, examples.c.topic_id == topics.c.id)
        query = query.where(*_matching_topics(project_id, search)).group_by(topics.c.id)
        order = [key.desc() if sort.startswith("-") else key for key in _SORTS[sort.removeprefix("-")]]
        query = query.order_by(*order, _NAME, topics.c.id).limit(limit).offset(offset)
        sizes: dict[str, int] = self._pairs(query)
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

    def languages(self, project_id: str) -> tuple[str, ...]:
        """Return the languages of the examples of a project."""
        query = sa.select(examples.c.language, sa.func.count()).where(examples.c.project_id == project_id)
        return tuple(sorted(self._pairs(query.group_by(examples.c.language))))

    def next_place(self, project_id: str) -> int:
        """Return the place of the next new example: after all others."""
        last = self._scalar(sa.select(sa.func.max(examples.c.place)).where(examples.c.project_id == project_id))
        return 0 if last is None else int(last) + 1

    def _page(
        self, search: str, limit: int | None, offset: int, *conditions: sa.ColumnElement[bool]
    ) -> tuple[ExampleRow, ...]:
        query = self._select(*conditions, *holding(search.strip(), examples.c.text))
        return self._all(query.order_by(examples.c.place, examples.c.id).limit(limit).offset(offset))


class Reserved(RowsOfProject[ReservedRow], table=reserved, row=ReservedRow):
    """Questions of the test set."""

    order = ("created", "id")

    def of_topics(self, topic_ids: Sequence[str]) -> tuple[ReservedRow, ...]:
        """Return the questions of some topics."""
        return self._all(self._select(reserved.c.topic_id.in_(topic_ids)).order_by(reserved.c.id))


class Decisions(RowsOfProject[DecisionRow], table=decisions, row=DecisionRow):
    """What people decided about problems, the newest first."""

    order = ("-created", "id")


class Forecasts(AddedRows[ForecastRow], table=forecasts, row=ForecastRow):
    """Forecasts of remedies that were applied."""

    def of_project(self, project_id: str) -> tuple[ForecastRow, ...]:
        """Return the forecasts whose edits still hold, the newest first."""
        query = self._select(forecasts.c.project_id == project_id, edits.c.undone_by.is_(None))
        query = query.join(edits, edits.c.id == forecasts.c.edit_id)
        return self._all(query.order_by(forecasts.c.created.desc(), forecasts.c.id))


class Bots(NamedRows[BotRow], table=bots, row=BotRow):
    """Bots that a project can talk to."""


class Suites(NamedRows[SuiteRow], table=suites, row=SuiteRow):
    """Suites of scenarios."""

    def counts(self, project_id: str) -> dict[str, int]:
        """Return how many scenarios each suite of a project has, by the id of the suite."""
        query = sa.select(suites.c.id, sa.func.count(scenarios.c.id)).where(suites.c.project_id == project_id)
        query = query.outerjoin(scenarios, scenarios.c.suite_id == suites.c.id)
        return self._pairs(query.group_by(suites.c.id))

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


def _matching_topics(project_id: str, search: str) -> tuple[sa.ColumnElement[bool], ...]:
    own = topics.c.project_id == project_id
    if not (search := search.strip()):
        return (own,)
    in_answer = sa.exists().where(answers.c.topic_id == topics.c.id, *holding(search, answers.c.text))
    return own, sa.or_(*holding(search, topics.c.name, topics.c.description), in_answer)
