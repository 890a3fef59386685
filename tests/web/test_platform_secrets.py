"""The secret of a platform is used in a run and shown on no page, in no export and in no record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from held_talks import add_bot, choice, fill_shop, work
from vivavoce.store.rows import RunState
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.access.bot_rules import BotRules
from vivavoce.workspace.conversations.conversations import start_conversations
from vivavoce.workspace.exams import runs

pytestmark = pytest.mark.slow

PLATFORMS = Path(__file__).resolve().parents[1] / "bots" / "platforms"


@pytest.fixture
def platform(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return a local server that speaks Dialogflow, with two topics."""
    monkeypatch.syspath_prepend(PLATFORMS)
    from platform_contract import run
    from test_dialogflow import PROJECT, LocalDialogflow

    from vivavoce.bots import load_entry
    from vivavoce.bots.training import retrain

    server = LocalDialogflow()
    monkeypatch.setenv("BOT_SECRET", server.secret)
    entry = {"kind": "dialogflow", "project": PROJECT, "credentials": "${BOT_SECRET}", "base_url": server.url}
    bot = load_entry("agent", {**entry, "training": {"poll_s": "0"}})
    run(bot, lambda: retrain(bot, {"hello": ["hello there", "hello you"], "cost": ["what does it cost", "the cost"]}))
    yield server, entry
    server.close()


def test_no_page_export_or_record_of_a_run_shows_a_secret(house: Any, admin: Any, platform: Any) -> None:
    server, entry = platform
    fill_shop(house.store, house.project)
    add_bot(house.store, house.project, "agent", entry)
    rules = BotRules(private_bots=True)
    chosen = choice(house.store, house.project, bots=("agent",))
    number = start_conversations(house.store, PRODUCT, house.project, chosen, rules).number
    server.fail("leak", on="detectIntent")
    work(house.store)
    assert runs.show_run(house.store, house.project, number).run.state is RunState.DONE
    base = f"/p/jobs/conversations/{number}"
    addresses = [
        *(base, f"{base}/turns", f"{base}/turns.csv", f"{base}/talks/greeting"),
        *("/p/jobs", "/p/jobs/bots", "/p/jobs/edits", "/p/jobs/runs"),
        *(f"/p/jobs/runs/{number}/report.html", f"/p/jobs/runs/{number}/findings.json"),
    ]
    texts = []
    for address in addresses:
        answer = admin.get(address)
        assert answer.status_code == 200, address
        texts.append(answer.text)
    assert "***" in "".join(texts), "the platform did send the secret back"
    texts.append(Path(house.store.engine.url.database or "").read_bytes().decode("utf-8", "replace"))
    for secret in (json.loads(server.secret)["private_key"][40:80], server.token):
        assert all(secret not in text for text in texts)
