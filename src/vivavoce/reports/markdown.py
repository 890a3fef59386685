"""A run in a few lines of Markdown, for a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from vivavoce.conversations.record import RunRecord
from vivavoce.conversations.result import Change, ConversationsResult, RunDiff
from vivavoce.errors import plural
from vivavoce.records import Rate
from vivavoce.reports import conversation_wording as wording
from vivavoce.reports.conversation_meanings import measure_of, milliseconds_text
from vivavoce.reports.conversation_tables import SEVEN, cells_by_level, shown_domains
from vivavoce.reports.meanings import interval_text, value_text
from vivavoce.reports.talks import said_and_answered

PROBLEMS = 3
MOST_CHANGES = 20


def render_summary(result: ConversationsResult) -> str:
    """Return the summary of a run."""
    lines = [f"### Conversations exam: {result.header.plan.suite}", "", wording.headline(result), ""]
    domain = shown_domains(result)[-1]
    head = ["Bot", "Level", "Turns", *["Time" if name == "time" else measure_of(name).title for name in SEVEN]]
    lines += [_row(head), _row(["---", "---", *["---:"] * (len(head) - 2)])]
    for bot in result.header.bots:
        for cell in cells_by_level(result, bot.name, domain):
            values = [
                milliseconds_text(cell.times.mean.value) if name == "time" else _rate(cell.rates[name])
                for name in SEVEN
            ]
            lines.append(_row([cell.bot, wording.cell_name(cell), f"{cell.counts.counted:,}", *values]))
    lines += ["", *[f"- {said}" for said in wording.verdicts(result)], "", *_problems(result)]
    lines += [f"> {note}" for note in (*result.failures, *result.warnings)]
    return "\n".join(lines).rstrip() + "\n"


def _problems(result: ConversationsResult) -> Iterator[str]:
    for bot in result.header.bots:
        found = [problem for problem in result.problems if problem.bot == bot.name][:PROBLEMS]
        if found:
            yield f"**What to fix first in {_plain(bot.name)}**"
            yield ""
            yield from (f"{place}. {_plain(problem.message)}" for place, problem in enumerate(found, 1))
            yield ""


def render_diff_summary(diff: RunDiff, before: RunRecord, after: RunRecord) -> str:
    """Return the comparison of two runs: what got worse first."""
    lines = [f"### Two runs of {diff.after.plan.suite}", "", wording.diff_headline(diff), ""]
    lines += [f"- {wording.verdict_sentence(comparison)}" for comparison in diff.comparisons]
    for title, changes in (("Got worse", diff.regressed), ("Improved", diff.improved)):
        if changes:
            lines += ["", f"**{title} ({len(changes)})**", "", _row(["Turn", "Visitor", "Before", "After"])]
            lines.append(_row(["---"] * 4))
            lines += [_change(change, before, after) for change in changes[:MOST_CHANGES]]
            if len(changes) > MOST_CHANGES:
                lines += ["", f"{plural(len(changes) - MOST_CHANGES, 'turn')} more."]
    return "\n".join(lines).rstrip() + "\n"


def _change(change: Change, before: RunRecord, after: RunRecord) -> str:
    sent, now = said_and_answered(after.transcript(change.key), change.number)
    _, then = said_and_answered(before.transcript(change.key), change.number)
    where = f"{change.key.bot}, {change.key.script}, {change.number}"
    return _row([where, sent, f"{change.before}: {then}", f"{change.after}: {now}"])


def _rate(rate: Rate) -> str:
    around = interval_text(rate)
    return value_text("share", rate.value) + (f" ({around})" if around else "")


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(_plain(cell) for cell in cells)} |"


def _plain(text: str, most: int = 160) -> str:
    """Keep a text on one line and out of the way of Markdown."""
    flat = " ".join(text.split())
    short = flat if len(flat) <= most else f"{flat[: most - 3]}..."
    return short.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("`", "'")
