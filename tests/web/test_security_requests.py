from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from vivavoce.web.security.cookies import (
    came_over_https,
    client_address,
    ended_cookie,
    has_session,
    read_session,
    session_cookie,
)
from vivavoce.web.security.headers import CONTENT_POLICY, SECRET_PAGE
from vivavoce.web.security.origins import HostGuard, OriginGuard, is_known_host, is_own_request
from vivavoce.web.security.protection import Protection, protect

pytestmark = pytest.mark.slow

METHODS = ["POST", "PUT", "PATCH", "DELETE"]
LONG = "word " * 1_000


async def page(request: Request) -> Response:
    return HTMLResponse(f"<p>{LONG}</p>")


async def secret_page(request: Request) -> Response:
    return HTMLResponse(f"<p>viva_token {LONG}</p>", headers={"Cache-Control": SECRET_PAGE})


async def own_headers(request: Request) -> Response:
    headers = {"Content-Security-Policy": "sandbox", "Cache-Control": "max-age=5", "Content-Encoding": "br"}
    return PlainTextResponse(b"already packed", headers=headers)


async def picture(request: Request) -> Response:
    return Response(b"0" * 5_000, media_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")


APP = Starlette(
    routes=[
        Route("/", page, methods=["GET", *METHODS]),
        Route("/secret", secret_page),
        Route("/own", own_headers),
        Route("/table.xlsx", picture),
        Route("/static/{name}", page),
    ]
)


def client(base: str = "http://localhost:8000", **given_: Any) -> TestClient:
    return TestClient(protect(APP, Protection(**given_)), base_url=base)


def scope(method: str = "POST", headers: Iterable[tuple[str, str]] = (), **more: Any) -> dict[str, Any]:
    raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    plain = {"type": "http", "method": method, "path": "/", "scheme": "http", "query_string": b"", "headers": raw}
    return {**plain, **more}


COOKIE = ("cookie", "theme=dark; viva_session=abc")
HOST = ("host", "exam.example.com")


# Where a request comes from


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("headers", "passes"),
    [
        ({"Sec-Fetch-Site": "same-origin"}, True),
        ({"Sec-Fetch-Site": "none"}, True),
        ({"Sec-Fetch-Site": "same-site"}, False),
        ({"Sec-Fetch-Site": "cross-site"}, False),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost:8000"}, False),
        ({"Sec-Fetch-Site": "cross-site", "Authorization": "Bearer viva_x"}, False),
        ({"Origin": "http://localhost:8000"}, True),
        ({"Origin": "http://localhost:9000"}, False),
        ({"Origin": "http://localhost"}, False),
        ({"Origin": "https://evil.example"}, False),
        ({"Origin": "null"}, False),
        ({"Origin": ""}, False),
        ({"Cookie": "viva_session=abc"}, False),
        ({"Cookie": "__Host-viva_session=abc"}, False),
        ({"Cookie": "theme=dark"}, True),
        ({"Authorization": "Bearer viva_x"}, True),
        ({}, True),
    ],
)
def test_only_our_own_pages_and_programs_may_change_something(
    method: str, headers: dict[str, str], passes: bool
) -> None:
    assert client().request(method, "/", headers=headers).status_code == (200 if passes else 403)


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_reading_is_free_for_all(method: str) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example", "Cookie": "viva_session=a"}
    assert client().request(method, "/", headers=headers).status_code == 200


@settings(deadline=None)
@given(st.text(st.characters(codec="latin-1", exclude_characters="\r\n"), max_size=40))
def test_no_site_and_no_origin_but_the_right_ones_pass(text: str) -> None:
    own = text.strip().lower() in ("same-origin", "none")
    assert is_own_request(scope(headers=[("sec-fetch-site", text), COOKIE, HOST])) == own
    assert not is_own_request(scope(headers=[("origin", f"https://{text}.evil.example"), COOKIE, HOST]))
    assert not is_own_request(scope(headers=[("origin", f"https://evil.example/{text}"), COOKIE, HOST]))


@pytest.mark.parametrize(
    ("origin", "host", "same"),
    [
        ("https://exam.example.com", "exam.example.com", True),
        ("https://EXAM.example.com", "exam.example.com:443", True),
        ("http://exam.example.com", "exam.example.com:80", True),
        ("http://exam.example.com", "exam.example.com:443", False),
        ("http://[::1]:8000", "[::1]:8000", True),
        ("https://exam.example.com.evil.org", "exam.example.com", False),
        ("https://exam.example.com@evil.org", "evil.org", False),
        ("https://exam.example.com#evil.org", "exam.example.com", False),
        ("file://", "exam.example.com", False),
        ("chrome-extension://exam.example.com", "exam.example.com", False),
        ("https://exam.example.com:port", "exam.example.com", False),
    ],
)
def test_an_origin_is_compared_by_host_and_port(origin: str, host: str, same: bool) -> None:
    assert is_own_request(scope(headers=[("origin", origin), ("host", host)])) == same


