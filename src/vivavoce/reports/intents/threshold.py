"""The threshold advisor in words and in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from vivavoce.errors import plural
from vivavoce.intents.threshold import Advice, AtThreshold, Guarantee, Shortfall
from vivavoce.intents.threshold_exam import ThresholdResult
from vivavoce.reports.intents import wording
from vivavoce.reports.shared.layout import block, bullets, heading, numbers_table, rate_cell, stack
from vivavoce.reports.shared.numbers import share_text

HEAD = ("Threshold", "Answered", "Wrong among answered", "Out of scope answered", "Cost of 100")


def threshold_headline(advice: Advice) -> str:
    """Say in one sentence which threshold costs least and what it does."""
    best = advice.cheapest
    begin = f"If a wrong answer is as bad as {plural_cost(advice.wrong_costs)}, use a threshold of {best.threshold:g}"
    if best.wrong.value is None:
        return f"{begin}: handing over every question costs least."
    return (
        f"{begin}: of 100 questions, the bot answers {wording.of_hundred(best.answered)}, "
        f"and of 100 answers, {wording.of_hundred(best.wrong)} are wrong."
    )


def plural_cost(costs: float) -> str:
    """Return a number of hand-overs in words."""
    return f"{costs:g} hand-over{'' if costs == 1 else 's'}"


def guarantee_sentence(guarantee: Guarantee, guaranteed: AtThreshold | None) -> str:
    """Say which threshold keeps the promise, or why none does."""
    most, sure = (f"{100 * share:g} %" for share in (guarantee.max_wrong, guarantee.confidence))
    promise = f"at most {most} of the answers are wrong, with {sure} confidence"
    if guaranteed is not None:
        return (
            f"From a threshold of {guaranteed.threshold:g}, {promise}: {guaranteed.n_wrong:,} of "
            f"{guaranteed.n_answered:,} answers were wrong, and {share_text(guaranteed.answered.value)} of the "
            f"questions are answered."
        )
    if guarantee.shortfall is Shortfall.TOO_FEW:
        why = f"it takes at least {guarantee.needed:,} answers without a mistake, so more examples are needed"
    else:
        why = f"even among the most confident answers, up to {share_text(guarantee.bound)} may be wrong"
    return f"No threshold guarantees that {promise}: {why}."


def today_sentence(advice: Advice) -> str:
    """Say what today's threshold costs, and what the best would save."""
    today, best = advice.today, advice.cheapest
    return (
        f"Today's threshold of {today.threshold:g} costs {cost_text(today)} for 100 questions; "
        f"{best.threshold:g} costs {cost_text(best)}."
    )


def cost_text(point: AtThreshold) -> str:
    """Return the cost of 100 messages with its interval."""
    cost = point.cost
    return f"{cost.value:.1f} hand-overs ({cost.low:.1f} to {cost.high:.1f})"


def show_threshold(console: Console, result: ThresholdResult) -> None:
    """Show the advice: the sentence, what each threshold does, what to know."""
    advice = result.advice
    console.print()
    console.print(block(threshold_headline(advice), "bold"))
    console.print(block(guarantee_sentence(advice.guarantee, advice.guaranteed)))
    console.print(block(today_sentence(advice)))
    facts = f"{plural(advice.questions, 'question')}, {advice.out_of_scope:,} of them out of scope"
    console.print(heading("What each threshold does", f"{facts}; classifier {result.classifier}."))
    console.print(numbers_table(HEAD, _list_rows(advice)))
    console.print(heading("Before you trust these results"))
    console.print(bullets(list_conditions(result)))


def _list_rows(advice: Advice) -> Iterator[tuple[str | Text, ...]]:
    marks = [(advice.today, "today"), (advice.cheapest, "lowest cost"), (advice.guaranteed, "guarantee")]
    points = {point.threshold: point for point in advice.curve[::10]}
    points |= {point.threshold: point for point, _ in marks if point is not None}
    for threshold, point in sorted(points.items()):
        names = ", ".join(name for other, name in marks if other is not None and other.threshold == threshold)
        cost = point.cost
        rates = (point.answered, point.wrong, point.out_of_scope_answered)
        price = stack(f"{cost.value:.0f}", f"{cost.low:.0f} to {cost.high:.0f}")
        yield (stack(f"{threshold:.2f}", names), *map(rate_cell, rates), price)


def list_conditions(result: ThresholdResult) -> Iterator[str]:
    """Name what the numbers take for granted."""
    advice = result.advice
    yield (
        "Each question counts once, near-duplicates together, as scored by a classifier that was trained without it. "
        "The numbers hold for live questions like these, and no longer when the topics or the questions change."
    )
    if advice.out_of_scope and not result.data.out_of_scope:
        yield (
            "The data hold no out-of-scope questions: those of the smallest topics, left out of training, stand for "
            "them, and these topics are not tested themselves."
        )
    if not advice.out_of_scope:
        yield "No out-of-scope question was asked; live, some of them will be answered wrongly."
    elif advice.out_of_scope_share is None:
        share = share_text(advice.out_of_scope / advice.questions)
        yield f"{share} of these questions are out of scope. If live traffic has more, add --out-of-scope-share."
    else:
        yield f"All numbers are weighted for {share_text(advice.out_of_scope_share)} out-of-scope questions."
