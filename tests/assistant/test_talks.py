"""Whole talks: the job search and its interruptions, answers from the bank, hand-over, buttons."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from vivavoce.assistant import Answer, Assistant, Company, HandOver, OpeningsInMemory, Options, Stage, State, Step
from vivavoce.assistant.material import word
from vivavoce.records import Dataset

LOOKING = {
    "en": ("I want a nurse job", "in Kiel"),
    "de": ("Ich suche einen Job als Krankenpfleger", "in Kiel"),
    "fr": ("Je cherche un poste d'infirmier", "à Lyon"),
    "zh": ("我想找护士的工作", "汉堡"),
}


@pytest.mark.parametrize("language", LOOKING)
def test_a_job_search_asks_for_what_is_missing_and_shows_openings(talk, language):
    asked, shown = talk(*LOOKING[language])
    assert asked.texts == (word("ask_place", language),)
    assert asked.state.search.step is Step.PLACE
    assert shown.language == language
    assert shown.stage is Stage.FLOW
    assert shown.slots.keys() == {"profession", "place"}
    assert shown.openings
    assert all(opening.place in ("Kiel", "Lyon", "Hamburg") for opening in shown.openings)


def test_a_button_starts_the_search_in_the_middle_of_anything(talk):
    _, asked, place, shown = talk("hello", "/job_search", "nurse", "/anywhere")
    assert asked.texts == (word("ask_profession", "en"),)
    assert place.texts == (word("ask_place", "en"),)
    assert shown.total > len(shown.openings) == 5


def test_more_openings_follow_until_there_are_none_and_no_opening_is_shown_twice(talk):
    first, second = talk("nurse", "/anywhere", "/more")[1:]
    ids = [opening.id for opening in (*first.openings, *second.openings)]
    assert len(ids) == len(set(ids)) == first.total
    assert "/more" in {button.send for button in first.buttons}
    assert "/more" not in {button.send for button in second.buttons}


def test_a_correction_keeps_the_other_slot(talk):
    _, corrected, again = talk("nurse in Kiel", "no, in Reading", "actually as a physiotherapist")
    assert corrected.slots == {"profession": "nurse", "place": "Reading"}
    assert [opening.place for opening in corrected.openings] == ["Reading"]
    assert again.slots == {"profession": "physiotherapist", "place": "Reading"}


def test_where_nothing_fits_the_same_work_elsewhere_is_offered_and_said(talk):
    (shown,) = talk("Stelle als Koch in Essen")
    assert "Koch in Essen" in shown.texts[0]
    assert shown.openings
    assert all(opening.place != "Essen" for opening in shown.openings)
    assert shown.state.search.left_out == "place"


def test_an_opening_is_shown_by_its_number_with_its_link(talk):
    shown, one = talk("nurse in Reading", "1")
    assert one.openings == shown.openings[:1]
    assert [link.url for link in one.links] == [shown.openings[0].url]


def test_a_number_that_was_not_shown_is_no_opening(talk):
    _, outcome = talk("nurse in Reading", "99")
    assert outcome.openings == ()


def test_an_interrupting_question_is_answered_and_the_search_goes_on(talk):
    asked, answered, shown = talk("I want a nurse job", "how do I apply", "Kiel")
    assert asked.state.search.step is Step.PLACE
    assert answered.stage is Stage.FAQ
    assert answered.intent == "how_to_apply"
    assert answered.texts[-2:] == (word("back_to_search", "en"), word("ask_place", "en"))
    assert shown.openings


def test_a_cancelled_search_offers_the_interrupted_topic(talk):
    *_, stopped, back = talk("how do I apply", "I want a nurse job", "stop", "/how_to_apply")
    assert stopped.state.search is None
    assert [button.send for button in stopped.buttons] == ["/how_to_apply"]
    assert back.intent == "how_to_apply"


def test_a_place_that_nobody_knows_is_asked_again(talk):
    _, outcome = talk("nurse", "Xyzzyville")
    assert outcome.texts == (word("unknown_place", "en", text="Xyzzyville"),)
    assert outcome.state.search.step is Step.PLACE


@pytest.mark.parametrize(
    ("language", "anywhere"), [("en", "anywhere"), ("de", "egal wo"), ("fr", "n'importe où"), ("zh", "都可以")]
)
def test_not_minding_the_place_is_an_answer(talk, language, anywhere):
    _, shown = talk(LOOKING[language][0], anywhere)
    assert shown.state.search.anywhere
    assert shown.openings


def test_a_subscription_needs_an_address_and_is_left_to_the_caller(talk):
    _, asked, wrong, done = talk("nurse in Kiel", "/subscribe", "not an address", "My address is ada@example.org!")
    assert asked.state.search.step is Step.ADDRESS
    assert wrong.actions == ()
    (action,) = done.actions
    assert action.name == "subscribe"
    assert action.args == {
        "address": "ada@example.org",
        "profession": "nurse",
        "place": "geo2891122",
        "language": "en",
    }
    assert "ada@example.org" in done.texts[0]


def test_an_address_after_a_hand_over_is_noted(talk):
    _, noted = talk("/contact_human", "ada@example.org")
    assert [(action.name, action.args) for action in noted.actions] == [
        ("leave_address", {"address": "ada@example.org"})
    ]


def test_who_asks_for_a_person_gets_one_whatever_is_going_on(talk):
    *_, outcome = talk("nurse", "/contact_human")
    assert outcome.hand_over is HandOver.ASKED


def test_what_nobody_understands_is_handed_over_honestly(talk):
    (outcome,) = talk("qwertz asdfgh", page="en")
    assert outcome.hand_over is HandOver.UNSURE
    assert outcome.stage is Stage.NONE
    assert outcome.intent is None
    assert outcome.texts == (word("hand_over", "en"),)
    assert outcome.state.question == "qwertz asdfgh"


def test_answers_come_from_the_bank_word_for_word(talk, assistant):
    for language, question in (("en", "how do I apply"), ("de", "Wie bewerbe ich mich?")):
        (outcome,) = talk(f"/{'how_to_apply'}", page=language)
        answer = assistant.company.answers["how_to_apply"][language]
        assert outcome.texts == (answer.text,), question
        assert (outcome.buttons, outcome.links) == (answer.buttons, answer.links)


def test_an_answer_in_another_language_says_which(talk, assistant):
    (outcome,) = talk("/how_to_apply", page="fr")
    assert outcome.texts[0] == word("other_language", "fr", language="anglais")
    assert outcome.texts[1] == assistant.company.answers["how_to_apply"]["en"].text


@pytest.fixture(scope="module")
def unanswered() -> Assistant:
    """An assistant that knows two topics and has an answer to none, and offers both where it is unsure."""
    texts = ["is there a canteen", "what is for lunch today", "may I bring my dog", "are pets allowed in the office"]
    faq = {"en": Dataset.of(texts, ["food", "food", "pets", "pets"])}
    return Assistant.build(Company("small", ("en",), faq))


def test_a_topic_without_an_answer_goes_to_a_person_and_is_named(unanswered):
    outcome = unanswered.reply(State(), "may I bring my dog")
    assert (outcome.intent, outcome.hand_over) == ("pets", HandOver.NO_ANSWER)


@pytest.fixture(scope="module")
def asking_back(unanswered) -> Assistant:
    answers = {"food": {"en": Answer("There is a canteen.")}, "pets": {"en": Answer("No pets.")}}
    options = Options(order=(Stage.FAQ,), faq_threshold=1.0, choice_threshold=0.0)
    return Assistant.build(replace(unanswered.company, answers=answers, options=options))


def test_did_you_mean_offers_two_topics_and_logs_the_choice(asking_back):
    asked = asking_back.reply(State(), "can I eat my dog at lunch")
    assert set(asked.offered) == {"food", "pets"}
    assert asked.hand_over is None
    chosen = asking_back.reply(asked.state, "/pets")
    assert chosen.texts == ("No pets.",)
    assert (chosen.chosen.question, chosen.chosen.intent) == ("can I eat my dog at lunch", "pets")
    assert chosen.chosen.offered == asked.offered


def test_neither_of_the_offered_topics_hands_the_question_over(asking_back):
    asked = asking_back.reply(State(), "can I eat my dog at lunch")
    handed = asking_back.reply(asked.state, "/none")
    assert handed.hand_over is HandOver.UNSURE
    assert handed.chosen.intent is None
    assert handed.state.question == "can I eat my dog at lunch"


def test_offered_topics_are_shown_by_a_question_in_the_language_of_the_visitor(assistant):
    assert assistant.company.title("how_to_apply", "de") in assistant.company.faq["de"].texts
    assert assistant.company.title("how_to_apply", "en") in assistant.company.faq["en"].texts
    assert assistant.company.title("how_to_apply", "fr") == "how to apply"


def test_refusing_topics_that_nobody_offered_is_no_choice(talk):
    (outcome,) = talk("/none")
    assert outcome.chosen is None


def test_an_unknown_button_is_a_message_like_any_other(talk):
    (outcome,) = talk("/qwertz asdfgh")
    assert outcome.hand_over is HandOver.UNSURE


def test_the_last_message_is_repeated_and_a_restart_forgets(talk):
    first, repeated, anew = talk("nurse in Kiel", "/repeat", "/restart")
    assert repeated.texts[1:] == first.texts
    assert repeated.buttons == first.buttons
    assert anew.state.search is None


def test_a_language_button_changes_the_language(talk):
    _, outcome = talk("hello", "/language:de")
    assert outcome.language == outcome.state.language == "de"


def test_the_same_wording_is_not_said_twice_in_a_row(talk):
    first, second = talk("/joke", "/joke")
    assert first.texts != second.texts


@pytest.mark.parametrize(
    "message", ["", "   ", "?", "/", "//", "1", "\0", "a" * 5000, "🙂", "nurse " * 300, "在" * 500]
)
def test_no_message_breaks_the_talk(talk, message):
    for before in ((), ("nurse",), ("nurse in Kiel",), ("/subscribe",)):
        outcome = talk(*before, message)[-1]
        assert outcome.texts
        json.dumps(outcome.state.to_json())


def test_openings_are_swapped_without_training_anything(assistant):
    empty = assistant.with_openings(OpeningsInMemory())
    assert empty.understander is assistant.understander
    assert empty.reply(State(), "nurse in Kiel").total == 0
