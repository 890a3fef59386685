"""An import says of every row what would happen, then does all of it as one edit that can be undone."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from places import in_both
from vivavoce.errors import AbsentError, FileError, UsageError, VivaError
from vivavoce.files import read_dataset
from vivavoce.files.exports import csv_bytes, xlsx_bytes
from vivavoce.store.database import Store
from vivavoce.store.repositories.repository import PIECE
from vivavoce.store.rows import Project
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.topics import importing, incoming
from vivavoce.workspace.topics.datasets import COLUMNS, example_table, export_json, project_dataset
from vivavoce.workspace.topics.examples import add_examples
from vivavoce.workspace.topics.history import undo_edit
from vivavoce.workspace.topics.importing import (
    PENDING,
    Preview,
    apply_import,
    change_import,
    open_import,
    prepare_import,
)
from vivavoce.workspace.topics.incoming import KINDS, Choices, read_source, source_of_text
from vivavoce.workspace.topics.topics import add_topic
from vivavoce.workspace.uploads import Source

pytestmark = pytest.mark.slow


@pytest.fixture
def project(store: Store) -> Project:
    return new_project(store)


def new_project(store: Store, slug: str = "jobs") -> Project:
    with store.writing() as tx:
        return tx.projects.add(slug, slug, language="en", classifier="linear", threshold=0.5)


def csv(*lines: str, name: str = "faq.csv") -> Source:
    return Source(name, "\n".join(lines).encode())


def prepared(store: Store, project: Project, source: Source, **choices: Any) -> Preview:
    return prepare_import(store, PRODUCT, project, source, Choices(**choices))


def imported(store: Store, project: Project, source: Source, **choices: Any) -> Any:
    return apply_import(store, PRODUCT, project, prepared(store, project, source, **choices).key)


def material(store: Store, project: Project) -> list[tuple[str, str | None]]:
    with store.reading() as tx:
        data = project_dataset(tx, project)
    return list(zip(data.texts, data.intents, strict=True))


def verdicts(preview: Preview) -> list[tuple[int, str, str, str]]:
    return [(row.number, row.kind, row.text, row.reason) for row in preview.plan.rows]


# --- the preview -------------------------------------------------------------------------------------------------


@in_both
def test_the_preview_says_of_every_row_what_would_happen_and_changes_nothing(store: Store, project: Project) -> None:
    add_topic(store, PRODUCT, project, "visa", examples=["which visa"])
    source = csv(
        "text,intent",
        "which visa,visa",
        '"  pay  me ",salary',
        "pay me,salary",
        ",salary",
        "x,null",
        "which visa,papers",
        "hello,oos",
        "bye,leave,too much",
    )
    preview = prepared(store, project, source)
    assert verdicts(preview) == [
        (2, "joined", "which visa", "it already exists"),
        (3, "changed", "pay me", "spaces corrected"),
        (4, "joined", "pay me", "same as number 3"),
        (5, "refused", " | salary", "the text is empty: enter the message or delete the row"),
        (6, "refused", "x | null", preview.plan.rows[4].reason),
        (7, "added", "which visa", "the same text is also in visa"),
        (8, "added", "hello", ""),
        (9, "refused", "", preview.plan.rows[7].reason),
    ]
    assert preview.plan.counts == {"refused": 3, "changed": 1, "joined": 2, "added": 2}
    assert preview.plan.effect.new_topics == ("salary", "papers")
    assert "--" not in "".join(row.reason for row in preview.plan.rows), "a page has no command line"
    assert material(store, project) == [("which visa", "visa")]


@in_both
def test_topics_with_a_usual_name_for_out_of_scope_are_imported_as_none_unless_they_are_wanted(
    store: Store, project: Project
) -> None:
    lines = source_of_text("which visa\tvisa\nhello\tnlu_fallback\nhow are you\tNone")
    for source in (csv("text,intent", "which visa,visa", "hello,nlu_fallback", "how are you,None"), lines):
        preview = prepared(store, project, source)
        assert [row.topic for row in preview.plan.rows] == ["visa", None, None]
        [note] = preview.notes
        assert "'nlu_fallback'" in note
        assert "--" not in note, "a page has no command line"
    kept = prepared(store, project, csv("text,intent", "which visa,visa", "hello,nlu_fallback"), out_of_scope="-")
    assert [row.topic for row in kept.plan.rows] == ["visa", "nlu_fallback"]
    assert not kept.notes


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    rows=st.lists(st.tuples(st.text(max_size=12), st.sampled_from(["visa", " visa", "", "oos", "none"])), max_size=12)
)
def test_no_line_that_holds_something_is_dropped_without_a_word(
    sqlite_store: Store, rows: list[tuple[str, str]]
) -> None:
    with sqlite_store.reading() as tx:
        project = tx.projects.by_slug("jobs")
    project = project or new_project(sqlite_store)
    text = "\n".join("\t".join(row) for row in rows)
    preview = prepared(sqlite_store, project, Source("pasted.csv", text.encode("utf-8", "replace"), lines=True))
    held = [n for n, line in enumerate(text.encode("utf-8", "replace").decode().splitlines(), 1) if line.strip()]
    assert [row.number for row in preview.plan.rows] == held
    assert sum(preview.plan.counts.values()) == len(held)
    assert {row.kind for row in preview.plan.rows} <= set(KINDS)
    assert all(row.reason for row in preview.plan.rows if row.kind != "added")


def test_columns_that_cannot_be_guessed_are_chosen_without_sending_the_file_again(
    store: Store, project: Project
) -> None:
    source = csv("a,b", "Wie viel?,Gehalt", "Wann?,Beginn")
    preview = prepared(store, project, source, roles=("", ""))
    assert preview.unclear
    assert (preview.columns, preview.layout.rows[0].cells) == (("a", "b"), ("Wie viel?", "Gehalt"))
    with pytest.raises(UsageError):
        apply_import(store, PRODUCT, project, preview.key)
    chosen = Choices(text_column="a", topic_column="b")
    again = change_import(store, PRODUCT, project, preview.key, chosen)
    assert not again.unclear
    apply_import(store, PRODUCT, project, again.key)
    assert material(store, project) == [("Wie viel?", "Gehalt"), ("Wann?", "Beginn")]


def test_pasted_lines_need_a_topic_and_a_pasted_table_is_read_as_one(store: Store, project: Project) -> None:
    lines = prepared(store, project, source_of_text("pay\tsalary\nhello"), topic="")
    assert [row.kind for row in lines.plan.rows] == ["added", "refused"]
    helped = change_import(store, PRODUCT, project, lines.key, Choices(topic="greeting"))
    assert [(row.kind, row.topic) for row in helped.plan.rows] == [("added", "salary"), ("added", "greeting")]
    table = source_of_text("question;topic\nhow much;salary")
    assert not table.lines
    assert [row.topic for row in prepared(store, project, table).plan.rows] == ["salary"]


@in_both
def test_a_preview_works_once_for_its_maker_until_a_newer_one_takes_its_place(store: Store, project: Project) -> None:
    old = prepared(store, project, csv("text,intent", "a,b"))
    new = prepared(store, project, csv("text,intent", "c,d"))
    assert open_import(store, PRODUCT, project, new.key) == new
    with pytest.raises(AbsentError):
        open_import(store, PRODUCT, project, old.key)
    apply_import(store, PRODUCT, project, new.key)
    with pytest.raises(AbsentError):
        apply_import(store, PRODUCT, project, new.key)
    gone = prepared(store, project, csv("text,intent", "e,f"))
    PENDING.drop(store, PRODUCT, project, gone.key)
    with pytest.raises(AbsentError):
        open_import(store, PRODUCT, project, gone.key)
    assert material(store, project) == [("c", "d")]


@pytest.mark.parametrize(
    "source",
    [
        Source("faq.csv", b""),
        Source("faq.xlsx", b"no workbook"),
        Source("faq.json", b"{"),
        Source("faq.pdf", b"%PDF"),
        Source("faq.csv", b"text,intent\n\xff\0,b"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_by_its_own_name_and_without_a_command_line(source: Source) -> None:
    with pytest.raises(VivaError) as refused:
        read_source(source, Choices())
    said = str(refused.value)
    assert source.name in said
    assert "viva-" not in said
    assert "--" not in said
    assert isinstance(refused.value, FileError) or refused.value.faults


@pytest.mark.parametrize("written", ["cp1252", "utf-16-be", "utf-16-le", "mac-roman", "cp850"])
def test_the_encoding_of_a_file_is_found_out_unless_it_is_named(store: Store, project: Project, written: str) -> None:
    source = Source("faq.csv", "text;intent\nWie groß ist das Gehalt?;Löhne\n".encode(written))
    preview = prepared(store, project, source)
    assert preview.layout.encoding == written
    named: Any = written.removesuffix("-be").removesuffix("-le")
    again = change_import(store, PRODUCT, project, preview.key, Choices(encoding=named, mode="replace"))
    apply_import(store, PRODUCT, project, again.key)
    assert material(store, project) == [("Wie groß ist das Gehalt?", "Löhne")]


def test_a_file_of_which_no_row_can_be_used_says_why_and_can_be_read_otherwise(
    store: Store, project: Project
) -> None:
    preview = prepared(store, project, csv("text,intent,remark", ",b,why me"))
    assert "the text is empty" in preview.unclear
    again = change_import(store, PRODUCT, project, preview.key, Choices(roles=("", "topic", "text")))
    assert [(row.text, row.topic) for row in again.plan.rows] == [("why me", "b")]


def test_the_encoding_of_files_does_not_touch_what_is_pasted(store: Store, project: Project) -> None:
    preview = prepared(store, project, source_of_text("text;intent\nGröße;Löhne"), encoding="cp1252")
    again = change_import(store, PRODUCT, project, preview.key, Choices(encoding="utf-16"))
    apply_import(store, PRODUCT, project, again.key)
    assert material(store, project) == [("Größe", "Löhne")]


# --- applying ----------------------------------------------------------------------------------------------------


@in_both
def test_an_import_is_one_edit_and_undoing_it_leaves_what_was_there(store: Store, project: Project) -> None:
    add_topic(store, PRODUCT, project, "visa", answers={"en": "Yes."}, examples=["which visa", "permit"])
    before = material(store, project), export_json(store, project)
    source = csv("text,intent,answer", "pay,salary,A lot.", "which visa,visa,No.")
    for mode in ("add", "replace"):
        edit = imported(store, project, source, mode=mode)
        assert (material(store, project), export_json(store, project)) != before
        undo_edit(store, PRODUCT, project, edit.id)
        assert (material(store, project), export_json(store, project)) == before


@in_both
def test_adding_keeps_all_that_is_there_and_replacing_keeps_only_what_the_file_has(
    store: Store, project: Project
) -> None:
    kept = add_topic(store, PRODUCT, project, "visa", examples=["which visa", "permit"]).topic
    add_topic(store, PRODUCT, project, "leave", examples=["holiday"])
    source = csv("text,intent", "which visa,visa", "pay,salary")
    imported(store, project, source, mode="add")
    assert sorted(text for text, _ in material(store, project)) == ["holiday", "pay", "permit", "which visa"]
    preview = prepared(store, project, source, mode="replace")
    assert (preview.plan.effect.gone_topics, preview.plan.effect.gone_examples) == (("leave",), 2)
    apply_import(store, PRODUCT, project, preview.key)
    assert material(store, project) == [("which visa", "visa"), ("pay", "salary")]
    with store.reading() as tx:
        assert tx.topics.by_name(project.id, "visa") == kept, "what stays keeps its history"


@pytest.mark.parametrize(("overwrite", "answer", "told"), [(False, "Yes.", ("visa",)), (True, "No.", ())])
def test_an_answer_that_is_there_stays_unless_it_is_to_be_written_anew_and_the_preview_says_so(
    store: Store, project: Project, overwrite: bool, answer: str, told: tuple[str, ...]
) -> None:
    topic = add_topic(store, PRODUCT, project, "visa", answers={"en": "Yes."}).topic
    preview = prepared(store, project, csv("text,intent,answer", "a,visa,No.", "b,pay,Much."), overwrite=overwrite)
    assert preview.plan.effect.kept_answers == told
    apply_import(store, PRODUCT, project, preview.key)
    with store.reading() as tx:
        assert tx.topics.get(topic.id).answers == {"en": answer}  # type: ignore[union-attr]
        assert tx.topics.by_name(project.id, "pay").answers == {"en": "Much."}  # type: ignore[union-attr]


def test_what_was_added_between_preview_and_import_is_not_doubled(store: Store, project: Project) -> None:
    preview = prepared(store, project, csv("text,intent", "pay,salary", "earn,salary"))
    add_topic(store, PRODUCT, project, "salary", examples=["pay"])
    apply_import(store, PRODUCT, project, preview.key)
    assert material(store, project) == [("pay", "salary"), ("earn", "salary")]


@in_both
def test_what_changes_while_an_import_is_planned_is_seen_before_it_is_written(
    store: Store, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    preview = prepared(store, project, csv("text,intent", "a,b", "c,b"))
    plan = importing.plan_again
    others = iter(["a"])

    def plan_slowly(*args: Any) -> Any:
        planned = plan(*args)
        for text in others:
            add_topic(store, PRODUCT, project, "b", examples=[text])
        return planned

    monkeypatch.setattr(importing, "plan_again", plan_slowly)
    apply_import(store, PRODUCT, project, preview.key)
    assert material(store, project) == [("a", "b"), ("c", "b")]


def test_an_import_of_what_is_there_changes_nothing_and_says_so(store: Store, project: Project) -> None:
    source = csv("text,intent,answer", "pay,salary,Much.")
    imported(store, project, source)
    with pytest.raises(UsageError, match="already exists"):
        imported(store, project, source)


def test_more_rows_than_one_statement_takes_come_in_and_go_again(sqlite_store: Store) -> None:
    project = new_project(sqlite_store)
    lines = [f"message number {n},topic {n % 200}" for n in range(PIECE + 1)]
    edit = imported(sqlite_store, project, csv("text,intent", *lines))
    assert len(material(sqlite_store, project)) == PIECE + 1
    undo_edit(sqlite_store, PRODUCT, project, edit.id)
    assert material(sqlite_store, project) == []


# --- the way out and back ----------------------------------------------------------------------------------------

ODD = ["=SUM(A1)", "-5", "'quoted", 'say "hi", please', "straße 東京 👍", "a; b\tc", "0123", "+49 30"]


def exported(store: Store, project: Project, kind: str) -> bytes:
    rows = example_table(store, project)
    makers = {
        "csv": lambda: csv_bytes(COLUMNS, rows),
        "xlsx": lambda: xlsx_bytes("topics", COLUMNS, rows),
        "json": lambda: export_json(store, project),
    }
    return makers[kind]()


@pytest.mark.parametrize("kind", ["csv", "xlsx", "json"])
def test_an_export_is_read_back_as_it_was_in_every_format(
    store: Store, project: Project, tmp_path: Path, kind: str
) -> None:
    add_topic(store, PRODUCT, project, "-visa", answers={"en": "=Yes\nor no"}, examples=ODD)
    add_topic(store, PRODUCT, project, "Überstunden", examples=["hours", ODD[0]])
    add_examples(store, PRODUCT, project, ["hello there"], topic_id=None)
    content = exported(store, project, kind)
    path = tmp_path / f"topics.{kind}"
    path.write_bytes(content)
    assert len(read_dataset(path)) == len(material(store, project))
    other = new_project(store, "copy")
    imported(store, other, Source(path.name, content))
    with store.reading() as tx:
        old, new = ([replace(one, id=None) for one in project_dataset(tx, each)] for each in (project, other))
    assert new == old


@in_both
def test_the_json_export_holds_topics_without_examples_too(store: Store, project: Project) -> None:
    add_topic(store, PRODUCT, project, "empty", description="Later.", owner="Ann", answers={"en": "Soon."})
    (topic,) = json.loads(export_json(store, project))["topics"]
    assert (topic["name"], topic["owner"], topic["answers"]) == ("empty", "Ann", {"en": "Soon."})


@pytest.mark.parametrize(
    "source", [csv("text,intent", *["hi,greet"] * 5), source_of_text("\n".join(["hi"] * 6))], ids=["file", "lines"]
)
def test_more_rows_than_a_request_can_bear_are_refused_in_words_for_a_page(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(read_source(source, Choices(topic="greet")).rows) >= 5
    monkeypatch.setattr(incoming, "MAX_ROWS", 4)
    with pytest.raises(FileError, match="5 rows, the limit is 4") as caught:
        read_source(source, Choices(topic="greet"))
    assert caught.value.remedy == "send it in several parts"
