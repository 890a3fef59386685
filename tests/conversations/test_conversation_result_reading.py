"""Results of conversations exams, written as JSON and read back: nothing that a reader sees is lost."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import exams as given
import pytest

from vivavoce.bots import PythonBot, Reply, ScriptedBot
from vivavoce.bots.protocol import BotFacts
from vivavoce.conversations import RunRecord, examine_conversations
from vivavoce.conversations.json_form import conversations_result_from_json, result_to_json
from vivavoce.conversations.result import ConversationsResult
from vivavoce.conversations.running.runner import RunOptions
from vivavoce.errors import DataError
from vivavoce.outcomes import TurnOutcome
from vivavoce.reports.conversations.charts import conversations_figures
from vivavoce.reports.conversations.html import render_conversations
from vivavoce.reports.shared import pages

pytestmark = pytest.mark.slow

SUITE = """
suite: small
levels: [strange, basic, hard]
notice: "Invented <b>talks</b>."
scenarios:
  - id: pay
    title: Money
    domain: work
    level: basic
    turns:
      - {user: when is it paid, id: when, expect: {intent: pay, reply: monthly}}
      - {user: whne is it piad, kind: typo, twin_of: when, expect: {intent: pay, reply: monthly}}
      - {user: who wins the cup, expect: {fallback: true}}
      - {user: thanks}
  - {id: hours, domain: work, level: hard, turns: [{user: when do you open, expect: {intent: hours}}]}
  - {id: odd, domain: home, level: strange, turns: [{user: tell me a secret of yours, expect: {reply: no}}]}
"""
KNOWN = {
    "when is it paid": Reply(("It is paid monthly.",), intent="pay", confidence=0.9),
    "when do you open": Reply(("At nine.",), intent="hours", confidence=0.8),
    "who wins the cup": Reply(("Sorry.",), fallback=True),
}


def flickering() -> Callable[[str], Reply]:
    """Return a bot that is right two times of three, whatever order it is asked in."""
    asked: Counter[str] = Counter()

    def answer(text: str) -> Reply:
        asked[text] += 1
        return Reply(("What?",)) if asked[text] % 3 == 2 else KNOWN.get(text, KNOWN["when is it paid"])

    return answer


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ConversationsResult, RunRecord]]:
    """Three bots, one of which never answers, and three repeats: every part of a result is filled."""
    folder = tmp_path_factory.mktemp("talks")
    (folder / "small.yaml").write_text(SUITE, encoding="utf-8")
    facts = BotFacts("flickering", about="right <i>now and then</i>", phrases={"x": ("Tell me a secret of yours!",)})
    bots = [
        ScriptedBot(KNOWN, name="able"),
        PythonBot(flickering(), facts),
        ScriptedBot(name="dead", fail="refused"),
    ]
    options = RunOptions(repeats=3)
    result = examine_conversations(folder / "small.yaml", bots, options=options, record=folder / "run")
    with RunRecord.open(folder / "run") as record:
        yield result, record


@pytest.fixture
def result(run: tuple[ConversationsResult, RunRecord]) -> ConversationsResult:
    return run[0]


@pytest.fixture(autouse=True)
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a chart stand in a page as its definition: what is drawn follows from it, and takes long."""
    monkeypatch.setattr(pages, "to_svg", lambda chart: chart.to_json())


def stored(content: Any) -> Any:
    """Write and read as a store does: keys sorted, nothing that JSON does not know."""
    return json.loads(canonical(content))


def canonical(content: Any) -> str:
    return json.dumps(content, sort_keys=True, allow_nan=False)


def test_the_run_has_something_of_everything(result: ConversationsResult) -> None:
    health = result.health
    assert all((health.too_easy or health.never_passed, health.leaks, health.coverage, result.unstable))
    assert all((result.problems, result.strengths, result.comparisons, result.topics, result.failures))
    assert any(line.twin for line in result.lines)


