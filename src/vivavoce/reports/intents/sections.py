"""The parts of the report of an exam. Each number stands with its interval and its meaning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from vivavoce.intents.findings import IntentFindings, SettingFindings
from vivavoce.intents.problems import ENOUGH_TESTED, weakest_topics
from vivavoce.intents.result import IntentsResult, Note
from vivavoce.intents.traffic import MIXED
from vivavoce.outcomes import Outcome
from vivavoce.reports.intents import charts, wording
from vivavoce.reports.intents.choices import (
    confused_topics,
    short_notes,
    why_none_weakest,
)
from vivavoce.reports.intents.meanings import MEASURES, direction_text, tile_part
from vivavoce.reports.shared import figures
from vivavoce.reports.shared.parts import named, prose, rate_part, rest
from vivavoce.reports.shared.tags import Html, bullets, details, join, table, tag
from vivavoce.version import __version__

MAIN = charts.MAIN
MOST_TOPICS = 100
MOST_CELLS = 40
GRAVE = frozenset(
    {"failed", "untestable", "few_examples", "one_topic", "few_negatives", "contradictions", "largest_topic"}
)
section = partial(tag, "section")


# --- first things ------------------------------------------------------------------------------------------


def tiles(result: IntentsResult) -> Html:
    """Return the few main numbers, large, each with its meaning."""
    parts = []
    for name in MAIN:
        findings = _best_source(result, name)
        rate, measure = findings.rates[name], MEASURES[name]
        around = wording.interval_text(rate) or wording.absence(name)
        figure_text, style = tile_part(rate)
        parts.append(
            tag(
                "li",
                tag("span", figure_text, class_=style),
                tag("span", measure.title, class_="name"),
                tag("div", around, tag("br"), wording.setting_title(findings).lower(), class_="around"),
                tag("p", measure.meaning, class_="meaning"),
            )
        )
    return tag("ul", *parts, class_="tiles")


def _best_source(result: IntentsResult, name: str) -> SettingFindings:
    """Return the first setting in which the number exists."""
    known = [findings for findings in result.settings if findings.rates[name].value is not None]
    return known[0] if known else result.settings[0]


def notes(warnings: Sequence[Note]) -> Html:
    """Return what to know before trusting a number."""
    grave = {note.message for note in warnings if note.kind in GRAVE}
    lines = [tag("li", prose(line), class_="grave" if line in grave else None) for line in short_notes(warnings, 5)]
    return tag("ul", *lines, class_="notes")


def about_data(result: IntentsResult) -> Html:
    """Return what to know about the data, and how large the topics are."""
    sizes = {line.intent: line.examples for line in result.settings[0].intents}
    shown = figures.sizes_figure(sizes).part()
    title = tag("h2", "What to know before you trust these numbers")
    return section(title, tag("div", notes(result.warnings), shown, class_="charts"))


# --- settings and confidence -------------------------------------------------------------------------------


def about_settings(result: IntentsResult) -> Html:
    """Return the main numbers of each setting."""
    shown = [findings for findings in result.settings if findings.same_as is None]
    head = ("What the bot has to face", *[named(name) for name in MAIN], "Tests", "Strangers")
    rows = [
        (
            join([wording.setting_title(one), tag("small", f"Setting {one.setting}")]),
            *[rate_part(one.rates[name]) for name in MAIN],
            f"{one.counts.total:,}",
            f"{one.counts.negatives:,}",
        )
        for one in shown
    ]
    told = [_told(findings) for findings in result.settings]
    drawn = figures.settings_figure(result).part()
    return section(
        tag("h2", "How good is it, and how sure are we?"),
        tag("p", "An interval says where the value would lie with other data of this size."),
        table("Main numbers by setting, with intervals", head, rows, numbers=6),
        tag("div", bullets(told), drawn, class_="charts"),
    )


def _told(findings: SettingFindings) -> str:
    said = wording.setting_sentence(findings)
    return said if findings.same_as is not None else f"{wording.setting_title(findings)}: {said}"


def about_confidence(result: IntentsResult) -> Html:
    """Return what the bot's confidence is worth."""
    findings = result.settings[0]
    curve = figures.risk_figure(findings, result.threshold).part(_curve_table(findings))
    honest = figures.calibration_figure(findings).part(_calibration_table(findings))
    return section(
        tag("h2", "What is its confidence worth?"),
        tag("p", f"Under setting {findings.setting}."),
        tag("div", curve, honest, class_="charts"),
    )


def _curve_table(findings: SettingFindings) -> Html:
    curve = findings.curve
    rows = [
        (
            wording.share_text(float(curve.coverage[place])),
            wording.share_text(float(curve.risk[place])),
            wording.score_text(max(0.0, float(curve.thresholds[place]))),
        )
        for place in curve.tenths()
    ]
    return table("Wrong answers by share answered", ("Answered", "Answers wrong", "Threshold"), rows, numbers=2)


def _calibration_table(findings: SettingFindings) -> Html:
    rows = [(wording.share_text(b.confidence), wording.share_text(b.right), f"{b.n:,}") for b in findings.bins]
    return table("Claimed and actual, in groups of like size", ("Claims", "Is right", "Questions"), rows, numbers=2)


# --- topics ------------------------------------------------------------------------------------------------


def about_topics(result: IntentsResult) -> Html:
    """Return how each topic fared."""
    findings = result.settings[0]
    weakest, confused = weakest_topics(findings, 1), confused_topics(findings, 1)
    fared = figures.topics_figure(findings).part() if weakest else tag("p", why_none_weakest(findings))
    taken = tag("p", "No topic was taken for another.")
    if confused:
        taken = figures.confusion_figure(findings).part(_confusion_table(findings))
    return section(
        tag("h2", "Topic by topic"),
        tag("div", fared, taken, class_="charts"),
        details(f"All topics ({len(findings.intents):,})", _topic_table(findings)),
    )


