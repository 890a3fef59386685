"""What README shows of a command is what the command prints, and the demo says the same."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from vivavoce import demo
from vivavoce.cli.demo import show_intents, talk_with_assistant
from vivavoce.intents import IntentsResult, examine_intents
from vivavoce.reports.intents import problem_wording, wording
from vivavoce.reports.intents.tables import show_result
from vivavoce.text import find_weights, get_weights

pytestmark = pytest.mark.slow

README = Path(__file__).resolve().parents[1] / "README.md"
WIDTH = 112


@pytest.fixture(scope="module")
def result() -> IntentsResult:
    """Return the exam that README shows, with the sentence vectors that it was held with."""
    if find_weights() is None:
        get_weights()
    return examine_intents(demo.load("recruiting-en"))


@pytest.fixture(scope="module")
def sample() -> str:
    text = README.read_text(encoding="utf-8")
    found = re.search(r"`viva intents examine recruiting-en` prints.*?\n```\n(.*?)```", text, re.DOTALL)
    assert found is not None
    return found[1]


def lines_of(console: Console) -> list[str]:
    return [line.rstrip() for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]


def screen() -> Console:
    return Console(file=io.StringIO(), width=WIDTH, color_system=None)


def test_the_sample_of_the_intents_exam_is_printed_line_by_line_in_its_order(
    result: IntentsResult, sample: str
) -> None:
    console = screen()
    show_result(console, result)
    printed = iter(lines_of(console))
    missing = [line for line in sample.splitlines() if line and not any(line == one for one in printed)]
    assert missing == []


def test_the_demo_names_the_same_problems_first(result: IntentsResult, sample: str) -> None:
    console = screen()
    show_intents(console, "English", result)
    said = " ".join(" ".join(lines_of(console)).split())
    shown = " ".join(sample.split())
    for sentence in (wording.headline(result), problem_wording.verdict(result)):
        assert sentence in said
        assert sentence in shown
    places = [said.index(problem_wording.problem_sentence(problem)) for problem in result.problems[:3]]
    assert places == sorted(places)
    assert problem_wording.problem_sentence(result.problems[0]) in shown


def test_the_talk_with_the_assistant_is_the_one_that_the_demo_holds(tmp_path: Path) -> None:
    text = README.read_text(encoding="utf-8")
    sample = re.search(r"this talk \(shortened\);.*?\n```\n(.*?)```", text, re.DOTALL)
    assert sample is not None
    console = screen()
    talk_with_assistant(tmp_path, lambda *_: None).show(console)
    printed = " ".join(" ".join(lines_of(console)).split())
    for part in sample[1].strip().split("\n\n"):
        assert " ".join(part.split()) in printed
