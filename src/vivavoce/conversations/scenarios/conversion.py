"""Scenarios from one form into another, and what the other form cannot say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from vivavoce.codec import to_json
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
        return to_json(self)  # type: ignore[no-any-return]


def form_of(path: Path, wanted: str | None = None) -> str:
    """Return the form that a path asks for by its ending, or the wanted one where they agree."""
    file = SourceFile(path)
    writable = {format.name: format for format in list_formats(Kind.SCENARIOS) if format.writer}
    is_folder = not path.suffix or path.is_dir()
    claims = [name for name, format in writable.items() if _fits(format, file, is_folder)]
    form = wanted or next((name for name in claims if is_folder or writable[name].extensions), "")
    if form not in claims:
        ending = path.suffix.lower()
        what = (
            f"{path} is not a valid path for {form}"
            if form
            else f"the extension '{ending}' does not determine the format"
        )
        files = [extension for format in writable.values() if not format.gather for extension in format.extensions]
        raise UsageError(
            what,
            where=str(path),
            remedy=(f"use the extension {', '.join(files)}; Botium needs a folder, Rasa a file ending in .yml"),
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
        raise UsageError(f"scenarios cannot be exported as {form}", remedy="choose another format")
    conversations, turns, lost = format.writer(suite, Path(out))
    lost = (*(_note_agent(suite, Path(out)) if form in OWN else _note_losses(suite)), *lost)
    return Conversion(form, len(suite.scenarios), conversations, turns, suite.notes, lost)


def _note_agent(suite: Suite, out: Path) -> Iterator[str]:
    agent = Path(agent_of(suite) or "")
    if suite.agent and agent.is_file() and agent.resolve().parent != out.resolve().parent:
        yield f"the agent file {suite.agent} is not copied: copy it next to {out.name}"


def _note_losses(suite: Suite) -> Iterator[str]:
    """Yield what belongs to no single conversation and has no place in another tool."""
    holders: list[Scenario | Turn] = [*suite.scenarios, *suite.all_turns]
    counts = Counter(key for holder in holders for key in holder.extras if key not in OF_SHEETS)
    for key, count in counts.items():
        yield f"`{key}` on turns and scenarios is not kept: {plural(count, 'place')}"
    for key in suite.extras:
        if key not in OF_SHEETS:
            yield f"`{key}` on the suite is not kept: 1 place"
    notes = sum(bool(scenario.note) for scenario in suite.scenarios)
    if notes:
        yield f"`note` of a scenario is not kept: {plural(notes, 'place')}"
    if suite.agent:
        yield f"the name of the agent file is not kept: {suite.agent}"
    if suite.rows or suite.lists or suite.parts:
        yield "rows, lists and parts are expanded: each conversation is complete"
