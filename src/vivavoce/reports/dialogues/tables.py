"""Dialogues in the terminal, and as rows for a spreadsheet: counts, scores, bots, what to read next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from vivavoce.dialogues.dialogue import Dialogue
from vivavoce.dialogues.result import Agreement, DialoguesResult, Passport, Ranking, Score
from vivavoce.dialogues.scored import MIN_SCORES, ScoredDialogue, count_scores, group_by_bot, pair_scores, rank_scored
from vivavoce.files.writing import write_csv
from vivavoce.messages import sentence
from vivavoce.reports.dialogues import bots as bot_wording
from vivavoce.reports.dialogues import wording
from vivavoce.reports.dialogues.facts import FACTS, count_facts
from vivavoce.reports.dialogues.meanings import title_of_test
from vivavoce.reports.dialogues.messages import telling_messages
from vivavoce.reports.shared.layout import block, bullets, heading, numbers_table, plain_table, rate_cell
from vivavoce.reports.shared.numbers import interval_text, score_text
from vivavoce.reports.shared.texts import clean, cut, short

ROW_COLUMNS = ("id", "bot", "score", "low", "high", "mark", "passed", "refusal", "warnings")
BLOCKS = " ▁▂▃▄▅▆▇█"
MAX_LINES = 5
MAX_PAIRS = 6
MAX_NAME = 30
MAX_WHY = 240
MAX_TEXT = 500
# Enough for one sitting; of longer dialogues, the messages that moved the score most.
MAX_MESSAGES = 100
STRONG = 0.1


def print_dialogues(console: Console, result: DialoguesResult) -> None:
    """Show an exam: whether the scores may be used, what they come to, the bots, and what to read next."""
    scored, ranking = rank_scored(result), result.ranking
    console.print()
    console.print(block(wording.headline(result), "bold"))
    console.print(block(clean(wording.because(result))))
    if drift := wording.drift_warning(result.passport):
        console.print(block(drift, "yellow"))
    console.print(heading("Scores", wording.counts_sentence(result)))
    if scored:
        console.print(block(wording.mean_sentence(scored)))
        low, middle, high = (score_text(scored[place].value) for place in (0, len(scored) // 2, -1))
        spread = bar_line(count_scores(row.value for row in scored))
        console.print(Text.assemble("1 ", (spread, "bold"), f" 5   lowest {low}, median {middle}, highest {high}"))
    _print_facts(console, result)
    if ranking is not None:
        console.print(heading("Which bot is better?", clean(bot_wording.ranking_warning(result))))
        _print_ranking(console, ranking, group_by_bot(scored))
    if scored or result.queue:
        _print_next(console, result, scored)
    _print_notes(console, result)


def bar_line(counts: Sequence[int]) -> str:
    """Return counts as a line of blocks, each as high as its count; what is not 0 is never shown as nothing."""
    top, last = max([1, *counts]), len(BLOCKS) - 1
    return "".join(BLOCKS[-(-n * last // top)] for n in counts)


def _print_facts(console: Console, result: DialoguesResult) -> None:
    """Show in how many dialogues what happened; nothing where the texts are not known or nothing happened."""
    facts = count_facts(result.dialogues)
    if not facts:
        return
    console.print(heading("What happened", "Found in the text. How reliable each fact is: docs/dialogue_facts.md."))
    rows = [
        (FACTS[kind].title, f"{round((rate.value or 0) * rate.n):,} of {rate.n:,}", rate_cell(rate))
        for kind, rate in facts.items()
    ]
    console.print(numbers_table(("", "dialogues", "share"), rows))


def _print_ranking(console: Console, ranking: Ranking, bots: Mapping[str, Sequence[ScoredDialogue]]) -> None:
    rows = [
        (
            bot_wording.rank_text(line),
            short(line.bot, MAX_NAME),
            bar_line(count_scores(row.value for row in bots.get(line.bot, ()))),
            f"{line.n:,}",
            score_text(line.mean.value),
            interval_text(line.mean, "score"),
        )
        for line in ranking.lines
    ]
    console.print(numbers_table(("Rank", "Bot", "1 to 5", "Dialogues", "Mean", "Interval"), rows, words=3))
    console.print()
    few = bot_wording.say_unranked(ranking)
    console.print(bullets(filter(None, [*_first(bot_wording.pair_sentences(ranking), MAX_PAIRS, "pairs"), few])))


def _print_next(console: Console, result: DialoguesResult, scored: Sequence[ScoredDialogue]) -> None:
    lowest = [(row.dialogue.id, wording.score_line(row), wording.dialogue_facts(row)) for row in scored[:MAX_LINES]]
    queued = [(row.id, score_text(row.score), row.text) for row in result.queue[:MAX_LINES]]
    console.print(heading("What to read next"))
    for title, lines, total in (
        ("Score contradicts ratings or checks", queued, len(result.queue)),
        ("Lowest score", lowest, len(scored)),
    ):
        if lines:
            rows = [(short(name, MAX_NAME), score, short(why, MAX_WHY)) for name, score, why in lines]
            console.print(Text(f"{title} ({len(rows)} of {total:,}):"))
            console.print(numbers_table(("Dialogue", "Score", "Reason"), rows, words=3))
            console.print()
    example = (result.queue[0].id if result.queue else scored[0].dialogue.id).strip()
    console.print(block(f"To see why: viva dialogues explain FILE {short(example, MAX_NAME)}", "dim"))


def _print_notes(console: Console, result: DialoguesResult) -> None:
    passport, origin = result.passport, result.passport.origin
    trust = [
        wording.agreement_sentence(passport.local),
        *wording.following_sentences(passport),
        wording.people_sentence(passport),
        f"Rater: {clean(passport.rater)}. {wording.learnt_sentence(origin)}",
        wording.origin_agreement(origin),
        wording.recalibration_sentence(result.recalibration) if result.recalibration else "",
    ]
    console.print(heading("How far can you trust these scores?"))
    console.print(bullets(filter(None, trust)))
    remarks = [f"{len(group.ids):,} not scored: {sentence(clean(group.text))}" for group in wording.refusals(result)]
    remarks += [clean(text) for text in wording.remarks(result)]
    _print_list(console, "Before you trust these results", _first(remarks, 2 * MAX_LINES, "remarks"))


def _first(lines: Sequence[str], most: int, noun: str) -> list[str]:
    left = len(lines) - most
    return [*lines[:most], *([f"{left:,} more {noun} in the report."] if left > 0 else [])]


def print_explanation(console: Console, dialogue: Dialogue, score: Score) -> None:
    """Show one talk with the effect of each message beside it, and what moved the score."""
    row = ScoredDialogue(dialogue, score)
    console.print()
    console.print(block(f"{short(dialogue.id, 2 * MAX_NAME)}: {wording.score_line(row)}", "bold"))
    for text in filter(None, (clean(wording.dialogue_facts(row)), wording.range_sentence(score))):
        console.print(block(sentence(text)))
    if row.value is None:
        console.print(block(sentence(clean(score.refusal or "no reason given")), "bold"))
    _print_list(console, "What moved the score", [clean(line) for line in wording.reason_lines(score)])
    _print_list(console, "Treat this score with caution", [sentence(clean(text)) for text in score.warnings])
    console.print(
        heading("Dialogue", "On the right: how many points a message moved the score." if score.turns else "")
    )
    table = plain_table()
    table.add_column("", justify="right")
    table.add_column("Who", overflow="fold", max_width=MAX_NAME // 2)
    table.add_column("Message", overflow="fold", max_width=70)
    table.add_column("Effect" if score.turns else "", justify="right", no_wrap=True)
    for message in telling_messages(row, MAX_MESSAGES):
        if isinstance(message, int):
            table.add_row("", "", Text(f"... {message:,} more, which moved the score less", style="dim"), "")
            continue
        strong = message.effect is not None and abs(message.effect) >= STRONG
        table.add_row(
            Text(f"{message.number}", style="dim"),
            Text(short(message.speaker, MAX_NAME), style="bold" if message.is_bot else ""),
            Text(cut(message.text, MAX_TEXT) or "(nothing)"),
            Text(message.moved, style="bold" if strong else ""),
        )
    console.print(table)


def _print_list(console: Console, title: str, lines: Sequence[str]) -> None:
    if lines:
        console.print(heading(title))
        console.print(bullets(lines))


def print_agreement(
    console: Console,
    agreements: Mapping[str, Agreement],
    *,
    where: str = "of this log",
    counted: wording.Counted = "dialogue",
) -> None:
    """Show how well scores agree with people's ratings, one line per kind of dialogue.

    `where` the dialogues come from; `counted`: rated dialogues (of a log) or single ratings (of an origin).
    """
    console.print()
    console.print(block(wording.agreement_sentence(agreements, where=where, counted=counted), "bold"))
    _print_agreements(console, "Tested on", agreements, counted)
    console.print()
    aside = (
        "Below each value: where it could be with other dialogues of this kind. With a slope "
        "near 1, scores can be read as ratings."
    )
    console.print(block(aside, "dim"))
    if any(0 < agreement.n < MIN_SCORES for agreement in agreements.values()):
        few = "rated dialogues" if counted == "dialogue" else "ratings"
        console.print(block(f"Fewer than {MIN_SCORES} {few} say almost nothing."))


def print_bots(console: Console, passport: Passport) -> None:
    """Show how well scores agree with people's ratings, for each bot."""
    if bots := wording.bots_apart(passport):
        console.print()
        console.print(block("By bot; n/a below 10 rated dialogues."))
        _print_agreements(console, "Bot", bots, "dialogue")


