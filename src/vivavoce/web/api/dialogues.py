"""Logged dialogues: imported, read, scored, and rated by people."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, UploadFile
from fastapi import Form as FormField
from pydantic import BaseModel, Field

from vivavoce.dialogues.dialogue import Dialogue, Rating, Utterance
from vivavoce.dialogues.facts import Fact
from vivavoce.dialogues.json_form import to_json
from vivavoce.jobs.exams.kinds import DIALOGUES
from vivavoce.store.repositories.dialogues import DialogueFilter
from vivavoce.store.rows import DialogueRow, RatingRow, Run, ScoreRow
from vivavoce.web.api.bodies import (
    Asked,
    Body,
    Id,
    Limit,
    Listed,
    Offset,
    Place,
    StartBody,
    Text,
    Word,
    build,
    make_list,
    start_body,
)
from vivavoce.web.api.runs import RunNumber
from vivavoce.web.listing import LARGEST, Search
from vivavoce.web.uploads import uploaded_source
from vivavoce.web.visits import EditorVisit, ReaderVisit, ReviewerVisit
from vivavoce.workspace.dialogues import dialogues, ratings
from vivavoce.workspace.dialogues.dialogues import TalkLine, list_talks
from vivavoce.workspace.dialogues.imports import (
    PENDING,
    PlannedTalk,
    Taken,
    add_talks,
    apply_talks,
    open_talks,
    prepare_talks,
)
from vivavoce.workspace.dialogues.overview import Refused, facts_of, findings_of
from vivavoce.workspace.dialogues.ratings import Opinion, Order, Verdict
from vivavoce.workspace.dialogues.reading import Existing, TalkChoices, talks_of_run
from vivavoce.workspace.exams import runs
from vivavoce.workspace.exams.project_exams import start_exam
from vivavoce.workspace.uploads import Encoding

router = APIRouter(tags=["dialogues"])
MAX_TALKS, MAX_MESSAGES, MAX_MARKS = 2000, 5000, 100
Sort = Literal["score", "-score", "name", "-name", "created", "-created"]
TalkId = Annotated[Id, Path(description="The id of a dialogue.")]
UploadKey = Annotated[Id, Path(description="The key of an upload.")]


class NewMessage(Body):
    """One message; `is_bot` null: unknown."""

    speaker: Text
    text: Text
    is_bot: bool | None = None


class NewMark(Body):
    """A person's rating of the dialogue, from 1 (very bad) to 5 (very good)."""

    rater: Word
    quality: Annotated[float, Field(ge=1, le=5)]


class NewTalk(Body):
    """A dialogue to import; `passed`: whether its scripted checks passed; `began`: when it took place."""

    id: Annotated[Text, Field(min_length=1, max_length=400)]
    turns: Annotated[list[NewMessage], Field(min_length=1, max_length=MAX_MESSAGES)]
    ratings: Annotated[list[NewMark], Field(max_length=MAX_MARKS)] = Field(default_factory=list)
    bot: Word | None = None
    user: Word | None = None
    source: Text = ""
    passed: bool | None = None
    began: datetime | None = None

    def dialogue(self) -> Dialogue:
        """Return the dialogue as all other code reads it."""
        turns = tuple(Utterance(turn.speaker, turn.text, turn.is_bot) for turn in self.turns)
        ratings = tuple(Rating(rating.rater, rating.quality) for rating in self.ratings)
        return Dialogue(self.id, turns, ratings, self.source, self.bot, self.user, self.passed, began=self.began)


class NewTalks(Body):
    """Dialogues to import as one batch; `existing`: what to do with dialogues whose id already exists."""

    batch: Word
    dialogues: Annotated[list[NewTalk], Field(min_length=1, max_length=MAX_TALKS)]
    existing: Existing = "skip"


class RunTalks(Body):
    """A batch made of a run's conversations; the default name is that of the run."""

    batch: Annotated[Text, Field(max_length=200)] = ""
    existing: Existing = "skip"


if TYPE_CHECKING:
    NewScoring = StartBody
else:
    about = "An exam to start, on one batch or all dialogues. Only admins can choose another rater."
    NewScoring = start_body("NewScoring", about, DIALOGUES)


class Batch(BaseModel):
    """Dialogues that were imported together."""

    name: str
    talks: int


class Gone(BaseModel):
    """The number of deleted dialogues."""

    talks: int


class PreviewSummary(BaseModel):
    """What an upload would do: the number of dialogues by effect, and what was skipped."""

    key: str
    name: str
    batch: str
    counts: dict[str, int]
    notes: tuple[str, ...]
    speakers: tuple[str, ...]


