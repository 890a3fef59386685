"""A gate passes, fails or refuses, and says why."""

from __future__ import annotations

import pytest

from vivavoce.errors import GateError, UsageError
from vivavoce.intents import IntentsResult, Setting
from vivavoce.reports.intents.gates import NAMES, Gate, check_gates, parse_gate, require_gates


def test_gates_are_read_as_typed() -> None:
    assert parse_gate("accuracy=0.7") == Gate("accuracy", 0.7)
    assert parse_gate(" accuracy = 70% ") == Gate("accuracy", 0.7)
    assert parse_gate("accuracy@0,0.15=0.6") == Gate("accuracy", 0.6, Setting(0, 0.15))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("accurracy=0.7", "Did you mean 'accuracy'"),
        ("accuracy", "is not a gate"),
        ("=0.7", "is not a gate"),
        ("accuracy=high", "not a number"),
        ("accuracy=70", "between 0 and 1"),
        ("accuracy=nan", "between 0 and 1"),
        ("accuracy@x=0.7", "not a setting"),
        ("overlap=0.7", "unknown metric 'overlap'"),
    ],
)
def test_what_is_not_a_gate_is_refused_with_a_remedy(text: str, said: str) -> None:
    with pytest.raises(UsageError, match="What to do") as refused:
        parse_gate(text)
    assert said in str(refused.value)


def test_every_rate_of_a_result_can_be_a_gate(result: IntentsResult) -> None:
    assert set(result.settings[0].rates) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_gate_at_the_value_holds_and_a_stricter_one_fails(result: IntentsResult, name: str) -> None:
    setting = Setting(0, 0.15)
    value = result.rate(name, setting).value
    assert value is not None
    lower = Gate(name, 0).ceiling
    stricter = value - 1e-6 if lower else value + 1e-6
    assert check_gates(result, [Gate(name, value, setting)]) == []
    (failure,) = check_gates(result, [Gate(name, stricter, setting)])
    assert ("over the limit" if lower else "under the limit") in str(failure)


def test_the_failure_shows_value_and_limit_apart(result: IntentsResult) -> None:
    value = result.rate("accuracy").value
    assert value is not None
    (failure,) = check_gates(result, {"accuracy": value + 1e-9})
    shown = float(str(failure).split(" is ")[1].split(",")[0])
    assert shown != failure.gate.limit


def test_a_value_that_could_not_be_had_fails_with_the_reason(result: IntentsResult) -> None:
    (failure,) = check_gates(result, {"negative_rejection": 0.0})
    assert str(failure) == "negative_rejection at (0, 0) is n/a: no out-of-scope questions were asked"


def test_a_setting_that_was_not_examined_is_refused(result: IntentsResult) -> None:
    with pytest.raises(UsageError, match=r"choose one of: 0,0, 0,0\.15, 3,0"):
        check_gates(result, {"accuracy@9,0": 0.5})


def test_all_failures_are_told_at_once(result: IntentsResult) -> None:
    with pytest.raises(GateError) as refused:
        require_gates(result, {"accuracy": 1.0, "ece": 0.0, "automation_rate": 0.0})
    assert "accuracy at" in str(refused.value)
    assert "ece at" in str(refused.value)
    assert "automation_rate" not in str(refused.value)
    assert refused.value.exit_code == 1
