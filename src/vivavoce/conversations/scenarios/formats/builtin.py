"""The formats of scenarios: our own YAML and sheets, Botium scripts and Rasa tests.

A reader returns a `Suite`. A writer returns what it wrote and what the format cannot say.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from vivavoce.conversations.scenario import Plan, Suite
from vivavoce.conversations.scenarios.expansion import expand
from vivavoce.conversations.scenarios.formats.botium import find_botium, read_botium
from vivavoce.conversations.scenarios.formats.botium_files import ENDINGS, holds_botium, holds_table
from vivavoce.conversations.scenarios.formats.botium_writing import write_botium
from vivavoce.conversations.scenarios.formats.rasa import holds_stories, read_rasa
from vivavoce.conversations.scenarios.formats.rasa_writing import carry_steps, write_rasa
from vivavoce.conversations.scenarios.formats.sheets import holds_scenarios, read_sheet_file, write_sheet_suite
from vivavoce.conversations.scenarios.formats.yaml_reading import suite_from_yaml
from vivavoce.conversations.scenarios.formats.yaml_writing import write_yaml_suite
from vivavoce.files.formats import YAML as YAML_EXTENSIONS
from vivavoce.files.formats import Format, Kind, SourceFile

OWN_KEYS = frozenset({"scenarios", "suite", "parts", "lists"})
# Conversations and turns that were written, and what could not be.
Written = tuple[int, int, tuple[str, ...]]


def _sniff_botium(file: SourceFile) -> bool:
    if file.ends_in(ENDINGS):
        return True
    if file.ends_in(YAML_EXTENSIONS):
        return holds_botium(file.yaml)
    if not file.ends_in([".csv", ".xlsx"]) or holds_scenarios(file):
        return False
    return holds_table(file.path, encoding=file.options.encoding)


def _write_own(write: Callable[[Suite, Path], None], suite: Suite, path: Path) -> Written:
    write(suite, path)
    return len(suite.scenarios), len(suite.all_turns), ()


def _write_plan(write: Callable[[Plan, Path], tuple[str, ...]], suite: Suite, path: Path) -> Written:
    """Write conversations in which rows, lists and parts are put in."""
    plan = expand(suite)
    return len(plan.scripts), sum(len(script.turns) for script in plan.scripts), write(plan, path)


YAML = Format(
    "yaml",
    Kind.SCENARIOS,
    "Scenarios in vivavoce YAML.",
    YAML_EXTENSIONS,
    lambda file: suite_from_yaml(file.yaml),
    partial(_write_own, write_yaml_suite),
    lambda file: bool(OWN_KEYS & file.keys) and "prompts" not in file.keys,
)
CSV, XLSX = (
    Format(
        name,
        Kind.SCENARIOS,
        f"A {title} with one row per turn.",
        (f".{name}",),
        read_sheet_file,
        partial(_write_own, write_sheet_suite),
        holds_scenarios,
    )
    for name, title in (("csv", "CSV table"), ("xlsx", "workbook sheet"))
)
BOTIUM = Format(
    "botium",
    Kind.SCENARIOS,
    "Botium scripts, as a file or a folder.",
    (".convo.txt",),
    lambda file: read_botium(file.path, encoding=file.options.encoding),
    partial(_write_plan, write_botium),
    _sniff_botium,
    also=(*ENDINGS, *YAML_EXTENSIONS, ".csv", ".xlsx"),
    gather=lambda file: find_botium(file.path, encoding=file.options.encoding),
)
RASA = Format(
    "rasa",
    Kind.SCENARIOS,
    "Rasa test stories and end-to-end tests.",
    reader=lambda file: read_rasa(file.path),
    writer=lambda suite, path: _write_plan(write_rasa, carry_steps(suite), path),
    sniff=lambda file: file.ends_in(YAML_EXTENSIONS) and holds_stories(file.yaml),
    also=YAML_EXTENSIONS,
)
