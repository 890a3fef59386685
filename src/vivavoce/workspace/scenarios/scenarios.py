"""Scenarios of a suite: written, saved with every version kept, brought back.

Two people may have the same scenario open. A save names the version that it was made from; where somebody was
faster it is refused with StaleError, and `merging` puts both together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vivavoce.conversations import Scenario, Suite, check_suite
from vivavoce.conversations.scenario import Turn
from vivavoce.conversations.scenarios.check import CheckProblem, Measured
from vivavoce.errors import AbsentError, DataError, Fault, StaleError, UsageError, VivaError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import Change, Edit, Project, Role, ScenarioRow, ScenarioVersion, SuiteRow
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor, person_names
from vivavoce.workspace.scenarios import suites

MAX_NAME = 100
NOTHING_EXPECTED = say("no turn expects anything, so nothing is checked")
MAX_TURNS = 200


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


def find_scenario(tx: Transaction, project: Project, scenario_id: str) -> tuple[ScenarioRow, SuiteRow]:
    """Return a scenario of the project with its suite; AbsentError where it has none of this id."""
    row = tx.suites.scenario(scenario_id)
    suite = tx.suites.get(row.suite_id) if row else None
    if row is None or suite is None or suite.project_id != project.id:
        raise AbsentError(
            say("scenario '{scenario_id}' not found", scenario_id=scenario_id),
            remedy=say("choose one from the suite's list"),
        )
    return row, suite


def open_scenario(store: Store, project: Project, scenario_id: str) -> OpenScenario:
    """Return a scenario as it is now."""
    with store.reading() as tx:
        row, suite = find_scenario(tx, project, scenario_id)
    return OpenScenario(row, suite, suites.parse_scenario(row.text))


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
        rows = tx.suites.scenarios(suites.get_suite(tx, project, suite_id).id, domain=domain, level=level)
    words = search.strip().casefold()
    return tuple(row for row in rows if words in row.text.casefold())


def list_versions(store: Store, project: Project, scenario_id: str) -> tuple[VersionLine, ...]:
    """Return what a scenario was at each save, the newest first."""
    with store.reading() as tx:
        row, _ = find_scenario(tx, project, scenario_id)
        versions = tx.suites.versions(row.id)
        names = person_names(tx, [version.user_id for version in versions])
    return tuple(VersionLine(version, names[version.user_id]) for version in versions)


def version_of(store: Store, project: Project, scenario_id: str, version: int) -> Scenario:
    """Return a scenario as it was at one save."""
    with store.reading() as tx:
        row, _ = find_scenario(tx, project, scenario_id)
        stored = tx.suites.version(row.id, version)
    if stored is None:
        raise AbsentError(
            say("'{name}' has no version {version}", name=row.name, version=version),
            remedy=say("choose one from the list of versions"),
        )
    return suites.parse_scenario(stored.text)


def check_scenario(suite: Suite, scenario: Scenario, *, known: Sequence[str] = (), instead_of: str = "") -> Checked:
    """Look at a scenario within its suite; `instead_of`: the id of the one that it replaces.

    Faults are those of the scenario, and those that it brings upon others, such as a twin that is lost.
    """
    others = tuple(other for other in suite.scenarios if other.id not in (scenario.id, instead_of))
    before = {(problem.kind, problem.message) for problem in check_suite(suite).errors}
    after = check_suite(replace(suite, scenarios=(*others, scenario)))

    def is_own(problem: CheckProblem) -> bool:
        return scenario.id in problem.scenarios

    faults = [
        Fault(
            say("the visitor says nothing here: write a message, or delete the turn"),
            say("turn {number}", number=number),
        )
        for number, step in enumerate(scenario.turns, 1)
        if isinstance(step, Turn) and isinstance(step.user, str) and not step.user.strip()
    ]
    errors = [error for error in after.errors if is_own(error) or (error.kind, error.message) not in before]
    faults += [Fault(error.message, error.where) for error in errors]
    doubt = suites.title_doubt(replace(suite, scenarios=others), scenario)
    topics = (name for step in scenario.turns if isinstance(step, Turn) for name in step.expect.intents)
    warnings = [
        *([doubt] if doubt else []),
        *([NOTHING_EXPECTED] if scenario.turns and expects_nothing(scenario) else []),
        *(warning.message for warning in after.warnings if is_own(warning)),
        *(problem.message for problem in after.problems if problem.kind == "level" and is_own(problem)),
        *(f"unknown topic '{name}'" for name in topics if known and name not in known),
    ]
    measured = next(iter(check_suite(replace(suite, scenarios=(scenario,))).measured.values()), None)
    return Checked(tuple(faults), tuple(dict.fromkeys(warnings)), measured)


def expects_nothing(scenario: Scenario) -> bool:
    """Tell whether no turn of a scenario is checked; included parts may expect something."""
    return all(isinstance(step, Turn) and not step.expect.counted for step in scenario.turns)


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
    summary: str = "",
) -> Saved:
    """Save a scenario that was made from a version; StaleError where there is a newer one by now.

    `twins`: misspelt copies that are added in the same edit. `summary`: what the history calls it.
    """
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        row, suite_row = find_scenario(tx, project, scenario_id)
        if row.version != version:
            raise StaleError(
                say(
                    "someone else saved '{name}' in the meantime: it is now version {version}, and "
                    "you edited version {version2}",
                    name=row.name,
                    version=row.version,
                    version2=version,
                ),
                remedy=say("compare both and combine them"),
            )
        suite = suites.assemble_suite(tx, suite_row.id)
        checked = _refuse_faulty(suite, scenario, twins, instead_of=row.name)
        change = tx.edits.update("scenarios", row.id, **suites.scenario_columns(scenario))
        changes = [change] if change.before != change.after else []
        changes += _add_rows(tx, suite_row, twins)
        usual = say("Scenario {id} edited", id=scenario.id)
        if twins:
            usual = say("Scenario {id} edited, with a misspelt version", id=scenario.id)
        edit = tx.edits.apply(project.id, actor.user_id, "edit", summary or usual, changes, why=why)
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
        suite_row = suites.get_suite(tx, project, suite_id)
        suite = suites.assemble_suite(tx, suite_row.id)
        if any(other.id == scenario.id for other in suite.scenarios):
            raise _refusal(Fault(say("scenario '{id}' already exists", id=scenario.id), "name"))
        checked = _refuse_faulty(suite, scenario, twins)
        changes = _add_rows(tx, suite_row, (scenario, *twins))
        summary = say("Scenario {id} added to {name}", id=scenario.id, name=suite_row.name)
        edit = tx.edits.apply(project.id, actor.user_id, "create", summary, changes, why=why)
    return Saved(edit, changes[0].noun_id, checked.warnings)


def delete_scenario(store: Store, actor: Actor, project: Project, scenario_id: str) -> Edit:
    """Delete a scenario; refused where the misspelt twins of another one need it."""
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        row, suite_row = find_scenario(tx, project, scenario_id)
        suite = suites.assemble_suite(tx, suite_row.id)
        before = {(error.kind, error.message) for error in check_suite(suite).errors}
        rest = tuple(scenario for scenario in suite.scenarios if scenario.id != row.name)
        lost = [error for error in check_suite(replace(suite, scenarios=rest)).errors if error.kind == "lost_twin"]
        faults = [Fault(error.message, error.where) for error in lost if (error.kind, error.message) not in before]
        if faults:
            raise UsageError(
                say("'{name}' cannot be deleted: misspelt versions of its messages depend on it", name=row.name),
                faults=faults,
                remedy=say("delete these scenarios first"),
            )
        change = tx.edits.delete("scenarios", row.id)
        summary = say("Scenario {name} deleted from {suite_row_name}", name=row.name, suite_row_name=suite_row.name)
        return tx.edits.apply(project.id, actor.user_id, "delete", summary, [change])


def restore_version(store: Store, actor: Actor, project: Project, scenario_id: str, version: int) -> Saved:
    """Make a scenario again what it was; what it is now stays among its versions."""
    actor.require(Role.EDITOR)
    with store.reading() as tx:
        row, _ = find_scenario(tx, project, scenario_id)
    then = version_of(store, project, scenario_id, version)
    why = f"Version {version} restored"
    return save_scenario(store, actor, project, scenario_id, then, version=row.version, why=why)


def free_name(suite: Suite, wanted: str) -> str:
    """Return the wanted name, with a number where it is taken."""
    taken = {scenario.id for scenario in suite.scenarios}
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}-{number}", number + 1
    return name


def suite_of(store: Store, row: SuiteRow) -> Suite:
    """Return the suite that a row stands for, with all its scenarios."""
    with store.reading() as tx:
        return suites.assemble_suite(tx, row.id)


def scenario_from_text(text: str) -> Scenario:
    """Return a scenario from YAML that somebody sent."""
    try:
        return suites.without_lines(suites.parse_scenario(text))
    except VivaError as error:
        raise DataError(
            say("this is not a scenario"), faults=error.faults or [Fault(error.what)], remedy=error.remedy
        ) from error


def _add_rows(tx: Transaction, suite: SuiteRow, scenarios: Sequence[Scenario]) -> list[Change]:
    last = max((row.place for row in tx.suites.scenarios(suite.id)), default=-1) if scenarios else -1
    return [
        tx.edits.insert("scenarios", suites.scenario_values(suite.id, scenario, place))
        for place, scenario in enumerate(scenarios, last + 1)
    ]


def _refuse_faulty(suite: Suite, scenario: Scenario, twins: Sequence[Scenario], *, instead_of: str = "") -> Checked:
    faults: list[Fault] = []
    levels = tuple(dict.fromkeys((*suite.levels, *(other.level for other in suite.scenarios))))
    if not scenario.id.strip() or len(scenario.id) > MAX_NAME or scenario.id != scenario.id.strip():
        faults.append(Fault(say("the name needs 1 to {most_name} characters", most_name=MAX_NAME), "name"))
    if "/" in scenario.id:
        faults.append(Fault(say("the name must not contain a slash"), "name"))
    if scenario.level not in levels:
        names = ", ".join(levels)
        message = say("'{level}' is not a level in this suite: {names}", level=scenario.level, names=names)
        faults.append(Fault(message, "level"))
    if (count := len(scenario.turns)) > MAX_TURNS:
        message = say("the scenario has {count} turns; the limit is {most_turns}", count=count, most_turns=MAX_TURNS)
        faults.append(Fault(message, "turns"))
    if faults:
        raise _refusal(*faults)
    grown = replace(suite, scenarios=(*suite.scenarios, *twins))
    checked = check_scenario(grown, scenario, instead_of=instead_of)
    if checked.faults:
        raise _refusal(*checked.faults)
    return checked


def _refusal(*faults: Fault) -> DataError:
    return DataError(
        say("the scenario cannot be saved"), faults=faults, remedy=say("fix these places and save again")
    )
