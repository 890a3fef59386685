"""Talks brought in: a file in two steps with a preview of every talk, talks of a program at once, or those of a run.

Between the two steps the upload is pending.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import PurePath
from typing import Literal

from vivavoce.dialogues.dialogue import Dialogue
from vivavoce.errors import DataError, UsageError
from vivavoce.kept import Kept
from vivavoce.messages import say, say_count
from vivavoce.store.cleaning import clean_text, is_storable
from vivavoce.store.database import Store
from vivavoce.store.rows import DialogueRow, Project, RatingRow, Role
from vivavoce.store.stamps import new_id, now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor, note
from vivavoce.workspace.dialogues.dialogues import MAX_BATCH, first_words
from vivavoce.workspace.dialogues.reading import ReadLog, TalkChoices, Unread, as_row, read_log
from vivavoce.workspace.uploads import PendingUploads, Source, new_key, squeeze

Kind = Literal["refused", "replaced", "skipped", "added"]
KINDS: tuple[Kind, ...] = ("refused", "replaced", "skipped", "added")
PENDING = PendingUploads("talks", remedy=say("upload the file again"))


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
    """What an upload would do, and what was read."""

    key: str
    name: str
    choices: TalkChoices
    rows: tuple[PlannedTalk, ...]
    log: ReadLog
    size: int = 0

    @property
    def complete_choices(self) -> TalkChoices:
        """The choices, with the layout that was detected."""
        layout = self.log.layout
        return replace(self.choices, sheet=layout.sheet, header=layout.header, roles=layout.roles)

    @property
    def counts(self) -> dict[Kind, int]:
        """How many talks become what."""
        counts = Counter(row.kind for row in self.rows)
        return {kind: counts[kind] for kind in KINDS}


@dataclass(frozen=True, slots=True)
class Taken:
    """What was brought in. `refused`: each with its place and the reason."""

    batch: str
    added: int
    replaced: int
    skipped: int
    refused: tuple[Unread, ...] = ()


_READ: Kept[ReadLog] = Kept(4)


def prepare_talks(
    store: Store, actor: Actor, project: Project, source: Source, choices: TalkChoices, *, undecided: bool = False
) -> TalkPreview:
    """Read a log and say what would become of every talk in it; nothing is changed yet.

    `undecided`: somebody will say what the columns are where that is unclear; else such a file is refused.
    """
    actor.require(Role.EDITOR)
    named = replace(choices, batch=check_batch(choices.batch or PurePath(source.name).stem))
    key = new_key()
    # Reading takes its time; nobody waits for the database meanwhile.
    log = _READ.get(key, lambda: read_log(source, named))
    if log.unclear and not undecided:
        raise DataError(log.unclear, where=source.name, remedy=say("name the columns in the first row"))
    pending = {"name": source.name, "choices": asdict(named), "content": squeeze(source.content)}
    with store.writing() as tx:
        PENDING.put(tx, actor, project, key, pending)
        return _make_preview(tx, project, key, source, named, log)


def change_talks(store: Store, actor: Actor, project: Project, key: str, choices: TalkChoices) -> TalkPreview:
    """Take the same file in otherwise."""
    _, source = PENDING.open(store, actor, project, key)
    return prepare_talks(store, actor, project, source, choices, undecided=True)


def open_talks(store: Store, actor: Actor, project: Project, key: str) -> TalkPreview:
    """Return a preview that was made before, as things are now."""
    choices, source, log = _read_pending(store, actor, project, key)
    with store.reading() as tx:
        return _make_preview(tx, project, key, source, choices, log)


def apply_talks(store: Store, actor: Actor, project: Project, key: str) -> Taken:
    """Do what a preview says."""
    choices, _, log = _read_pending(store, actor, project, key)
    if log.unclear:
        raise UsageError(log.unclear, remedy=say("choose what each column contains"))
    with store.writing() as tx:
        PENDING.find(tx, actor, project, key)
        imported = _store(tx, actor, project, log.dialogues, choices)
        PENDING.clear(tx, actor, project)
    return replace(imported, refused=(*log.refused, *imported.refused))


def add_talks(store: Store, actor: Actor, project: Project, talks: Sequence[Dialogue], choices: TalkChoices) -> Taken:
    """Bring in talks at once; those that cannot be kept are named with the reason."""
    actor.require(Role.EDITOR)
    named = replace(choices, batch=check_batch(choices.batch))
    with store.writing() as tx:
        return _store(tx, actor, project, talks, named)


def check_batch(name: str) -> str:
    """Return the name of a batch; refuse what cannot be one."""
    plain = clean_text(" ".join(name.split()))
    if not plain or len(plain) > MAX_BATCH:
        raise UsageError(
            say("the batch name needs 1 to {most_batch} characters", most_batch=MAX_BATCH),
            where="batch",
            remedy=say("choose another one"),
        )
    return plain


@dataclass(frozen=True, slots=True)
class _Plan:
    """One dialogue as it would be stored, and its ratings; `old`: the row that it replaces."""

    kind: Kind
    row: DialogueRow
    ratings: tuple[RatingRow, ...]
    old: DialogueRow | None
    place: str


def _plan_import(
    tx: Transaction, project: Project, talks: Sequence[Dialogue], choices: TalkChoices
) -> tuple[list[_Plan], list[Unread]]:
    at, plans, refused, seen = now(), [], [], set[str]()
    names = [talk.id for talk in talks if talk.id and is_storable(talk.id)]
    known = {row.name: row for row in tx.dialogues.named(project.id, names)}
    for number, talk in enumerate(talks):
        place = f"dialogue {talk.row or number + 1}"
        try:
            if talk.id in seen:
                raise UsageError(say("duplicate id: give each dialogue a unique id"))
            row = as_row(talk, project, choices.batch, choices.bot, number, at)
            # Of one person with several ratings, the last.
            qualities = {rating.rater: rating.quality for rating in talk.ratings if rating.quality is not None}
            ratings = tuple(
                RatingRow(new_id(), row.id, 0, None, clean_text(rater, 200), quality, None, at)
                for rater, quality in qualities.items()
            )
        except UsageError as error:
            refused.append(Unread(place, error.what, talk.id[:60]))
            continue
        seen.add(row.name)
        old = known.get(row.name)
        kind: Kind = "added" if old is None else "replaced" if choices.existing == "replace" else "skipped"
        plans.append(_Plan(kind, row, ratings, old, place))
    return plans, refused


def _store(tx: Transaction, actor: Actor, project: Project, talks: Sequence[Dialogue], choices: TalkChoices) -> Taken:
    plans, refused = _plan_import(tx, project, talks, choices)
    wanted = [plan for plan in plans if plan.kind != "skipped"]
    # What was thought of other words, and what these scored, is not true of the new ones.
    changed = [plan.old.id for plan in wanted if plan.old is not None and plan.old.turns != plan.row.turns]
    tx.dialogues.delete(project.id, changed)
    tx.dialogues.put(plan.row for plan in wanted)
    ids = tx.dialogues.ids(project.id) if wanted else {}
    tx.ratings.put_many(replace(rating, dialogue_id=ids[plan.row.name]) for plan in wanted for rating in plan.ratings)
    counts = Counter(plan.kind for plan in plans)
    imported = Taken(choices.batch, counts["added"], counts["replaced"], counts["skipped"], tuple(refused))
    detail = say(
        "{talks} added, {replaced:,} replaced in batch {batch}",
        talks=say_count(imported.added, "{n} dialogue", "{n} dialogues"),
        replaced=imported.replaced,
        batch=choices.batch,
    )
    note(tx, actor, "import", "dialogues", "", project_id=project.id, detail=detail)
    return imported


def _make_preview(  # noqa: PLR0917 - what is kept of a file, and what it holds
    tx: Transaction, project: Project, key: str, source: Source, choices: TalkChoices, log: ReadLog
) -> TalkPreview:
    plans, refused = _plan_import(tx, project, log.dialogues, choices)
    rows = [PlannedTalk("refused", each.place, each.name, reason=each.reason) for each in (*log.refused, *refused)]
    for plan in plans:
        row, reason = plan.row, ""
        if plan.kind == "skipped":
            reason = say("a dialogue with this id already exists")
        elif plan.old is not None:
            reason = say("keeps its scores and ratings")
            if plan.old.turns != row.turns:
                reason = say("text changed: its scores and ratings will be deleted")
        begins = first_words(row.turns)
        counts = len(row.turns), len(plan.ratings)
        rows.append(PlannedTalk(plan.kind, plan.place, row.name, row.bot or "", *counts, begins, reason))
    return TalkPreview(key, source.name, choices, tuple(rows), log, len(source.content))


def _read_pending(store: Store, actor: Actor, project: Project, key: str) -> tuple[TalkChoices, Source, ReadLog]:
    pending, source = PENDING.open(store, actor, project, key)
    saved = pending["choices"]
    choices = TalkChoices(**{**saved, "roles": tuple(saved.get("roles", ()))})
    return choices, source, _READ.get(key, lambda: read_log(source, choices))
