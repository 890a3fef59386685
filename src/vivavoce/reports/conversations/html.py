"""A run of conversations as one file, and two runs side by side: what the templates of these reports show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vivavoce.conversations.result import ALL, Cell, Change, ConversationsResult, RunDiff
from vivavoce.conversations.running.record import RunRecord
from vivavoce.conversations.transcript import RunHeader, TalkKey
from vivavoce.errors import plural
from vivavoce.outcomes import TurnOutcome
from vivavoce.records import Rate
from vivavoce.reports.conversations import tables, verdicts, wording
from vivavoce.reports.conversations.changes import course_sentence, diff_headline, diff_remarks
from vivavoce.reports.conversations.charts import conversations_figures, outcome_rows
from vivavoce.reports.conversations.exchanges import example_of, key_before, said_and_answered
from vivavoce.reports.conversations.meanings import (
    CONVERSATION_MEASURES,
    MAIN,
    OUTCOME_NAMES,
    measure_of,
    narrow_text,
    number_of,
    too_few,
)
from vivavoce.reports.conversations.transcripts import conversations_by_level
from vivavoce.reports.shared.numbers import ENGLISH, interval_text, milliseconds_text
from vivavoce.reports.shared.pages import render_report
from vivavoce.reports.shared.texts import shorten, visible
from vivavoce.reports.shared.views import Cell as TableCell
from vivavoce.reports.shared.views import Cells, Table, Tile, make_table, make_tile

MAX_PROBLEMS, MAX_TURNS, MAX_CHANGES, MAX_EXAMPLE = 3, 100, 200, 240


def render_conversations(result: ConversationsResult, record: RunRecord | None = None) -> str:
    """Return the report of a run: the sentence first, numbers second, every conversation on demand.

    Without a record, or without judged turns, what was said is left out.
    """
    header, bots = result.header, [bot.name for bot in result.header.bots]
    held = conversations_by_level(result, record) if record is not None and result.lines else ((), 0)
    # Two examples show what is meant; three of each of many bots make a long page.
    examples = 2 if len(bots) >= tables.MANY_BOTS else 3
    return render_report(
        "conversations.html",
        f"Conversations exam: {header.plan.suite}",
        lead=wording.headline(result),
        second=wording.second_sentence(result),
        result=result,
        bots=bots,
        tiles=_tiles(result),
        main_numbers=[_main_table(result, domain) for domain in tables.shown_domains(result)],
        figures=conversations_figures(result),
        numbers={"outcomes": _outcomes_table(result), "times": _times_table(result)},
        verdicts=list(verdicts.verdicts(result)),
        narrow=_narrow_table(result),
        strengths=make_table("Strength", ("Bot", "Strength", "Range", "Talks won"), tables.strength_rows(result), 3),
        problems=[part for bot in bots for part in _problems(result, bot, record, examples)],
        held=held,
        tone=tone_of,
        outcomes=OUTCOME_NAMES,
        sentence=wording.sentence,
        health=list(_health(result)),
        health_tables=[table for table in (_difficulty(result), _coverage(result)) if table.rows],
        all_numbers=_all_numbers(result),
        topics=make_table("Topics of each bot", tables.TOPIC_HEAD, tables.topic_cells(result), 3),
        literal=_literal_table(result),
        literal_note=wording.LITERAL,
        remarks=wording.remarks(result),
        measures=CONVERSATION_MEASURES,
        facts=_provenance(header),
    )


def tone_of(outcome: TurnOutcome) -> str:
    """Return whether an outcome is good, bad or neither, as its badge shows beside the words."""
    return "good" if outcome.passed else "bad" if outcome.counted else "neutral"


def rate_part(name: str, rate: Rate, absent: str = "") -> TableCell:
    """Return a value with its interval and count; under ten turns without them; n/a with its reason."""
    measure = measure_of(name)
    value, around, counted = ENGLISH.parts(rate, measure)
    rough = verdicts.roughness(rate) if counted and measure.kind == "share" else ""
    small = ", ".join(part for part in (around, counted, rough) if part)
    return TableCell(value, small if rate.value is not None else absent)


# --- numbers -----------------------------------------------------------------------------------------------------


def _tiles(result: ConversationsResult) -> list[Tile]:
    """Return how often each bot was right, the best first; those without a number last."""
    ranked = wording.ranked_cells(result)
    rest = [cell for bot in result.header.bots if (cell := result.cell(bot.name)) not in ranked]
    return [_tile(cell) for cell in (*ranked, *rest)]


def _tile(cell: Cell) -> Tile:
    rate, whole = cell.rates["accuracy"], cell.rates["conversations_passed"]
    if rate.value is None:
        return Tile("n/a", cell.bot, "no checked turn could be counted")
    passed = f"{round((whole.value or 0) * whole.n):,} of {plural(whole.n, 'talk')} without a fault"
    meaning = "" if whole.value is None else passed
    if too_few(rate):
        return Tile(wording.right_of(cell, ""), cell.bot, f"{wording.right_of(cell)} right", meaning)
    around = "; ".join(part for part in (f"of {plural(rate.n, 'turn')} right", interval_text(rate)) if part)
    return make_tile(rate, measure_of("accuracy"), around, name=cell.bot, meaning=meaning)


def _main_table(result: ConversationsResult, domain: str) -> Table:
    cells = [cell for bot in result.header.bots for cell in tables.cells_by_level(result, bot.name, domain)]
    rows = [(_row_name(cell), *[_main_part(cell, name) for name in MAIN]) for cell in cells]
    head = ("Bot, and by level", *map(measure_of, MAIN))
    return make_table(tables.table_title(result, domain), head, rows, len(MAIN))


def _row_name(cell: Cell) -> TableCell:
    held = f"{plural(cell.conversations, 'talk')}, {plural(cell.counts.counted, 'turn')}"
    small = f"{held}, incomplete" if cell.incomplete else held
    whole = cell.level == ALL
    return TableCell(cell.bot if whole else cell.level, small, css="whole" if whole else "level")


def _main_part(cell: Cell, name: str) -> TableCell:
    rate, measure = number_of(cell, name), measure_of(name)
    value = ENGLISH.parts(rate, measure).value
    if rate.value is None:
        return TableCell(value, title=measure.absent)
    # The columns must stand beside each other on a desk: the count of each is under the pointer and at the end.
    return TableCell(value, narrow_text(name, rate), title=plural(rate.n, "talk" if name == "time" else "turn"))


def _outcomes_table(result: ConversationsResult) -> Table:
    bots = [bot.name for bot in result.header.bots]
    return make_table("Turns by what became of them", ("Outcome", *bots), outcome_rows(result), len(bots))


def _times_table(result: ConversationsResult) -> Table:
    rows = [
        (bot.name, f"{times.turns:,}", *[milliseconds_text(value) for value in (times.p50, times.p95, times.p99)])
        for bot in result.header.bots
        for times in (result.cell(bot.name).times,)
    ]
    return make_table("Response times", ("Bot", "replies", "median", "95 of 100", "99 of 100"), rows, 4)


def _all_numbers(result: ConversationsResult) -> Table:
    cells = [result.cell(bot.name) for bot in result.header.bots]
    rows: list[Cells] = [
        (_named(name), *[rate_part(name, cell.rates[name], measure_of(name).absent) for cell in cells])
        for name in cells[0].rates
    ]
    rows += [(title, *[write(cell) for cell in cells]) for title, write in tables.TIMES_AND_FAILURES]
    return make_table("Over all domains and levels", ("Number", *[cell.bot for cell in cells]), rows, len(cells))


def _named(name: str) -> TableCell | str:
    measure = measure_of(name)
    if name not in CONVERSATION_MEASURES:
        return measure.title
    return TableCell(measure.title, href=f"#m-{name}", title=measure.meaning)


def _literal_table(result: ConversationsResult) -> Table:
    names = list(result.cells[0].literal)
    head = ("Bot", *names, "turns", "turns without a class")
    return make_table("By the wording of the paper", head, tables.literal_rows(result), len(names) + 2)


# --- what follows ------------------------------------------------------------------------------------------------


def _narrow_table(result: ConversationsResult) -> Table:
    rows = [
        (
            one.level or wording.domain_name(one.domain),
            f"{one.a} and {one.b}",
            verdicts.points_text(one),
            verdicts.verdict_text(one),
        )
        for one in result.comparisons
        if (one.domain, one.level) != (ALL, ALL)
    ]
    return make_table("Differences in parts of the test", ("Where", "Bots", "Difference", "Verdict"), rows)


class _Problem(NamedTuple):
    message: str
    remedy: str
    examples: list[tuple[str, str, str]]


def _problems(
    result: ConversationsResult, bot: str, record: RunRecord | None, most: int
) -> Iterator[tuple[str, list[_Problem], int]]:
    """Yield the biggest problems of a bot, each with real examples, and how many more there are."""
    found, left = wording.first_problems(result, bot, MAX_PROBLEMS)
    if found:
        views = [
            _Problem(
                wording.sentence(problem.message),
                wording.sentence(problem.remedy),
                [_example(key, number, record) for key, number in problem.examples[:most]],
            )
            for problem in found
        ]
        yield bot, views, left


def _example(key: TalkKey, number: int, record: RunRecord | None) -> tuple[str, str, str]:
    where = f"{key.script}, turn {number}"
    if record is None:
        return "", "", where
    sent, answer = example_of(record, key, number, MAX_EXAMPLE)
    return sent, tables.quoted(answer), where


def _health(result: ConversationsResult) -> Iterator[tuple[str, list[tuple[str, str]], int]]:
    """Yield what is to be said of single turns of the test: title, text and place of each, and how many are left."""
    found = result.health
    texts = {(s.id, turn.number): turn.text for s in result.header.plan.scripts for turn in s.turns}
    lists: tuple[tuple[str, Sequence[tuple[str, int]]], ...] = (
        ("Turns that every bot passes: too easy to tell bots apart", found.too_easy),
        ("Turns that no bot passes: is the expectation right?", found.never_passed),
        ("Messages that stand in the training phrases: they test memory", [one[:2] for one in found.leaks]),
        (
            "Turns that do not always come out the same",
            list(dict.fromkeys((one.script, one.number) for one in result.unstable)),
        ),
    )
    for title, turns in lists:
        if turns:
            shown = [(shorten(texts.get(turn, "")), f"{turn[0]}, turn {turn[1]}") for turn in turns[:MAX_TURNS]]
            yield f"{title} ({len(turns):,})", shown, len(turns) - len(shown)


def _difficulty(result: ConversationsResult) -> Table:
    rows = [(level, rate_part("accuracy", rate)) for level, rate in result.health.difficulty.items()]
    return make_table("How hard the levels are", ("Level", "Passed over all bots"), rows, 1)


def _coverage(result: ConversationsResult) -> Table:
    coverage = result.health.coverage
    levels = wording.level_order(level for _, level, _ in coverage)
    names = {None: "(out of scope)", "": "(no topic named)"}
    rows = [
        (
            names.get(topic) or str(topic),
            *[f"{sum(n for (t, lv, _), n in coverage.items() if (t, lv) == (topic, level)):,}" for level in levels],
            f"{sum(n for (t, _, kind), n in coverage.items() if (t, kind) == (topic, 'typo')):,}",
        )
        for topic in dict.fromkeys(topic for topic, _, _ in coverage)
    ]
    return make_table("What the test covers", ("Topic", *levels, "of these misspelt"), rows, len(levels) + 1)


def _provenance(header: RunHeader) -> list[tuple[str, str]]:
    plan, times = header.plan, "once" if header.repeats == 1 else f"{header.repeats} times"
    return [
        ("vivavoce", header.version),
        ("Suite", f"{plan.suite}, {plural(len(plan.scripts), 'conversation')}, hash {plan.hash}"),
        ("Run", f"{header.run}, seed {header.seed}, each conversation held {times}"),
        *((f"Bot {bot.name}", bot.about or bot.name) for bot in header.bots),
    ]


# --- two runs ----------------------------------------------------------------------------------------------------


def render_run_diff(diff: RunDiff, before: RunRecord, after: RunRecord) -> str:
    """Return the comparison of two runs: what got worse first."""
    runs = (("Earlier run", diff.before), ("Later run", diff.after))
    changes = (("Got worse", diff.regressed), ("Improved", diff.improved))
    return render_report(
        "run_diff.html",
        f"Two runs of {diff.after.plan.suite}",
        lead=diff_headline(diff),
        beside=(),
        courses=[course_sentence(comparison) for comparison in diff.comparisons],
        changes=[
            (title, [_change(diff, one, before, after) for one in found[:MAX_CHANGES]], len(found))
            for title, found in changes
            if found
        ],
        tone=tone_of,
        outcomes=OUTCOME_NAMES,
        notes=diff_remarks(diff, 20),
        facts=[(name, f"{run.run}, vivavoce {run.version}, hash of the suite {run.plan.hash}") for name, run in runs],
    )


def _change(diff: RunDiff, change: Change, before: RunRecord, after: RunRecord) -> tuple[object, ...]:
    """Return message and place of a turn, and for each run what became of it and what the bot said."""
    sent, now = map(visible, said_and_answered(after.transcript(change.key), change.number))
    then = visible(said_and_answered(before.transcript(key_before(diff, change)), change.number)[1])
    where = f"{change.key.bot}, {change.key.script}, turn {change.number}"
    return sent, where, ((change.before, then), (change.after, now))
