"""A small workspace with something in every table.

    python tests/store/sample_workspace.py tests/store/released/0002.zip

writes what the program of today makes of it: do so once for every new revision, before it is released.
"""

from __future__ import annotations

import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from vivavoce.store.backups import backup
from vivavoce.store.database import Store
from vivavoce.store.migrating import create_store
from vivavoce.store.rows import Project
from vivavoce.store.stamps import new_id
from vivavoce.store.tables import metadata

START = datetime(2024, 5, 2, 8, 30, 15, 123456, tzinfo=UTC)
LATER = START + timedelta(hours=1)
ODD = 'Grüße, "Ünï" 😀\n\tzweite Zeile \\u0041'
P, S, B, R = "project1", "suite1", "bot1", "run1"

TOPIC = {"id": "topic1", "project_id": P, "name": "opening hours", "description": ODD, "owner": "Anna"}
RUN = {
    "id": R, "project_id": P, "number": 1, "kind": "conversations", "title": "Two bots", "state": "running",
    "options": {"bots": ["a", "b"], "repeats": 2, "threshold": 0.5}, "version": 7, "total": 3, "done": 1, "failed": 1,
    "headline": "", "error": "", "user_id": "user1", "schedule_id": "schedule1", "suite_id": S,
    "code_version": "0.1.0", "data_hash": "abc", "seed": 42, "created": START, "started": LATER, "finished": None,
    "served": 4,
}  # fmt: skip
UNIT = {
    "run_id": R, "title": ODD, "phase": 0, "bot": "a", "limit_key": "a", "worker": None, "lease_until": None,
    "started": START, "finished": None, "error": "", "result": None,
}  # fmt: skip

