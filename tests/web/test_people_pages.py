"""Coming in, one's own page and people, as a browser meets them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from vivavoce.store.database import Store
from vivavoce.store.rows import Role
from vivavoce.store.stamps import now
from vivavoce.web.entering import browser_name
from vivavoce.web.held_forms import own_path
from vivavoce.workspace.access import people, secrets, sessions
from vivavoce.workspace.access.people import setup_link
from vivavoce.workspace.access.secrets import Cost, digest_of, hash_password
from vivavoce.workspace.access.sessions import LIFETIME

if TYPE_CHECKING:
    from conftest import House, Served

pytestmark = pytest.mark.slow

CHEAP = Cost(2, 1, 1)
GOOD = "tortoise on the roof"
OTHER = "lanterns in the garden"
SECRET = "no-store, no-transform"  # noqa: S105 - a header


@pytest.fixture(autouse=True)
def fast_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a password cost next to nothing: what it costs in earnest is tested with the passwords themselves."""
    for function in (secrets.hash_password, secrets.check_password, secrets.rehash_needed):
        monkeypatch.setattr(function, "__defaults__", (CHEAP,))
    for module_function in (sessions.sign_in, sessions.check_own_password):
        monkeypatch.setitem(module_function.__kwdefaults__, "cost", CHEAP)


@pytest.fixture
def keyed(house: House) -> House:
    """Return a house in which everybody has a password."""
    with house.store.writing() as tx:
        for user in house.users.values():
            tx.users.set(user.id, password=hash_password(GOOD, CHEAP))
    return house


@pytest.fixture
def empty(served: Served, sqlite_store: Store) -> TestClient:
    """Return a browser at a workspace without people."""
    return served.browser(sqlite_store)


def sign_in(client: TestClient, login: str, password: str = GOOD, **more: str) -> int:
    return client.post("/sign-in", data={"login": login, "password": password, **more}).status_code


# The first start


def test_without_people_every_page_leads_to_where_the_link_is_printed(empty: TestClient) -> None:
    empty.follow_redirects = True
    answer = empty.get("/projects")
    assert str(answer.url).endswith("/setup")
    assert "viva workspace setup-link" in answer.text


def test_the_set_up_link_leads_a_new_admin_to_the_projects(empty: TestClient, sqlite_store: Store) -> None:
    path = setup_link(sqlite_store) or ""
    shown = empty.get(path)
    assert shown.status_code == 200
    assert shown.headers["cache-control"] == SECRET
    typed = {"name": "Anna", "login": "anna", "password": "tiny pw", "repeated": "other", "language": "de"}
    refused = empty.post(path, data=typed)
    assert refused.status_code == 400
    assert 'value="Anna"' in refused.text
    assert "at least 10 characters" in refused.text
    assert "do not match" in refused.text
    assert "tiny pw" not in refused.text
    entered = empty.post(path, data={**typed, "password": GOOD, "repeated": GOOD})
    assert (entered.status_code, entered.headers["location"]) == (303, "/projects")
    assert "Projekte" in empty.get("/projects").text
    assert empty.get(path).status_code == 404


def test_a_wrong_set_up_link_says_what_to_do(empty: TestClient) -> None:
    answer = empty.get("/setup/nonsense")
    assert answer.status_code == 404
    assert "viva workspace setup-link" in answer.text


# Signing in and out


