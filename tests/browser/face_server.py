"""A small server that shows every part of a page, with a part that changes, under the real content policy."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from vivavoce.records import Rate
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.reports.shared.charts import RateRow, comparison_chart, timeline_chart
from vivavoce.reports.shared.svg import AnyChart, to_svg
from vivavoce.web.charts import vega_bundle
from vivavoce.web.parts import Choice, Column, Edit, Field, Pager, Progress, Row, Turn
from vivavoce.web.rendering import MADE, STATIC, Flash, Frame, Link, NavGroup, Person, choose_theme, environment
from vivavoce.web.security.headers import CONTENT_POLICY

FRAME = Frame(
    title="Topics",
    user=Person("Ada Example", "editor"),
    groups=(
        NavGroup("Today", "home", (Link("Today", "/today", key="t", icon="home"),)),
        NavGroup("Content", "topic", (Link("Topics", "/topics", True, "o", "topic"), Link("Bots", "/bots", key="b"))),
    ),
    project=Link("Recruiting, English", "/p/recruiting"),
    projects=(Link("Recruiting, English", "/p/recruiting", True), Link("Flights", "/p/flights")),
    flashes=(
        Flash("The topic Salary was renamed.", undo="/undo"),
        Flash("Two lines could not be read.", alert=True),
    ),
)
GALLERY = (Path(__file__).parent / "face_gallery.html").read_text(encoding="utf-8")
LIST = """{% import "parts.html" as parts %}<div id="list">
{{ parts.table("Topics, weakest first", columns, rows, downloads, select="topic", swap="#list") }}</div>"""
TALK = """{% import "parts.html" as parts %}{{ parts.transcript("engine one", turns, "talk", poll, version) }}"""
RATES = {"first run": 0.62, "second run": 0.81}


@dataclass
class Talk:
    """What the tests change while a page is open."""

    said: list[str] = field(default_factory=lambda: [f"message {n}" for n in range(30)])
    over: bool = False
    asked: int = 0
    chosen: list[dict[str, str]] = field(default_factory=list)

    @property
    def version(self) -> int:
        return len(self.said) + self.over


def rate(value: float) -> Rate:
    return Rate(value, value - 0.05, value + 0.05, 2209)


def charts() -> dict[str, AnyChart]:
    names = ("automation_rate", "precision_answered")
    rows = [RateRow(MEASURES[name].title, run, rate(value)) for name in names for run, value in RATES.items()]
    days = [RateRow(f"2026-0{month}-01", "answers right", rate(0.1 * month)) for month in range(1, 9)]
    return {"settings": comparison_chart(rows), "time": timeline_chart(days)}


@cache
def still(name: str) -> Markup:
    return Markup(to_svg(charts()[name]))  # noqa: S704


def part(template: str, language: str, **context: Any) -> Markup:
    return Markup(environment(language).from_string(template).render(context))  # noqa: S704


def table_part(language: str, order: str = "", search: str = "") -> Markup:
    bar = environment(language).get_template("parts.html").module.outcome_bar  # type: ignore[attr-defined]
    shown = environment(language).get_template("parts.html").module.rate  # type: ignore[attr-defined]
    names = [
        name for name in ("Salary", "Benefits", "Working hours", "Application") if search.lower() in name.lower()
    ]
    if order:
        names.sort(reverse=order == "descending")
    rows = [Row((n, len(n) * 7, bar(70, 20, 10), shown(rate(0.7), MEASURES["recall"])), n) for n in names]
    other = "descending" if order == "ascending" else "ascending"
    columns = [
        Column("Topic", f"/?order={other}", order),  # type: ignore[arg-type]
        Column("Examples", number=True),
        Column("Right, declined, wrong"),
        Column("Found", number=True, meaning=MEASURES["recall"].meaning),
    ]
    downloads = [Link("CSV", "/t.csv"), Link("XLSX", "/t.xlsx")]
    return part(LIST, language, columns=columns, rows=rows, downloads=downloads)


def talk_part(talk: Talk, language: str) -> Markup:
    turns = [Turn(text, visitor=place % 2 == 0) for place, text in enumerate(talk.said)]
    turns[-1] = replace(turns[-1], outcome="right", tone="good", note="expected: an answer")
    poll = "" if talk.over else "/talk"
    return part(TALK, language, turns=turns, poll=poll, version=talk.version)


def gallery_context(talk: Talk, language: str, order: str, search: str) -> dict[str, Any]:
    from vivavoce.errors import DataError, Fault

    turns = [Turn("What do you pay?", visitor=True), Turn("It depends.", outcome="wrong topic", tone="bad")]
    now = datetime.now(UTC)
    drawn = {name: (name.title(), "How to read it.", still(name), "numbers") for name in charts()}
    return {
        "actions": [Link("Add a topic", "/topics/new", key="a"), Link("Import", "/topics/import")],
        "tabs": [Link("List", "/", True), Link("Confused pairs", "/pairs")],
        "rate": rate(0.72),
        "measures": {name: MEASURES[name] for name in ("automation_rate", "precision_answered", "accuracy")},
        "progress": Progress("Exam of 16 November", 1200, 3000, failed=2, seconds_left=95),
        "filters": [Field("q", "Search", "search", search, key="f"), FIELDS[2]],
        "part_list": table_part(language, order, search),
        "pager": Pager(2, 12, 290, "/?page=1", "/?page=3"),
        "charts": drawn,
        "part_talk": talk_part(talk, language),
        "turns": turns,
        "edits": [Edit("Renamed Pay to Salary", "Ada", now, "clearer", undo="/undo"), Edit("Imported", "Bo", now)],
        "fields": FIELDS,
        "error": DataError(
            "the file cannot be read", where="faq.csv", faults=[Fault("no text", "row 3")], remedy="mend it"
        ),
    }


FIELDS = [
    Field("name", "Name", value="Salary", required=True, help="As visitors would call it."),
    Field("answer", "Answer", "textarea", "It depends."),
    Field("level", "Level", "select", "2", choices=(Choice("1", "easy"), Choice("2", "hard"))),
    Field("threshold", "Threshold", "number", "2", error="between 0 and 1", low="0", high="1", step="0.05"),
    Field("day", "Day", "date"),
    Field("secret", "Password", "password"),
    Field("file", "File", "file", accept=".csv"),
    Field("live", "Show to visitors", "checkbox", "on", help="At once."),
]


def face_app(talk: Talk) -> Starlette:
    async def gallery(request: Request) -> Response:
        language = request.query_params.get("language", "en")
        order, search = request.query_params.get("order", ""), request.query_params.get("q", "")
        if "X-Fragment" in request.headers:
            return HTMLResponse(table_part(language, order, search))
        theme = choose_theme(request.cookies.get("theme"))
        frame = replace(FRAME, language=language, theme=theme, path=str(request.url.path))
        context = gallery_context(talk, language, order, search)
        return HTMLResponse(environment(language).from_string(GALLERY).render(frame=frame, **context))

    async def more(request: Request) -> Response:
        talk.asked += 1
        if request.query_params["version"] == str(talk.version):
            return Response(status_code=204)
        return HTMLResponse(talk_part(talk, "en"))

    async def static(request: Request) -> Response:
        name = request.path_params["name"]
        if name == "vega.js":
            return Response(vega_bundle(), media_type="text/javascript")
        if name in MADE:
            return Response(MADE[name](), media_type="text/css" if name.endswith("css") else "image/svg+xml")
        return FileResponse(STATIC / name)

    async def chart(request: Request) -> Response:
        return JSONResponse(charts()[request.path_params["name"]].to_dict())

    async def prefer(request: Request) -> Response:
        form = {key: str(value) for key, value in (await request.form()).items()}
        talk.chosen.append(form)
        response = RedirectResponse(form["next"], 303)
        response.set_cookie("theme", form.get("theme", "auto"))
        return response

    routes = [
        Route("/", gallery),
        Route("/list", gallery),
        Route("/talk", more),
        Route("/static/{name}", static),
        Route("/chart/{name}", chart),
        Route("/preferences", prefer, methods=["POST"]),
    ]
    return Starlette(routes=routes)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def serving(talk: Talk, port: int) -> Iterator[str]:
    """Serve until the block ends; another server may then take the same port."""
    import uvicorn

    app = face_app(talk)

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        async def with_policy(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message["headers"],
                    (b"content-security-policy", CONTENT_POLICY.encode()),
                ]
            await send(message)

        await app(scope, receive, with_policy)

    server = uvicorn.Server(
        uvicorn.Config(guarded, port=port, log_level="error", lifespan="off", timeout_graceful_shutdown=1)
    )
    running = threading.Thread(target=server.run, daemon=True)
    running.start()
    while not server.started and running.is_alive():
        running.join(0.02)
    try:
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.should_exit = True
        running.join(10)
