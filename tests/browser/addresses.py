"""The address of every page: the routes of the application, filled in from a furnished workspace."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlencode

import sqlalchemy as sa
from furnishing import Furnished

from vivavoce.store import tables
from vivavoce.web import pages
from vivavoce.web.app import routers

# Shown to nobody any more when the workspace has its first admin; the first journey comes through it.
BEFORE_ALL = ("/setup/{secret}",)
# Of visitors, who need an assistant that is switched on or a link from a mail: test_journey_assistant.py,
# tests/web/test_assistant_pages.py and test_assistant_api.py open these.
OF_VISITORS = (
    "/chat/{slug}",
    "/subscription/{secret}",
    "/unsubscribe/{secret}",
    "/p/{slug}/inbox/{message_id}/visitor",
)
_PARAMETER = re.compile(r"\{(\w+)(?::\w+)?\}")
_SECTIONS = ("intents", "conversations", "dialogues", "engines")
UNKNOWN = "nobody knows what to put for {{{name}}} in {path}: say so in tests/browser/addresses.py"


def page_routes() -> tuple[str, ...]:
    """Return the path of every route that is read with GET, as the application has them."""
    found = (route for router in routers(pages) for route in router.routes)
    read = {getattr(route, "path", "") for route in found if "GET" in (getattr(route, "methods", None) or ())}
    return tuple(sorted(read.difference(BEFORE_ALL, OF_VISITORS)))


def every_address(house: Furnished) -> dict[str, str]:
    """Return an address for each route; a route that cannot be filled in is a mistake."""
    values, queries = _values(house), _queries(house)
    return {path: _filled(path, house, values) + _query(queries.get(path)) for path in page_routes()}


def _filled(path: str, house: Furnished, values: Mapping[str, str]) -> str:
    def value(found: re.Match[str]) -> str:
        name = found[1]
        given = str(_number(path, house)) if name == "number" else values.get(f"{name} {path}", values.get(name))
        if given is None:
            raise LookupError(UNKNOWN.format(name=name, path=path))
        return given

    return _PARAMETER.sub(value, path)


def _number(path: str, house: Furnished) -> int:
    """Return the number of a run of the section that a path belongs to."""
    section = next((name for name in _SECTIONS if f"/{name}/" in path), "intents")
    return house.runs[section][-1].number


def _values(house: Furnished) -> dict[str, str]:
    ids = _ids(house)
    return {
        **ids,
        "slug": house.project.slug,
        "secret": house.link,
        "key": house.preview,
        "key /p/{slug}/dialogues/add/{key}": house.talks_preview,
        "key /p/{slug}/dialogues/add/{key}.{kind}": house.talks_preview,
        "kind": "csv",
        "kind_of_file": "csv",
        "kind /p/{slug}/exams/{kind}": "intents",
        "kind /p/{slug}/tasks/{kind}": "learn",
        "kind /p/{slug}/runs/{number:int}/charts/{name}.{kind}": "svg",
        "name": _chart(house),
    }


def _ids(house: Furnished) -> dict[str, str]:
    project = house.project.id
    with house.store.reading() as tx:
        suite = tx.suites.of_project(project)[0].id
        talk = tx.dialogues.of_project(project)[0].id
        held = house.runs["conversations"][-1]
        return {
            "topic_id": tx.topics.of_project(project)[0].id,
            "example_id": tx.examples.of_project(project)[0].id,
            "bot_id": tx.bots.of_project(project)[0].id,
            "suite_id": suite,
            "scenario_id": tx.suites.scenarios(suite)[0].id,
            "talk": talk,
            "schedule_id": tx.schedules.of_project(project)[0].id,
            "script": next(iter(tx.turns.of_run(held.id))).script,
            "user_id": next(iter(house.users.values())).id,
            "edit_id": tx.edits.of_project(project)[0].id,
        }


def _chart(house: Furnished) -> str:
    documents = tables.documents
    query = sa.select(documents.c.name).where(documents.c.run_id == house.runs["intents"][-1].id)
    with house.store.reading() as tx:
        names = tx.connection.execute(query.where(documents.c.name.like("charts/%.svg"))).scalars().all()
    return str(names[0]).removeprefix("charts/").removesuffix(".svg")


def _queries(house: Furnished) -> dict[str, list[tuple[str, str]]]:
    """Return what pages need to be asked that are about several things at once."""
    project = house.project.id
    with house.store.reading() as tx:
        topics = [one.id for one in tx.topics.of_project(project)[:2]]
        examples = [one.id for one in tx.examples.of_project(project) if one.topic_id == topics[0]][:2]
    compared = {
        kind: [(side, str(run.number)) for side, run in zip("ab", house.runs[kind], strict=True)]
        for kind in ("intents", "conversations")
    }
    return {
        "/p/{slug}/topics/delete": [("topic", one) for one in topics],
        "/p/{slug}/topics/merge": [("topic", one) for one in topics],
        "/p/{slug}/examples/split": [("from", topics[0]), *(("example", one) for one in examples)],
        "/p/{slug}/examples/delete": [("from", topics[0]), *(("example", one) for one in examples)],
        "/p/{slug}/intents/compare.{kind}": compared["intents"],
        "/p/{slug}/conversations/compare": compared["conversations"],
        "/p/{slug}/conversations/compare.{kind_of_file}": compared["conversations"],
        "/p/{slug}/dialogues/batches/delete": [("name", "june")],
    }


def _query(asked: list[tuple[str, str]] | None) -> str:
    return f"?{urlencode(asked)}" if asked else ""


def is_whole_page(text: str) -> bool:
    """Tell whether an answer is a page of the application, not a part of one or a report."""
    return "<!doctype html>" in text and '<main id="main"' in text