def test_two_answers_to_the_same_question_are_not_trusted() -> None:
    twice = [("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")]
    assert not is_own_request(scope(headers=twice))
    assert not is_own_request(scope(headers=[("origin", "http://a"), ("host", "a"), ("host", "b")]))


def test_a_refusal_is_a_page_for_people_and_json_for_programs() -> None:
    foreign = {"Sec-Fetch-Site": "cross-site"}
    browser = client().post("/", headers={**foreign, "Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert browser.headers["content-type"].startswith("text/html")
    assert "another site" in browser.text
    assert browser.headers["content-security-policy"] == CONTENT_POLICY
    program = client().post("/", headers={**foreign, "Accept": "application/json"})
    assert set(program.json()) == {"detail", "remedy"}
    assert client().post("/", headers=foreign).json() == program.json()


def test_an_application_can_answer_in_its_own_way() -> None:
    own = client(answer=lambda scope, refusal: PlainTextResponse(f"no: {refusal.what}", refusal.status))
    assert own.post("/", headers={"Sec-Fetch-Site": "cross-site"}).text.startswith("no: This request")


@pytest.mark.parametrize(
    ("guard", "header"), [(OriginGuard, ("origin", "http://evil")), (HostGuard, ("host", "evil"))]
)
def test_a_web_socket_of_another_site_is_closed(guard: Any, header: tuple[str, str]) -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def unreachable(*_: Any) -> None:
        raise AssertionError("the application was reached")

    asyncio.run(guard(unreachable)(scope(type="websocket", headers=[header]), unreachable, send))
    assert [message["type"] for message in sent] == ["websocket.close"]


# Names of this server


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:8000", "[::1]:8000", "LOCALHOST."])
def test_loopback_names_are_known(host: str) -> None:
    assert client().get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "localhost.evil.example", "evil@localhost", "localhost/evil", "192.0.2.1", "", "a b", "[::2]"],
)
def test_a_name_that_was_not_given_is_refused(host: str) -> None:
    answer = client().get("/", headers={"Host": host})
    assert answer.status_code == 400
    assert "hosts" in answer.json()["remedy"]


def test_given_names_are_known_and_nothing_below_them() -> None:
    ours = client("http://exam.example.com", hosts=("Exam.Example.com",))
    assert ours.get("/").status_code == 200
    assert ours.get("/", headers={"Host": "localhost"}).status_code == 200
    assert ours.get("/", headers={"Host": "x.exam.example.com"}).status_code == 400
    assert client("http://anything.at.all", hosts=("*",)).get("/").status_code == 200


def test_two_hosts_or_none_are_refused() -> None:
    assert not is_known_host(scope(headers=[("host", "localhost"), ("host", "localhost")]), ["localhost"])
    assert not is_known_host(scope(), ["localhost"])


# Headers


def test_every_answer_carries_the_headers_also_a_missing_page() -> None:
    for path in ("/", "/nowhere"):
        headers = client().get(path).headers
        assert headers["content-security-policy"] == (
            "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
        )
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert "camera=()" in headers["permissions-policy"]


@pytest.mark.parametrize(
    ("path", "headers", "rule"),
    [
        ("/", {"Cookie": "viva_session=abc"}, "no-store"),
        ("/", {"Authorization": "Bearer viva_x"}, "no-store"),
        ("/", {}, "no-cache"),
        ("/static/app.css?v=3f2a", {"Cookie": "viva_session=abc"}, "public, max-age=31536000, immutable"),
        ("/static/app.3f2a9c01.css", {}, "public, max-age=31536000, immutable"),
        ("/static/app.css", {}, "no-cache"),
        ("/static/app.css?v=", {}, "no-cache"),
        ("/nowhere?v=1", {"Cookie": "viva_session=abc"}, "no-store"),
        ("/static/no/such?v=1", {}, "no-cache"),
    ],
)
def test_what_belongs_to_a_person_is_not_kept_and_versions_are_kept_for_ever(
    path: str, headers: dict[str, str], rule: str
) -> None:
    assert client().get(path, headers=headers).headers["cache-control"] == rule


