"""A dialogues exam as one file: whether the scores can be trusted first, then scores, bots and dialogues to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vivavoce.dialogues.result import Agreement, DialoguesResult, Ranking
from vivavoce.dialogues.scored import (
    MIN_SCORES,
    ScoredDialogue,
    count_scores,
    group_by_bot,
    mean_score,
    pair_scores,
    rank_scored,
    score_steps,
)
from vivavoce.messages import sentence
from vivavoce.records import Rate
from vivavoce.reports.dialogues import bots as bot_wording
from vivavoce.reports.dialogues import wording
from vivavoce.reports.dialogues.charts import dialogues_figures, effect_rows, main_agreement
from vivavoce.reports.dialogues.facts import FACTS, count_facts
from vivavoce.reports.dialogues.meanings import AGREEMENT_SPAN, DIALOGUE_MEASURES, SCORE_SPAN, title_of_test
from vivavoce.reports.dialogues.messages import shade_messages
from vivavoce.reports.shared.measures import Measure
from vivavoce.reports.shared.numbers import interval_text, score_text, signed
from vivavoce.reports.shared.pages import render_report
from vivavoce.reports.shared.texts import clean, cut, file_name, short
from vivavoce.reports.shared.views import Cell, Column, Table, Tile, make_table, make_tile, rate_cell
from vivavoce.version import __version__

MAX_TITLE, MAX_NAME, MAX_SPEAKER, MAX_WHY, MAX_TEXT = 120, 80, 24, 300, 600
LOWEST_SHOWN, HIGHEST_SHOWN, QUEUE_SHOWN = 20, 5, 20
MAX_GROUPS, MAX_PAIRS = 20, 10


def render_dialogues(result: DialoguesResult) -> str:
    """Return the report of a dialogues exam; of a large log, the dialogues that are worth reading."""
    scored, ranking = rank_scored(result), result.ranking
    pairs = bot_wording.pair_sentences(ranking) if ranking else []
    remarks, refusals = list(wording.remarks(result)), wording.refusals(result)
    return render_report(
        "dialogues.html",
        f"Dialogues exam of {short(file_name(result.source), MAX_TITLE)}",
        lead=wording.headline(result),
        result=result,
        wording=wording,
        sentence=sentence,
        clean=clean,
        short=short,
        cut=cut,
        most={"name": MAX_NAME, "speaker": MAX_SPEAKER, "why": MAX_WHY, "text": MAX_TEXT, "groups": MAX_GROUPS},
        messages=shade_messages,
        score_text=score_text,
        tiles=_tiles(result, scored) if result.scores else [],
        figures=dialogues_figures(result),
        spread=_spread_table(scored),
        happened=_facts_table(result),
        ranking=_ranking_table(ranking) if ranking else None,
        ranking_warning=clean(bot_wording.ranking_warning(result)),
        pairs=(pairs[:MAX_PAIRS], pairs[MAX_PAIRS:]),
        unranked=bot_wording.say_unranked(ranking) if ranking else "",
        refused=_build_refused_table(refusals),
        refused_total=sum(len(group.ids) for group in refusals),
        groups_left=len(refusals) - MAX_GROUPS,
        remarks=remarks[:MAX_GROUPS],
        remarks_left=len(remarks) - MAX_GROUPS,
        measures=DIALOGUE_MEASURES,
        facts=[
            ("vivavoce", __version__),
            ("Dialogues", short(result.source, 400)),
            ("Rater", clean(result.passport.rater)),
        ],
        **_to_read(result, scored),
        **_agreement_tables(result),
    )


def _to_read(result: DialoguesResult, scored: Sequence[ScoredDialogue]) -> dict[str, object]:
    """Return the dialogues to read: scores that contradict ratings or checks, the lowest, and the highest."""
    by_id = {pair.dialogue.id: pair for pair in pair_scores(result)}
    highest = scored[LOWEST_SHOWN:][::-1][:HIGHEST_SHOWN]
    return {
        "queue": [(row, by_id.get(row.id)) for row in result.queue[:QUEUE_SHOWN]],
        "lowest": scored[:LOWEST_SHOWN],
        "scored": len(scored),
        "highest": highest,
        "between": max(0, len(scored) - LOWEST_SHOWN) - len(highest),
        "effects": _effects_table(scored[0]) if scored else None,
        "hidden_effects": len(scored[0].score.turns) - len(effect_rows(*scored[0])) if scored else 0,
    }


def _agreement_tables(result: DialoguesResult) -> dict[str, Table]:
    passport = result.passport
    learnt, bots = passport.origin.agreements if passport.origin else {}, wording.bots_apart(passport)
    return {
        "bins": _bins_table(result),
        "local": _agreement_table("On your own rated dialogues", passport.local),
        "bots": _agreement_table("On your own rated dialogues, by bot (n/a below 10)", bots),
        "origin": _agreement_table("On unseen dialogues from its training source", learnt, counted="rating"),
    }


def _score_cell(rate: Rate) -> Cell:
    return rate_cell(rate, DIALOGUE_MEASURES["score"])


def _column(name: str, title: str) -> Column:
    return Column(title, f"#m-{name}", number=True, meaning=DIALOGUE_MEASURES[name].meaning)


def _tiles(result: DialoguesResult, scored: Sequence[ScoredDialogue]) -> list[Tile]:
    mean, local = mean_score(scored), result.passport.local.get("overall")
    around = interval_text(mean, "score") or f"too few dialogues for an interval (fewer than {MIN_SCORES})"
    around = f"{around}; n = {mean.n:,}, from 1 (bad) to 5 (good)"
    refused = len(result.scores) - len(scored)
    tiles = [
        make_tile(mean, DIALOGUE_MEASURES["mean"], around, span=SCORE_SPAN),
        Tile(f"{len(scored):,}", "Dialogues scored", f"of {len(result.scores):,} read; {refused:,} not scored"),
    ]
    if local is not None and local.n:
        rate, title = local.spearman, "Agreement with your ratings"
        within = ", ".join(p for p in (interval_text(rate, "score"), f"n = {local.n:,} rated dialogues") if p)
        measure = DIALOGUE_MEASURES["spearman"]
        tiles.append(make_tile(rate, measure, f"Spearman; {within}", name=title, span=AGREEMENT_SPAN))
    if result.queue:
        tiles.append(Tile(f"{len(result.queue):,}", "Worth reading", "the score contradicts ratings or checks"))
    return tiles


def _facts_table(result: DialoguesResult) -> Table:
    """Return in how many dialogues what happened, read from the text."""
    rows = [
        (Cell(FACTS[kind].title, FACTS[kind].meaning), f"{round((rate.value or 0) * rate.n):,}", rate_cell(rate))
        for kind, rate in count_facts(result.dialogues).items()
    ]
    return make_table("What happened in the dialogues", ("Fact", "Dialogues", "Share"), rows, 2)


def _spread_table(scored: Sequence[ScoredDialogue]) -> Table:
    bots = group_by_bot(scored)
    columns = {"All": list(scored), **(bots if len(bots) > 1 else {})}
    counts = {short(name, MAX_NAME): count_scores(pair.value for pair in own) for name, own in columns.items()}
    rows = [
        (f"{low:g} to {high:g}", *[f"{column[place]:,}" for column in counts.values()])
        for place, (low, high) in enumerate(score_steps())
    ]
    return make_table("Dialogues by score", ("Score", *counts), rows, len(counts))


def _ranking_table(ranking: Ranking) -> Table:
    head: tuple[str | Measure, ...] = (
        "Bot",
        "Dialogues",
        *[DIALOGUE_MEASURES[name] for name in ("mean", "strength", "rank")],
    )
    rows = [
        (
            Cell(short(line.bot, MAX_NAME), css="name"),
            f"{line.n:,}",
            *map(_score_cell, (line.mean, line.strength)),
            bot_wording.rank_text(line),
        )
        for line in ranking.lines
    ]
    return make_table("Bots, best first", head, rows, 4)


def _effects_table(lowest: ScoredDialogue) -> Table:
    rows = [(f"{number}", who, signed(effect)) for number, who, effect in effect_rows(*lowest)]
    return make_table("Effect of each message", ("Message", "Who", _column("effect", "Effect")), rows, 1)


def _build_refused_table(groups: Sequence[wording.Group]) -> Table:
    rows = []
    for group in groups[:MAX_GROUPS]:
        ids = [short(name, MAX_NAME) for name in group.ids[:5]]
        more = f" and {len(group.ids) - len(ids):,} more" if len(group.ids) > len(ids) else ""
        which = Cell(", ".join(ids) + more, css="muted")
        rows.append((sentence(clean(group.text)), which, f"{len(group.ids):,}"))
    return make_table("Why dialogues were not scored", ("Reason", "Which", "Dialogues"), rows, 1)


def _bins_table(result: DialoguesResult) -> Table:
    agreement = main_agreement(result.passport.local)
    bins = agreement.bins if agreement else ()
    rows = [(f"{row.score:.2f}", _score_cell(row.mark), f"{row.mark.n:,}") for row in bins]
    head = (_column("score", "Mean score"), _column("mark", "Mean of people's ratings"), "Dialogues")
    return make_table("People's ratings of dialogues with similar scores", head, rows, 2)


def _agreement_table(
    caption: str, agreements: Mapping[str, Agreement], *, counted: wording.Counted = "dialogue"
) -> Table:
    """Return how well scores agree with ratings, one line per test; `counted`: rated dialogues or single ratings."""
    names = ("pearson", "spearman", "kendall", "mse", "slope", "intercept")
    rows = [
        (
            clean(title_of_test(name)),
            f"{row.n:,}",
            *[_score_cell(rate) for rate in (row.pearson, row.spearman, row.kendall, row.mse)],
            *[score_text(value) for value in (row.slope, row.intercept)],
            f"{row.refused:,}",
        )
        for name, row in agreements.items()
    ]
    head = ("Tested on", f"{counted.capitalize()}s", *[DIALOGUE_MEASURES[name] for name in names], "Not scored")
    return make_table(caption, head, rows, len(head) - 1)
