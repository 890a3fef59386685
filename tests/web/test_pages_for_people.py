"""Pages are for people in browsers: keys stay out of the account, and cookies stay on encrypted connections."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Message

from vivavoce.store.rows import Role
from vivavoce.web.answers import FLASH_COOKIE, done
from vivavoce.web.security.headers import SecurityHeaders
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.access.keys import list_keys, make_key

if TYPE_CHECKING:
    from conftest import House


def test_a_key_does_nothing_at_the_account_of_its_owner(house: House) -> None:
    user = house.users[Role.ADMIN]
    actor = Actor(user.id, user.name, Role.ADMIN)
    token, secret = make_key(house.store, actor, "key", ["read", "admin"], days=1)
    program = house.enter(None)
    program.headers["authorization"] = f"Bearer {secret}"
    assert program.get("/account").status_code == 403
    forms = {
        "/account": {"name": "Mallory", "language": "en"},
        "/account/password": {"old": "", "password": "x", "repeated": "x"},
        "/account/sessions/end": {},
        "/account/keys": {"key": "for good", "scopes": "admin", "days": ""},
        f"/account/keys/{token.id}/revoke": {},
    }
    for path, form in forms.items():
        assert program.post(path, data=form).status_code == 403, path
    assert [one.name for one in list_keys(house.store, actor, user.id)] == ["key"]
    assert house.enter(Role.ADMIN).get("/account").status_code == 200


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_cookies_are_secure_where_the_connection_is(scheme: str) -> None:
    response = done("/", "It is done.")
    response.set_cookie("own", "1", secure=True)
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request"}

    scope = {"type": "http", "method": "POST", "path": "/", "scheme": scheme, "query_string": b"", "headers": []}
    asyncio.run(SecurityHeaders(response)(scope, receive, send))
    cookies = [value.decode() for name, value in sent[0]["headers"] if name == b"set-cookie"]
    flash = next(cookie for cookie in cookies if cookie.startswith(FLASH_COOKIE))
    assert [cookie.count("Secure") for cookie in cookies] == [int(scheme == "https"), 1]
    assert "HttpOnly" in flash


def test_an_answer_without_cookies_gets_none() -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request"}

    scope = {"type": "http", "method": "GET", "path": "/", "scheme": "https", "query_string": b"", "headers": []}
    asyncio.run(SecurityHeaders(PlainTextResponse("x"))(scope, receive, send))
    assert b"set-cookie" not in {name for name, _ in sent[0]["headers"]}
