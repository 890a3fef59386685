"""The pictures of docs/architecture.md as SVG: the packages, from the import contract, and the way of a run."""

from __future__ import annotations

import ast
import tomllib
from html import escape
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "vivavoce"
WIDTH, ROW, BOX, GAP, MARGIN = 1100, 66, 50, 10, 20
# Colours that hold on a light and on a dark page.
STYLE = """<style>
rect { fill: #eef2f7; stroke: #7688a0; rx: 6 } text { font: 14px system-ui, sans-serif; fill: #1d2733 }
.name { font-weight: 650 } .about { font-size: 11.5px; fill: #4c5a6b }
path { stroke: #7688a0; fill: none; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) {
  rect { fill: #222b36; stroke: #8b9bb0 } text { fill: #e7ecf2 } .about { fill: #b4c0ce } path { stroke: #8b9bb0 }
}
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
<path d="M1,1 L7,4 L1,7"/></marker></defs>"""
RUN = (
    ("start", "by page, API, command or schedule", 0, 0),
    ("run", "rows: material (a copy), options, units", 1, 0),
    ("units", "a round, a conversation, a chunk of dialogues", 2, 0),
    ("worker", "claims units on a lease of 30 s", 2, 1),
    ("classifier or bot", "process, Dask cluster or awaited call", 1, 1),
    ("results", "stored once, under a stable key", 0, 1),
    ("conclusion", "the last unit: a pure function of all results", 0, 2),
    ("findings", "numbers, problems, charts, report", 1, 2),
    ("views", "page, API, terminal, JSON, JUnit", 2, 2),
)


def read_layers() -> list[list[str]]:
    """Read the packages of each layer, from top to bottom, from the import contract."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    return [layer.split(" | ") for layer in contracts[0]["layers"]]


def draw_packages() -> str:
    """Draw the layers of the import contract; a package imports only from rows below its own."""
    layers = read_layers()
    shapes = []
    for row, names in enumerate(layers):
        width = (WIDTH - 2 * MARGIN - GAP * (len(names) - 1)) / len(names)
        for column, name in enumerate(names):
            x, y = MARGIN + column * (width + GAP), MARGIN + row * ROW
            shapes.append(_box(x, y, width, name, _read_purpose(name, int(width / 6.2))))
    title = "Packages from top to bottom; each imports only from rows below its own"
    return _picture(title, shapes, len(layers) * ROW + 2 * MARGIN - (ROW - BOX))


def draw_run() -> str:
    """Draw how a run goes from its start to its views."""
    width = (WIDTH - 2 * MARGIN - 2 * 60) / 3
    places = [(MARGIN + column * (width + 60), MARGIN + row * 90) for *_, column, row in RUN]
    shapes = [_box(*place, width, name, about) for place, (name, about, *_) in zip(places, RUN, strict=True)]
    for (x, y), (next_x, next_y) in pairwise(places):
        if y != next_y:
            shapes.append(_arrow(x + width / 2, y + BOX, next_x + width / 2, next_y))
        elif x < next_x:
            shapes.append(_arrow(x + width, y + BOX / 2, next_x, y + BOX / 2))
        else:
            shapes.append(_arrow(x, y + BOX / 2, next_x + width, y + BOX / 2))
    return _picture(
        "A run: started, divided into units, worked on, concluded, shown", shapes, 2 * 90 + BOX + 2 * MARGIN
    )


def _read_purpose(package: str, length: int) -> str:
    path = SOURCE / package / "__init__.py"
    path = path if path.exists() else SOURCE / f"{package}.py"
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    sentence = " ".join(doc.split("\n\n")[0].split()).split(". ")[0].replace("`", "").rstrip(".")
    return sentence if len(sentence) <= length else sentence[: length - 1].rsplit(" ", 1)[0].rstrip(",:;") + " …"


def _box(x: float, y: float, width: float, name: str, about: str) -> str:
    return (
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{BOX}"/>'
        f'<text class="name" x="{x + 12:.0f}" y="{y + 21:.0f}">{escape(name)}</text>'
        f'<text class="about" x="{x + 12:.0f}" y="{y + 39:.0f}">{escape(about)}</text>'
    )


def _arrow(x: float, y: float, to_x: float, to_y: float) -> str:
    return f'<path d="M{x:.0f},{y:.0f} L{to_x:.0f},{to_y:.0f}" marker-end="url(#tip)"/>'


def _picture(title: str, shapes: list[str], height: float) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" role="img">'
    return "\n".join([head, f"<title>{escape(title)}</title>", STYLE, *shapes, "</svg>\n"])