@pytest.mark.parametrize("turns", [False, True])
def test_a_result_that_is_read_back_is_written_as_it_was(result: ConversationsResult, turns: bool) -> None:
    written = result_to_json(result, turns=turns)
    found = conversations_result_from_json(stored(written))
    assert canonical(result_to_json(found, turns=turns)) == canonical(written)
    assert found.lines == (result.lines if turns else ())


def test_lines_made_by_hand_of_every_outcome_survive() -> None:
    lines = [given.line(outcome, f"s{n}", domain="d") for n, outcome in enumerate(TurnOutcome)]
    made = given.found([*lines, *given.pair_lines("++-", "+--", "twins")])
    written = result_to_json(made, turns=True)
    found = conversations_result_from_json(stored(written))
    assert found.lines == made.lines
    assert found.cells == made.cells
    assert canonical(result_to_json(found, turns=True)) == canonical(written)


def test_with_the_record_the_report_is_the_same(run: tuple[ConversationsResult, RunRecord]) -> None:
    result, record = run
    written = stored(result_to_json(result))
    found = conversations_result_from_json(written, header=result.header, lines=result.lines)
    assert render_conversations(found, record) == render_conversations(result, record)


def test_of_the_judged_turns_and_the_record_alone_the_report_is_the_same_too(
    run: tuple[ConversationsResult, RunRecord],
) -> None:
    result, record = run
    found = conversations_result_from_json(stored(result_to_json(result, turns=True)))
    assert render_conversations(found, record) == render_conversations(result, record)


def test_without_turns_and_record_all_is_said_but_the_conversations(
    run: tuple[ConversationsResult, RunRecord],
) -> None:
    result, record = run
    found = conversations_result_from_json(stored(result_to_json(result)))
    page = render_conversations(found)
    assert page == render_conversations(result)
    assert "Conversations side by side" not in page
    whole = render_conversations(result, record)
    for heading in re.findall("<h2>([^<]*)", whole):
        assert heading in page or heading == "Conversations side by side"


def test_the_charts_of_a_result_that_was_read_back_are_the_same(result: ConversationsResult) -> None:
    found = conversations_result_from_json(stored(result_to_json(result)))
    ours, theirs = conversations_figures(result), conversations_figures(found)
    assert list(theirs) == ["levels", "outcomes", "times"]
    assert {n: one.chart.to_json() for n, one in theirs.items()} == {
        n: one.chart.to_json() for n, one in ours.items()
    }


def test_levels_keep_their_order_whatever_the_order_of_the_keys(result: ConversationsResult) -> None:
    found = conversations_result_from_json(stored(result_to_json(result)))
    assert list(found.health.difficulty) == list(result.health.difficulty)
    assert [list(cell.rates) for cell in found.cells] == [list(cell.rates) for cell in result.cells]


WRONG: dict[str, tuple[Callable[[Any], object], str]] = {
    "missing": (lambda d: d.pop("run"), "run: is missing"),
    "rate": (lambda d: d["cells"][2].pop("recall"), "cells[2].recall: is missing"),
    "outcome": (lambda d: d["cells"][0]["outcomes"].pop("right"), "cells[0].outcomes.right: is missing"),
    "text": (lambda d: d["suite"]["scripts"][1].update(level=3), "suite.scripts[1].level: is 3, not a text"),
    "flag": (lambda d: d["cells"][1].update(incomplete=0), "cells[1].incomplete: is 0, not true or false"),
    "difficulty": (
        lambda d: d["health"]["difficulty"].update(easy=[]),
        "health.difficulty.easy: is [], not an object",
    ),
    "turn": (
        lambda d: d["turns"][4].update(outcome="good"),
        "turns[4].outcome: is 'good', not a turn outcome",
    ),
    "kind": (lambda d: d.update(kind="conversations-diff"), "kind: is 'conversations-diff', not 'conversations'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_missing_or_wrong_is_named_with_its_place(result: ConversationsResult, name: str) -> None:
    change, told = WRONG[name]
    data = deepcopy(stored(result_to_json(result, turns=True)))
    change(data)
    with pytest.raises(DataError, match=re.escape(told)):
        conversations_result_from_json(data)
