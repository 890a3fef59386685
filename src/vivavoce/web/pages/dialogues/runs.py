"""An exam of dialogues: its start, how far it is, whether its scores can be trusted, and what they say."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.dialogues.result import Agreement, DialoguesResult
from vivavoce.dialogues.scored import score_steps
from vivavoce.errors import AccessError, InputError
from vivavoce.reports.dialogues.meanings import AGREEMENT_SPAN, DIALOGUE_MEASURES, SCORE_SPAN, title_of_test
from vivavoce.reports.shared.views import Column, Table, make_table
from vivavoce.statistics import wilson
from vivavoce.store.rows import Run, RunState
from vivavoce.web.answers import go
from vivavoce.web.cells import measure_column, rate_cell
from vivavoce.web.figures import Drawn, find_figure
from vivavoce.web.formats import Writer
from vivavoce.web.forms import Form, fault_at
from vivavoce.web.language import Words
from vivavoce.web.listing import Listing, Number, Word
from vivavoce.web.pages.dialogues.ratings import agreement_table
from vivavoce.web.pages.dialogues.views import fact_groups
from vivavoce.web.pages.exams.findings import progress_left, run_lead
from vivavoce.web.parts import Choice, Field
from vivavoce.web.progress import run_head, run_path
from vivavoce.web.rendering import Link, View
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.access.engine_rules import SHIPPED_RATER
from vivavoce.workspace.dialogues import dialogues
from vivavoce.workspace.dialogues.dialogues import BAD_SCORE, KIND, talk_ids
from vivavoce.workspace.dialogues.overview import ALL, TalksFound, findings_of, lines_of_run
from vivavoce.workspace.exams import runs

router = APIRouter(prefix="/p/{slug}/dialogues")
MAX_BOTS = 8
MIN_BOTS = 2
MAX_MARKED_BOTS = 20
MAX_PAIRS = 12
MAX_REFUSED = 20
MAX_NOTES = 20


@router.get("/score")
def show_score(visit: EditorVisit, batch: Word = "") -> Response:
    """Show the form that starts an exam."""
    return _score_page(visit, {"batch": batch})


@router.post("/score")
def start_scoring(visit: EditorVisit, form: Form) -> Response:
    """Start an exam over a batch, or over all dialogues."""
    typed = {name: form.text(name, most=400) for name in ("batch", "title", "rater")}
    batch, rater = typed["batch"] or None, typed["rater"] or SHIPPED_RATER
    try:
        form.check()
        run = dialogues.begin_scoring(
            visit.store, visit.actor, visit.project, batch=batch, rater=rater, title=typed["title"]
        )
    except AccessError:
        raise
    except InputError as error:
        return _score_page(visit, typed, error)
    text = visit.words.gettext("Exam started. The results will appear here.")
    return visit.done(run_path(visit.project, run), text)


def _score_page(visit: Visit, typed: dict[str, str], error: InputError | None = None) -> Response:
    words, base = visit.words, f"{visit.base}/dialogues"
    batches = dialogues.list_batches(visit.store, visit.project)
    every = words.gettext("all dialogues (%(num)s)", num=visit.write.number(sum(batches.values())))
    choices = (Choice("", every), *(Choice(name, f"{name} ({n:,})") for name, n in batches.items()))
    experts = []
    fields = [
        Field("batch", words.gettext("Dialogues to score"), "select", typed.get("batch", ""), choices=choices),
        Field(
            "title",
            words.gettext("Title"),
            value=typed.get("title", ""),
            most=runs.MAX_TITLE,
            error=fault_at(error, "title"),
            help=words.gettext("Shown in lists. Default: the name of the batch."),
        ),
    ]
    if visit.who.may("admin"):
        from vivavoce.dialogues.raters.protocol import list_raters

        help_text = words.gettext(
            "Default: the rater that comes with vivavoce. Other raters run code or call a service: %(names)s.",
            names=", ".join(rater.name for rater in list_raters()),
        )
        experts.append(Field("rater", words.gettext("Rater"), value=typed.get("rater", ""), help=help_text, most=400))
    lead = words.gettext("Each dialogue gets a score from 1 to 5: the rating a person would probably give it.")
    return visit.page(
        "dialogues/score.html",
        words.gettext("Score dialogues"),
        lead=lead,
        crumbs=(Link(words.gettext("Dialogues"), base),),
        action=f"{base}/score",
        back=base,
        fields=fields,
        experts=experts,
        error=error,
    )


@router.get("/runs")
def lead_to_runs(visit: ReaderVisit) -> Response:
    """Lead to the list of exams."""
    return go(f"{visit.base}/runs?kind={KIND}")


@router.get("/runs/{number}")
def show_exam(visit: ReaderVisit, number: Number) -> Response:
    """Show one exam: its progress, then what it found."""
    words, line = visit.words, runs.show_run(visit.store, visit.project, number, KIND)
    run, base = line.run, f"{visit.base}/dialogues"
    over = run.state is RunState.DONE
    links = (Link(words.gettext("Worst dialogues"), base), Link(words.gettext("Agreement"), f"{base}/agreement"))
    return visit.page(
        "dialogues/run.html",
        words.ours(run.title),
        head=run_head(words, visit.project, line),
        lead=_lead(visit, run),
        links=links if over else (),
        progress=progress_left(visit, run),
        result=_result(visit, run) if over else None,
    )


def _lead(visit: Visit, run: Run) -> str:
    """Return what the run found in one sentence; with one bot there is nothing to compare."""
    from vivavoce.reports.dialogues.wording import mean_headline

    if run.state is RunState.DONE:
        findings = findings_of(visit.store, run)
        if findings.mean.value is not None and len(findings.spread) < MIN_BOTS + 1:
            return visit.words.said(mean_headline(findings.mean.value, findings.scored, _count_low(findings)))
    return run_lead(visit.words, run)


def _count_low(findings: TalksFound) -> int:
    """Return how many dialogues score so low that a person would call them bad."""
    steps = zip(score_steps(), findings.spread.get(ALL, ()), strict=False)
    return sum(count for (_, high), count in steps if high <= BAD_SCORE)


def _result(visit: Visit, run: Run) -> View:
    from vivavoce.reports.dialogues import wording

    words, number, findings = visit.words, visit.write.number, findings_of(visit.store, run)
    local = findings.result.passport.local.get("overall")
    notes = runs.warnings_of(visit.store, run)
    return View(
        verdict=wording.because(findings.result),
        drift=wording.drift_warning(findings.result.passport),
        counts=words.ngettext(
            "%(talks)s dialogue read, %(scored)s scored, %(marked)s rated by people.",
            "%(talks)s dialogues read, %(scored)s scored, %(marked)s rated by people.",
            findings.talks,
            talks=number(findings.talks),
            scored=number(findings.scored),
            marked=number(findings.marked),
        ),
        mean=findings.mean,
        mean_unsure=findings.mean.tells_little(SCORE_SPAN),
        measures=DIALOGUE_MEASURES,
        talks=findings.talks,
        scored=findings.scored,
        agreement=local.spearman if local and local.n else None,
        agreement_unsure=local is not None and local.spearman.tells_little(AGREEMENT_SPAN),
        figure=find_figure(visit.store, visit.project, run, "distribution"),
        spread=_tabulate_spread(words, findings),
        ranking=_show_ranking(words, findings.result, find_figure(visit.store, visit.project, run, "ranking")),
        **_to_read(visit, run, findings),
        refused=make_table(
            words.gettext("Why dialogues got no score"),
            (
                words.gettext("Reason"),
                Column(words.gettext("Dialogues"), number=True),
                words.gettext("First dialogue"),
            ),
            [(refusal.reason, number(refusal.count), refusal.first) for refusal in findings.refused[:MAX_REFUSED]],
        ),
        trust=_show_trust(words, findings.result, find_figure(visit.store, visit.project, run, "agreement")),
        notes=notes[:MAX_NOTES],
        more_notes=max(0, len(notes) - MAX_NOTES),
    )


def _to_read(visit: Visit, run: Run, findings: TalksFound) -> dict[str, object]:
    """Return what is worth reading: low scores by what happened, and where score and people disagree."""
    base, lines = f"{visit.base}/dialogues", lines_of_run(visit.store, visit.project, run)
    low = [line for line in lines if line.band == "low"]
    titles = {line.known.name: line.known.title for line in lines}
    ids = talk_ids(visit.store, visit.project, [item.id for item in findings.result.queue])
    return {
        "queue": [
            (titles.get(item.id) or item.id, f"{base}/{ids[item.id]}" if item.id in ids else "", item.text)
            for item in findings.result.queue
        ],
        "low": wilson(_count_low(findings), findings.scored),
        "low_href": f"{base}?band=low#list",
        "groups": fact_groups(visit.words, low, Listing(base, {"band": "low"})) if low else [],
    }


def _tabulate_spread(words: Words, findings: TalksFound) -> Table:
    """Return how many talks fall in each half point, of all and of the bots with most."""
    bots, number = list(findings.spread.items())[: MAX_BOTS + 1], Writer(words).number
    rows = [
        (f"{number(low, 1)} – {number(high, 1)}", *(number(counts[place]) for _, counts in bots))
        for place, (low, high) in enumerate(score_steps())
        if ALL in findings.spread
    ]
    head = (words.gettext("Score"), *(bot or words.gettext("All") for bot, _ in bots))
    return make_table(words.gettext("Dialogues by score"), head, rows, len(bots))


def _show_ranking(words: Words, result: DialoguesResult, figure: Drawn | None) -> View | None:
    from vivavoce.reports.dialogues import bots as wording

    if result.ranking is None:
        return None
    ranked, lines, rows = result.passport.may_compare, result.ranking.lines, []
    names = ("mean", "strength", "rank") if ranked else ("mean",)
    # A list that begins with the best is a ranking, whatever is written above it.
    for line in lines if ranked else sorted(lines, key=lambda line: line.bot):
        rates = [line.mean, line.strength] if ranked else [line.mean]
        cells = [rate_cell(words, rate, DIALOGUE_MEASURES["score"], counted=False) for rate in rates]
        rows.append((line.bot, Writer(words).number(line.n), *cells, *([wording.rank_text(line)] if ranked else [])))
    measures = [measure_column(words, DIALOGUE_MEASURES[name]) for name in names]
    head = (words.gettext("Bot"), words.gettext("Dialogues"), *measures)
    caption = words.gettext("Bots, best first") if ranked else words.gettext("Bots by name")
    sentences = (*wording.pair_sentences(result.ranking)[:MAX_PAIRS], wording.say_unranked(result.ranking))
    unranked = words.gettext(
        "Bots are listed by name: these scores cannot rank them yet. The top of the page says what is missing."
    )
    return View(
        ranked=ranked,
        warning=wording.ranking_warning(result) if ranked else unranked,
        table=make_table(caption, head, rows, len(names) + 1),
        sentences=[sentence for sentence in sentences if sentence] if ranked else [],
        figure=figure if ranked else None,
    )


def _show_trust(words: Words, result: DialoguesResult, figure: Drawn | None) -> View:
    from vivavoce.reports.dialogues import wording

    passport = result.passport
    of_bots = dict(list(wording.bots_apart(passport).items())[:MAX_MARKED_BOTS])
    learnt = words.gettext("On unseen dialogues from the rater's training data")
    by_bot = words.gettext("On your own rated dialogues, by bot (n/a below 10)")
    local = {name: measured for name, measured in passport.local.items() if measured.n}
    return View(
        sentence=wording.agreement_sentence(passport.local),
        following=wording.following_sentences(passport),
        people=wording.people_sentence(passport),
        local=_tabulate_tests(words, words.gettext("On your own rated dialogues"), local),
        bots=_tabulate_tests(words, by_bot, of_bots),
        origin=_tabulate_tests(words, learnt, passport.origin.agreements if passport.origin else {}),
        rater=f"{passport.rater}. " + wording.origin_sentence(passport.origin),
        recalibration=wording.recalibration_sentence(result.recalibration),
        figure=figure,
    )


def _tabulate_tests(words: Words, caption: str, agreements: Mapping[str, Agreement]) -> Table:
    lines = [((words.said(title_of_test(test)),), agreement) for test, agreement in agreements.items()]
    return agreement_table(words, caption, (words.gettext("Tested on"), "n"), lines)
