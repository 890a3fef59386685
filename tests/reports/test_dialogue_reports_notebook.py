"""The notebook of the dialogues exam runs from top to bottom, and is kept without results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import altair as alt
import pytest

from notebooks import read_cells, run_cells
from vivavoce.dialogues.dialogue import Dialogue
from vivavoce.dialogues.result import Origin, Reason, Score, TurnEffect
from vivavoce.reports.shared.svg import to_svg

pytestmark = pytest.mark.slow

CHARTS = 4


class Standing:
    """A rater that likes long messages: stands in for the model, so that every cell has something to show."""

    name = "stand-in"
    origin: Origin | None = None

    def rate(self, dialogues: Sequence[Dialogue]) -> list[Score]:
        return [self._score(dialogue) for dialogue in dialogues]

    def _score(self, dialogue: Dialogue) -> Score:
        sizes = [min(1.0, len(turn.text) / 200) for turn in dialogue.turns]
        value = 1 + 4 * sum(sizes) / len(sizes)
        turns = [
            TurnEffect(n, turn.speaker, size - 0.3)
            for n, (turn, size) in enumerate(zip(dialogue.turns, sizes, strict=True), 1)
        ]
        reason = Reason("length", 0.4, "the messages are long")
        return Score(dialogue.id, value, max(1, value - 1), min(5, value + 1), tuple(turns), (reason,))


@pytest.fixture(scope="module")
def cells() -> list[dict[str, Any]]:
    return read_cells("dialogues")


def check_run(cells: Sequence[dict[str, Any]], folder: Path) -> None:
    shown = run_cells(cells)
    charts = [one for one in shown if isinstance(one, alt.TopLevelMixin)]
    assert len(charts) == CHARTS
    assert all(to_svg(chart).startswith("<svg") for chart in charts)
    assert "<!doctype html>" in (folder / "dialogues-report.html").read_text(encoding="utf-8")
    assert len((folder / "dialogues-scores.csv").read_text(encoding="utf-8").splitlines()) == 41


def test_the_notebook_holds_no_results(cells: list[dict[str, Any]]) -> None:
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert 6 <= len(code) <= 10
    assert [cell["id"] for cell in code if cell["outputs"] or cell["execution_count"] is not None] == []


def test_every_cell_of_code_is_introduced_in_words(cells: list[dict[str, Any]]) -> None:
    assert [cell["cell_type"] for cell in cells] == ["markdown", "code"] * (len(cells) // 2)


def test_the_notebook_runs_with_any_rater(
    cells: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("vivavoce.dialogues.raters.learned.load_shipped", Standing)
    with alt.renderers.enable("default"):
        check_run(cells, tmp_path)


def test_the_notebook_runs_with_the_shipped_model(
    cells: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with alt.renderers.enable("default"):
        check_run(cells, tmp_path)
