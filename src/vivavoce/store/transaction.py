"""One transaction: a repository for each noun, over the same connection."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from sqlalchemy.engine import Connection

if TYPE_CHECKING:
    from vivavoce.store.repositories.attempts import Attempts
    from vivavoce.store.repositories.audit import Audit
    from vivavoce.store.repositories.bots import Bots
    from vivavoce.store.repositories.dialogues import Dialogues
    from vivavoce.store.repositories.documents import Documents
    from vivavoce.store.repositories.edits import Edits
    from vivavoce.store.repositories.examples import Examples
    from vivavoce.store.repositories.links import Links
    from vivavoce.store.repositories.measures import Measures
    from vivavoce.store.repositories.options import Options
    from vivavoce.store.repositories.outcomes import Outcomes
    from vivavoce.store.repositories.paces import Paces
    from vivavoce.store.repositories.projects import Projects
    from vivavoce.store.repositories.ratings import Ratings
    from vivavoce.store.repositories.runs import Runs
    from vivavoce.store.repositories.schedules import Schedules
    from vivavoce.store.repositories.scores import Scores
    from vivavoce.store.repositories.sessions import Sessions
    from vivavoce.store.repositories.suites import Suites
    from vivavoce.store.repositories.tokens import Tokens
    from vivavoce.store.repositories.topics import Topics
    from vivavoce.store.repositories.turns import Turns
    from vivavoce.store.repositories.units import Units
    from vivavoce.store.repositories.users import Users
    from vivavoce.store.repositories.workers import Workers


class Transaction:
    """All that can be asked and kept at one moment. Repositories are made when they are first used."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    @cached_property
    def users(self) -> Users:
        """People."""
        from vivavoce.store.repositories.users import Users

        return Users(self.connection)

    @cached_property
    def sessions(self) -> Sessions:
        """Browsers in which people are signed in."""
        from vivavoce.store.repositories.sessions import Sessions

        return Sessions(self.connection)

    @cached_property
    def tokens(self) -> Tokens:
        """Keys to the API."""
        from vivavoce.store.repositories.tokens import Tokens

        return Tokens(self.connection)

    @cached_property
    def links(self) -> Links:
        """Links that work once."""
        from vivavoce.store.repositories.links import Links

        return Links(self.connection)

    @cached_property
    def attempts(self) -> Attempts:
        """Failed sign-ins."""
        from vivavoce.store.repositories.attempts import Attempts

        return Attempts(self.connection)

    @cached_property
    def audit(self) -> Audit:
        """What was done by whom."""
        from vivavoce.store.repositories.audit import Audit

        return Audit(self.connection)

    @cached_property
    def projects(self) -> Projects:
        """Projects."""
        from vivavoce.store.repositories.projects import Projects

        return Projects(self.connection)

    @cached_property
    def topics(self) -> Topics:
        """Topics with their answers."""
        from vivavoce.store.repositories.topics import Topics

        return Topics(self.connection)

    @cached_property
    def examples(self) -> Examples:
        """Examples of topics."""
        from vivavoce.store.repositories.examples import Examples

        return Examples(self.connection)

    @cached_property
    def edits(self) -> Edits:
        """Changes of material."""
        from vivavoce.store.repositories.edits import Edits

        return Edits(self.connection)

    @cached_property
    def bots(self) -> Bots:
        """Bots of a project."""
        from vivavoce.store.repositories.bots import Bots

        return Bots(self.connection)

    @cached_property
    def suites(self) -> Suites:
        """Suites, their scenarios and the versions of these."""
        from vivavoce.store.repositories.suites import Suites

        return Suites(self.connection)

    @cached_property
    def runs(self) -> Runs:
        """Exams."""
        from vivavoce.store.repositories.runs import Runs

        return Runs(self.connection)

    @cached_property
    def units(self) -> Units:
        """Pieces of work of a run."""
        from vivavoce.store.repositories.units import Units

        return Units(self.connection)

    @cached_property
    def turns(self) -> Turns:
        """Messages of scripted conversations."""
        from vivavoce.store.repositories.turns import Turns

        return Turns(self.connection)

    @cached_property
    def outcomes(self) -> Outcomes:
        """Questions of intents exams."""
        from vivavoce.store.repositories.outcomes import Outcomes

        return Outcomes(self.connection)

    @cached_property
    def measures(self) -> Measures:
        """Numbers followed over time."""
        from vivavoce.store.repositories.measures import Measures

        return Measures(self.connection)

    @cached_property
    def documents(self) -> Documents:
        """Findings, reports and charts."""
        from vivavoce.store.repositories.documents import Documents

        return Documents(self.connection)

    @cached_property
    def schedules(self) -> Schedules:
        """Runs that start every day."""
        from vivavoce.store.repositories.schedules import Schedules

        return Schedules(self.connection)

    @cached_property
    def paces(self) -> Paces:
        """When the next message may be sent to a bot."""
        from vivavoce.store.repositories.paces import Paces

        return Paces(self.connection)

    @cached_property
    def workers(self) -> Workers:
        """Processes that do units."""
        from vivavoce.store.repositories.workers import Workers

        return Workers(self.connection)

    @cached_property
    def dialogues(self) -> Dialogues:
        """Logged talks."""
        from vivavoce.store.repositories.dialogues import Dialogues

        return Dialogues(self.connection)

    @cached_property
    def scores(self) -> Scores:
        """Scores of talks."""
        from vivavoce.store.repositories.scores import Scores

        return Scores(self.connection)

    @cached_property
    def ratings(self) -> Ratings:
        """What people think of talks and answers."""
        from vivavoce.store.repositories.ratings import Ratings

        return Ratings(self.connection)

    @cached_property
    def options(self) -> Options:
        """What holds for the whole workspace."""
        from vivavoce.store.repositories.options import Options

        return Options(self.connection)
