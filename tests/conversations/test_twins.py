"""Misspelt twins: copies beside the originals, an even share, nothing counted twice."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.conversations.scenario import (
    Button,
    Expectation,
    FallbackRule,
    Include,
    Kind,
    Pattern,
    Phrase,
    Scenario,
    Suite,
    Turn,
)
from vivavoce.conversations.scenarios.twins import add_typos
from vivavoce.errors import DataError, UsageError

BOOK = Expectation(intents=("book_flight",), slots={"to": "Sydney"})
SENTENCES = (
    "I would like to book a ticket to Sydney",
    "please change my reservation",
    "what about my luggage",
    "yes",
    "tell me more about the weather in Perth",
)
texts = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=5)


def scenario(name: str, *said: str, level: str = "basic") -> Scenario:
    return Scenario(name, level, tuple(Turn(text, BOOK, line=7) for text in said), title=f"About {name}", line=3)


def suite_of(*scenarios: Scenario, **more: object) -> Suite:
    return replace(Suite("flights", scenarios), **more)  # type: ignore[arg-type]


def turns(suite: Suite) -> dict[str, Turn]:
    """Return the turns of a suite by scenario/turn; those without an id by their place."""
    return {
        f"{each.id}/{turn.id or place}": turn
        for each in suite.scenarios
        for place, turn in enumerate(each.turns)
        if isinstance(turn, Turn)
    }


def twins(suite: Suite) -> dict[str, Turn]:
    return {name: turn for name, turn in turns(suite).items() if turn.kind is Kind.TYPO}


def test_a_copy_repeats_the_scenario_with_misspelt_turns() -> None:
    grown, report = add_typos(suite_of(scenario("fb", *SENTENCES)))
    original, copy = grown.scenarios
    assert (copy.id, copy.title, copy.level) == ("fb~typo", "About fb (misspelt)", "basic")
    assert len(copy.turns) == len(original.turns)
    assert len(twins(grown)) == len(report.turns) == 2
    for clean, other in zip(original.turns, copy.turns, strict=True):
        assert isinstance(clean, Turn)
        assert isinstance(other, Turn)
        if other.kind is Kind.TYPO:
            assert other.twin_of == f"fb/{clean.id}"
            assert other.expect == Expectation(same=True)
            assert other.user != clean.user
        else:
            assert (other.user, other.expect) == (clean.user, Expectation(counted=False))


def test_the_originals_only_gain_names() -> None:
    before = suite_of(scenario("fb", *SENTENCES))
    grown, _ = add_typos(before)
    for clean, named in zip(before.scenarios[0].turns, grown.scenarios[0].turns, strict=True):
        assert isinstance(named, Turn)
        assert replace(named, id="") == clean
    assert {turn.id for turn in grown.scenarios[0].turns if isinstance(turn, Turn)} != {""}


@given(st.dictionaries(st.sampled_from(["basic", "medium", "complex"]), texts, min_size=1), st.floats(0.05, 1))
@settings(max_examples=40)
def test_every_level_gets_its_share(said: dict[str, list[str]], share: float) -> None:
    suite = suite_of(*(scenario(level, *each, level=level) for level, each in said.items()))
    _, report = add_typos(suite, share=share)
    added = Counter(turn.level for turn in report.turns)
    assert added == {level: max(1, int(share * len(each) + 0.5)) for level, each in said.items()}
    assert report.eligible == sum(map(len, said.values()))


@given(texts, st.integers(0, 20))
@settings(max_examples=40)
def test_every_twin_leads_to_a_clean_turn_and_no_turn_has_two(said: list[str], seed: int) -> None:
    grown, _ = add_typos(suite_of(scenario("a", *said), scenario("b", *said)), seed=seed)
    known = turns(grown)
    led = [turn.twin_of or "" for turn in twins(grown).values()]
    assert len(set(led)) == len(led)
    assert all(known[name].kind is Kind.CLEAN and known[name].expect.counted for name in led)
    counted = [turn for turn in known.values() if turn.expect.counted]
    assert len(counted) == 2 * len(said) + len(led)


def test_the_same_seed_gives_the_same_suite_and_an_edit_elsewhere_changes_no_mistake() -> None:
    suite = suite_of(scenario("a", *SENTENCES), scenario("b", *SENTENCES))
    grown, _ = add_typos(suite, share=1)
    assert grown == add_typos(suite, share=1)[0]
    edited = replace(suite, scenarios=(scenario("a", "hello there", *SENTENCES[1:]), suite.scenarios[1]))
    after, _ = add_typos(edited, share=1)
    same = {name for name, turn in twins(grown).items() if twins(after)[name].user == turn.user}
    assert same == set(twins(grown)) - {"a~typo/t1"}


def test_only_clean_typed_turns_in_scope_get_twins() -> None:
    others = (
        Turn("nearest hospital please", Expectation(fallback=True)),
        Turn("whatever you say", Expectation(counted=False)),
        Turn("something else entirely", Expectation(intents=("nlu_fallback",))),
        Turn("I woud like a tiket", BOOK, kind=Kind.TYPO),
        Turn("a paraphrase of it", Expectation(same=True), twin_of="t1"),
        Turn(Phrase("asked", 1), BOOK),
        Turn(Button("Morning"), BOOK),
        Turn("12", BOOK),
    )
    mixed = Scenario("m", "basic", (Turn("please book a flight", BOOK, id="t1"), *others))
    grown, report = add_typos(
        suite_of(mixed, fallback=FallbackRule(("NLU_fallback",)), lists={"asked": ("book it",)}), share=1
    )
    assert [turn.turn for turn in report.turns] == ["t1"]
    assert report.eligible == 1
    assert report.impossible == ("m/9",)
    assert "1 message had no letter to change" in report.summary
    assert [turn.user for turn in grown.scenarios[1].turns if isinstance(turn, Turn)][1:] == [
        turn.user for turn in others
    ]


def test_slot_values_rows_lists_and_placeholders_are_left_alone() -> None:
    text = "Fly {from} to Sydney or New York with the night owl tariff tomorrow"
    suite = suite_of(scenario("s", text), rows={"r": {"via": "New York"}}, lists={"tariffs": ("night owl",)})
    for seed in range(30):
        _, report = add_typos(suite, seed=seed, budget=1, share=1)
        assert all(kept in report.turns[0].after for kept in ("{from}", "Sydney", "New York", "night owl"))


def test_turns_of_a_part_are_said_in_the_copy_but_not_counted_again() -> None:
    parts = {"greet": (Turn("hello there", BOOK, id="h"), Include("more")), "more": (Turn("how are you", BOOK),)}
    talk = Scenario("s", "basic", (Include("greet"), Turn("book a flight for me", BOOK)))
    grown, _ = add_typos(suite_of(talk, parts=parts), share=1)
    copy = grown.scenarios[1]
    assert grown.scenarios[0].turns[0] == Include("greet")
    assert [turn.user for turn in copy.turns[:2] if isinstance(turn, Turn)] == ["hello there", "how are you"]
    assert all(isinstance(turn, Turn) and not turn.expect.counted for turn in copy.turns[:2])


def test_saving_values_and_rows_stay_in_the_copy() -> None:
    talk = Scenario("s", "basic", (Turn("book a flight", BOOK, save={"fare": Pattern("{number}")}),), rows=("r",))
    grown, _ = add_typos(suite_of(talk), share=1)
    (turn,) = grown.scenarios[1].turns
    assert isinstance(turn, Turn)
    assert turn.save == {"fare": Pattern("{number}")}
    assert grown.scenarios[1].rows == ("r",)


def test_twins_never_get_twins_and_a_full_suite_is_refused() -> None:
    grown, _ = add_typos(suite_of(scenario("fb", *SENTENCES)), share=1)
    with pytest.raises(DataError, match="every clean in-scope turn already has a misspelt twin"):
        add_typos(grown, share=1)


def test_a_share_that_is_reached_is_refused_and_a_larger_one_adds_the_rest() -> None:
    grown, first = add_typos(suite_of(scenario("fb", *SENTENCES)), share=0.4)
    with pytest.raises(DataError, match="2 turns of 5 already have a misspelt twin"):
        add_typos(grown, share=0.4)
    full, second = add_typos(grown, share=1)
    assert (len(first.turns), len(second.turns), second.already) == (2, 3, 2)
    assert [each.id for each in full.scenarios] == ["fb", "fb~typo2", "fb~typo"]
    led = [turn.twin_of for turn in twins(full).values()]
    assert len(set(led)) == 5


def test_a_twin_in_the_same_scenario_counts_as_one() -> None:
    talk = Scenario("s", "basic", (Turn("book it", BOOK, id="t"), Turn("bok it", BOOK, kind=Kind.TYPO, twin_of="t")))
    with pytest.raises(DataError, match="already"):
        add_typos(suite_of(talk))


def test_new_names_do_not_collide() -> None:
    talk = Scenario("s", "basic", (Turn("book a flight", BOOK), Turn("cancel my flight", BOOK, id="t1")))
    grown, _ = add_typos(suite_of(talk), share=1)
    names = [turn.id for turn in grown.scenarios[0].turns if isinstance(turn, Turn)]
    assert len(set(names)) == 2
    assert names[1] == "t1"


def test_the_report_tells_how_much_was_changed() -> None:
    _, report = add_typos(suite_of(scenario("fb", *SENTENCES)), share=1)
    assert sum(report.kinds.values()) == sum(len(turn.edits) for turn in report.turns)
    assert report.letters == sum(len(re.findall("[A-Za-z]", text.replace("Sydney", ""))) for text in SENTENCES)
    assert 3 < report.per_100 < 12
    assert report.scenarios == 1
    assert report.summary.startswith("5 of 5 messages misspelt in 1 copy:")
    assert [before for before, _ in report.examples] == [turn.before for turn in report.turns]
    assert json.loads(json.dumps(report.to_json()))["kinds"] == report.kinds


def test_the_keyboard_follows_the_language_of_the_suite() -> None:
    suite = suite_of(scenario("fb", *SENTENCES), language="de-CH")
    assert add_typos(suite)[1].layout == "qwertz"
    assert add_typos(suite, layout="qwerty")[1].layout == "qwerty"
    assert add_typos(replace(suite, language="en"))[1].layout == "qwerty"


def test_levels_may_be_chosen() -> None:
    suite = suite_of(scenario("a", *SENTENCES), scenario("b", *SENTENCES, level="complex"))
    assert {turn.level for turn in add_typos(suite, levels=["complex"])[1].turns} == {"complex"}
    with pytest.raises(UsageError, match="Did you mean 'complex'"):
        add_typos(suite, levels=["komplex"])


def test_a_wrong_share_or_a_suite_without_turns_is_refused() -> None:
    with pytest.raises(UsageError, match="above 0"):
        add_typos(suite_of(scenario("a", "hello")), share=0)
    with pytest.raises(DataError, match="no turn can be misspelt"):
        add_typos(suite_of(scenario("a", "12")))
