"""Suites, bots, messages of scripted conversations, and logged talks with what is thought of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from vivavoce.errors import StaleError, UsageError
from vivavoce.store import tables
from vivavoce.store.database import Store
from vivavoce.store.repositories.dialogues import DialogueFilter
from vivavoce.store.repositories.results import TurnFilter
from vivavoce.store.rows import DialogueRow, Project, RatingRow, Run, RunState, ScoreRow, TurnRow, Unit, UnitState
from vivavoce.store.stamps import new_id

NOON = datetime(2024, 5, 2, 12, tzinfo=UTC)


def run_row(project: Project, kind: str, number: int) -> Run:
    given = {"title": "", "headline": "", "error": "", "code_version": "1", "data_hash": "d", "options": {}}
    counts = {"version": 0, "total": 1, "done": 0, "failed": 0, "seed": 0}
    nothing = {"user_id": None, "schedule_id": None, "suite_id": None, "started": None, "finished": None}
    created = NOON + timedelta(days=number)
    more: dict[str, Any] = {**given, **counts, **nothing}
    return Run(
        id=new_id(), project_id=project.id, number=number, kind=kind, state=RunState.DONE, created=created, **more
    )


@pytest.fixture
def add_run(store: Store, project: Project) -> Callable[..., tuple[Run, Unit]]:
    """Keep a run of one unit."""

    def add(kind: str = "conversations", number: int = 1) -> tuple[Run, Unit]:
        run = run_row(project, kind, number)
        waiting = UnitState.WAITING
        unit = Unit(new_id(), run.id, "u", "u", 0, 0, "bot", "", waiting, 0, None, None, None, None, "")
        with store.writing() as tx:
            return tx.runs.add(run, b"", [unit]), unit

    return add


# --- material ----------------------------------------------------------------------------------------------------


def add_suite(store: Store, project: Project, scenarios: int = 3) -> tuple[str, list[str]]:
    suite_id, ids = new_id(), [new_id() for _ in range(scenarios)]
    suite = {
        "id": suite_id,
        "project_id": project.id,
        "name": "flights",
        "title": "Flights",
        "language": "en",
        "agent": None,
        "head": "suite: flights",
        "created": NOON,
    }
    rows = [
        {
            "id": each,
            "suite_id": suite_id,
            "name": f"s{place}",
            "title": "",
            "domain": "book" if place else "cancel",
            "level": "basic",
            "text": f"text {place}",
            "place": scenarios - place,
            "created": NOON,
        }
        for place, each in enumerate(ids)
    ]
    with store.writing() as tx:
        changes = [tx.edits.insert("suites", suite), *(tx.edits.insert("scenarios", row) for row in rows)]
        tx.edits.apply(project.id, None, "add", "Suite", changes)
    return suite_id, ids


def test_a_suite_gives_its_scenarios_in_their_order(store: Store, project: Project) -> None:
    suite_id, _ = add_suite(store, project)
    with store.reading() as tx:
        suite = tx.suites.get(suite_id)
        assert suite is not None
        assert tx.suites.by_name(project.id, "flights") == suite
        assert tx.suites.by_name(project.id, "trains") is None
        assert tx.suites.of_project(project.id) == (suite,)
        assert [row.name for row in tx.suites.scenarios(suite_id)] == ["s2", "s1", "s0"]
        assert [row.name for row in tx.suites.scenarios(suite_id, domain="cancel")] == ["s0"]
        assert tx.suites.scenarios(suite_id, level="hard") == ()
        assert tx.suites.counts(project.id) == {suite_id: 3}


def test_every_version_of_a_scenario_can_be_read(store: Store, project: Project) -> None:
    suite_id, (scenario_id, *_) = add_suite(store, project)
    with store.writing() as tx:
        change = tx.edits.update("scenarios", scenario_id, text="better")
        tx.edits.apply(project.id, None, "edit", "Edited", [change], why="clearer")
    with store.reading() as tx:
        found = tx.suites.scenario(scenario_id)
        assert found is not None
        assert (found.text, found.version) == ("better", 2)
        assert tx.suites.scenario_by_name(suite_id, found.name) == found
        assert [(one.version, one.text, one.why) for one in tx.suites.versions(scenario_id)] == [
            (2, "better", "clearer"),
            (1, "text 0", "Suite"),
        ]
        first = tx.suites.version(scenario_id, 1)
        assert first is not None
        assert first.text == "text 0"
        assert tx.suites.version(scenario_id, 3) is None


def test_two_editors_of_a_scenario_do_not_overwrite_each_other(store: Store, project: Project) -> None:
    _, (scenario_id, *_) = add_suite(store, project)
    with store.reading() as tx:
        mine, theirs = (tx.edits.update("scenarios", scenario_id, text=text) for text in ("mine", "theirs"))
    with store.writing() as tx:
        tx.edits.apply(project.id, None, "edit", "Theirs", [theirs])
    with pytest.raises(StaleError), store.writing() as tx:
        tx.edits.apply(project.id, None, "edit", "Mine", [mine])
    with store.reading() as tx:
        found = tx.suites.scenario(scenario_id)
    assert found is not None
    assert found.text == "theirs"


def test_bots_are_found_by_name(store: Store, project: Project) -> None:
    entry = {"kind": "http", "url": "http://localhost", "headers": {"X-Key": "${KEY}"}}
    rows = [
        {"id": new_id(), "project_id": project.id, "name": name, "entry": entry, "created": NOON}
        for name in ("b", "a")
    ]
    with store.writing() as tx:
        tx.edits.apply(project.id, None, "add", "Bots", [tx.edits.insert("bots", row) for row in rows])
    with store.reading() as tx:
        assert [bot.name for bot in tx.bots.of_project(project.id)] == ["a", "b"]
        found = tx.bots.by_name(project.id, "b")
        assert found is not None
        assert found.entry == entry
        assert tx.bots.get(found.id) == found
        assert tx.bots.by_name(project.id, "c") is None


# --- messages ----------------------------------------------------------------------------------------------------


def turn(unit: Unit, number: int, **more: Any) -> TurnRow:
    row = TurnRow(
        unit_id=unit.id,
        number=number,
        run_id=unit.run_id,
        bot="bot",
        script="s1",
        scenario="s1",
        domain="book",
        level="basic",
        kind="clean",
        repeat=0,
        sent=f"message {number}",
        reply="Good day",
        status="ok",
        outcome="",
        detail={},
        first_ms=1.5,
    )
    return replace(row, **more)


def test_a_message_is_seen_first_and_judged_later(store: Store, add_run: Callable[..., tuple[Run, Unit]]) -> None:
    _, unit = add_run()
    judged = turn(unit, 1, outcome="right", detail={"reasons": ["as expected"]})
    with store.writing() as tx:
        tx.turns.put([turn(unit, 2), turn(unit, 1)])
        tx.turns.put([judged])
        assert tx.turns.of_run(unit.run_id) == (judged, turn(unit, 2))
        tx.turns.clear(unit.id)
        assert tx.turns.of_run(unit.run_id) == ()


def test_messages_can_be_filtered_and_counted(store: Store, add_run: Callable[..., tuple[Run, Unit]]) -> None:
    run, unit = add_run()
    rows = [
        turn(unit, 1, outcome="right"),
        turn(unit, 2, outcome="missed", level="hard", reply="100% sure"),
        turn(unit, 3, outcome="missed", bot="other", domain="cancel", scenario="s2", script="s2"),
    ]
    with store.writing() as tx:
        tx.turns.put(rows)
        wanted = {
            TurnFilter(): [1, 2, 3],
            TurnFilter(bot="bot"): [1, 2],
            TurnFilter(level="hard"): [2],
            TurnFilter(domain="cancel"): [3],
            TurnFilter(scenario="s1", outcome="missed"): [2],
            TurnFilter(search="MESSAGE 3"): [3],
            TurnFilter(search="100%"): [2],
            TurnFilter(search="_"): [],
        }
        for chosen, numbers in wanted.items():
            assert [row.number for row in tx.turns.page(run.id, chosen)] == numbers
            assert tx.turns.count(run.id, chosen) == len(numbers)
        assert [row.number for row in tx.turns.page(run.id, limit=1, offset=1)] == [2]
        assert Counter(turn.outcome for turn in tx.turns.of_run(run.id)) == {"right": 1, "missed": 2}
        assert [row.number for row in tx.turns.of_script(run.id, "s1", 0)] == [1, 2]


# --- logged talks ------------------------------------------------------------------------------------------------


def talk(project: Project, name: str, place: int = 0, **more: Any) -> DialogueRow:
    said = ({"speaker": "visitor", "text": f"about {name}"},)
    row = DialogueRow(new_id(), project.id, name, "may", "bot", None, "log.jsonl", None, said, place, NOON)
    return replace(row, **more)


def score(run: Run, dialogue: DialogueRow, value: float | None) -> ScoreRow:
    return ScoreRow(run.id, dialogue.id, value, None, None, "" if value is not None else "too short", {"turns": []})


def test_a_talk_that_comes_again_keeps_its_id(store: Store, project: Project) -> None:
    first = talk(project, "d1")
    again = talk(project, "d1", bot="newer")
    with store.writing() as tx:
        tx.dialogues.put([first, talk(project, "d2", 1)])
        tx.dialogues.put([again])
        assert tx.dialogues.get(first.id) == replace(again, id=first.id)
        assert tx.dialogues.named(project.id, ["d1"]) == [replace(again, id=first.id)]
        assert tx.dialogues.count(project.id) == 2
        assert tx.dialogues.ids(project.id)["d1"] == tx.dialogues.ids(project.id)[first.id] == first.id


def test_the_worst_talks_come_first_and_those_without_a_score_last(
    store: Store, project: Project, add_run: Callable[..., tuple[Run, Unit]]
) -> None:
    talks = [talk(project, f"d{n}", n) for n in range(4)]
    old, new = (add_run("dialogues", number)[0] for number in (1, 2))
    with store.writing() as tx:
        tx.dialogues.put(talks)
        tx.scores.put([score(old, talks[0], 5.0), score(old, talks[1], 1.0), score(old, talks[2], None)])
        tx.scores.put([score(new, talks[0], 0.5)])

        def page(**more: Any) -> list[tuple[str, float | None]]:
            names = {row.id: row.name for row in talks}
            return [(names[one.dialogue_id], one.score) for one in tx.dialogues.page(project.id, **more)]

        assert page() == [("d0", 0.5), ("d1", 1.0), ("d2", None), ("d3", None)]
        assert page(sort="-score") == [("d1", 1.0), ("d0", 0.5), ("d2", None), ("d3", None)]
        assert page(limit=1, offset=2) == [("d2", None)]
        assert [name for name, _ in page(sort="-name")] == ["d3", "d2", "d1", "d0"]
        refused = tx.dialogues.page(project.id, limit=2, offset=2)
        assert [(one.run, one.refusal) for one in refused] == [(1, "too short"), (None, None)]
        assert tx.dialogues.newest_scores(project.id) == {talks[0].id: 0.5, talks[1].id: 1.0}
        with pytest.raises(UsageError, match="Did you mean 'score'"):
            page(sort="scores")


def test_talks_can_be_filtered_and_counted(store: Store, project: Project) -> None:
    rows = [
        talk(project, "d1"),
        talk(project, "d2", 1, batch="june", created=NOON + timedelta(days=9)),
        talk(project, "d3", 2, bot=None),
    ]
    with store.writing() as tx:
        tx.dialogues.put(rows)
        assert tx.dialogues.batches(project.id) == {"june": 1, "may": 2}
        assert list(tx.dialogues.batches(project.id)) == ["june", "may"], "the newest first"
        assert tx.dialogues.bots(project.id) == {"bot": 2}
        assert [row.name for row in tx.dialogues.of_project(project.id, DialogueFilter(batch="may"))] == ["d1", "d3"]
        assert tx.dialogues.count(project.id, DialogueFilter(search="ABOUT D2")) == 1
        assert tx.dialogues.count(project.id, DialogueFilter(bot="bot", search="d3")) == 0
        assert tx.dialogues.delete(project.id, [rows[0].id, "nobody"]) == 1
        assert tx.dialogues.count(project.id) == 2


def test_scores_are_found_by_run_and_by_talk(
    store: Store, project: Project, add_run: Callable[..., tuple[Run, Unit]]
) -> None:
    talks = [talk(project, f"d{n}", n) for n in range(2)]
    old, new = (add_run("dialogues", number)[0] for number in (1, 2))
    with store.writing() as tx:
        tx.dialogues.put(talks)
        tx.scores.put([score(old, talks[1], 1.0), score(old, talks[0], 2.0), score(new, talks[0], 3.0)])
        tx.scores.put([score(new, talks[0], 4.0)])
        assert [tx.scores.get(old.id, row.id) for row in talks] == [
            score(old, talks[0], 2.0),
            score(old, talks[1], 1.0),
        ]
        assert [one.score for one in tx.scores.of_dialogue(talks[0].id)] == [4.0, 2.0]
        assert tx.scores.get(new.id, talks[0].id) == score(new, talks[0], 4.0)
        tx.scores.clear(new.id)
        assert tx.scores.get(new.id, talks[0].id) is None


def test_who_rates_again_changes_their_mind(store: Store, project: Project) -> None:
    dialogue = talk(project, "d1")
    first = RatingRow(new_id(), dialogue.id, 0, None, "anna", 2.0, None, NOON)
    answer = RatingRow(new_id(), dialogue.id, 3, None, "anna", None, "unsure", NOON)
    with store.writing() as tx:
        tx.dialogues.put([dialogue])
        assert tx.ratings.put(first) == first
        assert tx.ratings.put(answer) == answer
        changed = tx.ratings.put(replace(first, id=new_id(), quality=5.0))
        assert changed == replace(first, quality=5.0)
        tx.ratings.put_many([replace(first, id=new_id(), rater="ben")])
        assert [(one.rater, one.turn) for one in tx.ratings.of_dialogue(dialogue.id)] == [
            ("anna", 0),
            ("ben", 0),
            ("anna", 3),
        ]
        assert len(tx.ratings.of_project(project.id)) == 3
        assert tx.ratings.delete(first.id)
        assert not tx.ratings.delete(first.id)
        tx.dialogues.delete(project.id, [dialogue.id])
        assert tx.ratings.of_project(project.id) == ()


def test_all_that_a_run_and_a_talk_have_goes_with_them(
    store: Store, project: Project, add_run: Callable[..., tuple[Run, Unit]]
) -> None:
    run, unit = add_run("dialogues")
    dialogue = talk(project, "d1")
    with store.writing() as tx:
        tx.dialogues.put([dialogue])
        tx.scores.put([score(run, dialogue, 1.0)])
        tx.turns.put([turn(unit, 1)])
        tx.runs.delete(run.id)
        for table in (tables.scores, tables.turns, tables.units, tables.materials):
            assert tx.connection.execute(table.select()).all() == []
