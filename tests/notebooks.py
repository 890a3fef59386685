"""Notebooks run as a reader would run them: from top to bottom."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"


def read_cells(name: str) -> list[dict[str, Any]]:
    """Return the cells of a notebook."""
    cells: list[dict[str, Any]] = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    return cells


def run_cells(cells: Sequence[dict[str, Any]]) -> list[object]:
    """Run the code of all cells in one namespace; return what the last line of each shows."""
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = []
    for cell in cells:
        if cell["cell_type"] == "code":
            tree = ast.parse("".join(cell["source"]))
            last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, cell["id"], "exec"), names)  # noqa: S102 - our own notebook
            if isinstance(last, ast.Expr):
                shown.append(eval(compile(ast.Expression(last.value), cell["id"], "eval"), names))  # noqa: S307
    return shown