def _print_agreements(
    console: Console, head: str, agreements: Mapping[str, Agreement], counted: wording.Counted
) -> None:
    rows: list[tuple[str | Text, ...]] = [
        (
            clean(title_of_test(name)),
            f"{row.n:,}",
            *[rate_cell(rate, "score", "") for rate in (row.pearson, row.spearman, row.kendall, row.mse)],
            score_text(row.slope),
            f"{row.refused:,}",
        )
        for name, row in agreements.items()
    ]
    numbers = ("Pearson", "Spearman", "Kendall", "Squared error", "Slope", "Not scored")
    console.print(numbers_table((head, f"{counted.capitalize()}s", *numbers), rows))


def print_reproduction(
    console: Console, rows: Sequence[Sequence[str]], *, title: str = "", notes: Sequence[str] = ()
) -> None:
    """Show published numbers beside those found here; the first row is the head."""
    if title:
        console.print(heading(title))
    if rows:
        console.print(numbers_table(rows[0], rows[1:]))
    for note in notes:
        console.print(block(sentence(note), "dim"))


def write_dialogue_rows(path: str | Path, result: DialoguesResult) -> None:
    """Write the rows as CSV, harmless when opened in a spreadsheet; `-` is standard output."""
    write_csv(path, ROW_COLUMNS, dialogue_rows(result))


def dialogue_rows(result: DialoguesResult) -> Iterator[tuple[str, ...]]:
    """Yield one row for each dialogue, in order, in the columns `ROW_COLUMNS`; empty where there is nothing."""
    for row in pair_scores(result):
        dialogue, score = row.dialogue, row.score
        yield (
            score.id,
            dialogue.bot or "",
            _cell(row.value),
            _cell(score.low),
            _cell(score.high),
            _cell(dialogue.quality),
            {None: "", True: "yes", False: "no"}[dialogue.passed],
            score.refusal,
            "; ".join(score.warnings),
        )


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
