"""Topics with their answers, their examples, and the history of both."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from vivavoce.records import Rate
from vivavoce.store.rows import Edit, ExampleRow, Topic
from vivavoce.web.answers import MEDIA, TABLES, download, table_file
from vivavoce.web.api.bodies import Body, Id, Limit, Line, Listed, Offset, Place, Text, Why, Word, build, make_list
from vivavoce.web.forms import MAX_WHY
from vivavoce.web.listing import Search
from vivavoce.web.visits import EditorVisit, ReaderVisit
from vivavoce.workspace.topics import examples, history, overview, topics
from vivavoce.workspace.topics.datasets import COLUMNS, example_table, export_json
from vivavoce.workspace.topics.history import undo_or_explain
from vivavoce.workspace.topics.overview import Flag, TopicLine
from vivavoce.workspace.topics.topics import AnswerChoice, Made, split_topic

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
    """A topic to create."""

    name: Word
    description: Text = ""
    owner: Annotated[Text, Field(max_length=200)] = ""
    answers: Answers = Field(default_factory=dict)
    examples: Annotated[list[Line], Field(max_length=10_000)] = Field(default_factory=list)
    why: Why = ""


class ChangedTopic(Body):
    """Changes to a topic; fields left out keep their values, an empty answer is deleted."""

    name: Word | None = None
    description: Text | None = None
    owner: Annotated[Text, Field(max_length=200)] | None = None
    answers: Answers | None = None
    why: Why = ""


class Merging(Body):
    """Topics to merge into another one, and what to do with their answers.

    Without `answer` the remaining topic gets the answers it lacks; if two topics have different answers in a
    language, the merge is rejected until you choose.
    """

    topics: Ids
    into: Id
    answer: AnswerChoice | None = None
    why: Why = ""


class Chosen(Body):
    """The selected topics."""

    topics: Ids
    why: Why = ""


class TopicDetail(BaseModel):
    """A topic, its state, and its metrics in the latest exam (null: not examined)."""

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
    """List topics, optionally filtered by words in name, description or answer."""
    page = overview.list_topics(*visit.here, search=search, flag=flag, sort=sort, limit=limit, offset=offset)
    return make_list(page.lines, page.total)


@router.post("/projects/{slug}/topics", status_code=201)
def add_topic(visit: EditorVisit, place: Place, body: NewTopic) -> topics.Made:
    """Create a topic with its answers and first examples; returns it with the edit, which you can undo."""
    new = topics.add_topic(*visit.acting, **body.model_dump())
    return place(new, "topics", new.topic.id)


@router.post("/projects/{slug}/topics/merge")
def merge_topics(visit: EditorVisit, body: Merging) -> Edit:
    """Merge topics into another one; returns the edit."""
    return topics.merge_topics(*visit.acting, body.topics, body.into, answer=body.answer, why=body.why)


@router.post("/projects/{slug}/topics/delete")
def delete_topics(visit: EditorVisit, body: Chosen) -> Edit:
    """Delete topics with their examples and answers; returns the edit."""
    return topics.delete_topics(*visit.acting, body.topics, why=body.why)


@router.get(
    "/projects/{slug}/topics/export.{kind}",
    response_class=Response,
    responses={200: {"content": {MEDIA[form]: {} for form in FORMS}, "description": "All examples."}},
)
def export_topics(visit: ReaderVisit, kind: Literal["csv", "xlsx", "json"]) -> Response:
    """Download all examples with their topics and answers, in a form that you can import."""
    if kind == "json":
        return download(f"{visit.project.slug}.json", MEDIA["json"], export_json(*visit.here))
    return table_file(visit.project.slug, kind, COLUMNS, example_table(*visit.here))


@router.get("/projects/{slug}/topics/{topic_id}")
def show_topic(visit: ReaderVisit, topic_id: Id) -> TopicDetail:
    """Get a topic and its state."""
    state = overview.topic_state(*visit.here, topic_id)
    line, findings = state.line, state.findings
    if findings is None:
        return TopicDetail(topic=line.topic, size=line.size, flags=line.flags)
    return build(TopicDetail, findings, line)


@router.patch("/projects/{slug}/topics/{topic_id}")
def change_topic(visit: EditorVisit, topic_id: Id, body: ChangedTopic) -> Edit:
    """Change the name, description, answers or owner of a topic; returns the edit."""
    return topics.change_topic(*visit.acting, topic_id, **body.model_dump())


@router.delete("/projects/{slug}/topics/{topic_id}")
def delete_topic(visit: EditorVisit, topic_id: Id, why: Annotated[str, Query(max_length=MAX_WHY)] = "") -> Edit:
    """Delete a topic with its examples and answers; returns the edit."""
    return topics.delete_topics(*visit.acting, [topic_id], why=why)


examples_router = APIRouter(tags=["examples"])


class NewExamples(Body):
    """Examples to add to a topic (null: out of scope)."""

    texts: Annotated[list[Line], Field(min_length=1, max_length=10_000)]
    topic: Id | None = None
    language: Language | None = None
    why: Why = ""


class ChangedExample(Body):
    """The new text of an example."""

    text: Line
    language: Language | None = None
    why: Why = ""


class ChosenExamples(Body):
    """The selected examples."""

    examples: Ids
    why: Why = ""


class MovedExamples(ChosenExamples):
    """Examples and the topic to move them to (null: out of scope)."""

    topic: Id | None


class SplitExamples(ChosenExamples):
    """Examples and the name of the new topic for them."""

    name: Word


@examples_router.get("/projects/{slug}/examples")
def list_examples(
    visit: ReaderVisit,
    *,
    topic: Id | None = None,
    out_of_scope: bool = False,
    search: Search = "",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Listed[ExampleRow]:
    """List examples of all topics, of one topic, or out of scope, optionally filtered by words."""
    page = examples.list_examples(
        *visit.here, topic_id=topic, out_of_scope=out_of_scope, search=search, limit=limit, offset=offset
    )
    return make_list(page.examples, page.total)


@examples_router.post("/projects/{slug}/examples", status_code=201)
def add_examples(visit: EditorVisit, place: Place, body: NewExamples) -> examples.Added:
    """Add examples to a topic; duplicates are listed and not added."""
    added = examples.add_examples(
        *visit.acting,
        # A tab would name another topic, which here has a field of its own.
        [text.replace("\t", " ") for text in body.texts],
        topic_id=body.topic,
        language=body.language or "",
        source="api",
        why=body.why,
    )
    return place(added, "edits", added.edit.id)


@examples_router.post("/projects/{slug}/examples/move")
def move_examples(visit: EditorVisit, body: MovedExamples) -> Edit:
    """Move examples to another topic or out of scope; returns the edit."""
    return examples.move_examples(*visit.acting, body.examples, topic_id=body.topic, why=body.why)


@examples_router.post("/projects/{slug}/examples/split", status_code=201)
def split_examples(visit: EditorVisit, place: Place, body: SplitExamples) -> Made:
    """Split examples off into a new topic; returns it with the edit."""
    new = split_topic(*visit.acting, body.examples, body.name, why=body.why)
    return place(new, "topics", new.topic.id)


@examples_router.post("/projects/{slug}/examples/delete")
def delete_examples(visit: EditorVisit, body: ChosenExamples) -> Edit:
    """Delete examples; returns the edit."""
    return examples.delete_examples(*visit.acting, body.examples, why=body.why)


@examples_router.put("/projects/{slug}/examples/{example_id}")
def change_example(visit: EditorVisit, example_id: Id, body: ChangedExample) -> Edit:
    """Change the text of an example; returns the edit."""
    return examples.change_example(
        *visit.acting, example_id, text=body.text, language=body.language or "", why=body.why
    )


edits_router = APIRouter(tags=["edits"])


class Undoing(Body):
    """The reason for undoing an edit."""

    why: Why = ""


@edits_router.get("/projects/{slug}/edits")
def list_edits(visit: ReaderVisit, limit: Limit = 50, offset: Offset = 0) -> Listed[history.EditLine]:
    """List the edits of a project, newest first."""
    page = history.list_edits(*visit.here, limit=limit, offset=offset)
    return make_list(page.lines, page.total)


@edits_router.get("/projects/{slug}/edits/{edit_id}")
def show_edit(visit: ReaderVisit, edit_id: Id) -> history.EditDetail:
    """Get an edit with its first 200 changed rows."""
    return history.show_edit(*visit.here, edit_id)


@edits_router.post("/projects/{slug}/edits/{edit_id}/undo", status_code=201)
def undo_edit(visit: EditorVisit, place: Place, edit_id: Id, body: Undoing) -> Edit:
    """Undo an edit; returns the edit that does so, which you can undo too.

    If a later edit builds on it, the error names that edit: undo it first.
    """
    edit = undo_or_explain(*visit.acting, edit_id, why=body.why)
    return place(edit, "edits", edit.id)
