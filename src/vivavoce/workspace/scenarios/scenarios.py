"""Scenarios of a suite: written, saved with every version kept, brought back.

Two people may have the same scenario open. A save names the version that it was made from; where somebody was
faster it is refused with StaleError, and `merging` puts both together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vivavoce.conversations import Scenario, Suite, check_suite
from vivavoce.conversations.scenario import Turn
from vivavoce.conversations.scenarios.check import CheckProblem, Measured
from vivavoce.errors import AbsentError, DataError, Fault, StaleError, UsageError, VivaError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import Change, Edit, Project, Role, ScenarioRow, ScenarioVersion, SuiteRow
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor, person_names
from vivavoce.workspace.scenarios.suites import (
    assemble_suite,
    get_suite,
    parse_scenario,
    scenario_columns,
    scenario_values,
    title_doubt,
    without_lines,
)

MOST_NAME = 100
MOST_TURNS = 200


@dataclass(frozen=True)
class OpenScenario:
    """A scenario with the suite that it belongs to."""

    row: ScenarioRow
    suite: SuiteRow
    scenario: Scenario


@dataclass(frozen=True, slots=True)
class Saved:
    """What a save did, and what is still to be thought about."""

    edit: Edit
    scenario_id: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Checked:
    """What is wrong with a scenario, what is doubtful, and how long and twisted it is."""

    faults: tuple[Fault, ...]
    warnings: tuple[str, ...]
    measured: Measured | None


@dataclass(frozen=True, slots=True)
class VersionLine:
    """A version of a scenario and the name of its author."""

    version: ScenarioVersion
    author: str


# --- looking -----------------------------------------------------------------------------------------------------


def find_scenario(tx: Transaction, project: Project, scenario_id: str) -> tuple[ScenarioRow, SuiteRow]:
    """Return a scenario of the project with its suite; AbsentError where it has none of this id."""
    row = tx.suites.scenario(scenario_id)
    suite = tx.suites.get(row.suite_id) if row else None
    if row is None or suite is None or suite.project_id != project.id:
        raise AbsentError(
            say("there is no scenario '{scenario_id}'", scenario_id=scenario_id),
            remedy=say("choose one from the list of its suite"),
        )
    return row, suite


def open_scenario(store: Store, project: Project, scenario_id: str) -> OpenScenario:
    """Return a scenario as it is now."""
    with store.reading() as tx:
        row, suite = find_scenario(tx, project, scenario_id)
    return OpenScenario(row, suite, parse_scenario(row.text))


def list_scenarios(
    store: Store,
    project: Project,
    suite_id: str,
    *,
    domain: str | None = None,
    level: str | None = None,
    search: str = "",
) -> tuple[ScenarioRow, ...]:
    """Return the scenarios of a suite in their order, those that hold the words."""
    with store.reading() as tx:
        found = tx.suites.scenarios(get_suite(tx, project, suite_id).id, domain=domain, level=level)
    words = search.strip().casefold()
    return tuple(row for row in found if words in row.text.casefold())


def list_versions(store: Store, project: Project, scenario_id: str) -> tuple[VersionLine, ...]:
    """Return what a scenario was at each save, the newest first."""
    with store.reading() as tx:
        row, _ = find_scenario(tx, project, scenario_id)
        found = tx.suites.versions(row.id)
        names = person_names(tx, [one.user_id for one in found])
    return tuple(VersionLine(one, names[one.user_id]) for one in found)


def version_of(store: Store, project: Project, scenario_id: str, version: int) -> Scenario:
    """Return a scenario as it was at one save."""
    with store.reading() as tx:
        row, _ = find_scenario(tx, project, scenario_id)
        return _version(tx, row, version)


def _version(tx: Transaction, row: ScenarioRow, version: int) -> Scenario:
    found = tx.suites.version(row.id, version)
    if found is None:
        raise AbsentError(
            say("'{name}' has no version {version}", name=row.name, version=version),
            remedy=say("choose one from the list of versions"),
        )
    return parse_scenario(found.text)


# --- checking ----------------------------------------------------------------------------------------------------


def check_scenario(suite: Suite, scenario: Scenario, *, known: Sequence[str] = (), instead_of: str = "") -> Checked:
    """Look at a scenario within its suite; `instead_of`: the id of the one that it replaces.

    Faults are those of the scenario, and those that it brings upon others, such as a twin that is lost.
    """
    others = tuple(one for one in suite.scenarios if one.id not in (scenario.id, instead_of))
    before = {(one.kind, one.message) for one in check_suite(suite).errors}
    after = check_suite(replace(suite, scenarios=(*others, scenario)))
    errors = [one for one in after.errors if _is_of(one, scenario) or (one.kind, one.message) not in before]
    warnings = [one.message for one in after.warnings if _is_of(one, scenario)]
    warnings += [one.message for one in after.problems if one.kind == "level" and _is_of(one, scenario)]
    unknown = [f"no topic '{name}' is known here" for name in _topics(scenario) if known and name not in known]
    doubt = title_doubt(replace(suite, scenarios=others), scenario)
    measured = next(iter(check_suite(replace(suite, scenarios=(scenario,))).measured.values()), None)
    faults = (*_empty_messages(scenario), *(Fault(one.message, one.where) for one in errors))
    said = [*([doubt] if doubt else []), *warnings, *unknown]
    return Checked(faults, tuple(dict.fromkeys(said)), measured)


def _empty_messages(scenario: Scenario) -> Iterator[Fault]:
    for number, step in enumerate(scenario.turns, 1):
        if isinstance(step, Turn) and isinstance(step.user, str) and not step.user.strip():
            yield Fault(
                say("the visitor says nothing here: write a message, or delete the turn"),
                say("turn {number}", number=number),
            )


def _is_of(problem: CheckProblem, scenario: Scenario) -> bool:
    return scenario.id in problem.scenarios


def _topics(scenario: Scenario) -> list[str]:
    expected = (getattr(step, "expect", None) for step in scenario.turns)
    return list(dict.fromkeys(name for expect in expected if expect is not None for name in expect.intents))


# --- changing ----------------------------------------------------------------------------------------------------


def save_scenario(
    store: Store,
    actor: Actor,
    project: Project,
    scenario_id: str,
    scenario: Scenario,
    *,
    version: int,
    twins: Sequence[Scenario] = (),
    why: str = "",
) -> Saved:
    """Save a scenario that was made from a version; StaleError where there is a newer one by now.

    `twins`: misspelt copies that are added in the same edit.
    """
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        row, suite_row = find_scenario(tx, project, scenario_id)
        if row.version != version:
            raise StaleError(
                say(
                    "'{name}' was saved by somebody else meanwhile: version {version}, yours began as {version2}",
                    name=row.name,
                    version=row.version,
                    version2=version,
                ),
                remedy=say("look at both and put them together"),
            )
        suite = assemble_suite(tx, suite_row.id)
        checked = _refuse_faulty(suite, scenario, twins, instead_of=row.name)
        change = tx.edits.update("scenarios", row.id, **scenario_columns(scenario))
        changes = [change] if change.before != change.after else []
        changes += _added(tx, suite_row, twins)
        summary = say("Scenario {id} edited", id=scenario.id)
        if twins:
            summary = say("Scenario {id} edited, with a misspelt version", id=scenario.id)
        edit = tx.edits.apply(project.id, actor.user_id, "edit", summary, changes, why=why)
    return Saved(edit, row.id, checked.warnings)


def create_scenario(
    store: Store,
    actor: Actor,
    project: Project,
    suite_id: str,
    scenario: Scenario,
    *,
    twins: Sequence[Scenario] = (),
    why: str = "",
) -> Saved:
    """Add a scenario to a suite."""
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        suite_row = get_suite(tx, project, suite_id)
        suite = assemble_suite(tx, suite_row.id)
        if any(one.id == scenario.id for one in suite.scenarios):
            raise _refused(Fault(say("there is a scenario '{id}' already", id=scenario.id), "name"))
        checked = _refuse_faulty(suite, scenario, twins)
        changes = _added(tx, suite_row, (scenario, *twins))
        summary = say("Scenario {id} added to {name}", id=scenario.id, name=suite_row.name)
        edit = tx.edits.apply(project.id, actor.user_id, "create", summary, changes, why=why)
    return Saved(edit, changes[0].noun_id, checked.warnings)


def delete_scenario(store: Store, actor: Actor, project: Project, scenario_id: str, *, why: str = "") -> Edit:
    """Delete a scenario; refused where the misspelt twins of another one need it."""
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        row, suite_row = find_scenario(tx, project, scenario_id)
        suite = assemble_suite(tx, suite_row.id)
        _refuse_orphans(suite, row.name)
        change = tx.edits.delete("scenarios", row.id)
        summary = say("Scenario {name} deleted from {suite_row_name}", name=row.name, suite_row_name=suite_row.name)
        return tx.edits.apply(project.id, actor.user_id, "delete", summary, [change], why=why)


def restore_version(
    store: Store, actor: Actor, project: Project, scenario_id: str, version: int, *, why: str = ""
) -> Saved:
    """Make a scenario again what it was; what it is now stays among its versions."""
    actor.require(Role.EDITOR)
    with store.reading() as tx:
        row, _ = find_scenario(tx, project, scenario_id)
        then = _version(tx, row, version)
    said = why or f"Version {version} brought back"
    return save_scenario(store, actor, project, scenario_id, then, version=row.version, why=said)


def free_name(suite: Suite, wanted: str) -> str:
    """Return the wanted name, with a number where it is taken."""
    taken = {one.id for one in suite.scenarios}
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}-{number}", number + 1
    return name


def suite_of(store: Store, row: SuiteRow) -> Suite:
    """Return the suite that a row stands for, with all its scenarios."""
    with store.reading() as tx:
        return assemble_suite(tx, row.id)


def scenario_from_text(text: str) -> Scenario:
    """Return a scenario from YAML that somebody sent."""
    try:
        return without_lines(parse_scenario(text))
    except VivaError as error:
        raise DataError(
            say("this is not a scenario"), faults=error.faults or [Fault(error.what)], remedy=error.remedy
        ) from error


def _added(tx: Transaction, suite: SuiteRow, scenarios: Sequence[Scenario]) -> list[Change]:
    if not scenarios:
        return []
    last = max((row.place for row in tx.suites.scenarios(suite.id)), default=-1)
    values: list[dict[str, Any]] = [
        scenario_values(suite.id, one, place) for place, one in enumerate(scenarios, last + 1)
    ]
    return [tx.edits.insert("scenarios", one) for one in values]


def _refuse_faulty(suite: Suite, scenario: Scenario, twins: Sequence[Scenario], *, instead_of: str = "") -> Checked:
    plain = [*_plain_faults(scenario, levels_of(suite))]
    if plain:
        raise _refused(*plain)
    grown = replace(suite, scenarios=(*suite.scenarios, *twins))
    checked = check_scenario(grown, scenario, instead_of=instead_of)
    if checked.faults:
        raise _refused(*checked.faults)
    return checked


def levels_of(suite: Suite) -> tuple[str, ...]:
    """Return the levels that a scenario of a suite can have."""
    return tuple(dict.fromkeys((*suite.levels, *(one.level for one in suite.scenarios))))


def _plain_faults(scenario: Scenario, levels: Sequence[str]) -> list[Fault]:
    faults = []
    if not scenario.id.strip() or len(scenario.id) > MOST_NAME or scenario.id != scenario.id.strip():
        faults.append(Fault(say("the name needs 1 to {most_name} characters", most_name=MOST_NAME), "name"))
    if "/" in scenario.id:
        faults.append(Fault(say("the name must not hold a slash"), "name"))
    if scenario.level not in levels:
        faults.append(
            Fault(
                say("'{level}' is not a level of this suite: {names}", level=scenario.level, names=", ".join(levels)),
                "level",
            )
        )
    if len(scenario.turns) > MOST_TURNS:
        faults.append(
            Fault(
                say(
                    "there are {count} turns; at most {most_turns} are held",
                    count=len(scenario.turns),
                    most_turns=MOST_TURNS,
                ),
                "turns",
            )
        )
    return faults


def _refuse_orphans(suite: Suite, name: str) -> None:
    before = {(one.kind, one.message) for one in check_suite(suite).errors}
    rest = replace(suite, scenarios=tuple(one for one in suite.scenarios if one.id != name))
    lost = [one for one in check_suite(rest).errors if (one.kind, one.message) not in before]
    faults = [Fault(one.message, one.where) for one in lost if one.kind == "lost_twin"]
    if faults:
        raise UsageError(
            say("'{name}' cannot go: misspelt versions of its messages need it", name=name),
            faults=faults,
            remedy=say("delete these scenarios first"),
        )


def _refused(*faults: Fault) -> DataError:
    return DataError(
        say("the scenario cannot be saved"), faults=faults, remedy=say("correct these places and save again")
    )
