"""The biggest problems of a bot: most costly first, each failed turn in one of them, with something to do."""

from __future__ import annotations

from dataclasses import replace

from exams import A, D, E, M, N, O, R, U, W, found, line, pair_lines, talk

from vivavoce.conversations.transcript import ConversationKey


def test_problems_are_told_most_costly_first_with_examples_and_a_remedy() -> None:
    lines = [line(W, f"w{n}", expected="pay", intent="leave") for n in range(3)]
    lines += [line(M, f"m{n}", expected="pay") for n in range(2)]
    lines += [line(O, "o", intent="pay"), line(A, "a"), line(N, "n"), line(E, "e"), line(R, "slow", first_ms=9000.0)]
    lines += [line(R, "c"), line(M, "c~typo", kind="typo", twin=("c", 1), expected="pay")]
    problems = found(lines).problems
    assert [(one.kind, one.turns) for one in problems[:2]] == [("wrong_topic", 3), ("missed_topic", 2)]
    assert {one.kind for one in problems[2:-1]} == {
        "overreach",
        "wrong_reply",
        "timeout",
        "error",
        "typos_lost",
    }
    assert problems[-1].kind == "slow"
    assert "'pay'" in problems[0].message
    assert "'leave'" in problems[0].message
    assert problems[0].examples[0] == (ConversationKey("bot", "w0"), 1)
    assert all(one.remedy for one in problems)


def test_each_failed_turn_is_in_one_problem_alone() -> None:
    lines = [one for n in range(4) for one in pair_lines("+", "-", f"s{n}")]
    lines += [line(R, "t"), line(N, "t~typo", kind="typo", twin=("t", 1))]
    problems = found(lines).problems
    assert [(one.kind, one.turns) for one in problems] == [("typos_lost", 4), ("timeout", 1)]
    places = [place for one in problems for place in one.examples]
    assert len(set(places)) == len(places) == 5


def test_a_turn_that_was_repeated_is_one_example() -> None:
    lines = [one for repeat in range(4) for script in "st" for one in talk([M], script, repeat=repeat)]
    problem = found(lines, repeats=4).problems[0]
    assert problem.turns == 8
    assert [(key.script, key.repeat, number) for key, number in problem.examples] == [("s", 0, 1), ("t", 0, 1)]


def test_a_program_that_fails_is_to_be_corrected_and_not_its_connection() -> None:
    failed, refused = line(E, "s"), line(E, "t")
    problems = found([replace(failed, status="failed"), refused]).problems
    remedies = {one.kind: one.remedy for one in problems}
    assert set(remedies) == {"failed", "error"}
    assert "fix the program" in remedies["failed"]
    assert "connection" not in remedies["failed"]
    assert "connection" in remedies["error"]


def test_a_run_without_failures_has_no_problems() -> None:
    assert found(talk([R, D, U])).problems == ()
