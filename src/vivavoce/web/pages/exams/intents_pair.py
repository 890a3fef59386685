"""One to three topics side by side: read their questions, see what a remedy would bring, apply it, measure again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Annotated, Any, get_args
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query
from starlette.responses import RedirectResponse, Response

from vivavoce.errors import InputError, UsageError
from vivavoce.messages import say
from vivavoce.store.rows import Edit, Run
from vivavoce.web.forms import MAX_WHY, Form
from vivavoce.web.listing import Number
from vivavoce.web.pages.exams.bench import Bench, Typed, card_view, read_typed, side_view
from vivavoce.web.pages.exams.checks import harm_sentence
from vivavoce.web.pages.exams.findings import result_tabs
from vivavoce.web.pages.exams.remedy_rows import forecast_view, forecast_words
from vivavoce.web.progress import run_head, run_path, tab_title
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.exams import intents, pairs, questions, runs
from vivavoce.workspace.exams.checking import Check, check_change
from vivavoce.workspace.exams.decisions import keep_apart, list_kept_apart
from vivavoce.workspace.exams.open_problems import open_problems, review_all
from vivavoce.workspace.exams.remedies import Draft, RemedyKind, apply_draft
from vivavoce.workspace.topics.topics import topic_names, torn_languages

if TYPE_CHECKING:
    from vivavoce.intents.problem_record import Problem

router = APIRouter(prefix="/p/{slug}/intents/{number:int}")
Name = Annotated[str, Query(max_length=500)]


async def _list_names(a: Name = "", b: Name = "", c: Name = "") -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in (a, b, c) if name))


Topics = Annotated[tuple[str, ...], Depends(_list_names)]


@router.get("/pair")
def show_pair(visit: ReaderVisit, number: Number, names: Topics) -> Response:
    """Show topics with their questions; without names, the pair that costs most."""
    run = runs.show_run(visit.store, visit.project, number, intents.KIND).run
    query = visit.request.query_params
    if not names:
        known = list_pairs(visit, run)
        if not known:
            return _empty_page(visit, run)
        return RedirectResponse(pair_address(run_path(visit.project, run), *known[0]), 303)
    typed = read_typed(query.getlist) if query.get("forecast") else None
    if visit.request.headers.get("x-fragment"):
        bench = Bench(run, names, pairs.open_sides(visit.store, visit.project, run, names), typed)
        return visit.part("exams/intents_forecast.html", View(forecast=_forecast(visit, bench)))
    if query.get("suggest") and len(names) == 1:
        try:
            typed = Typed(dict.fromkeys(pairs.suggest_split(*visit.here, run, names[0]), ""))
        except InputError as error:
            return _pair_page(visit, run, names, error=error, status=200)
    return _pair_page(visit, run, names, typed, asked=typed is not None)


@router.get("/pair/card")
def show_card(visit: ReaderVisit, number: Number, names: Topics, kind: Name = "") -> Response:
    """Explain why topics are a problem: a part of their page, which comes when it is worked out."""
    from vivavoce.reports.intents.problem_wording import problem_title

    run = runs.show_run(visit.store, visit.project, number, intents.KIND).run
    if not names:
        return RedirectResponse(f"{run_path(visit.project, run)}/pair", 303)
    problem = _find_cost(visit, run, names, kind)
    view = card_view(visit, run, problem) if problem else None
    if visit.request.headers.get("x-fragment"):
        return visit.part("exams/intents_card.html", View(card=view, card_poll=""))
    title = visit.words.said(problem_title(problem)) if problem and kind else _title(visit, names)
    return visit.page("exams/intents_card_page.html", title, view=View(card=view, card_poll=""))


@router.post("/pair")
def change_pair(visit: EditorVisit, number: Number, form: Form, names: Topics) -> Response:
    """Do with the ticked questions, or with the topics, what a button says; then examine again if asked to."""
    run = runs.show_run(visit.store, visit.project, number, intents.KIND).run
    typed, why = read_typed(form.all), form.text("why", most=MAX_WHY)
    try:
        form.check()
        bench = Bench(run, names, pairs.open_sides(visit.store, visit.project, run, names), typed)
        kind, high = form.text("do"), _find_cost(visit, run, names)
        if kind in get_args(RemedyKind):
            draft = bench.draft(kind, topic_names(*visit.here))  # type: ignore[arg-type]
            # The forecast is kept with the edit, so it is worked out in any case.
            check = check_change(*visit.here, draft)
            if check and check.harms and not form.flag("anyway"):
                return _pair_page(visit, run, names, typed, harmful=check)
            applied = apply_draft(*visit.acting, draft, why=why, high_cost=high.high if high else None)
            text, edit = _say_applied(visit, bench, draft), applied.edit
            if applied.forecast is not None:
                text = f"{text} {forecast_words(visit, applied.forecast)}"
        else:
            text, edit = _decide(visit, bench, kind, high, why)
    except InputError as error:
        return _pair_page(visit, run, names, typed, error=error)
    if form.flag("measure") and kind not in ("right", "keep_apart"):
        fresh = intents.start_intents(*visit.acting)
        return visit.done(run_path(visit.project, fresh), text, edit)
    return visit.done(pair_address(run_path(visit.project, run), *names), text, edit)


def pair_address(base: str, *names: str) -> str:
    """Return the address of the page of some topics; `base` is that of the run."""
    return f"{base}/pair?{urlencode(dict(zip('abc', names, strict=False)))}"


def list_pairs(visit: Visit, run: Run) -> list[tuple[str, ...]]:
    """Return the topics of an exam that are confused with each other, the costliest first; else the most alike."""
    from vivavoce.intents.problem_record import PAIRS, ProblemKind

    kinds = (*PAIRS, ProblemKind.CLUSTER)
    problems = open_problems(visit.store, visit.project, run)
    result = intents.intents_result(visit.store, run)
    known = [problem.topics for problem in problems if problem.kind in kinds]
    return known or [(pair.a, pair.b) for pair in result.pairs[:1]]


def _find_cost(visit: Visit, run: Run, names: Collection[str], kind: str = "") -> Problem | None:
    """Return the problem that these topics are, of this kind if one is named; None where they are on no list."""
    problems = review_all(visit.store, visit.project, run)
    return next((each for each in problems if set(each.topics) == set(names) and kind in ("", each.kind)), None)


def _say_applied(visit: Visit, bench: Bench, draft: Draft) -> str:
    words = visit.words
    names = topic_names(*visit.here)
    topics = [side.topic.name for side in pairs.by_size(bench.sides) if side.topic]
    match draft.kind:
        case "move":
            count = sum(len(ids) for _, ids in draft.moves)
            return words.ngettext(
                "%(num)s example moved to the other topic.", "%(num)s examples moved to the other topic.", count
            )
        case "merge":
            return words.gettext("%(a)s merged into %(b)s.", a=", ".join(topics[:-1]), b=topics[-1])
        case "out_of_scope":
            return words.ngettext(
                "%(num)s example is now out of scope.", "%(num)s examples are now out of scope.", len(draft.examples)
            )
        case "split":
            return words.gettext("New topic %(name)s made of the ticked questions.", name=draft.name)
        case "add_examples":
            return words.ngettext(
                "%(num)s example added to %(topic)s.",
                "%(num)s examples added to %(topic)s.",
                len(draft.texts),
                topic=names.get(draft.topics[0], ""),
            )
        case "retire":
            return words.gettext("%(topic)s retired; its questions are out of scope.", topic=topics[0])


def _decide(visit: Visit, bench: Bench, kind: str, problem: Problem | None, why: str) -> tuple[str, Edit]:
    """Say that labels are right, or that topics stay apart on purpose."""
    words = visit.words
    if kind == "right":
        edit = questions.confirm_questions(*visit.acting, bench.run, tuple(bench.ticked))
        return words.ngettext("%(num)s label confirmed.", "%(num)s labels confirmed.", len(bench.ticked)), edit
    if kind == "keep_apart":
        topics = [side.topic.id for side in bench.sides if side.topic]
        edit = keep_apart(*visit.acting, topics, problem.high if problem else 0.0, why=why)
        return words.gettext("Kept apart on purpose. They are listed again if they cost more than now."), edit
    raise UsageError(say("no action selected"), remedy=say("choose what to do with the ticked questions"))


def _empty_page(visit: Visit, run: Run) -> Response:
    words, line = visit.words, runs.show_run(visit.store, visit.project, run.number, intents.KIND)
    view = View(
        head=run_head(words, visit.project, line),
        title=words.gettext("No two topics are confused."),
        tabs=result_tabs(visit, run, "pair"),
        sides=(),
        apart=_list_apart(visit),
        overview=run_path(visit.project, run),
    )
    return visit.page("exams/intents_pair.html", words.gettext("Confused pairs"), view=view)


def _forecast(visit: Visit, bench: Bench) -> View:
    return forecast_view(visit, bench, pair_address(run_path(visit.project, bench.run), *bench.names))


def _pair_page(
    visit: Visit,
    run: Run,
    names: tuple[str, ...],
    typed: Typed | None = None,
    *,
    asked: bool = False,
    error: InputError | None = None,
    harmful: Check | None = None,
    status: int = 400,
) -> Response:
    words, base = visit.words, run_path(visit.project, run)
    line = runs.show_run(visit.store, visit.project, run.number, intents.KIND)
    bench = Bench(run, names, pairs.open_sides(visit.store, visit.project, run, names), typed)
    topics = [side.topic for side in bench.sides if side.topic]
    whole, here = len(topics) == len(names), pair_address(base, *names)
    problem = _find_cost(visit, run, names)
    view = View(
        head=run_head(words, visit.project, line),
        title=_title(visit, names),
        tabs=result_tabs(visit, run, "pair"),
        cost=_cost(visit, problem),
        card=None,
        card_poll=here.replace("/pair?", "/pair/card?") if problem else "",
        came_back=problem is not None and problem.standing == "came_back",
        lead=_lead(visit, bench),
        **_neighbours(visit, run, names),
        sides=[side_view(visit, side, bench) for side in bench.sides],
        action=here,
        names=list(zip("abc", names, strict=False)),
        alone=len(names) == 1,
        may_edit=visit.who.may("editor") and whole,
        can_forecast=whole,
        forecast=_forecast(visit, bench) if asked or error else None,
        harmful=View(text=harm_sentence(visit, harmful), forecast=forecast_words(visit, harmful.forecast))
        if harmful
        else None,
        poll=here,
        targets=_list_targets(visit, bench),
        typed=typed or Typed({}),
        texts="\n".join(typed.texts) if typed else "",
        suggest=f"{here}&suggest=split",
        apart=_list_apart(visit),
        differ=bool(torn_languages(topics)),
        seconds=visit.write.duration(intents.expect_exam(visit.store, visit.project).seconds),
        error=error,
    )
    title = f"{words.gettext('Confused pair') if len(names) > 1 else names[0]}: {tab_title(words, run)}"
    return visit.page(
        "exams/intents_pair.html", title, view=view, status=status if error else 409 if harmful else 200
    )


def _title(visit: Visit, names: Sequence[str]) -> str:
    if len(names) == 1:
        return visit.words.gettext("“%(a)s”", a=names[0])
    if len(names) == 2:
        return visit.words.gettext("“%(a)s” and “%(b)s”", a=names[0], b=names[1])
    return visit.words.gettext("“%(a)s”, “%(b)s” and “%(c)s”", a=names[0], b=names[1], c=names[2])


def _lead(visit: Visit, bench: Bench) -> str:
    words, asked = visit.words, sum(side.total for side in bench.sides)
    taken = visit.write.number(sum(len(side.taken) for side in bench.sides))
    if len(bench.sides) == 2:
        return words.ngettext(
            "%(taken)s of %(num)s question gets the other topic's answer.",
            "%(taken)s of %(num)s questions get the other topic's answer.",
            asked,
            taken=taken,
        )
    return words.ngettext(
        "%(taken)s of %(num)s question gets another topic's answer.",
        "%(taken)s of %(num)s questions get another topic's answer.",
        asked,
        taken=taken,
    )


def _list_targets(visit: Visit, bench: Bench) -> list[tuple[str, str]]:
    """Return where ticked questions can go from one topic, by name; of several topics they go to each other."""
    if len(bench.sides) != 1:
        return []
    own = bench.sides[0].topic.id if bench.sides[0].topic else ""
    named = topic_names(*visit.here).items()
    return sorted(((own_id, name) for own_id, name in named if own_id != own), key=lambda each: each[1].casefold())


def _list_apart(visit: Visit) -> list[View]:
    """Return the topics that are kept apart on purpose."""
    return [
        View(id=each.id, names=each.names, action=f"{visit.base}/decisions/{each.id}/drop")
        for each in list_kept_apart(*visit.here)
    ]


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


def _cost(visit: Visit, problem: Problem | None) -> str:
    """Say how many messages a problem costs; nothing where it is not worth a look."""
    write = visit.write
    if problem is None or problem.measured is None:
        return ""
    return visit.words.gettext(
        "Costs %(cost)s of 1,000 messages (%(around)s)",
        cost=write.number(max(1, round(problem.cost))),
        around=write.between(problem.low, problem.high, 0, ""),
    )
