"""Which bot is better, in sentences: ranks, pairs, and bots that cannot be ranked."""

from __future__ import annotations

from collections.abc import Mapping

from vivavoce.dialogues.result import DialoguesResult, Ranking, SystemLine, SystemPair
from vivavoce.messages import change_texts, say, say_count, sentence
from vivavoce.reports.dialogues.wording import NOT_YET, some_names
from vivavoce.reports.shared.numbers import interval_text, signed
from vivavoce.reports.shared.texts import clean

# So many times the dialogues that are there will never be gathered.
HOPELESS = 100
DECIDED = ("better", "worse")
TOO_CLOSE = say("too close to call")
# What else is said of two bots that cannot be told apart.
UNDECIDED: Mapping[str, str] = {
    "too close to call": TOO_CLOSE,
    "too few talks": say("too few dialogues"),
    "too few preferences": say("too few preferences"),
}


def rank_text(line: SystemLine) -> str:
    """Return the place of a bot and the places it may take; a dash where it has none."""
    if line.rank is None:
        return "-"
    return f"{line.rank}" if line.low_rank == line.high_rank else f"{line.rank} ({line.low_rank} to {line.high_rank})"


def ranking_warning(result: DialoguesResult) -> str:
    """Say why the ranking is to be taken with care; what the headline explains is not explained again."""
    warning = result.ranking.warning if result.ranking else ""
    if warning in ("", result.passport.verdict):
        return "" if result.passport.may_compare else NOT_YET + " " + say("See the reason at the top.")
    return sentence(warning)


def pair_sentences(ranking: Ranking) -> list[str]:
    """Return what is known of each two bots that have a rank, neighbours first."""
    judged, trusted = sum(pair.p is not None for pair in ranking.pairs), not ranking.warning
    return [
        change_texts(pair_sentence(pair, trusted=trusted, judged=judged), clean) for pair in nearest_pairs(ranking)
    ]


def nearest_pairs(ranking: Ranking) -> list[SystemPair]:
    """Return the pairs of ranked bots, neighbours first: between them the order is least sure."""
    places = {line.bot: place for place, line in enumerate(ranking.lines) if line.rank is not None}
    pairs = [pair for pair in ranking.pairs if pair.first in places and pair.second in places]
    return sorted(pairs, key=lambda pair: abs(places[pair.first] - places[pair.second]))


def say_unranked(ranking: Ranking) -> str:
    """Say which bots have too few dialogues (or preferences) for a rank; nothing where all have one."""
    from vivavoce.dialogues.systems import MIN_DIALOGUES, TOO_FEW_PREFERENCES

    few = [line for line in ranking.lines if line.rank is None and line.n < MIN_DIALOGUES]
    if not few:
        return ""
    template = say("Too few dialogues to rank or compare: {names}. At least {least_dialogues} are needed.")
    counts = [say_count(line.n, "{n} dialogue", "{n} dialogues") for line in few]
    if any(pair.verdict == TOO_FEW_PREFERENCES for pair in ranking.pairs):
        template = say("Too few preferences to rank or compare: {names}. At least {least_dialogues} are needed.")
        counts = [say_count(line.n, "{n} preference", "{n} preferences") for line in few]
    names = some_names([clean(line.bot) + " (" + count + ")" for line, count in zip(few, counts, strict=True)])
    alone = "" if any(line.rank is not None for line in ranking.lines) else " " + say("No bot is ranked.")
    return say(template, names=names, least_dialogues=MIN_DIALOGUES) + alone


def pair_sentence(pair: SystemPair, *, trusted: bool = True, judged: int = 1) -> str:
    """Say which of two bots is better, by how much, and what would decide it.

    Without trust in the scores the better bot only scores higher. `judged`: how many pairs the verdict is corrected
    for.
    """
    value, verdict = pair.difference.value, UNDECIDED.get(pair.verdict, pair.verdict)
    if value is None:
        why = say("one of them has no score") if pair.verdict == TOO_CLOSE else verdict
        return say("{first} and {second} cannot be compared: {why}.", first=pair.first, second=pair.second, why=why)
    around = interval_text(pair.difference, "score")
    if pair.verdict in DECIDED:
        better, other = (pair.first, pair.second) if pair.verdict == "better" else (pair.second, pair.first)
        sides = ""
        if around:
            ends = sorted(abs(end) for end in (pair.difference.low, pair.difference.high) if end is not None)
            sides = ", " + say("{ends:.2f} to {ends2:.2f}", ends=ends[0], ends2=ends[1])
        facts = {"better": better, "other": other, "points": abs(value), "sides": sides}
        if trusted:
            return say("{better} is better than {other}: {points:.2f} points{sides}.", **facts)
        return say("{better} scores higher than {other}: {points:.2f} points{sides}.", **facts)
    gap = (
        say("{signed} points", signed=signed(value))
        if not around
        else say("{signed} points, {around}", signed=signed(value), around=around)
    )
    verdict += _correction(pair, judged)
    return say(
        "{first} and {second}: {verdict} ({gap}).", first=pair.first, second=pair.second, verdict=verdict, gap=gap
    ) + _forecast(pair)


def _correction(pair: SystemPair, judged: int) -> str:
    """Say why an interval that leaves out 0 decides nothing."""
    if pair.p is None:
        return ""
    if judged > 1:
        return " " + say("after correction for {judged:,} pairs", judged=judged)
    low, high = pair.difference.low, pair.difference.high
    return " " + say("with so few dialogues") if low is not None and high is not None and low * high > 0 else ""


def _forecast(pair: SystemPair) -> str:
    more = pair.dialogues_to_decide
    if not more:
        return ""
    if more > HOPELESS * max(1, pair.difference.n):
        return " " + say("If there is a difference, it is too small to show with a log of practical size.")
    about = say_count(more, "{n} more dialogue", "{n} more dialogues")
    return " " + say(
        "About {about} across both would probably settle it, if the difference is as large as it looks.",
        about=about,
    )
