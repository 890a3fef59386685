"""A small workspace with a little of everything, for tests of the whole API; its exams are done in this process."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from pictures import undrawn
from vivavoce.demo import dialogues_path
from vivavoce.jobs.worker import Rhythm, Worker
from vivavoce.store.database import Store
from vivavoce.store.rows import MessageRow, Project, ReviewRow, Role, Run, TalkRow, User, VisitorRow
from vivavoce.store.stamps import now
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.access.bot_rules import BotRules
from vivavoce.workspace.access.keys import make_key
from vivavoce.workspace.access.people import invite
from vivavoce.workspace.assistant.reviewing import review
from vivavoce.workspace.bots.bots import add_bot
from vivavoce.workspace.conversations.choices import Choice
from vivavoce.workspace.conversations.conversations import start_conversations
from vivavoce.workspace.dialogues.dialogues import begin_scoring
from vivavoce.workspace.dialogues.imports import add_talks, prepare_talks
from vivavoce.workspace.dialogues.ratings import Opinion, rate_talk
from vivavoce.workspace.dialogues.reading import TalkChoices, read_log
from vivavoce.workspace.exams.intents import start_intents
from vivavoce.workspace.projects.schedules import NewSchedule, create_schedule
from vivavoce.workspace.scenarios.suites import import_read_suite, read_shipped
from vivavoce.workspace.topics.importing import apply_import, prepare_import
from vivavoce.workspace.topics.incoming import Choices, source_of_text
from vivavoce.workspace.uploads import Source

QUICK = Rhythm(lease=30, beat=5, poll=0.02, flush=0.02, schedules=5)
EXAM = {"retries": 1, "settings": [[0, 0]], "leak_proof": False}
WORDS = {"pay": "wage salary money bonus", "visa": "permit border papers embassy", "hours": "shift time early late"}


@dataclass(frozen=True)
class Filled:
    """A workspace, an admin's key to it, and what of it is named in addresses."""

    store: Store
    key: str
    project: Project
    person: User
    intents: Run
    later: Run
    conversations: Run
    scoring: Run
    waiting: Run
    preview: str
    talks_preview: str
    other_key: str
    message: MessageRow
    review: ReviewRow


def fill(store: Store) -> Filled:
    """Fill a workspace; a run that nobody does stays open at the end."""
    with store.writing() as tx:
        admin = tx.users.add("admin", "Ada Admin", Role.ADMIN, password=None)
        project = tx.projects.add("jobs", "Jobs", language="en", classifier="tfidf", threshold=0.3)
    actor = Actor(admin.id, admin.name, admin.role)
    add_topics(store, actor, project)
    intents = start_intents(store, actor, project, options=EXAM)
    held = hold_talks(store, actor, project)
    scoring = score_talks(store, actor, project)
    do_work(store)
    later = start_intents(store, actor, project, options={**EXAM, "threshold": 0.5})
    do_work(store)
    create_schedule(store, actor, project, NewSchedule("intents", "Every morning", {"classifier": "tfidf"}, 300))
    person, _ = invite(store, actor, "new@example.org", name="Nils New", role=Role.EDITOR)
    _, key = make_key(store, actor, "program", ["admin"])
    other, _ = make_key(store, actor, "another", ["read"])
    preview = prepare_import(store, actor, project, source_of_text("bonus again\tpay"), Choices())
    talks = prepare_talks(store, actor, project, Source("july.jsonl", log(2)), TalkChoices("july"))
    waiting = start_intents(store, actor, project, options=EXAM)
    with store.reading() as tx:
        found = [tx.runs.get(run.id) or run for run in (intents, later, held, scoring, waiting)]
        invited = tx.users.get(person.id) or admin
    return Filled(
        store, key, project, invited, *found, preview.key, talks.key, other.id, *review_message(store, actor, project)
    )


def review_message(store: Store, actor: Actor, project: Project) -> tuple[MessageRow, ReviewRow]:
    """Have a visitor write what waits in the inbox, and another message that is judged."""
    at, guess = now(), {"intent": "pay", "confidence": 0.5}
    with store.writing() as tx:
        tx.visitors.add(VisitorRow("visitor", project.id, "", at, at), "hash")
        tx.talks.add(TalkRow("talk", project.id, "visitor", {}, "en", None, 2, at, at))
        rows = [
            tx.messages.add(
                MessageRow(
                    id=f"message{number}",
                    project_id=project.id,
                    talk_id="talk",
                    number=number,
                    key=str(number),
                    author="visitor",
                    user_id=None,
                    text=f"a car park {number}",
                    language="en",
                    stage="faq",
                    intent="pay",
                    confidence=0.5,
                    candidates=(guess,),
                    reply={"texts": ["So much."]},
                    hand_over="",
                    skipped="",
                    drawn=True,
                    chance=0.5,
                    waiting="unsure",
                    gain=0.5,
                    build=0,
                    created=at,
                )
            )
            for number in range(2)
        ]
    return rows[0], review(store, actor, project, rows[1].id, "right")


def add_topics(store: Store, actor: Actor, project: Project) -> None:
    lines = [f"{word} please {n}\t{topic}" for topic, words in WORDS.items() for n in "12" for word in words.split()]
    preview = prepare_import(store, actor, project, source_of_text("\n".join(lines)), Choices())
    apply_import(store, actor, project, preview.key)


def hold_talks(store: Store, actor: Actor, project: Project) -> Run:
    suite = read_shipped("flight")
    import_read_suite(store, actor, project, replace(suite, scenarios=suite.scenarios[:2]))
    add_bot(store, actor, project, "parrot", {"kind": "scripted:echo"}, rules=BotRules())
    return start_conversations(store, actor, project, Choice("flight", ("parrot", "keywords")), BotRules())


def score_talks(store: Store, actor: Actor, project: Project) -> Run:
    found = read_log(Source("june.jsonl", log(4))).dialogues
    add_talks(store, actor, project, found, TalkChoices(batch="june"))
    with store.reading() as tx:
        talk = tx.dialogues.of_project(project.id)[0]
    rate_talk(store, actor, project, talk.id, Opinion(4))
    return begin_scoring(store, actor, project, batch="june")


def log(talks: int) -> bytes:
    """Return a few logged talks."""
    return b"\n".join(dialogues_path().read_bytes().splitlines()[:talks]) + b"\n"


def do_work(store: Store) -> None:
    """Do all runs that wait."""
    with undrawn(), ThreadPoolExecutor(1) as threads:
        Worker(store, executor=threads, slots=1, rhythm=QUICK).drain()
