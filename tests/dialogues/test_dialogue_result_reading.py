"""Results of dialogues exams, written as JSON and read back: nothing that a reader sees is lost but what was said."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marked_talks import FixedRater, simulated

from vivavoce import demo
from vivavoce.dialogues.agreement import kind_of
from vivavoce.dialogues.corpus.reading import read_dialogues
from vivavoce.dialogues.dialogue import Dialogue, Rating, Utterance
from vivavoce.dialogues.exam import examine_dialogues
from vivavoce.dialogues.json_form import dialogues_result_from_json, result_to_json
from vivavoce.dialogues.result import Cause, DialoguesResult, Drift, Origin, Passport, Reason, Score, TurnEffect
from vivavoce.errors import DataError
from vivavoce.messages import add_messages
from vivavoce.reports.dialogues.charts import dialogues_figures
from vivavoce.reports.dialogues.html import render_dialogues
from vivavoce.reports.shared import pages

flags = st.sampled_from([None, True, False])


@pytest.fixture(autouse=True)
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a chart stand in a page as its definition: what is drawn follows from it, and takes long."""
    monkeypatch.setattr(pages, "to_svg", lambda chart: chart.to_json())


def stored(content: Any) -> Any:
    """Write and read as a store does: with its messages, keys sorted, nothing that JSON does not know."""
    return json.loads(canonical(add_messages(content)))


def canonical(content: Any) -> str:
    return json.dumps(content, sort_keys=True, allow_nan=False)


def moved(dialogue: Dialogue, value: float | None) -> Score:
    if value is None:
        return Score(dialogue.id, None, refusal="too short", cause=Cause.TALK)
    effects = tuple(TurnEffect(n, turn.speaker, 0.1 * n) for n, turn in enumerate(dialogue.turns, 1))
    return Score(dialogue.id, value, 1.0, 5.0, effects, (Reason("long", 0.2, "it is long"),), ("odd",))


@pytest.fixture(scope="module")
def result() -> DialoguesResult:
    """The shipped talks, scored by their length: with marks, refusals and several bots."""
    talks = read_dialogues(demo.dialogues_path()).dialogues
    people = [replace(one, user=f"user {n % 12}") for n, one in enumerate(talks)]
    values = [None if n % 9 == 4 else 1 + (len(one.turns) % 9) / 2 for n, one in enumerate(people)]
    scores = [moved(*pair) for pair in zip(people, values, strict=True)]
    origin = Origin("other talks", "MIT", 10, "by hand", {}, lengths=(2, 9))
    return examine_dialogues(people, FixedRater(scores, origin=origin))


@pytest.fixture(scope="module")
def marked() -> DialoguesResult:
    """Enough marks for an agreement, a recalibration and a ranking, and a rater that was measured elsewhere."""
    talks, scores = simulated(80, slope=0.8, shift=0.9)
    scores[3] = replace(scores[3], learned=True)
    first = examine_dialogues(talks, FixedRater(scores))
    tests = {"overall": first.passport.local["overall"], "later": first.passport.local["overall"]}
    return examine_dialogues(talks, FixedRater(scores, origin=Origin("talks", agreements=tests)))


@pytest.fixture(params=["result", "marked"])
def any_result(request: pytest.FixtureRequest) -> DialoguesResult:
    found: DialoguesResult = request.getfixturevalue(request.param)
    return found


def test_the_results_have_something_of_everything(result: DialoguesResult, marked: DialoguesResult) -> None:
    assert result.ranking
    assert result.queue
    assert any(score.refusal for score in result.scores)
    assert marked.recalibration
    assert marked.passport.local["overall"].bins


def test_a_result_that_is_read_back_is_written_as_it_was(any_result: DialoguesResult) -> None:
    written = result_to_json(any_result)
    again = dialogues_result_from_json(stored(written))
    assert canonical(result_to_json(again)) == canonical(written)
    assert again.scores == any_result.scores
    assert again.passport == any_result.passport
    assert list(again.passport.local) == list(any_result.passport.local)


def test_with_the_dialogues_the_report_is_the_same(any_result: DialoguesResult) -> None:
    again = dialogues_result_from_json(stored(result_to_json(any_result)), dialogues=any_result.dialogues)
    assert again == any_result
    assert render_dialogues(again) == render_dialogues(any_result)


def test_without_the_dialogues_only_what_was_said_is_missing(any_result: DialoguesResult) -> None:
    def unsaid(page: str) -> str:
        page = re.sub(r'<ol class="messages">.*?</ol>', "", page, flags=re.DOTALL)
        # Facts are read from the text.
        page = re.sub(r"<section><h2>What happened</h2>.*?</section>\n?", "", page, flags=re.DOTALL)
        return page.replace('<p class="muted">The text of the messages is not stored.</p>', "")

    page = render_dialogues(dialogues_result_from_json(stored(result_to_json(any_result))))
    assert 'class="messages"' not in page
    assert "The text of the messages is not stored." in page
    assert unsaid(page) == unsaid(render_dialogues(any_result))


