"""Logged dialogues: what happened in them week by week, the list with the worst first, and their batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from fastapi import APIRouter
from markupsafe import Markup
from starlette.responses import Response

from vivavoce.dialogues.facts import FactKind
from vivavoce.errors import AbsentError
from vivavoce.messages import say
from vivavoce.reports.dialogues.facts import FACTS
from vivavoce.reports.dialogues.meanings import DIALOGUE_MEASURES
from vivavoce.reports.shared.views import Table, make_table
from vivavoce.store.repositories.dialogues import SORTS
from vivavoce.web.answers import table_file
from vivavoce.web.cells import link_cell, rate_cell
from vivavoce.web.forms import Form
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.listing import Listing, Word, check_ending, facet, read_listing
from vivavoce.web.pages.dialogues.views import (
    draw_weeks,
    fact_chip,
    fact_groups,
    headline,
    import_link,
    overview_tiles,
    section_tabs,
    week_label,
)
from vivavoce.web.pages.exams.findings import run_columns, run_row
from vivavoce.web.parts import Column, Field, Row, hidden_field
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.dialogues import dialogues
from vivavoce.workspace.dialogues.dialogues import TalkLine, some_talks
from vivavoce.workspace.dialogues.overview import (
    BANDS,
    NOTHING,
    Choice,
    Line,
    Week,
    choose,
    count_choices,
    list_weeks,
    look_over,
)
from vivavoce.workspace.exams import runs

router = APIRouter(prefix="/p/{slug}/dialogues")
LAST_RUNS = 5
ROWS = 25
MAX_EXPORTED = 50_000
MAX_WEEKS = 26
MAX_CHIPS = 3
# More values of one filter are a list of their own: the search finds the rest.
MAX_CHOICES = 12
# What a file has of each dialogue.
COLUMNS = (
    *("name", "bot", "batch", "messages", "score", "low", "high", "refusal"),
    *("mark", "marks", "passed", "run", "begins", "created"),
)
BAND_TITLES = {
    "low": gettext_noop("Low, below 2.5"),
    "middle": gettext_noop("Middle, 2.5 to 3.5"),
    "high": gettext_noop("High, from 3.5"),
    "none": gettext_noop("Not scored"),
}
RATED_TITLES = {"without": gettext_noop("Not rated"), "with": gettext_noop("Rated by people")}
FACT_LOOKS = {str(kind): (str(fact.tone), fact.sign) for kind, fact in FACTS.items()}
FILTERS = ("bot", "batch", "fact", "band", "marks", "week")
TalksAsked = Annotated[Listing, read_listing(*FILTERS, "q", sort="", sorts=SORTS, size=ROWS)]


@router.get("")
def show_dialogues(visit: ReaderVisit, asked: TalksAsked) -> Response:
    """Show what happened in the dialogues, and list them, the worst first."""
    words, listing, search = visit.words, asked.at(f"{visit.base}/dialogues"), asked.chosen["q"]
    lines = look_over(visit.store, visit.project, search)
    every = look_over(visit.store, visit.project) if search else lines
    last = runs.list_runs(visit.store, visit.project, kind=dialogues.KIND, limit=LAST_RUNS)
    view = View(
        tabs=section_tabs(visit, ""),
        run_columns=run_columns(words),
        runs=[run_row(visit, line) for line in last.lines],
        any=bool(every),
        begin=import_link(visit),
        lead=words.gettext("No dialogues imported yet."),
        actions=(),
    )
    if every:
        vars(view).update(_overview(visit, every, listing), **_list(visit, lines, listing))
    return visit.page("dialogues/dialogues.html", words.gettext("Dialogues"), view=view)


def _overview(visit: Visit, lines: Sequence[Line], listing: Listing) -> dict[str, object]:
    """Return what stands above the list; it follows the choice of a bot or a batch only."""
    words, editor = visit.words, visit.who.may("editor")
    chosen = {name: listing.chosen[name] for name in ("bot", "batch")}
    whole, some = Listing(listing.path, chosen), choose(lines, Choice(**chosen)) or lines
    scored, low = (
        any(line.score is not None for line in some),
        [line for line in some if line.band == "low"],
    )
    weeks = list_weeks(some)[-MAX_WEEKS:]
    rate = Link(words.gettext("Rate dialogues"), f"{listing.path}/rate", key="r", icon="star")
    title = words.gettext("Score again") if scored else words.gettext("Score dialogues")
    score = Link(title, f"{listing.path}/score", key="s")
    actions = [rate] if visit.who.may("reviewer") else []
    if bring := import_link(visit, "a"):
        actions = [*((rate, score) if scored else (score, rate)), bring]
    what_happened = words.ngettext(
        "What happened in the %(num)s dialogue with a low score",
        "What happened in the %(num)s dialogues with low scores",
        len(low),
    )
    begin = Link(words.gettext("Score these dialogues"), f"{listing.path}/score", icon="play")
    return {
        "lead": headline(words, some),
        "actions": actions,
        "tiles": overview_tiles(words, some, whole),
        "weeks": draw_weeks(words, weeks, whole, dated=all(line.known.dated for line in some)),
        "weeks_table": _tabulate_weeks(visit, weeks),
        "groups": fact_groups(words, low or some, Listing(listing.path, {**chosen, "band": "low" if low else ""})),
        "groups_title": what_happened if low else words.gettext("What happened"),
        "scored": scored,
        "score": begin if editor else None,
    }


def _tabulate_weeks(visit: Visit, weeks: Sequence[Week]) -> Table:
    words = visit.words
    titles = (
        words.gettext("Week of"),
        words.gettext("Dialogues"),
        words.said(FACTS[FactKind.FALLBACK].title),
        words.gettext("Mean score"),
    )
    rows = [
        (
            week_label(words, week),
            visit.write.number(week.count),
            rate_cell(words, week.fallbacks),
            rate_cell(words, week.score, DIALOGUE_MEASURES["score"]),
        )
        for week in weeks
    ]
    return make_table(words.gettext("Dialogues by week"), titles, rows, 3)


def _list(visit: Visit, lines: Sequence[Line], listing: Listing) -> dict[str, object]:
    """Return the list with its filters."""
    words, choice = visit.words, _choice(listing)
    chosen = _sort(choose(lines, choice), listing.sort)
    rows = {line.known.id: line for line in listing.cut(chosen)}
    hidden = [hidden_field(name, listing.chosen[name]) for name in FILTERS if listing.chosen[name]]
    sorts = {
        "": words.gettext("Worst first"),
        "-score": words.gettext("Best first"),
        "-created": words.gettext("Newest first"),
    }
    return {
        "path": listing.path,
        "fields": (Field("q", words.gettext("Search dialogues"), "search", listing.chosen["q"], key="f"), *hidden),
        "facets": list(_facets(words, lines, listing, choice)),
        "rows": [_row(visit, talk, rows[talk.id]) for talk in some_talks(visit.store, visit.project, list(rows))],
        "found": words.ngettext("%(num)s dialogue", "%(num)s dialogues", len(chosen)),
        "sorts": [Link(title, listing.address(sort=name), name == listing.sort) for name, title in sorts.items()],
        "all": f"{listing.path}#list" if any(listing.chosen.values()) else "",
        "pager": listing.pager(len(chosen)),
        "downloads": listing.downloads(),
    }


def _facets(words: Words, lines: Sequence[Line], listing: Listing, choice: Choice) -> Iterator[View]:
    """Yield the filters, each value with the number of dialogues that it would leave."""
    facts = {str(kind): words.said(fact.title) for kind, fact in FACTS.items()}
    weeks = {week.monday.isoformat(): week_label(words, week) for week in reversed(list_weeks(lines))}
    kinds: dict[str, tuple[str, dict[str, str] | None]] = {
        "fact": (words.gettext("What happened"), {**facts, NOTHING: words.gettext("Nothing went wrong")}),
        "band": (words.gettext("Score"), {str(name): words.gettext(BAND_TITLES[name]) for name in BANDS}),
        "rated": (words.gettext("Ratings"), {name: words.gettext(text) for name, text in RATED_TITLES.items()}),
        "bot": (words.gettext("Bot"), None),
        "batch": (words.gettext("Batch"), None),
        "week": (words.gettext("Week of"), weeks),
    }
    for name, (title, titles) in kinds.items():
        counts, current = count_choices(lines, choice, name), getattr(choice, name)
        known = titles if titles is not None else {value: value for value, _ in counts.most_common()}
        if current:
            known.setdefault(current, current)
        values = [value for value in known if counts[value] or value == current][:MAX_CHOICES]
        if len(values) > 1 or current:
            key, looks = ("marks" if name == "rated" else name), (FACT_LOOKS if name == "fact" else {})
            yield facet(listing, key, title, {v: known[v] for v in values}, counts, looks, anchor="#list")


def _choice(asked: Listing) -> Choice:
    chosen = {name: asked.chosen[name] for name in FILTERS if name != "marks"}
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
    words, write, known = visit.words, visit.write, line.known
    kinds = [kind for kind in FactKind if kind in known.kinds]
    if FactKind.ENDED_AFTER_FALLBACK in kinds:
        # That says already that the bot did not understand.
        kinds = [kind for kind in kinds if kind is not FactKind.FALLBACK]
    around = "" if talk.low is None or talk.high is None else write.between(talk.low, talk.high, 1, "")
    score = Markup('<span title="{}">{}</span>').format(words.said(talk.refusal), write.number(None))
    if talk.score is not None:
        small = Markup("<small>{}</small>").format(around) if around else ""
        score = Markup('<span class="rate">{}{}</span>').format(write.number(talk.score, 2), small)
    mark = Markup('<span class="muted">{}</span>').format(write.number(None))
    if talk.mark is not None:
        rating = write.number(talk.mark, 1), write.number(talk.marks)
        mark = Markup('<span class="rate">{}<small>n = {}</small></span>').format(*rating)
    return View(
        title=known.title or words.gettext("(no text)"),
        href=f"{visit.base}/dialogues/{talk.id}",
        chips=[fact_chip(words, kind) for kind in kinds[:MAX_CHIPS]],
        band=line.band,
        score=score,
        mark=mark,
        bot=known.bot,
        messages=words.ngettext("%(num)s message", "%(num)s messages", known.messages),
        when=write.day(known.at),
        name=known.name,
    )


@router.get(".{kind}")
def export_talks(visit: ReaderVisit, kind: str, asked: TalksAsked) -> Response:
    """Return the list as CSV or XLSX."""
    check_ending("dialogues", kind)
    lines = look_over(visit.store, visit.project, asked.chosen["q"])
    known = {line.known.id: line.known for line in _sort(choose(lines, _choice(asked)), asked.sort)[:MAX_EXPORTED]}
    rows = [
        (
            *(getattr(talk, name) for name in COLUMNS),
            known[talk.id].at if known[talk.id].dated else None,
            *(fact in known[talk.id].kinds for fact in FactKind),
        )
        for talk in some_talks(visit.store, visit.project, list(known))
    ]
    return table_file(f"{visit.project.slug}-dialogues", kind, (*COLUMNS, "held", *map(str, FactKind)), rows)


# --- batches -------------------------------------------------------------------------------------------------------


@router.get("/batches")
def show_batches(visit: ReaderVisit) -> Response:
    """Show the batches in which dialogues came."""
    words, base, link = visit.words, f"{visit.base}/dialogues", import_link(visit)
    batches = dialogues.list_batches(visit.store, visit.project)
    titles = (words.gettext("Batch"), words.gettext("Dialogues"), words.gettext("Exam"), words.gettext("Delete"))
    width = len(titles) if visit.who.may("editor") else 2
    rows = [
        (
            link_cell(Listing(base).address(batch=name), name),
            visit.write.number(n),
            link_cell(Listing(f"{base}/score").address(batch=name), words.gettext("Score these dialogues")),
            link_cell(Listing(f"{base}/batches/delete").address(name=name), words.gettext("Delete this batch")),
        )
        for name, n in batches.items()
    ]
    return visit.page(
        "dialogues/batches.html",
        words.gettext("Batches"),
        lead=words.ngettext("Dialogues from %(num)s batch.", "Dialogues from %(num)s batches.", len(batches)),
        tabs=section_tabs(visit, "/batches"),
        actions=[link] if link else [],
        begin=link,
        columns=[Column(title, number=title == titles[1]) for title in titles[:width]],
        rows=[Row(cells[:width]) for cells in rows],
    )


@router.get("/batches/delete")
def ask_to_delete(visit: EditorVisit, name: Word) -> Response:
    """Ask before a batch is deleted."""
    words, batches = visit.words, dialogues.list_batches(visit.store, visit.project)
    if name not in batches:
        raise AbsentError(say("there is no batch '{name}'", name=name), remedy=say("choose one from the list"))
    loss = words.ngettext(
        "This deletes %(num)s dialogue from batch %(name)s.",
        "This deletes %(num)s dialogues from batch %(name)s.",
        batches[name],
        name=name,
    )
    text = f"{loss} {words.gettext('Their scores and ratings are deleted too. You cannot undo this.')}"
    title, path = words.gettext("Delete this batch?"), f"{visit.base}/dialogues/batches"
    fields = (hidden_field("name", name),)
    return visit.page("dialogues/delete.html", title, text=text, action=f"{path}/delete", back=path, fields=fields)


@router.post("/batches/delete")
def delete_batch(visit: EditorVisit, form: Form) -> Response:
    """Delete the dialogues of a batch."""
    name = form.text("name", most=dialogues.MAX_BATCH)
    gone = dialogues.delete_batch(visit.store, visit.actor, visit.project, name)
    text = visit.words.ngettext("%(num)s dialogue deleted.", "%(num)s dialogues deleted.", gone)
    return visit.done(f"{visit.base}/dialogues/batches", text)
