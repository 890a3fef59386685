"""The part of a report that says what to fix next, and how topics overlap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vivavoce.intents.pairs import Pair
from vivavoce.intents.problems import Problem
from vivavoce.intents.result import IntentsResult
from vivavoce.records import Rate
from vivavoce.reports.intents import problem_wording, wording
from vivavoce.reports.intents.choices import harmless_pairs, ranked_pairs, unclear_pairs
from vivavoce.reports.shared import figures
from vivavoce.reports.shared.figures import MOST_PAIRS
from vivavoce.reports.shared.parts import named, tight
from vivavoce.reports.shared.tags import Html, bullets, details, table, tag

OPEN_PROBLEMS = 3


def about_problems(result: IntentsResult) -> Html:
    """Return what to fix first, then the rest on demand."""
    first, rest = result.problems[:OPEN_PROBLEMS], result.problems[OPEN_PROBLEMS:]
    ranked = ranked_pairs(result, MOST_PAIRS)
    return tag(
        "section",
        tag("h2", "What to fix next"),
        tag("p", problem_wording.verdict(result)),
        tag("div", *[_card(problem, result) for problem in first], class_="cards") if first else None,
        details(f"The other problems ({len(rest):,})", bullets(_line(one) for one in rest)) if rest else None,
        _ranking(ranked) if ranked else None,
        _folded("Harmless: same answer", harmless_pairs(result)),
        _folded("Not enough examples to tell", unclear_pairs(result)),
    )


def _line(problem: Problem) -> str:
    parts = (problem_wording.problem_sentence, problem_wording.cost_sentence, problem_wording.problem_advice)
    return " ".join(part(problem) for part in parts)


def _card(problem: Problem, result: IntentsResult) -> Html:
    pair = problem_wording.pair_of(problem, result)
    about = tag(
        "div",
        tag("h3", problem_wording.problem_title(problem)),
        tag("p", f"{problem_wording.problem_sentence(problem)} {problem_wording.cost_sentence(problem)}"),
        tag("p", problem_wording.problem_advice(problem)),
        *(_overlap(pair) if pair else ()),
    )
    return tag("article", about, _examples(problem) if problem.examples else None, class_="card")


def _overlap(pair: Pair) -> Iterator[Html]:
    width = f"width: {100 * min(1.0, pair.overlap):.0f}%"
    direction, stability = wording.pair_direction(pair), wording.pair_stability(pair)
    yield tag("p", named("overlap"), f" {_overlap_text(pair)}")
    yield tag("div", tag("span", style=width), class_="meter", aria_hidden="true")
    facts = [
        *([] if pair.only_alike else [f"{direction[0].upper()}{direction[1:]}."]),
        *([f"It is {stability}."] if stability else []),
        f"What the bot mixes: {tight(pair.bot_overlap)}; how alike the texts are: {tight(pair.text_overlap)}.",
    ]
    yield bullets(facts, class_="facts")


def _overlap_text(pair: Pair) -> str:
    around = wording.interval_text(Rate(pair.overlap, pair.low, pair.high, pair.evidence))
    return f"{wording.share_text(pair.overlap)} ({around})"


def _examples(problem: Problem) -> Html:
    lines = [tag("li", f"“{one.text}”", tag("small", problem_wording.example_place(one))) for one in problem.examples]
    return tag("div", tag("h4", "Examples"), tag("ul", *lines, class_="questions"))


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
    numbers = table("The pairs that overlap most", ("Topics", *[named(name) for name in names]), rows, numbers=5)
    drawn = figures.pairs_figure(pairs).part(numbers)
    title = "The pair that overlaps most" if len(pairs) == 1 else f"The {len(pairs):,} pairs that overlap most"
    return details(title, drawn)


def _folded(title: str, pairs: Sequence[Pair]) -> Html | None:
    if not pairs:
        return None
    lines = [f"{wording.pair_sentence(pair)} {wording.pair_advice(pair)}" for pair in pairs[:MOST_PAIRS]]
    return details(f"{title} ({len(pairs):,})", bullets(lines))
