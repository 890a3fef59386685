"""Who may come in: the first admin, people who are invited, and what is left of them when they are shut out."""

from __future__ import annotations

from datetime import timedelta

import pytest

from places import in_both
from vivavoce.errors import AbsentError, AccessError, UsageError
from vivavoce.store.database import Store
from vivavoce.store.repositories.audit import LogFilter
from vivavoce.store.rows import Role, User
from vivavoce.store.stamps import now
from vivavoce.workspace.access import people, sessions
from vivavoce.workspace.access.actors import PRODUCT, Actor, read_log
from vivavoce.workspace.access.secrets import Cost, digest_of, hash_password
from vivavoce.workspace.projects.projects import workspace_facts

CHEAP = Cost(2, 1, 1)
GOOD = "tortoise on the roof"
OTHER = "lanterns in the garden"
READER = Actor("nobody", "a reader", Role.READER)


def person(store: Store, login: str = "anna", role: Role = Role.ADMIN) -> User:
    with store.writing() as tx:
        return tx.users.add(login, login.title(), role, password=hash_password(GOOD, CHEAP))


def actor(user: User) -> Actor:
    return sessions.actor_of(user, "192.0.2.1")


def secret_of(path: str | None) -> str:
    assert path is not None
    return path.rsplit("/", 1)[1]


def form(login: str = "anna@example.org", password: str = GOOD, repeated: str = GOOD) -> people.FirstAdmin:
    return people.FirstAdmin("Anna", login, password, repeated, "de")


def is_in(store: Store, secret: str) -> bool:
    with store.reading() as tx:
        return tx.sessions.find(digest_of(secret), now()) is not None


# The first start


@in_both
def test_the_set_up_link_makes_one_admin_who_is_signed_in(store: Store) -> None:
    secret = secret_of(people.setup_link(store))
    entry = people.set_up(store, secret, form(), cost=CHEAP)
    assert (entry.user.role, entry.user.language, entry.user.login) == (Role.ADMIN, "de", "anna@example.org")
    assert is_in(store, entry.secret)
    assert people.setup_link(store) is None
    with pytest.raises(AbsentError):
        people.set_up(store, secret, form("bob"), cost=CHEAP)
    assert workspace_facts(store).admins == 1


def test_a_new_set_up_link_withdraws_the_one_before(store: Store) -> None:
    first, second = (secret_of(people.setup_link(store)) for _ in range(2))
    with pytest.raises(AbsentError):
        people.check_setup(store, first)
    people.check_setup(store, second)


def test_a_set_up_link_works_for_a_day(store: Store) -> None:
    people.setup_link(store)
    with store.reading() as tx:
        [link] = tx.links.pending(sessions.SETUP, now())
        assert tx.links.pending(sessions.SETUP, now() + timedelta(hours=25)) == ()
    assert link.expires - link.created == timedelta(hours=24)


def test_every_fault_of_the_first_form_is_told_and_the_link_stays_good(store: Store) -> None:
    secret = secret_of(people.setup_link(store))
    with pytest.raises(UsageError) as caught:
        people.set_up(store, secret, people.FirstAdmin(" ", "", "short", "other"), cost=CHEAP)
    assert {fault.where for fault in caught.value.faults} == {"name", "login", "password", "repeated"}
    people.set_up(store, secret, form(), cost=CHEAP)


@in_both
def test_an_admin_who_is_shut_out_or_invited_only_is_no_admin_to_rely_on(store: Store) -> None:
    with store.writing() as tx:
        tx.users.add("invited", role=Role.ADMIN)
        gone = tx.users.add("gone", role=Role.ADMIN, password=hash_password(GOOD, CHEAP))
        tx.users.set(gone.id, disabled=True)
    assert people.needs_setup(store)
    person(store)
    assert not people.needs_setup(store)


# Signing in


@in_both
def test_the_right_password_opens_a_new_session_each_time(store: Store) -> None:
    person(store)
    first, second = (sessions.sign_in(store, " ANNA", GOOD, address="a", cost=CHEAP) for _ in range(2))
    assert first.secret != second.secret
    assert is_in(store, first.secret)
    assert is_in(store, second.secret)
    assert GOOD not in repr(first)
    assert first.secret not in repr(first)


def test_all_who_are_refused_get_the_same_words(store: Store) -> None:
    person(store)
    with store.writing() as tx:
        tx.users.set(tx.users.add("shut", password=hash_password(GOOD, CHEAP)).id, disabled=True)
        tx.users.add("new")
    for login, password in (("anna", "wrong"), ("nobody", GOOD), ("shut", GOOD), ("new", "")):
        with pytest.raises(sessions.SignInRefusedError) as caught:
            sessions.sign_in(store, login, password, address="a", cost=CHEAP)
        assert str(caught.value) == str(sessions.SignInRefusedError(caught.value.wait)), login
        assert caught.value.wait.allowed, login


