"""What happened in dialogues as pages show it: chips with their quotes, groups, and the course over the weeks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from html import escape, unescape

from markupsafe import Markup

from vivavoce.dialogues.facts import Fact, FactKind
from vivavoce.kept import Kept
from vivavoce.reports.dialogues.facts import FACT_MEANINGS, FACT_SIGNS, FACT_TITLES, FACT_TONES, tell_count
from vivavoce.reports.shared.views import Tile, make_table
from vivavoce.store.stamps import now
from vivavoce.web.cells import rate_cell
from vivavoce.web.figures import Drawn
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing
from vivavoce.web.rendering import View
from vivavoce.web.visits import Visit
from vivavoce.workspace.dialogues.overview import NOTHING, Line, Week, group_by_fact, list_weeks, mean_score, share_of

# What a headline names, the first that happened.
HEADLINES = (
    FactKind.ENDED_AFTER_FALLBACK,
    FactKind.NO_ANSWER,
    FactKind.ASKED_FOR_PERSON,
    FactKind.FALLBACK,
    FactKind.REPEATED_QUESTION,
)
RECENT = timedelta(days=30)
MAX_WEEKS = 26
MAX_CHIPS = 3
_PICTURES: Kept[Markup] = Kept(60)
_LINK = re.compile(r'<a href="([^"]*)"')


def fact_chip(words: Words, kind: FactKind) -> View:
    """Return what a chip of a fact shows."""
    return View(
        kind=str(kind),
        title=words.said(FACT_TITLES[kind]),
        tone=FACT_TONES[kind],
        sign=FACT_SIGNS[kind],
        meaning=words.said(FACT_MEANINGS[kind]),
    )


def fact_chips(words: Words, line: Line) -> list[View]:
    """Return the chips of a dialogue in a list: the gravest, and not what another one says already."""
    kinds = [kind for kind in FactKind if kind in line.known.kinds]
    if FactKind.ENDED_AFTER_FALLBACK in kinds:
        kinds = [kind for kind in kinds if kind is not FactKind.FALLBACK]
    return [fact_chip(words, kind) for kind in kinds[:MAX_CHIPS]]


def told_facts(words: Words, facts: Sequence[Fact], page_of: int) -> list[View]:
    """Return the facts of one dialogue with their quotes and the way to their messages; `page_of`: messages on a
    page.
    """
    views = []
    ends = {fact.turn for fact in facts if fact.kind is FactKind.ENDED_AFTER_FALLBACK}
    # An end after a fallback says it all.
    for fact in [fact for fact in facts if fact.kind is not FactKind.FALLBACK or fact.turn not in ends]:
        chip = fact_chip(words, fact.kind)
        page = (fact.turn - 1) // page_of + 1
        again = words.gettext("again, first in message %(number)s", number=fact.earlier) if fact.earlier else ""
        place = f"{f'?page={page}' if page > 1 else ''}#m{fact.turn}"
        views.append(View(chip=chip, quote=fact.quote, turn=fact.turn, href=place, again=again))
    return views


def headline(words: Words, lines: Sequence[Line]) -> str:
    """Return one sentence about the dialogues that a manager can repeat."""
    recent, when = lines, ""
    dated = [line for line in lines if line.known.dated]
    newest = max((line.known.at for line in dated), default=None)
    if newest is not None and now() - newest < RECENT:
        recent = [line for line in dated if newest - line.known.at < RECENT]
        when = words.gettext("in the last 30 days")
    elif newest is not None:
        writer, first = Writer(words), min(line.known.at for line in dated)
        when = words.gettext(
            "from %(first)s to %(last)s", first=writer.day_words(first), last=writer.day_words(newest)
        )
        recent = dated
    count = words.ngettext("%(num)s dialogue", "%(num)s dialogues", len(recent))
    count = f"{count} {when}" if when else count
    for kind in HEADLINES:
        happened = sum(kind in line.known.kinds for line in recent)
        if happened:
            return words.gettext("%(count)s; %(what)s.", count=count, what=tell_count(kind, happened))
    return words.gettext("%(count)s; the bot understood in all of them.", count=count)


def overview_tiles(words: Words, lines: Sequence[Line], listing: Listing) -> list[Tile]:
    """Return the numbers at the top: the mean score, and how often what happened."""
    writer, score = Writer(words), mean_score(lines)
    tiles = []
    if score.n:
        around = f"{writer.interval(score, 'score')}, " if score.low is not None else ""
        text = words.gettext("1 (bad) to 5 (good)")
        tiles.append(
            Tile(
                writer.value(score.value, "score"),
                words.gettext("Mean score"),
                f"{around}{writer.counted(score.n)}",
                text,
            )
        )
    for kind in (FactKind.FALLBACK, FactKind.ASKED_FOR_PERSON, FactKind.NO_ANSWER, FactKind.THANKED):
        rate = share_of(lines, kind)
        happened = round((rate.value or 0) * rate.n)
        around = f"{writer.interval(rate)}, {writer.of(happened, rate.n)}"
        href = listing.address(fact=str(kind)) + "#list"
        tiles.append(Tile(writer.share(rate.value), words.said(FACT_TITLES[kind]), around, "", rate.n == 0, href))
    return tiles


def fact_groups(words: Words, lines: Sequence[Line], listing: Listing) -> list[View]:
    """Return what went wrong in these dialogues, each with the way to the dialogues."""
    writer, groups = Writer(words), []
    for group in group_by_fact(lines):
        chip = fact_chip(words, group.kind) if group.kind else None
        groups.append(
            View(
                chip=chip,
                title=chip.title if chip else words.gettext("None of these"),
                meaning=chip.meaning if chip else words.gettext("Read these to learn what the facts do not show."),
                count=group.count,
                share=group.rate.value or 0.0,
                rate=writer.share(group.rate.value),
                around=f"{writer.interval(group.rate)}, {writer.of(group.count, group.rate.n)}",
                href=listing.address(fact=str(group.kind or NOTHING)) + "#list",
            )
        )
    return groups


def draw_weeks(visit: Visit, lines: Sequence[Line], listing: Listing) -> Drawn | None:
    """Return the course over the weeks; None where all dialogues are of one week."""
    words, weeks = visit.words, list_weeks(lines)[-MAX_WEEKS:]
    if len(weeks) < 2:
        return None
    key = (listing.address(), words.language, weeks)
    picture = _PICTURES.get(key, lambda: _draw(words, weeks, listing))
    title = words.gettext("Week by week")
    meaning = words.gettext(
        "The band is the likely range; hollow dots have fewer than 10 dialogues. A dot leads to its week."
    )
    if not all(line.known.dated for line in lines):
        meaning += " " + words.gettext("Dialogues without a date count in the week of their import.")
    return Drawn(title, meaning, picture, "")


def weeks_table(words: Words, lines: Sequence[Line]) -> object:
    """Return the numbers of the course over the weeks."""
    from vivavoce.reports.dialogues.meanings import DIALOGUE_MEASURES

    rows = [
        (
            week_label(words, week),
            Writer(words).number(week.count),
            rate_cell(words, week.fallbacks),
            rate_cell(words, week.score, DIALOGUE_MEASURES["score"]),
        )
        for week in list_weeks(lines)[-MAX_WEEKS:]
    ]
    titles = (
        words.gettext("Week of"),
        words.gettext("Dialogues"),
        words.said(FACT_TITLES[FactKind.FALLBACK]),
        words.gettext("Mean score"),
    )
    return make_table(words.gettext("Dialogues by week"), titles, rows, 3)


def _draw(words: Words, weeks: Sequence[Week], listing: Listing) -> Markup:
    from vivavoce.reports.dialogues.charts import Point, trend_chart
    from vivavoce.reports.shared.svg import to_svg

    def address(week: Week) -> str:
        return f"{listing.address(week=week.monday.isoformat())}#list"

    labels = [week_label(words, week) for week in weeks]
    understood = [Point(label, week.fallbacks, address(week)) for label, week in zip(labels, weeks, strict=True)]
    scores = [Point(label, week.score, address(week)) for label, week in zip(labels, weeks, strict=True)]
    said = words.gettext("Share of dialogues in which the bot did not understand, by week")
    charts = [trend_chart(understood, words.gettext("not understood"), said, share=True, colour="bad")]
    if any(week.score.n for week in weeks):
        told = words.gettext("Mean score of the dialogues, by week")
        charts.insert(0, trend_chart(scores, words.gettext("mean score"), told, share=False, colour="accent"))
    # Drawn by ourselves, with all texts in it escaped; each dot is a link and needs a name.
    names = {
        address(week): words.gettext("Week of %(day)s", day=label) for label, week in zip(labels, weeks, strict=True)
    }

    def name(found: re.Match[str]) -> str:
        return f'{found[0]} aria-label="{escape(names.get(unescape(found[1]), ""), quote=True)}"'

    return Markup("").join(Markup(_LINK.sub(name, to_svg(chart))) for chart in charts)  # noqa: S704


def week_label(words: Words, week: Week) -> str:
    """Return a week by its Monday."""
    monday = datetime.combine(week.monday, time(12), UTC)
    # Later in the same year, a day needs neither its weekday nor its year.
    return Writer(words).near_day(monday, monday + timedelta(days=8))
