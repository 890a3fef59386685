"""People rate talks before they see the score, and whether score and people agree."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.errors import InputError, UsageError
from vivavoce.messages import say
from vivavoce.store.rows import DialogueRow
from vivavoce.web.answers import go
from vivavoce.web.forms import Fields, Form
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, Word
from vivavoce.web.pages.dialogues.views import (
    MESSAGES,
    bot_field,
    import_link,
    messages_of,
    rating_form,
    section_tabs,
)
from vivavoce.web.parts import Progress, hidden_field
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import ReviewerVisit, Visit
from vivavoce.workspace.dialogues import dialogues, ratings
from vivavoce.workspace.dialogues.ratings import VERDICTS, Asked, Opinion, Order, Verdict, answers_of

router = APIRouter(prefix="/p/{slug}/dialogues")
BOT_NAMES = ("spearman", "pearson")
FOLLOWED = ("pearson", "spearman", "kendall", "mse")
AGREEMENT_COLUMNS = ("about", "number", "value", "low", "high", "n")


@router.get("/rate")
def show_next(visit: ReviewerVisit, order: Word = "random", bot: Word = "", skip: Word = "") -> Response:
    """Show the next dialogue to be rated; its score is shown afterwards."""
    chosen = _order(order)
    asked = ratings.next_talk(visit.store, visit.actor, visit.project, order=chosen, bot=bot or None, skip=skip)
    return _rate_page(visit, asked, bot)


@router.post("/rate")
def rate(visit: ReviewerVisit, form: Form) -> Response:
    """Keep what a person thinks, and lead to the next talk."""
    order, bot, talk = _order(form.text("order")), form.text("bot", most=400), form.text("talk", most=64)
    row = dialogues.find_talk(visit.store, visit.project, talk).row
    opinion = read_opinion(form, row)
    try:
        form.check()
        if opinion.quality is None:
            raise UsageError(
                say("no rating given"),
                where="quality",
                remedy=say("choose a rating from 1 to 5, or skip the dialogue"),
            )
        ratings.rate_talk(visit.store, visit.actor, visit.project, talk, opinion)
    except InputError as error:
        asked = ratings.next_talk(visit.store, visit.actor, visit.project, order=order, bot=bot or None)
        return _rate_page(visit, replace(asked, row=row), bot, opinion, error)
    return go(Listing(f"{visit.base}/dialogues/rate").address(order=order, bot=bot))


@router.post("/rate/undo")
def take_back(visit: ReviewerVisit, form: Form) -> Response:
    """Take the last mark back; the talk is asked for again."""
    order, bot = _order(form.text("order")), form.text("bot", most=400)
    ratings.take_back(visit.store, visit.actor, visit.project, form.text("talk", most=64))
    path = Listing(f"{visit.base}/dialogues/rate").address(order=order, bot=bot)
    return visit.done(path, visit.words.gettext("Rating removed."))


def read_opinion(form: Fields, row: DialogueRow) -> Opinion:
    """Return what a person typed; what cannot be used is a fault of the form."""
    answers: dict[int, Verdict] = {}
    for number in answers_of(row):
        typed = form.choice(f"answer-{number}", ("", *VERDICTS))
        if typed in VERDICTS:
            answers[number] = typed
    return Opinion(form.whole("quality", 0, low=1, high=5) or None, answers)


def _rate_page(
    visit: Visit, asked: Asked, bot: str, opinion: Opinion | None = None, error: InputError | None = None
) -> Response:
    words, row = visit.words, asked.row
    listing = Listing(f"{visit.base}/dialogues/rate", {"order": asked.order, "bot": bot})
    carried = {"order": asked.order, "bot": bot, "talk": row.id if row else ""}
    titles = (("random", words.gettext("Random")), ("worst", words.gettext("Worst first")))
    lead, why, silent = _rate_texts(words, asked)
    agreement = Link(words.gettext("See the agreement"), f"{visit.base}/dialogues/agreement")
    view = View(
        lead=lead,
        next=agreement,
        tabs=section_tabs(visit, "/rate"),
        orders=[Link(title, listing.address(order=name), name == asked.order) for name, title in titles],
        path=listing.path,
        fields=(bot_field(visit, bot), hidden_field("order", asked.order)),
        progress=Progress(words.gettext("Your ratings"), asked.done, asked.total, finished=True),
        talk=row,
        why=why,
        messages=messages_of(words, row, opinion or asked.opinion) if row else (),
        left_out=max(0, len(row.turns) - MESSAGES) if row else 0,
        form=rating_form(words, listing.path),
        hidden=[hidden_field(name, value) for name, value in carried.items()],
        skip=listing.address(skip=row.id) if row else "",
        last=_last(visit, asked),
        begin=import_link(visit) if visit.who.may("editor") else None,
        silent=silent,
        error=error,
    )
    title, status = words.gettext("Rate dialogues"), 400 if error else 200
    return visit.page("dialogues/rate.html", title, view=view, status=status)


def _rate_texts(words: Words, asked: Asked) -> tuple[str, str, str]:
    """Return the sentence at the top, why this dialogue is asked about, and what is left out."""
    if asked.row is not None:
        lead = words.gettext("How good is this dialogue? Rate it to see its score.")
    elif asked.total:
        lead = words.gettext("You have rated every dialogue here.")
    else:
        lead = words.gettext("No dialogues to rate.")
    why = words.gettext(
        "This dialogue was picked at random, so that your ratings represent all dialogues, good and bad."
    )
    if asked.order == "worst":
        why = words.gettext(
            "This dialogue has the lowest score of those you have not rated. Rating the worst "
            "first finds problems fast, but does not show how good the bot is overall."
        )
    silent = words.ngettext(
        "%(num)s dialogue is left out: the bot says nothing in it.",
        "%(num)s dialogues are left out: the bot says nothing in them.",
        asked.silent,
    )
    return lead, why, silent if asked.silent else ""


def _last(visit: Visit, asked: Asked) -> View | None:
    if asked.last is None:
        return None
    words, number, last = visit.words, visit.write.number, asked.last
    rating, score = number(last.quality), last.score.row.score if last.score else None
    text = words.gettext("You rated it %(mark)s; the dialogue has no score.", mark=rating)
    if score is not None:
        text = words.gettext("You rated it %(mark)s; the score is %(score)s.", mark=rating, score=number(score, 1))
    return View(
        name=dialogues.title_of(last.row.turns) or last.row.name,
        href=f"{visit.base}/dialogues/{last.row.id}",
        talk=last.row.id,
        said=text,
    )


def _order(name: str) -> Order:
    return "worst" if name == "worst" else "random"