ROWS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "users": [
        {"id": "user1", "login": "anna@example.org", "name": "Anna", "role": "admin", "password": "scrypt$1$2",
         "language": "de", "disabled": False, "created": START, "seen": LATER},
        {"id": "user2", "login": "bert", "name": ODD, "role": "reader", "password": None, "language": "en",
         "disabled": True, "created": START, "seen": None},
    ],
    "sessions": [{"id": "session1", "secret": "s" * 64, "user_id": "user1", "created": START, "seen": START,
                  "expires": LATER, "agent": "Firefox"}],
    "tokens": [{"id": "token1", "secret": "t" * 64, "user_id": "user1", "name": "ci", "scopes": ["read", "run"],
                "created": START, "expires": None, "seen": LATER, "revoked": None}],
    "links": [{"id": "link1", "secret": "l" * 64, "purpose": "invitation", "user_id": "user2", "created": START,
               "expires": LATER, "used": None}],
    "projects": [{"id": P, "slug": "shop", "name": "The shop", "language": "en", "languages": ["en", "de"],
                  "classifier": "linear", "threshold": 0.1 + 0.2, "created": START, "version": 3}],
    "attempts": [{"id": "attempt1", "login": "x", "address": "y", "at": START, "succeeded": False}],
    "audit": [{"id": "audit1", "at": START, "user_id": "user1", "action": "add", "noun": "topic", "noun_id": "topic1",
               "project_id": P, "detail": ODD, "address": "127.0.0.1"}],
    "topics": [TOPIC | {"created": START}],
    "answers": [{"id": "answer1", "topic_id": "topic1", "language": "de", "text": "Von 9 bis 17 Uhr."}],
    "examples": [
        {"id": f"example{n}", "project_id": P, "topic_id": topic, "text": text, "language": "en", "source": "import",
         "created": START, "place": n}
        for n, (topic, text) in enumerate([("topic1", "when do you open"), ("topic1", ODD), (None, "tell me a joke")])
    ],
    "reserved": [{"id": "reserved1", "project_id": P, "topic_id": "topic1", "text": ODD, "language": "en",
                  "created": START}],
    "decisions": [{"id": "decision1", "project_id": P, "kind": "keep_apart", "topics": ["topic1"], "high": 2.5,
                   "created": START}],
    "bots": [{"id": B, "project_id": P, "name": "a", "entry": {"kind": "http", "url": "http://127.0.0.1", "n": 1.5},
              "created": START}],
    "suites": [{"id": S, "project_id": P, "name": "flights", "title": "Flights", "language": "en", "agent": None,
                "head": "title: Flights\n", "created": START}],
    "scenarios": [{"id": "scenario1", "suite_id": S, "name": "book", "title": "Book", "domain": "flights",
                   "level": "easy", "text": "steps:\n  - user: hello\n", "version": 2, "place": 0, "created": START}],
    "scenario_versions": [
        {"scenario_id": "scenario1", "version": n, "text": f"steps: [{n}]", "at": START, "user_id": None, "why": ""}
        for n in (1, 2)
    ],
    "edits": [{"id": "edit1", "project_id": P, "at": START, "user_id": "user1", "action": "add", "summary": "Topic",
               "why": ODD, "undoes": None, "undone_by": None, "size": 1}],
    "changes": [{"edit_id": "edit1", "place": 0, "noun": "topics", "noun_id": "topic1", "topic_id": "topic1",
                 "before": None, "after": TOPIC | {"created": START.isoformat()}}],
    "forecasts": [{"id": "forecast1", "project_id": P, "edit_id": "edit1", "remedy": "merge", "topics": ["topic1"],
                   "high_cost": None, "difference": 0.5, "low": 0.25, "high": None, "rounds": 3,
                   "classifier": "linear", "threshold": 0.5, "created": START}],
    "schedules": [{"id": "schedule1", "project_id": P, "kind": "intents", "title": "Daily", "options": {},
                   "minute_of_day": 125, "enabled": True, "next_at": LATER, "user_id": None, "created": START}],
    "runs": [RUN],
    "materials": [{"run_id": R, "content": bytes(range(256))}],
    "units": [
        UNIT | {"id": "unit1", "key": "a 1", "place": 0, "state": "done", "attempts": 1, "result": b"\x00\xffdone"},
        UNIT | {"id": "unit2", "key": "a 2", "place": 1, "state": "running", "attempts": 2, "worker": "worker1",
                "lease_until": LATER},
        UNIT | {"id": "unit3", "key": "a 3", "place": 2, "state": "waiting", "attempts": 0, "started": None},
    ],
    "turns": [{"unit_id": "unit1", "number": 1, "run_id": R, "bot": "a", "script": "book", "scenario": "book",
               "domain": "flights", "level": "easy", "kind": "task", "repeat": 0, "sent": "hello", "reply": ODD,
               "status": "ok", "outcome": "right", "detail": {"reasons": [ODD], "confidence": None},
               "first_ms": 12.25}],
    "outcomes": [{"run_id": R, "place": 0, "text": "when", "intent": None, "guess": "opening hours",
                  "confidence": 0.75, "outcome": "overreach", "right": 0, "deferred": 1, "wrong": 9}],
    "measures": [{"run_id": R, "scope": "", "name": "accuracy", "value": 0.5, "low": None, "high": 1.0, "n": 2}],
    "documents": [{"run_id": R, "name": "report.html", "media": "text/html", "content": b"<p>\xc3\xa4"}],
    "workers": [{"id": "worker1", "host": "here", "pid": 1, "started": START, "seen": LATER}],
    "paces": [{"key": "a", "next_at": LATER}],
    "dialogues": [{"id": "dialogue1", "project_id": P, "name": "talk 1", "batch": "may", "bot": "a", "person": None,
                   "source": "log.jsonl", "passed": None, "turns": [{"speaker": "user", "text": ODD}], "place": 0,
                   "created": START}],
    "scores": [{"run_id": R, "dialogue_id": "dialogue1", "score": 3.5, "low": 2.0, "high": None, "refusal": "",
                "detail": {"effects": [0.5, -0.25]}}],
    "ratings": [{"id": "rating1", "dialogue_id": "dialogue1", "turn": 0, "user_id": "user1", "rater": "Anna",
                 "quality": 4.0, "verdict": None, "created": START}],
    "assistants": [{"project_id": P, "enabled": True, "languages": ["en"], "stages": ["general", "faq"],
                    "general_threshold": 0.5, "faq_threshold": 0.4, "choice_threshold": 0.25, "random_share": 0.2,
                    "consent": ODD, "origins": ["https://jobs.example"], "retention_days": 90, "feed": "", "build": 2,
                    "learned": None, "changed": START, "material": b"examples", "learn_hours": 24, "feed_hours": 6,
                    "unanswered_hours": 24, "least_automated": 0.5, "most_wrong": None}],
    "visitors": [{"id": "visitor1", "project_id": P, "address": "", "created": START, "seen": LATER,
                  "secret": "v" * 64}],
    "talks": [{"id": "talk1", "project_id": P, "visitor_id": "visitor1", "state": {"topic": ODD}, "language": "en",
               "assigned": "user1", "size": 1, "created": START, "seen": LATER}],
    "messages": [{"id": "message1", "project_id": P, "talk_id": "talk1", "number": 0, "key": "k", "author": "visitor",
                  "user_id": None, "text": ODD, "language": "en", "stage": "faq", "intent": "opening hours",
                  "confidence": 0.75, "candidates": [{"intent": "opening hours", "confidence": 0.75}],
                  "reply": {"texts": [ODD]}, "hand_over": "", "skipped": "", "drawn": True, "chance": 0.2,
                  "waiting": "random", "gain": 0.25, "build": 2, "created": START}],
    "reviews": [{"id": "review1", "project_id": P, "message_id": "message1", "user_id": "user1", "verdict": "right",
                 "topic": "opening hours", "why": "random", "edit_id": "edit1", "created": LATER, "undone": None}],
    "openings": [{"id": "opening1", "project_id": P, "ref": "1", "title": ODD, "profession": "nurse", "place": "Kiel",
                  "country": "DE", "language": "de", "department": "", "contract": "", "description": ODD, "url": "",
                  "posted": "2024-05-01", "tokens": "nurse geo1"}],
    "subscriptions": [{"id": "subscription1", "project_id": P, "visitor_id": "visitor1", "address": "a@b.example",
                       "profession": "nurse", "place": "", "language": "de", "created": START, "confirmed": None,
                       "ended": None, "told": None, "secret": "u" * 64}],
    "mails": [{"id": "mail1", "project_id": P, "visitor_id": "visitor1", "address": "a@b.example", "subject": ODD,
               "body": ODD, "unsubscribe": "", "created": START, "next_at": LATER, "attempts": 1, "sent": None,
               "error": "refused"}],
    "comments": [{"id": "comment1", "project_id": P, "message_id": "message1", "user_id": "user1", "text": ODD,
                  "created": LATER}],
    "notices": [{"id": "notice1", "project_id": P, "message_id": "message1", "user_id": "user1", "author": None,
                 "kind": "comment", "created": LATER, "seen": None}],
    "tasks": [{"id": "task1", "project_id": P, "kind": "learn", "user_id": "user1", "options": {"anyway": True},
               "state": "done", "due": START, "attempts": 1, "worker": "worker1", "lease_until": None,
               "created": START, "started": START, "finished": LATER, "outcome": ODD, "outcome_data": None,
               "result": {"broken": ["message1"]}}],
    "options": [{"name": "site", "value": {"title": ODD}}, {"name": "empty", "value": None}],
}  # fmt: skip


def fill_workspace(store: Store) -> None:
    """Put the sample into an empty workspace."""
    with store.writing() as tx:
        for table in metadata.sorted_tables:
            tx.connection.execute(sa.insert(table), [dict(row) for row in ROWS[table.name]])


def example_values(project: Project, text: str, topic_id: str | None, place: int = 0) -> dict[str, Any]:
    """Return the columns of a new example."""
    return {
        "id": new_id(),
        "project_id": project.id,
        "topic_id": topic_id,
        "text": text,
        "language": "en",
        "source": "test",
        "created": START,
        "place": place,
    }


def spoil(path: Path, change: Callable[[dict[str, bytes]], object]) -> None:
    """Change the parts of an archive."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    change(parts)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)


def write_sample(path: Path) -> None:
    """Write a backup of the sample."""
    with tempfile.TemporaryDirectory() as folder:
        store = create_store(Path(folder) / "workspace.db")
        fill_workspace(store)
        backup(store, path)
        store.close()


if __name__ == "__main__":
    write_sample(Path(sys.argv[1]))
