"""Examine the earlier states of the demo project and write what was found: `python tools/make_demo_past.py`.

Run it again when the shipped FAQ, the suites, the story (`workspace/projects/demo_story.py`) or an exam changes. It
takes a few minutes. A test compares a run of the file with the exam as it is.
"""

from __future__ import annotations

import json
import lzma
import tempfile
import threading
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from vivavoce import demo
from vivavoce.jobs.exams.protocol import Conclusion, Finished, Work
from vivavoce.jobs.exams.registry import load_exam
from vivavoce.jobs.worker import Worker
from vivavoce.store.migrating import create_store
from vivavoce.store.rows import RunState
from vivavoce.workspace.access.actors import PRODUCT, Actor
from vivavoce.workspace.access.bot_rules import BotRules
from vivavoce.workspace.conversations.choices import Choice
from vivavoce.workspace.conversations.conversations import start_conversations
from vivavoce.workspace.projects.demo_runs import (
    OUTCOMES,
    SUITE,
    Prepared,
    create_demo_project,
    keep_run,
    prepare_run,
)
from vivavoce.workspace.projects.demo_story import RunPlan, Scene

DIGITS = 4


def main() -> None:
    """Tell the story with real exams and write the file."""
    past: dict[str, Any] = {}

    def examine(scene: Scene, actor: Actor, plan: RunPlan) -> None:
        began = time.process_time()
        if plan.kind == "intents":
            past[plan.key] = examine_topics(prepare_run(scene, plan))
        elif plan.kind == "conversations":
            past[plan.key] = hold_conversations(scene, plan)
        else:
            keep_run(scene, actor, plan)
            return
        past[plan.key]["seconds"] = round(time.process_time() - began, 1)
        print(f"{plan.key}: {past[plan.key]['seconds']} s")

    with tempfile.TemporaryDirectory() as folder:
        create_demo_project(create_store(Path(folder) / "workspace.db"), PRODUCT, examine=examine)
    content = json.dumps(past, separators=(",", ":"), ensure_ascii=False).encode()
    demo.past_path().write_bytes(lzma.compress(content, preset=9 | lzma.PRESET_EXTREME))
    print(f"{demo.past_path()}: {demo.past_path().stat().st_size:,} bytes")


def examine_topics(prepared: Prepared) -> dict[str, Any]:
    """Return the findings and outcomes of an intents exam."""
    conclusion, units = conclude_topics(prepared.material, prepared.options)
    findings = json.loads(next(each.content for each in conclusion.documents if each.name == "findings.json"))
    rows = [asdict(outcome) for outcome in conclusion.outcomes]
    columns = {name: [shorten(row[name]) for row in rows] for name in OUTCOMES}
    return {"units": units, "findings": shorten(findings), "outcomes": columns}


def conclude_topics(material: bytes, options: Any) -> tuple[Conclusion, int]:
    """Run an intents exam here and now; return what it found and how many units it had."""
    exam = load_exam("intents")
    units = exam.plan(material, options)
    results = {unit.key: exam.perform(Work("intents", "demo", material, options, unit.key)) for unit in units}
    return exam.conclude(material, options, Finished(results)), len(units)


def hold_conversations(scene: Scene, plan: RunPlan) -> dict[str, Any]:
    """Return material and transcripts of a run of conversations, without what differs from one time to the next."""
    choice = Choice(SUITE, plan.bots, levels=plan.levels)
    run = start_conversations(scene.store, PRODUCT, scene.project, choice, BotRules())
    # In a thread of its own, where the clock goes on.
    worker = threading.Thread(target=Worker(scene.store).drain)
    worker.start()
    worker.join()
    with scene.store.reading() as tx:
        done = tx.runs.get(run.id)
        if done is None or done.state is not RunState.DONE:
            raise SystemExit(f"{plan.key}: {done}")
        material = tx.runs.material(run.id).decode("ascii")
        results = {key: json.loads(result) for key, result in tx.units.results(run.id).items()}
    with scene.store.writing() as tx:
        tx.runs.delete(run.id)
    for number, (_, transcript) in enumerate(results.items(), 1):
        transcript["sessions"] = [[f"viva-{number}", count] for _, count in transcript["sessions"]]
        for _, exchange in transcript["exchanges"]:
            for name in ("first_ms", "last_ms"):
                if exchange.get(name) is not None:
                    exchange[name] = round(exchange[name], 1)
    return {"material": material, "results": results}


def shorten(value: Any) -> Any:
    """Return JSON with numbers of a few digits: all that pages show."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {name: shorten(each) for name, each in value.items()}
    return [shorten(each) for each in value] if isinstance(value, list) else value


if __name__ == "__main__":
    main()
