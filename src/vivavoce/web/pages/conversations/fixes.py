"""What to fix first: the problems of all bots of a run, what costs most turns first."""

from __future__ import annotations

from vivavoce.conversations.result import ConversationsResult, Problem
from vivavoce.messages import Message
from vivavoce.reports.conversations import wording
from vivavoce.reports.conversations.transcripts import gist
from vivavoce.reports.shared.texts import shorten
from vivavoce.store.repositories.results import WRONG
from vivavoce.store.rows import Run
from vivavoce.web.listing import Listing
from vivavoce.web.rendering import Link, View
from vivavoce.web.talk_words import talk_path
from vivavoce.web.visits import Visit
from vivavoce.workspace.conversations.conversations import TurnPlace, find_scenarios, said_at

FEW, MANY = 6, 40
LETTERS = 140
# The outcome of the turns that show a problem, where all of them have the same.
OUTCOMES = {
    "wrong_topic": "wrong_intent",
    "missed_topic": "missed",
    "wrong_reply": "wrong_reply",
    "overreach": "overreach",
    "no_reply": "no_reply",
    "timeout": "no_reply",
    "error": "error",
    "failed": "error",
    "typos_lost": WRONG,
}


def fixes_view(visit: Visit, run: Run, result: ConversationsResult, listing: Listing) -> View:
    """Return the problems of one bot, or of all."""
    words, bots = visit.words, [bot.name for bot in result.header.bots]
    chosen = listing.chosen["bot"] if listing.chosen["bot"] in bots else ""
    found = [problem for problem in result.problems if chosen in ("", problem.bot)]
    # Slow replies cost no turn. What happened in one place only comes after all that happened more often.
    found.sort(key=lambda problem: (problem.kind == "slow", -problem.turns))
    shown = found[: MANY if listing.chosen["problems"] == "all" else FEW]
    most = max((problem.turns for problem in shown), default=1)
    places = [TurnPlace(key.bot, key.script, key.repeat, turn) for p in shown for key, turn in p.examples[:1]]
    texts = said_at(visit.store, run, places)
    scenarios = find_scenarios(visit.store, run, [_scenario_of(place.script) for place in places])

    def describe(problem: Problem) -> View:
        key, turn = problem.examples[0]
        row = texts.get(TurnPlace(key.bot, key.script, key.repeat, turn))
        scenario = scenarios.get(_scenario_of(key.script))
        links = [Link(words.gettext("Read these turns"), _turns_address(listing.path, problem))]
        if scenario and visit.who.may("editor"):
            links.append(Link(words.gettext("Edit the scenario"), f"{visit.base}/scenarios/{scenario}"))
        return View(
            turns=problem.turns,
            share=problem.turns / most,
            bot=problem.bot,
            place=bots.index(problem.bot),
            title=wording.sentence(_without_count(problem)),
            remedy=wording.sentence(problem.remedy),
            sent=shorten(row.sent, LETTERS) if row else "",
            reply=gist(row.reply, result.header.plan.notice, LETTERS) if row else "",
            example=talk_path(visit.project, run, key.script, repeat=key.repeat, number=turn),
            links=links,
        )

    return View(
        rows=[describe(problem) for problem in shown if problem.examples],
        bots=[
            Link(name or words.gettext("All bots"), listing.address(bot=name) + "#fix", name == chosen)
            for name in (("", *bots) if len(bots) > 1 else ())
        ],
        left=len(found) - len(shown),
        more=listing.address(problems="all") + "#fix",
    )


def _without_count(problem: Problem) -> str:
    """Return the problem without its number of turns, which stands beside it."""
    inner = problem.message.values.get("problem") if isinstance(problem.message, Message) else None
    return inner if isinstance(inner, str) else problem.message


def _scenario_of(script: str) -> str:
    """Return the scenario of a script, which is called as its scenario, with the row in brackets."""
    return script.partition("[")[0]


def _turns_address(path: str, problem: Problem) -> str:
    """Return the address of the turns that show a problem, as far as turns can be narrowed down."""
    if problem.kind == "slow":
        return Listing(f"{path}/turns", {"bot": problem.bot}, "-time").address()
    kind = "typo" if problem.kind == "typos_lost" else ""
    chosen = {"bot": problem.bot, "outcome": OUTCOMES.get(problem.kind, ""), "kind": kind}
    return Listing(f"{path}/turns", chosen).address()
