"""A run of conversations as one file: table, charts, verdicts, and the conversations side by side."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.conversations.result import Change, ConversationsResult, RunDiff
from vivavoce.conversations.running.record import RunRecord
from vivavoce.conversations.transcript import RunHeader, TalkKey
from vivavoce.errors import plural
from vivavoce.reports.conversations import sections, wording
from vivavoce.reports.conversations.changes import course_sentence, diff_headline, diff_remarks
from vivavoce.reports.conversations.meanings import CONVERSATION_MEASURES, OUTCOME_NAMES
from vivavoce.reports.conversations.talks import key_before, said_and_answered, visible
from vivavoce.reports.conversations.transcripts import about_transcripts, mark_of
from vivavoce.reports.intents.html import page
from vivavoce.reports.intents.meanings import direction_text
from vivavoce.reports.shared.tags import Html, bullets, join, table, tag

MOST_CHANGES = 200


def render_conversations(result: ConversationsResult, record: RunRecord | None = None) -> str:
    """Return the report of a run: the sentence first, numbers second, every conversation on demand.

    Without a record, or without judged turns, what was said is left out.
    """
    title = f"Conversations exam: {result.header.plan.suite}"
    main = tag(
        "main",
        sections.tiles(result),
        sections.seven_numbers(result),
        sections.pictures(result),
        sections.differences(result),
        sections.problems(result, record),
        about_transcripts(result, record) if record is not None and result.lines else None,
        sections.health(result),
        sections.all_numbers(result),
        sections.literal(result),
        _notes(result),
        _glossary(),
    )
    return page(title, join([_top(result, title), main, _provenance(result.header)]))


def _top(result: ConversationsResult, title: str) -> Html:
    second, notice = wording.second_sentence(result), result.header.plan.notice
    return tag(
        "header",
        tag("h1", title),
        tag("p", wording.headline(result), class_="lead"),
        tag("p", second, class_="second") if second else None,
        # What is missing is said before any number, for it may change all of them.
        *[tag("p", said, class_="severity") for said in result.failures],
        tag("p", notice, class_="muted") if notice else None,
    )


def _notes(result: ConversationsResult) -> Html | None:
    told = wording.remarks(result)
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
    outcomes = [
        tag(
            "div",
            tag("dt", name),
            tag("dd", wording.sentence(outcome.meaning), " ", tag("small", f"In JSON: {outcome}.")),
        )
        for outcome, name in OUTCOME_NAMES.items()
    ]
    return join(
        [
            tag("section", tag("h2", "What the numbers mean"), tag("dl", *items)),
            tag("section", tag("h2", "What can become of a turn"), tag("dl", *outcomes)),
        ]
    )


def _provenance(header: RunHeader) -> Html:
    facts = {
        "vivavoce": header.version,
        "Suite": f"{header.plan.suite}, {plural(len(header.plan.scripts), 'conversation')}, hash {header.plan.hash}",
        "Run": f"{header.run}, seed {header.seed}, each conversation held {_times(header.repeats)}",
        **{f"Bot {bot.name}": bot.about or bot.name for bot in header.bots},
    }
    return tag("footer", tag("dl", *[join([tag("dt", name), tag("dd", said)]) for name, said in facts.items()]))


def _times(repeats: int) -> str:
    return "once" if repeats == 1 else f"{repeats} times"


# --- two runs ----------------------------------------------------------------------------------------------------


def render_run_diff(diff: RunDiff, before: RunRecord, after: RunRecord) -> str:
    """Return the comparison of two runs: what got worse first."""
    title = f"Two runs of {diff.after.plan.suite}"
    lead = tag("p", diff_headline(diff), class_="lead")
    told = [course_sentence(comparison) for comparison in diff.comparisons]
    found = (("Got worse", diff.regressed), ("Improved", diff.improved))
    parts = [_changes(name, changes, diff, (before, after)) for name, changes in found]
    notes = diff_remarks(diff, 20)
    about = tag("section", tag("h2", "What to know"), bullets(notes)) if notes else None
    main = tag("main", bullets(told), *parts, about)
    return page(title, join([tag("header", tag("h1", title), lead), main, _both_runs(diff)]))


def _changes(
    title: str, changes: Sequence[Change], diff: RunDiff, records: tuple[RunRecord, RunRecord]
) -> Html | None:
    if not changes:
        return None
    before, after = records
    rows = [
        (
            join([_said(after, change.key, change)[0], tag("small", _where(change))]),
            join(
                [
                    mark_of(change.before),
                    tag("span", _said(before, key_before(diff, change), change)[1], class_="said"),
                ]
            ),
            join([mark_of(change.after), tag("span", _said(after, change.key, change)[1], class_="said")]),
        )
        for change in changes[:MOST_CHANGES]
    ]
    whole = tag(
        "div", table(f"{title}: what the bot said then and now", ("Visitor", "Before", "After"), rows), class_="talk"
    )
    left = len(changes) - len(rows)
    rest = tag("p", f"{left:,} more.", class_="muted") if left else None
    return tag("section", tag("h2", f"{title} ({len(changes):,})"), whole, rest)


def _where(change: Change) -> str:
    return f"{change.key.bot}, {change.key.script}, turn {change.number}"


def _said(record: RunRecord, key: TalkKey, change: Change) -> tuple[str, str]:
    sent, answer = said_and_answered(record.transcript(key), change.number)
    return visible(sent), visible(answer)


def _both_runs(diff: RunDiff) -> Html:
    runs = (("Earlier run", diff.before), ("Later run", diff.after))
    facts = [(name, f"{run.run}, vivavoce {run.version}, hash of the suite {run.plan.hash}") for name, run in runs]
    return tag("footer", tag("dl", *[join([tag("dt", name), tag("dd", said)]) for name, said in facts]))
