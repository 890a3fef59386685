"""The charts of a result, each with its title and how to read it: said once for reports, pages and downloads.

A chart has a short name that stays the same, so that a page can ask for it. What a result has no data for is missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vivavoce.conversations.result import ConversationsResult
from vivavoce.dialogues.result import Agreement, DialoguesResult, Ranking
from vivavoce.intents.comparison import ClassifierFindings, ComparisonResult
from vivavoce.intents.findings import SettingFindings
from vivavoce.intents.pairs import Pair
from vivavoce.intents.problems import ENOUGH_TESTED, weakest_topics
from vivavoce.intents.result import IntentsResult
from vivavoce.intents.splits import Setting
from vivavoce.records import Rate
from vivavoce.reports.conversations import charts as conversation_charts
from vivavoce.reports.conversations import wording as talk_wording
from vivavoce.reports.dialogues import charts as dialogue_charts
from vivavoce.reports.dialogues import wording as log_wording
from vivavoce.reports.dialogues.wording import Talk
from vivavoce.reports.intents import charts, wording
from vivavoce.reports.intents.choices import confused_topics, ranked_pairs, untold_topics
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.reports.shared.parts import figure
from vivavoce.reports.shared.svg import AnyChart
from vivavoce.reports.shared.tags import Html
from vivavoce.sentences import say

MOST_PAIRS = 12
MOST_CONFUSED = 15
NOTHING = Rate(None, None, None, 0)


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with its short name, its title and how to read it."""

    name: str
    title: str
    meaning: str
    chart: AnyChart

    def part(self, numbers: Html | None = None) -> Html:
        """Return the figure as a part of a page, with the table of its numbers."""
        return figure(self.title, self.meaning, self.chart, numbers)


def _by_name(figures: Sequence[Figure]) -> dict[str, Figure]:
    return {one.name: one for one in figures}


def _drawn(figures: Mapping[str, Figure]) -> dict[str, AnyChart]:
    return {name: one.chart for name, one in figures.items()}


# --- intents -----------------------------------------------------------------------------------------------------


def intents_figures(result: IntentsResult) -> dict[str, Figure]:
    """Return all figures of an intents exam; none where no setting could be examined."""
    if not result.settings:
        return {}
    first, pairs = result.settings[0], ranked_pairs(result, MOST_PAIRS)
    return _by_name(
        [
            settings_figure(result),
            risk_figure(first, result.threshold),
            calibration_figure(first),
            *([topics_figure(first)] if weakest_topics(first, 1) else []),
            *([confusion_figure(first)] if confused_topics(first) else []),
            *([pairs_figure(pairs)] if pairs else []),
            sizes_figure({line.intent: line.examples for line in first.intents}),
        ]
    )


def intents_charts(result: IntentsResult) -> dict[str, AnyChart]:
    """Return all charts of an intents exam."""
    return _drawn(intents_figures(result))


def settings_figure(result: IntentsResult) -> Figure:
    """Return the main numbers of each setting."""
    return Figure(
        "settings",
        say("The main numbers under each setting"),
        say("Dot: value; bar: interval."),
        charts.settings_chart(result),
    )


def risk_figure(findings: SettingFindings, threshold: float) -> Figure:
    """Return the trade between answering more and being wrong more often."""
    return Figure(
        "risk-coverage",
        say("Answer more, err more"),
        say(f"The surest questions are answered first. The diamond is the present threshold of {threshold:g}."),
        charts.risk_coverage_chart(findings, threshold),
    )


def calibration_figure(findings: SettingFindings) -> Figure:
    """Return how often the bot is right against how sure it is."""
    return Figure(
        "calibration",
        say("Does it know how sure it is?"),
        say("On the dashed line the bot is as often right as it claims; above it, it is too modest."),
        charts.calibration_chart(findings),
    )


def topics_figure(findings: SettingFindings) -> Figure:
    """Return the topics that are found least often."""
    few = untold_topics(findings)
    told = say("What became of their questions.")
    if few:
        told += " " + say(f"{wording.plural(few, 'topic')} with under {ENOUGH_TESTED} tested examples left out.")
    return Figure("topics", say("The weakest topics"), told, charts.topics_chart(findings))


def confusion_figure(findings: SettingFindings) -> Figure:
    """Return which topics are taken for which."""
    told = say(
        "Row: the true topic; column: the guess, answered or not. The stronger, the larger the share of the row."
    )
    every = len(confused_topics(findings))
    if every > MOST_CONFUSED:
        told += " " + say(f"The {MOST_CONFUSED} most confused of {every:,} topics with mistakes.")
    chart = charts.confusion_chart(findings, MOST_CONFUSED)
    return Figure("confusion", say("What is taken for what"), told, chart)


def pairs_figure(pairs: Sequence[Pair]) -> Figure:
    """Return the overlap of pairs of topics."""
    return Figure(
        "overlap",
        say("The pairs that overlap most"),
        say("Dot: overlap; bar: its interval; dashed line: the level at which two topics clash."),
        charts.overlap_chart(pairs),
    )


def sizes_figure(sizes: Mapping[str, int]) -> Figure:
    """Return how many examples the topics have."""
    meaning = say("Small topics are hard to learn and to test.")
    return Figure("sizes", say("How large the topics are"), meaning, charts.sizes_chart(sizes))


# --- classifiers side by side ------------------------------------------------------------------------------------


