"""One exam of talks: how far it is, then whether its scores can be trusted, and what they say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import Response

from vivavoce.dialogues.dialogue import Kind
from vivavoce.dialogues.result import Agreement, DialoguesResult, Ranking
from vivavoce.dialogues.scored import score_steps
from vivavoce.records import Rate
from vivavoce.reports.dialogues.meanings import AGREEMENT_SPAN, SCORE_SPAN
from vivavoce.reports.shared.measures import Measure
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Run, RunState
from vivavoce.web.access import InStore, ProjectInPath, Reader
from vivavoce.web.answers import go, page, words_of
from vivavoce.web.figures import Drawn, drawn
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.web.listing import Number
from vivavoce.web.pages.dialogues.views import SECTION, base_path
from vivavoce.web.pages.exams.findings import progress_left, run_lead
from vivavoce.web.parts import Column, Row, number_columns, text_columns
from vivavoce.web.progress import ProgressView, RunHead, run_head
from vivavoce.web.rendering import Link
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


@dataclass(frozen=True, slots=True)
class Queued:
    """A talk that a person should read, and why; no address: the talk is gone."""

    name: str
    href: str
    text: str


@dataclass(frozen=True, slots=True)
class TestLine:
    """How well scores follow people in one test."""

    title: str
    n: int
    rates: tuple[Rate, ...]
    refused: int


@dataclass(frozen=True, slots=True)
class BotLine:
    """One bot among others."""

    bot: str
    n: int
    mean: Rate
    strength: Rate
    rank: str


@dataclass(frozen=True, slots=True)
class RankingPart:
    """Bots side by side; `ranked`: the scores are good enough for an order; `warning` says where not."""

    ranked: bool
    warning: str
    measures: tuple[Measure, ...]
    lines: tuple[BotLine, ...]
    sentences: tuple[str, ...]
    figure: Drawn | None


@dataclass(frozen=True, slots=True)
class TrustPart:
    """How far the scores can be trusted: on this bot, where the rater learnt, and after a correction."""

    sentence: str
    following: tuple[str, ...]
    people: str
    measures: tuple[Measure, ...]
    local: tuple[TestLine, ...]
    bots: tuple[TestLine, ...]
    origin: tuple[TestLine, ...]
    rater: str
    recalibration: str
    figure: Drawn | None


@dataclass(frozen=True, slots=True)
class TalksResult:
    """What an exam found."""

    verdict: str
    drift: str
    may_compare: bool
    counts: str
    mean: Rate
    measure: Measure
    talks: int
    scored: int
    agreement: Rate | None
    spearman: Measure
    figure: Drawn | None
    spread_columns: tuple[Column, ...]
    spread: tuple[Row, ...]
    ranking: RankingPart | None
    queue: tuple[Queued, ...]
    refused_columns: tuple[Column, ...]
    refused: tuple[Row, ...]
    trust: TrustPart
    notes: tuple[str, ...]
    more_notes: int

    @property
    def mean_unsure(self) -> bool:
        """Whether the interval of the mean says so little that the number would mislead."""
        return self.mean.tells_little(SCORE_SPAN)

    @property
    def agreement_unsure(self) -> bool:
        """Whether the interval of the agreement says so little that the number would mislead."""
        return self.agreement is not None and self.agreement.tells_little(AGREEMENT_SPAN)


@dataclass(frozen=True, slots=True)
class TalksRunView:
    """One exam: how far it is, and its result once there is one."""

    head: RunHead
    lead: str
    links: tuple[Link, ...]
    progress: ProgressView | None
    result: TalksResult | None


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
    view = TalksRunView(
        head=run_head(words, project, line),
        lead=run_lead(words, run),
        links=links if over else (),
        progress=progress_left(words, store, project, run),
        result=_result(words, store, project, run) if over else None,
    )
    return page(request, "dialogues/run.html", words.ours(run.title), view=view, project=project, section=SECTION)


# --- the result --------------------------------------------------------------------------------------------------


def _result(words: Words, store: Store, project: Project, run: Run) -> TalksResult:
    from vivavoce.reports.dialogues import wording
    from vivavoce.reports.dialogues.meanings import DIALOGUE_MEASURES

    found = findings_of(store, run)
    local = found.result.passport.local.get("overall")
    notes = runs.warnings_of(store, run)
    return TalksResult(
        verdict=wording.because(found.result),
        drift=wording.drift_warning(found.result.passport),
        may_compare=found.result.passport.may_compare,
        counts=_counts(words, found),
        mean=found.mean,
        measure=DIALOGUE_MEASURES["mean"],
        talks=found.talks,
        scored=found.scored,
        agreement=local.spearman if local and local.n else None,
        spearman=DIALOGUE_MEASURES["spearman"],
        figure=drawn(store, project, run, "distribution"),
        spread_columns=_spread_columns(words, found),
        spread=_spread(words, found),
        ranking=_ranking(words, found.result, drawn(store, project, run, "ranking")),
        queue=_queue(store, project, found.result),
        refused_columns=_refused_columns(words),
        refused=_refused(words, found),
        trust=_trust(found.result, drawn(store, project, run, "agreement")),
        notes=notes[:MOST_NOTES],
        more_notes=max(0, len(notes) - MOST_NOTES),
    )


def _counts(words: Words, found: TalksFound) -> str:
    number = Writer(words).number
    return words.ngettext(
        "%(talks)s talk read, %(scored)s scored, %(marked)s marked by people.",
        "%(talks)s talks read, %(scored)s scored, %(marked)s marked by people.",
        found.talks,
        talks=number(found.talks),
        scored=number(found.scored),
        marked=number(found.marked),
    )


def _spread_columns(words: Words, found: TalksFound) -> tuple[Column, ...]:
    bots = [bot or words.gettext("All") for bot in found.spread][: MOST_BOTS + 1]
    return (*text_columns(words.gettext("Score")), *number_columns(*bots))


def _spread(words: Words, found: TalksFound) -> tuple[Row, ...]:
    counts, number = list(found.spread.values())[: MOST_BOTS + 1], Writer(words).number
    return tuple(
        Row((f"{number(low, 1)} – {number(high, 1)}", *(number(own[place]) for own in counts)))
        for place, (low, high) in enumerate(score_steps())
        if ALL in found.spread
    )


def _queue(store: Store, project: Project, result: DialoguesResult) -> tuple[Queued, ...]:
    ids = talk_ids(store, project, [one.id for one in result.queue])
    base = base_path(project)
    return tuple(Queued(one.id, f"{base}/{ids[one.id]}" if one.id in ids else "", one.text) for one in result.queue)


def _refused_columns(words: Words) -> tuple[Column, ...]:
    counted = number_columns(words.gettext("Talks"))
    return (*text_columns(words.gettext("Reason")), *counted, *text_columns(words.gettext("First")))


def _refused(words: Words, found: TalksFound) -> tuple[Row, ...]:
    number = Writer(words).number
    return tuple(Row((one.reason, number(one.count), Markup("{}").format(one.first)))
                 for one in found.refused[:MOST_REFUSED])  # fmt: skip


# --- bots and trust ----------------------------------------------------------------------------------------------


def _ranking(words: Words, result: DialoguesResult, figure: Drawn | None) -> RankingPart | None:
    from vivavoce.reports.dialogues import bots as wording
    from vivavoce.reports.dialogues.meanings import DIALOGUE_MEASURES

    if result.ranking is None:
        return None
    ranked, lines = result.passport.may_compare, result.ranking.lines
    # A list that begins with the best is a ranking, whatever is written above it.
    shown = lines if ranked else sorted(lines, key=lambda line: line.bot)
    return RankingPart(
        ranked=ranked,
        warning=wording.ranking_warning(result) if ranked else _without_ranks(words, result),
        measures=tuple(DIALOGUE_MEASURES[name] for name in ("mean", "strength", "rank")[: 3 if ranked else 1]),
        lines=tuple(BotLine(line.bot, line.n, line.mean, line.strength, wording.rank_text(line)) for line in shown),
        sentences=_sentences(result.ranking) if ranked else (),
        figure=figure if ranked else None,
    )


def _without_ranks(words: Words, result: DialoguesResult) -> str:
    local = result.passport.local.get(str(Kind.HUMAN_BOT))
    return words.ngettext(
        "Bots are in the order of their names and without ranks: %(num)s talk with a bot has both a score and a "
        "person's mark. What is missing stands at the top.",
        "Bots are in the order of their names and without ranks: %(num)s talks with a bot have both a score and a "
        "person's mark. What is missing stands at the top.",
        local.n if local else 0,
    )


def _sentences(ranking: Ranking) -> tuple[str, ...]:
    from vivavoce.reports.dialogues import bots as wording

    told = (*wording.pair_sentences(ranking)[:MOST_PAIRS], wording.unranked_sentence(ranking))
    return tuple(one for one in told if one)


def _trust(result: DialoguesResult, figure: Drawn | None) -> TrustPart:
    from vivavoce.reports.dialogues import wording
    from vivavoce.reports.dialogues.meanings import DIALOGUE_MEASURES

    passport = result.passport
    return TrustPart(
        sentence=wording.agreement_sentence(passport.local),
        following=tuple(wording.following_sentences(passport)),
        people=wording.people_sentence(passport),
        measures=tuple(DIALOGUE_MEASURES[name] for name in NAMES),
        local=_tests({name: one for name, one in passport.local.items() if one.n}),
        bots=_tests(dict(list(wording.bots_apart(passport).items())[:MOST_MARKED_BOTS])),
        origin=_tests(passport.origin.agreements if passport.origin else {}),
        rater=f"{passport.rater}. {wording.origin_sentence(passport.origin)}",
        recalibration=wording.recalibration_sentence(result.recalibration),
        figure=figure,
    )


def _tests(agreements: Mapping[str, Agreement]) -> tuple[TestLine, ...]:
    from vivavoce.reports.dialogues.meanings import title_of_test

    return tuple(
        TestLine(title_of_test(name), one.n, tuple(getattr(one, each) for each in NAMES), one.refused)
        for name, one in agreements.items()
    )
