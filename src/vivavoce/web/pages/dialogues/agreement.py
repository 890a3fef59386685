"""Whether the score agrees with people, and whether people agree with each other."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter
from markupsafe import Markup
from starlette.responses import Response

from vivavoce.dialogues.result import Agreement, Follows
from vivavoce.kept import Kept
from vivavoce.records import Rate
from vivavoce.reports.dialogues.meanings import DIALOGUE_MEASURES
from vivavoce.reports.shared.views import Cell, Table, Tile, make_table
from vivavoce.web.answers import table_file
from vivavoce.web.cells import measure_column, rate_cell
from vivavoce.web.figures import Drawn
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.listing import Listing, Word
from vivavoce.web.pages.dialogues.views import bot_field, section_tabs
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import ReaderVisit, Visit
from vivavoce.workspace.dialogues import ratings

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


@router.get("/agreement")
def show_agreement(visit: ReaderVisit, bot: Word = "") -> Response:
    """Show whether the score follows people, and whether people agree with each other."""
    from vivavoce.dialogues.passport import follows_sentence, help_sentences

    words, path = visit.words, f"{visit.base}/dialogues/agreement"
    accord = ratings.measure_accord(visit.store, visit.project, bot=bot or None)
    rate = Link(words.gettext("Rate dialogues"), f"{visit.base}/dialogues/rate")
    caption = words.gettext("Latest score of each dialogue compared with its mean rating")
    by_bot = words.gettext("By bot; n/a below 10 rated dialogues")
    bots = [((bot,), measured) for bot, measured in accord.bots.items()]
    size, answers = _agreement_texts(words, accord)
    view = View(
        lead=words.gettext(LEADS[accord.follows]),
        sentence=words.said(follows_sentence(accord.score)),
        drawn=_draw(visit, accord),
        bins=_bins(words, accord),
        tiles=_tiles(words, accord),
        tabs=section_tabs(visit, "/agreement"),
        path=path,
        fields=(bot_field(visit, bot),),
        accord=accord,
        followed=_agreement_table(words, caption, (), FOLLOWED, [((), accord.score)]) if accord.score else None,
        told=size,
        missing=accord.missing,
        helps=[words.said(text) for text in help_sentences(accord.score, accord.talks)],
        bots=_agreement_table(words, by_bot, (words.gettext("Bot"),), BOT_NAMES, bots),
        concords=_concords(words, accord),
        answers=answers,
        rate=rate if visit.who.may("reviewer") else None,
        downloads=Listing(path, {"bot": bot}).downloads(),
    )
    return visit.page("dialogues/agreement.html", words.gettext("Agreement"), view=view)


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
            'Share of rated answers that people call good. Not counted: %(num)s "can\'t tell".',
            'Share of rated answers that people call good. Not counted: %(num)s "can\'t tell".',
            accord.unsure,
        )
    return size, answers


def _agreement_table(
    words: Words,
    caption: str,
    head: tuple[str, ...],
    names: Sequence[str],
    lines: Sequence[tuple[tuple[str, ...], Agreement]],
) -> Table:
    measures = [DIALOGUE_MEASURES[name] for name in names]
    rows = [
        (
            *start,
            Writer(words).number(measured.n),
            *(rate_cell(words, getattr(measured, m.name), m, counted=False) for m in measures),
        )
        for start, measured in lines
    ]
    columns = (*head, words.gettext("Dialogues"), *(measure_column(words, measure) for measure in measures))
    return make_table(caption, columns, rows, len(measures) + 1 if head else 0)


def _concords(words: Words, accord: ratings.Accord) -> Table:
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


def _tiles(words: Words, accord: ratings.Accord) -> list[Tile]:
    """Return the numbers in plain words: how many ratings, how often people agree, how many answers are good."""
    writer = Writer(words)
    scored = words.gettext("%(scored)s of these have a score", scored=writer.number(accord.scored))
    tiles = [Tile(writer.number(accord.marked), words.gettext("Rated dialogues"), scored)]
    shares = (
        (words.gettext("Two people within one point"), accord.talks.near),
        (words.gettext("Answers that people call good"), accord.answers),
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
    title = words.gettext("What people give dialogues with such a score")
    key = (visit.project.id, accord.bot, words.language, score.n, score.pearson, score.spearman, score.mse)
    # Drawn by ourselves, with all texts in it escaped.
    picture = _PICTURES.get(key, lambda: Markup(to_svg(rating_chart(score, *titles, title))))  # noqa: S704
    meaning = words.gettext(
        "Each square: the mean rating of dialogues with similar scores, with its likely range. On "
        "the dashed line, scores equal ratings."
    )
    return Drawn(title, meaning, picture, "")


def _bins(words: Words, accord: ratings.Accord) -> Table:
    """Return the numbers of the picture."""
    score = DIALOGUE_MEASURES["score"]
    rows = [
        (Writer(words).number(row.score, 1), rate_cell(words, row.mark, score))
        for row in (accord.score.bins if accord.score else ())
    ]
    titles = (words.gettext("Mean score"), words.gettext("People's rating"))
    return make_table(words.gettext("Ratings by score"), titles, rows, 1)
