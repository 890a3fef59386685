"""Talks brought in: a file in two steps with a preview of every talk, talks of a program at once, or those of a run.

Between the two steps the upload is pending.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import PurePath
from typing import Any, Literal

from vivavoce.dialogues.dialogue import Dialogue
from vivavoce.errors import UsageError
from vivavoce.kept import Kept
from vivavoce.messages import say, say_count
from vivavoce.store.cleaning import clean_text
from vivavoce.store.database import Store
from vivavoce.store.rows import DialogueRow, Project, RatingRow, Role
from vivavoce.store.stamps import new_id, now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.access.auditing import note
from vivavoce.workspace.dialogues.dialogues import MOST_BATCH, first_words
from vivavoce.workspace.dialogues.reading import ReadLog, Unread, as_row, read_log
from vivavoce.workspace.uploads import PendingUploads, Source, new_key, squeeze, unsqueeze

Existing = Literal["skip", "replace"]
Kind = Literal["refused", "replaced", "skipped", "added"]
EXISTING: tuple[Existing, ...] = ("skip", "replace")
KINDS: tuple[Kind, ...] = ("refused", "replaced", "skipped", "added")
PENDING = PendingUploads("talks", remedy=say("send the file again"))


@dataclass(frozen=True, slots=True)
class TalkChoices:
    """How talks are taken in. `speaker`: who in the file is the bot; `bot`: the name for talks that name none.

    `existing`: what becomes of talks whose id is there already.
    """

    batch: str = ""
    speaker: str = ""
    bot: str = ""
    existing: Existing = "skip"


@dataclass(frozen=True, slots=True)
class PlannedTalk:
    """What becomes of one talk. `place`: where it stands in the file; `marks`: how many people marked it there."""

    kind: Kind
    place: str
    name: str = ""
    bot: str = ""
    messages: int = 0
    marks: int = 0
    begins: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TalkPreview:
    """What an upload would do. `speakers`: who speaks in it, for whoever has to say which of them is the bot."""

    key: str
    name: str
    choices: TalkChoices
    rows: tuple[PlannedTalk, ...]
    notes: tuple[str, ...]
    speakers: tuple[str, ...]

    @property
    def counts(self) -> dict[Kind, int]:
        """How many talks become what."""
        found = Counter(row.kind for row in self.rows)
        return {kind: found[kind] for kind in KINDS}


@dataclass(frozen=True, slots=True)
class Taken:
    """What was brought in. `refused`: each with its place and the reason."""

    batch: str
    added: int
    replaced: int
    skipped: int
    refused: tuple[Unread, ...] = ()


_READ: Kept[ReadLog] = Kept(4)


# --- a file, in two steps ----------------------------------------------------------------------------------------


def prepare_talks(store: Store, actor: Actor, project: Project, source: Source, choices: TalkChoices) -> TalkPreview:
    """Read a log and say what would become of every talk in it; nothing is changed yet."""
    actor.require(Role.EDITOR)
    named = replace(choices, batch=check_batch(choices.batch or PurePath(source.name).stem))
    key = new_key()
    # Reading takes its time; nobody waits for the database meanwhile.
    log = _READ.get(key, lambda: read_log(source, named.speaker))
    kept = {"name": source.name, "choices": asdict(named), "content": squeeze(source.content)}
    with store.writing() as tx:
        PENDING.put(tx, actor, project, key, kept)
        return _preview(tx, project, key, source.name, named, log)


def change_talks(store: Store, actor: Actor, project: Project, key: str, choices: TalkChoices) -> TalkPreview:
    """Take the same file in otherwise."""
    actor.require(Role.EDITOR)
    with store.reading() as tx:
        kept = PENDING.find(tx, actor, project, key)
    return prepare_talks(store, actor, project, _source(kept), choices)


def open_talks(store: Store, actor: Actor, project: Project, key: str) -> TalkPreview:
    """Return a preview that was made before, as things are now."""
    actor.require(Role.EDITOR)
    with store.reading() as tx:
        kept = PENDING.find(tx, actor, project, key)
        choices = TalkChoices(**kept["choices"])
        log = _READ.get(key, lambda: read_log(_source(kept), choices.speaker))
        return _preview(tx, project, key, kept["name"], choices, log)


def apply_talks(store: Store, actor: Actor, project: Project, key: str) -> Taken:
    """Do what a preview says."""
    actor.require(Role.EDITOR)
    with store.reading() as tx:
        kept = PENDING.find(tx, actor, project, key)
    choices = TalkChoices(**kept["choices"])
    log = _READ.get(key, lambda: read_log(_source(kept), choices.speaker))
    with store.writing() as tx:
        PENDING.find(tx, actor, project, key)
        taken = _take(tx, actor, project, log.dialogues, choices)
        PENDING.clear(tx, actor, project)
    return replace(taken, refused=(*log.refused, *taken.refused))


def drop_talks(store: Store, actor: Actor, project: Project, key: str) -> None:
    """Forget a preview."""
    PENDING.drop(store, actor, project, key)


# --- at once -----------------------------------------------------------------------------------------------------


def add_talks(store: Store, actor: Actor, project: Project, talks: Sequence[Dialogue], choices: TalkChoices) -> Taken:
    """Bring in talks at once; those that cannot be kept are named with the reason."""
    actor.require(Role.EDITOR)
    named = replace(choices, batch=check_batch(choices.batch))
    with store.writing() as tx:
        return _take(tx, actor, project, talks, named)


def check_batch(name: str) -> str:
    """Return the name of a batch; refuse what cannot be one."""
    said = clean_text(" ".join(name.split()))
    if not said or len(said) > MOST_BATCH:
        raise UsageError(
            say("the name of the batch needs 1 to {most_batch} characters", most_batch=MOST_BATCH),
            where="batch",
            remedy=say("choose another one"),
        )
    return said


# --- the work ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Plan:
    """One talk as it would be stored, and its marks; `old`: the row that it stands for now."""

    kind: Kind
    row: DialogueRow
    marks: tuple[RatingRow, ...]
    old: DialogueRow | None
    place: str


def _plans(
    tx: Transaction, project: Project, talks: Sequence[Dialogue], choices: TalkChoices
) -> tuple[list[_Plan], list[Unread]]:
    at, plans, refused, seen = now(), [], [], set[str]()
    known = _known(tx, project, [talk.id for talk in talks])
    for number, talk in enumerate(talks):
        place = f"talk {talk.row or number + 1}"
        try:
            if talk.id in seen:
                raise UsageError(say("the id was used before: give each talk its own"))
            row = as_row(talk, project, choices.batch, choices.bot, number, at)
            marks = _marks(talk, row, at)
        except UsageError as error:
            refused.append(Unread(place, error.what, talk.id[:60]))
            continue
        seen.add(row.name)
        old = known.get(row.name)
        kind: Kind = "added" if old is None else "replaced" if choices.existing == "replace" else "skipped"
        plans.append(_Plan(kind, row, marks, old, place))
    return plans, refused


def _known(tx: Transaction, project: Project, names: Sequence[str]) -> dict[str, DialogueRow]:
    """Return the talks of these names that are there already."""
    return {row.name: row for row in tx.dialogues.named(project.id, [name for name in names if _is_storable(name)])}


def _is_storable(name: str) -> bool:
    try:
        return bool(clean_text(name))
    except UsageError:
        return False


def _marks(talk: Dialogue, row: DialogueRow, at: datetime) -> tuple[RatingRow, ...]:
    """Return the marks that came with a talk; of one person with several, the last."""
    given = {one.rater: one.quality for one in talk.ratings if one.quality is not None}
    return tuple(
        RatingRow(new_id(), row.id, 0, None, clean_text(rater, 200), quality, None, at)
        for rater, quality in given.items()
    )


def _take(tx: Transaction, actor: Actor, project: Project, talks: Sequence[Dialogue], choices: TalkChoices) -> Taken:
    plans, refused = _plans(tx, project, talks, choices)
    wanted = [plan for plan in plans if plan.kind != "skipped"]
    # What was thought of other words, and what these scored, is not true of the new ones.
    changed = [plan.old.id for plan in wanted if plan.old is not None and plan.old.turns != plan.row.turns]
    tx.dialogues.delete(project.id, changed)
    tx.dialogues.put(plan.row for plan in wanted)
    ids = tx.dialogues.ids(project.id) if wanted else {}
    marks = [replace(mark, dialogue_id=ids[plan.row.name]) for plan in wanted for mark in plan.marks]
    tx.ratings.put_many(marks)
    counts = Counter(plan.kind for plan in plans)
    taken = Taken(choices.batch, counts["added"], counts["replaced"], counts["skipped"], tuple(refused))
    said = say(
        "{talks} added, {replaced:,} replaced, batch {batch}",
        talks=say_count(taken.added, "{n} talk", "{n} talks"),
        replaced=taken.replaced,
        batch=choices.batch,
    )
    note(tx, actor, "import", "dialogues", "", project_id=project.id, detail=said)
    return taken


def _preview(  # noqa: PLR0917 - what is kept of a file, and what it holds
    tx: Transaction, project: Project, key: str, name: str, choices: TalkChoices, log: ReadLog
) -> TalkPreview:
    plans, refused = _plans(tx, project, log.dialogues, choices)
    unread = [PlannedTalk("refused", one.place, one.name, reason=one.reason) for one in (*log.refused, *refused)]
    return TalkPreview(key, name, choices, (*unread, *(_planned(plan) for plan in plans)), log.notes, log.speakers)


def _planned(plan: _Plan) -> PlannedTalk:
    row, reason = plan.row, ""
    if plan.kind == "skipped":
        reason = say("a talk of this id is there already")
    elif plan.old is not None:
        same = plan.old.turns == row.turns
        reason = say("its scores and marks stay") if same else say("other words: its scores and marks go")
    return PlannedTalk(
        plan.kind,
        plan.place,
        row.name,
        row.bot or "",
        len(row.turns),
        len(plan.marks),
        first_words(row.turns),
        reason,
    )


def _source(kept: Mapping[str, Any]) -> Source:
    return Source(kept["name"], unsqueeze(kept["content"]))
