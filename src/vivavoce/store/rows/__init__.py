"""What the store gives out: one frozen row for each noun, as plain as the table it comes from."""

from vivavoce.store.rows.dialogues import DialogueRow, RatingRow, ScoreRow
from vivavoce.store.rows.edits import Change, Edit
from vivavoce.store.rows.material import BotRow, ExampleRow, Project, ScenarioRow, ScenarioVersion, SuiteRow, Topic
from vivavoce.store.rows.people import AttemptRow, AuditLine, Link, Role, SignIn, Token, User
from vivavoce.store.rows.runs import (
    DocumentRow,
    MeasureRow,
    OutcomeRow,
    Run,
    RunState,
    Schedule,
    TurnRow,
    Unit,
    UnitState,
    WorkerRow,
)

__all__ = [
    "AttemptRow",
    "AuditLine",
    "BotRow",
    "Change",
    "DialogueRow",
    "DocumentRow",
    "Edit",
    "ExampleRow",
    "Link",
    "MeasureRow",
    "OutcomeRow",
    "Project",
    "RatingRow",
    "Role",
    "Run",
    "RunState",
    "ScenarioRow",
    "ScenarioVersion",
    "Schedule",
    "ScoreRow",
    "SignIn",
    "SuiteRow",
    "Token",
    "Topic",
    "TurnRow",
    "Unit",
    "UnitState",
    "User",
    "WorkerRow",
]
