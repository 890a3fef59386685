"""One exam of talks: how far it is, then whether its scores can be trusted, and what they say."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter, Request
from starlette.responses import Response

from vivavoce.dialogues.dialogue import Kind
from vivavoce.dialogues.result import Agreement, DialoguesResult
from vivavoce.dialogues.scored import score_steps
from vivavoce.records import Rate
from vivavoce.reports.dialogues.meanings import AGREEMENT_SPAN, DIALOGUE_MEASURES, SCORE_SPAN, title_of_test
from vivavoce.reports.shared.views import Cell, Column, Table, make_table
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run, RunState
from vivavoce.web.access import InStore, ProjectInPath, Reader
from vivavoce.web.answers import go, page, words_of
from vivavoce.web.cells import measure_column, rate_cell
from vivavoce.web.figures import Drawn, drawn
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.web.listing import Number
from vivavoce.web.pages.dialogues.views import SECTION, base_path
from vivavoce.web.pages.exams.findings import progress_left, run_lead
from vivavoce.web.progress import run_head
from vivavoce.web.rendering import Link, View
from vivavoce.workspace.dialogues.dialogues import KIND, talk_ids
from vivavoce.workspace.dialogues.findings import ALL, TalksFound, findings_of
from vivavoce.workspace.exams import runs

router = APIRouter(prefix="/p/{slug}/dialogues/runs")
MOST_BOTS = 8
MOST_MARKED_BOTS = 20
MOST_PAIRS = 12
MOST_REFUSED = 20
MOST_NOTES = 20
NAMES = ("pearson", "spearman", "kendall", "mse")


@router.get("")
def lead_to_runs(who: Reader, project: ProjectInPath) -> Response:
    """Lead to the list of exams."""
    return go(f"/p/{project.slug}/runs?kind={KIND}")


@router.get("/{number}")
def show_exam(request: Request, who: Reader, store: InStore, project: ProjectInPath, number: Number) -> Response:
    """Show one exam: its progress, then what it found."""
    words = words_of(request)
    line = runs.show_run(store, project, number, KIND)
    run, base = line.run, base_path(project)
    over = run.state is RunState.DONE
    links = (Link(words.gettext("The worst talks"), base), Link(words.gettext("Agreement"), f"{base}/agreement"))
    view = View(
        head=run_head(words, project, line),
        lead=run_lead(words, run),
        links=links if over else (),
        progress=progress_left(words, store, project, run),
        result=_result(words, store, project, run) if over else None,
    )
    return page(request, "dialogues/run.html", words.ours(run.title), view=view, project=project, section=SECTION)


# --- the result --------------------------------------------------------------------------------------------------


def _result(words: Words, store: Store, project: Project, run: Run) -> View:
    from vivavoce.reports.dialogues import wording

    found, number = findings_of(store, run), Writer(words).number
    local, base = found.result.passport.local.get("overall"), base_path(project)
    notes, ids = runs.warnings_of(store, run), talk_ids(store, project, [one.id for one in found.result.queue])
    return View(
        verdict=wording.because(found.result),
        drift=wording.drift_warning(found.result.passport),
        counts=words.ngettext(
            "%(talks)s talk read, %(scored)s scored, %(marked)s marked by people.",
            "%(talks)s talks read, %(scored)s scored, %(marked)s marked by people.",
            found.talks,
            talks=number(found.talks),
            scored=number(found.scored),
            marked=number(found.marked),
        ),
        mean=found.mean,
        mean_unsure=found.mean.tells_little(SCORE_SPAN),
        measures=DIALOGUE_MEASURES,
        talks=found.talks,
        scored=found.scored,
        agreement=local.spearman if local and local.n else None,
        agreement_unsure=local is not None and local.spearman.tells_little(AGREEMENT_SPAN),
        figure=drawn(store, project, run, "distribution"),
        spread=_spread(words, found),
        ranking=_ranking(words, found.result, drawn(store, project, run, "ranking")),
        queue=[(one.id, f"{base}/{ids[one.id]}" if one.id in ids else "", one.text) for one in found.result.queue],
        refused=make_table(
            words.gettext("Why talks got no score"),
            (words.gettext("Reason"), Column(words.gettext("Talks"), number=True), words.gettext("First")),
            [(one.reason, number(one.count), one.first) for one in found.refused[:MOST_REFUSED]],
        ),
        trust=_trust(words, found.result, drawn(store, project, run, "agreement")),
        notes=notes[:MOST_NOTES],
        more_notes=max(0, len(notes) - MOST_NOTES),
    )


def _spread(words: Words, found: TalksFound) -> Table:
    """Return how many talks fall in each half point, of all and of the bots with most."""
    bots, number = list(found.spread.items())[: MOST_BOTS + 1], Writer(words).number
    rows = [
        (f"{number(low, 1)} – {number(high, 1)}", *(number(counts[place]) for _, counts in bots))
        for place, (low, high) in enumerate(score_steps())
        if ALL in found.spread
    ]
    head = (words.gettext("Score"), *(bot or words.gettext("All") for bot, _ in bots))
    return make_table(words.gettext("Talks by score"), head, rows, len(bots))


# --- bots and trust ----------------------------------------------------------------------------------------------


def _ranking(words: Words, result: DialoguesResult, figure: Drawn | None) -> View | None:
    from vivavoce.reports.dialogues import bots as wording

    if result.ranking is None:
        return None
    ranked, lines, number = result.passport.may_compare, result.ranking.lines, Writer(words).number
    # A list that begins with the best is a ranking, whatever is written above it.
    shown = lines if ranked else sorted(lines, key=lambda line: line.bot)
    names = ("mean", "strength", "rank") if ranked else ("mean",)
    rows = [
        (
            line.bot,
            number(line.n),
            _cell(words, line.mean),
            *((_cell(words, line.strength), wording.rank_text(line)) if ranked else ()),
        )
        for line in shown
    ]
    head = (
        words.gettext("Bot"),
        words.gettext("Talks"),
        *(measure_column(words, DIALOGUE_MEASURES[n]) for n in names),
    )
    caption = words.gettext("Bots, the best first") if ranked else words.gettext("Bots by name")
    told = (*wording.pair_sentences(result.ranking)[:MOST_PAIRS], wording.unranked_sentence(result.ranking))
    return View(
        ranked=ranked,
        warning=wording.ranking_warning(result) if ranked else _without_ranks(words, result),
        table=make_table(caption, head, rows, len(names) + 1),
        sentences=[one for one in told if one] if ranked else [],
        figure=figure if ranked else None,
    )


def _cell(words: Words, rate: Rate) -> Cell:
    return rate_cell(words, rate, DIALOGUE_MEASURES["score"], counted=False)


def _without_ranks(words: Words, result: DialoguesResult) -> str:
    local = result.passport.local.get(str(Kind.HUMAN_BOT))
    return words.ngettext(
        "Bots are in the order of their names and without ranks: %(num)s talk with a bot has both a score and a "
        "person's mark. What is missing stands at the top.",
        "Bots are in the order of their names and without ranks: %(num)s talks with a bot have both a score and a "
        "person's mark. What is missing stands at the top.",
        local.n if local else 0,
    )


def _trust(words: Words, result: DialoguesResult, figure: Drawn | None) -> View:
    from vivavoce.reports.dialogues import wording

    passport = result.passport
    of_bots = dict(list(wording.bots_apart(passport).items())[:MOST_MARKED_BOTS])
    learnt = words.gettext("Where the rater learnt, on talks that it had not seen")
    by_bot = words.gettext("On your own marked talks, bot by bot (n/a below 10)")
    local = {name: one for name, one in passport.local.items() if one.n}
    return View(
        sentence=wording.agreement_sentence(passport.local),
        following=wording.following_sentences(passport),
        people=wording.people_sentence(passport),
        local=_tests(words, words.gettext("On your own marked talks"), local),
        bots=_tests(words, by_bot, of_bots),
        origin=_tests(words, learnt, passport.origin.agreements if passport.origin else {}),
        rater=f"{passport.rater}. " + wording.origin_sentence(passport.origin),
        recalibration=wording.recalibration_sentence(result.recalibration),
        figure=figure,
    )


def _tests(words: Words, caption: str, agreements: Mapping[str, Agreement]) -> Table:
    """Return how well scores follow people, one line for each test."""
    number = Writer(words).number
    rows = [
        (words.said(title_of_test(name)), number(one.n), *(_cell(words, getattr(one, each)) for each in NAMES))
        for name, one in agreements.items()
    ]
    head = (words.gettext("Tested on"), "n", *(measure_column(words, DIALOGUE_MEASURES[name]) for name in NAMES))
    return make_table(caption, head, rows, len(NAMES) + 1)
