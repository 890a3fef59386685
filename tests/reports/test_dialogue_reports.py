"""The report of a dialogues exam: trust first, every number true, and harmless whatever a log holds."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import pytest
from dialogue_results import CASES, EMOJI, ORIGIN, RIGHT_TO_LEFT, SHORT, agreement, many, one, passport, ranking
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.dialogues.dialogue import Dialogue, Utterance
from vivavoce.dialogues.result import DialoguesResult, Origin, Score, SystemPair, TurnEffect
from vivavoce.dialogues.scored import (
    ScoredDialogue,
    count_scores,
    group_by_bot,
    mean_score,
    rank_scored,
)
from vivavoce.messages import say, sentence
from vivavoce.records import Rate
from vivavoce.reports.dialogues import bots as bot_wording
from vivavoce.reports.dialogues import wording
from vivavoce.reports.dialogues.html import HIGHEST_SHOWN, LOWEST_SHOWN, QUEUE_SHOWN, render_dialogues
from vivavoce.reports.dialogues.meanings import DIALOGUE_MEASURES
from vivavoce.reports.dialogues.messages import MAX_MESSAGES, Message, telling_messages
from vivavoce.reports.shared import pages as report_pages
from vivavoce.reports.shared.measures import render_measures_table
from vivavoce.reports.shared.numbers import rate_text, signed

pytestmark = pytest.mark.slow

NOT_YET = "You cannot compare bots with these scores yet."
VOID = {"meta", "br", "col", "hr"}


class Balance(HTMLParser):
    """Collects elements that were closed wrongly or never."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        """Say nothing of elements that close themselves."""

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return {name: render_dialogues(make()) for name, make in CASES.items()}


@pytest.fixture(scope="module")
def large() -> DialoguesResult:
    return many(10_000, marks=1_000)


def words(html: str) -> str:
    """Return the text of a page."""
    body = re.sub(r"<(style|svg)\b.*?</\1>", " ", html, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


# --- what is said ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES)
def test_every_page_is_whole_and_stands_alone(pages: dict[str, str], case: str) -> None:
    page = pages[case]
    balance = Balance()
    balance.feed(page)
    assert balance.faults == []
    assert balance.open == []
    assert not re.findall(r"<(?:script|link|iframe|img)\b|@import|https?://(?!www\.w3\.org)", page)
    assert page.count("<h1>") == page.count("<main>") == 1


@pytest.mark.parametrize("case", [case for case in CASES if case not in ("nothing", "all refused")])
def test_whether_bots_may_be_compared_is_said_before_any_number(pages: dict[str, str], case: str) -> None:
    lead = unescape(re.findall(r"<h1>(.*?)</h1>", pages[case])[0])
    assert lead == wording.headline(CASES[case]())
    if len({dialogue.bot for dialogue in CASES[case]().dialogues if dialogue.bot}) > 1:
        assert lead.startswith("You can")
        assert (lead == NOT_YET) != CASES[case]().passport.may_compare
    else:
        # With one bot there is nothing to compare.
        assert "of 5 on average" in lead
    assert pages[case].index("<h1>") < pages[case].index('class="tiles"')


def test_the_reason_of_the_verdict_follows_the_headline_without_repeating_it() -> None:
    because = "only 3 talks have a mark. Let people mark 27 more."
    said = say("Do not compare bots with this score yet: {because}", because=because)
    result = replace(one(), passport=replace(passport(0), verdict=said))
    assert wording.because(result) == "Only 3 talks have a mark. Let people mark 27 more."
    text = words(render_dialogues(result))
    assert f"{wording.headline(result)} Only 3 talks" in text
    assert "Do not compare" not in text


@pytest.mark.parametrize("case", ["nothing", "all refused"])
def test_where_nothing_is_scored_the_page_says_so_and_shows_no_mean(pages: dict[str, str], case: str) -> None:
    text = words(pages[case])
    assert "Nothing could be scored" in text
    assert "nan" not in text.lower().split()
    assert "<figure>" not in pages[case]


def test_refused_dialogues_are_grouped_and_counted(pages: dict[str, str]) -> None:
    text = words(pages["three bots"])
    assert "Not scored (9)" in text
    assert text.count(sentence(SHORT)) == 1
    assert "talk-00009, talk-00019, talk-00029, talk-00039, talk-00049 and 4 more" in text


def test_counts_add_up() -> None:
    result = many(90)
    assert wording.counts_sentence(result) == "90 dialogues read, 81 scored, 9 not scored, 60 rated by people."
    talks = rank_scored(result)
    assert sum(count_scores(talk.value for talk in talks)) == len(talks) == 81
    assert sum(len(own) for own in group_by_bot(talks).values()) == 81


def test_agreement_here_and_where_it_learnt_stand_in_tables_of_their_own(pages: dict[str, str]) -> None:
    text = words(pages["three bots"])
    assert text.index("On your own rated dialogues") < text.index("On unseen dialogues from its training source")
    assert "Unseen bots" in text
    assert "Trained on ConvAI 2017, July (2,000 dialogues), licence Apache-2.0." in text
    assert "On your own rated dialogues" not in words(pages["no marks"])


def test_recalibration_is_told_with_its_gain(pages: dict[str, str]) -> None:
    text = words(pages["three bots"])
    assert "Recalibration (its gain is certain): rating = 0.80 x score + 0.40" in text
    assert "squared error saved: 0.21 (0.05 to 0.38, n = 60). The gain is sure." in text
    assert "too few of these dialogues are rated" in words(pages["no marks"])


def test_a_recalibration_of_the_level_alone_is_called_so() -> None:
    found = replace(many(90).recalibration, level_only=True)
    assert wording.recalibration_sentence(found).startswith("Recalibration (it corrects only the level): ")
    unused = replace(found, adopted=False)
    assert "(not used: it would correct only the level)" in wording.recalibration_sentence(unused)


def test_a_ranking_that_must_not_be_used_says_so_above_it(pages: dict[str, str]) -> None:
    section = pages["no marks"].split("Which bot is better?")[1]
    assert section.index("severity") < section.index("<figure>")
    assert "severity" not in pages["three bots"].split("Which bot is better?")[1].split("</section>")[0]


def test_every_chart_has_its_numbers_beside_it(pages: dict[str, str]) -> None:
    for figure in re.findall(r"<figure>.*?</figure>", pages["three bots"], flags=re.DOTALL):
        assert "The numbers" in figure
        assert "<table>" in figure


# --- talks -------------------------------------------------------------------------------------------------------


def test_each_message_shows_how_far_it_moved_the_score(pages: dict[str, str]) -> None:
    result = many(90)
    lowest = rank_scored(result)[0]
    shown = pages["three bots"].split("Lowest scores")[1].split('<ol class="messages">')[1].split("</ol>")[0]
    effects = re.findall(r'class="effect"[^>]*>([^<]*)<', shown)
    assert effects == [signed(turn.effect) for turn in lowest.score.turns]
    assert re.findall(r"<bdi>(\w+)</bdi>", shown) == [wording.role_of(turn) for turn in lowest.dialogue.turns]
    strong = [item for item in re.findall(r"<li[^>]*>", shown) if "-3" in item]
    assert strong, "the strongest message has the strongest tint"


def test_a_tint_has_the_sign_of_its_number(pages: dict[str, str]) -> None:
    items = re.findall(r'<li class="[^"]*(up|down)-\d">.*?class="effect"[^>]*>([^<]*)<', pages["three bots"])
    assert len(items) > 50
    assert [item for item in items if (item[0] == "up") != item[1].startswith("+")] == []


def test_a_large_log_makes_a_small_page_that_says_what_is_missing(large: DialoguesResult) -> None:
    page = render_dialogues(large)
    assert len(page) < 400_000
    assert page.count('class="messages"') == LOWEST_SHOWN + HIGHEST_SHOWN + QUEUE_SHOWN
    left = 9_000 - LOWEST_SHOWN - HIGHEST_SHOWN
    assert f"{left:,} scored dialogues between lowest and highest not shown" in page
    assert f"{len(large.queue) - QUEUE_SHOWN} more dialogues not shown" in page
    assert f"Lowest scores ({LOWEST_SHOWN} of 9,000)" in page


def test_lowest_and_highest_never_show_the_same_talk_twice() -> None:
    result = replace(many(25, marks=0), queue=())
    shown = re.findall(r"<b><bdi>(talk-\d+)</bdi></b>", render_dialogues(result))
    assert len(shown) == len(set(shown)) == 23


@settings(deadline=None)
@given(effects=st.lists(st.floats(-2, 2, allow_nan=False), max_size=90), most=st.integers(1, 60))
def test_of_a_long_talk_the_strongest_messages_are_shown_and_all_others_counted(
    effects: list[float], most: int
) -> None:
    turns = tuple(Utterance("a", f"{n}") for n in range(len(effects)))
    score = Score("x", 3.0, turns=tuple(TurnEffect(n, "a", e) for n, e in enumerate(effects, 1)))
    found = list(telling_messages(ScoredDialogue(Dialogue("x", turns), score), most))
    messages = [item for item in found if isinstance(item, Message)]
    numbers = [message.number for message in messages]
    assert len(messages) == min(most, len(effects))
    assert len(messages) + sum(item for item in found if isinstance(item, int)) == len(effects)
    assert numbers == sorted(numbers)
    shown = sorted((abs(message.effect or 0) for message in messages), reverse=True)
    assert shown == sorted((abs(effect) for effect in effects), reverse=True)[:most]


def test_a_talk_of_ten_thousand_messages_is_cut(pages: dict[str, str]) -> None:
    assert pages["hostile"].count('class="said"') <= 3 * (MAX_MESSAGES + 6)
    assert "with smaller effects" in pages["hostile"]


# --- harmless ----------------------------------------------------------------------------------------------------


def test_hostile_text_is_shown_and_never_run(pages: dict[str, str]) -> None:
    page = pages["hostile"]
    assert "<script" not in page
    assert "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; [bold]&amp;amp;" in page
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x1b]", page)
    assert page.encode("utf-8").decode("utf-8") == page, "a lone surrogate has no UTF-8 form"


def test_other_scripts_keep_their_own_direction(pages: dict[str, str]) -> None:
    assert f'dir="auto">{RIGHT_TO_LEFT}</span>' in pages["hostile"]
    assert f'dir="auto">{EMOJI}</span>' in pages["hostile"]
    assert pages["hostile"].count('class="said"') == pages["hostile"].count('class="said" dir="auto"')


@settings(deadline=None)
@given(text=st.text(max_size=40))
def test_whatever_a_message_says_stays_a_message(text: str) -> None:
    only = one().dialogues[0]
    turns = (Utterance(text, text, is_bot=True), *only.turns[1:])
    result = replace(one(), dialogues=(replace(only, id=text, turns=turns),), notes=(text,), source=text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report_pages, "to_svg", lambda chart: "")
        page = render_dialogues(result)
    balance = Balance()
    balance.feed(page)
    assert (balance.faults, balance.open) == ([], [])
    assert page.encode("utf-8")


def test_a_score_that_is_not_a_number_is_no_score() -> None:
    result = one()
    odd = replace(result, scores=(replace(result.scores[0], score=float("nan")),))
    assert rank_scored(odd) == []
    assert "Nothing could be scored" in words(render_dialogues(odd))


# --- numbers and their meanings ----------------------------------------------------------------------------------


def test_every_linked_number_has_its_meaning_on_the_page(pages: dict[str, str]) -> None:
    links = set(re.findall(r'href="#(m-\w+)"', pages["three bots"]))
    assert len(links) >= 8
    assert links <= set(re.findall(r'id="(m-\w+)"', pages["three bots"]))


def test_every_meaning_is_one_plain_sentence_or_two() -> None:
    for measure in DIALOGUE_MEASURES.values():
        assert measure.meaning.endswith(".")
        assert measure.meaning.count(". ") <= 1
        assert len(measure.meaning) < 140
    table = render_measures_table(DIALOGUE_MEASURES.values())
    assert len(table.splitlines()) == len(DIALOGUE_MEASURES) + 2


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        (SystemPair("a", "b", Rate(0.4, 0.1, 0.7, 60), 0.01, "better"), "a is better than b: 0.40 points, 0.10 to"),
        (SystemPair("a", "b", Rate(-0.4, -0.7, -0.1, 60), 0.01, "worse"), "b is better than a: 0.40 points, 0.10 to"),
        (
            SystemPair("a", "b", Rate(0.1, -0.2, 0.4, 60), 0.4, "too close to call", 9),
            "About 9 more dialogues across both",
        ),
        (
            SystemPair("a", "b", Rate(0.1, -0.2, 0.4, 6), 0.4, "too close to call", 9_000),
            "too small to show with a log",
        ),
        (SystemPair("a", "b", Rate(None, None, None, 0), None, "too close to call"), "cannot be compared"),
    ],
)
def test_a_pair_of_bots_is_told_in_one_sentence(pair: SystemPair, said: str) -> None:
    assert said in bot_wording.pair_sentence(pair)


def test_a_bot_only_scores_higher_while_the_scores_are_not_trusted() -> None:
    pair = SystemPair("a", "b", Rate(0.4, 0.1, 0.7, 60), 0.01, "better")
    assert bot_wording.pair_sentence(pair, trusted=False).startswith("a scores higher than b")


def test_an_open_verdict_beside_an_interval_without_zero_names_its_cause() -> None:
    pair = SystemPair("a", "b", Rate(0.4, 0.1, 0.7, 60), 0.09, "too close to call")
    assert "too close to call after correction for 28 pairs (+0.40 points" in bot_wording.pair_sentence(
        pair, judged=28
    )
    assert "too close to call with so few dialogues (" in bot_wording.pair_sentence(pair)
    wide = replace(pair, difference=Rate(0.4, -0.1, 0.9, 60))
    assert "too close to call (" in bot_wording.pair_sentence(wide)


def test_pairs_that_were_not_judged_are_not_counted_in_the_correction() -> None:
    found = ranking(("a", "b", "c", "d"), 30)
    assert "after correction for 6 pairs" in " ".join(bot_wording.pair_sentences(found))
    unjudged = replace(found.pairs[0], p=None)
    some = replace(found, pairs=(unjudged, *found.pairs[1:]))
    assert "after correction for 5 pairs" in " ".join(bot_wording.pair_sentences(some))


def test_a_bot_with_too_few_talks_is_listed_apart_and_never_placed() -> None:
    result = many(90)
    assert result.ranking is not None
    *rest, last = result.ranking.lines
    few = replace(last, n=2, rank=None, low_rank=None, high_rank=None)
    changed = replace(result.ranking, lines=(*rest, few))
    assert bot_wording.say_unranked(result.ranking) == ""
    said = "Too few dialogues to rank or compare: gamma (2 dialogues). At least 5 are needed."
    assert bot_wording.say_unranked(changed) == said
    assert bot_wording.rank_text(few) == "-"
    assert not [text for text in bot_wording.pair_sentences(changed) if "gamma" in text]
    text = words(render_dialogues(replace(result, ranking=changed)))
    assert said in text
    assert "alpha 30" in text


# --- what a score stands on --------------------------------------------------------------------------------------


def test_an_origin_is_told_with_its_numbers() -> None:
    assert wording.origin_sentence(ORIGIN) == (
        "Trained on ConvAI 2017, July (2,000 dialogues), licence Apache-2.0. On unseen dialogues, "
        "its correlation with people's ratings (Pearson) is 0.58 (0.48 to 0.68, n = 2,000 ratings) "
        "overall, 0.46 (0.36 to 0.56, n = 1,500) with bots, 0.40 (0.30 to 0.50, n = 1,500) with "
        "unseen bots."
    )


def test_an_origin_without_numbers_says_that_they_are_missing() -> None:
    nothing = Rate(None, None, None, 0)
    for agreements in ({}, {"overall": replace(agreement(3), pearson=nothing)}):
        said = wording.origin_sentence(Origin("talks", agreements=agreements))
        assert said == "Trained on talks. Its agreement with people on unseen dialogues is unknown."
    assert wording.origin_sentence(None) == "This rater is not validated against people's ratings."
    other = wording.origin_sentence(Origin("talks", agreements={"ours": agreement(50)}))
    assert "is 0.41 (0.31 to 0.51, n = 50 ratings) (ours)." in other


def test_a_page_counts_marks_where_it_learnt_and_talks_here(pages: dict[str, str]) -> None:
    here, there = pages["three bots"].split("<caption>On unseen dialogues")
    assert '<th scope="col" class="n">Dialogues</th>' in here.split("On your own rated dialogues")[-1]
    assert '<th scope="col" class="n">Ratings</th>' in there
    assert "How this was measured: Grouped cross-validation" in words(there)


def test_every_correlation_in_words_names_its_measure() -> None:
    said = wording.agreement_sentence({"overall": agreement(60)})
    assert (
        "the correlation of scores and people's ratings is 0.41 (Pearson, 0.31 to 0.51) and "
        "0.43 (Spearman, 0.33 to 0.53): 0 is chance"
    ) in said
    marks = wording.agreement_sentence({"overall": agreement(60)}, where="of a contest", counted="rating")
    assert marks.startswith("On 60 ratings of dialogues of a contest, ")


def test_the_effects_of_the_lowest_talk_are_drawn_and_not_added_up(pages: dict[str, str]) -> None:
    figure = pages["three bots"].split("What moved the lowest score")[1].split("</figure>")[0]
    assert "they do not add up to the score" in words(figure)
    lowest = rank_scored(many(90))[0]
    shown = re.findall(r'<td class="n">([^<]*)</td>', figure)
    assert shown == [signed(turn.effect) for turn in lowest.score.turns]


def test_the_mean_of_few_talks_has_no_interval() -> None:
    few = mean_score(rank_scored(many(9)))
    assert (few.low, few.high, few.n) == (None, None, 9)
    enough = mean_score(rank_scored(many(90)))
    assert enough.value is not None
    assert enough.low is not None
    assert enough.high is not None
    assert enough.low < enough.value < enough.high


def test_a_mean_is_less_sure_where_few_people_talk_much() -> None:
    result = many(400, marks=0)
    # Each of 20 people met good talks or bad ones only.
    order = rank_scored(result)
    alone = mean_score(order)
    people = [
        ScoredDialogue(replace(talk.dialogue, user=f"user {place // 18}"), talk.score)
        for place, talk in enumerate(order)
    ]
    shared = mean_score(people)
    assert shared.value == pytest.approx(alone.value)
    assert (shared.high or 0) - (shared.low or 0) > 2 * ((alone.high or 0) - (alone.low or 0))


@pytest.mark.parametrize(("value", "text"), [(0.004, "0.00"), (-0.004, "0.00"), (0.1, "+0.10"), (-1.234, "-1.23")])
def test_an_effect_has_its_sign_unless_it_rounds_to_nothing(value: float, text: str) -> None:
    assert signed(value) == text


def test_a_missing_number_is_not_available() -> None:
    assert rate_text(Rate(None, None, None, 0), "score") == "n/a"


@pytest.mark.parametrize("make", [many, lambda n: many(n, (None,))])
def test_the_same_result_gives_the_same_page(make: Callable[[int], DialoguesResult]) -> None:
    assert render_dialogues(make(30)) == render_dialogues(make(30))