def test_signing_in_leads_to_where_one_wanted_to_go_and_out_again(keyed: House) -> None:
    client = keyed.enter(None)
    assert client.get("/people").headers["location"] == "/sign-in?next=/people"
    answer = client.post("/sign-in", data={"login": "Admin@example.org", "password": GOOD, "next": "/people"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/people")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert client.get("/people").status_code == 200
    assert client.get("/sign-in?next=/audit").headers["location"] == "/audit"
    assert client.post("/sign-out").headers["location"] == "/sign-in"
    assert client.get("/people").status_code == 303


def test_every_sign_in_has_a_secret_of_its_own(keyed: House) -> None:
    client, secrets = keyed.enter(None), set()
    for _ in range(2):
        assert sign_in(client, "reader@example.org") == 303
        secrets.add(client.cookies["viva_session"])
    assert len(secrets) == 2


@pytest.mark.parametrize("login", ["reader@example.org", "nobody@example.org", "\x00", "x" * 5000])
def test_refusals_say_the_same_keep_the_login_and_show_no_password(keyed: House, login: str) -> None:
    answer = keyed.enter(None).post("/sign-in", data={"login": login[:900], "password": "wrong-secret"})
    assert answer.status_code == 400
    assert "wrong-secret" not in answer.text
    if login.isprintable():
        assert "Wrong login or password." in answer.text
        assert f'value="{login[:900]}"' in answer.text


def test_after_five_failures_the_wait_is_told(keyed: House) -> None:
    client = keyed.enter(None)
    assert [sign_in(client, "reader@example.org", "wrong") for _ in range(6)] == [400] * 5 + [429]
    answer = client.post("/sign-in", data={"login": "reader@example.org", "password": GOOD})
    assert answer.status_code == 429
    assert 0 < int(answer.headers["retry-after"]) <= 30
    assert "Too many failed attempts" in answer.text


@pytest.mark.parametrize(
    "path",
    ["//evil.example", "https://evil.example", "/\\evil.example", "\\\\evil", "javascript:alert(1)", "/\tx", "",
     "a/b", "/" + "x" * 3000, "//[", "/\n/evil.example"],
)  # fmt: skip
def test_only_pages_of_our_own_are_led_to(path: str) -> None:
    assert own_path(path) == "/"


@pytest.mark.parametrize("path", ["/", "/p/jobs/topics?sort=name&page=2", "/people/1#keys"])
def test_pages_of_our_own_are_led_to(path: str) -> None:
    assert own_path(path) == path


def test_a_session_slides_with_each_visit(keyed: House) -> None:
    client = keyed.enter(None)
    sign_in(client, "reader@example.org")
    digest = digest_of(client.cookies["viva_session"])
    with keyed.store.writing() as tx:
        found = tx.sessions.find(digest, now())
        assert found is not None
        tx.sessions.touch(found[0].id, now() - LIFETIME / 2, now() + LIFETIME / 2)
    assert client.get("/projects").status_code == 200
    with keyed.store.reading() as tx:
        found = tx.sessions.find(digest, now() + LIFETIME * 0.9)
    assert found is not None


def test_a_session_that_was_not_used_for_a_fortnight_is_over(keyed: House) -> None:
    client = keyed.enter(None)
    sign_in(client, "reader@example.org")
    with keyed.store.reading() as tx:
        assert tx.sessions.find(digest_of(client.cookies["viva_session"]), now() + LIFETIME) is None


# One's own page


def test_name_and_language_are_changed_on_one_s_own_page(keyed: House) -> None:
    reader = keyed.enter(Role.READER)
    assert reader.post("/account", data={"name": " ", "language": "de"}).status_code == 400
    answer = reader.post("/account", data={"name": "Rita", "language": "de"})
    assert answer.status_code == 303
    assert "viva_language=de" in answer.headers["set-cookie"]
    page = reader.get("/account").text
    assert "Rita" in page
    assert 'lang="de"' in page


def test_a_new_password_needs_the_old_one_and_signs_others_out(keyed: House) -> None:
    here, there = keyed.enter(Role.READER), keyed.enter(Role.READER)
    wrong = here.post("/account/password", data={"old": "wrong", "password": OTHER, "repeated": OTHER})
    assert wrong.status_code == 400
    assert "The password is incorrect." in wrong.text
    right = here.post("/account/password", data={"old": GOOD, "password": OTHER, "repeated": OTHER})
    assert right.status_code == 303
    assert here.get("/account").status_code == 200
    assert there.get("/account").status_code == 303
    assert sign_in(keyed.enter(None), "reader@example.org", OTHER) == 303


def test_browsers_are_ended_one_by_one_or_all(keyed: House) -> None:
    here, there = keyed.enter(Role.READER), keyed.enter(Role.READER)
    [other] = re.findall(r'action="(/account/sessions/\w+/end)"', here.get("/account").text)
    assert here.post(other).status_code == 303
    assert there.get("/account").status_code == 303
    assert keyed.enter(Role.EDITOR).post(other).status_code == 404
    assert here.post("/account/sessions/end").headers["location"] == "/sign-in"
    assert here.get("/account").status_code == 303


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/120 Safari/537.36 Edg/120",
            "Edge, Windows",
        ),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Safari/604.1", "Safari, iPhone"),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0", "Firefox, Linux"),
        ("curl/8.5.0", "curl/8.5.0"),
        ("", ""),
    ],
)
def test_browsers_go_by_the_names_that_people_know(agent: str, name: str) -> None:
    assert browser_name(agent) == name


