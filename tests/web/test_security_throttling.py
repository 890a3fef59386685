from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.workspace.access.secrets import (
    FORGET_AFTER,
    LONGEST_WAIT,
    Attempt,
    Wait,
    address_key,
    kept_attempts,
    login_key,
    waiting_time,
)

NOW = 1_700_000_000.0
HOME, AWAY = "192.0.2.1", "198.51.100.7"


def new_attempt(login: str, address: str, at: float, *, succeeded: bool) -> Attempt:
    return Attempt(login_key(login), address_key(address), at, succeeded)


def failed(n: int, login: str = "anna", address: str = HOME, at: float = NOW) -> list[Attempt]:
    return [new_attempt(login, address, at, succeeded=False) for _ in range(n)]


def succeeded(login: str = "anna", address: str = HOME, at: float = NOW) -> list[Attempt]:
    return [new_attempt(login, address, at, succeeded=True)]


def seconds(attempts: list[Attempt], login: str = "anna", address: str = HOME, now: float = NOW) -> int:
    return waiting_time(attempts, login, address, now).seconds


def test_five_failures_are_free_and_then_the_wait_doubles_to_fifteen_minutes() -> None:
    waits = [seconds(failed(n)) for n in range(14)]
    assert waits == [0] * 5 + [15, 30, 60, 120, 240, 480, 900, 900, 900]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 200), st.floats(0, 2 * LONGEST_WAIT))
def test_the_wait_runs_off_and_never_exceeds_the_longest(n: int, later: float) -> None:
    before, after = seconds(failed(n)), seconds(failed(n), now=NOW + later)
    assert 0 <= after <= before <= LONGEST_WAIT
    assert after == 0 or later < before
    assert seconds(failed(n), now=NOW + LONGEST_WAIT) == 0


def test_the_same_name_waits_everywhere_and_the_same_address_for_every_name() -> None:
    assert seconds(failed(6), "ANNA ", AWAY) == 30
    assert seconds(failed(6), "bob", HOME) == 30
    assert seconds(failed(6), "bob", AWAY) == 0


def test_many_names_from_one_address_are_one_guesser() -> None:
    sprayed = [attempt for n in range(8) for attempt in failed(1, f"user{n}")]
    assert seconds(sprayed, "somebody new") == 120
    assert seconds(sprayed, "user1", AWAY) == 0


def test_one_name_from_many_addresses_is_one_guesser() -> None:
    spread = [attempt for n in range(8) for attempt in failed(1, "anna", f"203.0.113.{n}")]
    assert seconds(spread, "anna", AWAY) == 120


def test_a_success_forgives_the_failures_of_this_name_only() -> None:
    forgiven = [*failed(5, at=NOW - 9), *succeeded(at=NOW - 1)]
    assert seconds(forgiven) == 0
    bought = [*failed(6, "victim", at=NOW - 9), *succeeded("attacker", at=NOW - 1)]
    assert seconds(bought, "another victim", now=NOW) > 0


def test_strangers_cannot_lock_out_who_has_signed_in_from_here_before() -> None:
    attack = [*succeeded(at=NOW - 3600), *failed(50, address=AWAY)]
    assert seconds(attack, address=HOME) == 0
    assert seconds(attack, address=AWAY) > 0
    assert seconds(attack, address="203.0.113.9") > 0


def test_failures_at_a_known_address_count_there_too() -> None:
    assert seconds([*succeeded(at=NOW - 3600), *failed(5)]) == 15


def test_names_that_do_not_exist_wait_like_others_as_nothing_asks_whether_they_do() -> None:
    assert seconds(failed(7, "nobody"), "nobody") == seconds(failed(7, "anna"), "anna") > 0


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.floats(0, 3e6), st.booleans())))
def test_forgetting_old_attempts_changes_no_verdict(history: list[tuple[str, float, bool]]) -> None:
    attempts = [new_attempt(name, HOME, NOW - age, succeeded=good) for name, age, good in history]
    kept = kept_attempts(attempts, NOW)
    assert waiting_time(kept, "a", HOME, NOW) == waiting_time(attempts, "a", HOME, NOW)
    assert waiting_time(attempts[::-1], "a", HOME, NOW) == waiting_time(sorted(attempts, key=repr), "a", HOME, NOW)
    assert all(attempt.succeeded or NOW - attempt.at < FORGET_AFTER for attempt in kept)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from((HOME, AWAY)), st.booleans()), max_size=40))
def test_attempts_of_others_elsewhere_do_not_matter(history: list[tuple[str, str, bool]]) -> None:
    attempts = [new_attempt(name, place, NOW, succeeded=good) for name, place, good in history]
    own = [each for each in attempts if each.login == login_key("a") or each.address == address_key(HOME)]
    assert waiting_time(own, "a", HOME, NOW) == waiting_time(attempts, "a", HOME, NOW)


def test_a_clock_set_back_holds_nobody_for_ever() -> None:
    assert seconds(failed(20, at=NOW + 3 * 86_400)) == 0
    assert seconds([*failed(20, at=NOW + 3 * 86_400), *failed(6)]) == 30


def test_a_success_of_a_clock_that_was_set_back_forgives_nothing() -> None:
    assert seconds([*failed(6), *succeeded(at=NOW + 3 * 86_400)]) == 30


def test_attempts_that_another_process_notes_a_moment_later_count() -> None:
    assert seconds(failed(6, at=NOW + 5)) == 35


def test_a_stranger_at_the_same_address_keeps_no_colleague_out() -> None:
    sprayed = [attempt for n in range(40) for attempt in failed(1, f"user{n}")]
    before = succeeded("bob", at=NOW - 86_400)
    assert seconds([*before, *sprayed], "bob") == 0
    assert seconds([*before, *sprayed], "anna") == LONGEST_WAIT
    assert seconds([*before, *sprayed], "bob", AWAY) == 0
    assert seconds([*before, *sprayed, *failed(6, "bob")], "bob") == 30


def test_what_is_kept_does_not_hold_what_was_typed() -> None:
    attempt = failed(1, "my secret password typed into the wrong field")[0]
    assert "secret" not in repr(attempt)


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9%eth0", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("testclient", "testclient"),
    ],
)
def test_a_network_of_one_visitor_is_one_address(address: str, key: str) -> None:
    assert address_key(address) == key


@pytest.mark.parametrize(
    ("wait", "words"), [(1, "in 1 second."), (59, "in 59 seconds."), (60, "in 1 minute."), (61, "in 2 minutes.")]
)
def test_the_wait_is_told_in_words(wait: int, words: str) -> None:
    assert str(Wait(wait)).endswith(words)
    assert not Wait(wait).allowed
    assert Wait().allowed
    assert str(Wait()) == "You can sign in now."
