"""What a run of conversations found: the sentence, the seven numbers, pictures, real differences, what to fix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from vivavoce.conversations.result import ALL, ConversationsResult, Problem
from vivavoce.errors import AbsentError
from vivavoce.messages import say
from vivavoce.reports.conversations import verdicts, wording
from vivavoce.reports.conversations.charts import outcome_rows
from vivavoce.reports.conversations.exchanges import gist
from vivavoce.reports.shared.texts import shorten
from vivavoce.reports.shared.views import Table, make_table
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run, RunState
from vivavoce.web.access import InStore, ProjectInPath, Reader
from vivavoce.web.answers import download, page, table_file, words_of
from vivavoce.web.figures import Drawn, drawn
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, Number, Word, check_ending
from vivavoce.web.pages.conversations.live import Repeat, live_page, place_asked, run_tabs
from vivavoce.web.pages.conversations.numbers import COLUMNS, literal_table, main_table, table_rows
from vivavoce.web.pages.conversations.turns import turn_title
from vivavoce.web.parts import Choice, Field, hidden_field
from vivavoce.web.progress import progress_view, run_head, run_path
from vivavoce.web.rendering import Link, View
from vivavoce.web.talk_words import domain_title, named, talk_path
from vivavoce.workspace.conversations.conversations import KIND, TurnPlace, conversations_result, junit_of, said_at
from vivavoce.workspace.exams import runs

router = APIRouter(prefix="/p/{slug}/conversations")
FEW_PROBLEMS, MANY_PROBLEMS = 3, 12
EXAMPLES = 2
EXAMPLE_LETTERS = 160
OTHER_RUNS = 30
Switch = Annotated[bool, Query()]


class Example(NamedTuple):
    """A turn that shows a problem."""

    sent: str
    reply: str
    where: str
    href: str


class BotProblems(NamedTuple):
    """The biggest problems of a bot, each in a sentence, with what to do about it and turns that show it.

    `turns` leads to the turns that went wrong, `more` to the other problems.
    """

    bot: str
    problems: list[tuple[str, str, list[Example]]]
    left: int
    turns: str
    more: str


@router.get("/{number}")
def show_run(  # noqa: PLR0917
    request: Request,
    who: Reader,
    store: InStore,
    project: ProjectInPath,
    number: Number,
    domain: Word = "",
    literal: Switch = False,
    problems: Word = "",
    script: Word = "",
    repeat: Repeat = 1,
) -> Response:
    """Show what a run found; while it goes on, how far it is."""
    line = runs.show_run(store, project, number, KIND)
    if line.run.state is not RunState.DONE:
        return live_page(request, store, project, line, place_asked(script, repeat))
    asked = Asked(domain, literal, problems == "all")
    view = result_view(words_of(request), store, project, line, asked)
    return page(
        request,
        "conversations/result.html",
        words_of(request).ours(line.run.title),
        view=view,
        project=project,
        section="conversations",
    )


@router.get("/{number}/numbers.{kind_of_file}")
def export_numbers(
    who: Reader, store: InStore, project: ProjectInPath, number: Number, kind_of_file: str
) -> Response:
    """Return every number of every bot, domain and level as CSV or XLSX."""
    check_ending("numbers", kind_of_file)
    run = runs.show_run(store, project, number, KIND).run
    rows = list(table_rows(conversations_result(store, run)))
    return table_file(f"{project.slug}-conversations-{number}", kind_of_file, COLUMNS, rows)


@router.get("/{number}/junit.xml")
def export_junit(who: Reader, store: InStore, project: ProjectInPath, number: Number) -> Response:
    """Return the run as JUnit XML, as build servers read it."""
    run = runs.show_run(store, project, number, KIND).run
    content = junit_of(store, run).encode("utf-8", "replace")
    return download(f"{project.slug}-conversations-{number}.xml", "application/xml", content)


# --- the page ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Asked:
    """What of a result is shown: one domain or all, the paper's wording, all problems or the first few."""

    domain: str = ALL
    literal: bool = False
    all_problems: bool = False


