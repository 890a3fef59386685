"""Scenarios from one form into another, and what the other form cannot say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from vivavoce.conversations.scenario import Plan, Scenario, Step, Suite, Turn
from vivavoce.conversations.scenarios.expansion import expand
from vivavoce.conversations.scenarios.folders import SHEETS, YAML
from vivavoce.conversations.scenarios.formats.sheet_reading import SHEET
from vivavoce.conversations.scenarios.formats.sheet_rows import RAW
from vivavoce.conversations.scenarios.suites import agent_of, write_suite
from vivavoce.errors import UsageError, plural

OWN = {"yaml": YAML, "csv": (".csv",), "xlsx": (".xlsx",)}
FORMS = (*OWN, "botium", "rasa")
# How a sheet was laid out says nothing about a conversation.
OF_SHEETS = (SHEET, RAW)


@dataclass(frozen=True, slots=True)
class Conversion:
    """What was converted. `notes`: what reading had to leave; `lost`: what could not be written, with counts."""

    form: str
    scenarios: int
    conversations: int
    turns: int
    notes: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """The size in one sentence."""
        sizes = plural(self.scenarios, "scenario")
        if self.conversations != self.scenarios:
            sizes += f", {plural(self.conversations, 'conversation')}"
        return f"{sizes} with {plural(self.turns, 'turn')}, as {self.form}."

    def to_json(self) -> dict[str, object]:
        """Return all of it as plain JSON."""
        return {**asdict(self), "notes": list(self.notes), "lost": list(self.lost)}


def form_of(path: Path, wanted: str | None = None) -> str:
    """Return the form that a path asks for by its ending, or the wanted one where they agree."""
    ending = path.suffix.lower()
    by_ending = next((form for form, endings in OWN.items() if ending in endings), "")
    if not ending or path.is_dir():
        by_ending = "botium"
    form = wanted or by_ending
    fits = {"botium": by_ending == "botium", "rasa": ending in YAML}.get(form, form == by_ending)
    if not form or not fits:
        said = f"{path} is no path for {form}" if form else f"the ending '{ending}' says nothing about the form"
        raise UsageError(
            said,
            where=str(path),
            remedy=f"end it in {', '.join((*YAML, *SHEETS))}; Botium wants a folder, Rasa a file that ends in .yml",
        )
    return form


def convert_suite(suite: Suite, out: str | Path, form: str) -> Conversion:
    """Write a suite in another form; `form` is one of yaml, csv, xlsx, botium, rasa."""
    if form in OWN:
        write_suite(suite, out)
        turns = sum(isinstance(step, Turn) for step in _steps(suite))
        lost = tuple(_left_behind(suite, Path(out)))
        return Conversion(form, len(suite.scenarios), len(suite.scenarios), turns, suite.notes, lost)
    if form == "rasa":
        from vivavoce.conversations.scenarios.formats.rasa_writing import carry_steps

        suite = carry_steps(suite)
    plan = expand(suite)
    lost = (*_kept_aside(suite), *_writer(form)(plan, out))
    turns = sum(len(script.turns) for script in plan.scripts)
    return Conversion(form, len(suite.scenarios), len(plan.scripts), turns, suite.notes, lost)


def _writer(form: str) -> Callable[[Plan, str | Path], tuple[str, ...]]:
    if form == "botium":
        from vivavoce.conversations.scenarios.formats.botium_writing import write_botium

        return write_botium
    from vivavoce.conversations.scenarios.formats.rasa_writing import write_rasa

    return write_rasa


def _steps(suite: Suite) -> list[Step]:
    return [step for steps in (*(one.turns for one in suite.scenarios), *suite.parts.values()) for step in steps]


def _left_behind(suite: Suite, out: Path) -> Iterator[str]:
    agent = Path(agent_of(suite) or "")
    if suite.agent and agent.is_file() and agent.resolve().parent != out.resolve().parent:
        yield f"the agent file {suite.agent} stays where it is: copy it beside {out.name}"


def _kept_aside(suite: Suite) -> Iterator[str]:
    """Yield what stands beside the conversations themselves and has no place in another tool."""
    holders: list[Scenario | Turn] = [*suite.scenarios, *(step for step in _steps(suite) if isinstance(step, Turn))]
    counts = Counter(key for holder in holders for key in holder.extras if key not in OF_SHEETS)
    for key, count in counts.items():
        yield f"`{key}` beside turns and scenarios is not kept: {plural(count, 'place')}"
    for key in suite.extras:
        if key not in OF_SHEETS:
            yield f"`{key}` of the whole suite is not kept: 1 place"
    notes = sum(bool(scenario.note) for scenario in suite.scenarios)
    if notes:
        yield f"`note` of a scenario is not kept: {plural(notes, 'place')}"
    if suite.agent:
        yield f"the name of the agent file is not kept: {suite.agent}"
    if suite.rows or suite.lists or suite.parts:
        yield "rows, lists and parts are put in: each conversation stands for itself"
