"""Suites of scenarios: brought in from files, put together for a run, written out again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vivavoce import demo
from vivavoce.conversations import Scenario, Suite, read_suite, write_suite
from vivavoce.conversations.scenario import Turn
from vivavoce.conversations.scenarios.formats.yaml_fields import Place
from vivavoce.conversations.scenarios.formats.yaml_reading import REMEDY, parse_yaml_suite, read_scenario
from vivavoce.conversations.scenarios.formats.yaml_writing import FORMAT, head_value, scenario_value
from vivavoce.conversations.scenarios.references import find_broken
from vivavoce.conversations.scenarios.suites import OWN, merge_suites
from vivavoce.errors import AbsentError, DataError, Fault, InputError, UsageError, nearest
from vivavoce.files.yamls import dump_yaml, parse_yaml
from vivavoce.messages import change_texts, join, say, say_count
from vivavoce.store.cleaning import clean_text
from vivavoce.store.database import Store
from vivavoce.store.rows import Change, Edit, Project, Role, ScenarioRow, SuiteRow
from vivavoce.store.stamps import new_id, now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor

MAX_NAME = 100
FORMS = OWN
SHOWN_NOTES = 3


@dataclass(frozen=True, slots=True)
class SuiteLine:
    """A suite and how many scenarios it has."""

    suite: SuiteRow
    scenarios: int


def list_suites(store: Store, project: Project) -> tuple[SuiteLine, ...]:
    """Return the suites of a project, by name."""
    with store.reading() as tx:
        counts = tx.suites.counts(project.id)
        return tuple(SuiteLine(suite, counts.get(suite.id, 0)) for suite in tx.suites.of_project(project.id))


def get_suite(tx: Transaction, project: Project, suite_id: str) -> SuiteRow:
    """Return a suite of the project; AbsentError where it has none of this id."""
    suite = tx.suites.get(suite_id)
    if suite is None or suite.project_id != project.id:
        raise _absent(suite_id)
    return suite


def _absent(suite_id: str) -> AbsentError:
    what = say("suite '{suite_id}' not found", suite_id=suite_id)
    return AbsentError(what, remedy=say("choose one from the list of suites"))


def find_suite(store: Store, project: Project, suite_id: str) -> SuiteRow:
    """Return a suite of the project; AbsentError where it has none of this id."""
    with store.reading() as tx:
        return get_suite(tx, project, suite_id)


def assemble_suite(tx: Transaction, suite_id: str) -> Suite:
    """Return a stored suite with all its scenarios, as reading its file would."""
    row = tx.suites.get(suite_id)
    if row is None:
        raise _absent(suite_id)
    return put_together(row, tx.suites.scenarios(suite_id))


def put_together(row: SuiteRow, scenarios: Iterable[ScenarioRow]) -> Suite:
    """Return a suite made of its head and scenarios."""
    head = read_head(row.head)
    return replace(head, name=row.name, scenarios=tuple(parse_scenario(scenario.text) for scenario in scenarios))


@lru_cache(maxsize=64)
def read_head(text: str) -> Suite:
    """Return a suite without scenarios from its YAML."""
    return parse_yaml_suite(text, source="workspace")


@lru_cache(maxsize=4096)
def parse_scenario(text: str) -> Scenario:
    """Return a scenario from its YAML; DataError with all faults."""
    faults: list[Fault] = []
    file = parse_yaml(text, source="scenario")
    scenario = read_scenario(file.value, Place(file, faults))
    if faults:
        raise DataError(
            say("this scenario cannot be read"), where=scenario.id or "scenario", faults=faults, remedy=REMEDY
        )
    return without_lines(scenario)


def without_lines(scenario: Scenario) -> Scenario:
    """Return a scenario without the lines of a file: in a workspace there is none."""
    turns = tuple(replace(step, line=None) if isinstance(step, Turn) else step for step in scenario.turns)
    return replace(scenario, turns=turns, line=None)


def export_suite(store: Store, project: Project, suite_id: str, form: str) -> tuple[SuiteRow, bytes]:
    """Return a suite, and it as a file: `form` yaml, csv or xlsx."""
    if form not in FORMS:
        raise UsageError(
            say("a suite cannot be exported as '{form}'.{nearest}", form=form, nearest=nearest(form, FORMS)),
            remedy=say("use yaml"),
        )
    with store.reading() as tx:
        row = get_suite(tx, project, suite_id)
        suite = assemble_suite(tx, suite_id)
    with TemporaryDirectory(prefix="viva-") as folder:
        path = Path(folder) / f"suite.{form}"
        write_suite(suite, path)
        return row, path.read_bytes()


def import_suite(
    store: Store, actor: Actor, project: Project, source: str | Path, *, name: str = "", replacing: bool = False
) -> Edit:
    """Bring in a suite: a YAML, CSV or XLSX file, a folder of them, or the name of a shipped suite.

    `name`: what it is called here, else as it calls itself. `replacing`: a suite of this name takes over what is
    new, changed or gone; else the name must be free.
    """
    actor.require(Role.EDITOR)
    return import_read_suite(store, actor, project, read_suite(source), name=name, replacing=replacing)


def read_shipped(name: str) -> Suite:
    """Return a suite that ships; never a file of this name."""
    if name not in demo.suites():
        raise UsageError(
            say("unknown bundled suite '{name}'.{nearest}", name=name, nearest=nearest(name, demo.suites())),
            remedy=", ".join(demo.suites()),
        )
    return replace(read_suite(demo.suite_path(name)), name=name, source=name)


def import_read_suite(
    store: Store,
    actor: Actor,
    project: Project,
    suite: Suite,
    *,
    name: str = "",
    replacing: bool = False,
    why: str = "",
) -> Edit:
    """Bring in a suite that was read already."""
    actor.require(Role.EDITOR)
    named = replace(suite, name=check_name(name or suite.name))
    faults = [Fault(p.message, p.where) for p in find_broken(named) if p.kind == "duplicate_id"]
    if faults:
        raise DataError(
            say("some scenarios have the same id"),
            where=named.source,
            faults=faults,
            remedy=say("rename one of them"),
        )
    with store.writing() as tx:
        there = tx.suites.by_name(project.id, named.name)
        if there is not None and not replacing:
            raise UsageError(
                say("suite '{name}' already exists", name=named.name),
                remedy=say("choose another name, or replace it"),
            )
        changes = _list_changes(tx, project, there, named)
        return tx.edits.apply(project.id, actor.user_id, "import", _summarize_import(named), changes, why=why)


def create_suite(
    store: Store, actor: Actor, project: Project, name: str, *, title: str = "", language: str = "en", agent: str = ""
) -> Edit:
    """Make a suite without scenarios; `agent`: a shipped one whose topics are offered."""
    if agent and agent not in demo.suites():
        raise UsageError(
            say("unknown bundled agent '{agent}'.{nearest}", agent=agent, nearest=nearest(agent, demo.suites()))
        )
    suite = Suite(check_name(name), (), language=language, title=title.strip(), agent=agent or None)
    return import_read_suite(store, actor, project, suite)


def rename_suite(
    store: Store, actor: Actor, project: Project, suite_id: str, *, name: str, title: str, why: str = ""
) -> Edit:
    """Call a suite otherwise."""
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        row = get_suite(tx, project, suite_id)
        head = replace(read_head(row.head), name=check_name(name), title=title.strip())
        change = tx.edits.update("suites", row.id, name=head.name, title=head.title, head=head_text(head))
        summary = say("Suite {name}: title changed", name=row.name)
        if row.name != head.name:
            summary = say("Suite {name} renamed to {said_name}", name=row.name, said_name=head.name)
        return tx.edits.apply(project.id, actor.user_id, "rename", summary, [change], why=why)


def delete_suite(store: Store, actor: Actor, project: Project, suite_id: str) -> Edit:
    """Delete a suite with its scenarios; the edit can be undone."""
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        row = get_suite(tx, project, suite_id)
        scenarios = tx.suites.scenarios(row.id)
        changes = [tx.edits.delete("scenarios", scenario.id) for scenario in scenarios]
        changes.append(tx.edits.delete("suites", row.id))
        summary = say(
            "Suite {name} deleted ({scenarios})",
            name=row.name,
            scenarios=say_count(len(scenarios), "{n} scenario", "{n} scenarios"),
        )
        return tx.edits.apply(project.id, actor.user_id, "delete", summary, changes)


def check_name(name: str) -> str:
    """Return the name of a suite; refused where it is empty or long."""
    plain = name.strip()
    if not plain or len(plain) > MAX_NAME:
        raise UsageError(
            say("the name needs 1 to {most_name} characters", most_name=MAX_NAME),
            where="name",
            remedy=say("choose another name"),
        )
    return plain


def head_text(suite: Suite) -> str:
    """Return the YAML of a suite without its scenarios."""
    return dump_yaml({"format": FORMAT, **head_value(replace(suite, scenarios=()))})


def scenario_values(suite_id: str, scenario: Scenario, place: int) -> dict[str, Any]:
    """Return the columns of a new scenario."""
    return {"id": new_id(), "suite_id": suite_id, "place": place, "created": now(), **scenario_columns(scenario)}


def scenario_columns(scenario: Scenario) -> dict[str, Any]:
    """Return the columns that follow from what a scenario says."""
    return {
        "name": scenario.id,
        "title": scenario.title,
        "domain": scenario.domain,
        "level": scenario.level,
        "text": dump_yaml(scenario_value(scenario)),
    }


def _list_changes(tx: Transaction, project: Project, old: SuiteRow | None, suite: Suite) -> list[Change]:
    """Return what must change so that a stored suite, or none, becomes the new one; what is alike stays as it is."""
    columns = {
        "name": suite.name,
        "title": suite.title,
        "language": suite.language,
        # A path of another machine means nothing here.
        "agent": suite.agent if suite.agent in demo.suites() else None,
        "head": head_text(suite),
    }
    if old is None:
        suite_id, there = new_id(), {}
        changes = [tx.edits.insert("suites", {"id": suite_id, "project_id": project.id, "created": now(), **columns})]
    else:
        suite_id, there = old.id, {row.name: row for row in tx.suites.scenarios(old.id)}
        changes = [tx.edits.update("suites", suite_id, **columns)]
    wanted = {scenario.id for scenario in suite.scenarios}
    changes += [tx.edits.delete("scenarios", row.id) for name, row in there.items() if name not in wanted]
    changes += [
        tx.edits.update("scenarios", there[scenario.id].id, place=place, **scenario_columns(scenario))
        if scenario.id in there
        else tx.edits.insert("scenarios", scenario_values(suite_id, scenario, place))
        for place, scenario in enumerate(suite.scenarios)
    ]
    return [change for change in changes if change.before != change.after]


def _summarize_import(suite: Suite) -> str:
    scenarios = say_count(len(suite.scenarios), "{n} scenario", "{n} scenarios")
    summary = say("Suite {name}: {scenarios}", name=suite.name, scenarios=scenarios)
    notes: list[str] = list(suite.notes[:SHOWN_NOTES])
    titles = Counter(_fold(scenario.title) for scenario in suite.scenarios if scenario.title.strip())
    if shared := sum(count > 1 for count in titles.values()):
        counted = say_count(shared, "{n} title", "{n} titles")
        notes.insert(0, say("{titles} used by more than one scenario: all were imported", titles=counted))
    return summary + " (" + join("; ", notes) + ")" if notes else summary


NAME = "the cells"


def paste_scenarios(store: Store, actor: Actor, project: Project, suite_id: str, text: str) -> Edit:
    """Add the scenarios of a sheet to a suite: cells with tabs between them, commas, or YAML.

    Refused where one of them is there already, or where the two do not fit together.
    """
    actor.require(Role.EDITOR)
    if not text.strip():
        raise UsageError(
            say("no cells"), where="sheet", remedy=say("copy cells from your spreadsheet and paste them here")
        )
    with store.reading() as tx:
        row = get_suite(tx, project, suite_id)
        there = assemble_suite(tx, row.id)
    grown = merge_suites([there, read_text(text)], there.name)
    return import_read_suite(store, actor, project, grown, replacing=True)


def read_text(text: str) -> Suite:
    """Return the scenarios of a text: a table, or YAML where it begins like it."""
    clean_text(text)
    ending = ".yaml" if text.lstrip().startswith(("format:", "suite:", "scenarios:", "- ", "#")) else ".csv"
    with TemporaryDirectory(prefix="viva-") as folder:
        path = Path(folder) / f"pasted{ending}"
        path.write_text(text, encoding="utf-8", newline="")
        try:
            return read_suite(path)
        except InputError as error:
            # It speaks of what was pasted, not of a file that nobody knows.
            what, remedy = (
                change_texts(text, lambda value: value.replace(str(path), NAME))
                for text in (error.what, error.remedy)
            )
            raise type(error)(what, where=NAME, remedy=remedy, faults=error.faults) from error


def free_title(suite: Suite, wanted: str, *, besides: str = "") -> str:
    """Return the wanted title, with a number where it is taken; `besides`: a scenario that does not count."""
    taken = {_fold(scenario.title) for scenario in suite.scenarios if scenario.id != besides}
    title, number = wanted, 2
    while wanted and _fold(title) in taken:
        title, number = f"{wanted} ({number})", number + 1
    return title


def title_doubt(suite: Suite, scenario: Scenario) -> str:
    """Say which other scenario has the same title and offer one that is free; nothing where none has it."""
    title = _fold(scenario.title)
    same = [other.id for other in suite.scenarios if other.id != scenario.id and _fold(other.title) == title]
    if not same or not scenario.title.strip():
        return ""
    offered = free_title(suite, scenario.title, besides=scenario.id)
    return say(
        "'{same}' also has the title '{title}'; use '{offered}' to tell them apart",
        same=same[0],
        title=scenario.title,
        offered=offered,
    )


def _fold(title: str) -> str:
    return " ".join(title.casefold().split())
