"""Botium scripts in and out."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook

from vivavoce.conversations.judging.matching import kind_of
from vivavoce.conversations.scenario import (
    Button,
    Defaults,
    Expectation,
    FallbackRule,
    Include,
    Match,
    Pattern,
    Phrase,
    Plan,
    Scenario,
    ScriptTurn,
    Suite,
    Turn,
)
from vivavoce.conversations.scenarios.expansion import expand
from vivavoce.conversations.scenarios.formats.botium import read_botium
from vivavoce.conversations.scenarios.formats.botium_writing import to_botium, write_botium
from vivavoce.conversations.scenarios.suites import read_suite
from vivavoce.errors import FileError

pytestmark = pytest.mark.slow

KEPT = "x-botium"


def suite_of(folder: Path, **files: str) -> Suite:
    """Write files (two underscores for a dot) and read their folder."""
    for name, text in files.items():
        (folder / f"{name.replace('__', '.')}").write_text(text, encoding="utf-8")
    return read_botium(folder)


def turn_of(folder: Path, bot: str, me: str = "hi") -> Turn:
    """Return the one turn of a conversation with these lines."""
    found = suite_of(folder, one__convo__txt=f"one\n\n#me\n{me}\n\n#bot\n{bot}\n").scenarios[0].turns[0]
    assert isinstance(found, Turn)
    return found


# --- lines -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("Hello", {"any": (Pattern("Hello"),)}),
        ("Hello\n\nthere", {"any": (Pattern("Hello\n\nthere"),)}),
        ("!Hugo", {"none": (Pattern("Hugo"),)}),
        ("?Hello", {"any": (Pattern("Hello"),), "optional": True}),
        ("?!thanks", {"none": (Pattern("thanks"),), "optional": True}),
        ("!!wow", {"any": (Pattern("!wow"),)}),
        ("??what", {"any": (Pattern("?what"),)}),
        ("INCOMPREHENSION", {"fallback": True}),
        ("!INCOMPREHENSION", {"answered": True}),
        ("INTENT book", {"intents": ("book",)}),
        ("INTENT_CONFIDENCE 70", {"min_confidence": 0.7}),
        ("INTENT_UNIQUE", {"margin_over": 0.0}),
        ("ENTITIES a|b|...", {"slot_names": ("a", "b")}),
        ("ENTITY_VALUES x", {"slot_values": ("x",)}),
        ("ENTITY_CONTENT city|Rome\nENTITY_CONTENT day|May 1", {"slots": {"city": "Rome", "day": "May 1"}}),
        (r"BUTTONS Test\|1|Test\|2", {"buttons": ("Test|1", "Test|2")}),
        ("CARDS one|two\nMEDIA a.png", {"cards": ("one", "two"), "media": ("a.png",)}),
        ("TEXT_EQUALS_IC yes|no", {"any": (Pattern("yes", Match.EXACT), Pattern("no", Match.EXACT))}),
        ("TEXT_CONTAINS_ALL_IC a|b", {"all": (Pattern("a"), Pattern("b")), "order_any": True}),
        ("TEXT_REGEXP_ANY_IC a\\|b", {"any": (Pattern("a|b", Match.REGEX),)}),
        ("TEXT_WILDCARD_ANY_IC a*b", {"any": (Pattern("*a*b*", Match.WILDCARD),)}),
        ("TEXT_WILDCARDEXACT_ANY_IC a*b", {"any": (Pattern("a*b", Match.WILDCARD),)}),
        ("!TEXT_CONTAINS_ANY_IC a|b", {"none": (Pattern("a"), Pattern("b"))}),
        ("2 * 3", {"any": (Pattern("2 * 3", Match.SUBSTRING),)}),
    ],
)
def test_each_line_becomes_the_expectation_that_it_states(tmp_path: Path, lines: str, expected: dict) -> None:
    assert turn_of(tmp_path, lines).expect == Expectation(**expected)


@pytest.mark.parametrize(
    "line",
    [
        "JSON_PATH $.x|1",
        "!BUTTONS a|b",
        "FORMS name",
        "MY_OWN_ASSERTER x",
        "BUTTONS_COUNT 2",
        "ENTITY_CONTENT city|a|b",
        "INTENT_CONFIDENCE much",
        "!TEXT_CONTAINS_ALL a|b",
        "RESPONSE_LENGTH 10",
        "BUTTONS",
    ],
)
def test_a_check_that_only_botium_knows_is_kept_and_goes_back(tmp_path: Path, line: str) -> None:
    turn = turn_of(tmp_path, f"hello\n{line}")
    assert turn.expect.extras == {KEPT: [line]}
    assert turn.expect.any == (Pattern("hello"),)
    suite = read_botium(tmp_path)
    assert any("Botium-only checks" in note for note in suite.notes)
    assert line in to_botium(expand(suite))[0]["one.convo.txt"]


def test_an_empty_reply_expects_nothing(tmp_path: Path) -> None:
    assert turn_of(tmp_path, "").expect == Expectation(counted=False)


def test_several_bubbles_must_come_in_order_and_one_may_leave_a_choice(tmp_path: Path) -> None:
    greeting = "HELLO\nhi\nhello\n"
    script = "one\n#me\nhey\n#bot\nHELLO\n#bot\nHow are you?\n#bot\nHELLO\n"
    suite = suite_of(tmp_path, hello__utterances__txt=greeting, one__convo__txt=script)
    expect = suite.scenarios[0].turns[0].expect
    assert expect.any == (Pattern("hi"), Pattern("hello"))
    assert expect.all == (Pattern("How are you?"), Pattern("(?:hi)|(?:hello)", Match.REGEX))
    assert not expect.order_any


def test_an_optional_bubble_beside_a_needed_one_is_kept_aside(tmp_path: Path) -> None:
    turn = turn_of(tmp_path, "?Welcome\nINTENT greet\n\n#bot\nHow are you?".replace("INTENT", "?INTENT"))
    assert turn.expect == Expectation(any=(Pattern("How are you?"),))
    assert turn.extras == {KEPT: [{"bot": ["?Welcome", "?INTENT greet"]}]}


def test_messages_may_be_texts_lists_buttons_or_json(tmp_path: Path) -> None:
    lists = "HELLO\nhi\nhello\n"
    (tmp_path / "hello.utterances.txt").write_text(lists, encoding="utf-8")
    assert turn_of(tmp_path, "", "HELLO").user == Phrase("HELLO")
    assert turn_of(tmp_path, "", "BUTTON Yes").user == Button("Yes")
    sent = turn_of(tmp_path, "", "BUTTON /yes|Yes")
    assert sent.user == Button("Yes")
    assert sent.expect.extras == {KEPT: [{"me": "BUTTON /yes|Yes"}]}
    assert turn_of(tmp_path, "", '{"text": "hey", "data": 1}').user == "hey"
    assert turn_of(tmp_path, "", "INTENT is a word").user == "INTENT is a word"
    hooked = turn_of(tmp_path, "", "well\nPAUSE 500\nWAITFORBOT 2000")
    assert (hooked.user, hooked.pause_ms, hooked.wait_s) == ("well", 500, 2)


def test_a_variable_is_captured_from_a_reply_and_said_again(tmp_path: Path) -> None:
    script = "one\n#me\norder\n#bot\nYour number is $nr, ok?\n#me\ncancel $nr for US$5\n#bot\n$nr is gone\n"
    first, second = suite_of(tmp_path, one__convo__txt=script).scenarios[0].turns
    assert first.save == {"nr": Pattern(r"Your number is (\S+), ok\?", Match.REGEX)}
    assert first.expect.any == (Pattern(r"Your number is \S+, ok\?", Match.REGEX),)
    assert second.user == "cancel {nr} for US$5"
    assert second.expect.any == (Pattern("{nr} is gone"),)


def test_a_table_of_values_becomes_rows(tmp_path: Path) -> None:
    table = "     |$from|$to\ntrip1|Rome |Bern\ntrip2|Oslo |Linz\n"
    script = "fly\n#me\nfrom $from to $to\n#bot\nTo $to\n"
    suite = suite_of(tmp_path, trips__scriptingmemory__txt=table, fly__convo__txt=script)
    assert suite.rows == {"trip1": {"from": "Rome", "to": "Bern"}, "trip2": {"from": "Oslo", "to": "Linz"}}
    assert suite.scenarios[0].rows == ("trip1", "trip2")
    assert [script.turns[0].text for script in expand(suite).scripts] == ["from Rome to Bern", "from Oslo to Linz"]


def test_a_value_set_by_the_script_is_put_in(tmp_path: Path) -> None:
    script = "one\n#me\nhi\nSET_SCRIPTING_MEMORY city|Rome\n#bot\n\n#me\nto $city\n#bot\n$city it is\n"
    _, turn = suite_of(tmp_path, one__convo__txt=script).scenarios[0].turns
    assert (turn.user, turn.expect.any) == ("to Rome", (Pattern("Rome it is"),))


def test_partial_conversations_become_parts(tmp_path: Path) -> None:
    script = "one\n#begin\nINCLUDE LOGIN\n#me\nhi\n#bot\nhello\n#include\nBYE\n"
    parts = {
        "login__pconvo__txt": "LOGIN\n#me\nI am Ann\n#bot\nHello Ann\n",
        "bye__pconvo__txt": "BYE\n#me\nbye\n#bot\n",
    }
    suite = suite_of(tmp_path, one__convo__txt=script, **parts)
    assert set(suite.parts) == {"LOGIN", "BYE"}
    first, _, last = suite.scenarios[0].turns
    assert (first, last) == (Include("LOGIN"), Include("BYE"))
    assert [turn.text for turn in expand(suite).scripts[0].turns] == ["I am Ann", "hi", "bye"]


def test_what_the_bot_says_unasked_is_kept_and_told(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, one__convo__txt="#bot\nWelcome\n#me\nhi\n", two__convo__txt="#bot\nWelcome\n")
    assert [scenario.id for scenario in suite.scenarios] == ["one"]
    assert suite.scenarios[0].extras == {KEPT: {"bot": ["Welcome"]}}
    assert suite.extras == {KEPT: {"unasked": [{"name": "two", "bot": ["Welcome"]}]}}
    assert sum("Welcome" in note for note in suite.notes) == 2


def test_an_unknown_section_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"one\.convo\.txt, line 3.*#you.*\n.*#me, #bot"):
        suite_of(tmp_path, one__convo__txt="one\n\n#you\nhi\n")


def test_incomprehension_says_how_a_fallback_looks(tmp_path: Path) -> None:
    texts = "INCOMPREHENSION\nI did not get that\nsorry?\n"
    suite = suite_of(tmp_path, inc__utterances__txt=texts, one__convo__txt="one\n#me\nblah\n#bot\nINCOMPREHENSION\n")
    assert suite.fallback.replies == ("*I did not get that*", "*sorry?*")
    assert suite.lists == {}


def test_workbooks_are_read_by_the_names_of_their_sheets(tmp_path: Path) -> None:
    book = Workbook()
    for name, rows in {
        "My Convos": [("User", "Bot"), ("HI", None), (None, "hello"), (None, None), ("how much", None), (None, "5")],
        "Answers convo": [("User", "Bot"), ("q1", "a1"), ("q2", "a2"), (None, None), (None, None), ("remark", None)],
        "Utterances": [("REFCODE", "UTTERANCE"), ("HI", "hi"), (None, "hey")],
        "Else": [("a", "b"), (1, 2)],
    }.items():
        page = book.create_sheet(name)
        for row in rows:
            page.append(row)
    book.remove(book.worksheets[0])
    book.save(tmp_path / "talks.xlsx")
    suite = read_suite(tmp_path / "talks.xlsx")
    assert [len(one.turns) for one in suite.scenarios] == [1, 1, 1, 1]
    assert [one.turns[0].user for one in suite.scenarios] == [Phrase("HI"), "how much", "q1", "q2"]
    assert suite.lists == {"HI": ("hi", "hey")}
    assert any("'Else'" in note for note in suite.notes)


# --- real samples ------------------------------------------------------------------------------------------------


def test_real_scripts_are_read_whole(shared: Path) -> None:
    suite = read_suite(shared / "data" / "formats" / "botium")
    found = {scenario.id: scenario for scenario in suite.scenarios}
    assert len(found["restaurant"].turns) == 6
    assert found["restaurant"].turns[0].expect.any == (Pattern("hi"), Pattern("hello"), Pattern("nice day"))
    assert found["restaurant"].turns[4].pause_ms == 1000
    assert len(found["restaurant"].turns[4].expect.all) == 2
    assert found["goodbye"].extras == {KEPT: {"begin": ["PAUSE 500"]}}
    assert found["first"].turns[0].user == "test 1"
    assert found["HelloWorldConvosWithUtt-2"].turns[0].user == Phrase("HELLO_UTT")
    assert [one for one in found if one.startswith("Convos-")] == ["Convos-1", "Convos-2", "Convos-3"]
    assert set(suite.lists) == {"GREETING", "HELLO_UTT", "singlecolumn"}
    assert not any("skipped" in note for note in suite.notes)


def test_every_real_conversation_can_be_held_and_written_back(shared: Path, tmp_path: Path) -> None:
    suite = read_suite(shared / "data" / "conversations" / "botium_samples")
    assert len(suite.scenarios) == 11
    plan = expand(suite)
    write_botium(plan, tmp_path / "out")
    again = expand(read_suite(tmp_path / "out"))
    assert said_and_expected(again) == said_and_expected(plan)


# --- out and in again --------------------------------------------------------------------------------------------


def text_of(pattern: Pattern, plan: Plan) -> tuple[str, str]:
    """Return what a pattern means: blanks do not count, and whole words are no kind of Botium's."""
    kind = kind_of(pattern, plan.defaults.match)
    if kind is Match.REGEX:
        return pattern.text, kind.value
    starless = kind is Match.WILDCARD and "*" not in pattern.text
    kind = Match.EXACT if starless else {Match.CONTAINS: Match.SUBSTRING}.get(kind, kind)
    return " ".join(pattern.text.split()), kind.value


