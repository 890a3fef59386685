"""The sections of the report of a run: tables of numbers, pictures, differences, problems, and the test itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vivavoce.conversations.result import ALL, Cell, ConversationsResult, Problem
from vivavoce.conversations.running.record import RunRecord
from vivavoce.conversations.transcript import TalkKey
from vivavoce.errors import plural
from vivavoce.records import Rate
from vivavoce.reports.conversations import wording
from vivavoce.reports.conversations.charts import outcome_rows
from vivavoce.reports.conversations.meanings import (
    CONVERSATION_MEASURES,
    measure_of,
    milliseconds_interval,
    milliseconds_text,
    rate_value,
    too_few,
)
from vivavoce.reports.conversations.tables import (
    MANY_BOTS,
    SEVEN,
    TIMES_AND_FAILURES,
    TITLES,
    TOPIC_HEAD,
    around_text,
    cells_by_level,
    literal_rows,
    quoted,
    shown_domains,
    strength_rows,
    table_title,
    topic_cells,
)
from vivavoce.reports.conversations.talks import example_of, shorten
from vivavoce.reports.intents.meanings import interval_text, tile_part
from vivavoce.reports.shared.figures import conversations_figures
from vivavoce.reports.shared.tags import Html, bullets, details, join, table, tag

PROBLEMS = 3
MOST_TURNS = 100
EXAMPLE = 240


# --- numbers -----------------------------------------------------------------------------------------------------


def tiles(result: ConversationsResult) -> Html:
    """Return how often each bot was right, in large figures, the best first; those without a number last."""
    ranked = wording.ranked_cells(result)
    rest = [cell for bot in result.header.bots if (cell := result.cell(bot.name)) not in ranked]
    return tag("ul", *[tag("li", *_tile(cell)) for cell in (*ranked, *rest)], class_="tiles")


def _tile(cell: Cell) -> Iterable[Html]:
    rate, whole = cell.rates["accuracy"], cell.rates["conversations_passed"]
    yield tag("span", cell.bot, class_="name")
    if rate.value is None:
        yield tag("span", "n/a", class_="value")
        yield tag("span", "no checked turn could be counted", class_="around")
        return
    few = too_few(rate)
    figure, style = (wording.right_of(cell, ""), "value") if few else tile_part(rate)
    yield tag("span", figure, class_=style)
    around = interval_text(rate)
    said = f"of {plural(rate.n, 'turn')} right" + (f"; {around}" if around else "")
    yield tag("span", "turns right" if few else said, class_="around")
    if whole.value is not None:
        passed = f"{round(whole.value * whole.n):,} of {plural(whole.n, 'talk')} without a fault"
        yield tag("span", passed, class_="around line")


def rate_part(name: str, rate: Rate, absent: str = "") -> Html:
    """Return a value with its interval and count; under ten turns without them; n/a with its reason."""
    if rate.value is None:
        return join(["n/a", tag("small", absent) if absent else None])
    if too_few(rate):
        return join([rate_value(name, rate), tag("small", "too few")])
    share = measure_of(name).kind == "share"
    around = interval_text(rate, "share" if share else "score")
    rough = wording.roughness(rate) if share else ""
    said = ", ".join(part for part in (around, f"n = {rate.n:,}", rough) if part)
    return join([rate_value(name, rate), tag("small", said)])


def _named(name: str, title: str = "") -> Html | str:
    measure = measure_of(name)
    if name not in CONVERSATION_MEASURES:
        return measure.title
    return tag("a", title or measure.title, href=f"#m-{name}", title=measure.meaning)


def seven_numbers(result: ConversationsResult) -> Html:
    """Return the seven numbers of each bot at each level, one table for each domain."""
    head = (
        "Bot, and by level",
        *["Time" if name == "time" else _named(name, TITLES.get(name, "")) for name in SEVEN],
    )
    tables = []
    for domain in shown_domains(result):
        cells = [cell for bot in result.header.bots for cell in cells_by_level(result, bot.name, domain)]
        rows = [(_row_name(cell), *[_seven_part(cell, name) for name in SEVEN]) for cell in cells]
        tables.append(table(table_title(result, domain), head, rows, numbers=len(SEVEN)))
    said = (
        "Under each value: where it would lie with other conversations of this kind. Fallback, how often a bot said "
        "that it does not know, is neither good nor bad by itself. Each heading leads to what the number means."
    )
    return tag("section", tag("h2", "The seven numbers"), tag("p", said), tag("div", *tables, class_="seven"))


def _row_name(cell: Cell) -> Html:
    mark = "incomplete" if cell.incomplete else ""
    held = f"{plural(cell.conversations, 'talk')}, {plural(cell.counts.counted, 'turn')}"
    small = tag("small", ", ".join(part for part in (held, mark) if part))
    if cell.level == ALL:
        return join([tag("b", cell.bot), small])
    return tag("span", cell.level, small, class_="level")


def _seven_part(cell: Cell, name: str) -> Html:
    if name == "time":
        mean = cell.times.mean
        around = milliseconds_interval(mean) or (f"n = {mean.n:,}" if mean.value is not None else "")
        return join([milliseconds_text(mean.value), tag("small", around) if around else None])
    rate = cell.rates[name]
    if rate.value is None:
        return tag("span", "n/a", title=measure_of(name).absent)
    if too_few(rate):
        return rate_part(name, rate)
    # Seven columns must stand beside each other on a desk: the count of each is under the pointer and at the end.
    return tag("span", rate_value(name, rate), tag("small", around_text(rate)), title=plural(rate.n, "turn"))


def pictures(result: ConversationsResult) -> Html:
    """Return what can be seen at a glance, each picture with the table of its numbers."""
    if not wording.ranked_cells(result):
        return tag("section", tag("h2", "What became of the turns"), _outcomes_table(result))
    numbers = {"outcomes": _outcomes_table(result), "times": _times_table(result)}
    drawn = [one.part(numbers.get(name)) for name, one in conversations_figures(result).items()]
    return tag("section", tag("h2", "At a glance"), tag("div", *drawn, class_="charts"))


def _outcomes_table(result: ConversationsResult) -> Html:
    bots = [bot.name for bot in result.header.bots]
    return table("Turns by what became of them", ("Outcome", *bots), outcome_rows(result), numbers=len(bots))


def _times_table(result: ConversationsResult) -> Html:
    rows = [
        (bot.name, f"{times.turns:,}", *[milliseconds_text(value) for value in (times.p50, times.p95, times.p99)])
        for bot in result.header.bots
        for times in (result.cell(bot.name).times,)
    ]
    return table("Response times", ("Bot", "replies", "median", "95 of 100", "99 of 100"), rows, numbers=4)


# --- what follows ------------------------------------------------------------------------------------------------


def differences(result: ConversationsResult) -> Html | None:
    """Say which bot is better than which, over everything; each level and domain on demand."""
    told = list(wording.verdicts(result))
    if not told:
        return None
    parts: list[Html] = [bullets(told)]
    narrow = [one for one in result.comparisons if (one.domain, one.level) != (ALL, ALL)]
    if narrow:
        rows = [
            (
                one.level or wording.domain_name(one.domain),
                f"{one.a} and {one.b}",
                wording.points_text(one),
                wording.verdict_text(one),
            )
            for one in narrow
        ]
        head = ("Where", "Bots", "Difference", "Verdict")
        parts.append(
            details("Each level and domain by itself", table("Differences in parts of the test", head, rows))
        )
    if len(result.strengths) > 2:
        said = "Each conversation is a contest between two bots: who got more turns right. A draw is half a win."
        whole = table("Strength", ("Bot", "Strength", "Range", "Talks won"), strength_rows(result), numbers=3)
        parts.append(details("All bots in one order", tag("p", said), whole))
    return tag("section", tag("h2", "Which differences are real?"), *parts)


def problems(result: ConversationsResult, record: RunRecord | None = None) -> Html | None:
    """Return the biggest problems of each bot; with a record, with real examples."""
    cards = []
    # Two examples show what is meant; three of each of many bots make a long page.
    most = 2 if len(result.header.bots) >= MANY_BOTS else 3
    for bot in result.header.bots:
        found, left = wording.first_problems(result, bot.name, PROBLEMS)
        if found:
            items = [tag("li", *_problem(problem, record, most)) for problem in found]
            more = tag("p", f"{left:,} more.", class_="muted") if left else None
            cards.append(tag("div", tag("div", tag("h3", bot.name), tag("ol", *items), more), class_="card"))
    if not cards:
        return None
    return tag("section", tag("h2", "What to fix first"), tag("div", *cards, class_="cards"))


def _problem(problem: Problem, record: RunRecord | None, most: int) -> Iterable[Html]:
    remedy = tag("p", wording.sentence(problem.remedy)) if problem.remedy else None
    rows = [_example(key, number, record) for key, number in problem.examples[:most]]
    said = tag("div", tag("b", wording.sentence(problem.message)), remedy)
    yield tag("div", said, bullets(rows, class_="questions"), class_="problem")


def _example(key: TalkKey, number: int, record: RunRecord | None) -> Html:
    where = tag("span", f"{key.script}, turn {number}", class_="where")
    if record is None:
        return where
    sent, answer = example_of(record, key, number, EXAMPLE)
    return join([f"“{sent}”", tag("small", f"{quoted(answer)} ", where)])


def health(result: ConversationsResult) -> Html | None:
    """Return what is to be said of the test itself."""
    found = result.health
    texts = {(s.id, turn.number): turn.text for s in result.header.plan.scripts for turn in s.turns}
    lists = (
        ("Turns that every bot passes: too easy to tell bots apart", found.too_easy),
        ("Turns that no bot passes: is the expectation right?", found.never_passed),
        ("Messages that stand in the training phrases: they test memory", [one[:2] for one in found.leaks]),
        (
            "Turns that do not always come out the same",
            list(dict.fromkeys((one.script, one.number) for one in result.unstable)),
        ),
    )
    parts = [_turns(title, turns, texts) for title, turns in lists if turns]
    parts += [part for part in (_difficulty(result), _coverage(result)) if part]
    return tag("section", tag("h2", "How good is the test?"), *parts) if parts else None


def _turns(title: str, turns: Sequence[tuple[str, int]], texts: dict[tuple[str, int], str]) -> Html:
    rows = [
        join([f"“{shorten(texts.get(turn, ''))}” ", tag("span", f"{turn[0]}, turn {turn[1]}", class_="muted")])
        for turn in turns[:MOST_TURNS]
    ]
    more = len(turns) - len(rows)
    rest = tag("p", f"{more:,} more.", class_="muted") if more else None
    return details(f"{title} ({len(turns):,})", bullets(rows), rest)


def _difficulty(result: ConversationsResult) -> Html | None:
    rows = [(level, rate_part("accuracy", rate)) for level, rate in result.health.difficulty.items()]
    return (
        details("How hard the levels are", table("Turns passed over all bots", ("Level", "Passed"), rows, numbers=1))
        if rows
        else None
    )


def _coverage(result: ConversationsResult) -> Html | None:
    coverage = result.health.coverage
    if not coverage:
        return None
    levels = wording.level_order(level for _, level, _ in coverage)
    topics = list(dict.fromkeys(topic for topic, _, _ in coverage))
    names = {None: "(out of scope)", "": "(no topic named)"}
    rows = [
        (
            names.get(topic) or str(topic),
            *[f"{sum(n for (t, lv, _), n in coverage.items() if (t, lv) == (topic, level)):,}" for level in levels],
            f"{sum(n for (t, _, kind), n in coverage.items() if (t, kind) == (topic, 'typo')):,}",
        )
        for topic in topics
    ]
    head = ("Topic", *levels, "of these misspelt")
    return details("What the test covers", table("Checked turns of each topic", head, rows, numbers=len(levels) + 1))


def all_numbers(result: ConversationsResult) -> Html:
    """Return every number of every bot, and the topics."""
    cells = [result.cell(bot.name) for bot in result.header.bots]
    rows: list[tuple[Html | str, ...]] = [
        (
            _named(name),
            *[rate_part(name, cell.rates[name], measure_of(name).absent) for cell in cells],
        )
        for name in cells[0].rates
    ]
    rows += [(title, *[said(cell) for cell in cells]) for title, said in TIMES_AND_FAILURES]
    whole = table("Over all domains and levels", ("Number", *[c.bot for c in cells]), rows, numbers=len(cells))
    parts = [details("Every number of each bot", whole)]
    topics = topic_cells(result)
    if topics:
        parts.append(details("Every topic", table("Topics of each bot", TOPIC_HEAD, topics, numbers=3)))
    return tag("section", tag("h2", "All numbers"), *parts)


def literal(result: ConversationsResult) -> Html:
    """Return what the paper's wording defines, apart from all that is ranked."""
    names = list(result.cells[0].literal)
    head = ("Bot", *names, "turns", "turns without a class")
    whole = table("By the wording of the paper", head, literal_rows(result), numbers=len(names) + 2)
    shown = details("Show these values", tag("p", wording.LITERAL), whole)
    return tag("section", tag("h2", "As defined in the ECHO paper"), shown)
