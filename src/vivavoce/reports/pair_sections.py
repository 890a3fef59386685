"""The part of a report about topics that are confused with each other."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.intents.pairs import Pair
from vivavoce.intents.result import IntentsResult
from vivavoce.records import Rate
from vivavoce.reports import figures, wording
from vivavoce.reports.choices import harmless_pairs, top_pairs, unclear_pairs
from vivavoce.reports.figures import MOST_PAIRS
from vivavoce.reports.parts import named, tight
from vivavoce.reports.tags import Html, bullets, details, join, table, tag

OPEN_PAIRS = 3
OPEN_QUESTIONS = 3


def about_pairs(result: IntentsResult) -> Html:
    """Return the pairs to work on, then the others on demand."""
    top = top_pairs(result, OPEN_PAIRS)
    ranked = top_pairs(result, MOST_PAIRS)
    cards = tag("div", *[_card(pair, result) for pair in top], class_="cards") if top else None
    return tag(
        "section",
        tag("h2", "What to fix next"),
        tag("p", wording.verdict(result)),
        cards,
        _ranking(ranked) if ranked else None,
        _folded("Harmless: same answer", harmless_pairs(result), result),
        _folded("Not enough examples to tell", unclear_pairs(result), result),
    )


def _card(pair: Pair, result: IntentsResult) -> Html:
    width = f"width: {100 * min(1.0, pair.overlap):.0f}%"
    told = tag(
        "div",
        tag("h3", pair.a, tag("span", " and "), pair.b),
        tag("p", named("overlap"), f" {_overlap_text(pair)}"),
        tag("div", tag("span", style=width), class_="meter", aria_hidden="true"),
        tag("p", wording.pair_advice(pair, result)),
        bullets(_pair_facts(pair, result), class_="facts"),
    )
    asked = tag("div", tag("h4", "Questions at the border"), _questions(pair))
    return tag("article", told, asked, class_="card")


def _pair_facts(pair: Pair, result: IntentsResult) -> list[str]:
    direction, stability = wording.pair_direction(pair), wording.pair_stability(pair)
    cost, mistaken = wording.cost_fact(pair, result), wording.pair_mistakes(pair)
    return [
        *([f"{mistaken[0].upper()}{mistaken[1:]}."] if mistaken else []),
        *([] if wording.swallowed(pair) or pair.only_alike else [f"{direction[0].upper()}{direction[1:]}."]),
        *([f"It is {stability}."] if stability else []),
        *([f"It {cost}."] if cost else []),
        f"What the bot mixes: {tight(pair.bot_overlap)}; how alike the texts are: {tight(pair.text_overlap)}.",
    ]


def _overlap_text(pair: Pair) -> str:
    around = wording.interval_text(Rate(pair.overlap, pair.low, pair.high, pair.evidence))
    return f"{wording.share_text(pair.overlap)} ({around})"


def _questions(pair: Pair) -> Html:
    lines = [
        tag(
            "li",
            f"“{example.text}”",
            tag(
                "small",
                f"filed under {example.intent}, row {example.row}; looks like {pair.a} {tight(example.chance_a)}, "
                f"{pair.b} {tight(example.chance_b)}",
            ),
        )
        for example in pair.examples
    ]
    first, more = lines[:OPEN_QUESTIONS], lines[OPEN_QUESTIONS:]
    rest = details(f"{len(more)} more", tag("ul", *more, class_="questions")) if more else None
    return join([tag("ul", *first, class_="questions"), rest])


def _ranking(pairs: Sequence[Pair]) -> Html:
    rows = [
        (
            f"{pair.a} and {pair.b}",
            _overlap_text(pair),
            wording.share_text(pair.bot_overlap),
            wording.share_text(pair.text_overlap),
            f"{100 * pair.top3_share:.0f} of 100",
            f"{pair.evidence:,}",
        )
        for pair in pairs
    ]
    names = ("overlap", "bot_overlap", "text_overlap", "top3_share", "evidence")
    numbers = table("The most confused pairs", ("Topics", *[named(name) for name in names]), rows, numbers=5)
    drawn = figures.pairs_figure(pairs).part(numbers)
    title = "The most confused pair" if len(pairs) == 1 else f"The {len(pairs):,} most confused pairs"
    return details(title, drawn)


def _folded(title: str, pairs: Sequence[Pair], result: IntentsResult) -> Html | None:
    if not pairs:
        return None
    lines = [f"{wording.pair_sentence(pair)} {wording.pair_advice(pair, result)}" for pair in pairs[:MOST_PAIRS]]
    return details(f"{title} ({len(pairs):,})", bullets(lines))
