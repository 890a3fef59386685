"""The recruiting assistant: general intents, a company's FAQ, job search, hand-over to a person. Knows no store."""

from vivavoce.assistant.assistant import Assistant
from vivavoce.assistant.company import Answer, Company, Options
from vivavoce.assistant.openings import Matches, Opening, Openings, OpeningsInMemory, Query
from vivavoce.assistant.talk import (
    Button,
    Choice,
    Entity,
    HandOver,
    Link,
    Outcome,
    Search,
    Stage,
    State,
    Step,
)

__all__ = [
    "Answer",
    "Assistant",
    "Button",
    "Choice",
    "Company",
    "Entity",
    "HandOver",
    "Link",
    "Matches",
    "Opening",
    "Openings",
    "OpeningsInMemory",
    "Options",
    "Outcome",
    "Query",
    "Search",
    "Stage",
    "State",
    "Step",
]
