"""The biggest problems of a project: those of its newest intents exam, conversations and scored talks, in turn."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from vivavoce.records import Rate
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.conversations.conversations import conversations_result
from vivavoce.workspace.exams.intents import intents_result

if TYPE_CHECKING:
    from vivavoce.conversations.result import Problem as Failure

MOST_PROBLEMS = 3
# A talk that scores less is one that a person would call a bad one.
BAD_TALK = 2.5
# How topics are named in the sentence of a problem.
_QUOTED = re.compile(r"'([^']+)'")


@dataclass(frozen=True, slots=True)
class Problem:
    """One of the biggest problems. `kind`: that of a problem of the intents exam, "conversation" or "talk".

    `topics`: names of the topics concerned, `topic_ids` where they are now, None where one is gone. `cost`: of 1,000
    messages, with the number of examples that show it. `remedies`: codes of what can be done. `talk`: the id of a
    logged talk, which scored `size`. `run`: the number of the run that found it. `bot_id` and `scenario_id` are where
    a failure in conversations can be corrected, None where that is gone.
    """

    kind: str
    text: str
    run: int
    topics: tuple[str, ...] = ()
    topic_ids: tuple[str | None, ...] = ()
    cost: Rate | None = None
    remedies: tuple[str, ...] = ()
    size: Rate | None = None
    bot: str = ""
    remedy: str = ""
    talk: str = ""
    bot_id: str | None = None
    scenario_id: str | None = None


def find_problems(store: Store, project: Project, newest: Mapping[str, Run]) -> tuple[Problem, ...]:
    """Return the biggest problems of the newest run of each exam, in turn; those of an exam stay in its order."""
    found: list[list[Problem]] = []
    if "intents" in newest:
        found.append(problems_of_intents(store, project, newest["intents"], MOST_PROBLEMS))
    if "conversations" in newest:
        found.append(_failings(store, project, newest["conversations"]))
    if "dialogues" in newest:
        found.append(_bad_talks(store, newest["dialogues"]))
    mixed = [one for turn in zip_longest(*found) for one in turn if one is not None]
    return tuple(mixed[:MOST_PROBLEMS])


def problems_of_intents(store: Store, project: Project, run: Run, most: int | None = None) -> list[Problem]:
    """Return the problems that an intents exam found, in its order, with the topics as they are now."""
    from vivavoce.reports.intents.problem_wording import cost_sentence, problem_advice, problem_sentence

    shown = intents_result(store, run).problems[:most]
    with store.reading() as tx:
        ids = {name: topic_id for topic_id, name in tx.topics.names(project.id).items()}
    return [
        Problem(
            str(problem.kind),
            f"{problem_sentence(problem)} {cost_sentence(problem)}",
            run.number,
            problem.topics,
            tuple(ids.get(name) for name in problem.topics),
            Rate(problem.cost, problem.low, problem.high, problem.evidence),
            tuple(map(str, problem.remedies)),
            remedy=problem_advice(problem),
        )
        for problem in shown
    ]


def _failings(store: Store, project: Project, run: Run) -> list[Problem]:
    found = conversations_result(store, run).problems[:MOST_PROBLEMS]
    with store.reading() as tx:
        return [_failing(tx, project, run, one) for one in found]


def _failing(tx: Transaction, project: Project, run: Run, found: Failure) -> Problem:
    named = {name: tx.topics.by_name(project.id, name) for name in _QUOTED.findall(found.message)}
    topics = {name: topic.id for name, topic in named.items() if topic}
    bot = tx.bots.by_name(project.id, found.bot)
    # A script is called as its scenario, with the row in brackets where there are several.
    scripts = [key.script.partition("[")[0] for key, _ in found.examples]
    rows = [tx.suites.scenario_by_name(run.suite_id, script) for script in scripts[:1] if run.suite_id]
    return Problem(
        "conversation",
        found.message,
        run.number,
        tuple(topics),
        tuple(topics.values()),
        bot=found.bot,
        remedy=found.remedy,
        bot_id=bot.id if bot else None,
        scenario_id=rows[0].id if rows and rows[0] else None,
    )


def _bad_talks(store: Store, run: Run) -> list[Problem]:
    with store.reading() as tx:
        worst = tx.dialogues.worst(run.id, BAD_TALK, MOST_PROBLEMS)
    return [
        Problem(
            "talk",
            f"The talk {row.name} would be marked {row.score:.1f} of 5.",
            run.number,
            size=Rate(row.score, row.low, row.high, 1),
            bot=row.bot or "",
            talk=row.dialogue_id,
        )
        for row in worst
    ]
