"""Classifiers side by side: in words, in the terminal and as a page."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from vivavoce.errors import plural
from vivavoce.intents.comparison import ComparisonResult, Spread
from vivavoce.intents.differences import Difference, Gap, Verdict
from vivavoce.messages import say, say_count
from vivavoce.reports.intents.charts import accuracy_figure, accuracy_in, own_settings
from vivavoce.reports.intents.choices import short_notes
from vivavoce.reports.intents.html import weigh_notes
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.reports.shared.layout import block, bullets, heading, numbers_table, rate_cell
from vivavoce.reports.shared.numbers import NOT_AVAILABLE, score_text, share_text
from vivavoce.reports.shared.pages import render_report
from vivavoce.reports.shared.views import make_table
from vivavoce.reports.shared.views import rate_cell as rate_cell_of
from vivavoce.version import __version__


def comparison_headline(result: ComparisonResult) -> str:
    """Say in one sentence which classifier is the best, if any is."""
    names = [classifier.name for classifier in result.classifiers]
    if len(names) < 2:
        return say("Only {names} could be tested, so nothing is compared.", names=names[0])
    best = [name for name in names if all(_beats(result, name, other) for other in names if other != name)]
    if best:
        if len(names) > 2:
            return say("{best} is better than all others.", best=best[0])
        other = next(name for name in names if name != best[0])
        return say("{best} is better than {other}.", best=best[0], other=other)
    if all(_has_same_answers(difference) for difference in result.differences):
        two = say("{names} and {names2} are right on the same messages.", names=names[0], names2=names[1])
        return two if len(names) == 2 else say("All classifiers are right on the same messages.")
    if all(difference.pooled.verdict is Verdict.CLOSE for difference in result.differences):
        return say("The classifiers are too close to call on these data.")
    return say("No classifier is better than all others.")


def _beats(result: ComparisonResult, name: str, other: str) -> bool:
    verdicts = {(pair.a, pair.b): pair.pooled.verdict for pair in result.differences}
    return verdicts.get((name, other)) is Verdict.BETTER or verdicts.get((other, name)) is Verdict.WORSE


def _has_same_answers(difference: Difference) -> bool:
    gap = difference.pooled
    return gap.improved == gap.broken == 0 and gap.test.difference == 0


def difference_sentence(difference: Difference) -> str:
    """Say what may be said of two classifiers."""
    gap, a, b = difference.pooled, difference.a, difference.b
    if _has_same_answers(difference):
        return say("{a} and {b} are right on the same messages.", a=a, b=b)
    points = points_text(difference, turned=gap.verdict is Verdict.WORSE)
    if gap.verdict is Verdict.CLOSE:
        return say("{a} and {b} are too close to call ({points_text}).", a=a, b=b, points_text=points) + _more_text(
            gap
        )
    if gap.verdict is Verdict.BETTER:
        examples = say_count(gap.improved, "{n} example", "{n} examples")
        counts = say("{examples} gained, {broken:,} lost", examples=examples, broken=gap.broken)
        return say("{a} is better than {b} ({points_text}; {counts}).", a=a, b=b, points_text=points, counts=counts)
    examples = say_count(gap.broken, "{n} example", "{n} examples")
    counts = say("{examples} gained, {improved:,} lost", examples=examples, improved=gap.improved)
    return say("{b} is better than {a} ({points_text}; {counts}).", b=b, a=a, points_text=points, counts=counts)


def _more_text(gap: Gap) -> str:
    """Say what would decide: more retries while some examples are untested, else about how many more examples."""
    examples = gap.more_examples
    if gap.untested:
        untested = say_count(gap.untested, "{n} example", "{n} examples")
        return " " + say("Add rounds first: {examples} not tested yet.", examples=untested)
    if not examples:
        return ""
    if examples > 20_000:
        return " " + say("Even 20,000 more examples would hardly settle it.")
    step = 10 ** max(0, len(str(examples)) - 2)
    return " " + say("About {step:,} more examples would settle it.", step=step * round(examples / step))


def points_text(difference: Difference, *, turned: bool = False) -> str:
    """Write the difference in points, with its interval; turned: of the second against the first."""
    test = difference.pooled.test
    if test.difference is None:
        return NOT_AVAILABLE
    # Retries that differ all alike have no spread, so the interval would be the value again.
    ends = [end for end in (test.low, test.high) if end is not None and test.low != test.high]
    sign = -100 if turned else 100
    points, *around = [
        say("{points:+.1f}", points=sign * value)
        for value in (test.difference, *(reversed(ends) if turned else ends))
    ]
    if len(around) < 2:
        return say("{points} points", points=points)
    return say("{points} points, {points2} to {points3}", points=points, points2=around[0], points3=around[1])


def _p_text(p: float | None) -> str:
    if p is None:
        return NOT_AVAILABLE
    return "under 0.001" if p < 0.001 else f"{p:.3f}"


def _range_text(spread: Spread | None) -> str:
    if spread is None:
        return NOT_AVAILABLE
    low, high = share_text(spread.low), share_text(spread.high)
    return low if low == high else f"{low} to {high}"


def _facts(result: ComparisonResult) -> str:
    rounds = plural(result.design.retries, "round")
    size = f"{plural(result.data.rows, 'example')}, {plural(result.data.topics, 'topic')}"
    return f"{size}, {rounds}, threshold {result.threshold:g}, the same splits for all."


def show_comparison(console: Console, result: ComparisonResult, *, verbose: bool = False) -> None:
    """Show classifiers side by side: who is better, by how much, how sure."""
    console.print()
    console.print(block(comparison_headline(result), "bold"))
    console.print(heading("Correct decisions", _facts(result)))
    console.print(_accuracy_table(result))
    if result.differences:
        console.print(heading("Differences"))
        console.print(bullets(map(difference_sentence, result.differences)))
    if verbose:
        _show_messages(console, result.differences)
    console.print(heading("Before you trust these results"))
    console.print(bullets(short_notes(result.warnings, len(result.warnings) if verbose else 3)))


def _accuracy_table(result: ComparisonResult) -> object:
    settings = own_settings(result)
    head = ("Classifier", *(f"Setting {setting}" for setting in settings), MEASURES["aurc"].title)
    rows: list[tuple[str | Text, ...]] = [
        (
            Text(one.name, style="bold"),
            *(rate_cell(accuracy_in(one, setting)) for setting in settings),
            score_text(None if one.aurc is None else one.aurc.mean),
        )
        for one in result.classifiers
    ]
    return numbers_table(head, rows)


def _show_messages(console: Console, differences: Sequence[Difference]) -> None:
    for one in differences:
        title, head, rows = _list_messages(one, "-")
        console.print(heading(title))
        console.print(numbers_table(head, rows, words=4))


def render_comparison(result: ComparisonResult) -> str:
    """Return the report of a comparison as one file."""
    settings, data = own_settings(result), result.data
    head = ("Classifier", *(f"Setting {one}" for one in settings), "All settings", MEASURES["aurc"].title)
    rows = [
        (
            one.name,
            *(rate_cell_of(accuracy_in(one, setting)) for setting in settings),
            _range_text(one.accuracy),
            score_text(None if one.aurc is None else one.aurc.mean),
        )
        for one in result.classifiers
    ]
    gaps = [
        (
            f"{difference.a} against {difference.b}",
            points_text(difference),
            "same messages right" if _has_same_answers(difference) else str(difference.pooled.verdict),
            _p_text(difference.pooled.p_adjusted),
        )
        for difference in result.differences
    ]
    gap_head = ("Classifiers", "Difference", "Verdict", "p, adjusted for all pairs")
    return render_report(
        "comparison.html",
        f"Comparison of {', '.join(one.name for one in result.classifiers)}",
        lead=comparison_headline(result),
        beside=(_facts(result),),
        foot=f"vivavoce {__version__}; seed {result.design.seed}; data {data.source}, hash {data.hash}.",
        numbers=make_table("Correct decisions, with intervals", head, rows, len(head) - 1),
        figure=accuracy_figure(result),
        sentences=list(map(difference_sentence, result.differences)),
        differences=make_table("Differences in right decisions", gap_head, gaps, 1),
        messages=[make_table(*_list_messages(one, "no guess")) for one in result.differences if one.samples],
        notes=weigh_notes(result.warnings),
        measures=MEASURES,
    )


def _list_messages(one: Difference, none: str) -> tuple[str, tuple[str, ...], list[tuple[str, ...]]]:
    rows: list[tuple[str, ...]] = [
        (sample.text, sample.intent or "out of scope", sample.guess_a or none, sample.guess_b or none)
        for sample in one.samples
    ]
    return f"Messages only one of {one.a} and {one.b} gets right", ("Message", "Topic", one.a, one.b), rows