class TalkAnswer(BaseModel):
    """A dialogue with its newest score, its number of ratings, and events quoted from its text."""

    dialogue: DialogueRow
    run: int | None
    score: ScoreRow | None
    marks: int
    facts: tuple[Fact, ...] = ()


class RunFindings(BaseModel):
    """The result of an exam, without the dialogues, which have their own list."""

    headline: str
    talks: int
    scored: int
    marked: int
    passport: dict[str, Any]
    ranking: dict[str, Any] | None
    queue: list[dict[str, Any]]
    refused: tuple[Refused, ...]


@router.get("/projects/{slug}/dialogues")
def list_dialogues(
    visit: ReaderVisit,
    *,
    batch: Asked = None,
    bot: Asked = None,
    search: Search = "",
    marked: bool | None = None,
    sort: Sort = "score",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Listed[TalkLine]:
    """List dialogues with their newest scores, worst first."""
    chosen = DialogueFilter(batch, bot, search or None, marked)
    return make_list(*list_talks(*visit.here, chosen, sort=sort, limit=limit, offset=offset))


@router.post("/projects/{slug}/dialogues", status_code=201)
def add_dialogues(visit: EditorVisit, place: Place, body: NewTalks) -> Taken:
    """Import dialogues; rejected ones are listed with the reason."""
    talks = [dialogue.dialogue() for dialogue in body.dialogues]
    outcome = add_talks(*visit.acting, talks, TalkChoices(body.batch, existing=body.existing))
    return place(outcome, "dialogues", batch=body.batch)


@router.get("/projects/{slug}/dialogues/{talk_id}")
def show_dialogue(visit: ReaderVisit, talk_id: TalkId) -> TalkAnswer:
    """Get a dialogue with its newest score."""
    talk = dialogues.find_talk(*visit.here, talk_id)
    ratings = sum(row.turn == 0 and row.quality is not None for row in talk.ratings)
    run, score = (talk.score.run, talk.score.row) if talk.score else (None, None)
    return TalkAnswer(dialogue=talk.row, run=run, score=score, marks=ratings, facts=facts_of(talk.row))


@router.post("/projects/{slug}/dialogue-uploads", status_code=201)
def upload_dialogues(
    visit: EditorVisit,
    place: Place,
    *,
    file: UploadFile,
    batch: Annotated[Text, FormField(max_length=200)] = "",
    speaker: Annotated[Text, FormField(max_length=200)] = "",
    bot: Annotated[Text, FormField(max_length=200)] = "",
    existing: Annotated[Existing, FormField()] = "skip",
    encoding: Annotated[Encoding, FormField()] = "",
    sheet: Annotated[Text, FormField(max_length=200)] = "",
    header: Annotated[int, FormField(ge=0, le=10_000_000)] = 0,
) -> PreviewSummary:
    """Upload a log and preview its import; nothing is saved until you apply the upload."""
    choices = TalkChoices(batch, speaker, bot, existing, encoding, sheet, header)
    preview = prepare_talks(*visit.acting, uploaded_source(visit.request, file), choices)
    counts = {str(kind): n for kind, n in preview.counts.items()}
    summary = build(PreviewSummary, preview, preview.log, batch=preview.choices.batch, counts=counts)
    return place(summary, "dialogue-uploads", preview.key)


@router.get("/projects/{slug}/dialogue-uploads/{key}")
def list_upload_talks(
    visit: EditorVisit, key: UploadKey, *, limit: Limit = 50, offset: Offset = 0
) -> Listed[PlannedTalk]:
    """Preview each dialogue of an upload, rejected ones first."""
    rows = open_talks(*visit.acting, key).rows
    return make_list(rows[offset : offset + limit], len(rows))


@router.post("/projects/{slug}/dialogue-uploads/{key}/apply", status_code=201)
def apply_upload(visit: EditorVisit, place: Place, key: UploadKey) -> Taken:
    """Import the dialogues of an upload."""
    batch = open_talks(*visit.acting, key).choices.batch
    outcome = apply_talks(*visit.acting, key)
    return place(outcome, "dialogues", batch=batch)


@router.delete("/projects/{slug}/dialogue-uploads/{key}", status_code=204)
def drop_upload(visit: EditorVisit, key: UploadKey) -> None:
    """Discard an upload that was not applied."""
    PENDING.drop(*visit.acting, key)


@router.get("/projects/{slug}/dialogue-batches")
def list_batches(visit: ReaderVisit) -> Listed[Batch]:
    """List the batches of imported dialogues, newest first."""
    return make_list(Batch(name=name, talks=n) for name, n in dialogues.list_batches(*visit.here).items())


@router.delete("/projects/{slug}/dialogue-batches")
def delete_batch(visit: EditorVisit, name: Annotated[str, Query(min_length=1, max_length=200)]) -> Gone:
    """Permanently delete the dialogues of a batch with their scores and ratings."""
    return Gone(talks=dialogues.delete_batch(*visit.acting, name))


@router.post("/projects/{slug}/dialogue-batches/of-run/{number}", status_code=201)
def add_run_dialogues(visit: EditorVisit, place: Place, number: RunNumber, body: RunTalks) -> Taken:
    """Import a run's conversations as dialogues, each with whether all its checks passed."""
    talks = talks_of_run(*visit.here, number)
    choices = TalkChoices(body.batch or f"run {number}", existing=body.existing)
    outcome = add_talks(*visit.acting, talks, choices)
    return place(outcome, "dialogues", batch=choices.batch)


@router.post("/projects/{slug}/dialogue-runs", status_code=201)
def start_scoring(visit: EditorVisit, place: Place, body: NewScoring) -> Run:
    """Start an exam on one batch or all dialogues; a worker runs it."""
    run = start_exam(*visit.acting, DIALOGUES.name, body.read_options(), body.title)
    return place(run, "runs", run.number)


@router.get("/projects/{slug}/dialogue-runs/{number}")
def show_dialogue_findings(visit: ReaderVisit, number: RunNumber) -> RunFindings:
    """Get the result of an exam, once it is done."""
    run = runs.show_run(*visit.here, number, dialogues.KIND).run
    findings = findings_of(visit.store, run)
    result = {name: to_json(getattr(findings.result, name)) for name in ("passport", "ranking", "queue")}
    return build(RunFindings, findings, headline=run.headline, **result)


ratings_router = APIRouter(tags=["ratings"])
MAX_ANSWERS = 5000


class Answer(Body):
    """Whether one reply of the bot is good; `number`: of the message, from 1."""

    number: Annotated[int, Field(ge=1, le=LARGEST)]
    verdict: Verdict


class NewOpinion(Body):
    """Your rating of a dialogue, from 1 (very bad) to 5 (very good), and your verdicts on its replies."""

    quality: Annotated[int, Field(ge=1, le=5)] | None = None
    answers: Annotated[list[Answer], Field(max_length=MAX_ANSWERS)] = Field(default_factory=list)


class NextTalk(BaseModel):
    """The next dialogue for you to rate, without its score; null: you have rated all of them.

    `silent`: dialogues left out because the bot never spoke.
    """

    dialogue: DialogueRow | None
    done: int
    total: int
    silent: int


@ratings_router.get("/projects/{slug}/ratings/next")
def show_next_talk(
    visit: ReviewerVisit,
    *,
    order: Order = "random",
    bot: Asked = None,
    skip: Annotated[str, Query(max_length=64)] = "",
) -> NextTalk:
    """Get the next dialogue to rate: at random or worst first; `skip` postpones one."""
    talk = ratings.next_talk(*visit.acting, order=order, bot=bot, skip=skip)
    return build(NextTalk, talk, dialogue=talk.row)


@ratings_router.get("/projects/{slug}/ratings/agreement")
def show_agreement(visit: ReaderVisit, bot: Asked = None) -> ratings.Accord:
    """Get how well the scores agree with people's ratings, and people with each other."""
    return ratings.measure_accord(*visit.here, bot=bot)


@ratings_router.get("/projects/{slug}/dialogues/{talk_id}/ratings")
def list_ratings(visit: ReaderVisit, talk_id: TalkId) -> Listed[RatingRow]:
    """List the ratings of a dialogue: of the whole dialogue (`turn` 0), then of its replies."""
    return make_list(dialogues.find_talk(*visit.here, talk_id).ratings)


@ratings_router.put("/projects/{slug}/dialogues/{talk_id}/ratings/mine")
def rate_talk(visit: ReviewerVisit, talk_id: TalkId, body: NewOpinion) -> Opinion:
    """Rate a dialogue. This replaces your earlier rating and verdicts."""
    opinion = Opinion(body.quality, {answer.number: answer.verdict for answer in body.answers})
    return ratings.rate_talk(*visit.acting, talk_id, opinion)


@ratings_router.delete("/projects/{slug}/dialogues/{talk_id}/ratings/mine")
def withdraw_rating(visit: ReviewerVisit, talk_id: TalkId) -> Opinion:
    """Withdraw your rating of a dialogue; returns it."""
    return ratings.take_back(*visit.acting, talk_id)