def test_a_key_is_shown_once_works_and_is_revoked(keyed: House) -> None:
    editor = keyed.enter(Role.EDITOR)
    refused = editor.post("/account/keys", data={"key": "", "days": "30"})
    assert refused.status_code == 400
    assert "at least one permission" in refused.text
    assert "manage access" not in refused.text
    made = editor.post("/account/keys", data={"key": "nightly", "scopes": ["read", "edit"], "days": "30"})
    assert made.headers["cache-control"] == SECRET
    [secret] = re.findall(r"viva_[0-9A-Za-z]{46}", made.text)
    program = keyed.enter(None)
    program.headers["authorization"] = f"Bearer {secret}"
    assert program.get("/api/v1/me").json()["role"] == "editor"
    page = editor.get("/account").text
    assert "nightly" in page
    assert secret not in page
    [revoke] = re.findall(r'action="(/account/keys/\w+/revoke)"', page)
    assert keyed.enter(Role.ADMIN).post(revoke).status_code == 404
    assert editor.post(revoke).status_code == 303
    assert program.get("/api/v1/me").status_code == 401


def test_colours_and_language_are_kept_for_strangers_too(keyed: House) -> None:
    stranger = keyed.enter(None)
    answer = stranger.post("/preferences", data={"theme": "dark", "next": "//evil.example"})
    assert answer.headers["location"] == "/"
    stranger.post("/preferences", data={"language": "de", "next": "/sign-in"})
    page = stranger.get("/sign-in").text
    assert 'data-theme="dark"' in page
    assert "Anmelden" in page
    assert "set-cookie" not in stranger.post("/preferences", data={"theme": "pink", "language": "xx"}).headers


def test_the_language_follows_a_person_to_other_browsers(keyed: House) -> None:
    keyed.enter(Role.READER).post("/preferences", data={"language": "de"})
    assert 'lang="de"' in keyed.enter(Role.READER).get("/projects").text


# People


def test_an_invitation_is_a_link_to_hand_over(keyed: House) -> None:
    admin = keyed.enter(Role.ADMIN)
    made = admin.post("/people", data={"login": "bob", "name": "Bob", "role": "editor"})
    assert made.headers["cache-control"] == SECRET
    [link] = re.findall(r"http://localhost(/link/\w+)", made.text)
    guest = keyed.enter(None)
    shown = guest.get(link)
    assert "Welcome, Bob" in shown.text
    assert shown.headers["cache-control"] == SECRET
    assert guest.post(link, data={"password": GOOD, "repeated": "x"}).status_code == 400
    assert guest.post(link, data={"password": GOOD, "repeated": GOOD}).status_code == 303
    assert guest.get("/account").status_code == 200
    assert guest.get(link).status_code == 404
    assert "bob" in admin.get("/people").text


def test_wrong_invitations_come_back_with_what_was_typed(keyed: House) -> None:
    answer = keyed.enter(Role.ADMIN).post("/people", data={"login": "reader@example.org", "name": "Twin"})
    assert answer.status_code == 400
    assert 'value="Twin"' in answer.text
    assert "already" in answer.text


