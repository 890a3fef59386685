"""What the pages about dialogues share: facts, messages, the form to rate, and the course by week."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from html import escape, unescape

from markupsafe import Markup

from vivavoce.dialogues.facts import Fact, FactKind
from vivavoce.kept import Kept
from vivavoce.messages import Message, say_count
from vivavoce.reports.dialogues.facts import FACTS
from vivavoce.reports.shared.views import Tile
from vivavoce.store.rows import DialogueRow
from vivavoce.store.stamps import now
from vivavoce.web.figures import Drawn
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.listing import Listing
from vivavoce.web.parts import Choice, Field, named_choices
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import Visit
from vivavoce.workspace.dialogues.dialogues import list_bots
from vivavoce.workspace.dialogues.overview import NOTHING, Line, Week, group_by_fact, mean_score, share_of
from vivavoce.workspace.dialogues.ratings import Opinion, Verdict, answers_of

# More messages on one page weigh too much; the rest is a page further.
MESSAGES = 100
QUALITIES = {
    1: gettext_noop("very bad"),
    2: gettext_noop("bad"),
    3: gettext_noop("fair"),
    4: gettext_noop("good"),
    5: gettext_noop("very good"),
}
VERDICTS: Mapping[Verdict, str] = {
    "yes": gettext_noop("yes"),
    "no": gettext_noop("no"),
    "unsure": gettext_noop("can't tell"),
}
# What a headline names, the first that happened.
HEADLINES: Mapping[FactKind, Callable[[int], Message]] = {
    FactKind.ENDED_AFTER_FALLBACK: lambda n: say_count(
        n, "{n} ended with the bot not understanding", "{n} ended with the bot not understanding"
    ),
    FactKind.NO_ANSWER: lambda n: say_count(n, "{n} got no answer", "{n} got no answer"),
    FactKind.ASKED_FOR_PERSON: lambda n: say_count(
        n, "in {n} the visitor asked for a person", "in {n} the visitor asked for a person"
    ),
    FactKind.FALLBACK: lambda n: say_count(
        n, "in {n} the bot did not understand", "in {n} the bot did not understand"
    ),
    FactKind.REPEATED_QUESTION: lambda n: say_count(
        n, "in {n} the visitor had to repeat a message", "in {n} the visitor had to repeat a message"
    ),
}
RECENT = timedelta(days=30)
_PICTURES: Kept[Markup] = Kept(60)


def section_tabs(visit: Visit, current: str) -> list[Link]:
    """Return the links to the pages about dialogues."""
    words = visit.words
    pages = {
        "": words.gettext("Dialogues"),
        "/batches": words.gettext("Batches"),
        "/rate": words.gettext("Rate"),
        "/agreement": words.gettext("Agreement"),
    }
    if not visit.who.may("reviewer"):
        del pages["/rate"]
    return [Link(title, f"{visit.base}/dialogues{path}", path == current) for path, title in pages.items()]


def import_link(visit: Visit, key: str = "") -> Link | None:
    """Return the way to the import for those who may import."""
    title, href = visit.words.gettext("Import dialogues"), f"{visit.base}/dialogues/add"
    return Link(title, href, key=key, icon="import") if visit.who.may("editor") else None


def bot_field(visit: Visit, bot: str) -> Field:
    """Return the field that narrows dialogues down to those of one bot."""
    bots = named_choices(list_bots(visit.store, visit.project), visit.words.gettext("all bots"))
    return Field("bot", visit.words.gettext("Bot"), "select", bot, choices=bots)


def rating_form(words: Words, action: str, quality: str = "") -> View:
    """Return the form in which a person rates."""
    qualities = [Choice(str(mark), words.gettext(title)) for mark, title in QUALITIES.items()]
    verdicts = [Choice(verdict, words.gettext(title)) for verdict, title in VERDICTS.items()]
    return View(action=action, qualities=qualities, verdicts=verdicts, quality=quality)


def messages_of(
    words: Words, row: DialogueRow, opinion: Opinion, first: int = 1, facts: Sequence[Fact] = ()
) -> list[View]:
    """Return the messages of one page of a dialogue, with what happened in each; `answer`: one that can be rated."""
    answers, known = set(answers_of(row)), any(turn.get("is_bot") for turn in row.turns)
    chips: dict[int, list[View]] = {}
    for fact in facts:
        # An end after a fallback is a fallback there.
        if fact.kind is not FactKind.ENDED_AFTER_FALLBACK:
            chips.setdefault(fact.turn, []).append(fact_chip(words, fact.kind))
    return [
        View(
            number=number,
            visitor=turn.get("is_bot") is False or (turn.get("is_bot") is None and (known or number % 2 == 1)),
            who=str(turn.get("speaker", "")),
            text=str(turn.get("text", "")),
            facts=chips.get(number, ()),
            answer=number in answers,
            verdict=opinion.answers.get(number, ""),
        )
        for number, turn in list(enumerate(row.turns, 1))[first - 1 : first - 1 + MESSAGES]
    ]


# --- what happened -------------------------------------------------------------------------------------------------


def fact_chip(words: Words, kind: FactKind) -> View:
    """Return what a chip of a fact shows."""
    title, meaning, tone, sign = FACTS[kind]
    return View(kind=str(kind), title=words.said(title), tone=tone, sign=sign, meaning=words.said(meaning))


def headline(words: Words, lines: Sequence[Line]) -> str:
    """Return one sentence about the dialogues that a manager can repeat."""
    recent, when = lines, ""
    dated = [line for line in lines if line.known.dated]
    newest = max((line.known.at for line in dated), default=None)
    if newest is not None and now() - newest < RECENT:
        recent = [line for line in dated if newest - line.known.at < RECENT]
        when = words.gettext("in the last 30 days")
    elif newest is not None:
        first, last = map(Writer(words).day_words, (min(line.known.at for line in dated), newest))
        recent, when = dated, words.gettext("from %(first)s to %(last)s", first=first, last=last)
    count = f"{words.ngettext('%(num)s dialogue', '%(num)s dialogues', len(recent))} {when}".rstrip()
    for kind, tell in HEADLINES.items():
        if happened := sum(kind in line.known.kinds for line in recent):
            return words.gettext("%(count)s; %(what)s.", count=count, what=tell(happened))
    return words.gettext("%(count)s; the bot understood in all of them.", count=count)


def overview_tiles(words: Words, lines: Sequence[Line], listing: Listing) -> list[Tile]:
    """Return the numbers at the top: the mean score, and how often what happened."""
    writer, score, tiles = Writer(words), mean_score(lines), []
    if score.n:
        around = f"{writer.interval(score, 'score')}, " if score.low is not None else ""
        value, title = writer.value(score.value, "score"), words.gettext("Mean score")
        tiles = [Tile(value, title, f"{around}{writer.counted(score.n)}", words.gettext("1 (bad) to 5 (good)"))]
    for kind in (FactKind.FALLBACK, FactKind.ASKED_FOR_PERSON, FactKind.NO_ANSWER, FactKind.THANKED):
        rate = share_of(lines, kind)
        around = f"{writer.interval(rate)}, {writer.of(round((rate.value or 0) * rate.n), rate.n)}"
        href = listing.address(fact=str(kind)) + "#list"
        tiles.append(Tile(writer.share(rate.value), words.said(FACTS[kind].title), around, "", rate.n == 0, href))
    return tiles


def fact_groups(words: Words, lines: Sequence[Line], listing: Listing) -> list[View]:
    """Return what went wrong in these dialogues, each with the way to the dialogues."""
    writer, groups = Writer(words), []
    for group in group_by_fact(lines):
        chip = fact_chip(words, group.kind) if group.kind else None
        view = View(
            chip=chip,
            title=chip.title if chip else words.gettext("None of these"),
            meaning=chip.meaning if chip else words.gettext("Read these to learn what the facts do not show."),
            count=group.count,
            share=group.rate.value or 0.0,
            rate=writer.share(group.rate.value),
            around=f"{writer.interval(group.rate)}, {writer.of(group.count, group.rate.n)}",
            href=listing.address(fact=str(group.kind or NOTHING)) + "#list",
        )
        groups.append(view)
    return groups


# --- week by week --------------------------------------------------------------------------------------------------


def week_label(words: Words, week: Week) -> str:
    """Return a week by its Monday."""
    monday = datetime.combine(week.monday, time(12), UTC)
    # Later in the same year, a day needs neither its weekday nor its year.
    return Writer(words).near_day(monday, monday + timedelta(days=8))


def draw_weeks(words: Words, weeks: Sequence[Week], listing: Listing, *, dated: bool) -> Drawn | None:
    """Return the course over the weeks; None where all dialogues are of one week. `dated`: all have a date."""
    if len(weeks) < 2:
        return None
    picture = _PICTURES.get(
        (listing.address(), words.language, tuple(weeks)), lambda: _draw_course(words, weeks, listing)
    )
    meaning = words.gettext(
        "The band is the likely range; hollow dots have fewer than 10 dialogues. Select a dot to open its week."
    )
    if not dated:
        meaning += " " + words.gettext("Dialogues without a date count in the week of their import.")
    return Drawn(words.gettext("Week by week"), meaning, picture, "")


def _draw_course(words: Words, weeks: Sequence[Week], listing: Listing) -> Markup:
    from vivavoce.reports.dialogues.charts import Point, trend_chart
    from vivavoce.reports.shared.svg import to_svg

    places = [
        (week, week_label(words, week), f"{listing.address(week=week.monday.isoformat())}#list") for week in weeks
    ]
    about = words.gettext("Share of dialogues in which the bot did not understand, by week")
    understood = [Point(label, week.fallbacks, address) for week, label, address in places]
    charts = [trend_chart(understood, words.gettext("not understood"), about, share=True, colour="bad")]
    if any(week.score.n for week in weeks):
        about = words.gettext("Mean score of the dialogues, by week")
        scores = [Point(label, week.score, address) for week, label, address in places]
        charts.insert(0, trend_chart(scores, words.gettext("mean score"), about, share=False, colour="accent"))
    names = {address: words.gettext("Week of %(day)s", day=label) for _, label, address in places}

    def add_name(link: re.Match[str]) -> str:
        return f'{link[0]} aria-label="{escape(names.get(unescape(link[1]), ""), quote=True)}"'

    # Drawn by ourselves, with all texts in it escaped; each dot is a link and needs a name.
    pictures = (re.sub(r'<a href="([^"]*)"', add_name, to_svg(chart)) for chart in charts)
    return Markup("").join(Markup(picture) for picture in pictures)  # noqa: S704
