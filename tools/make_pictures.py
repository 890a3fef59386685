"""Make the pictures of pages and reports that the documentation shows: `python tools/make_pictures.py [FOLDER]`.

The demo project is loaded into a workspace of its own.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

from vivavoce.store.database import Store
from vivavoce.store.migrating import create_store
from vivavoce.store.rows import Project, Role, User
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.projects.demo_runs import create_demo_project

ROOT = Path(__file__).resolve().parents[1]
# The server and the browser are those of the tests.
sys.path.insert(0, str(ROOT / "tests" / "browser"))
journeys, opening = map(import_module, ("journeys", "opening"))

SIZE: Any = {"width": 1200, "height": 860}
CHARTS_MS = 2000
BOTS = [word for bot in ("vectors", "keywords", "nearest") for word in ("--bot", bot)]
REPORTS = {
    "conversations": ["conversations", "run", "flight", *BOTS],
    "dialogues": ["dialogues", "score", "demo"],
}
# Open the first conversation of the hardest level.
OPEN_HARDEST = """() => {
  const levels = [...document.querySelectorAll('details')].filter(each => each.querySelector('details'));
  const level = levels[levels.length - 1];
  level.open = level.querySelector('details').open = true;
  level.scrollIntoView();
}"""


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
        take_reports(Path(place), folder)


def furnish(store: Store) -> tuple[User, Project]:
    """Load the demo project, which comes with three months of exams and edits."""
    with store.writing() as tx:
        user = tx.users.add("kim@example.org", "Kim Berger", Role.ADMIN, password="x")  # noqa: S106
    return user, create_demo_project(store, Actor(user.id, user.name, user.role))


def addresses(store: Store, project: Project) -> dict[str, str]:
    """Return what is shown, by the name of its picture."""
    base = f"/p/{project.slug}"
    with store.reading() as tx:
        newest = {
            kind: tx.runs.page(project.id, kind, limit=1)[0] for kind in ("intents", "conversations", "dialogues")
        }
        # A conversation that goes well but for a mistake shows more than a perfect one.
        turns = list(tx.turns.of_run(newest["conversations"].id))
        right = Counter(turn.script for turn in turns if turn.outcome == "right")
        talk = max((turn for turn in turns if turn.outcome == "wrong_intent"), key=lambda turn: right[turn.script])
        scenarios = (row for suite in tx.suites.of_project(project.id) for row in tx.suites.scenarios(suite.id))
        scenario = next(row for row in scenarios if row.name == talk.script)
        (worst,) = tx.dialogues.worst(newest["dialogues"].id, below=9, limit=1)
    intents, conversations = (f"{base}/{kind}/{newest[kind].number}" for kind in ("intents", "conversations"))
    return {
        "web-today": base,
        "web-topics": f"{base}/topics",
        "web-intents": intents,
        "web-questions": f"{intents}/questions",
        "web-timeline": f"{base}/timeline",
        "web-conversations": conversations,
        "web-side-by-side": f"{conversations}/talks/{talk.script}",
        "web-scenario": f"{base}/scenarios/{scenario.id}",
        "web-dialogues": f"{base}/dialogues",
        "web-dialogue": f"{base}/dialogues/{worst.dialogue_id}",
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


def take_reports(place: Path, folder: Path) -> None:
    """Write the reports of the shipped suites and dialogues, and take a picture of the top of each."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=path, args=opening.ARGUMENTS)
        page = browser.new_page(viewport=SIZE)
        for name, words in REPORTS.items():
            report = place / f"{name}.html"
            command = [sys.executable, "-m", "vivavoce.cli", *words, "--html", str(report)]
            subprocess.run(command, cwd=place, check=True)  # noqa: S603 - our own command
            page.goto(report.as_uri())
            page.screenshot(path=folder / f"{name}-report.png")
            if name == "conversations":
                page.evaluate(OPEN_HARDEST)
                page.screenshot(path=folder / f"{name}-side-by-side.png")
        browser.close()


if __name__ == "__main__":
    main()
