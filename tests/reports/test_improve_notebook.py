"""The notebook of the improvement loop runs from top to bottom, and is kept without results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from notebooks import read_cells, run_cells
from vivavoce.text.vectors import encoder_available

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cells() -> list[dict[str, Any]]:
    return read_cells("improve")


def test_the_notebook_holds_no_results_and_explains_every_cell(cells: list[dict[str, Any]]) -> None:
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert [cell["id"] for cell in code if cell["outputs"] or cell["execution_count"] is not None] == []
    assert [cell["cell_type"] for cell in cells] == ["markdown", "code"] * (len(cells) // 2) + ["markdown"]


def test_the_notebook_runs(
    cells: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if not encoder_available():
        pytest.skip("there are no sentence vectors: viva models get")
    monkeypatch.chdir(tmp_path)
    result, broken, suspects = (shown for shown in run_cells(cells) if shown is not None)
    told = capsys.readouterr().out
    assert "What to fix next" in result._repr_html_()  # type: ignore[attr-defined]
    assert isinstance(broken, list)
    assert len(suspects) == 5  # type: ignore[arg-type]
    assert "correct decisions: " in told
    assert "Topics cut in two" in told
