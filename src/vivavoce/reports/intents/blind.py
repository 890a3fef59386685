"""A blind test in words, in the terminal and as a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console

from vivavoce.errors import plural
from vivavoce.intents.blind import BlindResult
from vivavoce.intents.findings import IntentFindings
from vivavoce.messages import say
from vivavoce.outcomes import Outcome
from vivavoce.records import Rate
from vivavoce.reports.intents import wording
from vivavoce.reports.intents.choices import short_notes
from vivavoce.reports.intents.html import weigh_notes
from vivavoce.reports.intents.meanings import MAIN as MAIN_NUMBERS
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.reports.shared.charts import Figure, RateRow, comparison_chart
from vivavoce.reports.shared.layout import block, bullets, heading, numbers_table, rate_cell
from vivavoce.reports.shared.measures import Measure
from vivavoce.reports.shared.numbers import rate_text, share_text
from vivavoce.reports.shared.pages import render_report
from vivavoce.reports.shared.views import make_table
from vivavoce.reports.shared.views import rate_cell as rate_cell_of
from vivavoce.version import __version__

MAIN = (*MAIN_NUMBERS, "oos_auroc")
MCC = Measure(
    "mcc",
    "Agreement beyond chance (MCC)",
    "How well the answers agree with the actual topics beyond chance: 0 is chance, 1 is perfect.",
    "higher",
    "score",
)
# The same number by the name that data sets of out-of-scope messages use.
TWICE = "oos_recall"
ENOUGH = 3
FEW_TOPICS, MANY_TOPICS = 5, 25


def blind_headline(result: BlindResult) -> str:
    """Say in one sentence what the bot would do with messages like these."""
    answered, right = result.rates["automation_rate"], result.rates["precision_answered"]
    if answered.value is None:
        return say("Nothing was tested, so there is no result for the bot.")
    # Messages that are in the training data too were not unseen.
    known = result.leak.rows if result.leak else 0
    if known and result.train is not None:
        share = share_text(known / result.data.rows)
        messages = say("messages like these, {share} of which it knew from training", share=share)
    elif result.train is None:
        messages = say("messages like these")
    else:
        messages = say("messages it has never seen")
    facts = {"messages": messages, "answered": wording.of_hundred(answered)}
    if right.value is None:
        unsure = say("its confidence never reaches the threshold of {threshold:g}", threshold=result.threshold)
        why = wording.NO_GUESSES if wording.never_guessed(result.counts) else unsure
        return say("Of 100 {messages}, the bot would answer {answered}: {why}.", why=why, **facts)
    return say(
        "Of 100 {messages}, the bot would answer {answered}; of 100 such answers, {right} would be right.",
        right=wording.of_hundred(right),
        **facts,
    )


def blind_facts(result: BlindResult) -> str:
    """Say what was trained and tested."""
    test = f"{plural(result.data.rows, 'message')} tested, {result.data.out_of_scope:,} of them out of scope"
    size = plural(result.train.rows, "example") if result.train else ""
    trained = f"{size} in {plural(result.train.topics, 'topic')} trained, " if result.train else ""
    return f"{trained}{test}; classifier {result.classifier}, threshold {result.threshold:g}."


def find_weakest(result: BlindResult, most: int) -> tuple[IntentFindings, ...]:
    """Return the topics that were found least often, among those that were tested a few times."""
    tested = [line for line in result.intents if line.recall.n >= ENOUGH]
    return tuple(sorted(tested, key=lambda line: (line.recall.value or 0.0, -line.recall.n, line.intent)))[:most]


def _list_numbers(result: BlindResult, names: Sequence[str]) -> Iterator[tuple[Measure, Rate]]:
    for name in names:
        if name != TWICE:
            yield MEASURES.get(name, MCC), result.rates[name]


def show_blind(console: Console, result: BlindResult, *, verbose: bool = False) -> None:
    """Show a blind test: the sentence, the numbers, the weakest topics, what to know."""
    console.print()
    console.print(block(blind_headline(result), "bold"))
    console.print(heading("How good is it?", blind_facts(result)))
    chosen = tuple(result.rates) if verbose else MAIN
    rows = [
        (measure.title, rate_cell(rate, measure.kind), f"{rate.n:,}")
        for measure, rate in _list_numbers(result, chosen)
    ]
    console.print(numbers_table(("Number", "Value", "Counted"), rows))
    console.print(heading("Weakest topics"))
    lines = find_weakest(result, MANY_TOPICS if verbose else FEW_TOPICS)
    topics = [
        (line.intent, rate_text(line.recall), share_text(line.deferred.value), f"{line.examples:,}") for line in lines
    ]
    table = numbers_table(("Topic", "Found", "Deferred", "Examples"), topics)
    console.print(table if lines else block(f"No topic was tested {ENOUGH} times or more."))
    console.print(heading("Before you trust these results"))
    console.print(bullets(short_notes(result.warnings, len(result.warnings) if verbose else 3)))


def render_blind(result: BlindResult) -> str:
    """Return the report of a blind test as one file."""
    rows = [
        (measure.title, rate_cell_of(rate, measure), f"{rate.n:,}", measure.meaning)
        for measure, rate in _list_numbers(result, tuple(result.rates))
    ]
    shares = [RateRow(m.title, "", rate) for m, rate in _list_numbers(result, MAIN) if m.kind == "share"]
    topics = [
        (line.intent, *map(rate_cell_of, (line.recall, line.precision, line.deferred)), f"{line.examples:,}")
        for line in find_weakest(result, len(result.intents))
    ]
    messages = []
    for outcome in (Outcome.WRONG_INTENT, Outcome.OVERREACH):
        samples = [
            (sample.text, sample.intent or "out of scope", sample.guess or "no guess", f"{sample.confidence:.2f}")
            for sample in result.samples
            if sample.outcome is outcome
        ]
        title = f"{wording.OUTCOME_TITLES[outcome]}: {result.counts[outcome]:,}"
        if samples:
            messages.append(make_table(title, ("Message", "Topic", "Guess", "Confidence"), samples, 1))
    data = f"test data {result.data.source}, hash {result.data.hash}"
    trained = "" if result.train is None else f"; training data {result.train.source}, hash {result.train.hash}"
    return render_report(
        "blind.html",
        f"Blind test of {result.classifier}",
        lead=blind_headline(result),
        beside=(blind_facts(result),),
        foot=f"vivavoce {__version__}; seed {result.seed}; {data}{trained}.",
        figure=Figure("main", "Main numbers", "Dot: value; bar: interval.", comparison_chart(shares)),
        numbers=make_table("All numbers, with intervals", ("Number", "Value", "Counted", "What it means"), rows),
        notes=weigh_notes(result.warnings),
        topics=make_table("Topics", ("Topic", "Found", "Correct when used", "Deferred", "Examples"), topics, 4),
        messages=messages,
        measures=MEASURES,
    )