def test_people_are_searched_sorted_and_paged(keyed: House) -> None:
    admin = keyed.enter(Role.ADMIN)
    with keyed.store.writing() as tx:
        for number in range(60):
            tx.users.add(f"p{number:02}@example.org", f"Zoë {99 - number}")

    def logins(path: str) -> list[str]:
        return re.findall(r'<th scope="row"><a href="/people/\w+">([^<]+)', admin.get(path).text)

    assert len(logins("/people")) == 50
    assert len(logins("/people?page=2")) == 14
    assert logins("/people?sort=-login")[0] == "reviewer@example.org"
    assert logins("/people?search=ZOË+4&sort=name") == [f"p{number:02}@example.org" for number in range(59, 49, -1)]
    assert logins("/people?search=reviewer") == ["reviewer@example.org"]
    assert "Nobody found" in admin.get("/people?search=nothing+like+it").text
    assert admin.get("/people?sort=password").status_code == 422


def test_an_admin_changes_roles_shuts_out_and_lets_in(keyed: House) -> None:
    admin, reader = keyed.enter(Role.ADMIN), keyed.users[Role.READER]
    inside = keyed.enter(Role.READER)
    here = f"/people/{reader.id}"
    assert admin.post(f"{here}/role", data={"role": "editor"}).status_code == 303
    assert inside.post("/projects", data={"name": "New"}).status_code == 303
    assert admin.post(f"{here}/role", data={"role": "king"}).status_code == 400
    assert admin.post(f"{here}/disable").status_code == 303
    assert inside.get("/projects").status_code == 303
    assert "This account is disabled" in admin.get(here).text
    assert admin.post(f"{here}/link").status_code == 400
    assert admin.post(f"{here}/enable").status_code == 303
    assert sign_in(keyed.enter(None), reader.login) == 303
    assert admin.post(f"{here}/sign-out").status_code == 303
    assert "not signed in anywhere." in admin.get(here).text


def test_the_last_admin_is_told_so(keyed: House) -> None:
    admin, own = keyed.enter(Role.ADMIN), f"/people/{keyed.users[Role.ADMIN].id}"
    for path, data in ((f"{own}/role", {"role": "reader"}), (f"{own}/disable", {})):
        answer = admin.post(path, data=data)
        assert answer.status_code == 400
        assert "only admin" in answer.text


def test_people_and_log_are_tables_to_take_along(keyed: House) -> None:
    admin = keyed.enter(Role.ADMIN)
    with keyed.store.writing() as tx:
        tx.users.add("=cmd()", role=Role.READER)
    text = admin.get("/people.csv").text
    assert "reviewer@example.org" in text
    assert '"=cmd()"' not in text
    assert admin.get("/people.xlsx").content[:2] == b"PK"
    assert admin.get("/audit.xlsx").content[:2] == b"PK"
    assert admin.get("/people.pdf").status_code == 404
    assert admin.get("/audit.pdf").status_code == 404


def test_people_are_taken_along_as_they_are_narrowed_down(keyed: House) -> None:
    admin = keyed.enter(Role.ADMIN)
    assert 'href="/people.csv?search=reader&amp;sort=login"' in admin.get("/people?search=reader").text
    assert len(admin.get("/people.csv?search=reader&sort=login").text.splitlines()) == 2


def test_pages_about_keys_say_that_there_is_none(keyed: House) -> None:
    assert "No keys yet." in keyed.enter(Role.READER).get("/account").text
    page = keyed.enter(Role.ADMIN).get(f"/people/{keyed.users[Role.READER].id}").text
    assert "This person has no keys." in page


def test_an_invited_admin_who_never_came_is_shown_as_invited(keyed: House) -> None:
    who = sessions.actor_of(keyed.users[Role.ADMIN], "")
    member, _ = people.invite(keyed.store, who, "late", role=Role.ADMIN)
    page = keyed.enter(Role.ADMIN).get(f"/people/{member.id}").text
    assert "has not chosen a password yet" in page
    assert "An unused link is valid until" in page
