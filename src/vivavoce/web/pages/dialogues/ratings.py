"""People rate talks before they see the score, and whether score and people agree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.dialogues.result import Agreement, Concord
from vivavoce.errors import InputError, UsageError
from vivavoce.messages import say
from vivavoce.records import Rate
from vivavoce.reports.dialogues.meanings import DIALOGUE_MEASURES
from vivavoce.reports.shared.views import Cell, Table, make_table
from vivavoce.store.database import Store
from vivavoce.store.rows import DialogueRow, Project
from vivavoce.web.access import InStore, ProjectInPath, Reader, Reviewer, Visitor
from vivavoce.web.answers import done, go, page, table_file, words_of
from vivavoce.web.cells import measure_column, rate_cell
from vivavoce.web.formats import Writer
from vivavoce.web.forms import Fields, Form
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, Word
from vivavoce.web.pages.dialogues.views import (
    MESSAGES,
    SECTION,
    base_path,
    bot_field,
    messages_of,
    rating_form,
    section_tabs,
)
from vivavoce.web.parts import Progress, hidden_field
from vivavoce.web.rendering import Link, View
from vivavoce.workspace.dialogues import agreement, dialogues, ratings
from vivavoce.workspace.dialogues.ratings import VERDICTS, Asked, Opinion, Order, Verdict, answers_of

router = APIRouter(prefix="/p/{slug}/dialogues")
BOT_NAMES = ("spearman", "pearson")
FOLLOWED = ("pearson", "spearman", "kendall", "mse")
AGREEMENT_COLUMNS = ("about", "number", "value", "low", "high", "n")


# --- the queue ---------------------------------------------------------------------------------------------------


@router.get("/rate")
def show_next(  # noqa: PLR0917
    request: Request,
    who: Reviewer,
    store: InStore,
    project: ProjectInPath,
    order: Word = "random",
    bot: Word = "",
    skip: Word = "",
) -> Response:
    """Show the next talk to be rated; its score is told afterwards."""
    asked = ratings.next_talk(store, who.actor, project, order=_order(order), bot=bot or None, skip=skip)
    return _rate_page(request, store, project, asked, bot)


@router.post("/rate")
def rate(request: Request, who: Reviewer, store: InStore, project: ProjectInPath, form: Form) -> Response:
    """Keep what a person thinks, and lead to the next talk."""
    order, bot, talk = _order(form.text("order")), form.text("bot", most=400), form.text("talk", most=64)
    row = dialogues.find_talk(store, project, talk).row
    opinion = read_opinion(form, row)
    try:
        form.check()
        if opinion.quality is None:
            raise UsageError(
                say("no mark was given"), where="quality", remedy=say("choose a mark from 1 to 5, or skip the talk")
            )
        ratings.rate_talk(store, who.actor, project, talk, opinion)
    except InputError as error:
        asked = ratings.next_talk(store, who.actor, project, order=order, bot=bot or None)
        shown = replace(asked, row=row)
        return _rate_page(request, store, project, shown, bot, opinion, error)
    return go(Listing(f"{base_path(project)}/rate").address(order=order, bot=bot))


@router.post("/rate/undo")
def take_back(request: Request, who: Reviewer, store: InStore, project: ProjectInPath, form: Form) -> Response:
    """Take the last mark back; the talk is asked for again."""
    order, bot = _order(form.text("order")), form.text("bot", most=400)
    ratings.take_back(store, who.actor, project, form.text("talk", most=64))
    path = Listing(f"{base_path(project)}/rate").address(order=order, bot=bot)
    return done(path, words_of(request).gettext("Your mark is taken back."))


def read_opinion(form: Fields, row: DialogueRow) -> Opinion:
    """Return what a person typed; what cannot be used is a fault of the form."""
    quality = form.whole("quality", 0, low=1, high=5) or None
    answers: dict[int, Verdict] = {}
    for number in answers_of(row):
        said = form.choice(f"answer-{number}", ("", *VERDICTS))
        verdict = next((one for one in VERDICTS if one == said), None)
        if verdict is not None:
            answers[number] = verdict
    return Opinion(quality, answers)


def _rate_page(  # noqa: PLR0917
    request: Request,
    store: Store,
    project: Project,
    asked: Asked,
    bot: str,
    opinion: Opinion | None = None,
    error: InputError | None = None,
) -> Response:
    words = words_of(request)
    listing = Listing(f"{base_path(project)}/rate", {"order": asked.order, "bot": bot})
    row = asked.row
    carried = {"order": asked.order, "bot": bot, "talk": row.id if row else ""}
    view = View(
        lead=_rate_lead(words, asked),
        tabs=section_tabs(words, project, "/rate", True),
        orders=_orders(words, listing, asked.order),
        path=listing.path,
        fields=(bot_field(words, store, project, bot), hidden_field("order", asked.order)),
        progress=Progress(words.gettext("Your marks"), asked.done, asked.total, finished=True),
        talk=row,
        why=_why(words, asked),
        messages=messages_of(words, row, opinion or asked.opinion) if row else (),
        left_out=max(0, len(row.turns) - MESSAGES) if row else 0,
        form=rating_form(words, listing.path),
        hidden=tuple(hidden_field(name, value) for name, value in carried.items()),
        skip=listing.address(skip=row.id) if row else "",
        last=_last(words, project, asked),
        begin=f"{base_path(project)}/add",
        silent=_silent(words, asked.silent),
        error=error,
    )
    title, status = words.gettext("Rate talks"), 400 if error else 200
    return page(request, "dialogues/rate.html", title, view=view, project=project, section=SECTION, status=status)


def _rate_lead(words: Words, asked: Asked) -> str:
    if asked.row is not None:
        return words.gettext("How good is this talk? You see its score after you have marked it.")
    if asked.total:
        return words.gettext("You have marked every talk here. Thank you.")
    return words.gettext("There is no talk to rate.")


def _silent(words: Words, count: int) -> str:
    if not count:
        return ""
    return words.ngettext(
        "%(num)s talk is left out: the bot never spoke in it.",
        "%(num)s talks are left out: the bot never spoke in them.",
        count,
    )


def _why(words: Words, asked: Asked) -> str:
    if asked.order == "worst":
        return words.gettext(
            "You are asked about this one because its score is the lowest that you have not marked. Such marks find "
            "faults soon, but they do not show how good the bot is as a whole."
        )
    return words.gettext(
        "You are asked about this one by chance, so that your marks stand for all talks, the good and the bad."
    )


def _orders(words: Words, listing: Listing, order: Order) -> tuple[Link, ...]:
    titles = (("random", words.gettext("At random")), ("worst", words.gettext("Worst first")))
    return tuple(Link(title, listing.address(order=name), name == order) for name, title in titles)


def _last(words: Words, project: Project, asked: Asked) -> View | None:
    if asked.last is None:
        return None
    writer, last = Writer(words), asked.last
    mark = writer.number(last.quality)
    told = words.gettext("You gave %(mark)s; the talk has no score.", mark=mark)
    if last.score is not None and last.score.row.score is not None:
        told = words.gettext(
            "You gave %(mark)s; the score is %(score)s.", mark=mark, score=writer.number(last.score.row.score, 1)
        )
    return View(name=last.row.name, href=f"{base_path(project)}/{last.row.id}", talk=last.row.id, said=told)


def _order(said: str) -> Order:
    return "worst" if said == "worst" else "random"


# --- agreement ---------------------------------------------------------------------------------------------------


@router.get("/agreement")
def show_agreement(request: Request, who: Reader, store: InStore, project: ProjectInPath, bot: Word = "") -> Response:
    """Show whether the score follows people, and whether people agree with each other."""
    from vivavoce.dialogues.following import follows_sentence, help_sentences

    words = words_of(request)
    accord = agreement.measure_accord(store, project, bot=bot or None)
    view = View(
        lead=words.said(follows_sentence(accord.score)),
        tabs=section_tabs(words, project, "/agreement", who.may("reviewer")),
        path=f"{base_path(project)}/agreement",
        fields=(bot_field(words, store, project, bot),),
        accord=accord,
        followed=_followed_table(words, accord.score) if accord.score else None,
        told=_told(words, accord),
        helps=tuple(words.said(text) for text in help_sentences(accord.score, accord.talks)),
        bots=_bots_table(words, accord),
        concords=_concords(words, accord),
        answers=_answers(words, accord),
        rate=_rate_link(words, project, who),
        downloads=Listing(f"{base_path(project)}/agreement", {"bot": bot}).downloads(),
    )
    title = words.gettext("Agreement")
    return page(request, "dialogues/agreement.html", title, view=view, project=project, section=SECTION)


@router.get("/agreement.{kind}")
def export_agreement(who: Reader, store: InStore, project: ProjectInPath, kind: str, bot: Word = "") -> Response:
    """Return every number of the page as CSV or XLSX, each with its interval and what it is counted over."""
    accord = agreement.measure_accord(store, project, bot=bot or None)
    rows = [(about, name, rate.value, rate.low, rate.high, rate.n) for about, name, rate in _numbers(accord)]
    return table_file(f"{project.slug}-agreement", kind, AGREEMENT_COLUMNS, rows)


def _numbers(accord: agreement.Accord) -> Iterator[tuple[str, str, Rate]]:
    if accord.score is not None:
        yield from (("score and marks", name, getattr(accord.score, name)) for name in FOLLOWED)
    for bot, found in accord.bots.items():
        yield from ((f"score and marks, bot {bot}", name, getattr(found, name)) for name in BOT_NAMES)
    for about, people in (("marks of talks", accord.talks), ("judgements of answers", accord.verdicts)):
        yield about, "same", people.same
        if people.near is not None:
            yield about, "at most one point apart", people.near
        yield about, "alpha", people.alpha
    yield "answers", "called good", accord.answers


def _rate_link(words: Words, project: Project, who: Visitor) -> Link | None:
    return Link(words.gettext("Rate talks"), f"{base_path(project)}/rate") if who.may("reviewer") else None


def _told(words: Words, accord: agreement.Accord) -> str:
    have = words.ngettext(
        "%(num)s talk has a mark; with a score too: %(scored)s.",
        "%(num)s talks have a mark; with a score too: %(scored)s.",
        accord.marked,
        scored=Writer(words).number(accord.scored),
    )
    if not accord.missing:
        return have
    more = words.ngettext(
        "%(num)s more talk with both is needed before bots may be compared by the score.",
        "%(num)s more talks with both are needed before bots may be compared by the score.",
        accord.missing,
    )
    return f"{have} {more}"


def _followed_table(words: Words, found: Agreement) -> Table:
    measures = [DIALOGUE_MEASURES[name] for name in FOLLOWED]
    caption = words.gettext("Newest score of each talk against the mean of people's marks")
    cells = [rate_cell(words, getattr(found, measure.name), measure, counted=False) for measure in measures]
    head = (words.gettext("Talks"), *(measure_column(words, measure) for measure in measures))
    return make_table(caption, head, [(Writer(words).number(found.n), *cells)])


def _bots_table(words: Words, accord: agreement.Accord) -> Table:
    measures, number = [DIALOGUE_MEASURES[name] for name in BOT_NAMES], Writer(words).number
    rows = [
        (bot, number(one.n), *(rate_cell(words, getattr(one, m.name), m, counted=False) for m in measures))
        for bot, one in accord.bots.items()
    ]
    head = (words.gettext("Bot"), words.gettext("Talks"), *(measure_column(words, measure) for measure in measures))
    return make_table(words.gettext("By bot; n/a below 10 marked talks"), head, rows, len(measures) + 1)


def _concords(words: Words, accord: agreement.Accord) -> Table:
    """Return how far people agree who judged the same thing."""
    score = DIALOGUE_MEASURES["score"]
    titles = (words.gettext("Marks of whole talks"), words.gettext("Judgements of single answers"))
    rows = [
        (
            Cell(title, _judged(words, found)),
            Writer(words).number(found.raters),
            rate_cell(words, found.same),
            rate_cell(words, found.near) if found.near else "",
            rate_cell(words, found.alpha, score),
        )
        for title, found in zip(titles, (accord.talks, accord.verdicts), strict=True)
    ]
    head = (
        words.gettext("What was judged"),
        words.gettext("People"),
        words.gettext("Pairs that say the same"),
        words.gettext("At most one point apart"),
        words.gettext("Alpha"),
    )
    return make_table(words.gettext("People who judged the same thing"), head, rows, 4)


def _judged(words: Words, found: Concord) -> str:
    told = words.ngettext(
        "%(num)s was judged by two people or more.", "%(num)s were judged by two people or more.", found.items
    )
    if found.missing:
        told += " " + words.ngettext(
            "%(num)s more is needed for an interval.", "%(num)s more are needed for an interval.", found.missing
        )
    return told


def _answers(words: Words, accord: agreement.Accord) -> str:
    if not accord.answers.n and not accord.unsure:
        return words.gettext("Nobody has judged single answers of the bot yet.")
    return words.ngettext(
        "Share of the judged answers that people call good. Not counted: %(num)s time somebody could not tell.",
        "Share of the judged answers that people call good. Not counted: %(num)s times somebody could not tell.",
        accord.unsure,
    )