def _topic_table(findings: SettingFindings) -> Html:
    lines = sorted(
        findings.intents, key=lambda line: (line.recall.value is None, line.recall.value or 0.0, line.intent)
    )
    names = ("examples", "recall", "deferred", "precision", "attracted")
    shown = table(
        f"Topics under setting {findings.setting}, weakest first; grey: under {ENOUGH_TESTED} tested examples",
        ("Topic", *[named(name) for name in names]),
        [_topic_row(line) for line in lines[:MOST_TOPICS]],
        numbers=5,
    )
    return join([shown, rest(len(lines) - MOST_TOPICS, "topic")])


def _topic_row(line: IntentFindings) -> tuple[Html | str, ...]:
    grey = "few" if line.recall.n < ENOUGH_TESTED else None
    rates = [tag("span", rate_part(rate), class_=grey) for rate in (line.recall, line.deferred, line.precision)]
    return (line.intent, f"{line.examples:,}", *rates, f"{line.attracted:,}")


def _confusion_table(findings: SettingFindings) -> Html:
    cells = charts.confusion_values(findings, confused_topics(findings, 15))
    rows = [
        (cell["origin"], cell["guess"], f"{cell['count']:,}", wording.share_text(cell["share"]))
        for cell in cells[:MOST_CELLS]
    ]
    head = ("True topic", "Guess", "Tests", "Share of the topic")
    return join(
        [
            table("Mistaken guesses, most frequent first", head, rows, numbers=2),
            rest(len(cells) - MOST_CELLS, "line"),
        ]
    )


# --- questions, all numbers, meanings ----------------------------------------------------------------------


def about_questions(result: IntentsResult) -> Html:
    """Return a few questions of each outcome, drawn at random."""
    findings = next(
        (one for one in result.settings if one.counts.negatives and one.same_as is None), result.settings[0]
    )
    parts = [_outcome(findings, outcome) for outcome in Outcome if findings.counts[outcome]]
    said = f"A few questions of each outcome, drawn at random, under setting {findings.setting}."
    return section(tag("h2", "What became of the questions"), tag("p", said), *parts)


def _outcome(findings: SettingFindings, outcome: Outcome) -> Html:
    count, total = findings.counts[outcome], findings.counts.total
    rows = [
        (f"“{s.text}”", s.intent or "none", s.guess or "none", wording.share_text(s.confidence))
        for s in findings.samples
        if s.outcome is outcome
    ]
    title = f"{wording.OUTCOME_TITLES[outcome]}: {count:,} of {wording.plural(total, 'test')}"
    head = ("Question", "Filed under", "Guess", "Confidence")
    caption = f"{outcome.meaning[0].upper()}{outcome.meaning[1:]}."
    return details(title, table(caption, head, rows, numbers=1))


def about_numbers(result: IntentsResult) -> Html:
    """Return every number of every setting with what was counted."""
    shown = [findings for findings in result.settings if findings.same_as is None]
    head = ("Number", *[f"Setting {findings.setting}" for findings in shown])
    rows = [(named(name), *[_counted(one, name) for one in shown]) for name in shown[0].rates]
    times = [f"Setting {one.setting}: {wording.timing_sentence(one.timing)}" for one in shown if one.timing]
    caption = "Mean over retries, its interval, and the count over all retries together"
    numbers = table(caption, head, rows, numbers=len(shown))
    return section(tag("h2", "All numbers"), details("Show them", numbers, bullets(times) if times else None))


def _counted(findings: SettingFindings, name: str) -> Html:
    # A weighed share is not the share of what was counted.
    weighed = findings.out_of_scope_share is not None and name in MIXED
    share = None if weighed else findings.counts.shares().get(name)
    count = f"{share.hits:,} of {share.n:,}" if share is not None and share.n else ""
    return join([rate_part(findings.rates[name], MEASURES[name].kind), tag("small", count) if count else None])


def glossary() -> Html:
    """Return the meaning of every number."""
    items: Iterable[Html] = (
        tag(
            "div",
            tag("dt", measure.title, id=f"m-{name}"),
            tag("dd", measure.meaning, " ", tag("small", f"{direction_text(measure)} In JSON: {name}.")),
        )
        for name, measure in MEASURES.items()
    )
    return section(tag("h2", "What the numbers mean"), tag("dl", *items))


def _traffic(result: IntentsResult) -> str:
    share = result.out_of_scope_share
    return "as tested" if share is None else wording.share_text(share)


def provenance(result: IntentsResult) -> Html:
    """Return what is needed to get the same numbers again."""
    facts = {
        "vivavoce": __version__,
        "Data": f"{result.data.source}: {wording.plural(result.data.rows, 'row')}, "
        f"{wording.plural(result.data.topics, 'topic')}, {result.data.out_of_scope:,} out of scope",
        "Data hash": result.data.hash,
        "Classifier": result.classifier,
        "Threshold": f"{result.threshold:g}",
        "Out-of-scope share": _traffic(result),
        "Settings": ", ".join(str(findings.setting) for findings in result.settings),
        "Retries": f"{result.design.retries:,} ({result.design.partition})",
        "Test fraction": f"{result.design.test_fraction:g}",
        "Topics with one example": str(result.design.singletons),
        "Seed": f"{result.design.seed}",
    }
    return tag("footer", tag("dl", *[join([tag("dt", name), tag("dd", said)]) for name, said in facts.items()]))