def texts_of(patterns: tuple[Pattern, ...], plan: Plan) -> list[tuple[str, str]]:
    return [text_of(one, plan) for one in patterns]


def facts_of(turn: ScriptTurn, plan: Plan) -> tuple[object, ...]:
    expect = turn.expect
    texts = (texts_of(expect.any, plan), sorted(texts_of(expect.all, plan)), sorted(texts_of(expect.none, plan)))
    flags = (expect.fallback, expect.answered, expect.optional, expect.counted)
    facts = (expect.intents[:1], dict(expect.slots), expect.buttons, expect.min_confidence)
    return (turn.text, turn.button, *texts, *flags, *facts)


def said_and_expected(plan: Plan) -> dict[str, list[tuple[object, ...]]]:
    """Return all that must survive, by the id of the conversation."""
    return {script.id: [facts_of(turn, plan) for turn in script.turns] for script in plan.scripts}


words = st.text("abcdefghijklmnop ÄÖéß.,;:'\"()&/%=+-_0123456789|\\", min_size=1, max_size=20).map(
    lambda text: f"w{text}w"
)
names = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True)
kinds = st.sampled_from([None, Match.EXACT, Match.SUBSTRING])
choices = kinds.flatmap(lambda kind: st.lists(words.map(lambda text: Pattern(text, kind)), max_size=3).map(tuple))
expectations = st.builds(
    Expectation,
    intents=st.lists(names, max_size=1).map(tuple),
    min_confidence=st.none() | st.integers(1, 100).map(lambda n: n / 100),
    slots=st.dictionaries(names, words, max_size=2),
    buttons=st.lists(words, max_size=3).map(tuple),
    any=choices,
    none=choices,
    fallback=st.booleans(),
    optional=st.booleans(),
).map(lambda one: one if replace(one, optional=False) != Expectation() else Expectation(counted=False))
simple_turns = st.builds(Turn, words | words.map(Button), expectations)


