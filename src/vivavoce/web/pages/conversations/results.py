"""What a run of conversations found: the verdict, numbers, and what to fix."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from vivavoce.conversations.result import ALL, ConversationsResult, Problem
from vivavoce.errors import AbsentError
from vivavoce.messages import Message, say
from vivavoce.reports.conversations import verdicts, wording
from vivavoce.reports.conversations.charts import outcome_rows
from vivavoce.reports.conversations.pictures import draw_differences
from vivavoce.reports.conversations.transcripts import gist
from vivavoce.reports.shared.texts import shorten
from vivavoce.reports.shared.views import Table, make_table
from vivavoce.store.repositories.results import WRONG
from vivavoce.store.rows import Run, RunState
from vivavoce.web.answers import download, table_file
from vivavoce.web.figures import find_figure
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, Number, Word, check_ending
from vivavoce.web.pages.conversations.live import live_page, place_asked, run_tabs
from vivavoce.web.pages.conversations.numbers import COLUMNS, heat_view, literal_table, panels_view, table_rows
from vivavoce.web.pages.conversations.side_by_side import Repeat
from vivavoce.web.pages.conversations.turns import run_crumbs
from vivavoce.web.parts import Choice, Field, hidden_field
from vivavoce.web.progress import progress_view, run_head, run_path
from vivavoce.web.rendering import Link, View
from vivavoce.web.talk_words import domain_title, kind_title, talk_path
from vivavoce.web.visits import ReaderVisit, Visit
from vivavoce.workspace.conversations import conversations
from vivavoce.workspace.exams import runs

router = APIRouter(prefix="/p/{slug}/conversations")
OTHER_RUNS = 30


@router.get("/{number}")
def show_run(
    visit: ReaderVisit,
    *,
    number: Number,
    domain: Word = ALL,
    literal: Annotated[bool, Query()] = False,
    problems: Word = "",
    bot: Word = "",
    script: Word = "",
    repeat: Repeat = 1,
) -> Response:
    """Show what a run found; while it goes on, how far it is."""
    line = runs.show_run(visit.store, visit.project, number, conversations.KIND)
    if line.run.state is not RunState.DONE:
        return live_page(visit, line, place_asked(script, repeat))
    chosen = {"domain": domain, "literal": "1" if literal else "", "bot": bot, "problems": problems}
    listing = Listing(run_path(visit.project, line.run), chosen)
    view = _result_view(visit, line, listing)
    title = visit.words.ours(line.run.title)
    return visit.page("conversations/result.html", title, view=view)


@router.get("/{number}/numbers.{kind_of_file}")
def export_numbers(visit: ReaderVisit, number: Number, kind_of_file: str) -> Response:
    """Return every number of every bot, domain and level as CSV or XLSX."""
    check_ending("numbers", kind_of_file)
    run = runs.show_run(visit.store, visit.project, number, conversations.KIND).run
    rows = list(table_rows(conversations.conversations_result(visit.store, run)))
    return table_file(f"{visit.project.slug}-conversations-{number}", kind_of_file, COLUMNS, rows)


@router.get("/{number}/junit.xml")
def export_junit(visit: ReaderVisit, number: Number) -> Response:
    """Return the run as JUnit XML, as build servers read it."""
    run = runs.show_run(visit.store, visit.project, number, conversations.KIND).run
    content = conversations.junit_of(visit.store, run).encode("utf-8", "replace")
    return download(f"{visit.project.slug}-conversations-{number}.xml", "application/xml", content)


def _result_view(visit: Visit, line: runs.RunLine, listing: Listing) -> View:
    words, run, result = visit.words, line.run, conversations.conversations_result(visit.store, line.run)
    domain = listing.chosen["domain"]
    domains = [ALL, *dict.fromkeys(cell.domain for cell in result.cells if cell.domain)]
    if domain not in domains:
        raise AbsentError(
            say("the run has no domain '{domain}'", domain=domain),
            remedy=say("choose one of the domains above the table"),
        )
    notes = dict.fromkeys((*runs.warnings_of(visit.store, run), *wording.remarks(result)))
    bots = [bot.name for bot in result.header.bots]
    real, doubt = wording.doubt(result)
    return View(
        head=run_head(words, visit.project, line),
        lead=words.said(wording.standing(result)),
        crumbs=run_crumbs(visit, run)[:1],
        real=real,
        doubt=doubt,
        facts=_describe_size(words, result),
        cautions=list(wording.cautions(result)),
        second=wording.second_sentence(result),
        tabs=run_tabs(visit, run, "result"),
        progress=progress_view(words, visit.project, runs.progress_of(visit.store, run)),
        warnings=list(dict.fromkeys(wording.sentence(note, bots) for note in notes)),
        domains=[
            Link(domain_title(words, name), listing.address(domain=name), name == domain)
            for name in (domains if len(domains) > 2 else ())
        ],
        bots=bots,
        panels=panels_view(visit, run, result, domain),
        gaps=draw_differences(result, domain, words.said),
        differences=_differences(words, result),
        values=_values_view(visit, run, result, listing),
        fixes=fixes_view(visit, run, result, listing),
        compare=_compare_fields(visit, run),
        compare_path=f"{visit.base}/conversations/compare",
    )


def _values_view(visit: Visit, run: Run, result: ConversationsResult, listing: Listing) -> View:
    words, bots = visit.words, [bot.name for bot in result.header.bots]
    domain, literal = listing.chosen["domain"], bool(listing.chosen["literal"])
    outcomes = [(words.gettext(name), *counts) for name, *counts in outcome_rows(result)]
    head = (words.gettext("Outcome"), *bots)
    return View(
        table=None if literal else heat_view(visit, run, result, domain),
        numbers=literal_table(words, result, domain, domain_title(words, domain)) if literal else None,
        switch=listing.address(literal="" if literal else "1"),
        downloads=(
            *Listing(f"{listing.path}/numbers").downloads(),
            Link(words.gettext("JUnit for build servers"), f"{listing.path}/junit.xml"),
        ),
        outcomes=find_figure(visit.store, visit.project, run, "outcomes"),
        outcome_table=make_table(words.gettext("Turns by outcome"), head, outcomes, len(bots)),
    )


def _describe_size(words: Words, result: ConversationsResult) -> str:
    """Say how much was held: conversations, turns of each bot, domains, levels."""
    plan, writer = result.header.plan, Writer(words)
    most = max((result.cell(bot.name).counts.counted for bot in result.header.bots), default=0)
    domains, levels = len({script.domain for script in plan.scripts} - {""}), len({s.level for s in plan.scripts})
    held, turns = writer.number(len(plan.scripts)), writer.number(most)
    parts = [
        words.ngettext("%(num)s conversation", "%(num)s conversations", len(plan.scripts), num=held),
        words.ngettext("%(num)s checked turn with each bot", "%(num)s checked turns with each bot", most, num=turns),
        words.ngettext("%(num)s domain", "%(num)s domains", domains) if domains else "",
        words.ngettext("%(num)s level", "%(num)s levels", levels),
    ]
    return " · ".join(filter(None, parts))


def _differences(words: Words, result: ConversationsResult) -> Table:
    head = (words.gettext("Where"), words.gettext("Bots"), words.gettext("Difference"), words.gettext("Verdict"))
    rows = [
        (
            kind_title(words, comparison.level) if comparison.level else domain_title(words, comparison.domain),
            words.gettext("%(a)s and %(b)s", a=comparison.a, b=comparison.b),
            words.said(verdicts.points_text(comparison)),
            words.said(verdicts.verdict_text(comparison)),
        )
        for comparison in result.comparisons
        if (comparison.domain, comparison.level) != (ALL, ALL)
    ]
    return make_table(words.gettext("Differences by domain and level"), head, rows)


def _compare_fields(visit: Visit, run: Run) -> tuple[Field, ...]:
    """Return the form that leads to a comparison with an earlier or later run; nothing where there is no other."""
    words = visit.words
    page = runs.list_runs(visit.store, visit.project, kind=conversations.KIND, state=RunState.DONE, limit=OTHER_RUNS)
    others = [line.run for line in page.lines if line.run.id != run.id]
    if not others:
        return ()
    before = next((other for other in others if other.number < run.number), others[0])
    choices = tuple(Choice(str(other.number), f"{other.number}: {words.ours(other.title)}") for other in others)
    return (
        Field("a", words.gettext("Compare with run"), "select", str(before.number), choices=choices),
        hidden_field("b", str(run.number)),
    )


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
    problems = [problem for problem in result.problems if chosen in ("", problem.bot)]
    # Slow replies cost no turn. What happened in one place only comes after all that happened more often.
    problems.sort(key=lambda problem: (problem.kind == "slow", -problem.turns))
    first = problems[: MANY if listing.chosen["problems"] == "all" else FEW]
    most = max((problem.turns for problem in first), default=1)
    places = [place for problem in first for place in problem.examples[:1]]
    rows = conversations.find_turns(visit.store, run, places)
    scenarios = conversations.find_scenarios(visit.store, run, [_scenario_of(key.script) for key, _ in places])

    def describe(problem: Problem) -> View:
        key, turn = problem.examples[0]
        row = rows.get((key, turn))
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
        rows=[describe(problem) for problem in first if problem.examples],
        bots=[
            Link(name or words.gettext("All bots"), listing.address(bot=name) + "#fix", name == chosen)
            for name in (("", *bots) if len(bots) > 1 else ())
        ],
        left=len(problems) - len(first),
        more=listing.address(problems="all") + "#fix",
    )


def _without_count(problem: Problem) -> str:
    """Return the problem without its number of turns, which stands beside it."""
    inner = problem.message.values.get("problem") if isinstance(problem.message, Message) else None
    return inner if isinstance(inner, str) else problem.message


def _scenario_of(script: str) -> str:
    return script.partition("[")[0]


def _turns_address(path: str, problem: Problem) -> str:
    """Return the address of the turns that show a problem, as far as turns can be narrowed down."""
    if problem.kind == "slow":
        return Listing(f"{path}/turns", {"bot": problem.bot}, "-time").address()
    kind = "typo" if problem.kind == "typos_lost" else ""
    chosen = {"bot": problem.bot, "outcome": OUTCOMES.get(problem.kind, ""), "kind": kind}
    return Listing(f"{path}/turns", chosen).address()
