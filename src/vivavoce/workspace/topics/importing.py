"""Imports in two steps: a preview that says of every row what would happen, then all of it as one edit.

Between the two steps the upload is pending.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from vivavoce.errors import UsageError
from vivavoce.kept import Kept
from vivavoce.messages import join, noted, restore_messages, say, say_count
from vivavoce.records import AUTO
from vivavoce.store.database import Store
from vivavoce.store.rows import Change, Edit, ExampleRow, Project, Role, Topic
from vivavoce.store.stamps import new_id, now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.topics.examples import deletions, insertion
from vivavoce.workspace.topics.incoming import Encoding, read_source
from vivavoce.workspace.topics.plans import (
    Effect,
    Mode,
    Plan,
    PlannedRow,
    Present,
    Rules,
    make_plan,
    plan_again,
    present,
    wanted_answers,
)
from vivavoce.workspace.topics.topics import answer_changes, removals, topic_insertion
from vivavoce.workspace.uploads import PendingUploads, Source, new_key, squeeze, unsqueeze

PENDING = PendingUploads("import", remedy=say("send the file or the text again"))


@dataclass(frozen=True, slots=True)
class Choices:
    """How a source is to be read, and what is to be done with it. `topic` is for lines that name none."""

    text_column: str = ""
    topic_column: str = ""
    out_of_scope: str = AUTO
    topic: str = ""
    mode: Mode = "add"
    overwrite: bool = False
    encoding: Encoding = ""


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
    columns: tuple[str, ...] = ()
    sample: tuple[tuple[str, ...], ...] = ()
    unclear: str = ""


_OPENED: Kept[Preview] = Kept(8)


def prepare_import(store: Store, actor: Actor, project: Project, source: Source, choices: Choices) -> Preview:
    """Read a source and say what would happen; nothing is changed yet."""
    actor.require(Role.EDITOR)
    # Reading takes its time; nobody waits for the database meanwhile.
    reading = read_source(
        source,
        text_column=choices.text_column,
        topic_column=choices.topic_column,
        out_of_scope=choices.out_of_scope,
        topic=choices.topic,
        encoding=choices.encoding,
    )
    with store.reading() as tx:
        there = present(tx, project)
    rules = _rules(choices, project)
    plan = make_plan(there, reading.rows, reading.refused, rules)
    made = Preview(
        new_key(),
        source.name,
        choices,
        plan,
        unit=reading.unit,
        lines=source.lines,
        pasted=source.pasted,
        notes=reading.notes,
        columns=reading.columns,
        sample=reading.sample,
        unclear=reading.unclear,
    )
    with store.writing() as tx:
        PENDING.put(tx, actor, project, made.key, _packed(made, source))
    return made


def change_import(store: Store, actor: Actor, project: Project, key: str, choices: Choices) -> Preview:
    """Read the same source otherwise: other columns, another mode."""
    actor.require(Role.EDITOR)
    with store.reading() as tx:
        kept = PENDING.find(tx, actor, project, key)
    source = Source(kept["name"], unsqueeze(kept["content"]), kept["lines"], kept.get("pasted", False))
    return prepare_import(store, actor, project, source, choices)


def open_import(store: Store, actor: Actor, project: Project, key: str) -> Preview:
    """Return a preview that was made before."""
    actor.require(Role.EDITOR)
    with store.reading() as tx:
        kept = PENDING.find(tx, actor, project, key)
    return _OPENED.get(key, lambda: _unpacked(kept))


def apply_import(store: Store, actor: Actor, project: Project, key: str, *, why: str = "") -> Edit:
    """Do what a preview says, as one edit; what changed since is taken as it is now."""
    actor.require(Role.EDITOR)
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
            raise UsageError(
                say("nothing would change: all of it is there already"), remedy=say("go back to the topics")
            )
        edit = tx.edits.apply(project.id, actor.user_id, "import", summary, changes, why=why)
        PENDING.clear(tx, actor, project)
        return edit


def drop_import(store: Store, actor: Actor, project: Project, key: str) -> None:
    """Forget a preview."""
    PENDING.drop(store, actor, project, key)


# --- the preview between the two steps ---------------------------------------------------------------------------


def _rules(choices: Choices, project: Project) -> Rules:
    return Rules(choices.mode, choices.overwrite, project.language)


def _packed(preview: Preview, source: Source) -> dict[str, Any]:
    rows = [[*_row_cells(row)] for row in preview.plan.rows]
    plain = {
        "choices": asdict(preview.choices),
        "effect": asdict(preview.plan.effect),
        "rows": rows,
        "unit": preview.unit,
        "notes": preview.notes,
        "columns": preview.columns,
        "sample": preview.sample,
        "unclear": preview.unclear,
    }
    return {
        "name": preview.name,
        "lines": preview.lines,
        "pasted": preview.pasted,
        "content": squeeze(source.content),
        "preview": squeeze(json.dumps(noted(plain)).encode()),
    }


def _row_cells(row: PlannedRow) -> tuple[object, ...]:
    created = None if row.created is None else row.created.isoformat()
    return row.number, row.kind, row.text, row.topic, row.reason, row.language, created, row.answer


def _unpacked(kept: Mapping[str, Any]) -> Preview:
    plain = restore_messages(json.loads(unsqueeze(kept["preview"])))
    told: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in plain["effect"].items()}
    return Preview(
        kept["key"],
        kept["name"],
        Choices(**plain["choices"]),
        Plan(tuple(_row(cells) for cells in plain["rows"]), Effect(**told)),
        unit=plain["unit"],
        lines=kept["lines"],
        pasted=kept.get("pasted", False),
        notes=tuple(plain["notes"]),
        columns=tuple(plain["columns"]),
        sample=tuple(tuple(cells) for cells in plain["sample"]),
        unclear=plain["unclear"],
    )


def _row(cells: Sequence[Any]) -> PlannedRow:
    number, kind, text, topic, reason, language, created, answer = cells
    at = None if created is None else datetime.fromisoformat(created)
    return PlannedRow(number, kind, text, topic, reason, language, at, answer)


# --- the edit ----------------------------------------------------------------------------------------------------


def _planned_edit(tx: Transaction, project: Project, preview: Preview) -> tuple[str, list[Change]]:
    """Return the summary and the changes of an import, as the project is now."""
    rules, there = _rules(preview.choices, project), present(tx, project)
    plan = plan_again(there, preview.plan.rows, rules)
    return _summary(preview.name, plan), _changes(tx, project, there, plan, rules)


def _changes(tx: Transaction, project: Project, there: Present, plan: Plan, rules: Rules) -> list[Change]:
    """Return what is to be done: first what goes, then what comes, so that an undo goes the same way back."""
    topics = _topics(project, there, plan)
    new = [topics[name] for name in plan.effect.new_topics]
    answers = wanted_answers(there, plan.wanted, rules)
    return [
        *(_leaving(tx, project, there, plan) if rules.mode == "replace" else ()),
        *(topic_insertion(tx, topic) for topic in new),
        *(change for name, own in answers.items() for change in answer_changes(tx, topics[name], own)),
        *(insertion(tx, row) for row in _coming(tx, project, topics, plan)),
    ]


def _leaving(tx: Transaction, project: Project, there: Present, plan: Plan) -> list[Change]:
    """Describe what goes where everything is replaced; of a text that stood twice in a topic one row stays."""
    wanted = {(row.text, row.topic) for row in plan.wanted}
    kept = {row.id for mark, row in there.examples.items() if mark in wanted}
    rows = [row for row in tx.examples.of_project(project.id) if row.id not in kept]
    return [*deletions(tx, rows), *removals(tx, [there.topics[name] for name in plan.effect.gone_topics])]


def _topics(project: Project, there: Present, plan: Plan) -> dict[str, Topic]:
    at = now()
    new = {name: Topic(new_id(), project.id, name, "", "", at) for name in plan.effect.new_topics}
    return {**there.topics, **new}


def _coming(tx: Transaction, project: Project, topics: Mapping[str, Topic], plan: Plan) -> list[ExampleRow]:
    first, at = tx.examples.next_place(project.id), now()
    rows = [row for row in plan.rows if row.kind in ("added", "changed")]
    return [
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
        for place, row in enumerate(rows, first)
    ]


def _summary(name: str, plan: Plan) -> str:
    counts, effect = plan.counts, plan.effect
    told = [
        say(
            "{examples} added", examples=say_count(counts["added"] + counts["changed"], "{n} example", "{n} examples")
        )
    ]
    told += (
        [say("{examples} deleted", examples=say_count(effect.gone_examples, "{n} example", "{n} examples"))]
        if effect.gone_examples
        else []
    )
    told += (
        [say("{topics} made", topics=say_count(len(effect.new_topics), "{n} topic", "{n} topics"))]
        if effect.new_topics
        else []
    )
    told += (
        [say("{topics} deleted", topics=say_count(len(effect.gone_topics), "{n} topic", "{n} topics"))]
        if effect.gone_topics
        else []
    )
    told += (
        [say("{answers} written", answers=say_count(effect.answers, "{n} answer", "{n} answers"))]
        if effect.answers
        else []
    )
    parts = join(", ", told)
    return say("Import of {name}: {parts}", name=name, parts=parts)