def test_unknown_names_cost_as_much_work_as_wrong_passwords(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    person(store)
    work: list[int] = []
    real = sessions.check_password
    monkeypatch.setattr(
        sessions,
        "check_password",
        lambda *given: work.append(1) or real(*given),  # type: ignore[func-returns-value]
    )
    for login in ("anna", "nobody"):
        with pytest.raises(sessions.SignInRefusedError):
            sessions.sign_in(store, login, "wrong", address="a", cost=CHEAP)
    assert len(work) == 2


@in_both
def test_guessing_has_to_wait_and_the_right_password_too(store: Store) -> None:
    person(store)
    for _ in range(5):
        with pytest.raises(sessions.SignInRefusedError) as caught:
            sessions.sign_in(store, "anna", "wrong", address="a", cost=CHEAP)
        assert caught.value.wait.allowed
    for password in ("wrong", GOOD):
        with pytest.raises(sessions.SignInRefusedError) as caught:
            sessions.sign_in(store, "anna", password, address="b", cost=CHEAP)
        assert 0 < caught.value.wait.seconds <= 15


def test_a_success_forgives_the_failures_before_it(store: Store) -> None:
    person(store)
    for _ in range(3):
        for _ in range(4):
            with pytest.raises(sessions.SignInRefusedError):
                sessions.sign_in(store, "anna", "wrong", address="a", cost=CHEAP)
        sessions.sign_in(store, "anna", GOOD, address="a", cost=CHEAP)


def test_a_password_kept_at_another_cost_is_renewed_at_sign_in(store: Store) -> None:
    user = person(store)
    dear = Cost(4, 1, 1)
    sessions.sign_in(store, "anna", GOOD, address="a", cost=dear)
    with store.reading() as tx:
        kept = tx.users.get(user.id)
    assert kept is not None
    assert (kept.password or "").startswith("scrypt$4$1$1$")
    sessions.sign_in(store, "anna", GOOD, address="a", cost=dear)


# People


@in_both
def test_an_invitation_is_taken_up_once(store: Store) -> None:
    admin = actor(person(store))
    member, path = people.invite(store, admin, "Bob@Example.org", role=Role.EDITOR)
    assert member.invited
    assert member.link_until is not None
    link, guest = sessions.guest_of(store, secret_of(path))
    assert (link.purpose, guest.login) == (sessions.INVITATION, "bob@example.org")
    entry = people.take_up(store, secret_of(path), OTHER, OTHER, cost=CHEAP)
    assert entry.user.role is Role.EDITOR
    with pytest.raises(AbsentError):
        people.take_up(store, secret_of(path), GOOD, GOOD, cost=CHEAP)
    sessions.sign_in(store, "bob@example.org", OTHER, address="a", cost=CHEAP)
    assert not people.show_person(store, admin, member.id).invited


@in_both
def test_a_new_password_by_a_link_ends_all_sessions(store: Store) -> None:
    admin, bob = actor(person(store)), person(store, "bob", Role.READER)
    before = sessions.sign_in(store, "bob", GOOD, address="a", cost=CHEAP)
    path = people.new_link(store, admin, bob.id)
    assert is_in(store, before.secret)
    after = people.take_up(store, secret_of(path), OTHER, OTHER, cost=CHEAP)
    assert not is_in(store, before.secret)
    assert is_in(store, after.secret)


def test_a_newer_link_and_being_shut_out_make_a_link_worthless(store: Store) -> None:
    admin, bob = actor(person(store)), person(store, "bob", Role.READER)
    first, second = (secret_of(people.new_link(store, admin, bob.id)) for _ in range(2))
    with pytest.raises(AbsentError):
        sessions.guest_of(store, first)
    people.set_disabled(store, admin, bob.id, True)
    with pytest.raises(AbsentError):
        people.take_up(store, second, OTHER, OTHER, cost=CHEAP)
    with pytest.raises(UsageError):
        people.new_link(store, admin, bob.id)


def test_the_link_of_one_purpose_does_not_serve_another(store: Store) -> None:
    secret = secret_of(people.setup_link(store))
    with pytest.raises(AbsentError):
        people.take_up(store, secret, OTHER, OTHER, cost=CHEAP)
    admin = actor(person(store))
    _, path = people.invite(store, admin, "bob")
    with pytest.raises(AbsentError):
        people.check_setup(store, secret_of(path))


@in_both
def test_the_last_admin_who_can_sign_in_stays(store: Store) -> None:
    anna = person(store)
    people.invite(store, actor(anna), "invited", role=Role.ADMIN)
    for change in (
        lambda: people.change_role(store, actor(anna), anna.id, Role.EDITOR),
        lambda: people.set_disabled(store, actor(anna), anna.id, True),
    ):
        with pytest.raises(UsageError, match="only admin"):
            change()
    bob = person(store, "bob")
    assert people.change_role(store, actor(anna), anna.id, Role.EDITOR).role is Role.EDITOR
    with pytest.raises(UsageError, match="only admin"):
        people.set_disabled(store, actor(bob), bob.id, True)


@in_both
def test_whoever_is_shut_out_is_out_at_once_and_can_come_back(store: Store) -> None:
    admin, bob = actor(person(store)), person(store, "bob", Role.READER)
    entry = sessions.sign_in(store, "bob", GOOD, address="a", cost=CHEAP)
    assert people.set_disabled(store, admin, bob.id, True).disabled
    assert not is_in(store, entry.secret)
    people.set_disabled(store, admin, bob.id, False)
    sessions.sign_in(store, "bob", GOOD, address="a", cost=CHEAP)


@in_both
def test_a_login_is_given_once_in_whatever_letters(store: Store) -> None:
    admin = actor(person(store))
    with pytest.raises(UsageError, match="already"):
        people.invite(store, admin, "ANNA")


def test_what_cannot_be_a_login_is_refused(store: Store) -> None:
    for login in ("", "  ", "a\nb", "x" * 201):
        with pytest.raises(UsageError):
            people.invite(store, PRODUCT, login)


def test_only_admins_see_and_change_people(store: Store) -> None:
    bob = person(store, "bob", Role.EDITOR)
    for use in (
        lambda: people.list_people(store, actor(bob)),
        lambda: people.invite(store, actor(bob), "x"),
        lambda: people.change_role(store, actor(bob), bob.id, Role.ADMIN),
        lambda: people.new_link(store, actor(bob), bob.id),
        lambda: people.show_person(store, READER, bob.id),
        lambda: sessions.end_sessions(store, READER, bob.id),
    ):
        with pytest.raises(AccessError):
            use()
    assert people.show_person(store, actor(bob), bob.id).login == "bob"


# One's own account


@in_both
def test_another_password_ends_the_other_sessions(store: Store) -> None:
    anna = person(store)
    here, there = (sessions.sign_in(store, "anna", GOOD, address="a", cost=CHEAP) for _ in range(2))
    with store.reading() as tx:
        found = tx.sessions.find(digest_of(here.secret), now())
    assert found is not None
    assert people.change_password(store, actor(anna), GOOD, OTHER, OTHER, keep=found[0].id, cost=CHEAP) == 1
    assert is_in(store, here.secret)
    assert not is_in(store, there.secret)
    sessions.sign_in(store, "anna", OTHER, address="a", cost=CHEAP)


def test_the_old_password_must_be_known_and_cannot_be_guessed_in_an_open_browser(store: Store) -> None:
    anna = actor(person(store))
    said = []
    for _ in range(6):
        with pytest.raises(UsageError) as caught:
            people.change_password(store, anna, "wrong", OTHER, "unlike", cost=CHEAP)
        assert {fault.where for fault in caught.value.faults} == {"old", "repeated"}
        said.append(caught.value.faults[0].message)
    assert said[0] == "The password is incorrect."
    assert "Try again in" in said[5]


@in_both
def test_one_ends_one_s_own_sessions_only(store: Store) -> None:
    anna, bob = person(store), person(store, "bob", Role.READER)
    sessions.sign_in(store, "anna", GOOD, address="a", agent="Anna's\x00 browser\n", cost=CHEAP)
    [mine] = sessions.list_sessions(store, anna.id)
    assert mine.agent == "Anna's browser"
    with pytest.raises(AbsentError):
        sessions.end_session(store, actor(bob), bob.id, mine.id)
    sessions.end_session(store, actor(anna), anna.id, mine.id)
    assert sessions.list_sessions(store, anna.id) == ()


@in_both
def test_what_is_done_with_people_is_written_down(store: Store) -> None:
    anna = person(store)
    member, _ = people.invite(store, actor(anna), "bob")
    people.change_role(store, actor(anna), member.id, Role.EDITOR)
    sessions.sign_in(store, "anna", GOOD, address="192.0.2.7", cost=CHEAP)
    log = read_log(store, actor(anna))
    assert [line.action for line in log.lines] == ["sign in", "change role", "invite"]
    assert {line.who for line in log.lines} == {"anna"}
    assert log.lines[0].address == "192.0.2.7"
    assert read_log(store, actor(anna), LogFilter(person=member.id)).total == 0
    assert read_log(store, actor(anna), limit=1, offset=1).lines == log.lines[1:2]
    with pytest.raises(AccessError):
        read_log(store, READER)
