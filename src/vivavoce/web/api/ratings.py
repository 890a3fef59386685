"""What people think of talks, the next one to rate, and whether score and people agree."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from vivavoce.store.rows import DialogueRow, RatingRow
from vivavoce.web.api.bodies import Asked, Body, Listed, build, make_list
from vivavoce.web.api.dialogues import TalkId
from vivavoce.web.listing import LARGEST
from vivavoce.web.visits import ReaderVisit, ReviewerVisit
from vivavoce.workspace.dialogues import dialogues, ratings
from vivavoce.workspace.dialogues.ratings import Opinion, Order, Verdict

router = APIRouter(tags=["ratings"])
MAX_ANSWERS = 5000


class Answer(Body):
    """Whether one answer of the bot is good; `number`: of the message, from 1."""

    number: Annotated[int, Field(ge=1, le=LARGEST)]
    verdict: Verdict


class NewOpinion(Body):
    """What you think of a talk: a mark from 1 (very bad) to 5 (very good), and of its answers."""

    quality: Annotated[int, Field(ge=1, le=5)] | None = None
    answers: Annotated[list[Answer], Field(max_length=MAX_ANSWERS)] = Field(default_factory=list)


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
    visit: ReviewerVisit,
    *,
    order: Order = "random",
    bot: Asked = None,
    skip: Annotated[str, Query(max_length=64)] = "",
) -> NextTalk:
    """Return the next talk to rate: by chance, or the worst first; `skip` leaves one for later."""
    asked = ratings.next_talk(visit.store, visit.actor, visit.project, order=order, bot=bot, skip=skip)
    return build(NextTalk, asked, dialogue=asked.row)


@router.get("/projects/{slug}/ratings/agreement")
def show_agreement(visit: ReaderVisit, bot: Asked = None) -> ratings.Accord:
    """Return how the score follows people's marks, and how people agree with each other."""
    return ratings.measure_accord(visit.store, visit.project, bot=bot)


@router.get("/projects/{slug}/dialogues/{talk_id}/ratings")
def list_ratings(visit: ReaderVisit, talk_id: TalkId) -> Listed[RatingRow]:
    """Return what people think of a talk: marks of the whole (`turn` 0), then of its answers."""
    return make_list(dialogues.find_talk(visit.store, visit.project, talk_id).ratings)


@router.put("/projects/{slug}/dialogues/{talk_id}/ratings/mine")
def rate_talk(visit: ReviewerVisit, talk_id: TalkId, body: NewOpinion) -> Opinion:
    """Say what you think of a talk; what you said before and do not say again is forgotten."""
    opinion = Opinion(body.quality, {answer.number: answer.verdict for answer in body.answers})
    return ratings.rate_talk(visit.store, visit.actor, visit.project, talk_id, opinion)


@router.delete("/projects/{slug}/dialogues/{talk_id}/ratings/mine")
def withdraw_rating(visit: ReviewerVisit, talk_id: TalkId) -> Opinion:
    """Take back what you said of a talk; returns what it was."""
    return ratings.take_back(visit.store, visit.actor, visit.project, talk_id)
