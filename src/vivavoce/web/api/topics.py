"""Topics: how they stand, their answers, merging and deleting."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from vivavoce.records import Rate
from vivavoce.store.rows import Edit, Topic
from vivavoce.web.answers import MEDIA, TABLES, download, table_file
from vivavoce.web.api.bodies import Body, Id, Limit, Line, Listed, Offset, Place, Text, Why, Word, build, make_list
from vivavoce.web.forms import MAX_WHY
from vivavoce.web.listing import Search
from vivavoce.web.visits import EditorVisit, ReaderVisit
from vivavoce.workspace.topics import overview, topics
from vivavoce.workspace.topics.datasets import COLUMNS, example_table, export_json
from vivavoce.workspace.topics.overview import Flag, TopicLine
from vivavoce.workspace.topics.topics import AnswerChoice

router = APIRouter(tags=["topics"])
FORMS = (*TABLES, "json")
Language = Annotated[str, Field(pattern="^[a-z]{2,3}(-[a-zA-Z0-9]{1,8})*$", max_length=20)]
Answers = Annotated[dict[Language, Text], Field(max_length=50)]
Ids = Annotated[list[Id], Field(min_length=1, max_length=1000)]
Sort = Literal[
    "name", "-name", "size", "-size", "share", "-share", "right", "-right", "wrong", "-wrong", "flags", "-flags",
    "owner", "-owner", "created", "-created",
]  # fmt: skip


class NewTopic(Body):
    """A topic to be made."""

    name: Word
    description: Text = ""
    owner: Annotated[Text, Field(max_length=200)] = ""
    answers: Answers = Field(default_factory=dict)
    examples: Annotated[list[Line], Field(max_length=10_000)] = Field(default_factory=list)
    why: Why = ""


class ChangedTopic(Body):
    """What a topic says from now on; what is left out stays, an empty answer goes."""

    name: Word | None = None
    description: Text | None = None
    owner: Annotated[Text, Field(max_length=200)] | None = None
    answers: Answers | None = None
    why: Why = ""


class Merging(Body):
    """Topics that go into another one, and what becomes of their answers.

    Without `answer` the topic that remains gets the answers it lacks; where two topics answer differently in a
    language, the merge is refused until it is said.
    """

    topics: Ids
    into: Id
    answer: AnswerChoice | None = None
    why: Why = ""


class Chosen(Body):
    """Topics that are chosen."""

    topics: Ids
    why: Why = ""


class TopicDetail(BaseModel):
    """A topic, how it stands, and the rates of the latest exam (null: it was not examined)."""

    topic: Topic
    size: int
    flags: tuple[Flag, ...]
    recall: Rate | None = None
    precision: Rate | None = None
    deferred: Rate | None = None
    typical: tuple[str, ...] = ()
    unusual: tuple[str, ...] = ()


@router.get("/projects/{slug}/topics")
def list_topics(
    visit: ReaderVisit,
    *,
    search: Search = "",
    flag: Flag | None = None,
    sort: Sort = "name",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Listed[TopicLine]:
    """Return topics: those whose name, description or answer holds the words."""
    page = overview.list_topics(
        visit.store, visit.project, search=search, flag=flag, sort=sort, limit=limit, offset=offset
    )
    return make_list(page.lines, page.total)


@router.post("/projects/{slug}/topics", status_code=201)
def add_topic(visit: EditorVisit, place: Place, body: NewTopic) -> topics.Made:
    """Make a topic with its answers and first examples; returns it with the edit, which can be undone."""
    made = topics.add_topic(visit.store, visit.actor, visit.project, **body.model_dump())
    return place(made, "topics", made.topic.id)


@router.post("/projects/{slug}/topics/merge")
def merge_topics(visit: EditorVisit, body: Merging) -> Edit:
    """Give the examples of topics to another one and delete them; returns the edit."""
    return topics.merge_topics(
        visit.store, visit.actor, visit.project, body.topics, body.into, answer=body.answer, why=body.why
    )


@router.post("/projects/{slug}/topics/delete")
def delete_topics(visit: EditorVisit, body: Chosen) -> Edit:
    """Delete topics with their examples and answers; returns the edit."""
    return topics.delete_topics(visit.store, visit.actor, visit.project, body.topics, why=body.why)


@router.get(
    "/projects/{slug}/topics/export.{kind}",
    response_class=Response,
    responses={200: {"content": {MEDIA[form]: {} for form in FORMS}, "description": "All examples."}},
)
def export_topics(visit: ReaderVisit, kind: Literal["csv", "xlsx", "json"]) -> Response:
    """Return all examples with their topics and answers, as an import reads them."""
    if kind == "json":
        return download(f"{visit.project.slug}.json", MEDIA["json"], export_json(visit.store, visit.project))
    return table_file(visit.project.slug, kind, COLUMNS, example_table(visit.store, visit.project))


@router.get("/projects/{slug}/topics/{topic_id}")
def show_topic(visit: ReaderVisit, topic_id: Id) -> TopicDetail:
    """Return a topic and how it stands."""
    state = overview.topic_state(visit.store, visit.project, topic_id)
    line, findings = state.line, state.findings
    if findings is None:
        return TopicDetail(topic=line.topic, size=line.size, flags=line.flags)
    return build(TopicDetail, findings, line)


@router.patch("/projects/{slug}/topics/{topic_id}")
def change_topic(visit: EditorVisit, topic_id: Id, body: ChangedTopic) -> Edit:
    """Rename, describe, answer or give away a topic; returns the edit."""
    return topics.change_topic(visit.store, visit.actor, visit.project, topic_id, **body.model_dump())


@router.delete("/projects/{slug}/topics/{topic_id}")
def delete_topic(visit: EditorVisit, topic_id: Id, why: Annotated[str, Query(max_length=MAX_WHY)] = "") -> Edit:
    """Delete a topic with its examples and answers; returns the edit."""
    return topics.delete_topics(visit.store, visit.actor, visit.project, [topic_id], why=why)