def test_the_charts_are_the_same_without_the_dialogues(any_result: DialoguesResult) -> None:
    again = dialogues_result_from_json(stored(result_to_json(any_result)))
    ours, theirs = dialogues_figures(any_result), dialogues_figures(again)
    assert "distribution" in theirs
    assert {n: one.chart.to_json() for n, one in theirs.items()} == {
        n: one.chart.to_json() for n, one in ours.items()
    }


def talks() -> st.SearchStrategy[Dialogue]:
    said = st.builds(Utterance, st.sampled_from(["a", "b"]), st.just("hello"), flags)
    marks = st.lists(st.builds(Rating, st.just("a"), st.sampled_from([None, 2.0, 5.0])), max_size=2).map(tuple)
    bots = st.sampled_from([None, "", "bot"])
    return st.builds(
        Dialogue,
        st.text(max_size=3),
        st.lists(said, max_size=4).map(tuple),
        marks,
        bot=bots,
        user=st.sampled_from([None, "", "eve", "bob"]),
        passed=flags,
    )


@settings(deadline=None)
@given(dialogues=st.lists(talks(), max_size=3), rated=st.lists(st.booleans(), min_size=12, max_size=12))
def test_who_talked_with_whom_is_known_without_the_texts(dialogues: list[Dialogue], rated: list[bool]) -> None:
    scores = []
    for one in dialogues:
        effects = [TurnEffect(n, t.speaker, 0.5) for n, t in enumerate(one.turns, 1) if rated[n]]
        scores.append(Score(one.id, 3.0, turns=tuple(effects)))
    unknown = Passport("fixed", None, {}, may_compare=False, verdict="nobody has measured it")
    written = result_to_json(DialoguesResult(tuple(dialogues), tuple(scores), unknown))
    again = dialogues_result_from_json(stored(written))
    assert [kind_of(one) for one in again.dialogues] == [kind_of(one) for one in dialogues]
    assert [len(one.turns) for one in again.dialogues] == [len(one.turns) for one in dialogues]
    assert canonical(result_to_json(again)) == canonical(written)


def test_names_of_people_stay_in_the_log(result: DialoguesResult) -> None:
    assert any(one.user == "user 7" for one in result.dialogues)
    assert "user 7" not in canonical(result_to_json(result))


def wrong_logs(result: DialoguesResult) -> Iterator[tuple[list[Dialogue], str]]:
    log = list(result.dialogues)
    yield log[1:], "dialogues, but the result has"
    yield [log[1], log[0], *log[2:]], "dialogue 1: is"


def test_another_log_is_refused(result: DialoguesResult) -> None:
    for log, told in wrong_logs(result):
        with pytest.raises(DataError, match=told):
            dialogues_result_from_json(stored(result_to_json(result)), dialogues=log)


WRONG: dict[str, tuple[Callable[[Any], object], str]] = {
    "missing": (lambda d: d.pop("source"), "source: is missing"),
    "score": (lambda d: d["scores"][2].update(score="high"), "scores[2].score: is 'high', not a number"),
    "effect": (lambda d: d["scores"][0]["turns"][1].pop("speaker"), "scores[0].turns[1].speaker: is missing"),
    "roles": (lambda d: d["scores"][0]["roles"].pop(), "scores[0].roles: has"),
    "kind": (lambda d: d["scores"][1].update(kind="bots"), "scores[1].kind: is 'bots', not a kind"),
    "people": (lambda d: d["people"].pop(), "people: has"),
    "passport": (lambda d: d["passport"].update(rater=None), "passport.rater: is None, not a text"),
    "lengths": (lambda d: d["passport"]["origin"].update(lengths=[1]), "passport.origin.lengths: has 1 entries"),
    "recalibration": (lambda d: d.update(recalibration={"kind": "x"}), "recalibration: this is not a recalibration"),
    "ranking": (lambda d: d["ranking"]["systems"][0].pop("mean"), "ranking.systems[0].mean: is missing"),
    "messages": (lambda d: d.update(messages=[{}]), "messages: cannot be read"),
    "another exam": (lambda d: d.update(kind="intents"), "kind: is 'intents', not 'dialogues'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_missing_or_wrong_is_named_with_its_place(result: DialoguesResult, name: str) -> None:
    change, told = WRONG[name]
    data = deepcopy(stored(result_to_json(result)))
    change(data)
    with pytest.raises(DataError, match=re.escape(told)):
        dialogues_result_from_json(data)


def test_trust_by_bot_people_and_drift_come_back_and_older_results_have_none(marked: DialoguesResult) -> None:
    drift = Drift(0.4, 0.3, 40, ("style",))
    talks = [replace(one, ratings=(*one.ratings, Rating("b", 3.0))) for one in marked.dialogues]
    people = examine_dialogues(talks, FixedRater(list(marked.scores))).passport.people
    passport = replace(marked.passport, drift=drift, people=people)
    written = stored(result_to_json(replace(marked, passport=passport)))
    found = dialogues_result_from_json(written).passport
    assert (found.drift, found.people, dict(found.bots)) == (drift, people, dict(marked.passport.bots))
    assert people is not None
    assert found.bots
    for key in ("by_bot", "people", "drift", "follows", "helps"):
        del written["passport"][key]
    older = dialogues_result_from_json(written).passport
    assert (older.drift, older.people, older.bots) == (None, None, {})
