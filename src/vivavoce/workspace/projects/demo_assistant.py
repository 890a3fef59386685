"""The demo of the assistant: an invented company whose visitors wrote for three months, and people who reviewed.

All of it is made by running the assistant: the shipped messages of visitors are answered one after the other at the
times of the past, invented recruiters judge what came to the inbox, and the assistant learns between the months.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random

from vivavoce.assistant import Answer
from vivavoce.assistant.material import COMPANIES, FOLDER, load_company, read_rows
from vivavoce.store.database import Store
from vivavoce.store.rows import MessageRow, Project, Role
from vivavoce.store.stamps import date_as, new_id, now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.assistant import learning, openings, reviewing
from vivavoce.workspace.assistant.settings import MAX_RETENTION_DAYS, change_settings, get_settings
from vivavoce.workspace.assistant.talking import answer_message, open_talk
from vivavoce.workspace.projects.projects import create_project
from vivavoce.workspace.topics.examples import insertion
from vivavoce.workspace.topics.examples import new_rows as new_examples
from vivavoce.workspace.topics.topics import answer_changes, make_topic, topic_insertion

NAME, SLUG, COMPANY = "Demo: Nordlicht assistant", "demo-assistant", "demo"
DAYS = 91
SEED = 17
RECRUITERS = {"demo-ines": "Ines (demo)", "demo-tom": "Tom (demo)"}
# Of what waits, so much is reviewed a month; the last days are left for whoever looks at the demo.
REVIEWED = 0.7
LEFT_DAYS = 6
RANDOM_SHARE = 0.25


def create_assistant_demo(store: Store, actor: Actor) -> Project:
    """Make the project; its name says that it is a demo, and its people are invented and cannot sign in."""
    actor.require(Role.EDITOR)
    loaded, draw = now(), Random(SEED)  # noqa: S311 - the same story every time
    began = loaded - timedelta(days=DAYS)
    with date_as(began):
        with store.writing() as tx:
            staff = [_invent(tx, login, name) for login, name in RECRUITERS.items()]
        project = create_project(store, actor, NAME, slug=_free_slug(store), language="en")
        bring_company(store, staff[0], project)
    truth: dict[str, str] = {}
    messages = list(_visits(began, loaded, draw))
    next_lesson = began + timedelta(days=DAYS / 3)
    keys: dict[str, str] = {}
    for at, who, text, intent in messages:
        if at > next_lesson:
            _work(store, staff, project, truth, next_lesson, draw)
            next_lesson += timedelta(days=DAYS / 3)
        with date_as(at):
            key = keys.get(who) or open_talk(store, project).key
            keys[who] = key
            row = answer_message(store, project, key, text, new_id())
            truth[row.id] = intent
    _work(store, staff, project, truth, loaded - timedelta(days=LEFT_DAYS), draw)
    with store.reading() as tx:
        return tx.projects.by_slug(project.slug) or project


def _free_slug(store: Store) -> str:
    with store.reading() as tx:
        taken = {project.slug for project in tx.projects.all()}
    numbers = (SLUG if n == 1 else f"{SLUG}-{n}" for n in range(1, len(taken) + 2))
    return next(slug for slug in numbers if slug not in taken)


def _invent(tx: Transaction, login: str, name: str) -> Actor:
    person = tx.users.by_login(login) or tx.users.add(login, name, Role.EDITOR)
    tx.users.set(person.id, disabled=True)
    return Actor(person.id, person.name, Role.EDITOR)


def bring_company(store: Store, actor: Actor, project: Project) -> None:
    """Bring topics, answers and openings of the company, and switch the assistant on."""
    company, shipped = load_company(COMPANY)
    languages = tuple(code for code in company.languages if code in company.faq)
    with store.writing() as tx:
        changes = []
        for name, answers in company.answers.items():
            topic = make_topic(tx, project, name)
            changes.append(topic_insertion(tx, topic))
            changes.extend(answer_changes(tx, topic, {code: _write(answer) for code, answer in answers.items()}))
            for language in languages:
                texts = [(each.text, topic.id) for each in company.faq[language] if each.intent == name]
                changes.extend(insertion(tx, row) for row in new_examples(tx, project, texts, language, "import"))
        tx.edits.apply(project.id, actor.user_id, "import", "Nordlicht", changes)
        settings = replace(get_settings(tx, project), enabled=True, languages=languages, random_share=RANDOM_SHARE)
        settings = replace(settings, retention_days=MAX_RETENTION_DAYS)
    change_settings(store, actor, project, settings)
    openings.import_openings(store, actor, project, shipped)


def _write(answer: Answer) -> str:
    """Write an answer as the bank keeps it: links and buttons on a line of their own."""
    pairs = [(button.label, button.send) for button in answer.buttons]
    pairs += [(link.label, link.url) for link in answer.links]
    line = " ".join(f"[{label}]({target})" for label, target in pairs)
    return f"{answer.text}\n{line}" if line else answer.text


def _visits(began: datetime, loaded: datetime, draw: Random) -> Iterator[tuple[datetime, str, str, str]]:
    """Yield what visitors wrote: each visitor within some minutes, more of them later, half outside working hours."""
    rows = [row for _, row in read_rows(FOLDER / COMPANIES[COMPANY] / "visitors.csv", ("text", "intent", "who"))]
    people = list(dict.fromkeys(row["who"] for row in rows))
    starts = sorted(_draw_start(began, loaded, draw) for _ in people)
    clocks = dict(zip(people, starts, strict=True))
    lines = []
    for row in rows:
        clocks[row["who"]] += timedelta(seconds=draw.randint(15, 90))
        lines.append((clocks[row["who"]], row["who"], row["text"], row["intent"]))
    yield from sorted(lines, key=lambda line: line[0])


def _draw_start(began: datetime, loaded: datetime, draw: Random) -> datetime:
    """Return when a visitor came: more came later, and about half of them between 8 and 18 on a working day."""
    while True:
        share: float = draw.random() ** 0.8
        at = began + (loaded - began - timedelta(hours=2)) * share
        at = at.replace(hour=int(min(23.0, max(0.0, draw.gauss(14, 5)))), minute=draw.randrange(60))
        if began < at < loaded - timedelta(hours=2):
            return at


def _work(  # noqa: PLR0917 - who does what until when
    store: Store, staff: Sequence[Actor], project: Project, truth: dict[str, str], until: datetime, draw: Random
) -> None:
    """Have the recruiters judge most of what came until a day, by what the visitors meant, and let it be learned."""
    with store.reading() as tx:
        waiting = [row for row in tx.messages.waiting(project.id, limit=None) if row.created < until]
        topics = {name: topic_id for topic_id, name in tx.topics.names(project.id).items()}
    for row in sorted(waiting, key=lambda row: row.created):
        if draw.random() < REVIEWED:
            with date_as(row.created + timedelta(hours=draw.randint(1, 30))):
                _judge(store, draw.choice(list(staff)), project, row, truth[row.id], topics)
    # When the last review is written.
    with date_as(until + timedelta(hours=31)):
        learning.learn(store, staff[0], project, anyway=True)


def _judge(  # noqa: PLR0917 - who judges what
    store: Store, actor: Actor, project: Project, row: MessageRow, meant: str, topics: dict[str, str]
) -> None:
    if row.intent == meant and not row.hand_over:
        reviewing.review(store, actor, project, row.id, "right" if meant in topics else "unsure")
    elif meant in topics:
        reviewing.review(store, actor, project, row.id, "wrong", topic_id=topics[meant])
    elif meant == "oos":
        reviewing.review(store, actor, project, row.id, "not_ours")
    else:
        # A general intent that reached the inbox: there is nothing to teach here.
        reviewing.review(store, actor, project, row.id, "unsure")
