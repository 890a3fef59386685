"""Dialogues in the terminal, and as rows for a spreadsheet: counts, scores, bots, what to read next."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from vivavoce.dialogues.dialogue import Dialogue
from vivavoce.dialogues.result import Agreement, DialoguesResult, Passport, Ranking, Score
from vivavoce.dialogues.scored import MIN_SCORES, ScoredDialogue, count_scores, group_by_bot, pair_scores, rank_scored
from vivavoce.files.writing import guarded, write_text
from vivavoce.reports.dialogues import bots as bot_wording
from vivavoce.reports.dialogues import wording
from vivavoce.reports.dialogues.meanings import title_of_test
from vivavoce.reports.dialogues.messages import Message, telling_messages
from vivavoce.reports.shared.layout import block, bullets, heading, numbers_table, plain_table, rate_cell
from vivavoce.reports.shared.numbers import interval_text, score_text
from vivavoce.reports.shared.texts import clean, cut, short

ROW_COLUMNS = ("id", "bot", "score", "low", "high", "mark", "passed", "refusal", "warnings")
BLOCKS = " ▁▂▃▄▅▆▇█"
MOST_LINES = 5
MOST_PAIRS = 6
MOST_NAME = 30
MOST_WHY = 240
MOST_TEXT = 500
# Enough for every talk that is read at one sitting; of longer ones, the messages that moved the score most.
MOST_MESSAGES = 100
STRONG = 0.1


# --- a whole log -------------------------------------------------------------------------------------------------


def print_dialogues(console: Console, result: DialoguesResult) -> None:
    """Show an exam: whether the scores may be used, what they come to, the bots, and what to read next."""
    talks = rank_scored(result)
    console.print()
    console.print(block(wording.headline(result), "bold"))
    console.print(block(clean(wording.because(result))))
    if drift := wording.drift_warning(result.passport):
        console.print(block(drift, "yellow"))
    console.print(heading("The scores", wording.counts_sentence(result)))
    if talks:
        _print_scores(console, talks)
    if result.ranking is not None:
        console.print(heading("Which bot is better?", clean(bot_wording.ranking_warning(result))))
        _print_ranking(console, result.ranking, group_by_bot(talks))
    _print_next(console, result, talks)
    _print_notes(console, result)


def _print_scores(console: Console, talks: Sequence[ScoredDialogue]) -> None:
    console.print(block(wording.mean_sentence(talks)))
    low, middle, high = (score_text(talks[place].value) for place in (0, len(talks) // 2, -1))
    spread = bar_line(count_scores(talk.value for talk in talks))
    console.print(Text.assemble("1 ", (spread, "bold"), f" 5   lowest {low}, middle {middle}, highest {high}"))


def bar_line(counts: Sequence[int]) -> str:
    """Return counts as a line of blocks, each as high as its count; what is not 0 is never shown as nothing."""
    top, last = max([1, *counts]), len(BLOCKS) - 1
    return "".join(BLOCKS[-(-n * last // top)] for n in counts)


def _print_ranking(console: Console, ranking: Ranking, bots: Mapping[str, Sequence[ScoredDialogue]]) -> None:
    rows = [
        (
            bot_wording.rank_text(line),
            short(line.bot, MOST_NAME),
            bar_line(count_scores(talk.value for talk in bots.get(line.bot, ()))),
            f"{line.n:,}",
            score_text(line.mean.value),
            interval_text(line.mean, "score"),
        )
        for line in ranking.lines
    ]
    console.print(numbers_table(("Rank", "Bot", "1 to 5", "Talks", "Mean", "Interval"), rows, words=3))
    console.print()
    few = bot_wording.unranked_sentence(ranking)
    told = [*_first(bot_wording.pair_sentences(ranking), MOST_PAIRS, "pairs"), *([few] if few else [])]
    console.print(bullets(told))


def _print_next(console: Console, result: DialoguesResult, talks: Sequence[ScoredDialogue]) -> None:
    lowest = [(talk.dialogue.id, wording.score_line(talk), wording.talk_facts(talk)) for talk in talks[:MOST_LINES]]
    queued = [(one.id, score_text(one.score), one.text) for one in result.queue[:MOST_LINES]]
    if not talks and not result.queue:
        return
    console.print(heading("What to read next"))
    for title, rows, total in (("Sources disagree", queued, len(result.queue)), ("Lowest score", lowest, len(talks))):
        if rows:
            console.print(Text(f"{title} ({len(rows)} of {total:,}):"))
            console.print(numbers_table(("Talk", "Score", "What"), [_short(row) for row in rows], words=3))
            console.print()
    example = (result.queue[0].id if result.queue else talks[0].dialogue.id).strip()
    console.print(block(f"viva dialogues explain FILE {short(example, MOST_NAME)}", "dim"))


def _short(row: Sequence[str]) -> tuple[str, ...]:
    return short(row[0], MOST_NAME), row[1], short(row[2], MOST_WHY)


def _print_notes(console: Console, result: DialoguesResult) -> None:
    refused = [
        f"{len(group.ids):,} refused: {wording.sentence(clean(group.text))}" for group in wording.refusals(result)
    ]
    told = [*refused, *(clean(text) for text in wording.remarks(result))]
    trust = [wording.agreement_sentence(result.passport.local), *wording.following_sentences(result.passport)]
    trust += [said] if (said := wording.people_sentence(result.passport)) else []
    origin = result.passport.origin
    trust += [f"Rater: {clean(result.passport.rater)}. {wording.learnt_sentence(origin)}"]
    trust += [said] if (said := wording.measured_sentence(origin)) else []
    trust += [wording.recalibration_sentence(result.recalibration)] if result.recalibration else []
    console.print(heading("How far can these scores be trusted?"))
    console.print(bullets(trust))
    if told:
        console.print(heading("What to know"))
        console.print(bullets(_first(told, 2 * MOST_LINES, "remarks")))


def _first(lines: Sequence[str], most: int, noun: str) -> list[str]:
    left = len(lines) - most
    return [*lines[:most], *([f"{left:,} more {noun} in the report."] if left > 0 else [])]


# --- one talk ----------------------------------------------------------------------------------------------------


def print_explanation(console: Console, dialogue: Dialogue, score: Score) -> None:
    """Show one talk with the effect of each message beside it, and what moved the score."""
    talk = ScoredDialogue(dialogue, score)
    console.print()
    console.print(block(f"{short(dialogue.id, 2 * MOST_NAME)}: {wording.score_line(talk)}", "bold"))
    for said in (clean(wording.talk_facts(talk)), wording.range_sentence(score)):
        if said:
            console.print(block(wording.sentence(said)))
    if talk.value is None:
        console.print(block(wording.sentence(clean(score.refusal or "no reason given")), "bold"))
    _print_list(console, "What moved the score", [clean(line) for line in wording.reason_lines(score)])
    _print_list(console, "Take this score with care", [wording.sentence(clean(text)) for text in score.warnings])
    aside = "At the right: by how many points a message moved the score." if score.turns else ""
    console.print(heading("The talk", aside))
    console.print(_messages(talk))


def _print_list(console: Console, title: str, lines: Sequence[str]) -> None:
    if lines:
        console.print(heading(title))
        console.print(bullets(lines))


def _messages(talk: ScoredDialogue) -> Table:
    table = plain_table()
    table.add_column("", justify="right")
    table.add_column("Who", overflow="fold", max_width=MOST_NAME // 2)
    table.add_column("Message", overflow="fold", max_width=70)
    table.add_column("Effect" if talk.score.turns else "", justify="right", no_wrap=True)
    for one in telling_messages(talk, MOST_MESSAGES):
        table.add_row(*_message(one))
    return table


def _message(one: Message | int) -> Iterator[Text]:
    if isinstance(one, int):
        yield from (Text(), Text(), Text(f"... {one:,} more, which moved the score less", style="dim"), Text())
        return
    text = cut(one.text, MOST_TEXT)
    strong = one.effect is not None and abs(one.effect) >= STRONG
    yield Text(f"{one.number}", style="dim")
    yield Text(short(one.speaker, MOST_NAME), style="bold" if one.is_bot else "")
    yield Text(text or "(nothing)")
    yield Text(one.moved, style="bold" if strong else "")


# --- trust -------------------------------------------------------------------------------------------------------


def print_agreement(
    console: Console,
    agreements: Mapping[str, Agreement],
    *,
    where: str = "of this log",
    counted: wording.Counted = "talk",
) -> None:
    """Show how well scores follow people's marks, one line for each kind of talk.

    `where` the talks come from; `counted`: marked talks (of a log) or single marks (of an origin).
    """
    console.print()
    console.print(block(wording.agreement_sentence(agreements, where=where, counted=counted), "bold"))
    _print_agreements(console, "Tested on", agreements, counted)
    console.print()
    said = "Under each value: where it would lie with other talks of this kind. Slope near 1: a score means a mark."
    console.print(block(said, "dim"))
    if any(0 < one.n < MIN_SCORES for one in agreements.values()):
        few = "marked talks" if counted == "talk" else "marks"
        console.print(block(f"Fewer than {MIN_SCORES} {few} say next to nothing."))


def print_bots(console: Console, passport: Passport) -> None:
    """Show how well scores follow people's marks on the talks of each bot."""
    if bots := wording.bots_apart(passport):
        console.print()
        console.print(block("Bot by bot; n/a below 10 marked talks."))
        _print_agreements(console, "Bot", bots, "talk")


