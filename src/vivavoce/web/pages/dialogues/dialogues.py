"""Logged dialogues: what happened in them, week by week, and the list with the worst first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import Response

from vivavoce.dialogues.facts import FactKind
from vivavoce.store.repositories.dialogues import SORTS
from vivavoce.web.answers import table_file
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.listing import Listing, PageNumber, Search, Word, check_ending
from vivavoce.web.pages.dialogues.facts import (
    draw_weeks,
    fact_chip,
    fact_chips,
    fact_groups,
    headline,
    overview_tiles,
    week_label,
    weeks_table,
)
from vivavoce.web.pages.dialogues.views import import_link, mark_cell, score_cell, section_tabs
from vivavoce.web.pages.exams.runs import run_columns, run_row
from vivavoce.web.parts import Field, hidden_field
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import ReaderVisit, Visit
from vivavoce.workspace.dialogues import dialogues
from vivavoce.workspace.dialogues.dialogues import TalkLine, some_talks
from vivavoce.workspace.dialogues.overview import BANDS, NOTHING, Choice, Line, choose, count_choices, list_weeks
from vivavoce.workspace.dialogues.overview import look_over as look_over_dialogues
from vivavoce.workspace.exams import runs

router = APIRouter(prefix="/p/{slug}/dialogues")
LAST_RUNS = 5
ROWS = 25
MAX_EXPORTED = 50_000
# More values of one filter are a list of their own: the search finds the rest.
MAX_CHOICES = 12
COLUMNS = (
    "name",
    "bot",
    "batch",
    "messages",
    "score",
    "low",
    "high",
    "refusal",
    "mark",
    "marks",
    "passed",
    "run",
    "begins",
    "created",
)
BAND_TITLES = {
    "low": gettext_noop("Low, below 2.5"),
    "middle": gettext_noop("Middle, 2.5 to 3.5"),
    "high": gettext_noop("High, from 3.5"),
    "none": gettext_noop("Not scored"),
}
RATED_TITLES = {"without": gettext_noop("Not rated"), "with": gettext_noop("Rated by people")}


async def _asked_talks(
    *,
    bot: Word = "",
    batch: Word = "",
    fact: Word = "",
    band: Word = "",
    marks: Word = "",
    week: Word = "",
    q: Search = "",
    sort: Word = "",
    page: PageNumber = 1,
) -> Listing:
    chosen = {"bot": bot, "batch": batch, "fact": fact, "band": band, "marks": marks, "week": week, "q": q}
    return Listing("", chosen, sort if sort in SORTS else "", page, ROWS)


TalksAsked = Annotated[Listing, Depends(_asked_talks)]


@router.get("")
def show_dialogues(visit: ReaderVisit, asked: TalksAsked) -> Response:
    """Show what happened in the dialogues, and list them, the worst first."""
    words, listing = visit.words, asked.at(f"{visit.base}/dialogues")
    lines = look_over_dialogues(visit.store, visit.project, asked.chosen["q"])
    every = lines if not asked.chosen["q"] else look_over_dialogues(visit.store, visit.project)
    title = words.gettext("Dialogues")
    last = runs.list_runs(visit.store, visit.project, kind=dialogues.KIND, limit=LAST_RUNS)
    view = View(
        tabs=section_tabs(visit, ""),
        run_columns=run_columns(words),
        runs=[run_row(visit, line) for line in last.lines],
        any=bool(every),
        begin=import_link(visit) if visit.who.may("editor") else None,
        lead=words.gettext("No dialogues imported yet."),
        actions=(),
    )
    if every:
        vars(view).update(vars(_overview(visit, every, listing)), **vars(_list(visit, lines, listing)))
    return visit.page("dialogues/dialogues.html", title, view=view)


def _overview(visit: Visit, lines: Sequence[Line], listing: Listing) -> View:
    """Return what stands above the list; it follows the choice of a bot or a batch only."""
    words, chosen = visit.words, listing.chosen
    whole = Listing(listing.path, {"bot": chosen["bot"], "batch": chosen["batch"]})
    shown = choose(lines, Choice(bot=chosen["bot"], batch=chosen["batch"])) or lines
    scored, low = [line for line in shown if line.score is not None], [line for line in shown if line.band == "low"]
    grouped = low or shown
    narrowed = Listing(listing.path, {**whole.chosen, "band": "low"}) if low else whole
    return View(
        lead=headline(words, shown),
        actions=_actions(visit, scored=bool(scored)),
        tiles=overview_tiles(words, shown, whole),
        weeks=draw_weeks(visit, shown, whole),
        weeks_table=weeks_table(words, shown),
        groups=fact_groups(words, grouped, narrowed),
        groups_title=words.ngettext(
            "What happened in the %(num)s dialogue with a low score",
            "What happened in the %(num)s dialogues with low scores",
            len(low),
        )
        if low
        else words.gettext("What happened"),
        scored=bool(scored),
        score=Link(words.gettext("Score these dialogues"), f"{listing.path}/score", icon="play")
        if visit.who.may("editor")
        else None,
    )


def _list(visit: Visit, lines: Sequence[Line], listing: Listing) -> View:
    """Return the list with its filters."""
    words, choice = visit.words, _choice(listing)
    found = _sort(choose(lines, choice), listing.sort)
    rows = dict(zip([line.known.id for line in listing.cut(found)], listing.cut(found), strict=True))
    talks = some_talks(visit.store, visit.project, list(rows))
    hidden = [hidden_field(name, value) for name, value in listing.chosen.items() if value and name != "q"]
    return View(
        path=listing.path,
        fields=(Field("q", words.gettext("Search dialogues"), "search", listing.chosen["q"], key="f"), *hidden),
        facets=list(_facets(words, lines, listing, choice)),
        rows=[_row(visit, talk, rows[talk.id]) for talk in talks],
        found=words.ngettext("%(num)s dialogue", "%(num)s dialogues", len(found)),
        sorts=[
            Link(title, listing.address(sort=name), name == listing.sort)
            for name, title in (
                ("", words.gettext("Worst first")),
                ("-score", words.gettext("Best first")),
                ("-created", words.gettext("Newest first")),
            )
        ],
        all=Listing(listing.path).address() + "#list" if any(listing.chosen.values()) else "",
        pager=listing.pager(len(found)),
        downloads=listing.downloads(),
    )


def _facets(words: Words, lines: Sequence[Line], listing: Listing, choice: Choice) -> Iterator[View]:
    """Yield the filters, each value with the number of dialogues that it would leave."""
    facts: dict[str, str] = {
        **{str(kind): words.said(fact_chip(words, kind).title) for kind in FactKind},
        NOTHING: words.gettext("Nothing went wrong"),
    }
    weeks = {week.monday.isoformat(): week_label(words, week) for week in reversed(list_weeks(lines))}
    kinds: tuple[tuple[str, str, dict[str, str] | None], ...] = (
        ("fact", words.gettext("What happened"), facts),
        ("band", words.gettext("Score"), {str(name): words.gettext(BAND_TITLES[name]) for name in BANDS}),
        ("rated", words.gettext("Ratings"), {name: words.gettext(text) for name, text in RATED_TITLES.items()}),
        ("bot", words.gettext("Bot"), None),
        ("batch", words.gettext("Batch"), None),
        ("week", words.gettext("Week of"), weeks),
    )
    for name, title, titles in kinds:
        counts = count_choices(lines, choice, name)
        values = list(titles) if titles is not None else [value for value, _ in counts.most_common()]
        current = getattr(choice, name)
        shown = [value for value in values if counts[value] or value == current][:MAX_CHOICES]
        if len(shown) < 2 and not current:
            continue
        key = "marks" if name == "rated" else name
        choices = [
            View(
                title=titles[value] if titles is not None and value in titles else value,
                # To choose a value again takes the filter away.
                href=f"{listing.address(**{key: '' if value == current else value})}#list",
                count=counts[value],
                current=value == current,
                **_sign(words, name, value),
            )
            for value in shown
        ]
        yield View(title=title, choices=choices)


def _sign(words: Words, name: str, value: str) -> dict[str, str]:
    if name != "fact" or value == NOTHING:
        return {"tone": "", "sign": ""}
    chip = fact_chip(words, FactKind(value))
    return {"tone": chip.tone, "sign": chip.sign}


def _actions(visit: Visit, *, scored: bool) -> tuple[Link, ...]:
    words, base = visit.words, f"{visit.base}/dialogues"
    rate = Link(words.gettext("Rate dialogues"), f"{base}/rate", key="r", icon="star")
    score = Link(
        words.gettext("Score again") if scored else words.gettext("Score dialogues"), f"{base}/score", key="s"
    )
    if visit.who.may("editor"):
        return (rate, score, import_link(visit, "a")) if scored else (score, rate, import_link(visit, "a"))
    return (rate,) if visit.who.may("reviewer") else ()


@router.get(".{kind}")
def export_talks(visit: ReaderVisit, kind: str, asked: TalksAsked) -> Response:
    """Return the list as CSV or XLSX."""
    check_ending("dialogues", kind)
    lines = look_over_dialogues(visit.store, visit.project, asked.chosen["q"])
    found = {line.known.id: line for line in _sort(choose(lines, _choice(asked)), asked.sort)[:MAX_EXPORTED]}
    rows = [
        (
            *(getattr(talk, name) for name in COLUMNS),
            found[talk.id].known.at if found[talk.id].known.dated else None,
            *(kind in found[talk.id].known.kinds for kind in FactKind),
        )
        for talk in some_talks(visit.store, visit.project, list(found))
    ]
    return table_file(f"{visit.project.slug}-dialogues", kind, (*COLUMNS, "held", *map(str, FactKind)), rows)


def _choice(asked: Listing) -> Choice:
    chosen = {name: value for name, value in asked.chosen.items() if name not in ("q", "marks")}
    return Choice(rated=asked.chosen["marks"], **chosen)


def _sort(lines: Sequence[Line], sort: str) -> Sequence[Line]:
    """Return the lines in another order than the worst first."""
    if sort == "-score":
        return sorted(lines, key=lambda line: (line.score is None, -(line.score or 0.0)))
    if sort.endswith("name"):
        return sorted(lines, key=lambda line: line.known.name, reverse=sort.startswith("-"))
    if sort.endswith("created"):
        return sorted(lines, key=lambda line: line.known.at, reverse=sort.startswith("-"))
    return lines


def _row(visit: Visit, talk: TalkLine, line: Line) -> View:
    words, writer, known = visit.words, visit.write, line.known
    return View(
        title=known.title or words.gettext("(no text)"),
        href=f"{visit.base}/dialogues/{talk.id}",
        chips=fact_chips(words, line),
        band=line.band,
        score=score_cell(words, talk.score, talk.low, talk.high, talk.refusal),
        mark=mark_cell(words, talk.mark, talk.marks),
        bot=known.bot,
        messages=words.ngettext("%(num)s message", "%(num)s messages", known.messages),
        when=writer.day(known.at),
        name=known.name,
    )
