"""Examples of topics: what visitors write."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from vivavoce.store.rows import Edit, ExampleRow
from vivavoce.web.api.bodies import Body, Id, Limit, Line, Listed, Offset, Place, Why, Word, make_list
from vivavoce.web.api.topics import Ids, Language
from vivavoce.web.listing import Search
from vivavoce.web.visits import EditorVisit, ReaderVisit
from vivavoce.workspace.topics import examples
from vivavoce.workspace.topics.topics import Made, split_topic

router = APIRouter(tags=["examples"])


class NewExamples(Body):
    """Messages for a topic (null: out of scope)."""

    texts: Annotated[list[Line], Field(min_length=1, max_length=10_000)]
    topic: Id | None = None
    language: Language | None = None
    why: Why = ""


class ChangedExample(Body):
    """An example as it is from now on."""

    text: Line
    language: Language | None = None
    why: Why = ""


class ChosenExamples(Body):
    """Examples that are chosen."""

    examples: Ids
    why: Why = ""


class MovedExamples(ChosenExamples):
    """Examples and the topic that they go to (null: out of scope)."""

    topic: Id | None


class SplitExamples(ChosenExamples):
    """Examples and the name of the new topic that they become."""

    name: Word


@router.get("/projects/{slug}/examples")
def list_examples(
    visit: ReaderVisit,
    *,
    topic: Id | None = None,
    out_of_scope: bool = False,
    search: Search = "",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Listed[ExampleRow]:
    """Return examples that hold the words: of all topics, of one, or those out of scope."""
    page = examples.list_examples(
        visit.store,
        visit.project,
        topic_id=topic,
        out_of_scope=out_of_scope,
        search=search,
        limit=limit,
        offset=offset,
    )
    return make_list(page.examples, page.total)


@router.post("/projects/{slug}/examples", status_code=201)
def add_examples(visit: EditorVisit, place: Place, body: NewExamples) -> examples.Added:
    """Add examples to a topic; those that it has already are named and not doubled."""
    made = examples.add_examples(
        visit.store,
        visit.actor,
        visit.project,
        # A tab would name another topic, which here has a field of its own.
        [text.replace("\t", " ") for text in body.texts],
        topic_id=body.topic,
        language=body.language or "",
        source="api",
        why=body.why,
    )
    return place(made, "edits", made.edit.id)


@router.post("/projects/{slug}/examples/move")
def move_examples(visit: EditorVisit, body: MovedExamples) -> Edit:
    """Give examples to another topic, or out of scope; returns the edit."""
    return examples.move_examples(
        visit.store, visit.actor, visit.project, body.examples, topic_id=body.topic, why=body.why
    )


@router.post("/projects/{slug}/examples/split", status_code=201)
def split_examples(visit: EditorVisit, place: Place, body: SplitExamples) -> Made:
    """Make a new topic of examples; returns it with the edit."""
    made = split_topic(visit.store, visit.actor, visit.project, body.examples, body.name, why=body.why)
    return place(made, "topics", made.topic.id)


@router.post("/projects/{slug}/examples/delete")
def delete_examples(visit: EditorVisit, body: ChosenExamples) -> Edit:
    """Delete examples; returns the edit."""
    return examples.delete_examples(visit.store, visit.actor, visit.project, body.examples, why=body.why)


@router.put("/projects/{slug}/examples/{example_id}")
def change_example(visit: EditorVisit, example_id: Id, body: ChangedExample) -> Edit:
    """Write an example anew; returns the edit."""
    return examples.change_example(
        visit.store,
        visit.actor,
        visit.project,
        example_id,
        text=body.text,
        language=body.language or "",
        why=body.why,
    )
