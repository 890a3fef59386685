"""Imports in two steps: a preview that says of every row what would happen, then all of it as one edit.

Between the two steps the upload is pending.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import cast

from vivavoce.codec import FLAT, Hook, from_json, shape, to_json
from vivavoce.errors import UsageError
from vivavoce.kept import Kept
from vivavoce.messages import add_messages, join, restore_messages, say, say_count
from vivavoce.store.database import Store
from vivavoce.store.rows import Change, Edit, ExampleRow, Project, Role, Topic
from vivavoce.store.stamps import new_id, now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.topics.examples import deletions, insertion
from vivavoce.workspace.topics.incoming import Choices, ColumnRole, PlannedRow, read_source
from vivavoce.workspace.topics.plans import Plan, make_plan, plan_again, present, wanted_answers, wanted_owners
from vivavoce.workspace.topics.topics import answer_changes, removals, topic_insertion
from vivavoce.workspace.uploads import Layout, PendingUploads, Source, new_key, squeeze, unsqueeze

PENDING = PendingUploads("import", remedy=say("upload the file or paste the text again"))


@dataclass(frozen=True, slots=True)
class Preview:
    """What an import would do. `unclear`: which columns are to be chosen before anything can be said."""

    key: str
    name: str
    choices: Choices
    plan: Plan
    unit: str = "row"
    lines: bool = False
    pasted: bool = False
    notes: tuple[str, ...] = ()
    layout: Layout = field(default_factory=Layout)
    unclear: str = ""
    size: int = 0

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.layout.columns


_CELLS = ("number", "kind", "text", "topic", "reason", "language", "created", "answer", "owner", "lacks_topic")
# What a pending upload keeps of a preview outside its packed JSON.
_BESIDE = ("name", "lines", "pasted")
shape(PlannedRow, trusted=True, order=" ".join(_CELLS))
shape(
    Plan,
    hooks={
        "rows": Hook(
            lambda rows: [[*to_json(row).values()] for row in rows],
            lambda value, read_as: read_as(
                [dict(zip(_CELLS, cells, strict=True)) for cells in value], tuple[PlannedRow, ...]
            ),
        )
    },
)
shape(Preview, plan=FLAT, optional="pasted")
_OPENED: Kept[Preview] = Kept(8)


def prepare_import(store: Store, actor: Actor, project: Project, source: Source, choices: Choices) -> Preview:
    """Read a source and say what would happen; nothing is changed yet."""
    actor.require(Role.EDITOR)
    # Reading takes its time; nobody waits for the database meanwhile.
    reading = read_source(source, choices)
    with store.reading() as tx:
        there = present(tx, project)
    preview = Preview(
        new_key(),
        source.name,
        choices,
        make_plan(there, reading.rows, choices, project.language),
        unit=reading.unit,
        lines=source.lines,
        pasted=source.pasted,
        notes=reading.notes,
        layout=reading.layout,
        unclear=reading.unclear,
        size=len(source.content),
    )
    pending = {
        **{name: getattr(preview, name) for name in _BESIDE},
        "content": squeeze(source.content),
        "preview": squeeze(json.dumps(add_messages(to_json(preview))).encode()),
    }
    with store.writing() as tx:
        PENDING.put(tx, actor, project, preview.key, pending)
    return preview


def change_import(store: Store, actor: Actor, project: Project, key: str, choices: Choices) -> Preview:
    """Read the same source otherwise: other columns, another mode."""
    return prepare_import(store, actor, project, PENDING.open(store, actor, project, key)[1], choices)


def settled_choices(preview: Preview) -> Choices:
    """Return the choices of a preview with all that was found out."""
    layout = preview.layout
    roles = cast(tuple[ColumnRole, ...], layout.roles)
    found = replace(preview.choices, sheet=layout.sheet, header=layout.header, roles=roles)
    return replace(found, text_column="", topic_column="")


def open_import(store: Store, actor: Actor, project: Project, key: str) -> Preview:
    """Return a preview that was made before."""
    kept, _ = PENDING.open(store, actor, project, key)

    def read() -> Preview:
        content = restore_messages(json.loads(unsqueeze(kept["preview"])))
        beside = {name: kept[name] for name in ("key", *_BESIDE) if name in kept}
        return from_json(Preview, content | beside, what=kept["name"], remedy=PENDING.remedy)

    return _OPENED.get(key, read)


def apply_import(store: Store, actor: Actor, project: Project, key: str, *, why: str = "") -> Edit:
    """Do what a preview says, as one edit; what changed since is taken as it is now."""
    preview = open_import(store, actor, project, key)
    # All that takes long is done before anybody has to wait for the lock of the database.
    with store.reading() as tx:
        state = tx.edits.state(project.id)
        summary, changes = _planned_edit(tx, project, preview)
    with store.writing() as tx:
        PENDING.find(tx, actor, project, key)
        if state != tx.edits.state(project.id):
            summary, changes = _planned_edit(tx, project, preview)
        if not changes:
            raise UsageError(say("nothing to import: everything already exists"), remedy=say("go back to the topics"))
        edit = tx.edits.apply(project.id, actor.user_id, "import", summary, changes, why=why)
        PENDING.clear(tx, actor, project)
        return edit


def _planned_edit(tx: Transaction, project: Project, preview: Preview) -> tuple[str, list[Change]]:
    """Return the summary and the changes of an import, as the project is now."""
    choices, there = preview.choices, present(tx, project)
    plan = plan_again(there, preview.plan.rows, choices, project.language)
    owners = wanted_owners(there, plan.wanted, choices)
    made = {
        name: Topic(new_id(), project.id, name, "", owners.get(name, ""), now()) for name in plan.effect.new_topics
    }
    topics = {**there.topics, **made}
    answers = wanted_answers(there, plan.wanted, choices)
    gone: list[Change] = []
    if choices.mode == "replace":
        # Of a text that was twice in a topic one row stays.
        wanted = {(row.text, row.topic) for row in plan.wanted}
        kept = {row.id for mark, row in there.examples.items() if mark in wanted}
        gone = deletions(tx, [row for row in tx.examples.of_project(project.id) if row.id not in kept])
        gone += removals(tx, [there.topics[name] for name in plan.effect.gone_topics])
    at, coming = now(), [row for row in plan.rows if row.kind in ("added", "changed")]
    rows = [
        ExampleRow(
            new_id(),
            project.id,
            None if row.topic is None else topics[row.topic].id,
            row.text,
            row.language or project.language,
            "import",
            row.created or at,
            place,
        )
        for place, row in enumerate(coming, tx.examples.next_place(project.id))
    ]
    # First what goes, then what comes, so that an undo goes the same way back.
    changes = [
        *gone,
        *(topic_insertion(tx, topics[name]) for name in plan.effect.new_topics),
        *(
            tx.edits.update("topics", topics[name].id, topics[name].id, owner=owner)
            for name, owner in owners.items()
            if name not in made
        ),
        *(change for name, own in answers.items() for change in answer_changes(tx, topics[name], own)),
        *(insertion(tx, row) for row in rows),
    ]
    return _summarize(preview.name, plan), changes


def _summarize(name: str, plan: Plan) -> str:
    added, effect = plan.counts["added"] + plan.counts["changed"], plan.effect
    parts = [say("{examples} added", examples=say_count(added, "{n} example", "{n} examples"))]
    if gone := effect.gone_examples:
        parts.append(say("{examples} deleted", examples=say_count(gone, "{n} example", "{n} examples")))
    if new := len(effect.new_topics):
        parts.append(say("{topics} created", topics=say_count(new, "{n} topic", "{n} topics")))
    if gone := len(effect.gone_topics):
        parts.append(say("{topics} deleted", topics=say_count(gone, "{n} topic", "{n} topics")))
    if effect.answers:
        parts.append(say("{answers} saved", answers=say_count(effect.answers, "{n} answer", "{n} answers")))
    if effect.owners:
        parts.append(say("{owners} saved", owners=say_count(effect.owners, "{n} owner", "{n} owners")))
    return say("Import of {name}: {parts}", name=name, parts=join(", ", parts))
