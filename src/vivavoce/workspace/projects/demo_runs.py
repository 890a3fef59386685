"""The runs of the demo project: found by real exams of its earlier states, put in as if they had run then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import count
from typing import TYPE_CHECKING, Any

from vivavoce import demo
from vivavoce.jobs.concluding import put_findings
from vivavoce.jobs.exams.conversations import Conversations, lines_of
from vivavoce.jobs.exams.documents import canonical_json, dataset_from_bytes, storable
from vivavoce.jobs.exams.protocol import Conclusion, Finished, Outcome, Work
from vivavoce.jobs.exams.registry import load_exam
from vivavoce.jobs.starting import build_run, build_unit
from vivavoce.jobs.turns import judged_rows
from vivavoce.messages import join, restore_messages, say
from vivavoce.store.database import Store
from vivavoce.store.repositories.repository import require
from vivavoce.store.rows import Project, Role, Run, RunState, UnitState
from vivavoce.store.stamps import date_as, now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.dialogues.dialogues import exam_material as dialogue_material
from vivavoce.workspace.exams.naming import name_run
from vivavoce.workspace.projects.demo_story import BEGAN, PEOPLE, Examine, Scene, tell_story
from vivavoce.workspace.projects.projects import create_project
from vivavoce.workspace.topics.datasets import exam_material

if TYPE_CHECKING:
    from vivavoce.workspace.projects.demo_story import RunPlan, Scene


SUITE = "recruiting"
# The columns of an outcome that ship; text and topic are those of the material.
OUTCOMES = ("place", "guess", "confidence", "outcome", "right", "deferred", "wrong")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run of the story before anything is known of it; `subject`: what it is about, part of its name."""

    subject: str
    options: Mapping[str, Any]
    material: bytes
    suite_id: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What a run found, how many units it had and how long they took; results of units where pages show them."""

    conclusion: Conclusion
    units: int
    seconds: float
    results: Mapping[str, bytes] = field(default_factory=dict)


def keep_run(scene: Scene, actor: Actor, plan: RunPlan) -> Run:
    """Put in a run with what it found: intents and conversations as they ship, dialogues are scored in a moment."""
    prepared = prepare_run(scene, plan)
    if plan.kind == "intents":
        found = _read_intents(demo.past()[plan.key], prepared)
    elif plan.kind == "conversations":
        shipped = demo.past()[plan.key]
        results = {key: canonical_json(value) for key, value in shipped["results"].items()}
        conclusion = Conversations().conclude(prepared.material, {}, Finished(results), drawn=False)
        found = Found(conclusion, len(results), shipped["seconds"], results)
    else:
        found = _score_dialogues(prepared)
    return store_run(scene, actor, plan, prepared, found)


def prepare_run(scene: Scene, plan: RunPlan) -> Prepared:
    """Return options and material of a run, as the project is now; conversations have those that ship."""
    project, exam = scene.project, load_exam(plan.kind)
    if plan.kind == "conversations":
        with scene.store.reading() as tx:
            suite = require(tx.suites.by_name(project.id, SUITE), "suite", SUITE)
        subject = join(": ", (suite.title, ", ".join(plan.bots)))
        return Prepared(subject, exam.check({}), demo.past()[plan.key]["material"].encode("ascii"), suite.id)
    if plan.kind == "dialogues":
        options = exam.check({"source": project.name})
        return Prepared(say("all dialogues"), options, dialogue_material(scene.store, project))
    chosen: dict[str, Any] = {"classifier": project.classifier, "threshold": project.threshold}
    return Prepared("", exam.check(chosen), exam_material(scene.store, project))


def _read_intents(shipped: Mapping[str, Any], prepared: Prepared) -> Found:
    from vivavoce.intents.json_form import intents_result_from_json
    from vivavoce.jobs.exams.intents import describe_result

    result = intents_result_from_json(restore_messages(shipped["findings"]))
    examples = dataset_from_bytes(prepared.material).examples
    columns = zip(*(shipped["outcomes"][name] for name in OUTCOMES), strict=True)
    rows = [dict(zip(OUTCOMES, values, strict=True)) for values in columns]
    pairs = [(examples[row["place"]], row) for row in rows]
    outcomes = tuple(Outcome(text=example.text, intent=example.intent, **row) for example, row in pairs)
    return Found(describe_result(result, outcomes), shipped["units"], shipped["seconds"])


def _score_dialogues(prepared: Prepared) -> Found:
    from vivavoce.jobs.exams.dialogues import Dialogues

    exam, options, material = Dialogues(), dict(prepared.options), prepared.material
    units = exam.plan(material, options)
    results = {unit.key: exam.perform(Work("dialogues", "", material, options, unit.key)) for unit in units}
    return Found(exam.conclude(material, options, Finished(results), drawn=False), len(units), 2.0, results)


def store_run(scene: Scene, actor: Actor, plan: RunPlan, prepared: Prepared, found: Found) -> Run:
    """Store a run that is over, with its units and their turns."""
    began = now()
    suite_id, options, material = prepared.suite_id, prepared.options, prepared.material
    finished = began + timedelta(seconds=found.seconds)
    headline = storable(found.conclusion.headline)
    run = build_run(
        scene.first_project.id,
        plan.kind,
        plan.title,
        options,
        material,
        found.units,
        user_id=actor.user_id,
        suite_id=suite_id,
    )
    run = replace(run, state=RunState.DONE, done=run.total, headline=headline, started=began, finished=finished)
    # The units whose results are kept, all of them done.
    planned = load_exam(run.kind).plan(material, options) if found.results else ()
    units = [
        replace(build_unit(run, unit, place), state=UnitState.DONE, attempts=1, started=began, finished=finished)
        for place, unit in enumerate(planned)
    ]
    with scene.store.writing() as tx:
        if not plan.title:
            title = name_run(tx, scene.project, plan.kind, prepared.subject, began, options, suite_id=suite_id)
            run = replace(run, title=title)
        stored = tx.runs.add(run, material, units)
        tx.units.put_results(run.id, found.results)
        put_findings(tx, run, found.conclusion)
        if plan.kind == "conversations":
            for unit in units:
                lines = lines_of(material, unit.key, found.results[unit.key])
                tx.turns.put(judged_rows(unit.id, run.id, lines))
    return stored


NAME, SLUG, LANGUAGE = "Demo: recruiting", "demo", "en"


def create_demo_project(store: Store, actor: Actor, *, examine: Examine = keep_run) -> Project:
    """Make a project with a recruiting FAQ, all shipped suites, bots, logged dialogues, and what was done so far.

    The people in it are invented and cannot sign in. `examine` puts in what an exam found: as it was computed before
    and ships, or in another way. A project that has the short name already stays as it is; the new one gets a number.
    """
    actor.require(Role.EDITOR)
    loaded = now()
    with store.writing() as tx:
        taken = {project.slug for project in tx.projects.all()}
        cast = {login: _invent(tx, login, name) for login, name in PEOPLE.items()}
    slugs = (SLUG if number == 1 else f"{SLUG}-{number}" for number in count(1))
    slug = next(slug for slug in slugs if slug not in taken)
    with date_as(loaded - BEGAN):
        project = create_project(store, actor, NAME, slug=slug, language=LANGUAGE)
    tell_story(Scene(store, project, cast, loaded, examine))
    with store.reading() as tx:
        return tx.projects.by_slug(slug) or project


def _invent(tx: Transaction, login: str, name: str) -> Actor:
    """Return a person of the demo, who has no password and is disabled."""
    person = tx.users.by_login(login) or tx.users.add(login, name, Role.EDITOR, at=now() - BEGAN)
    tx.users.set(person.id, disabled=True)
    return Actor(person.id, person.name, Role.ADMIN)
