"""The server is killed while visitors write: every message that was answered is still there."""

from __future__ import annotations

import json
import sys
import threading
from dataclasses import replace
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest
from journeys import served, until

from vivavoce.store.database import open_store
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.assistant.settings import change_settings, find_settings
from vivavoce.workspace.topics.topics import add_topic

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them"),
]
VISITORS, ENOUGH, PATIENCE_S = 4, 40, 150


def test_no_acknowledged_message_is_lost(workspace_address: str, tmp_path: Path) -> None:
    store = open_store(workspace_address)
    with store.writing() as tx:
        project = tx.projects.add("jobs", "Jobs", language="en", classifier="linear", threshold=0.5)
    for name, texts in {"salary": ["what do you pay", "the salary"], "parking": ["where to park", "parking"]}.items():
        add_topic(store, PRODUCT, project, name, answers={"en": name}, examples=texts)
    change_settings(store, PRODUCT, project, replace(find_settings(store, project), enabled=True, languages=("en",)))
    acknowledged: list[str] = []
    stop = threading.Event()

    with served(workspace_address, tmp_path) as server:

        def ask(part: str, **body: str) -> dict[str, str]:
            content = json.dumps(body).encode()
            headers = {"Content-Type": "application/json"}
            asked = Request(  # noqa: S310 - our own server
                f"{server.url.rstrip('/')}/chat/jobs/{part}", content, headers
            )
            with urlopen(asked, timeout=PATIENCE_S) as answer:  # noqa: S310
                return dict(json.load(answer))

        def write(visitor: int) -> None:
            number = 0
            try:
                while not stop.is_set():
                    # Each key may write so many messages a minute.
                    key = ask("open")["key"]
                    for _ in range(10):
                        number += 1
                        message = {"key": key, "id": f"{visitor}-{number}", "text": "parking"}
                        if "reply" in ask("messages", **message):
                            acknowledged.append(message["id"])
            except (URLError, OSError):
                return

        # A new server trains first; visitors are asked to send their message again.
        first = {"key": ask("open")["key"], "id": "first", "text": "parking"}
        until(lambda: "reply" in ask("messages", **first), "the assistant did not start")
        threads = [threading.Thread(target=write, args=(visitor,), daemon=True) for visitor in range(VISITORS)]
        for thread in threads:
            thread.start()
        until(lambda: len(acknowledged) >= ENOUGH, "visitors were not answered")
        server.kill()
        stop.set()
        for thread in threads:
            thread.join(30)
    store.close()
    again = open_store(workspace_address)
    with again.reading() as tx:
        first = tx.messages.first_at(project.id)
        assert first is not None
        kept = {row.key for talk in tx.talks.page(project.id, 10_000, 0) for row in tx.messages.of_talk(talk.id)}
    again.close()
    assert len(acknowledged) >= ENOUGH
    assert set(acknowledged) <= kept
