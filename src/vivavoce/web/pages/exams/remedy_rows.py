"""What each remedy would bring, on one axis: the forecast that pages show and follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit

from vivavoce.errors import VivaError, WorkError
from vivavoce.web.pages.exams.bench import Bench, Typed
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import Visit
from vivavoce.workspace.exams import intents, remedies
from vivavoce.workspace.exams.pairs import by_size
from vivavoce.workspace.exams.remedies import RemedyKind, forecast_draft
from vivavoce.workspace.exams.track_record import read_track_record
from vivavoce.workspace.topics.topics import topic_names, torn_languages

if TYPE_CHECKING:
    from vivavoce.intents.whatif import Effect, Forecast

MAX_BROKEN = 20
# The axis of forecasts reaches at least this far to both sides, so that next to nothing looks like it.
MIN_WIDTH = 0.005


@dataclass(frozen=True, slots=True)
class RemedyLine:
    """Something to do about topics; `objection`: what speaks against it. Without a forecast nothing changes.

    `kind`: what its button does, empty: nothing yet, and `hint` says what is missing.
    """

    title: str
    about: str
    kind: str = ""
    action: str = ""
    objection: str = ""
    hint: str = ""
    forecast: Forecast | None = None
    link: Link | None = None

    @property
    def effect(self) -> Effect | None:
        """What it would do to the share of correct decisions."""
        return self.forecast.effects["accuracy"] if self.forecast else None


def forecast_view(visit: Visit, bench: Bench, here: str) -> View:
    """Return the remedies with what each would bring, on one axis; or why that cannot be told."""
    from vivavoce.intents.improve import are_one_topic

    words, typed = visit.words, bench.typed or Typed(bench.ticked)
    try:
        lines = list(_list_remedies(visit, bench, typed))
    except WorkError as error:
        return View(fault=error, poll="")
    rounds = max((line.forecast.rounds for line in lines if line.forecast), default=0)
    width = max([MIN_WIDTH, *(abs(end) for line in lines for end in _list_ends(line.effect))])
    pairs = intents.intents_result(visit.store, bench.run).pairs
    best = _find_best(lines, one_topic=are_one_topic(bench.names, pairs))
    record = read_track_record(*visit.here).record
    if typed.is_full:
        basis = words.ngettext("Forecast from %(num)s fresh round.", "Forecast from %(num)s fresh rounds.", rounds)
    else:
        basis = words.ngettext(
            "Preview from %(num)s fresh round; the full number follows.",
            "Preview from %(num)s fresh rounds; the full number follows.",
            rounds,
        )
    return View(
        fault=None,
        rows=[_remedy_row(visit, line, width, advised=line is best) for line in lines],
        axis=[visit.write.signed(100 * end, 1) for end in (-width, 0, width)],
        basis=basis if rounds else "",
        record=words.said(record.sentence) if record.judged else "",
        record_href=f"{visit.base}/forecasts",
        stand_in="" if remedies.is_forecast_by_own(visit.project) else remedies.USUAL_CLASSIFIER,
        broken=[_broken_view(visit, line) for line in lines if line.forecast and line.forecast.broken],
        # The preview asks for the full number as soon as it is shown.
        poll="" if typed.is_full or not rounds else _full_address(here, bench, typed),
    )


def forecast_words(visit: Visit, forecast: Forecast) -> str:
    """Say in a sentence what a forecast is: "Forecast: +0.9 points (0.3 to 1.4), 11 become correct, 2 break."."""
    points = points_words(visit, forecast.effects["accuracy"])
    changed = changed_words(visit, len(forecast.improved), len(forecast.broken))
    return visit.words.gettext("Forecast: %(points)s points, %(changed)s.", points=points, changed=changed)


def points_words(visit: Visit, effect: Effect) -> str:
    """Write what a remedy does to the share of correct decisions: "+0.9 (0.3 to 1.4)"."""
    points = visit.write.number(None) if effect.difference is None else visit.write.signed(100 * effect.difference, 1)
    if effect.low is not None and effect.high is not None:
        points += f" ({visit.write.between(100 * effect.low, 100 * effect.high, 1, '')})"
    return points


def changed_words(visit: Visit, improved: int, broken: int) -> str:
    """Say how many questions become correct, and how many break."""
    write = visit.write.number
    return visit.words.gettext(
        "%(right)s become correct, %(broken)s break", right=write(improved), broken=write(broken)
    )


def _full_address(here: str, bench: Bench, typed: Typed) -> str:
    query = parse_qsl(urlsplit(here).query)
    query += [("question", f"{place}:{to}" if to else str(place)) for place, to in bench.ticked.items()]
    named = (("texts", "\n".join(typed.texts)), ("add_to", typed.add_to), ("name", typed.name), ("to", typed.to))
    query += [(name, value) for name, value in named if value]
    return f"{urlsplit(here).path}?{urlencode([*query, ('forecast', '1'), ('full', '1')])}"


def _list_remedies(visit: Visit, bench: Bench, typed: Typed) -> Iterator[RemedyLine]:
    """Yield what can be done, each with its forecast, or with what is missing for one."""
    words, topics = visit.words, topic_names(*visit.here)
    own = [side.topic for side in by_size(bench.sides) if side.topic]
    ticked, alone = len(bench.ticked), len(bench.sides) == 1

    def line(kind: RemedyKind, title: str, about: str, action: str, objection: str = "") -> RemedyLine:
        try:
            forecast = forecast_draft(*visit.here, bench.draft(kind, topics), full=typed.is_full)
        except WorkError:
            raise
        except VivaError as error:
            return RemedyLine(title, about, hint=words.said(error.what), objection=objection)
        return RemedyLine(title, about, kind, action, objection, forecast=forecast)

    yield _move_line(visit, ticked, len(bench.sides), line)
    if len(own) > 1:
        yield _merge_line(visit, bench, line)
    if ticked:
        yield line(
            "out_of_scope",
            words.ngettext(
                "Mark the %(num)s ticked as out of scope", "Mark the %(num)s ticked as out of scope", ticked
            ),
            words.gettext("For questions that no topic should answer."),
            words.gettext("Mark"),
        )
    yield from _list_new(visit, bench, typed, line)
    if alone:
        about = words.gettext("Its questions stay as out-of-scope questions.")
        yield line(
            "retire", words.gettext("Retire the topic"), about, words.gettext("Retire"), words.gettext("answer lost")
        )
        yield RemedyLine(words.gettext("Leave it as it is"), words.gettext("Nothing changes."))
    else:
        about = words.gettext("Not listed again unless it costs more.")
        title = words.gettext("Keep apart on purpose")
        yield RemedyLine(title, about, "keep_apart", words.gettext("Keep apart"))


def _move_line(visit: Visit, ticked: int, topics: int, line: Callable[..., RemedyLine]) -> RemedyLine:
    words = visit.words
    if not ticked:
        about, hint = words.gettext("To where they belong."), words.gettext("Tick some below.")
        return RemedyLine(words.gettext("Move questions"), about, hint=hint)
    title = words.ngettext("Move the %(num)s ticked question", "Move the %(num)s ticked questions", ticked)
    about = {
        1: words.gettext("To the topic that the bot takes them for, or to the one chosen below."),
        2: words.gettext("Both topics stay, each with its answer."),
        3: words.gettext("All topics stay, each with its answer."),
    }[topics]
    return line("move", title, about, words.gettext("Move"))


def _merge_line(visit: Visit, bench: Bench, line: Callable[..., RemedyLine]) -> RemedyLine:
    words = visit.words
    own = [side.topic for side in by_size(bench.sides) if side.topic]
    names = ", ".join(topic.name for topic in own[:-1])
    title = words.gettext("Merge the two") if len(own) == 2 else words.gettext("Merge all of them")
    about = words.gettext("%(a)s becomes part of %(b)s.", a=names, b=own[-1].name)
    if not torn_languages(own):
        return line("merge", title, about, words.gettext("Merge"))
    found = line("merge", title, about, "", words.gettext("answers differ"))
    query = urlencode([("topic", topic.id) for topic in own])
    link = Link(words.gettext("Choose the answer"), f"{visit.base}/topics/merge?{query}")
    return replace(found, kind="", link=link)


def _list_new(visit: Visit, bench: Bench, typed: Typed, line: Callable[..., RemedyLine]) -> Iterator[RemedyLine]:
    """Yield the remedies that need something new: a topic of its own for ticked questions, more examples."""
    words = visit.words
    if typed.name and bench.ticked:
        title = words.ngettext(
            "Split off the %(num)s ticked question", "Split off the %(num)s ticked questions", len(bench.ticked)
        )
        about = words.gettext("Into the new topic %(name)s; it needs an answer.", name=typed.name)
        yield line("split", title, about, words.gettext("Split off"))
    elif len(bench.sides) == 1:
        title, about = words.gettext("Split the topic"), words.gettext("Where it covers two things.")
        yield RemedyLine(title, about, hint=words.gettext("Tick what belongs to the new topic, and name it below."))
    if typed.texts:
        title = words.ngettext("Add the %(num)s new example", "Add the %(num)s new examples", len(typed.texts))
        about = words.gettext("They train the bot; they are not tested.")
        yield line("add_examples", title, about, words.gettext("Add"))
    else:
        yield RemedyLine(
            words.gettext("Add examples"),
            words.gettext("Five to ten, in the words of visitors."),
            hint=words.gettext("Write them below."),
        )


def _find_best(lines: Sequence[RemedyLine], *, one_topic: bool) -> RemedyLine | None:
    """Return the remedy that surely brings something and brings most; never one that something speaks against.

    Merging comes first where two topics are `one_topic`, and last otherwise: it nearly always brings most.
    """
    sure = [
        ((line.kind == "merge") == one_topic, line.effect.low, line)
        for line in lines
        if line.effect and not line.objection and line.effect.low is not None and line.effect.low > 0
    ]
    return max(sure, key=lambda each: each[:2])[2] if sure else None


def _list_ends(effect: Effect | None) -> Iterator[float]:
    if effect:
        yield from (end for end in (effect.low, effect.difference, effect.high) if end is not None)


def _broken_view(visit: Visit, line: RemedyLine) -> View:
    broken = line.forecast.broken if line.forecast else ()
    return View(title=line.title, count=len(broken), rows=broken[:MAX_BROKEN])


def _remedy_row(visit: Visit, line: RemedyLine, width: float, *, advised: bool) -> View:
    write, effect = visit.write, line.effect
    difference = effect.difference if effect else 0.0
    interval = (effect.low, effect.high) if effect and effect.low is not None and effect.high is not None else None
    is_clear = interval is not None and interval[0] * interval[1] > 0

    def place(value: float) -> float:
        return round(50 + 48 * value / width, 1)

    return View(
        title=line.title,
        about=line.about,
        objection=line.objection,
        advised=advised,
        hint=line.hint,
        do=line.kind if visit.who.may("editor") else "",
        action=line.action,
        link=line.link if visit.who.may("editor") else None,
        points=write.number(None) if difference is None else write.signed(100 * difference, 1),
        around=write.between(100 * interval[0], 100 * interval[1], 1, "") if interval else "",
        tone="" if not is_clear else "good" if (difference or 0) > 0 else "bad",
        unsure=line.forecast is not None and not is_clear,
        changed=changed_words(visit, len(line.forecast.improved), len(line.forecast.broken)) if line.forecast else "",
        dot=None if difference is None or line.hint else place(difference),
        ends=tuple(map(place, interval)) if interval else (),
    )
