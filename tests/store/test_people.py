"""People, and how they come in: the same on both databases."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from vivavoce.errors import AbsentError, UsageError
from vivavoce.store.database import Store
from vivavoce.store.repositories.audit import LogFilter
from vivavoce.store.rows import AttemptRow, Role, User

NOW = datetime(2024, 5, 2, 9, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
HASH = "hash"


def test_a_person_is_found_by_id_and_by_login_in_any_case(store: Store) -> None:
    with store.writing() as tx:
        added = tx.users.add(" Anna@Example.ORG ", "Anna", Role.EDITOR, language="de", password=HASH, at=NOW)
    with store.reading() as tx:
        assert tx.users.get(added.id) == tx.users.by_login("ANNA@example.org") == added
        assert tx.users.get("other") is None
        assert tx.users.by_login("other") is None
    assert added.login == "anna@example.org"
    assert added.created == NOW


def test_two_people_cannot_have_one_login(store: Store, anna: User) -> None:
    with store.writing() as tx, pytest.raises(UsageError, match="already"):
        tx.users.add(anna.login.upper())


def test_people_are_counted_by_role_and_by_whether_they_can_sign_in(store: Store) -> None:
    with store.writing() as tx:
        tx.users.add("a", role=Role.ADMIN, password=HASH)
        shut_out = tx.users.add("b", role=Role.ADMIN, password=HASH)
        tx.users.add("c", role=Role.ADMIN)
        tx.users.add("d")
        tx.users.set(shut_out.id, disabled=True)
        assert tx.users.count() == 4
        assert tx.users.count(Role.ADMIN) == 3
        assert tx.users.count(Role.ADMIN, active=True) == 1
        assert [user.login for user in tx.users.all()] == ["a", "b", "c", "d"]


def test_what_is_known_of_a_person_can_be_changed(store: Store, anna: User) -> None:
    with store.writing() as tx:
        tx.users.set(anna.id, role=Role.ADMIN)
        tx.users.set(anna.id, name="Ännchen", language="de")
        tx.users.set(anna.id, password="hash", seen=NOW)  # noqa: S106 - no password of anybody
        found = tx.users.get(anna.id)
    assert found is not None
    told = (found.role, found.name, found.language, found.password, found.seen, found.disabled)
    assert told == (Role.ADMIN, "Ännchen", "de", "hash", NOW, False)
    assert "hash" not in repr(found)


def test_nobody_cannot_be_changed(store: Store) -> None:
    with store.writing() as tx, pytest.raises(AbsentError, match="person 'nobody' not found"):
        tx.users.set("nobody", name="Nobody")


def test_a_sign_in_holds_until_it_is_over(store: Store, anna: User) -> None:
    with store.writing() as tx:
        made = tx.sessions.open(anna.id, "secret", "Firefox", NOW + HOUR, at=NOW)
        assert tx.sessions.find("secret", NOW) == (made, anna)
        assert tx.sessions.find("other", NOW) is None
        assert tx.sessions.find("secret", NOW + HOUR) is None
        tx.sessions.touch(made.id, NOW + HOUR, NOW + 2 * HOUR)
        found = tx.sessions.find("secret", NOW + HOUR)
        assert found is not None
        assert (found[0].seen, found[0].expires) == (NOW + HOUR, NOW + 2 * HOUR)


def test_a_person_who_is_shut_out_has_no_sign_ins_and_no_keys(store: Store, anna: User) -> None:
    with store.writing() as tx:
        tx.sessions.open(anna.id, "secret", "", NOW + HOUR)
        tx.tokens.add(anna.id, "ci", ["read"], "key")
        tx.users.set(anna.id, disabled=True)
        assert tx.sessions.find("secret", NOW) is None
        assert tx.tokens.find("key", NOW) is None


def test_a_person_can_be_signed_out_everywhere_but_here(store: Store, anna: User) -> None:
    with store.writing() as tx:
        here, *others = [
            tx.sessions.open(anna.id, f"secret {n}", "", NOW + HOUR, at=NOW + n * HOUR) for n in range(3)
        ]
        assert tx.sessions.of_user(anna.id) == (*reversed(others), here)
        assert tx.sessions.end_all(anna.id, but=here.id) == 2
        assert tx.sessions.of_user(anna.id) == (here,)
        assert tx.sessions.end(here.id)
        assert not tx.sessions.end(here.id)
        assert tx.sessions.of_user(anna.id) == ()


def test_sign_ins_that_are_over_are_forgotten(store: Store, anna: User) -> None:
    with store.writing() as tx:
        tx.sessions.open(anna.id, "old", "", NOW)
        young = tx.sessions.open(anna.id, "young", "", NOW + HOUR)
        assert tx.sessions.prune(NOW) == 1
        assert [one.id for one in tx.sessions.of_user(anna.id)] == [young.id]


def test_a_key_works_until_it_is_over_or_revoked(store: Store, anna: User) -> None:
    with store.writing() as tx:
        short = tx.tokens.add(anna.id, "short", ["read", "run"], "one", expires=NOW + HOUR, at=NOW)
        long = tx.tokens.add(anna.id, "long", [], "two", at=NOW + HOUR)
        assert tx.tokens.find("one", NOW) == (short, anna)
        assert tx.tokens.find("one", NOW + HOUR) is None
        assert tx.tokens.find("two", NOW + 9999 * HOUR) == (long, anna)
        assert tx.tokens.of_user(anna.id) == (long, short)
        tx.tokens.touch(long.id, NOW)
        assert tx.tokens.revoke(long.id, NOW)
        assert not tx.tokens.revoke(long.id, NOW)
        assert tx.tokens.find("two", NOW) is None
        kept = tx.tokens.get(long.id)
        assert kept is not None
        assert (kept.revoked, kept.seen) == (NOW, NOW)


def test_a_link_works_once_and_not_for_ever(store: Store, anna: User) -> None:
    with store.writing() as tx:
        made = tx.links.add("invitation", "secret", NOW + HOUR, anna.id, at=NOW)
        tx.links.add("setup", "other", NOW + HOUR)
        assert tx.links.pending("invitation", NOW) == (made,)
        assert tx.links.take("secret", NOW + HOUR) is None
        assert tx.links.find("secret", NOW) == made
        taken = tx.links.take("secret", NOW)
        assert taken is not None
        assert (taken.id, taken.user_id, taken.used) == (made.id, anna.id, NOW)
        assert tx.links.take("secret", NOW) is None
        assert tx.links.find("secret", NOW) is None
        assert tx.links.pending("invitation", NOW) == ()
        assert tx.links.withdraw("setup") == 1
        assert tx.links.take("other", NOW) is None


def test_attempts_are_found_by_login_or_address_until_they_are_forgotten(store: Store) -> None:
    tried = [AttemptRow("anna", f"address {n}", NOW + n * HOUR, n == 2) for n in range(3)]
    other = AttemptRow("bert", "address 2", NOW + 3 * HOUR, False)
    with store.writing() as tx:
        for attempt in (*tried, other):
            tx.attempts.add(attempt)
        assert tx.attempts.recent("anna", "nowhere", NOW + HOUR) == tuple(tried[1:])
        assert tx.attempts.recent("nobody", "address 2", NOW) == (tried[2], other)
        assert tx.attempts.prune(NOW + HOUR) == 1
        assert tx.attempts.recent("anna", "address 2", NOW) == (*tried[1:], other)


def test_the_log_shows_the_newest_first_and_can_be_narrowed(store: Store, anna: User) -> None:
    with store.writing() as tx:
        lines = [tx.audit.add("sign-in", "user", anna.id, anna.id, at=NOW + n * HOUR) for n in range(3)]
        lines.append(tx.audit.add("failed", "login", "x", detail="wrong", address="::1", at=NOW + 3 * HOUR))
        assert tx.audit.page() == tuple(reversed(lines))
        assert tx.audit.page(LogFilter(person=anna.id), limit=1, offset=1) == (lines[1],)
        assert [tx.audit.count(one) for one in (LogFilter(), LogFilter(anna.id), LogFilter(project="none"))] == [
            4,
            3,
            0,
        ]


def test_values_of_the_workspace_are_kept_by_name(store: Store) -> None:
    with store.writing() as tx:
        assert tx.options.get("limit") is None
        assert tx.options.get("limit", 3) == 3
        for value in ({"a": [1, None, "ü"]}, 5):
            tx.options.set("limit", value)
            assert tx.options.get("limit") == value
        tx.options.set("nothing", None)
        assert tx.options.get("nothing", 3) is None
        assert tx.options.all() == {"limit": 5, "nothing": None}
        tx.options.unset("limit")
        assert tx.options.get("limit", 3) == 3


@pytest.mark.parametrize("text", ["a\0b", "\ud83d", "x" * 201])
def test_what_one_database_cannot_hold_is_refused_by_both(store: Store, text: str) -> None:
    with store.writing() as tx, pytest.raises(UsageError, match=r"the text contains|too many"):
        tx.users.add(text)


@pytest.mark.parametrize("value", ["a\0b", ["\ud83d"], {"a": float("nan")}])
def test_what_one_database_cannot_hold_as_json_is_refused_by_both(store: Store, value: object) -> None:
    with store.writing() as tx, pytest.raises(UsageError, match=r"the text contains|numbers must be finite"):
        tx.options.set("name", value)


def test_a_backslash_before_four_noughts_is_an_ordinary_text(store: Store) -> None:
    with store.writing() as tx:
        tx.options.set("name", r"a \u0000")
        assert tx.options.get("name") == r"a \u0000"


def test_asking_for_a_text_that_is_too_long_finds_nothing(store: Store) -> None:
    with store.reading() as tx:
        assert tx.users.get("x" * 1000) is None
        assert tx.users.by_login("x" * 1000) is None