def suite_with(turns: list[Turn]) -> Suite:
    rule = FallbackRule(replies=("*no idea*",))
    return Suite("s", (Scenario("talk", "basic", tuple(turns)),), defaults=Defaults(Match.SUBSTRING), fallback=rule)


@given(st.lists(simple_turns, min_size=1, max_size=3))
@settings(max_examples=60, deadline=None)
def test_simple_suites_come_back_from_botium_as_they_were(turns: list[Turn]) -> None:
    plan = expand(suite_with(turns))
    with tempfile.TemporaryDirectory() as folder:
        write_botium(plan, folder)
        suite = read_suite(folder)
    again = expand(suite)
    assert said_and_expected(again) == said_and_expected(plan)
    assert suite.fallback.replies == ("*no idea*",)


wild = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"], include_characters="\n#!?$|*{}"), max_size=12
)
wild_patterns = st.lists(st.builds(Pattern, wild, st.none() | st.sampled_from(Match)), max_size=2).map(tuple)
wild_turns = st.builds(
    Turn,
    wild | st.sampled_from(["#me", "PAUSE 3", "INCOMPREHENSION", "!no", "$x", "{x}"]),
    st.builds(Expectation, any=wild_patterns, all=wild_patterns, none=wild_patterns, buttons=st.tuples(wild)),
)


