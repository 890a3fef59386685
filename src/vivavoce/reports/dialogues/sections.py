"""The sections of the report of a dialogues exam: scores, bots, talks to read, refusals, and how far to trust it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from vivavoce.dialogues.result import Agreement, DialoguesResult, Disagreement, Passport, Ranking
from vivavoce.errors import plural
from vivavoce.records import Rate
from vivavoce.reports.dialogues import bots as bot_wording
from vivavoce.reports.dialogues import wording
from vivavoce.reports.dialogues.charts import effect_rows
from vivavoce.reports.dialogues.meanings import (
    AGREEMENT_SPAN,
    DIALOGUE_MEASURES,
    FEWEST,
    SCORE_SPAN,
    signed,
    title_of_test,
)
from vivavoce.reports.dialogues.talks import MOST_NAME, talk_list, talk_part
from vivavoce.reports.dialogues.wording import Group, Talk
from vivavoce.reports.intents.meanings import direction_text, interval_text, score_text, tile_part
from vivavoce.reports.shared import figures
from vivavoce.reports.shared.parts import prose
from vivavoce.reports.shared.tags import Html, bullets, details, join, table, tag

LOWEST_SHOWN, HIGHEST_SHOWN, QUEUE_SHOWN = 20, 5, 20
MOST_GROUPS = 20
MOST_PAIRS = 10


def named(name: str, title: str = "") -> Html:
    """Return the title of a number; its meaning is one click away, or under the pointer."""
    measure = DIALOGUE_MEASURES[name]
    return tag("a", title or measure.title, href=f"#m-{name}", title=measure.meaning)


def number_part(rate: Rate) -> Html:
    """Return a number that is no share, with its interval under it."""
    around = interval_text(rate, "score")
    return join([score_text(rate.value), tag("small", around) if around else None])


# --- scores ------------------------------------------------------------------------------------------------------


def tiles(result: DialoguesResult, talks: Sequence[Talk]) -> Html:
    """Return the main numbers in large figures."""
    mean, found = wording.mean_score(talks), result.passport.local.get("overall")
    around = interval_text(mean, "score") or f"too few talks for an interval (fewer than {FEWEST})"
    refused = len(result.scores) - len(talks)
    told = [
        ("Mean score", tile_part(mean, "score", SCORE_SPAN), f"{around}; n = {mean.n:,}, from 1 (bad) to 5 (good)"),
        ("Talks scored", (f"{len(talks):,}", "value"), f"of {len(result.scores):,} read; {refused:,} refused"),
    ]
    if found is not None and found.n:
        within = ", ".join(p for p in (interval_text(found.spearman, "score"), f"n = {found.n:,} marked talks") if p)
        told.append(
            ("Agreement with your marks", tile_part(found.spearman, "score", AGREEMENT_SPAN), f"Spearman; {within}")
        )
    if result.queue:
        told.append(
            ("To be read by a person", (f"{len(result.queue):,}", "value"), "talks on which sources disagree")
        )
    return tag("ul", *[_tile(*one) for one in told], class_="tiles")


def _tile(name: str, figure: tuple[str, str], around: str) -> Html:
    parts = ((name, "name"), figure, (around, "around"))
    return tag("li", *[tag("span", text, class_=kind) for text, kind in parts])


def about_scores(result: DialoguesResult, talks: Sequence[Talk]) -> Html | None:
    """Return how the scores are spread, one picture for each bot where there are several."""
    if not talks:
        return None
    bots = wording.by_bot(talks)
    columns = {"All": list(talks), **(bots if len(bots) > 1 else {})}
    counts = {wording.short(name, MOST_NAME): wording.spread(own) for name, own in columns.items()}
    steps = wording.spread(talks)
    rows = [
        (f"{low:g} to {high:g}", *[f"{column[place][2]:,}" for column in counts.values()])
        for place, (low, high, _) in enumerate(steps)
    ]
    numbers = table("Talks by score", ("Score", *counts), rows, numbers=len(counts))
    drawn = figures.distribution_figure(result, talks).part(numbers)
    return tag("section", tag("h2", "The scores"), drawn)


# --- bots --------------------------------------------------------------------------------------------------------


def about_bots(result: DialoguesResult) -> Html | None:
    """Return the bots in order, and which difference is real."""
    ranking = result.ranking
    if ranking is None:
        return None
    warning = wording.clean(bot_wording.ranking_warning(result))
    drawn = figures.ranking_figure(ranking).part(_lines(ranking))
    told = tag("div", *_pairs(ranking))
    care = tag("p", warning, class_="severity") if warning else None
    return tag("section", tag("h2", "Which bot is better?"), care, tag("div", drawn, told, class_="charts"))


def _lines(ranking: Ranking) -> Html:
    head = ("Bot", "Talks", named("mean"), named("strength"), named("rank"))
    rows = [
        (_name(line.bot), f"{line.n:,}", *map(number_part, (line.mean, line.strength)), bot_wording.rank_text(line))
        for line in ranking.lines
    ]
    return table("Bots, the best first", head, rows, numbers=4)


def _pairs(ranking: Ranking) -> Iterator[Html]:
    pairs, few = bot_wording.pair_sentences(ranking), bot_wording.unranked_sentence(ranking)
    if pairs:
        yield bullets(pairs[:MOST_PAIRS])
    if len(pairs) > MOST_PAIRS:
        yield details(f"The other {plural(len(pairs) - MOST_PAIRS, 'pair')}", bullets(pairs[MOST_PAIRS:]))
    if few:
        yield tag("p", few)


def _name(text: str) -> Html:
    return tag("bdi", wording.short(text, MOST_NAME))


# --- talks -------------------------------------------------------------------------------------------------------


def about_queue(result: DialoguesResult, talks: Mapping[str, Talk]) -> Html | None:
    """Return the talks that a person should read, because the sources disagree on them."""
    if not result.queue:
        return None
    shown = result.queue[:QUEUE_SHOWN]
    said = "Score, marks and scripted checks do not tell the same story here. Reading these talks teaches most."
    items = [_queued(one, talks.get(one.id)) for one in shown]
    more = _left(len(result.queue) - len(shown), "talk")
    return tag("section", tag("h2", f"Read these first ({len(result.queue):,})"), tag("p", said), *items, more)


def _queued(one: Disagreement, talk: Talk | None) -> Html:
    if talk is None:
        return tag("p", _name(one.id), f": {score_text(one.score)}. {wording.sentence(wording.clean(one.text))}")
    return talk_part(talk, why=one.text)


def about_lowest(talks: Sequence[Talk]) -> Html | None:
    """Return the talks with the lowest scores, and what each message did to the very lowest."""
    if not talks:
        return None
    said = (
        "Beside each message stands by how many points it moved the score; the stronger the tint, the further. "
        "A line at the left marks the bot."
    )
    shown = talks[:LOWEST_SHOWN]
    drawn = _effects(shown[0])
    many = f" ({len(shown)} of {len(talks):,})" if len(talks) > len(shown) else ""
    return tag(
        "section", tag("h2", f"The lowest scores{many}"), tag("p", said), drawn, talk_list(shown, first_open=True)
    )


def _effects(talk: Talk) -> Html | None:
    rows = effect_rows(talk.dialogue, talk.score)
    if not rows:
        return None
    shown = [(f"{number}", who, signed(effect)) for number, who, effect in rows]
    numbers = table("The effect of each message", ("Message", "Who", named("effect", "Effect")), shown, numbers=1)
    left = len(talk.score.turns) - len(rows)
    more = tag("p", f"{plural(left, 'message')} with smaller effects not shown here.", class_="muted")
    return figures.effects_figure(talk).part(join([numbers, more if left > 0 else None]))


def about_highest(talks: Sequence[Talk]) -> Html | None:
    """Return the talks with the highest scores, and how many talks are not shown at all."""
    rest = talks[LOWEST_SHOWN:]
    shown = rest[::-1][:HIGHEST_SHOWN]
    if not shown:
        return None
    left = len(rest) - len(shown)
    more = f"{plural(left, 'scored talk')} between lowest and highest not shown here; the CSV file holds all."
    note = tag("p", more, class_="muted") if left else None
    return tag("section", tag("h2", "The highest scores"), talk_list(shown), note)


def _left(count: int, noun: str) -> Html | None:
    return tag("p", f"{plural(count, f'more {noun}')} not shown here.", class_="muted") if count > 0 else None


def about_refused(result: DialoguesResult) -> Html | None:
    """Return why dialogues got no score, grouped and counted."""
    groups = wording.refusals(result)
    if not groups:
        return None
    rows = [_group_row(group) for group in groups[:MOST_GROUPS]]
    total = sum(len(group.ids) for group in groups)
    whole = table("Why talks were refused", ("Reason", "Which", "Talks"), rows, numbers=1)
    said = "A score that means nothing is worse than none."
    more = _left(len(groups) - len(rows), "reason")
    return tag("section", tag("h2", f"Refused ({total:,})"), tag("p", said), whole, more)


def _group_row(group: Group) -> tuple[Html | str, ...]:
    ids = [wording.short(name, MOST_NAME) for name in group.ids[:5]]
    more = f" and {len(group.ids) - len(ids):,} more" if len(group.ids) > len(ids) else ""
    which = tag("span", ", ".join(ids) + more, class_="muted", dir="auto")
    return wording.sentence(wording.clean(group.text)), which, f"{len(group.ids):,}"


# --- trust -------------------------------------------------------------------------------------------------------


def about_trust(result: DialoguesResult) -> Html:
    """Return how well scores follow people: here, and where the rater learnt."""
    passport = result.passport
    parts: list[Html | None] = [tag("p", wording.agreement_sentence(passport.local))]
    parts += [tag("p", prose(text)) for text in wording.following_sentences(passport)]
    if any(found.n for found in passport.local.values()):
        # Without points of its own a picture would be empty.
        parts.append(_agreement_figure(result))
        parts.append(agreement_table("On your own marked talks", passport.local))
    if bots := wording.bots_apart(passport):
        parts.append(agreement_table("On your own marked talks, bot by bot (n/a below 10)", bots))
    if people := wording.people_sentence(passport):
        parts.append(tag("p", people))
    parts += _about_origin(passport)
    parts.append(tag("p", wording.recalibration_sentence(result.recalibration)))
    return tag("section", tag("h2", "How far can these scores be trusted?"), *parts)


def _about_origin(passport: Passport) -> Iterator[Html]:
    origin = passport.origin
    yield tag("p", f"Rater: {wording.short(passport.rater, MOST_NAME)}. {wording.origin_sentence(origin)}")
    if origin is None:
        return
    if origin.agreements:
        yield agreement_table("Where it learnt, on talks that it had not seen", origin.agreements, counted="mark")
    if origin.method:
        yield tag("p", f"How that was measured: {wording.sentence(wording.clean(origin.method))}", class_="muted")


def _agreement_figure(result: DialoguesResult) -> Html | None:
    found = figures.main_agreement(result.passport.local)
    rows = [(f"{one.score:.2f}", number_part(one.mark), f"{one.mark.n:,}") for one in found.bins]
    head = (named("score", "Mean score"), named("mark", "Mean of people's marks"), "Talks")
    numbers = table("People's marks for talks with like scores", head, rows, numbers=2) if rows else None
    return figures.agreement_figure(result, found).part(numbers)


def agreement_table(caption: str, agreements: Mapping[str, Agreement], *, counted: wording.Counted = "talk") -> Html:
    """Return how well scores follow marks, one line for each test; `counted`: marked talks or single marks."""
    names = ("pearson", "spearman", "kendall", "mse", "slope", "intercept")
    rows = [
        (
            wording.clean(title_of_test(name)),
            f"{one.n:,}",
            *[number_part(rate) for rate in (one.pearson, one.spearman, one.kendall, one.mse)],
            *[score_text(value) for value in (one.slope, one.intercept)],
            f"{one.refused:,}",
        )
        for name, one in agreements.items()
    ]
    head = ("Tested on", f"{counted.capitalize()}s", *[named(name) for name in names], "Refused")
    return tag("div", table(caption, head, rows, numbers=len(head) - 1), class_="agreement")


def notes(told: Iterable[str]) -> Html | None:
    """Return what else there is to know."""
    lines = [prose(wording.clean(text)) for text in told]
    shown, left = lines[:MOST_GROUPS], len(lines) - MOST_GROUPS
    return tag("section", tag("h2", "What to know"), bullets(shown), _left(left, "remark")) if lines else None


def glossary() -> Html:
    """Return what every number means."""
    items = [
        tag(
            "div",
            tag("dt", measure.title, id=f"m-{name}"),
            tag("dd", measure.meaning, " ", tag("small", direction_text(measure))),
        )
        for name, measure in DIALOGUE_MEASURES.items()
    ]
    return tag("section", tag("h2", "What the numbers mean"), tag("dl", *items))