def result_view(words: Words, store: Store, project: Project, line: runs.RunLine, asked: Asked) -> View:
    """Return all that a page shows of a result."""
    run, result = line.run, conversations_result(store, line.run)
    domains = list(dict.fromkeys(cell.domain for cell in result.cells if cell.domain))
    if asked.domain not in (ALL, *domains):
        raise AbsentError(
            say("the run has no domain '{domain}'", domain=asked.domain),
            remedy=say("choose one of those above the numbers"),
        )
    show_table = literal_table if asked.literal else main_table
    listing = Listing(run_path(project, run), {"domain": asked.domain, "literal": "1" if asked.literal else ""})
    return View(
        head=run_head(words, project, line),
        lead=words.said(run.headline),
        second=wording.second_sentence(result),
        tabs=run_tabs(words, project, run, "result"),
        progress=progress_view(words, project, runs.progress_of(store, run)),
        warnings=tuple(_warnings(store, run, result)),
        domains=_domain_links(words, listing, asked, domains),
        numbers=show_table(words, result, asked.domain, domain_title(words, asked.domain)),
        literal=asked.literal,
        switch=listing.address(literal="" if asked.literal else "1"),
        downloads=_downloads(words, listing.path),
        pictures=tuple(_pictures(words, store, project, run, result)),
        verdicts=tuple(verdicts.verdicts(result)),
        differences=_differences(words, result),
        problems=tuple(_problems(words, store, project, run, result, asked)),
        compare=_compare_fields(words, store, project, run),
        compare_path=f"/p/{project.slug}/conversations/compare",
    )


def _warnings(store: Store, run: Run, result: ConversationsResult) -> Iterator[str]:
    names = [bot.name for bot in result.header.bots]
    told = dict.fromkeys((*runs.warnings_of(store, run), *wording.remarks(result)))
    yield from dict.fromkeys(wording.sentence(note, names) for note in told)


def _domain_links(words: Words, listing: Listing, asked: Asked, domains: Sequence[str]) -> tuple[Link, ...]:
    if len(domains) < 2:
        return ()
    return tuple(
        Link(domain_title(words, one), listing.address(domain=one), one == asked.domain) for one in (ALL, *domains)
    )


def _downloads(words: Words, path: str) -> tuple[Link, ...]:
    tables = Listing(f"{path}/numbers").downloads()
    return (*tables, Link(words.gettext("JUnit for build servers"), f"{path}/junit.xml"))


def _pictures(
    words: Words, store: Store, project: Project, run: Run, result: ConversationsResult
) -> Iterator[tuple[Drawn, Table]]:
    """Yield the figures of a run, each with the table of its numbers."""
    tables = {"levels": _level_table, "outcomes": _outcome_table, "times": _time_table}
    for name, make in tables.items():
        figure = drawn(store, project, run, name)
        if figure is not None:
            yield figure, make(words, result)


def _level_table(words: Words, result: ConversationsResult) -> Table:
    bots, share = [bot.name for bot in result.header.bots], Writer(words).share
    cells = {(cell.level, cell.bot): cell.rates["accuracy"].value for cell in result.cells if not cell.domain}
    levels = wording.level_order(level for level, _ in cells if level)
    rows = [(named(words, level), *[share(cells.get((level, bot))) for bot in bots]) for level in levels]
    head = (words.gettext("Level"), *bots)
    return make_table(words.gettext("Right at each level"), head, rows, len(bots))


def _outcome_table(words: Words, result: ConversationsResult) -> Table:
    bots = [bot.name for bot in result.header.bots]
    rows = [(words.gettext(row[0]), *row[1:]) for row in outcome_rows(result)]
    head = (words.gettext("Outcome"), *bots)
    return make_table(words.gettext("Turns by what became of them"), head, rows, len(bots))


