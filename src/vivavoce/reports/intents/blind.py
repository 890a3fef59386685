"""A blind test in words, in the terminal and as a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from vivavoce.intents.blind import BlindResult
from vivavoce.intents.findings import IntentFindings
from vivavoce.outcomes import Outcome
from vivavoce.records import Rate
from vivavoce.reports.intents import wording
from vivavoce.reports.intents.charts import RateRow, comparison_chart
from vivavoce.reports.intents.choices import short_notes
from vivavoce.reports.intents.html import page
from vivavoce.reports.intents.meanings import MEASURES, Measure, rate_text, share_text
from vivavoce.reports.intents.sections import glossary
from vivavoce.reports.intents.sections import notes as notes_part
from vivavoce.reports.intents.tables import rate_cell
from vivavoce.reports.shared.layout import block, bullets, heading, numbers_table
from vivavoce.reports.shared.parts import figure, rate_part
from vivavoce.reports.shared.tags import Html, details, join, table, tag
from vivavoce.version import __version__

MAIN = ("automation_rate", "precision_answered", "negative_rejection", "accuracy", "oos_auroc")
MCC = Measure(
    "mcc",
    "Agreement beyond chance (MCC)",
    "How far the answers agree with the truth beyond chance: 0 is chance, 1 is perfect.",
    "higher",
    "score",
)
# The same number under the name that data sets of out-of-scope messages use.
TWICE = "oos_recall"
ENOUGH = 3
FEW_TOPICS, MANY_TOPICS = 5, 25
WRONG = (Outcome.WRONG_INTENT, Outcome.OVERREACH)


def blind_headline(result: BlindResult) -> str:
    """Say in one sentence what the bot would do with messages like these."""
    answered, right = result.rates["automation_rate"], result.rates["precision_answered"]
    if answered.value is None:
        return "Nothing was tested, so nothing can be said about the bot."
    said = f"Of 100 {_asked(result)}, the bot would answer {wording.of_hundred(answered)} by itself"
    if right.value is None:
        why = f"it is never sure enough at the threshold of {result.threshold:g}"
        return f"{said}: {wording.NO_GUESSES if wording.never_guessed(result.counts) else why}."
    return f"{said}; of 100 such answers, {wording.of_hundred(right)} would be right."


def _asked(result: BlindResult) -> str:
    """Say what kind of messages were tested; those that training held too were not unseen."""
    known = result.leak.rows if result.leak else 0
    if not known or result.train is None:
        return "messages like these" if result.train is None else "messages that it had never seen"
    return f"messages like these, {share_text(known / result.data.rows)} of which it knew from training"


def blind_facts(result: BlindResult) -> str:
    """Say what was trained and tested."""
    test = f"{wording.plural(result.data.rows, 'message')} tested, {result.data.out_of_scope:,} of them out of scope"
    size = wording.plural(result.train.rows, "example") if result.train else ""
    trained = f"{size} in {wording.plural(result.train.topics, 'topic')} trained, " if result.train else ""
    return f"{trained}{test}; classifier {result.classifier}, threshold {result.threshold:g}."


def weakest(result: BlindResult, most: int) -> tuple[IntentFindings, ...]:
    """Return the topics that were found least often, among those that were tested a few times."""
    tested = [line for line in result.intents if line.recall.n >= ENOUGH]
    return tuple(sorted(tested, key=lambda line: (line.recall.value or 0.0, -line.recall.n, line.intent)))[:most]


def _numbers(result: BlindResult, names: Sequence[str]) -> Iterator[tuple[Measure, Rate]]:
    for name in names:
        if name != TWICE:
            yield MEASURES.get(name, MCC), result.rates[name]


# --- the terminal ------------------------------------------------------------------------------------------


def show_blind(console: Console, result: BlindResult, *, verbose: bool = False) -> None:
    """Show a blind test: the sentence, the numbers, the weakest topics, what to know."""
    console.print()
    console.print(block(blind_headline(result), "bold"))
    console.print(heading("How good is it?", blind_facts(result)))
    chosen = tuple(result.rates) if verbose else MAIN
    rows = [
        (measure.title, rate_cell(rate, measure.kind), f"{rate.n:,}") for measure, rate in _numbers(result, chosen)
    ]
    console.print(numbers_table(("Number", "Value", "Counted"), rows))
    console.print(heading("Weakest topics"))
    console.print(_weakest_table(weakest(result, MANY_TOPICS if verbose else FEW_TOPICS)))
    console.print(heading("What to know"))
    console.print(bullets(short_notes(result.warnings, len(result.warnings) if verbose else 3)))


def _weakest_table(lines: Sequence[IntentFindings]) -> object:
    if not lines:
        return block(f"No topic was tested {ENOUGH} times or more.")
    rows: list[tuple[str | Text, ...]] = [
        (line.intent, rate_text(line.recall), wording.share_text(line.deferred.value), f"{line.examples:,}")
        for line in lines
    ]
    return numbers_table(("Topic", "Found", "Deferred", "Examples"), rows)


# --- the page ----------------------------------------------------------------------------------------------


def render_blind(result: BlindResult) -> str:
    """Return the report of a blind test as one file."""
    title = f"Blind test of {result.classifier}"
    top = tag(
        "header",
        tag("h1", title),
        tag("p", blind_headline(result), class_="lead"),
        tag("p", blind_facts(result), class_="second"),
    )
    main = tag(
        "main",
        _about_numbers(result),
        tag("section", tag("h2", "What to know before you trust these numbers"), notes_part(result.warnings)),
        _about_topics(result),
        _about_messages(result),
        glossary(),
    )
    return page(title, join([top, main, _footer(result)]))


def _about_numbers(result: BlindResult) -> Html:
    rows = [
        (measure.title, rate_part(rate, measure.kind), f"{rate.n:,}", measure.meaning)
        for measure, rate in _numbers(result, tuple(result.rates))
    ]
    numbers = table("All numbers, with intervals", ("Number", "Value", "Counted", "What it means"), rows)
    shares = [RateRow(m.title, "", rate) for m, rate in _numbers(result, MAIN) if m.kind == "share"]
    drawn = figure("The main numbers", "Dot: value; bar: interval.", comparison_chart(shares), numbers)
    return tag("section", tag("h2", "How good is it, and how sure are we?"), drawn)


def _about_topics(result: BlindResult) -> Html:
    rows = [
        (
            line.intent,
            rate_part(line.recall),
            rate_part(line.precision),
            rate_part(line.deferred),
            f"{line.examples:,}",
        )
        for line in weakest(result, len(result.intents))
    ]
    head = ("Topic", "Found", "Right when used", "Deferred", "Examples")
    return tag("section", tag("h2", "Topics, weakest first"), table("Topics", head, rows, numbers=4))


def _about_messages(result: BlindResult) -> Html:
    return tag("section", tag("h2", "Messages"), *[_messages(result, outcome) for outcome in WRONG])


def _messages(result: BlindResult, outcome: Outcome) -> Html | None:
    rows = [
        (sample.text, sample.intent or "out of scope", sample.guess or "no guess", f"{sample.confidence:.2f}")
        for sample in result.samples
        if sample.outcome is outcome
    ]
    title = f"{wording.OUTCOME_TITLES[outcome]}: {result.counts[outcome]:,}"
    head = ("Message", "Topic", "Guess", "Confidence")
    return details(title, table(title, head, rows, numbers=1), open_=True) if rows else None


def _footer(result: BlindResult) -> Html:
    data = f"test data {result.data.source}, hash {result.data.hash}"
    trained = "" if result.train is None else f"; training data {result.train.source}, hash {result.train.hash}"
    return tag("footer", tag("p", f"vivavoce {__version__}; seed {result.seed}; {data}{trained}."))
