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
from rich.table import Table
from rich.text import Text

from vivavoce.cli.shared.material import settings_in_force
from vivavoce.cli.shared.options import Output
from vivavoce.cli.shared.results import check_targets, publish
from vivavoce.errors import VivaError
from vivavoce.languages import LANGUAGES
from vivavoce.version import __version__

State = Literal["fine", "missing", "wrong"]
WRONG = 2
EXTRA = re.compile(r"""extra\s*==\s*['"]([^'"]+)['"]""")
# What each extra is for; the commands that need the extras of a server name those.
PURPOSES = {
    "engines": "real bots to compare with: ChatterBot, RiveScript and a small language model",
    "languages": "Chinese words, and word frequencies of many languages",
    "train": "torch, to retrain the published networks (`viva dialogues reproduce`)",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """The state of one part, and what to do if it is not fine."""

    name: str
    state: State
    detail: str
    remedy: str = ""


def doctor(*, output: Output) -> None:
    """Show what is installed, what is missing and how to get it.

    Exit codes: 0 success, even if optional parts are missing · 2 a fault that stops other commands.

    For example:

        viva doctor
        viva doctor --json -
    """
    check_targets(output.targets)
    findings = list(examine_installation())
    content = {"findings": [asdict(finding) for finding in findings]}
    publish(output, "doctor", content, lambda console: console.print(_build_table(findings)))
    if any(finding.state == "wrong" for finding in findings):
        raise typer.Exit(WRONG)


def examine_installation() -> Iterator[Finding]:
    """Yield the findings, most important first."""
    yield Finding("vivavoce", "fine", __version__)
    yield Finding("Python", "fine", f"{platform.python_version()} ({sys.executable})")
    yield _check_settings()
    from vivavoce.text import viva_home

    home = viva_home()
    yield Finding("home folder", "fine", str(home) if home.is_dir() else f"{home} (not created yet)")
    cache = home / "cache"
    size = sum(path.stat().st_size for path in cache.rglob("*") if path.is_file())
    yield Finding("vector cache", "fine", f"{size / 1e6:,.1f} MB in {cache}")
    yield from _check_vectors(home)
    yield _check_dialogue_model()
    yield from _check_engines()
    yield from _check_extras()


def _find(name: str, place: object, purpose: str, remedy: str) -> Finding:
    return Finding(name, "fine", str(place)) if place else Finding(name, "missing", purpose, remedy)


def _check_settings() -> Finding:
    try:
        settings_in_force()
    except VivaError as error:
        faults = "; ".join(str(fault) for fault in error.faults)
        return Finding("settings", "wrong", error.what, faults or error.remedy)
    where = "vivavoce.toml in this folder" if Path("vivavoce.toml").is_file() else "no vivavoce.toml in this folder"
    return Finding("settings", "fine", where)


def _check_vectors(home: Path) -> Iterator[Finding]:
    from vivavoce.text import find_weights
    from vivavoce.text.glove import find_glove
    from vivavoce.text.languages.model import TRAIN, list_languages
    from vivavoce.text.weights import GET

    purpose = "without them, the default classifier reads only words and characters"
    yield _find("sentence vectors", find_weights(), purpose, GET)
    names = {language.code: language.name for language in LANGUAGES}
    languages = ", ".join(f"{names.get(code, code)} ({code})" for code in ("en", *sorted(list_languages())))
    yield Finding("languages", "fine", f"{languages}; train others with `{TRAIN}`")
    words = os.environ.get("VIVA_WORD_VECTORS") or find_glove(home)
    purpose = "used by the classifier `sif` and `viva dialogues reproduce`"
    yield _find("word vectors", words, purpose, _with_npm("viva models get glove"))


def _with_npm(command: str) -> str:
    return command if shutil.which("npm") else f"install Node.js with npm, then: {command}"


def _check_dialogue_model() -> Finding:
    from vivavoce.dialogues.raters.learned import load_shipped

    try:
        origin = load_shipped().origin
    except VivaError as error:
        return Finding(
            "dialogue model", "missing", f"needed to score with `viva dialogues`: {error.what}", error.remedy
        )
    return Finding("dialogue model", "fine", f"trained on {origin.learnt_from} ({origin.dialogues:,} dialogues)")


def _check_engines() -> Iterator[Finding]:
    from vivavoce.bots.nlpjs import NLPJS, find_package
    from vivavoce.bots.smollm2 import SMOLLM2
    from vivavoce.text import find_weights

    purpose = "a real engine in Node.js to compare with; downloaded on first use"
    yield _find("bot nlpjs", find_package(NLPJS), purpose, _with_npm("viva bots start nlpjs --agent flight"))
    purpose = "the weights of a small language model to compare with (93 MB); downloaded on first use"
    yield _find("bot smollm2", find_weights(SMOLLM2), purpose, "viva bots start smollm2 --agent flight")


def _check_extras() -> Iterator[Finding]:
    """Yield a finding for each extra that the installed distribution declares."""
    packages: dict[str, list[str]] = {}
    for requirement in requires("vivavoce") or []:
        match = EXTRA.search(requirement)
        if match and match[1] in PURPOSES:
            packages.setdefault(match[1], []).append(re.split(r"[^\w.-]", requirement, maxsplit=1)[0])
    for extra, names in packages.items():
        if all(map(_is_installed, names)):
            yield Finding(f"extra {extra}", "fine", PURPOSES[extra])
        else:
            yield Finding(f"extra {extra}", "missing", PURPOSES[extra], f"pip install 'vivavoce[{extra}]'")


def _is_installed(package: str) -> bool:
    try:
        version_of(package)
    except PackageNotFoundError:
        return False
    return True


def _build_table(findings: list[Finding]) -> Table:
    from vivavoce.reports.shared.layout import numbers_table

    styles = {"fine": "", "missing": "yellow", "wrong": "bold red"}
    rows = []
    for finding in findings:
        detail = Text(finding.detail)
        if finding.remedy:
            detail.append(f"\n{'' if finding.state == 'wrong' else 'To get it: '}{finding.remedy}", style="dim")
        rows.append((finding.name, Text(finding.state, style=styles[finding.state]), detail))
    return numbers_table(("Part", "State", "Details"), rows, words=3)
