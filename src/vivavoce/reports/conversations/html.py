"""A run of conversations as one file, and two runs side by side: what the templates of these reports show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vivavoce.conversations.result import ALL, Cell, Change, ConversationsResult, RunDiff
from vivavoce.conversations.running.record import RunRecord
from vivavoce.conversations.transcript import RunHeader
from vivavoce.errors import plural
from vivavoce.outcomes import TurnOutcome
from vivavoce.records import Rate
from vivavoce.reports.conversations import tables, verdicts, wording
from vivavoce.reports.conversations.charts import outcome_rows, outcomes_figure
from vivavoce.reports.conversations.meanings import CONVERSATION_MEASURES, OUTCOME_NAMES, SEVEN, measure_of, too_few
from vivavoce.reports.conversations.pictures import build_heat, draw_differences, draw_multiples, heat_domains
from vivavoce.reports.conversations.transcripts import conversations_by_level, example_of, find_texts, key_before
from vivavoce.reports.conversations.wording import course_sentence, diff_headline, diff_remarks
from vivavoce.reports.shared.numbers import ENGLISH, interval_text, milliseconds_text
from vivavoce.reports.shared.pages import render_report
from vivavoce.reports.shared.texts import shorten, visible
from vivavoce.reports.shared.views import Cell as TableCell
from vivavoce.reports.shared.views import Cells, Table, Tile, make_column, make_table, make_tile

MAX_PROBLEMS, MAX_TURNS, MAX_CHANGES, MAX_EXAMPLE = 3, 100, 200, 240
# An interval that reaches further than this to each side is called rough.
ROUGH = 0.1


def render_conversations(result: ConversationsResult, record: RunRecord | None = None) -> str:
    """Return the report of a run: the sentence first, numbers second, every conversation on demand.

    Without a record, or without judged turns, what was said is left out.
    """
    header, bots = result.header, [bot.name for bot in result.header.bots]
    held = conversations_by_level(result, record) if record is not None and result.lines else ((), 0)
    ranked = wording.rank_cells(result)
    rest = [cell for bot in bots if (cell := result.cell(bot)) not in ranked]
    # Two examples show what is meant; three of each of many bots make a long page.
    examples = 2 if len(bots) >= tables.MANY_BOTS else 3
    return render_report(
        "conversations.html",
        f"Conversations exam: {header.plan.suite}",
        lead=wording.headline(result),
        second=wording.second_sentence(result),
        result=result,
        bots=bots,
        # The best first; bots without a number last.
        tiles=[_build_tile(cell) for cell in (*ranked, *rest)],
        panels=[
            (tables.table_title(result, domain), draw_multiples(result, domain))
            for domain in tables.list_shown_domains(result)
        ],
        values=_build_values(result),
        gaps=draw_differences(result),
        outcome_figure=outcomes_figure(result) if ranked else None,
        outcome_table=make_table("Turns by outcome", ("Outcome", *bots), outcome_rows(result), len(bots)),
        times=_build_times_table(result),
        verdicts=list(verdicts.verdicts(result)),
        narrow=_build_narrow_table(result),
        strengths=make_table(
            "Strength", ("Bot", "Strength", "Range", "Conversations won"), tables.strength_rows(result), 3
        ),
        problems=[part for bot in bots for part in _list_problems(result, bot, record, examples)],
        held=held,
        tone=tone_of,
        outcomes=OUTCOME_NAMES,
        sentence=wording.sentence,
        health=list(_list_health(result)),
        health_tables=[table for table in _build_health_tables(result) if table.rows],
        all_numbers=_build_numbers_table(result),
        topics=make_table("Topics by bot", tables.TOPIC_HEAD, tables.topic_cells(result), 3),
        literal=_build_literal_table(result),
        literal_note=wording.LITERAL,
        remarks=wording.remarks(result),
        measures=CONVERSATION_MEASURES,
        facts=_list_provenance(header),
    )


def tone_of(outcome: TurnOutcome) -> str:
    """Return whether an outcome is good, bad or neither, as its badge shows beside the words."""
    return "good" if outcome.passed else "bad" if outcome.counted else "neutral"


def rate_part(name: str, rate: Rate, absent: str = "") -> TableCell:
    """Return a value with its interval and count; under ten turns without them; n/a with its reason."""
    measure = measure_of(name)
    value, around, counted = ENGLISH.parts(rate, measure)
    wide = rate.low is not None and rate.high is not None and (rate.high - rate.low) / 2 > ROUGH
    rough = "rough" if wide and counted and measure.kind == "share" else ""
    small = ", ".join(filter(None, (around, counted, rough)))
    return TableCell(value, small if rate.value is not None else absent)


def _build_tile(cell: Cell) -> Tile:
    rate, whole = cell.rates["accuracy"], cell.rates["conversations_passed"]
    if rate.value is None:
        return Tile("n/a", cell.bot, "no checked turn could be counted")
    passed = f"{round((whole.value or 0) * whole.n):,} of {plural(whole.n, 'conversation')} passed"
    meaning = "" if whole.value is None else passed
    if too_few(rate):
        return Tile(wording.right_of(cell, ""), cell.bot, f"{wording.right_of(cell)} right", meaning)
    around = "; ".join(part for part in (f"of {plural(rate.n, 'turn')} right", interval_text(rate)) if part)
    return make_tile(rate, measure_of("accuracy"), around, name=cell.bot, meaning=meaning)


def _build_values(result: ConversationsResult) -> dict[str, object]:
    groups = build_heat(result, heat_domains(result, ALL))
    columns = [make_column(measure_of(name), number=True) for name in SEVEN]
    return {
        "caption": "The seven metrics",
        "first": "Bot and level",
        "columns": columns,
        "groups": [
            {
                "title": wording.domain_name(group.domain) if len(groups) > 1 else "",
                "rows": [
                    {
                        "row": row,
                        "title": row.cell.bot if row.whole else row.cell.level,
                        "size": plural(row.cell.counts.counted, "turn")
                        + (", incomplete" if row.cell.incomplete else ""),
                    }
                    for row in group.rows
                ],
            }
            for group in groups
        ],
    }


def _build_times_table(result: ConversationsResult) -> Table:
    rows = [
        (bot.name, f"{times.turns:,}", *[milliseconds_text(value) for value in (times.p50, times.p95, times.p99)])
        for bot in result.header.bots
        for times in (result.cell(bot.name).times,)
    ]
    return make_table("Response times", ("Bot", "replies", "median", "95 of 100", "99 of 100"), rows, 4)


def _build_numbers_table(result: ConversationsResult) -> Table:
    cells = [result.cell(bot.name) for bot in result.header.bots]
    rows: list[Cells] = []
    for name in cells[0].rates:
        measure = measure_of(name)
        link = f"#m-{name}" if name in CONVERSATION_MEASURES else ""
        title = TableCell(measure.title, href=link, title=measure.meaning) if link else measure.title
        rows.append((title, *[rate_part(name, cell.rates[name], measure.absent) for cell in cells]))
    rows += [(title, *[write(cell) for cell in cells]) for title, write in tables.TIMES_AND_FAILURES]
    return make_table("All domains and levels", ("Metric", *[cell.bot for cell in cells]), rows, len(cells))


def _build_literal_table(result: ConversationsResult) -> Table:
    head = ("Bot", *result.cells[0].literal, "turns", "turns without a class")
    return make_table("As defined in the ECHO paper", head, tables.literal_rows(result), len(head) - 1)


def _build_narrow_table(result: ConversationsResult) -> Table:
    rows = [
        (
            comparison.level or wording.domain_name(comparison.domain),
            f"{comparison.a} and {comparison.b}",
            verdicts.points_text(comparison),
            verdicts.verdict_text(comparison),
        )
        for comparison in result.comparisons
        if (comparison.domain, comparison.level) != (ALL, ALL)
    ]
    return make_table("Differences by domain and level", ("Where", "Bots", "Difference", "Verdict"), rows)


def _list_problems(
    result: ConversationsResult, bot: str, record: RunRecord | None, most: int
) -> Iterator[tuple[str, list[dict[str, object]], int]]:
    """Yield the biggest problems of a bot, each with real examples, and how many more there are."""
    problems, left = wording.first_problems(result, bot, MAX_PROBLEMS)
    views: list[dict[str, object]] = []
    for problem in problems:
        examples = []
        for key, number in problem.examples[:most]:
            sent, answer = example_of(record, key, number, MAX_EXAMPLE) if record else ("", "")
            examples.append((sent, tables.quote(answer) if record else "", f"{key.script}, turn {number}"))
        message, remedy = wording.sentence(problem.message), wording.sentence(problem.remedy)
        views.append({"message": message, "remedy": remedy, "examples": examples})
    if views:
        yield bot, views, left


def _list_health(result: ConversationsResult) -> Iterator[tuple[str, list[tuple[str, str]], int]]:
    """Yield remarks on single turns of the test: title, text and place of each, and how many are left."""
    health = result.health
    texts = {(s.id, turn.number): turn.text for s in result.header.plan.scripts for turn in s.turns}
    lists: tuple[tuple[str, Sequence[tuple[str, int]]], ...] = (
        ("Turns every bot passes: too easy to tell bots apart", health.too_easy),
        ("Turns no bot passes: check the expectation", health.never_passed),
        ("Messages also in the training examples: they test memory", [leak[:2] for leak in health.leaks]),
        ("Turns with varying outcomes", list(dict.fromkeys((turn.script, turn.number) for turn in result.unstable))),
    )
    for title, turns in lists:
        if turns:
            rows = [(shorten(texts.get(turn, "")), f"{turn[0]}, turn {turn[1]}") for turn in turns[:MAX_TURNS]]
            yield f"{title} ({len(turns):,})", rows, len(turns) - len(rows)


def _build_health_tables(result: ConversationsResult) -> tuple[Table, Table]:
    coverage = result.health.coverage
    levels = wording.level_order(level for _, level, _ in coverage)
    names = {None: "(out of scope)", "": "(no topic)"}
    rows = [
        (
            names.get(topic) or str(topic),
            *[f"{sum(n for (t, lv, _), n in coverage.items() if (t, lv) == (topic, level)):,}" for level in levels],
            f"{sum(n for (t, _, kind), n in coverage.items() if (t, kind) == (topic, 'typo')):,}",
        )
        for topic in dict.fromkeys(topic for topic, _, _ in coverage)
    ]
    passed = [(level, rate_part("accuracy", rate)) for level, rate in result.health.difficulty.items()]
    return (
        make_table("Level difficulty", ("Level", "Passed across all bots"), passed, 1),
        make_table("Test coverage", ("Topic", *levels, "of which misspelt"), rows, len(levels) + 1),
    )


def _list_provenance(header: RunHeader) -> list[tuple[str, str]]:
    plan, times = header.plan, "once" if header.repeats == 1 else f"{header.repeats} times"
    return [
        ("vivavoce", header.version),
        ("Suite", f"{plan.suite}, {plural(len(plan.scripts), 'conversation')}, hash {plan.hash}"),
        ("Run", f"{header.run}, seed {header.seed}, each conversation run {times}"),
        *((f"Bot {bot.name}", bot.about or bot.name) for bot in header.bots),
    ]


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
            (title, [_describe_change(diff, turn, before, after) for turn in turns[:MAX_CHANGES]], len(turns))
            for title, turns in changes
            if turns
        ],
        tone=tone_of,
        outcomes=OUTCOME_NAMES,
        notes=diff_remarks(diff, 20),
        facts=[(name, f"{run.run}, vivavoce {run.version}, suite hash {run.plan.hash}") for name, run in runs],
    )


def _describe_change(diff: RunDiff, change: Change, before: RunRecord, after: RunRecord) -> tuple[object, ...]:
    sent, now = map(visible, find_texts(after.transcript(change.key), change.number))
    then = visible(find_texts(before.transcript(key_before(diff, change)), change.number)[1])
    where = f"{change.key.bot}, {change.key.script}, turn {change.number}"
    return sent, where, ((change.before, then), (change.after, now))