def test_a_page_may_set_a_header_itself() -> None:
    headers = client().get("/own").headers
    assert headers.get_list("content-security-policy") == ["sandbox"]
    assert headers.get_list("cache-control") == ["max-age=5"]


def test_strict_transport_is_asked_for_over_https_only() -> None:
    name, told = "strict-transport-security", {"X-Forwarded-Proto": "https"}
    assert name not in client().get("/").headers
    assert name not in client().get("/", headers=told).headers
    assert name in client("https://localhost").get("/").headers
    assert name in client(behind_proxy=True).get("/", headers=told).headers


# The cookie


def test_the_cookie_has_all_its_locks() -> None:
    plain, locked = (session_cookie("abc", secure=secure, lifetime=60) for secure in (False, True))
    assert plain == "viva_session=abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=60"
    assert locked == "__Host-viva_session=abc; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=60"
    assert ended_cookie(secure=True).startswith("__Host-viva_session=; Path=/;")
    assert ended_cookie(secure=True).endswith("Max-Age=0")


@settings(deadline=None)
@given(st.text("abcXYZ019_", min_size=1), st.booleans())
def test_the_secret_of_a_session_is_read_back(secret: str, secure: bool) -> None:
    pair = session_cookie(secret, secure=secure).partition(";")[0]
    request = scope(headers=[("cookie", f"theme=dark; {pair}; x=y")], scheme="https" if secure else "http")
    assert read_session(request) == secret
    assert has_session(request)


def test_a_planted_cookie_is_no_session_over_https() -> None:
    request = scope(headers=[COOKIE], scheme="https")
    assert read_session(request) is None
    assert has_session(request)  # enough to be careful with it


def test_a_browser_keeps_and_forgets_the_cookie() -> None:
    async def sign_in(request: Request) -> Response:
        return PlainTextResponse("", headers={"Set-Cookie": session_cookie("abc", secure=False)})

    async def sign_out(request: Request) -> Response:
        return PlainTextResponse("", headers={"Set-Cookie": ended_cookie(secure=False)})

    async def show(request: Request) -> Response:
        return PlainTextResponse(read_session(request.scope) or "nobody")

    app = Starlette(routes=[Route("/in", sign_in), Route("/out", sign_out), Route("/", show)])
    browser = TestClient(app)
    seen = [browser.get(path).text for path in ("/", "/in", "/", "/out", "/")]
    assert seen == ["nobody", "", "abc", "", "nobody"]


def test_what_a_proxy_says_counts_only_if_we_are_told_to_believe_it() -> None:
    made_up = [("x-forwarded-proto", "https"), ("x-forwarded-for", "1.1.1.1, 2.2.2.2")]
    request = scope(headers=made_up, client=("9.9.9.9", 1234))
    assert not came_over_https(request)
    assert client_address(request) == "9.9.9.9"
    assert came_over_https(request, behind_proxy=True)
    assert client_address(request, behind_proxy=True) == "2.2.2.2"  # the first may be the visitor's invention
    assert client_address(scope(client=None), behind_proxy=True) == "unknown"


def test_an_application_starts_and_stops_behind_the_guards() -> None:
    seen: list[str] = []

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        seen.append("started")
        yield
        seen.append("stopped")

    with TestClient(protect(Starlette(lifespan=lifespan))):
        assert seen == ["started"]
    assert seen == ["started", "stopped"]


# Compression


@pytest.mark.parametrize(
    ("path", "headers", "encoding"),
    [
        ("/", {}, "gzip"),
        ("/", {"Accept-Encoding": "identity"}, None),
        ("/", {"Sec-Fetch-Site": "cross-site"}, None),
        ("/", {"Sec-Fetch-Site": "same-origin", "Cookie": "viva_session=abc"}, "gzip"),
        ("/static/app.css", {}, "gzip"),
        ("/secret", {}, None),
        ("/table.xlsx", {}, None),
        ("/nowhere", {}, None),  # too short to be worth it
    ],
)
def test_texts_are_compressed_unless_their_length_could_tell_a_secret(
    path: str, headers: dict[str, str], encoding: str | None
) -> None:
    answer = client().get(path, headers={"Accept-Encoding": "gzip", **headers})
    assert answer.headers.get("content-encoding") == encoding
    assert path in ("/table.xlsx", "/nowhere") or LONG in answer.text


def test_what_is_compressed_already_stays_as_it_is() -> None:
    with client().stream("GET", "/own") as answer:
        assert answer.headers["content-encoding"] == "br"
        assert b"".join(answer.iter_raw()) == b"already packed"