@given(wild_turns)
@settings(max_examples=80, deadline=None)
def test_whatever_does_not_come_back_was_told_as_lost(turn: Turn) -> None:
    plan = expand(suite_with([turn]))
    with tempfile.TemporaryDirectory() as folder:
        lost = write_botium(plan, folder)
        again = expand(read_suite(folder))
    changed = list(said_and_expected(again).values()) != list(said_and_expected(plan).values())
    assert not changed or any("talk/" in line for line in lost)


@pytest.mark.parametrize("name", ["flight", "medical"])
def test_shipped_suites_come_back_from_botium(tmp_path: Path, name: str) -> None:
    plan = expand(read_suite(name))
    lost = write_botium(plan, tmp_path)
    before, after = said_and_expected(plan), said_and_expected(expand(read_suite(tmp_path)))
    names = [script.id for script in plan.scripts]
    assert len(after) == len(names)
    told = " ".join(lost)
    assert "`slots` is not kept" not in told
    assert "`none` is not kept" not in told
    for script in plan.scripts:
        for old, new in zip(before[script.id], after[script.id], strict=True):
            assert (old[0], old[1], old[5:]) == (new[0], new[1], new[5:])
            # Where kinds differ within one choice, all are written as expressions: as many as before.
            assert [len(part) for part in old[2:5]] == [len(part) for part in new[2:5]]
    same = sum(before[s.id] == after[s.id] for s in plan.scripts)
    assert same >= len(names) * 0.8


def test_losses_are_told_with_counts_and_places(tmp_path: Path) -> None:
    expect = Expectation(intents=("a", "b"), within_ms=5, any=(Pattern("x", Match.SIMILAR),))
    lost = write_botium(expand(suite_with([Turn("hi", expect), Turn("ho", expect)])), tmp_path)
    assert "only the first of several intents is kept: 2 places (talk/t1, talk/t2)" in lost
    assert "`within_ms` is not kept: 2 places (talk/t1, talk/t2)" in lost
    assert "`any` is not kept: 2 places (talk/t1, talk/t2)" in lost
