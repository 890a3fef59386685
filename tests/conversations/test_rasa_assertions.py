"""End-to-end tests of Rasa Pro: assertions become expectations, and a domain may be a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from vivavoce.conversations.scenario import Expectation, Match, Pattern, Suite, Turn
from vivavoce.conversations.scenarios.check import check_suite
from vivavoce.conversations.scenarios.suites import convert_suite, read_suite

TESTS = """
test_cases:
  - test_case: send money
    steps:
      - user: I want to send money
        assertions:
          - flow_started: transfer_money
          - bot_uttered:
              utter_name: utter_ask_recipient
              buttons:
                - title: John
                  payload: /SetSlots(recipient=John)
                - title: Mary
      - user: to John
        assertions:
          - slot_was_set:
              - name: recipient
                value: John
              - name: amount
          - slot_was_not_set:
              - name: iban
              - name: recipient
                value: Mary
          - bot_uttered:
              text_matches: "How (much|many)"
          - bot_did_not_utter:
              text_matches: "sorry"
          - flow_completed:
              flow_id: ask_recipient
      - user: "100"
      - bot: Done!
      - user: thanks
        assertions:
          - action_executed: action_transfer
          - generative_response_is_relevant:
              threshold: 0.9
      - user: blah
        assertions:
          - flow_started:
              operator: all
              flow_ids:
                - pattern_cannot_handle
"""
RESPONSES = "responses:\n  utter_ask_recipient:\n  - text: To whom, {name}?\n"


def read(folder: Path, text: str = TESTS) -> Suite:
    path = folder / "e2e.yml"
    path.write_text(text, encoding="utf-8")
    return read_suite(path)


def turns(suite: Suite) -> list[Turn]:
    return [turn for turn in suite.scenarios[0].turns if isinstance(turn, Turn)]


def test_assertions_become_topics_slots_texts_buttons_and_actions(tmp_path: Path) -> None:
    (tmp_path / "domain.yml").write_text(RESPONSES, encoding="utf-8")
    first, second, third, fourth, fifth = (turn.expect for turn in turns(read(tmp_path)))
    wanted = Expectation(intents=("transfer_money",), any=(Pattern("To whom, *?"),), buttons=("John", "Mary"))
    assert first == wanted
    assert second == Expectation(
        any=(Pattern("How (much|many)", Match.REGEX),),
        none=(Pattern("sorry", Match.REGEX),),
        slots_after={"recipient": "John", "iban": ""},
        slot_names=("amount",),
    )
    assert third == Expectation(any=(Pattern("Done!", Match.EXACT),))
    assert fourth == Expectation(action="action_transfer")
    assert fifth == Expectation(fallback=True)


def test_an_assertion_without_a_place_is_noted_with_file_and_line_and_kept(tmp_path: Path) -> None:
    suite = read(tmp_path)
    notes = "\n".join(suite.notes)
    for name in ("flow_completed", "generative_response_is_relevant", "slot_was_not_set"):
        line = TESTS.splitlines().index(f"          - {name}:") + 1
        assert f"assertion `{name}` is not checked, kept under `x-rasa`: e2e.yml, line {line}" in notes
    kept = {str(turn.user): turn.extras.get("x-rasa", []) for turn in turns(suite)}
    assert {"assertions": [{"flow_completed": {"flow_id": "ask_recipient"}}]} in kept["to John"]
    assert {"assertions": [{"slot_was_not_set": [{"name": "recipient", "value": "Mary"}]}]} in kept["to John"]


def test_a_file_of_assertions_is_no_longer_a_file_that_expects_nothing(tmp_path: Path) -> None:
    report = check_suite(read(tmp_path))
    assert not any("nothing is expected" in finding.message for finding in report.problems)


@pytest.mark.parametrize(
    ("flow", "intents", "noted"),
    [
        ("flow_started: book", ("book",), False),
        ("flow_started: {operator: any, flow_ids: [book, rent]}", ("book", "rent"), False),
        ("flow_started: {operator: all, flow_ids: [book, rent]}", (), True),
        ("flow_started: pattern_correction", (), True),
    ],
)
def test_a_started_flow_is_a_topic_where_it_is_one(
    tmp_path: Path, flow: str, intents: tuple[str, ...], noted: bool
) -> None:
    text = f"test_cases:\n- test_case: a\n  steps:\n  - user: hi\n    assertions:\n    - {flow}\n"
    suite = read(tmp_path, text)
    assert turns(suite)[0].expect.intents == intents
    assert any("flow_started" in note for note in suite.notes) == noted


def test_a_domain_may_be_a_folder_some_folders_above_the_tests(tmp_path: Path) -> None:
    (tmp_path / "domain" / "flows").mkdir(parents=True)
    (tmp_path / "domain" / "shared.yml").write_text("slots:\n  amount:\n    type: float\n", encoding="utf-8")
    (tmp_path / "domain" / "flows" / "money.yml").write_text(RESPONSES, encoding="utf-8")
    (tmp_path / "domain" / "bye.yml").write_text("responses:\n  utter_bye:\n  - text: Bye!\n", encoding="utf-8")
    tests = tmp_path / "e2e_tests" / "passing" / "happy_path"
    tests.mkdir(parents=True)
    text = "test_cases:\n- test_case: a\n  steps:\n  - user: hi\n  - utter: utter_ask_recipient\n  - user: bye\n"
    first, second = (turn.expect for turn in turns(read(tests, f"{text}  - utter: utter_bye\n")))
    assert first.any == (Pattern("To whom, *?"),)
    assert second.any == (Pattern("Bye!"),)


def test_what_assertions_expect_survives_conversion_to_yaml(tmp_path: Path) -> None:
    suite = read(tmp_path)
    convert_suite(suite, tmp_path / "suite.yaml", "yaml")
    assert [turn.expect for turn in turns(read_suite(tmp_path / "suite.yaml"))] == [t.expect for t in turns(suite)]


def test_an_assertion_before_the_first_message_is_kept_and_noted(tmp_path: Path) -> None:
    early = "      - assertions:\n          - bot_uttered:\n              text_matches: Welcome\n"
    suite = read(tmp_path, TESTS.replace("      - user: I want", early + "      - user: I want"))
    assert any("assertion `bot_uttered` is not checked" in note and "line 6" in note for note in suite.notes)
    assert suite.scenarios[0].turns[0].user == "I want to send money"
