"""A run of conversations as one file: table, charts, verdicts, and the conversations side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vivavoce.conversations.record import RunRecord
from vivavoce.conversations.result import ALL, Cell, Change, ConversationsResult, Problem, RunDiff
from vivavoce.errors import plural
from vivavoce.records import Rate
from vivavoce.reports import conversation_wording as wording
from vivavoce.reports.conversation_charts import PARTS, levels_chart, outcome_count, outcomes_chart, times_chart
from vivavoce.reports.conversation_meanings import (
    CONVERSATION_MEASURES,
    measure_of,
    milliseconds_interval,
    milliseconds_text,
)
from vivavoce.reports.conversation_tables import SEVEN, cells_by_level, shown_domains
from vivavoce.reports.html import page
from vivavoce.reports.meanings import direction_text, interval_text, value_text
from vivavoce.reports.parts import figure
from vivavoce.reports.tags import Html, bullets, details, join, table, tag
from vivavoce.reports.talks import said_and_answered
from vivavoce.reports.transcripts import about_transcripts

PROBLEMS = 3
MOST_CHANGES = 200


def render_conversations(result: ConversationsResult, record: RunRecord) -> str:
    """Return the report of a run: the sentence first, numbers second, every conversation on demand."""
    title = f"Conversations exam: {result.header.plan.suite}"
    told = list(wording.verdicts(result))
    top = tag(
        "header",
        tag("h1", title),
        tag("p", wording.headline(result), class_="lead"),
        tag("p", " ".join(told), class_="second") if 0 < len(told) < 4 else None,
        tag("p", result.header.plan.notice, class_="muted") if result.header.plan.notice else None,
    )
    main = tag(
        "main",
        _tiles(result),
        _seven(result),
        _pictures(result),
        _differences(result, told),
        _problems(result, record),
        about_transcripts(result, record),
        _health(result),
        _all_numbers(result),
        _literal(result),
        _notes(result),
        _glossary(),
    )
    return page(title, join([top, main, _provenance(result)]), language="en")


# --- numbers -----------------------------------------------------------------------------------------------------


def _tiles(result: ConversationsResult) -> Html:
    cells = [result.cell(bot.name) for bot in result.header.bots]
    return tag("ul", *[tag("li", *_tile(cell)) for cell in cells], class_="tiles")


def _tile(cell: Cell) -> Iterable[Html]:
    rate = cell.rates["accuracy"]
    yield tag("span", cell.bot, class_="name")
    yield tag("span", value_text("share", rate.value), class_="value")
    around = f"right; {interval_text(rate) or 'no interval'}, {plural(rate.n, 'turn')}"
    yield tag("span", around, class_="around")


def rate_part(rate: Rate, kind: str = "share") -> Html:
    """Return a value with its interval and count; under ten turns the count alone."""
    if rate.value is None:
        return join(["n/a"])
    if rate.n < wording.FEWEST and kind == "share":
        return join([f"{round(rate.value * rate.n)} of {rate.n}", tag("small", "too few")])
    shown = "share" if kind == "share" else "score"
    around = interval_text(rate, shown)  # type: ignore[arg-type]
    rough = wording.roughness(rate) if shown == "share" else ""
    said = ", ".join(part for part in (around, f"n = {rate.n:,}", rough) if part)
    return join([value_text(shown, rate.value), tag("small", said)])  # type: ignore[arg-type]


def _time_part(cell: Cell) -> Html:
    mean = cell.times.mean
    around = milliseconds_interval(mean)
    count = f"n = {cell.times.turns:,}"
    return join([milliseconds_text(mean.value), tag("small", around) if around else None, tag("small", count)])


def _named(name: str) -> Html:
    measure = measure_of(name)
    return tag("a", measure.title, href=f"#m-{name}", title=measure.meaning)


def _seven(result: ConversationsResult) -> Html:
    head = ("Bot and level", *["Time" if name == "time" else _named(name) for name in SEVEN])
    tables = []
    for domain in shown_domains(result):
        rows = [
            (_row_name(cell), *[_seven_part(cell, name) for name in SEVEN])
            for bot in result.header.bots
            for cell in cells_by_level(result, bot.name, domain)
        ]
        caption = f"{wording.domain_name(domain)}: time, fallback, misspelt input, accuracy, precision, recall, F1"
        tables.append(table(caption, head, rows, numbers=len(SEVEN)))
    said = (
        "Seven numbers for each bot and level. Under each: where it would lie with other conversations of this kind, "
        "and how many turns it rests on."
    )
    return tag("section", tag("h2", "The seven numbers"), tag("p", said), *tables)


def _row_name(cell: Cell) -> Html:
    mark = "incomplete" if cell.incomplete else ""
    name = f"{cell.bot}, {wording.cell_name(cell)}"
    small = ", ".join(part for part in (plural(cell.conversations, "conversation"), mark) if part)
    return join([tag("b", name) if cell.level == ALL else name, tag("small", small)])


def _seven_part(cell: Cell, name: str) -> Html:
    if name == "time":
        return _time_part(cell)
    rate = cell.rates[name]
    if rate.value is None or rate.n < wording.FEWEST:
        return rate_part(rate)
    # Seven columns must stand beside each other on a desk: interval and count get a line each.
    around = "" if rate.low is None or rate.high is None else f"{100 * rate.low:.0f}-{100 * rate.high:.0f}"
    return join([value_text("share", rate.value), tag("small", around), tag("small", f"n = {rate.n:,}")])


def _pictures(result: ConversationsResult) -> Html:
    bots = [bot.name for bot in result.header.bots]
    counts = [(title, *[f"{outcome_count(result, bot, name):,}" for bot in bots]) for name, title, _ in PARTS]
    times = [
        (bot, *[milliseconds_text(getattr(result.cell(bot).times, name)) for name in ("p50", "p95", "p99")])
        for bot in bots
    ]
    drawn = [
        figure("Right at each level", "Harder levels should be harder for every bot.", levels_chart(result)),
        figure(
            "What became of the turns",
            "Only checked turns; what could not be run is not among them.",
            outcomes_chart(result),
            table("Turns by outcome", ("Outcome", *bots), counts, numbers=len(bots)),
        ),
    ]
    if any(result.cell(bot).times.p50 for bot in bots):
        drawn.append(
            figure(
                "How long a reply takes",
                "The dot is the median, the bar ends where 95 of 100 replies had come.",
                times_chart(result),
                table("Response times", ("Bot", "median", "95 of 100", "99 of 100"), times, numbers=3),
            )
        )
    return tag("section", tag("h2", "At a glance"), tag("div", *drawn, class_="charts"))


def _differences(result: ConversationsResult, told: Sequence[str]) -> Html | None:
    if not told:
        return None
    parts: list[Html] = [bullets(told)]
    if len(result.strengths) > 2:
        rows = [
            (one.bot, f"{one.strength:+.2f}", _span(one.low, one.high), f"{one.wins:g} of {one.contests}")
            for one in result.strengths
        ]
        said = "Each conversation is a contest between two bots: who got more turns right. A draw is half a win."
        head = ("Bot", "Strength", "Range", "Talks won")
        parts.append(details("All bots in one order", tag("p", said), table("Strength", head, rows, numbers=3)))
    return tag("section", tag("h2", "Which differences are real?"), *parts)


def _span(low: float | None, high: float | None) -> str:
    return "n/a" if low is None or high is None else f"{low:+.2f} to {high:+.2f}"


def _problems(result: ConversationsResult, record: RunRecord) -> Html | None:
    cards = []
    for bot in result.header.bots:
        found = [problem for problem in result.problems if problem.bot == bot.name][:PROBLEMS]
        if found:
            items = [tag("li", *_problem(problem, record)) for problem in found]
            cards.append(tag("div", tag("div", tag("h3", bot.name), tag("ol", *items)), class_="card"))
    if not cards:
        return None
    return tag("section", tag("h2", "What to fix first"), tag("div", *cards, class_="cards"))


def _problem(problem: Problem, record: RunRecord) -> Iterable[Html]:
    yield join([problem.message, " ", tag("span", problem.remedy, class_="muted")])
    rows = []
    for key, number in problem.examples[:PROBLEMS]:
        sent, answer = said_and_answered(record.transcript(key), number)
        rows.append(join([f"“{sent}” ", tag("small", f"{answer} ({key.script}, turn {number})")]))
    yield tag("ul", *[tag("li", row) for row in rows], class_="questions")


# --- the rest ----------------------------------------------------------------------------------------------------


def _health(result: ConversationsResult) -> Html | None:
    health = result.health
    lists = (
        ("Turns that every bot passes: too easy to tell bots apart", health.too_easy),
        ("Turns that no bot passes: is the expectation right?", health.never_passed),
        ("Messages that stand in the training phrases: they test memory", [one[:2] for one in health.leaks]),
    )
    parts = [
        details(f"{title} ({len(turns):,})", bullets(f"{script}, turn {number}" for script, number in turns[:100]))
        for title, turns in lists
        if turns
    ]
    return tag("section", tag("h2", "How good is the test?"), *parts) if parts else None


def _all_numbers(result: ConversationsResult) -> Html:
    cells = [result.cell(bot.name) for bot in result.header.bots]
    rows = [
        (_named(name) if name in CONVERSATION_MEASURES else measure_of(name).title, *_row(cells, name))
        for name in cells[0].rates
    ]
    whole = table("Over all domains and levels", ("Number", *[c.bot for c in cells]), rows, numbers=len(cells))
    return tag("section", tag("h2", "All numbers"), details("Show them", whole))


def _row(cells: Sequence[Cell], name: str) -> list[Html]:
    return [rate_part(cell.rates[name], measure_of(name).kind) for cell in cells]


def _literal(result: ConversationsResult) -> Html:
    cells = [result.cell(bot.name) for bot in result.header.bots]
    names = list(cells[0].literal)
    rows = [
        (cell.bot, *[value_text("share", cell.literal[name]) for name in names], f"{cell.literal_unclassified:,}")
        for cell in cells
    ]
    said = (
        "By the wording of the paper this “accuracy” is the share of questions in scope; it is the same for "
        "every bot. It is shown for comparison with the paper only, and nothing is ranked by it."
    )
    whole = table("Literal values", ("Bot", *names, "turns without a class"), rows, numbers=len(names) + 1)
    return tag("section", tag("h2", "As defined in the ECHO paper"), details("Show them", tag("p", said), whole))


def _notes(result: ConversationsResult) -> Html | None:
    twins = [wording.twins_sentence(result.cell(bot.name)) for bot in result.header.bots]
    told = [note for note in [*result.failures, *result.warnings, wording.source_note(result), *twins] if note]
    return tag("section", tag("h2", "What to know"), bullets(told)) if told else None


def _glossary() -> Html:
    items = [
        tag(
            "div",
            tag("dt", measure.title, id=f"m-{name}"),
            tag("dd", measure.meaning, " ", tag("small", f"{direction_text(measure)} In JSON: {name}.")),
        )
        for name, measure in CONVERSATION_MEASURES.items()
    ]
    return tag("section", tag("h2", "What the numbers mean"), tag("dl", *items))


def _provenance(result: ConversationsResult) -> Html:
    header = result.header
    facts = {
        "vivavoce": header.version,
        "Suite": f"{header.plan.suite}, {plural(len(header.plan.scripts), 'conversation')}, hash {header.plan.hash}",
        "Run": f"{header.run}, seed {header.seed}, {plural(header.repeats, 'repeat')}",
        **{f"Bot {bot.name}": bot.about or bot.name for bot in header.bots},
    }
    return tag("footer", tag("dl", *[join([tag("dt", name), tag("dd", said)]) for name, said in facts.items()]))


# --- two runs ----------------------------------------------------------------------------------------------------


def render_run_diff(diff: RunDiff, before: RunRecord, after: RunRecord) -> str:
    """Return the comparison of two runs: what got worse first."""
    title = f"Two runs of {diff.after.plan.suite}"
    lead = tag("p", wording.diff_headline(diff), class_="lead")
    told = [wording.verdict_sentence(comparison) for comparison in diff.comparisons]
    parts = [_changes(name, found, before, after) for name, found in _both(diff)]
    notes = [
        f"Only in the later run: {plural(len(diff.new), 'turn')}; only in the earlier: {plural(len(diff.gone), 'turn')}.",
        f"Edited between the runs, and left out: {wording.enumerate_some(diff.edited, 20)}." if diff.edited else "",
        *diff.warnings,
    ]
    about = tag("section", tag("h2", "What to know"), bullets(note for note in notes if note))
    main = tag("main", bullets(told), *parts, about)
    return page(title, join([tag("header", tag("h1", title), lead), main]))


def _both(diff: RunDiff) -> tuple[tuple[str, tuple[Change, ...]], ...]:
    return (("Got worse", diff.regressed), ("Improved", diff.improved))


def _changes(title: str, changes: Sequence[Change], before: RunRecord, after: RunRecord) -> Html | None:
    if not changes:
        return None
    rows = [
        (
            f"{change.key.bot}, {change.key.script}, turn {change.number}",
            said_and_answered(after.transcript(change.key), change.number)[0],
            join([str(change.before), tag("small", _answer(before, change))]),
            join([str(change.after), tag("small", _answer(after, change))]),
        )
        for change in changes[:MOST_CHANGES]
    ]
    whole = table(title, ("Turn", "Visitor", "Before", "After"), rows)
    return tag("section", tag("h2", f"{title} ({len(changes):,})"), whole)


def _answer(record: RunRecord, change: Change) -> str:
    return said_and_answered(record.transcript(change.key), change.number)[1]
