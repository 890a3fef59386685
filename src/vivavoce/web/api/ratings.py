"""What people think of talks, the next one to rate, and whether score and people agree."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from vivavoce.store.rows import DialogueRow, RatingRow
from vivavoce.web.access import InStore, ProjectInPath, Reader, Reviewer
from vivavoce.web.api.bodies import Body
from vivavoce.web.api.dialogues import TalkId
from vivavoce.web.api.lists import Asked, Listed, listed
from vivavoce.web.listing import LARGEST
from vivavoce.workspace.dialogues import agreement, dialogues, ratings
from vivavoce.workspace.dialogues.ratings import Opinion, Order, Verdict

router = APIRouter(tags=["ratings"])
MOST_ANSWERS = 5000


class Answer(Body):
    """Whether one answer of the bot is good; `number`: of the message, from 1."""

    number: Annotated[int, Field(ge=1, le=LARGEST)]
    verdict: Verdict


class NewOpinion(Body):
    """What you think of a talk: a mark from 1 (very bad) to 5 (very good), and of its answers."""

    quality: Annotated[int, Field(ge=1, le=5)] | None = None
    answers: Annotated[list[Answer], Field(max_length=MOST_ANSWERS)] = Field(default_factory=list)


class NextTalk(BaseModel):
    """The talk that you are asked to rate, without its score; null: you have rated all of them.

    `silent`: talks that are left out because the bot never spoke in them.
    """

    dialogue: DialogueRow | None
    done: int
    total: int
    silent: int


@router.get("/projects/{slug}/ratings/next")
def show_next_talk(
    who: Reviewer,
    store: InStore,
    project: ProjectInPath,
    *,
    order: Order = "random",
    bot: Asked = None,
    skip: Annotated[str, Query(max_length=64)] = "",
) -> NextTalk:
    """Return the next talk to rate: by chance, or the worst first; `skip` leaves one for later."""
    asked = ratings.next_talk(store, who.actor, project, order=order, bot=bot, skip=skip)
    return NextTalk(dialogue=asked.row, done=asked.done, total=asked.total, silent=asked.silent)


@router.get("/projects/{slug}/ratings/agreement")
def show_agreement(who: Reader, store: InStore, project: ProjectInPath, bot: Asked = None) -> agreement.Accord:
    """Return how the score follows people's marks, and how people agree with each other."""
    return agreement.measure_accord(store, project, bot=bot)


@router.get("/projects/{slug}/dialogues/{talk_id}/ratings")
def list_ratings(who: Reader, store: InStore, project: ProjectInPath, talk_id: TalkId) -> Listed[RatingRow]:
    """Return what people think of a talk: marks of the whole (`turn` 0), then of its answers."""
    return listed(dialogues.find_talk(store, project, talk_id).ratings)


@router.put("/projects/{slug}/dialogues/{talk_id}/ratings/mine")
def rate_talk(who: Reviewer, store: InStore, project: ProjectInPath, talk_id: TalkId, body: NewOpinion) -> Opinion:
    """Say what you think of a talk; what you said before and do not say again is forgotten."""
    opinion = Opinion(body.quality, {one.number: one.verdict for one in body.answers})
    return ratings.rate_talk(store, who.actor, project, talk_id, opinion)


@router.delete("/projects/{slug}/dialogues/{talk_id}/ratings/mine")
def withdraw_rating(who: Reviewer, store: InStore, project: ProjectInPath, talk_id: TalkId) -> Opinion:
    """Take back what you said of a talk; returns what it was."""
    return ratings.take_back(store, who.actor, project, talk_id)
