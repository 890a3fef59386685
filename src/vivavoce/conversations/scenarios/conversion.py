"""Scenarios from one form into another, and what the other form cannot say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from vivavoce.conversations.scenario import Scenario, Suite, Turn
from vivavoce.conversations.scenarios.formats.sheet_rows import RAW
from vivavoce.conversations.scenarios.formats.sheets import SHEET
from vivavoce.conversations.scenarios.suites import OWN, agent_of
from vivavoce.errors import UsageError, plural
from vivavoce.files.formats import Format, Kind, SourceFile, get_format, list_formats

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
    file = SourceFile(path)
    writable = {format.name: format for format in list_formats(Kind.SCENARIOS) if format.writer}
    is_folder = not path.suffix or path.is_dir()
    claims = [name for name, format in writable.items() if _fits(format, file, is_folder)]
    form = wanted or next((name for name in claims if is_folder or writable[name].extensions), "")
    if form not in claims:
        ending = path.suffix.lower()
        what = f"{path} is no path for {form}" if form else f"the ending '{ending}' says nothing about the form"
        files = [extension for format in writable.values() if not format.gather for extension in format.extensions]
        raise UsageError(
            what,
            where=str(path),
            remedy=f"end it in {', '.join(files)}; Botium wants a folder, Rasa a file that ends in .yml",
        )
    return form


def _fits(format: Format, file: SourceFile, is_folder: bool) -> bool:
    """Return whether a format can be written to a path; those that are gathered from a folder go into one."""
    if is_folder or format.gather:
        return is_folder and format.gather is not None
    return file.ends_in(format.extensions or format.also)


def convert_suite(suite: Suite, out: str | Path, form: str) -> Conversion:
    """Write a suite in another form; `form` is the name of a format of scenarios that can be written."""
    format = get_format(Kind.SCENARIOS, form)
    if format.writer is None:
        raise UsageError(f"scenarios cannot be written as {form}", remedy="choose another format")
    conversations, turns, lost = format.writer(suite, Path(out))
    lost = (*(_left_behind(suite, Path(out)) if form in OWN else _kept_aside(suite)), *lost)
    return Conversion(form, len(suite.scenarios), conversations, turns, suite.notes, lost)


def _left_behind(suite: Suite, out: Path) -> Iterator[str]:
    agent = Path(agent_of(suite) or "")
    if suite.agent and agent.is_file() and agent.resolve().parent != out.resolve().parent:
        yield f"the agent file {suite.agent} stays where it is: copy it beside {out.name}"


def _kept_aside(suite: Suite) -> Iterator[str]:
    """Yield what stands beside the conversations themselves and has no place in another tool."""
    steps = [step for turns in (*(one.turns for one in suite.scenarios), *suite.parts.values()) for step in turns]
    holders: list[Scenario | Turn] = [*suite.scenarios, *(step for step in steps if isinstance(step, Turn))]
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
