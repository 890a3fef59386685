"""Every chart of a result has a name, a title and a way to read it, and stands so in the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from dialogue_results import CASES
from markupsafe import escape
from talk_runs import broken, good, middling, write_run

from vivavoce.classifiers.fakes import JaccardClassifier, NullClassifier
from vivavoce.conversations.exam import score_run
from vivavoce.intents import IntentsResult, compare_classifiers
from vivavoce.reports.conversations.charts import conversations_figures
from vivavoce.reports.conversations.html import render_conversations
from vivavoce.reports.dialogues.charts import dialogues_figures
from vivavoce.reports.dialogues.html import render_dialogues
from vivavoce.reports.intents.charts import comparison_figures, intents_figures
from vivavoce.reports.intents.comparison import render_comparison
from vivavoce.reports.intents.html import render_result
from vivavoce.reports.shared import pages
from vivavoce.reports.shared.charts import Figure

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a chart stand in a page as its description: drawing takes long."""
    monkeypatch.setattr(pages, "to_svg", lambda chart: f"[{chart.to_dict()['description']}]")


def stand_in(figures: Mapping[str, Figure], page: str, own: tuple[str, ...] = ()) -> None:
    """Check that a page has these figures and no others, but those that it draws in a way of its own."""
    found = {name: figure for name, figure in figures.items() if name not in own}
    assert page.count("<figcaption>") == len(found)
    for name, one in found.items():
        assert one.name == name
        title, meaning = (escape(text) for text in (one.title, one.meaning))
        caption = f"<figcaption><h3>{title}</h3><p>{meaning}</p></figcaption>"
        assert f'{caption}\n  <div class="drawn">[{one.chart.to_dict()["description"]}]</div>' in page


def test_the_figures_of_an_intents_exam_are_those_of_its_report(result: IntentsResult) -> None:
    found = intents_figures(result)
    assert set(found) == {"settings", "risk-coverage", "calibration", "topics", "confusion", "overlap", "sizes"}
    page = render_result(result)
    # As tables with ranges and as a heat map.
    stand_in(found, page, ("settings", "confusion"))
    assert "Test conditions" in page
    assert 'class="heat confusion' in page


def test_a_result_without_settings_has_no_figures(result: IntentsResult) -> None:
    assert intents_figures(replace(result, settings=())) == {}


def test_pairs_are_drawn_only_where_there_are_any(result: IntentsResult) -> None:
    assert "overlap" not in intents_figures(replace(result, pairs=()))


def test_the_figures_of_a_comparison_are_those_of_its_report() -> None:
    engines = [JaccardClassifier(), NullClassifier()]
    texts = [
        f"{word} {other}" for word in ("pay", "hours") for other in ["one", "two", "three", "four", "five", "six"]
    ]
    result = compare_classifiers((texts, [text.split()[0] for text in texts]), engines, retries=2, workers=1)
    found = comparison_figures(result)
    assert list(found) == ["accuracy"]
    stand_in(found, render_comparison(result))


def test_the_figures_of_conversations_are_those_of_their_report(tmp_path: Path) -> None:
    for name, bots in {"two": {"good": good, "mid": middling}, "none": {"dead": broken}}.items():
        with write_run(tmp_path / name, bots) as record:
            result = score_run(record)
            found = conversations_figures(result)
            assert list(found) == (["levels", "outcomes", "times"] if name == "two" else [])
            page = render_conversations(result, record)
            # As small multiples, one for each metric.
            stand_in(found, page, ("levels", "times"))
            assert 'class="multiples"' in page


@pytest.mark.parametrize("name", CASES)
def test_the_figures_of_dialogues_are_those_of_their_report(name: str) -> None:
    result = CASES[name]()
    found = dialogues_figures(result)
    assert set(found) <= {"distribution", "ranking", "messages", "agreement"}
    assert name not in ("nothing", "all refused") or "distribution" not in found
    stand_in(found, render_dialogues(result))
