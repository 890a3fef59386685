"""Write the parts of the documentation that follow from the code: tables, commands, public names, pictures.

python tools/make_docs.py            # a test fails when the documentation is behind
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

from diagrams import draw_packages, draw_run, read_layers

import vivavoce
from vivavoce import plugins
from vivavoce.outcomes import Outcome
from vivavoce.reports.dialogues.meanings import DIALOGUE_MEASURES
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.reports.shared.measures import render_measures_table
from vivavoce.settings import render_settings_table

DOCS = Path(__file__).resolve().parents[1] / "docs"


def outcomes_table() -> str:
    lines = ["| outcome | code | nex-cv | meaning |", "|---|---|---|---|"]
    lines += [f"| {one} | {one.short} | {one.published} | {one.meaning} |" for one in Outcome]
    return "\n".join(lines)


def classifiers_table() -> str:
    own = [row for row in plugins.describe(plugins.CLASSIFIERS) if row[1] == "vivavoce"]
    return "\n".join(["| name | what it is |", "|---|---|", *(f"| `{name}` | {what} |" for name, _, what in own)])


def layers_text() -> str:
    return "\n".join(["```", *(" | ".join(layer) for layer in read_layers()), "```"])


def reference_table() -> str:
    """List the public names with what they are: the first sentence of the docstring."""
    rows = ["| name | from | what it is |", "|---|---|---|"]
    for name in sorted(vivavoce.__all__, key=str.lower):
        value = getattr(vivavoce, name)
        is_constant = name.isupper() or name.startswith("__")
        doc = "" if is_constant else " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split())
        title = f"`{name}()`" if inspect.isroutine(value) else f"`{name}`"
        rows.append(f"| {title} | {'' if is_constant else f'`{value.__module__}`'} | {doc or f'`{value!r}`'} |")
    return "\n".join(rows)


def commands_text() -> str:
    from typer.main import get_command

    from vivavoce.cli.app import app

    return "\n".join(_command_lines(get_command(app), "viva"))


def _command_lines(command: Any, path: str) -> list[str]:
    inner = getattr(command, "commands", {})
    lines = []
    if path != "viva" and (not inner or getattr(command, "invoke_without_command", False)):
        lines = [f"### `{path}`", "", _first_line(command.help or ""), "", *_option_lines(command), ""]
    for name, sub in inner.items():
        lines += _command_lines(sub, f"{path} {name}")
    return lines


def _first_line(text: str) -> str:
    return " ".join(text.split("\n\n", maxsplit=1)[0].split())


def _option_lines(command: Any) -> list[str]:
    rows = [p for p in command.params if getattr(p, "help", None) and p.name != "help"]
    if not rows:
        return []
    return ["| option | meaning |", "|---|---|", *(f"| `{_names(p)}` | {' '.join(p.help.split())} |" for p in rows)]


def _names(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name).upper()
    return ", ".join(parameter.opts)


PARTS = {
    "settings.md": {"settings": render_settings_table},
    "intents.md": {"outcomes": outcomes_table, "measures": lambda: render_measures_table(MEASURES.values())},
    "classifiers.md": {"classifiers": classifiers_table},
    "dialogues.md": {"measures": lambda: render_measures_table(DIALOGUE_MEASURES.values())},
    "commands.md": {"commands": commands_text},
    "python.md": {"reference": reference_table},
    "architecture.md": {"layers": layers_text},
}
PICTURES = {"packages.svg": draw_packages, "run.svg": draw_run}


def rendered(name: str) -> str:
    """Return a page with its tables as the code has them now."""
    text = (DOCS / name).read_text(encoding="utf-8")
    for mark, render in PARTS[name].items():
        pattern = rf"(<!-- begin: {mark} -->\n).*?(<!-- end: {mark} -->)"
        body = render().strip().replace("\\", "\\\\")
        text = re.sub(pattern, rf"\g<1>{body}\n\g<2>", text, flags=re.DOTALL)
    return text


def main() -> None:
    for name in PARTS:
        (DOCS / name).write_text(rendered(name), encoding="utf-8")
    for name, draw in PICTURES.items():
        (DOCS / "images" / name).write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
