"""Two confused topics side by side: read their questions, see what a remedy would bring, apply it, measure again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from starlette.responses import RedirectResponse, Response

from vivavoce.errors import InputError, StaleError, UsageError, VivaError
from vivavoce.messages import say
from vivavoce.outcomes import Outcome
from vivavoce.store.rows import Edit, Run
from vivavoce.web.forms import Form
from vivavoce.web.listing import Number
from vivavoce.web.pages.exams.findings import result_tabs
from vivavoce.web.progress import run_head, run_path, tab_title
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.exams import intents, pairs, questions, runs
from vivavoce.workspace.exams.pairs import Side
from vivavoce.workspace.exams.questions import QuestionLine
from vivavoce.workspace.topics.topics import merge_topics, torn_languages

if TYPE_CHECKING:
    from vivavoce.intents.problems import Problem
    from vivavoce.intents.whatif import Effect, Forecast

router = APIRouter(prefix="/p/{slug}/intents/{number:int}")
# So many questions of a kind are seen at once; the others are one click away.
SHOWN = 6
MAX_BROKEN = 20
# The axis of forecasts reaches at least this far to both sides, so that next to nothing looks like it.
MIN_WIDTH = 0.005
Name = Annotated[str, Query(max_length=500)]
Places = Annotated[Sequence[int], Query(alias="question", max_length=2000)]


@router.get("/pair")
def show_pair(
    visit: ReaderVisit, number: Number, a: Name = "", b: Name = "", *, forecast: str = "", places: Places = ()
) -> Response:
    """Show two topics with their questions; without names, the pair that costs most."""
    run = runs.show_run(visit.store, visit.project, number, intents.KIND).run
    if not (a and b):
        known = list_pairs(visit, run)
        if not known:
            return _empty_page(visit, run)
        return RedirectResponse(pair_address(run_path(visit.project, run), *known[0]), 303)
    asked = bool(forecast)
    if visit.request.headers.get("x-fragment"):
        sides = pairs.open_pair(visit.store, visit.project, run, a, b)
        ticked = set(places) if asked else _suggest(sides)
        return visit.part("exams/intents_forecast.html", View(forecast=_forecast_view(visit, sides, ticked)))
    return _pair_page(visit, run, (a, b), ticked=set(places) if asked else None, asked=asked)


@router.post("/pair")
def change_pair(visit: EditorVisit, number: Number, form: Form, a: Name = "", b: Name = "") -> Response:
    """Do with the ticked questions, or with both topics, what a button says; then examine again if asked to."""
    run = runs.show_run(visit.store, visit.project, number, intents.KIND).run
    chosen = form.all("question")
    ticked = {int(place) for place in chosen if place.isascii() and place.isdigit()}
    try:
        text, edit = _change(visit, run, form.text("do"), (a, b), ticked)
    except InputError as error:
        return _pair_page(visit, run, (a, b), ticked=ticked, error=error)
    if form.flag("measure"):
        fresh = intents.start_intents(*visit.acting)
        return visit.done(run_path(visit.project, fresh), text, edit)
    return visit.done(pair_address(run_path(visit.project, run), a, b), text, edit)


def pair_address(base: str, a: str, b: str) -> str:
    """Return the address of the page of two topics; `base` is that of the run."""
    return f"{base}/pair?{urlencode({'a': a, 'b': b})}"


def list_pairs(visit: Visit, run: Run) -> list[tuple[str, str]]:
    """Return the pairs of topics of an exam that are worth a look, the costliest first; else the most alike one."""
    result = intents.intents_result(visit.store, run)
    known = [(problem.topics[0], problem.topics[1]) for problem in _pair_problems(result.problems)]
    return known or [(pair.a, pair.b) for pair in result.pairs[:1]]


def _pair_problems(problems: Sequence[Problem]) -> list[Problem]:
    from vivavoce.intents.problems import PAIRS

    return [problem for problem in problems if problem.kind in PAIRS]


def _change(visit: Visit, run: Run, action: str, names: tuple[str, str], ticked: set[int]) -> tuple[str, Edit]:
    words, count = visit.words, len(ticked)
    given = (visit.store, visit.actor, visit.project, run)
    match action:
        case "move":
            sides = pairs.open_pair(visit.store, visit.project, run, *names)
            edit = pairs.exchange_examples(*given, sides, places=ticked)
            return words.ngettext(
                "%(num)s example moved to the other topic.", "%(num)s examples moved to the other topic.", count
            ), edit
        case "merge":
            sides = pairs.open_pair(visit.store, visit.project, run, *names)
            source, into = _by_size(sides)
            if source.topic is None or into.topic is None:
                raise StaleError(
                    say("one of the topics is gone"), remedy=say("open the list of topics to see what became of it")
                )
            edit = merge_topics(*visit.acting, [source.topic.id], into.topic.id)
            return words.gettext("%(a)s merged into %(b)s.", a=source.topic.name, b=into.topic.name), edit
        case "out_of_scope":
            edit = questions.move_questions(*given, tuple(ticked), topic_id=None)
            return words.ngettext(
                "%(num)s example is now out of scope.", "%(num)s examples are now out of scope.", count
            ), edit
        case "right":
            edit = questions.confirm_questions(*given, tuple(ticked))
            return words.ngettext("%(num)s label confirmed.", "%(num)s labels confirmed.", count), edit
    raise UsageError(say("no action selected"), remedy=say("choose what to do with the ticked questions"))


def _by_size(sides: Sequence[Side]) -> tuple[Side, Side]:
    """Return the smaller topic, then the larger one."""
    small, large = sorted(sides, key=lambda side: side.total)
    return small, large


def _empty_page(visit: Visit, run: Run) -> Response:
    words, line = visit.words, runs.show_run(visit.store, visit.project, run.number, intents.KIND)
    view = View(
        head=run_head(words, visit.project, line),
        title=words.gettext("No two topics are confused."),
        tabs=result_tabs(visit, run, "pair"),
        sides=(),
        overview=run_path(visit.project, run),
    )
    return visit.page("exams/intents_pair.html", words.gettext("Confused pairs"), view=view)


def _pair_page(
    visit: Visit,
    run: Run,
    names: tuple[str, str],
    *,
    ticked: set[int] | None = None,
    asked: bool = False,
    error: InputError | None = None,
) -> Response:
    words, base = visit.words, run_path(visit.project, run)
    line = runs.show_run(visit.store, visit.project, run.number, intents.KIND)
    sides = pairs.open_pair(visit.store, visit.project, run, *names)
    ticks = _suggest(sides) if ticked is None else ticked
    topics = [side.topic for side in sides if side.topic]
    here = pair_address(base, *names)
    view = View(
        head=run_head(words, visit.project, line),
        title=words.gettext("“%(a)s” and “%(b)s”", a=names[0], b=names[1]),
        tabs=result_tabs(visit, run, "pair"),
        cost=_cost(visit, run, names),
        lead=words.ngettext(
            "%(taken)s of %(num)s question gets the other topic's answer.",
            "%(taken)s of %(num)s questions get the other topic's answer.",
            sum(side.total for side in sides),
            taken=visit.write.number(sum(len(side.taken) for side in sides)),
        ),
        **_neighbours(visit, run, names),
        sides=[_side_view(visit, side, other, ticks) for side, other in zip(sides, reversed(sides), strict=True)],
        action=here,
        names=names,
        may_edit=visit.who.may("editor") and len(topics) == 2,
        forecast=_forecast_view(visit, sides, ticks) if asked else None,
        poll=here,
        can_forecast=len(topics) == 2,
        differ=bool(torn_languages(topics)),
        merging=f"{visit.base}/topics/merge?{urlencode([('topic', topic.id) for topic in topics])}",
        seconds=visit.write.duration(intents.expect_exam(visit.store, visit.project).seconds),
        error=error,
    )
    title = f"{words.gettext('Confused pair')}: {tab_title(words, run)}"
    return visit.page("exams/intents_pair.html", title, view=view, status=400 if error else 200)


def _neighbours(visit: Visit, run: Run, names: Collection[str]) -> dict[str, Any]:
    """Return which of the pairs this is, and the way to the one before and after it."""
    words, write, known = visit.words, visit.write, list_pairs(visit, run)
    here = next((place for place, pair in enumerate(known) if set(pair) == set(names)), None)
    if here is None:
        return {"place": "", "around": ()}
    ways = ((words.gettext("Previous"), here - 1), (words.gettext("Next pair"), here + 1))
    base = run_path(visit.project, run)
    return {
        "place": words.gettext("Pair %(n)s of %(all)s", n=write.number(here + 1), all=write.number(len(known))),
        "around": [Link(way, pair_address(base, *known[place])) for way, place in ways if 0 <= place < len(known)],
    }


def _suggest(sides: Sequence[Side]) -> set[int]:
    """Return the questions that are ticked at first: those that the other topic answered, unless confirmed."""
    lines = (line for side in sides for line in side.taken)
    return {line.row.place for line in lines if line.can_change and not line.confirmed}


def _cost(visit: Visit, run: Run, names: Collection[str]) -> str:
    """Say how many messages a pair costs; nothing where it is not worth a look."""
    write = visit.write
    problems = _pair_problems(intents.intents_result(visit.store, run).problems)
    problem = next((problem for problem in problems if set(problem.topics) == set(names)), None)
    if problem is None or problem.measured is None:
        return ""
    return visit.words.gettext(
        "Costs %(cost)s of 1,000 messages (%(around)s)",
        cost=write.number(max(1, round(problem.cost))),
        around=write.between(problem.low, problem.high, 0, ""),
    )


def _side_view(visit: Visit, side: Side, other: Side, ticked: Collection[int]) -> View:
    words, topic = visit.words, side.topic
    answers = topic.answers if topic else {}
    groups = (
        ("wrong", "cross", words.gettext("Answered from the other topic"), side.taken),
        ("unsure", "person", words.gettext("Declined, or answered from a third topic"), side.unsure),
        ("right", "check", words.gettext("Correct"), side.right),
    )
    return View(
        name=topic.name if topic else side.name,
        href=f"{visit.base}/topics/{topic.id}" if topic else "",
        other=other.topic.name if other.topic else other.name,
        count=words.ngettext("%(num)s question", "%(num)s questions", side.total),
        answer=next(filter(None, (answers.get(visit.project.language), *answers.values())), ""),
        groups=[
            View(
                tone=tone,
                icon=icon,
                title=title,
                count=visit.write.number(len(lines)),
                rows=[_row(visit, line, ticked) for line in lines],
                shown=SHOWN if tone != "wrong" else len(lines),
            )
            for tone, icon, title, lines in groups
            if lines
        ],
    )


def _row(visit: Visit, line: QuestionLine, ticked: Collection[int]) -> View:
    words, row = visit.words, line.row
    sure = visit.write.share(row.confidence)
    if line.status != "same":
        note = words.gettext("Changed since this exam")
    elif line.confirmed:
        note = words.gettext("Label is right")
    elif row.guess is None:
        note = words.gettext("No guess")
    elif row.outcome == Outcome.RIGHT:
        note = words.gettext("%(share)s sure", share=sure)
    elif row.outcome == Outcome.WRONG_INTENT:
        note = words.gettext("Goes to %(topic)s, %(share)s sure", topic=row.guess, share=sure)
    else:
        note = words.gettext("Declined; best guess %(topic)s, %(share)s sure", topic=row.guess, share=sure)
    return View(place=row.place, text=row.text, note=note, can_change=line.can_change, ticked=row.place in ticked)


# --- what a remedy would bring -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RemedyLine:
    """Something to do about a pair; `objection`: what speaks against it. Without a forecast nothing changes."""

    title: str
    about: str
    objection: str = ""
    forecast: Forecast | None = None

    @property
    def effect(self) -> Effect | None:
        """What it would do to the share of correct decisions."""
        return self.forecast.effects["accuracy"] if self.forecast else None


def _forecast_view(visit: Visit, sides: Sequence[Side], ticked: Collection[int]) -> View:
    """Return the remedies with what each would bring, on one axis; or why that cannot be told."""
    words = visit.words
    try:
        remedies = list(_list_remedies(visit, sides, ticked))
    except VivaError as error:
        return View(fault=error)
    first = remedies[0].forecast
    width = max([MIN_WIDTH, *(abs(end) for remedy in remedies for end in _list_ends(remedy.effect))])
    return View(
        fault=None,
        rows=[_remedy_row(visit, remedy, width, advised=remedy is _find_best(remedies)) for remedy in remedies],
        axis=[visit.write.signed(100 * end, 1) for end in (-width, 0, width)],
        rounds=words.ngettext(
            "Forecast from %(num)s fresh round, as a preview.",
            "Forecast from %(num)s fresh rounds, as a preview.",
            first.rounds if first else 0,
        ),
        stand_in="" if pairs.is_forecast_by_own(visit.project) else pairs.USUAL_CLASSIFIER,
        broken=first.broken[:MAX_BROKEN] if first else (),
        broken_by=remedies[0].title,
    )


def _list_remedies(visit: Visit, sides: Sequence[Side], ticked: Collection[int]) -> Iterator[RemedyLine]:
    words, (small, large) = visit.words, _by_size(sides)
    if ticked:
        yield RemedyLine(
            words.ngettext("Move the %(num)s ticked question", "Move the %(num)s ticked questions", len(ticked)),
            words.gettext("Both topics stay, each with its answer."),
            forecast=pairs.forecast_exchange(visit.store, visit.project, sides, ticked),
        )
    if small.topic and large.topic:
        differ = torn_languages((small.topic, large.topic))
        yield RemedyLine(
            words.gettext("Merge the two"),
            words.gettext("%(a)s becomes part of %(b)s.", a=small.topic.name, b=large.topic.name),
            words.gettext("answers differ") if differ else "",
            pairs.forecast_merge(visit.store, visit.project, small.topic, large.topic),
        )
    yield RemedyLine(words.gettext("Leave them as they are"), words.gettext("Nothing changes."))


def _find_best(remedies: Sequence[RemedyLine]) -> RemedyLine | None:
    """Return the remedy that surely brings something and brings most; never one that something speaks against."""
    sure = [
        (remedy.effect.low, remedy)
        for remedy in remedies
        if remedy.effect and not remedy.objection and remedy.effect.low is not None and remedy.effect.low > 0
    ]
    return max(sure, key=lambda each: each[0])[1] if sure else None


def _list_ends(effect: Effect | None) -> Iterator[float]:
    if effect:
        yield from (end for end in (effect.low, effect.difference, effect.high) if end is not None)


def _remedy_row(visit: Visit, remedy: RemedyLine, width: float, *, advised: bool) -> View:
    words, write, effect, forecast = visit.words, visit.write, remedy.effect, remedy.forecast
    difference = effect.difference if effect else 0.0
    interval = (effect.low, effect.high) if effect and effect.low is not None and effect.high is not None else None
    is_clear = interval is not None and interval[0] * interval[1] > 0

    def place(value: float) -> float:
        return round(50 + 48 * value / width, 1)

    return View(
        title=remedy.title,
        about=remedy.about,
        objection=remedy.objection,
        advised=advised,
        points=write.number(None) if difference is None else write.signed(100 * difference, 1),
        around=write.between(100 * interval[0], 100 * interval[1], 1, "") if interval else "",
        tone="" if not is_clear else "good" if (difference or 0) > 0 else "bad",
        unsure=forecast is not None and not is_clear,
        changed=words.gettext(
            "%(right)s become correct, %(broken)s break",
            right=write.number(len(forecast.improved)),
            broken=write.number(len(forecast.broken)),
        )
        if forecast
        else "",
        dot=None if difference is None else place(difference),
        ends=tuple(map(place, interval)) if interval else (),
    )
