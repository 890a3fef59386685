"""What people think: the form in which they rate dialogues, and whether score and people agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fastapi import APIRouter
from markupsafe import Markup
from starlette.responses import Response

from vivavoce.dialogues.result import Agreement, Follows
from vivavoce.errors import InputError, UsageError
from vivavoce.kept import Kept
from vivavoce.messages import say
from vivavoce.records import Rate
from vivavoce.reports.dialogues.meanings import DIALOGUE_MEASURES
from vivavoce.reports.shared.views import Cell, Table, Tile, make_table
from vivavoce.store.rows import DialogueRow
from vivavoce.web.answers import go, table_file
from vivavoce.web.cells import measure_column, rate_cell
from vivavoce.web.figures import Drawn
from vivavoce.web.formats import Writer
from vivavoce.web.forms import Fields, Form
from vivavoce.web.language import Words, gettext_noop
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
from vivavoce.web.visits import ReaderVisit, ReviewerVisit, Visit
from vivavoce.workspace.dialogues import dialogues, ratings
from vivavoce.workspace.dialogues.ratings import VERDICTS, Asked, Opinion, Order, Verdict, answers_of

router = APIRouter(prefix="/p/{slug}/dialogues")
BOT_NAMES = ("spearman", "pearson")
FOLLOWED = ("pearson", "spearman", "kendall", "mse")
AGREEMENT_COLUMNS = ("about", "number", "value", "low", "high", "n")
LEADS = {
    Follows.TOO_FEW: gettext_noop("Too few ratings yet to say whether the score agrees with people."),
    Follows.ALIKE: gettext_noop("All scores or all ratings are alike: their agreement cannot be measured."),
    Follows.WEAK: gettext_noop("The score hardly agrees with people. Do not rely on it."),
    Follows.MODERATE: gettext_noop(
        "The score agrees with people moderately: good for averages, not for one dialogue."
    ),
    Follows.STRONG: gettext_noop("The score agrees well with people."),
}
_PICTURES: Kept[Markup] = Kept(24)


@router.get("/rate")
def show_next(visit: ReviewerVisit, order: Word = "random", bot: Word = "", skip: Word = "") -> Response:
    """Show the next dialogue to be rated; its score is shown afterwards."""
    chosen = _read_order(order)
    asked = ratings.next_talk(visit.store, visit.actor, visit.project, order=chosen, bot=bot or None, skip=skip)
    return _rate_page(visit, asked, bot)


@router.post("/rate")
def rate(visit: ReviewerVisit, form: Form) -> Response:
    """Keep what a person thinks, and lead to the next talk."""
    order, bot, talk = _read_order(form.text("order")), form.text("bot", most=400), form.text("talk", most=64)
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
    order, bot = _read_order(form.text("order")), form.text("bot", most=400)
    ratings.take_back(visit.store, visit.actor, visit.project, form.text("talk", most=64))
    path = Listing(f"{visit.base}/dialogues/rate").address(order=order, bot=bot)
    return visit.done(path, visit.words.gettext("Rating removed."))


def read_opinion(form: Fields, row: DialogueRow) -> Opinion:
    """Return what a person typed; what cannot be used is a fault of the form."""
    typed = {number: form.choice(f"answer-{number}", ("", *VERDICTS)) for number in answers_of(row)}
    answers: dict[int, Verdict] = {number: verdict for number, verdict in typed.items() if verdict in VERDICTS}
    return Opinion(form.whole("quality", 0, low=1, high=5) or None, answers)


def _rate_page(
    visit: Visit, asked: Asked, bot: str, opinion: Opinion | None = None, error: InputError | None = None
) -> Response:
    words, row = visit.words, asked.row
    listing = Listing(f"{visit.base}/dialogues/rate", {"order": asked.order, "bot": bot})
    carried = {"order": asked.order, "bot": bot, "talk": row.id if row else ""}
    titles = (("random", words.gettext("Random")), ("worst", words.gettext("Worst first")))
    lead, why, silent = _rate_texts(words, asked)
    return visit.page(
        "dialogues/rate.html",
        words.gettext("Rate dialogues"),
        lead=lead,
        next=Link(words.gettext("See the agreement"), f"{visit.base}/dialogues/agreement"),
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
        last=_show_last(visit, asked),
        begin=import_link(visit),
        silent=silent,
        error=error,
    )


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


def _show_last(visit: Visit, asked: Asked) -> View | None:
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
        text=text,
    )


def _read_order(name: str) -> Order:
    return "worst" if name == "worst" else "random"


# --- agreement ------------------------------------------------------------------------------------------------------


@router.get("/agreement")
def show_agreement(visit: ReaderVisit, bot: Word = "") -> Response:
    """Show whether the score follows people, and whether people agree with each other."""
    from vivavoce.dialogues.passport import follows_sentence, help_sentences

    words, path = visit.words, f"{visit.base}/dialogues/agreement"
    accord = ratings.measure_accord(visit.store, visit.project, bot=bot or None)
    rate = Link(words.gettext("Rate dialogues"), f"{visit.base}/dialogues/rate")
    caption = words.gettext("Latest score of each dialogue compared with its mean rating")
    by_bot, dialogues = words.gettext("By bot; n/a below 10 rated dialogues"), words.gettext("Dialogues")
    bots = [((bot,), measured) for bot, measured in accord.bots.items()]
    size, answers = _agreement_texts(words, accord)
    score = DIALOGUE_MEASURES["score"]
    return visit.page(
        "dialogues/agreement.html",
        words.gettext("Agreement"),
        lead=words.gettext(LEADS[accord.follows]),
        sentence=words.said(follows_sentence(accord.score)),
        drawn=_draw(visit, accord),
        bins=make_table(
            words.gettext("Ratings by score"),
            (words.gettext("Mean score"), words.gettext("People's rating")),
            [
                (visit.write.number(row.score, 1), rate_cell(words, row.mark, score))
                for row in (accord.score.bins if accord.score else ())
            ],
            1,
        ),
        tiles=_list_tiles(words, accord),
        tabs=section_tabs(visit, "/agreement"),
        path=path,
        fields=(bot_field(visit, bot),),
        accord=accord,
        agreement=agreement_table(words, caption, (dialogues,), [((), accord.score)]) if accord.score else None,
        size=size,
        missing=accord.missing,
        helps=[words.said(text) for text in help_sentences(accord.score, accord.talks)],
        bots=agreement_table(words, by_bot, (words.gettext("Bot"), dialogues), bots, BOT_NAMES),
        concords=_tabulate_people(words, accord),
        answers=answers,
        rate=rate if visit.who.may("reviewer") else None,
        downloads=Listing(path, {"bot": bot}).downloads(),
    )


@router.get("/agreement.{kind}")
def export_agreement(visit: ReaderVisit, kind: str, bot: Word = "") -> Response:
    """Return every number of the page as CSV or XLSX, each with its interval and what it is counted over."""
    accord = ratings.measure_accord(visit.store, visit.project, bot=bot or None)
    numbers: list[tuple[str, str, Rate]] = []
    if accord.score is not None:
        numbers += [("score and marks", name, getattr(accord.score, name)) for name in FOLLOWED]
    for name, measured in accord.bots.items():
        numbers += [(f"score and marks, bot {name}", each, getattr(measured, each)) for each in BOT_NAMES]
    for about, people in (("marks of talks", accord.talks), ("judgements of answers", accord.verdicts)):
        near = [(about, "at most one point apart", people.near)] if people.near is not None else []
        numbers += [(about, "same", people.same), *near, (about, "alpha", people.alpha)]
    numbers.append(("answers", "called good", accord.answers))
    rows = [(about, name, rate.value, rate.low, rate.high, rate.n) for about, name, rate in numbers]
    return table_file(f"{visit.project.slug}-agreement", kind, AGREEMENT_COLUMNS, rows)


def _agreement_texts(words: Words, accord: ratings.Accord) -> tuple[str, str]:
    """Return how many dialogues have a rating and what is missing, and what the share of good answers means."""
    size = words.ngettext(
        "%(num)s dialogue is rated; %(scored)s of these also have a score.",
        "%(num)s dialogues are rated; %(scored)s of these also have a score.",
        accord.marked,
        scored=Writer(words).number(accord.scored),
    )
    if accord.missing:
        size += " " + words.ngettext(
            "You need %(num)s more dialogue with both before you can compare bots by score.",
            "You need %(num)s more dialogues with both before you can compare bots by score.",
            accord.missing,
        )
    answers = words.gettext("Nobody has rated single answers yet.")
    if accord.answers.n or accord.unsure:
        answers = words.ngettext(
            'Share of rated answers that people rated good. Not counted: %(num)s "can\'t tell".',
            'Share of rated answers that people rated good. Not counted: %(num)s "can\'t tell".',
            accord.unsure,
        )
    return size, answers


def agreement_table(
    words: Words,
    caption: str,
    head: tuple[str, ...],
    lines: Sequence[tuple[tuple[str, ...], Agreement]],
    names: Sequence[str] = FOLLOWED,
) -> Table:
    """Return how well scores follow people, one line for each test: its name, its size, and its numbers."""
    measures = [DIALOGUE_MEASURES[name] for name in names]
    rows = [
        (
            *start,
            Writer(words).number(measured.n),
            *(rate_cell(words, getattr(measured, measure.name), measure, counted=False) for measure in measures),
        )
        for start, measured in lines
    ]
    columns = (*head, *(measure_column(words, measure) for measure in measures))
    return make_table(caption, columns, rows, len(measures) + 1 if len(head) > 1 else 0)


def _tabulate_people(words: Words, accord: ratings.Accord) -> Table:
    """Return how far people agree who rated the same thing."""
    score, rows = DIALOGUE_MEASURES["score"], []
    titles = (words.gettext("Ratings of whole dialogues"), words.gettext("Ratings of single answers"))
    for title, concord in zip(titles, (accord.talks, accord.verdicts), strict=True):
        rated = words.ngettext(
            "%(num)s rated by two or more people.", "%(num)s rated by two or more people.", concord.items
        )
        if concord.missing:
            rated += " " + words.ngettext(
                "%(num)s more needed for an interval.", "%(num)s more needed for an interval.", concord.missing
            )
        near = rate_cell(words, concord.near) if concord.near else ""
        people, same = Writer(words).number(concord.raters), rate_cell(words, concord.same)
        rows.append((Cell(title, rated), people, same, near, rate_cell(words, concord.alpha, score)))
    head = (
        words.gettext("What was rated"),
        words.gettext("People"),
        words.gettext("Pairs that agree"),
        words.gettext("Within one point"),
        words.gettext("Alpha"),
    )
    return make_table(words.gettext("Agreement between people"), head, rows, 4)


def _list_tiles(words: Words, accord: ratings.Accord) -> list[Tile]:
    """Return the numbers in plain words: how many ratings, how often people agree, how many answers are good."""
    writer = Writer(words)
    scored = words.gettext("%(scored)s of these have a score", scored=writer.number(accord.scored))
    tiles = [Tile(writer.number(accord.marked), words.gettext("Rated dialogues"), scored)]
    shares = (
        (words.gettext("Two people within one point"), accord.talks.near),
        (words.gettext("Answers rated good by people"), accord.answers),
    )
    for title, rate in shares:
        known = rate is not None and rate.value is not None
        around = f"{writer.interval(rate)}, {writer.counted(rate.n)}" if rate is not None and known else ""
        nobody = words.gettext("nobody has rated these yet")
        tiles.append(Tile(writer.share(rate.value if rate else None), title, around.lstrip(", ") or nobody))
    return tiles


def _draw(visit: Visit, accord: ratings.Accord) -> Drawn | None:
    """Return the mean rating of dialogues with similar scores; None where there is nothing to draw."""
    from vivavoce.reports.dialogues.charts import rating_chart
    from vivavoce.reports.shared.svg import to_svg

    words, score = visit.words, accord.score
    if score is None or not any(row.mark.value is not None for row in score.bins):
        return None
    titles = words.gettext("score"), words.gettext("people's rating")
    title = words.gettext("People's ratings by score")
    key = (visit.project.id, accord.bot, words.language, score.n, score.pearson, score.spearman, score.mse)
    # Drawn by ourselves, with all texts in it escaped.
    picture = _PICTURES.get(key, lambda: Markup(to_svg(rating_chart(score, *titles, title))))  # noqa: S704
    meaning = words.gettext(
        "Each square: the mean rating of dialogues with similar scores, with its likely range. On "
        "the dashed line, scores equal ratings."
    )
    return Drawn(title, meaning, picture, "")
