"""The two stages: what decides, what is read once, what is kept; the languages of messages; the exam of both."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vivavoce.assistant import Assistant, Company, Options, Stage, State
from vivavoce.assistant import understanding as stages
from vivavoce.assistant.classifier import AssistantClassifier
from vivavoce.assistant.exam import Verdict, examine_stages
from vivavoce.assistant.language import detect_language
from vivavoce.assistant.material import general_examples, general_test
from vivavoce.records import NO_GUESS, Dataset, Example

LANGUAGES = ("en", "de", "fr", "zh")
FAQ = Dataset.of(
    ["is there a canteen", "what is for lunch today", "may I bring my dog", "are pets allowed"],
    ["food", "food", "pets", "pets"],
)


def small(**options: object) -> Assistant:
    return Assistant.build(Company("small", ("en",), {"en": FAQ}, options=Options(**options)))


def test_the_general_intents_come_first_and_the_faq_is_asked_when_they_are_unsure():
    understander = small().understander
    greeting = understander.understand("hello", "en")
    assert (greeting.stage, greeting.intent, greeting.faq) == (Stage.GENERAL, "greeting", ())
    pets = understander.understand("may I bring my dog", "en")
    assert (pets.stage, pets.intent) == (Stage.FAQ, "pets")
    assert len(pets.general) == 3


def test_the_order_can_be_turned_round():
    understander = small(order=(Stage.FAQ, Stage.GENERAL)).understander
    assert understander.understand("may I bring my dog", "en").general == ()
    assert understander.understand("hello", "en").stage is Stage.GENERAL


def test_below_both_thresholds_nobody_decides_but_the_guesses_are_told():
    unsure = small(general_threshold=1.0, faq_threshold=1.0).understander.understand(
        "is my dog allowed at lunch", "en"
    )
    assert (unsure.stage, unsure.intent, unsure.confidence) == (Stage.NONE, None, None)
    assert {guess.intent for guess in unsure.faq} == {"food", "pets"}
    assert unsure.faq[0].confidence >= unsure.faq[1].confidence


@pytest.mark.usefixtures("vectors")
def test_a_message_is_encoded_once_for_both_stages(monkeypatch):
    assistant = small(general_threshold=1.0, faq_threshold=1.0).prepare(("en",))
    encoder, encoded = stages._load_encoder("en"), []

    class Counting:
        def encode(self, texts):
            encoded.extend(texts)
            return encoder.encode(texts)

    monkeypatch.setattr(stages, "_load_encoder", lambda _: Counting())
    assistant.reply(State(), "a question that nobody has asked before, about llamas", page_language="en")
    assert encoded == ["a question that nobody has asked before, about llamas"]


def test_what_was_trained_on_the_same_examples_is_used_again():
    first, second = small().understander, small(faq_threshold=0.7).understander
    for stage in (Stage.GENERAL, Stage.FAQ):
        assert first.model(stage, "en") is second.model(stage, "en")


def test_a_language_without_questions_of_its_own_is_asked_those_of_the_first():
    understander = small().understander
    assert understander.model(Stage.FAQ, "fr") is understander.model(Stage.FAQ, "en")


def test_a_company_without_a_faq_still_understands_the_general_intents():
    assistant = Assistant.build(Company("bare"))
    assert assistant.reply(State(), "hello").intent == "greeting"
    assert assistant.reply(State(), "zzz qqq").stage is Stage.NONE


@pytest.mark.slow
@pytest.mark.usefixtures("vectors")
@pytest.mark.parametrize("language", LANGUAGES)
def test_unseen_messages_are_told_apart_well_enough(assistant, language):
    (findings,) = examine_stages(assistant, general_test(language), stages=(Stage.GENERAL,)).findings
    assert findings.general.n == findings.general_unseen.n >= 200
    assert findings.general.value >= 0.78
    assert findings.handed_over.value >= 0.75
    assert findings.detected.value >= 0.94


@pytest.mark.parametrize(
    ("text", "known", "language"),
    [
        ("我想找工作", {}, "zh"),
        ("java工程师", {}, "zh"),
        ("I would like to know more about the salary", {"talk": "de"}, "en"),
        ("Wie lange dauert das Verfahren denn ungefähr?", {"talk": "en"}, "de"),
        ("Combien de temps dure la procédure ?", {}, "fr"),
        ("Berlin", {"talk": "fr"}, "fr"),
        ("Berlin", {"page": "zh"}, "zh"),
        ("ok", {"talk": "de", "page": "en"}, "de"),
        ("danke", {"talk": "en"}, "de"),
        ("quiero saber cuánto se gana en este trabajo", {"talk": "fr"}, "fr"),
        ("", {}, "en"),
        ("123", {"first": "de"}, "de"),
        ("👋", {}, "en"),
    ],
)
def test_the_language_of_a_message_is_its_own_or_that_of_the_talk(text, known, language):
    assert detect_language(text, **known) == language


def test_the_exam_says_which_stage_was_wrong():
    questions = [
        Example("hello", "greeting", language="en"),
        Example("may I bring my dog", "pets", language="en"),
        Example("is there a canteen", "pets", language="en"),
        Example("hello", "pets", language="en"),
        Example("may I bring my dog", "greeting", language="en"),
        Example("hello", "joke", language="en"),
        Example("may I bring my dog", None, language="en"),
        Example("qqq zzz", "pets", language="en"),
        Example("qqq zzz", "joke", language="en"),
        Example("qqq zzz", None, language="en"),
        Example("nurse in Kiel", "job_search", language="en"),
    ]
    from vivavoce.assistant import Answer

    company = small(choice_threshold=2.0).company
    answered = replace(company, answers={"pets": {"en": Answer("no")}, "food": {"en": Answer("yes")}})
    result = examine_stages(Assistant.build(answered), questions)
    (found,) = result.findings
    assert found.verdicts == {
        "right": 4,
        "general_took": 1,
        "general_wrong": 1,
        "general_missed": 1,
        "faq_took": 2,
        "faq_wrong": 1,
        "faq_missed": 1,
    }
    assert sum(found.verdicts.values()) == found.questions == len(questions)
    assert (found.right.value, found.right.n) == (4 / 11, 11)
    assert len(result.mistakes) == 7
    assert result.to_json()["findings"][0]["verdicts"]["faq_took"] == 2


def test_the_exam_of_the_general_intents_alone_expects_every_other_question_to_be_handed_over():
    questions = [Example("may I bring my dog", "pets", language="en"), Example("hello", "greeting", language="en")]
    result = examine_stages(small(), questions, stages=(Stage.GENERAL,))
    assert [mistake.verdict for mistake in result.mistakes] == []
    assert result.findings[0].handed_over.n == 1
    assert Verdict.RIGHT.value in result.findings[0].verdicts


def test_as_a_classifier_a_general_intent_is_no_guess_and_an_unsure_one_is_told():
    classifier = AssistantClassifier()
    classifier.fit(FAQ.texts, FAQ.intents)
    greeting, pets = classifier.guess(["hello", "may I bring my dog"])
    assert greeting == NO_GUESS
    assert (pets.intent, pets.confidence) == ("pets", 1.0)


def test_examples_of_the_general_intents_are_enough():
    for language in LANGUAGES:
        data, test = general_examples(language), general_test(language)
        assert len(data.sizes) == 22
        assert min(data.sizes.values()) >= 20
        assert set(test.sizes) == set(data.sizes)
