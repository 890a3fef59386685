"""One transaction: a repository for each noun, over the same connection."""

from __future__ import annotations

from sqlalchemy.engine import Connection

from vivavoce.store.repositories.assistants import Assistants, Talks, Visitors
from vivavoce.store.repositories.audit import Audit, Options
from vivavoce.store.repositories.dialogues import Dialogues, Ratings, Scores
from vivavoce.store.repositories.edits import Edits
from vivavoce.store.repositories.inbox import Comments, Notices, Tasks
from vivavoce.store.repositories.material import (
    Bots,
    Decisions,
    Examples,
    Forecasts,
    Projects,
    Reserved,
    Suites,
    Topics,
)
from vivavoce.store.repositories.messages import Messages, Reviews
from vivavoce.store.repositories.openings import Mails, OpeningRows, Subscriptions
from vivavoce.store.repositories.people import Attempts, Links, Sessions, Tokens, Users
from vivavoce.store.repositories.results import Documents, Measures, Outcomes, Turns
from vivavoce.store.repositories.runs import Paces, Runs, Schedules, Workers
from vivavoce.store.repositories.units import Units


class Transaction:
    """All that can be asked and kept at one moment."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.audit = Audit(connection)
        self.options = Options(connection)
        self.dialogues = Dialogues(connection)
        self.ratings = Ratings(connection)
        self.scores = Scores(connection)
        self.edits = Edits(connection)
        self.bots = Bots(connection)
        self.examples = Examples(connection)
        self.decisions = Decisions(connection)
        self.forecasts = Forecasts(connection)
        self.projects = Projects(connection)
        self.reserved = Reserved(connection)
        self.suites = Suites(connection)
        self.topics = Topics(connection)
        self.assistants = Assistants(connection)
        self.visitors = Visitors(connection)
        self.talks = Talks(connection)
        self.messages = Messages(connection)
        self.reviews = Reviews(connection)
        self.comments = Comments(connection)
        self.notices = Notices(connection)
        self.tasks = Tasks(connection)
        self.openings = OpeningRows(connection)
        self.subscriptions = Subscriptions(connection)
        self.mails = Mails(connection)
        self.attempts = Attempts(connection)
        self.links = Links(connection)
        self.sessions = Sessions(connection)
        self.tokens = Tokens(connection)
        self.users = Users(connection)
        self.documents = Documents(connection)
        self.measures = Measures(connection)
        self.outcomes = Outcomes(connection)
        self.turns = Turns(connection)
        self.runs = Runs(connection)
        self.schedules = Schedules(connection)
        self.units = Units(connection)
        self.paces = Paces(connection)
        self.workers = Workers(connection)
