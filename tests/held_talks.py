"""A small suite with bots that are right and wrong in known places, and runs of it that are done."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from pictures import undrawn
from vivavoce.conversations.scenarios.formats.yaml_reading import parse_yaml_suite
from vivavoce.jobs.worker import Rhythm, Worker
from vivavoce.store.database import Store
from vivavoce.store.migrating import create_store
from vivavoce.store.rows import Project, Run
from vivavoce.store.stamps import new_id, now
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.access.bot_rules import BotRules
from vivavoce.workspace.conversations.choices import Choice
from vivavoce.workspace.conversations.conversations import start_conversations
from vivavoce.workspace.exams import runs
from vivavoce.workspace.scenarios.suites import import_read_suite, list_suites

QUICK = Rhythm(lease=30, beat=5, poll=0.05, flush=0.02, schedules=0.05)
RULES = BotRules(private_bots=True)
# The parrot says what the visitor says: right where the expected words are in the message.
SUITE = """
suite: shop
title: The shop
scenarios:
  - id: greeting
    title: Says hello
    level: basic
    domain: small_talk
    turns:
      - {user: hello there, expect: {reply: hello}}
      - {user: bye, expect: {reply: goodbye}}
  - id: prices
    title: Asks for prices
    level: medium
    domain: sales
    turns:
      - {user: what does it cost, expect: {reply: cost}}
      - {user: waht does it cost, kind: typo, expect: {reply: twelve}}
      - {user: tell me more, expect: any}
  - id: slash/and?odd#name
    level: medium
    domain: sales
    turns:
      - {user: 'is it <b>cheap</b>', expect: {reply: cheap}}
"""
PARROT = {"kind": "scripted:echo"}
SILENT = {"kind": "scripted", "default": "I cannot tell."}


def add_shop(store: Store, slug: str = "shop", suite: str = SUITE) -> Project:
    """Make a project with the suite and two bots: parrot and mule."""
    with store.writing() as tx:
        project = tx.projects.add(slug, "Shop", language="en", classifier="tfidf", threshold=0.5)
    fill_shop(store, project, suite)
    return project


def fill_shop(store: Store, project: Project, suite: str = SUITE) -> None:
    """Bring the suite and the bots into a project."""
    import_read_suite(store, PRODUCT, project, parse_yaml_suite(suite, source="test"))
    for name, entry in (("parrot", PARROT), ("mule", SILENT)):
        add_bot(store, project, name, entry)


def add_bot(store: Store, project: Project, name: str, entry: dict[str, Any]) -> None:
    row = {"id": new_id(), "project_id": project.id, "name": name, "entry": entry, "created": now()}
    with store.writing() as tx:
        change = tx.edits.insert("bots", row)
        tx.edits.apply(project.id, None, "add", f"Bot {name}", [change])


def choice(store: Store, project: Project, **more: Any) -> Choice:
    suite = list_suites(store, project)[0].suite.id
    return replace(Choice(suite, ("parrot", "mule")), **more)


def begin(store: Store, project: Project, **more: Any) -> Run:
    return start_conversations(store, PRODUCT, project, choice(store, project, **more), RULES)


def make_held_workspace(path: Path) -> Path:
    """Make a workspace with the shop in it: run 1 is done, each talk held twice; run 2 waits."""
    store = create_store(path)
    shop = add_shop(store)
    hold(store, shop, repeats=2)
    begin(store, shop)
    store.close()
    return path


def work(store: Store) -> None:
    """Let a worker do all that there is to do."""
    with undrawn(), ThreadPoolExecutor(2) as executor:
        Worker(store, executor=executor, rhythm=QUICK).drain()


def hold(store: Store, project: Project, **more: Any) -> Run:
    """Return a run that is done."""
    run = begin(store, project, **more)
    work(store)
    return runs.show_run(store, project, run.number).run