def _time_table(words: Words, result: ConversationsResult) -> Table:
    writer = Writer(words)
    head = (
        words.gettext("Bot"),
        words.gettext("Replies"),
        words.gettext("Median"),
        words.gettext("95 of 100"),
        words.gettext("99 of 100"),
    )
    rows = [
        (bot.name, writer.number(times.turns), *map(writer.milliseconds, (times.p50, times.p95, times.p99)))
        for bot in result.header.bots
        for times in (result.cell(bot.name).times,)
    ]
    return make_table(words.gettext("Response times"), head, rows, 4)


# --- differences and problems ------------------------------------------------------------------------------------


def _differences(words: Words, result: ConversationsResult) -> Table:
    """Return which bot is better than which in parts of the test."""
    head = (words.gettext("Where"), words.gettext("Bots"), words.gettext("Difference"), words.gettext("Verdict"))
    rows = [
        (
            named(words, one.level) if one.level else domain_title(words, one.domain),
            words.gettext("%(a)s and %(b)s", a=one.a, b=one.b),
            words.said(verdicts.points_text(one)),
            words.said(verdicts.verdict_text(one)),
        )
        for one in result.comparisons
        if (one.domain, one.level) != (ALL, ALL)
    ]
    return make_table(words.gettext("Differences in parts of the test"), head, rows)


def _problems(  # noqa: PLR0917 - what a result is read from
    words: Words, store: Store, project: Project, run: Run, result: ConversationsResult, asked: Asked
) -> Iterator[BotProblems]:
    path = run_path(project, run)
    chosen = {bot.name: _chosen(result, bot.name, asked) for bot in result.header.bots}
    places = [place for found, _ in chosen.values() for problem in found for place in _places(problem)]
    said, notice = said_at(store, run, places), result.header.plan.notice

    def examples_of(problem: Problem) -> Iterator[Example]:
        for place in _places(problem):
            row = said.get(place)
            yield Example(
                shorten(row.sent, EXAMPLE_LETTERS) if row else "",
                gist(row.reply, notice, EXAMPLE_LETTERS) if row else "",
                turn_title(words, place.script, place.number),
                talk_path(project, run, place.script, repeat=place.repeat, number=place.number),
            )

    for bot, (found, left) in chosen.items():
        if found:
            problems = [
                (wording.sentence(one.message), wording.sentence(one.remedy), list(examples_of(one))) for one in found
            ]
            turns = Listing(f"{path}/turns", {"bot": bot}).address()
            yield BotProblems(bot, problems, left, turns, f"{path}?problems=all")


def _chosen(result: ConversationsResult, bot: str, asked: Asked) -> tuple[list[Problem], int]:
    if not asked.all_problems:
        return wording.first_problems(result, bot, FEW_PROBLEMS)
    found = [problem for problem in result.problems if problem.bot == bot]
    return found[:MANY_PROBLEMS], max(0, len(found) - MANY_PROBLEMS)


def _places(problem: Problem) -> list[TurnPlace]:
    return [TurnPlace(key.bot, key.script, key.repeat, number) for key, number in problem.examples[:EXAMPLES]]


def _compare_fields(words: Words, store: Store, project: Project, run: Run) -> tuple[Field, ...]:
    """Return the form that leads to a comparison with an earlier or later run; nothing where there is no other."""
    found = runs.list_runs(store, project, kind=KIND, state=RunState.DONE, limit=OTHER_RUNS)
    others = tuple(
        Choice(str(line.run.number), f"{line.run.number}: {words.ours(line.run.title)}")
        for line in found.lines
        if line.run.id != run.id
    )
    if not others:
        return ()
    before = next((one.value for one in others if int(one.value) < run.number), others[0].value)
    return (
        Field("a", words.gettext("Compare with run"), "select", before, choices=others),
        hidden_field("b", str(run.number)),
    )
