"""Make the pictures of the application that the documentation shows: `python tools/make_pictures.py [FOLDER]`.

The demo project is loaded into a workspace of its own and examined in all three ways, which takes some minutes.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from vivavoce.jobs.worker import Worker
from vivavoce.store.database import Store
from vivavoce.store.migrating import create_store
from vivavoce.store.rows import Project, Role, User
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.access.bot_rules import BotRules
from vivavoce.workspace.conversations.choices import Choice
from vivavoce.workspace.conversations.conversations import start_conversations
from vivavoce.workspace.dialogues.dialogues import begin_scoring
from vivavoce.workspace.exams.intents import start_intents
from vivavoce.workspace.projects.demo import create_demo_project
from vivavoce.workspace.topics.topics import change_topic

ROOT = Path(__file__).resolve().parents[1]
# The server and the browser are those of the tests.
sys.path.insert(0, str(ROOT / "tests" / "browser"))
journeys, opening = map(import_module, ("journeys", "opening"))

SIZE = {"width": 1200, "height": 860}
RETRIES = {"retries": 5}
CHARTS_MS = 2000


def main() -> None:
    """Make all pictures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="viva-") as place:
        path = Path(place) / "workspace.db"
        store = create_store(path)
        user, project = furnish(store)
        with journeys.served(path, Path(place)) as server:
            state = journeys.signed_in(store, user, server.url)
            take(server.url, state, addresses(store, project), folder)
        store.close()


def furnish(store: Store) -> tuple[User, Project]:
    """Load the demo project and examine it: intents before and after an edit, conversations, logged talks."""
    with store.writing() as tx:
        user = tx.users.add("kim@example.org", "Kim Berger", Role.ADMIN, password="x")  # noqa: S106
    actor = Actor(user.id, user.name, user.role)
    project = create_demo_project(store, actor)
    suite = _suite(store, project)
    start_intents(store, actor, project, options=RETRIES)
    start_conversations(store, actor, project, Choice(suite, ("vectors", "nearest", "keywords")), BotRules())
    begin_scoring(store, actor, project)
    with store.reading() as tx:
        topic = tx.topics.of_project(project.id)[0]
    change_topic(store, actor, project, topic.id, owner="Kim Berger", why="somebody has to look after it")
    start_intents(store, actor, project, options=RETRIES)
    Worker(store).drain()
    return user, project


def _suite(store: Store, project: Project) -> str:
    with store.reading() as tx:
        found = tx.suites.by_name(project.id, "flight")
    assert found is not None, "the suite ships"  # noqa: S101
    return found.id


def addresses(store: Store, project: Project) -> dict[str, str]:
    """Return what is shown, by the name of its picture."""
    base = f"/p/{project.slug}"
    with store.reading() as tx:
        newest = {kind: tx.runs.page(project.id, kind, limit=1)[0].number for kind in ("intents", "conversations")}
        scenario = tx.suites.scenarios(_suite(store, project))[0]
        scores = tx.scores.of_run(tx.runs.page(project.id, "dialogues", limit=1)[0].id)
    worst = min(scores, key=lambda score: score.score if score.score is not None else 9.0)
    return {
        "web-today": base,
        "web-topics": f"{base}/topics",
        "web-intents": f"{base}/intents/{newest['intents']}",
        "web-conversations": f"{base}/conversations/{newest['conversations']}",
        "web-scenario": f"{base}/scenarios/{scenario.id}",
        "web-dialogues": f"{base}/dialogues/{worst.dialogue_id}",
    }


def take(url: str, state: dict[str, Any], wanted: dict[str, str], folder: Path) -> None:
    """Take a picture of each page as it opens on a desk."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=path, args=opening.ARGUMENTS)
        with journeys.visiting(browser, url, state) as page:
            page.set_viewport_size(SIZE)
            for name, address in wanted.items():
                page.goto(address)
                page.wait_for_load_state("networkidle")
                # Charts in sight draw themselves after everything has come.
                page.wait_for_timeout(CHARTS_MS)
                page.screenshot(path=folder / f"{name}.png")
                print(folder / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
