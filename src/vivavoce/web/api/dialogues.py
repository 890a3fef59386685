"""Logged talks: brought in, listed, read, scored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request, UploadFile
from fastapi import Form as FormField
from pydantic import BaseModel, Field

from vivavoce.dialogues.dialogue import Dialogue, Rating, Utterance
from vivavoce.dialogues.json_form import to_json
from vivavoce.jobs.exams.kinds import DIALOGUES
from vivavoce.store.repositories.dialogues import DialogueFilter
from vivavoce.store.rows import DialogueRow, Run, ScoreRow
from vivavoce.web.access import Editor, InStore, ProjectInPath, Reader
from vivavoce.web.api.bodies import Body
from vivavoce.web.api.lists import Asked, Limit, Listed, Offset, listed
from vivavoce.web.api.option_bodies import StartBody, start_body
from vivavoce.web.api.places import Place
from vivavoce.web.api.runs import RunNumber
from vivavoce.web.api.texts import Id, Text, Word
from vivavoce.web.listing import Search
from vivavoce.web.uploads import uploaded_source
from vivavoce.workspace.dialogues import dialogues
from vivavoce.workspace.dialogues.dialogues import TalkLine, list_talks
from vivavoce.workspace.dialogues.findings import Refused, findings_of
from vivavoce.workspace.dialogues.imports import (
    Existing,
    PlannedTalk,
    Taken,
    TalkChoices,
    TalkPreview,
    add_talks,
    apply_talks,
    drop_talks,
    open_talks,
    prepare_talks,
)
from vivavoce.workspace.dialogues.reading import talks_of_run
from vivavoce.workspace.exams import runs
from vivavoce.workspace.exams.project_exams import start_exam

router = APIRouter(tags=["dialogues"])
MOST_TALKS, MOST_MESSAGES, MOST_MARKS = 2000, 5000, 100
Sort = Literal["score", "-score", "name", "-name", "created", "-created"]
TalkId = Annotated[Id, Path(description="The id of a talk.")]
UploadKey = Annotated[Id, Path(description="The key of an upload.")]


class NewMessage(Body):
    """One message; `is_bot` null: nobody says."""

    speaker: Text
    text: Text
    is_bot: bool | None = None


class NewMark(Body):
    """What a person thought of the talk, from 1 (very bad) to 5 (very good)."""

    rater: Word
    quality: Annotated[float, Field(ge=1, le=5)]


class NewTalk(Body):
    """A talk to be brought in; `passed`: whether scripted checks of it passed."""

    id: Annotated[Text, Field(min_length=1, max_length=400)]
    turns: Annotated[list[NewMessage], Field(min_length=1, max_length=MOST_MESSAGES)]
    ratings: Annotated[list[NewMark], Field(max_length=MOST_MARKS)] = Field(default_factory=list)
    bot: Word | None = None
    user: Word | None = None
    source: Text = ""
    passed: bool | None = None

    def dialogue(self) -> Dialogue:
        """Return the talk as everything else reads it."""
        turns = tuple(Utterance(one.speaker, one.text, one.is_bot) for one in self.turns)
        marks = tuple(Rating(one.rater, one.quality) for one in self.ratings)
        return Dialogue(self.id, turns, marks, self.source, self.bot, self.user, self.passed)


class NewTalks(Body):
    """Talks to be brought in together; `existing`: what becomes of talks whose id is there already."""

    batch: Word
    dialogues: Annotated[list[NewTalk], Field(min_length=1, max_length=MOST_TALKS)]
    existing: Existing = "skip"


class RunTalks(Body):
    """A batch of the conversations of a run; without a name it is called after the run."""

    batch: Annotated[Text, Field(max_length=200)] = ""
    existing: Existing = "skip"


if TYPE_CHECKING:
    NewScoring = StartBody
else:
    about = "An exam to be started: over a batch, or over all talks. Admins may name another rater."
    NewScoring = start_body("NewScoring", about, DIALOGUES)


class Batch(BaseModel):
    """Talks that came together."""

    name: str
    talks: int


class Gone(BaseModel):
    """How many talks were deleted."""

    talks: int


class PreviewSummary(BaseModel):
    """What an upload would do: how many talks become what, and what was passed over in reading."""

    key: str
    name: str
    batch: str
    counts: dict[str, int]
    notes: list[str]
    speakers: list[str]


class TalkAnswer(BaseModel):
    """A talk with its newest score, and how many marks people gave it."""

    dialogue: DialogueRow
    run: int | None
    score: ScoreRow | None
    marks: int


class RunFindings(BaseModel):
    """What an exam found, without the single talks: these are listed for themselves."""

    headline: str
    talks: int
    scored: int
    marked: int
    passport: dict[str, Any]
    ranking: dict[str, Any] | None
    queue: list[dict[str, Any]]
    refused: list[Refused]


# --- talks -------------------------------------------------------------------------------------------------------


@router.get("/projects/{slug}/dialogues")
def list_dialogues(
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    *,
    batch: Asked = None,
    bot: Asked = None,
    search: Search = "",
    marked: bool | None = None,
    sort: Sort = "score",
    limit: Limit = 50,
    offset: Offset = 0,
) -> Listed[TalkLine]:
    """Return talks with their newest scores, the worst first."""
    chosen = DialogueFilter(batch, bot, search or None, marked)
    found = list_talks(store, project, chosen, sort=sort, limit=limit, offset=offset)
    return listed(found.lines, found.total)


@router.post("/projects/{slug}/dialogues", status_code=201)
def add_dialogues(who: Editor, store: InStore, project: ProjectInPath, place: Place, body: NewTalks) -> Taken:
    """Bring in talks; those that cannot be kept are named with the reason."""
    talks = [one.dialogue() for one in body.dialogues]
    taken = add_talks(store, who.actor, project, talks, TalkChoices(body.batch, existing=body.existing))
    place("projects", project.slug, "dialogues", batch=body.batch)
    return taken


@router.get("/projects/{slug}/dialogues/{talk_id}")
def show_dialogue(who: Reader, store: InStore, project: ProjectInPath, talk_id: TalkId) -> TalkAnswer:
    """Return a talk with its newest score."""
    found = dialogues.find_talk(store, project, talk_id)
    marks = sum(one.turn == 0 and one.quality is not None for one in found.ratings)
    score = found.score
    return TalkAnswer(
        dialogue=found.row, run=score.run if score else None, score=score.row if score else None, marks=marks
    )


# --- a file, in two steps ----------------------------------------------------------------------------------------


@router.post("/projects/{slug}/dialogue-uploads", status_code=201)
def upload_dialogues(
    request: Request,
    who: Editor,
    store: InStore,
    project: ProjectInPath,
    place: Place,
    *,
    file: UploadFile,
    batch: Annotated[Text, FormField(max_length=200)] = "",
    speaker: Annotated[Text, FormField(max_length=200)] = "",
    bot: Annotated[Text, FormField(max_length=200)] = "",
    existing: Annotated[Existing, FormField()] = "skip",
) -> PreviewSummary:
    """Read a log and say what would become of its talks; nothing is kept before the upload is applied."""
    choices = TalkChoices(batch, speaker, bot, existing)
    preview = prepare_talks(store, who.actor, project, uploaded_source(request, file), choices)
    place("projects", project.slug, "dialogue-uploads", preview.key)
    return _summary(preview)


@router.get("/projects/{slug}/dialogue-uploads/{key}")
def list_upload_talks(
    who: Editor, store: InStore, project: ProjectInPath, key: UploadKey, *, limit: Limit = 50, offset: Offset = 0
) -> Listed[PlannedTalk]:
    """Return what would become of every talk of an upload, the refused ones first."""
    rows = open_talks(store, who.actor, project, key).rows
    return listed(rows[offset : offset + limit], len(rows))


@router.post("/projects/{slug}/dialogue-uploads/{key}/apply", status_code=201)
def apply_upload(who: Editor, store: InStore, project: ProjectInPath, place: Place, key: UploadKey) -> Taken:
    """Bring in the talks of an upload."""
    batch = open_talks(store, who.actor, project, key).choices.batch
    taken = apply_talks(store, who.actor, project, key)
    place("projects", project.slug, "dialogues", batch=batch)
    return taken


@router.delete("/projects/{slug}/dialogue-uploads/{key}", status_code=204)
def drop_upload(who: Editor, store: InStore, project: ProjectInPath, key: UploadKey) -> None:
    """Forget an upload that was not applied."""
    drop_talks(store, who.actor, project, key)


def _summary(preview: TalkPreview) -> PreviewSummary:
    return PreviewSummary(
        key=preview.key,
        name=preview.name,
        batch=preview.choices.batch,
        counts={str(kind): n for kind, n in preview.counts.items()},
        notes=list(preview.notes),
        speakers=list(preview.speakers),
    )


# --- batches and runs --------------------------------------------------------------------------------------------


@router.get("/projects/{slug}/dialogue-batches")
def list_batches(who: Reader, store: InStore, project: ProjectInPath) -> Listed[Batch]:
    """Return the batches in which talks came, the newest first."""
    return listed(Batch(name=name, talks=n) for name, n in dialogues.list_batches(store, project).items())


@router.delete("/projects/{slug}/dialogue-batches")
def delete_batch(
    who: Editor, store: InStore, project: ProjectInPath, name: Annotated[str, Query(min_length=1, max_length=200)]
) -> Gone:
    """Delete the talks of a batch with their scores and marks, for good."""
    return Gone(talks=dialogues.delete_batch(store, who.actor, project, name))


@router.post("/projects/{slug}/dialogue-batches/of-run/{number}", status_code=201)
def add_run_dialogues(  # noqa: PLR0917
    who: Editor, store: InStore, project: ProjectInPath, place: Place, number: RunNumber, body: RunTalks
) -> Taken:
    """Take the conversations of a run as talks, each with whether all its checks passed."""
    talks = talks_of_run(store, project, number)
    choices = TalkChoices(body.batch or f"run {number}", existing=body.existing)
    taken = add_talks(store, who.actor, project, talks, choices)
    place("projects", project.slug, "dialogues", batch=choices.batch)
    return taken


@router.post("/projects/{slug}/dialogue-runs", status_code=201)
def start_scoring(who: Editor, store: InStore, project: ProjectInPath, place: Place, body: NewScoring) -> Run:
    """Start an exam over a batch, or over all talks; a worker does it."""
    run = start_exam(store, who.actor, project, DIALOGUES.name, body.chosen(), body.title)
    place("projects", project.slug, "runs", run.number)
    return run


@router.get("/projects/{slug}/dialogue-runs/{number}")
def show_dialogue_findings(who: Reader, store: InStore, project: ProjectInPath, number: RunNumber) -> RunFindings:
    """Return what an exam found; not there before it is done."""
    run = runs.show_run(store, project, number, dialogues.KIND).run
    found = findings_of(store, run)
    result = found.result
    return RunFindings(
        headline=run.headline,
        talks=found.talks,
        scored=found.scored,
        marked=found.marked,
        passport=to_json(result.passport),
        ranking=to_json(result.ranking),
        queue=to_json(result.queue),
        refused=list(found.refused),
    )