def comparison_figures(result: ComparisonResult) -> dict[str, Figure]:
    """Return all figures of a comparison of classifiers."""
    return _by_name([accuracy_figure(result)])


def comparison_charts(result: ComparisonResult) -> dict[str, AnyChart]:
    """Return all charts of a comparison of classifiers."""
    return _drawn(comparison_figures(result))


def accuracy_figure(result: ComparisonResult) -> Figure:
    """Return how often each classifier decides rightly in each setting."""
    dots = [
        charts.RateRow(f"{say('Setting')} {setting}", one.name, accuracy_in(one, setting))
        for setting in own_settings(result)
        for one in result.classifiers
    ]
    return Figure("accuracy", say("Decisions right"), MEASURES["accuracy"].meaning, charts.comparison_chart(dots))


def own_settings(result: ComparisonResult) -> list[Setting]:
    """Return the settings that were run; one that equals another is not shown twice."""
    return [findings.setting for findings in result.classifiers[0].settings if findings.same_as is None]


def accuracy_in(one: ClassifierFindings, setting: Setting) -> Rate:
    """Return how often a classifier decides rightly in a setting; nothing where it was not examined there."""
    return next((f.rates["accuracy"] for f in one.settings if f.setting == setting), NOTHING)


# --- conversations -----------------------------------------------------------------------------------------------


def conversations_figures(result: ConversationsResult) -> dict[str, Figure]:
    """Return all figures of a conversations exam; none where no turn was counted."""
    if not talk_wording.ranked_cells(result):
        return {}
    timed = any(result.cell(bot.name).times.p50 for bot in result.header.bots)
    return _by_name([levels_figure(result), outcomes_figure(result), *([times_figure(result)] if timed else [])])


def conversations_charts(result: ConversationsResult) -> dict[str, AnyChart]:
    """Return all charts of a conversations exam."""
    return _drawn(conversations_figures(result))


def levels_figure(result: ConversationsResult) -> Figure:
    """Return how often each bot was right at each level."""
    return Figure(
        "levels",
        say("Right at each level"),
        say("Share of turns that went as they should; the bar is where it would lie with other conversations."),
        conversation_charts.levels_chart(result),
    )


def outcomes_figure(result: ConversationsResult) -> Figure:
    """Return what became of the turns of each bot."""
    return Figure(
        "outcomes",
        say("What became of the turns"),
        say("Checked turns alone; what could not be run is not among them."),
        conversation_charts.outcomes_chart(result),
    )


def times_figure(result: ConversationsResult) -> Figure:
    """Return how long the bots took."""
    return Figure(
        "times",
        say("How long a reply takes"),
        say("The dot is the median, the bar ends where 95 of 100 replies had come."),
        conversation_charts.times_chart(result),
    )


# --- dialogues ---------------------------------------------------------------------------------------------------


def dialogues_figures(result: DialoguesResult) -> dict[str, Figure]:
    """Return all figures of a dialogues exam that it has data for."""
    talks, local = log_wording.scored(result), result.passport.local
    figures = [distribution_figure(result, talks)] if talks else []
    figures += [ranking_figure(result.ranking)] if result.ranking else []
    figures += [effects_figure(talks[0])] if talks and talks[0].score.turns else []
    figures += [agreement_figure(result, main_agreement(local))] if any(one.n for one in local.values()) else []
    return _by_name(figures)


def dialogues_charts(result: DialoguesResult) -> dict[str, AnyChart]:
    """Return all charts of a dialogues exam."""
    return _drawn(dialogues_figures(result))


def distribution_figure(result: DialoguesResult, talks: Sequence[Talk]) -> Figure:
    """Return how the scores are spread, one picture for each bot where there are several."""
    meaning, bots = say("How many talks got which score, in steps of half a point."), log_wording.by_bot(talks)
    if len(bots) > 1:
        most = dialogue_charts.MOST_BOTS
        few = " " + say(f"The {most} bots with most talks; the numbers hold every bot.") if len(bots) > most else ""
        meaning = say("Share of each bot's talks by score, in steps of half a point.") + few
    chart = dialogue_charts.distribution_chart(result)
    return Figure("distribution", say("How the scores are spread"), meaning, chart)


def ranking_figure(ranking: Ranking) -> Figure:
    """Return the mean score of each bot."""
    return Figure(
        "ranking",
        say("Mean score of each bot"),
        say("The bar is where the mean would lie with other talks of this kind."),
        dialogue_charts.ranking_chart(ranking),
    )


def effects_figure(talk: Talk) -> Figure:
    """Return what each message did to the score of the lowest talk."""
    meaning = say(
        "By how many points each message moved the score: above 0 it raised it, below 0 it lowered it. Each bar "
        "stands for itself; the bars do not add up to the score."
    )
    chart = dialogue_charts.turns_chart(talk.dialogue, talk.score)
    return Figure("messages", say("What moved the lowest score"), meaning, chart)


def main_agreement(local: Mapping[str, Agreement]) -> Agreement:
    """Return the agreement over all talks, or the first there is."""
    return local.get("overall") or next(iter(local.values()))


def agreement_figure(result: DialoguesResult, found: Agreement) -> Figure:
    """Return people's marks against scores."""
    meaning = say(
        "Each dot is a talk. Squares: the mean mark of talks with like scores, with its interval. On the dashed "
        "line the scores mean what they say."
    )
    chart = dialogue_charts.agreement_chart(result, found)
    return Figure("agreement", say("People's marks against scores"), meaning, chart)
