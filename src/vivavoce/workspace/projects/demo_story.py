"""What happened in the demo project: three months of three invented people, done with the functions that people use.

The first import holds the shipped FAQ with its mistakes undone: topics that exist twice, examples under the wrong
topic, half of the examples missing. What follows corrects that step by step, and ends at the shipped FAQ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from functools import lru_cache
from typing import Any

from vivavoce import demo
from vivavoce.messages import join, say, say_count
from vivavoce.records import Example
from vivavoce.store.database import Store
from vivavoce.store.repositories.repository import require
from vivavoce.store.rows import Change, ExampleRow, Project, Topic
from vivavoce.store.stamps import date_as, new_id, now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.access.bot_rules import BotRules
from vivavoce.workspace.bots.bots import add_bot, change_bot
from vivavoce.workspace.dialogues.imports import add_talks
from vivavoce.workspace.dialogues.ratings import Opinion, rate_talk
from vivavoce.workspace.dialogues.reading import TalkChoices, read_log
from vivavoce.workspace.projects.projects import change_project
from vivavoce.workspace.scenarios.suites import import_suite
from vivavoce.workspace.topics.examples import add_examples, insertion, move_examples
from vivavoce.workspace.topics.history import undo_edit
from vivavoce.workspace.topics.topics import answer_changes, change_topic, merge_topics, topic_insertion
from vivavoce.workspace.uploads import Source

FAQ, LANGUAGE = "recruiting-en", "en"
BEGAN = timedelta(days=91)
PEOPLE = {"demo-freja": "Freja Lindqvist", "demo-tom": "Tom Harding", "demo-aylin": "Aylin Demir"}
FREJA, TOM, AYLIN = PEOPLE
ASSISTANT = "Norrland assistant"

# Topics that the first import has twice, with the name under which every second example stands.
TWINS = {
    "application_process": "how_to_apply",
    "salary": "Salary",
    "internships": "Internship",
    "contact_human": "talk_to_a_person",
    "application_documents": "documents",
    "benefits": "perks",
}
# Topics whose first examples came in under another one, and how many.
MISFILED = {
    "working_student": ("internships", 8),
    "thesis": ("internships", 8),
    "cover_letter": ("application_documents", 5),
    "upload_error": ("portal_login_problem", 5),
    "remote_work": ("working_hours", 5),
    "time_to_hear_back": ("application_evaluation", 6),
}
# Topics whose last examples people wrote by hand, and how many.
BY_HAND = {"qualification": 12, "professional_growth": 14, "language_expectations": 8}
# Where each import of examples ends in the shipped file.
PARTS = {"careers-faq.xlsx": 560, "chat-log-1.csv": 660, "chat-log-2.csv": 800, "chat-log-3.csv": 940}
LAST_PART = "chat-log-4.csv"


@dataclass(frozen=True, slots=True)
class Scene:
    """Where the story takes place. `edits` by a name that a later step calls it by."""

    store: Store
    first_project: Project
    cast: Mapping[str, Actor]
    loaded: datetime
    examine: Examine
    edits: dict[str, str] = field(default_factory=dict)

    @property
    def project(self) -> Project:
        """The project as it is now."""
        with self.store.reading() as tx:
            return tx.projects.get(self.first_project.id) or self.first_project

    def topic(self, name: str) -> str:
        """Return the id of a topic."""
        with self.store.reading() as tx:
            return require(tx.topics.by_name(self.first_project.id, name), "topic", name).id


@dataclass(frozen=True, slots=True)
class RunPlan:
    """A run of the story. `key` names what it found, `title` is what a person called it, if anybody did."""

    kind: str
    key: str
    title: str = ""
    bots: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()


Examine = Callable[[Scene, Actor, RunPlan], object]
Doing = Callable[[Scene, Actor], object]


def tell_story(scene: Scene) -> None:
    """Do everything that happened, each at its time."""
    for days, clock, who, doing in STORY:
        day = scene.loaded.date() - timedelta(days=days)
        with date_as(datetime.combine(day, time.fromisoformat(clock), UTC)):
            doing(scene, scene.cast[who])


def examine(kind: str, key: str, **others: Any) -> Doing:
    """Run an exam."""
    return lambda scene, actor: scene.examine(scene, actor, RunPlan(kind, key, **others))


def import_part(name: str) -> Doing:
    """Import a part of the FAQ."""
    return lambda scene, actor: _import_part(scene, actor, name)


def merge(source: str, into: str, *, why: str = "", name: str = "") -> Doing:
    """Merge a topic into another one."""

    def do(scene: Scene, actor: Actor) -> None:
        ids = [scene.topic(source)]
        edit = merge_topics(scene.store, actor, scene.project, ids, scene.topic(into), answer="fill", why=why)
        scene.edits[name] = edit.id

    return do


def undo(name: str, why: str) -> Doing:
    """Undo what an earlier step did."""
    return lambda scene, actor: undo_edit(scene.store, actor, scene.project, scene.edits[name], why=why)


def refile(topic: str) -> Doing:
    """Move the examples that came in under another topic to their own."""

    def do(scene: Scene, actor: Actor) -> None:
        texts = misfiled(topic)
        with scene.store.reading() as tx:
            rows = tx.examples.of_topic(scene.topic(MISFILED[topic][0]))
        ids = [row.id for row in rows if row.text in texts]
        move_examples(scene.store, actor, scene.project, ids, topic_id=scene.topic(topic))

    return do


def write_examples(topic: str, why: str) -> Doing:
    """Add the examples of a topic that people wrote by hand."""

    def do(scene: Scene, actor: Actor) -> None:
        add_examples(scene.store, actor, scene.project, by_hand(topic), topic_id=scene.topic(topic), why=why)

    return do


def set_threshold(threshold: float, why: str = "") -> Doing:
    """Change from which confidence on the bot answers."""

    def do(scene: Scene, actor: Actor) -> None:
        own = scene.project
        change_project(
            scene.store, actor, own, name=own.name, threshold=threshold, classifier=own.classifier, why=why
        )

    return do


def assign(topic: str, owner: str) -> Doing:
    """Give a topic to somebody."""
    return lambda scene, actor: change_topic(scene.store, actor, scene.project, scene.topic(topic), owner=owner)


def bring_suite(name: str) -> Doing:
    """Add a shipped suite."""
    return lambda scene, actor: import_suite(scene.store, actor, scene.project, name)


def connect(name: str, kind: str, about: str) -> Doing:
    """Add a bot, or let it run another engine."""

    def do(scene: Scene, actor: Actor) -> None:
        entry = {"kind": kind, "about": about}
        with scene.store.reading() as tx:
            known = {bot.name: bot.id for bot in tx.bots.of_project(scene.first_project.id)}
        if name in known:
            store, project = scene.store, scene.project
            change_bot(store, actor, project, known[name], name=name, entry=entry, rules=BotRules(), why=about)
        else:
            add_bot(scene.store, actor, scene.project, name, entry, rules=BotRules())

    return do


def log_dialogues(first: int, last: int, batch: str) -> Doing:
    """Import some of the shipped dialogues."""

    def do(scene: Scene, actor: Actor) -> None:
        path = demo.dialogues_path()
        talks = read_log(Source(path.name, path.read_bytes())).dialogues[first:last]
        add_talks(scene.store, actor, scene.project, talks, TalkChoices(batch=batch))

    return do


def rate(*qualities: int) -> Doing:
    """Rate the first dialogues that this person has not rated."""

    def do(scene: Scene, actor: Actor) -> None:
        with scene.store.reading() as tx:
            rated = {row.dialogue_id for row in tx.ratings.by_person(scene.first_project.id, actor.user_id, "")}
            ids = [each for each in tx.dialogues.list_ids(scene.first_project.id) if each not in rated]
        for dialogue_id, quality in zip(ids, qualities, strict=False):
            rate_talk(scene.store, actor, scene.project, dialogue_id, Opinion(quality))

    return do


def misfiled(topic: str) -> tuple[str, ...]:
    """Return the texts of a topic that came in under another one; none that another topic has as well."""
    texts = [example.text for example in _faq() if example.intent == topic and _counts()[example.text] == 1]
    return tuple(texts[: MISFILED[topic][1]])


def by_hand(topic: str) -> tuple[str, ...]:
    """Return the texts of a topic that people wrote by hand."""
    texts = [example.text for example in _faq() if example.intent == topic and _counts()[example.text] == 1]
    return tuple(texts[-BY_HAND[topic] :])


@lru_cache(maxsize=1)
def _faq() -> tuple[Example, ...]:
    return demo.load(FAQ).examples


@lru_cache(maxsize=1)
def _counts() -> Counter[str]:
    return Counter(example.text for example in _faq())


def part_of(name: str) -> list[tuple[Example, str]]:
    """Return the examples of an import, each with the topic under which it came in."""
    bounds = [0, *PARTS.values(), len(_faq())]
    place = [*PARTS, LAST_PART].index(name)
    later = {text for topic in BY_HAND for text in by_hand(topic)}
    wrong = {text: topic for own, (topic, _) in MISFILED.items() for text in misfiled(own)}
    rows = []
    for number, example in enumerate(_faq()[bounds[place] : bounds[place + 1]]):
        topic = wrong.get(example.text, str(example.intent))
        twin = TWINS.get(topic) if place == 0 and number % 2 else None
        if example.text not in later:
            rows.append((example, twin or topic))
    return rows


def _import_part(scene: Scene, actor: Actor, name: str) -> None:
    rows = part_of(name)
    with scene.store.writing() as tx:
        known = {topic: topic_id for topic_id, topic in tx.topics.names(scene.first_project.id).items()}
        new = [topic for topic in dict.fromkeys(topic for _, topic in rows) if topic not in known]
        parts = [say("{examples} added", examples=say_count(len(rows), "{n} example", "{n} examples"))]
        if new:
            parts.append(say("{topics} created", topics=say_count(len(new), "{n} topic", "{n} topics")))
        summary = say("Import of {name}: {parts}", name=name, parts=join(", ", parts))
        changes = list(_insert(tx, scene.first_project, rows, known, new))
        tx.edits.apply(scene.first_project.id, actor.user_id, "import", summary, changes)


def _insert(
    tx: Transaction,
    project: Project,
    rows: Iterable[tuple[Example, str]],
    known: dict[str, str],
    new: Sequence[str],
) -> Iterator[Change]:
    """Describe that topics come with their answers, then their examples."""
    shipped = {entry.intent: entry for entry in demo.topics(FAQ)}
    topics = {
        name: Topic(new_id(), project.id, name, shipped[name].title if name in shipped else "", "", now())
        for name in new
    }
    yield from (topic_insertion(tx, topic) for topic in topics.values())
    for name in [name for name in topics if name in shipped]:
        yield from answer_changes(tx, topics[name], {LANGUAGE: shipped[name].answer})
    ids = known | {name: topic.id for name, topic in topics.items()}
    first = tx.examples.next_place(project.id)
    for place, (example, topic) in enumerate(rows, first):
        created = example.created or now()
        row = ExampleRow(new_id(), project.id, ids[topic], example.text, LANGUAGE, "demo", created, place)
        yield insertion(tx, row)


LEVELS = ("basic", "medium")
TWO_BOTS = (ASSISTANT, "nearest")
BUILT_IN = "built-in bot that runs the suite's agent"
# How many days before the project is loaded, at what time (UTC), who, and what.
STORY: tuple[tuple[int, str, str, Doing], ...] = (
    (90, "08:10", FREJA, import_part("careers-faq.xlsx")),
    (90, "09:30", TOM, set_threshold(0.6, "rather ask a person than answer wrongly")),
    (90, "09:40", TOM, examine("intents", "first")),
    (83, "07:50", FREJA, import_part("chat-log-1.csv")),
    (83, "13:05", TOM, examine("intents", "chat log 1")),
    (77, "08:00", FREJA, log_dialogues(0, 8, "week 1")),
    (72, "12:02", FREJA, merge("Salary", "salary")),
    (72, "12:03", FREJA, merge("Internship", "internships")),
    (72, "12:05", FREJA, merge("how_to_apply", "application_process")),
    (72, "12:06", FREJA, merge("talk_to_a_person", "contact_human")),
    (72, "12:08", FREJA, merge("documents", "application_documents")),
    (72, "12:10", FREJA, merge("perks", "benefits")),
    (72, "12:20", FREJA, examine("intents", "merges")),
    (70, "08:00", FREJA, log_dialogues(8, 15, "week 2")),
    (63, "07:45", AYLIN, import_part("chat-log-2.csv")),
    (63, "08:00", FREJA, log_dialogues(15, 22, "week 3")),
    (63, "08:05", AYLIN, examine("intents", "chat log 2")),
    (62, "09:00", FREJA, examine("dialogues", "Three weeks of dialogues")),
    (62, "09:30", FREJA, rate(4, 2, 5, 3, 4, 2, 3, 1, 4, 3)),
    (54, "14:12", AYLIN, merge("thesis", "internships", why="both are for students", name="students")),
    (54, "14:15", AYLIN, examine("intents", "thesis merged")),
    (53, "08:20", AYLIN, undo("students", "the answers differ: a thesis is unpaid")),
    (48, "09:00", AYLIN, refile("working_student")),
    (48, "09:04", AYLIN, refile("thesis")),
    (48, "09:07", AYLIN, refile("cover_letter")),
    (48, "09:11", AYLIN, refile("upload_error")),
    (48, "09:15", AYLIN, refile("remote_work")),
    (48, "09:21", AYLIN, refile("time_to_hear_back")),
    (48, "09:30", AYLIN, examine("intents", "moves")),
    (41, "07:30", AYLIN, bring_suite("recruiting")),
    (41, "07:31", AYLIN, bring_suite("flight")),
    (41, "07:32", AYLIN, bring_suite("medical")),
    (41, "07:40", AYLIN, connect("vectors", "vectors", BUILT_IN)),
    (41, "07:41", AYLIN, connect("nearest", "nearest", BUILT_IN)),
    (41, "07:42", AYLIN, connect("keywords", "keywords", BUILT_IN)),
    (41, "08:00", AYLIN, connect(ASSISTANT, "keywords", "our assistant, first version")),
    (41, "08:10", AYLIN, examine("conversations", "first version", bots=TWO_BOTS, levels=LEVELS)),
    (34, "07:55", AYLIN, import_part("chat-log-3.csv")),
    (34, "08:10", AYLIN, examine("intents", "chat log 3")),
    (33, "08:00", FREJA, log_dialogues(22, 29, "week 7")),
    (26, "08:00", FREJA, log_dialogues(29, 35, "week 8")),
    (20, "10:05", FREJA, write_examples("qualification", "degrees, licences and experience were missing")),
    (20, "10:22", FREJA, write_examples("professional_growth", "training and courses were missing")),
    (20, "10:40", FREJA, write_examples("language_expectations", "French and Swedish were missing")),
    (20, "10:45", TOM, assign("salary", "Tom Harding")),
    (20, "10:50", TOM, examine("intents", "new examples")),
    (13, "13:00", TOM, set_threshold(0.5, "eight weeks without a complaint about a wrong answer")),
    (13, "13:02", TOM, examine("intents", "threshold", title="Threshold 0.5 instead of 0.6")),
    (12, "08:00", FREJA, log_dialogues(35, 40, "week 10")),
    (12, "08:30", FREJA, examine("dialogues", "All dialogues so far")),
    (11, "15:00", TOM, rate(3, 2, 4, 3, 5, 2, 3, 2)),
    (9, "09:00", AYLIN, connect(ASSISTANT, "vectors", "our assistant, second version")),
    (9, "09:10", AYLIN, examine("conversations", "second version", bots=TWO_BOTS, levels=LEVELS)),
    (5, "08:00", FREJA, import_part(LAST_PART)),
    (4, "11:30", TOM, assign("internships", "Aylin Demir")),
    (2, "08:15", TOM, examine("intents", "chat log 4")),
    (1, "14:00", FREJA, rate(4, 3, 2, 5)),
)
