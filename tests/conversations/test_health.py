"""The exam is examined: turns that tell nothing, messages learned by heart, gaps, levels out of order."""

from __future__ import annotations

from exams import D, E, M, R, W, found, header, line, talk

from vivavoce.bots.protocol import BotFacts
from vivavoce.conversations.findings.finding import find
from vivavoce.conversations.findings.health import find_leaks
from vivavoce.conversations.result import Line
from vivavoce.conversations.scenario import Expectation, Kind, Plan, Script, ScriptTurn
from vivavoce.outcomes import TurnOutcome

ASK = Expectation(intents=("pay",))


def script(*texts: str, expect: Expectation = ASK, kind: Kind = Kind.CLEAN) -> Script:
    turns = tuple(ScriptTurn(n + 1, f"t{n}", text, expect, kind=kind) for n, text in enumerate(texts))
    return Script("s", "s", "", "", "basic", turns)


def plan_of(*scripts: Script) -> Plan:
    return Plan("suite", "en", scripts)


def test_a_turn_that_every_bot_always_passes_is_too_easy() -> None:
    lines = [*talk([R, R, W], bot="a"), *talk([D, W, W], bot="b")]
    health = found(lines, "a", "b").health
    assert health.too_easy == (("s", 1),)
    assert health.never_passed == (("s", 3),)


def test_one_bot_alone_says_nothing_of_what_is_too_easy() -> None:
    assert found(talk([R, R])).health.too_easy == ()


def test_a_turn_that_one_bot_could_not_run_is_not_called_too_easy() -> None:
    assert found([*talk([R], bot="a"), *talk([E], bot="b")], "a", "b").health.too_easy == ()


def test_a_turn_passed_in_one_repeat_is_neither_too_easy_nor_hopeless() -> None:
    lines = [*talk([R], bot="a"), *talk([W], bot="a", repeat=1), *talk([W], bot="b")]
    health = found(lines, "a", "b", repeats=2).health
    assert (health.too_easy, health.never_passed) == ((), ())


def test_a_message_that_stands_in_the_training_phrases_is_a_leak() -> None:
    bot = BotFacts("bot", phrases={"pay": ("How much will I earn?", "what is the salary")})
    messages = script("how much will i earn", "What is the salery", "When can I start working here")
    assert find_leaks(plan_of(messages), [bot]) == (
        ("s", 1, "How much will I earn?"),
        ("s", 2, "what is the salary"),
    )


def test_short_messages_misspelt_copies_and_unchecked_turns_are_no_leaks() -> None:
    bot = BotFacts("bot", phrases={"x": ("yes please", "what is the salary")})
    free = Expectation(counted=False)
    plans = [
        script("yes please"),
        script("what is the salary", kind=Kind.TYPO),
        script("what is the salary", expect=free),
    ]
    assert [find_leaks(plan_of(one), [bot]) for one in plans] == [(), (), ()]


def test_a_bot_that_does_not_tell_its_phrases_has_no_known_leaks() -> None:
    assert find_leaks(plan_of(script("what is the salary")), [BotFacts("bot")]) == ()


def test_leaks_are_said_in_a_warning() -> None:
    bot = BotFacts("bot", phrases={"pay": ("what is the salary",)})
    result = find(header(bot, scripts=[script("what is the salary")]), talk([R]))
    assert len(result.health.leaks) == 1
    assert any("a bot's training examples contain 1 message" in warning for warning in result.warnings)
    assert any("only 1 scenario:" in warning for warning in result.warnings)


def test_coverage_counts_each_turn_once_whatever_the_bots_and_repeats() -> None:
    lines = [
        one
        for bot in ("a", "b")
        for repeat in (0, 1)
        for one in (
            line(R, "s", 1, bot=bot, repeat=repeat, expected="pay"),
            line(M, "s", 2, bot=bot, repeat=repeat, expected="pay", kind="typo"),
            line(D, "s", 3, bot=bot, repeat=repeat),
            line(TurnOutcome.UNCHECKED, "s", 4, bot=bot, repeat=repeat),
        )
    ]
    coverage = found(lines, "a", "b", repeats=2).health.coverage
    assert coverage == {("pay", "basic", "clean"): 1, ("pay", "basic", "typo"): 1, (None, "basic", "clean"): 1}


def level_lines(basic: int, complex_: int) -> list[Line]:
    return [
        line(R if n < right else W, f"{level}{n}", level=level)
        for level, right in (("basic", basic), ("complex", complex_))
        for n in range(20)
    ]


def test_a_harder_level_that_came_out_easier_is_said() -> None:
    result = found(level_lines(5, 19))
    assert [result.health.difficulty[level].value for level in ("basic", "complex")] == [0.25, 0.95]
    warnings = [warning for warning in result.warnings if "harder" in warning]
    assert len(warnings) == 1
    assert "chance" not in warnings[0]
    assert "95 % of its turns passed, against 25 %" in warnings[0]


def test_a_small_gap_between_levels_is_said_with_doubt_and_the_right_order_not_at_all() -> None:
    doubtful = found(level_lines(10, 11)).warnings
    assert any("chance" in warning for warning in doubtful)
    assert not [warning for warning in found(level_lines(19, 5)).warnings if "harder" in warning]


def test_conversations_that_were_not_held_are_said() -> None:
    result = find(header(scripts=[script("one"), Script("t", "t", "", "", "basic", ())]), talk([R]))
    assert any("1 of 2 conversations missing" in warning for warning in result.warnings)