def _print_agreements(
    console: Console, head: str, agreements: Mapping[str, Agreement], counted: wording.Counted
) -> None:
    rows: list[tuple[str | Text, ...]] = [
        (
            clean(title_of_test(name)),
            f"{one.n:,}",
            *[rate_cell(rate, "score", "") for rate in (one.pearson, one.spearman, one.kendall, one.mse)],
            score_text(one.slope),
            f"{one.refused:,}",
        )
        for name, one in agreements.items()
    ]
    numbers = ("Pearson", "Spearman", "Kendall", "Squared error", "Slope", "Refused")
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
        console.print(block(wording.sentence(note), "dim"))


# --- rows --------------------------------------------------------------------------------------------------------


def write_dialogue_rows(path: str | Path, result: DialoguesResult) -> None:
    """Write the rows as CSV, harmless when opened in a spreadsheet; `-` is standard output."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(ROW_COLUMNS)
    writer.writerows([guarded(cell) for cell in row] for row in dialogue_rows(result))
    write_text(path, buffer.getvalue())


def dialogue_rows(result: DialoguesResult) -> Iterator[tuple[str, ...]]:
    """Yield one row for each dialogue, in order, in the columns `ROW_COLUMNS`; empty where there is nothing."""
    for talk in pair_scores(result):
        dialogue, score = talk.dialogue, talk.score
        yield (
            score.id,
            dialogue.bot or "",
            _cell(talk.value),
            _cell(score.low),
            _cell(score.high),
            _cell(dialogue.quality),
            {None: "", True: "yes", False: "no"}[dialogue.passed],
            score.refusal,
            "; ".join(score.warnings),
        )


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
