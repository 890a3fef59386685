"""What happened in a dialogue, in English and German, quoted from its text."""

from __future__ import annotations

import pytest

from vivavoce.dialogues.dialogue import Utterance
from vivavoce.dialogues.facts import MAX_QUOTE, Fact, FactKind, find_facts


def held(*texts: str) -> tuple[Fact, ...]:
    """Return the facts of a dialogue in which visitor and bot take turns; "-" is a turn that was not taken."""
    turns = [Utterance("bot" if place % 2 else "visitor", text, bool(place % 2)) for place, text in enumerate(texts)]
    return find_facts([turn for turn in turns if turn.text != "-"])


def kinds(*texts: str) -> set[str]:
    return {str(fact.kind) for fact in held(*texts)}


ENGLISH = (
    "I want to change my address",
    "Sorry, I did not understand that. What is your favourite colour?",
    "I want to change my adress!",
    "I don't know. Could you rephrase?",
    "Can I talk to a real person please",
    "Sorry, I can't help you with that.",
)
GERMAN = (
    "Ich möchte meine Adresse ändern",
    "Das habe ich leider nicht verstanden. Wie kann ich helfen?",
    "ich möchte bitte meine Adresse ändern",
    "Ich verstehe Ihre Frage nicht.",
    "Kann ich mit einem Mitarbeiter sprechen?",
    "Dabei kann ich Ihnen leider nicht helfen.",
)


@pytest.mark.parametrize("texts", [ENGLISH, GERMAN], ids=["English", "German"])
def test_a_dialogue_that_goes_wrong_says_where(texts) -> None:
    # The wish for a person is found in English alone.
    asked = [("asked_for_person", 5, None)] if texts is ENGLISH else []
    facts = held(*texts)
    assert [(str(fact.kind), fact.turn, fact.earlier) for fact in facts] == [
        ("fallback", 2, None),
        ("repeated_question", 3, 1),
        ("fallback", 4, None),
        *asked,
        ("ended_after_fallback", 6, None),
        ("fallback", 6, None),
    ]


@pytest.mark.parametrize("texts", [ENGLISH, GERMAN], ids=["English", "German"])
def test_every_quote_is_in_the_text(texts) -> None:
    for fact in held(*texts):
        assert fact.quote
        assert fact.quote.strip("…") in texts[fact.turn - 1]


def test_only_the_sentence_in_question_is_quoted() -> None:
    (fact, _) = held("hello", f"Welcome back. {'Nice weather. ' * 20}I do not understand you. What now?")
    assert fact.quote == "I do not understand you."


def test_a_long_quote_is_cut() -> None:
    long = "please tell me about " + "the flat in the old town " * 20
    (fact,) = held(long, "Gladly.", long, "Here it is.")
    assert len(fact.quote) <= MAX_QUOTE + 1


@pytest.mark.parametrize(
    "said",
    [
        "I don't know.",
        "i do n't know",
        "I’m sorry, I didn’t quite get that.",
        "I am not sure what you mean",
        "I don't have an answer to that",
        "Das weiß ich leider nicht.",
        "Ich habe Ihre Frage nicht verstanden.",
        "Entschuldigung, das kann ich nicht beantworten.",
        "Können Sie das bitte anders formulieren?",
        "Ich weiß nicht, was du meinst.",
    ],
)
def test_a_bot_that_gives_up_is_noticed(said) -> None:
    assert "fallback" in kinds("what about the night shift", said, "and parking", "There is a garage.")


@pytest.mark.parametrize(
    "said",
    [
        "I did not know that, thank you for telling me!",
        "I don't know anyone who works harder.",
        "You do not understand me.",
        "I know what you mean.",
        "We do not know yet who will come.",
        "Ich weiß nicht, wo er wohnt, aber ich frage nach.",
        "Ich verstehe.",
        "Sie haben mich nicht verstanden.",
    ],
)
def test_a_bot_that_knows_is_left_alone(said) -> None:
    assert kinds("what about the night shift", said, "and parking", "There is a garage.") == set()


@pytest.mark.parametrize(
    "said",
    [
        "thanks!",
        "Great, thank you so much",
        "ok thx bye",
        "Vielen Dank für die Auskunft",
        "super, danke",
        "Ich danke Ihnen",
    ],
)
def test_thanks_are_noticed(said) -> None:
    assert "thanked" in kinds("is the job open", "It is.", said, "You are welcome.")


@pytest.mark.parametrize(
    "said",
    [
        "no thanks",
        "No, thanks",
        "thank god it is friday",
        "nein, danke",
        "Gott sei Dank ist Freitag",
        "danke Gott",
        "Er sagte „Danke“ und ging",
    ],
)
def test_a_polite_no_is_not_a_thank_you(said) -> None:
    assert "thanked" not in kinds("is the job open", "It is.", said, "Fine.")


@pytest.mark.parametrize(
    "said",
    [
        "I want to talk to a human",
        "can i speak with someone from HR? or a real person",
        "Connect me to an agent",
        "give me a real person",
        "I'd like to speak to customer service",
    ],
)
def test_the_wish_for_a_person_is_noticed(said) -> None:
    assert "asked_for_person" in kinds(said, "One moment please.")


@pytest.mark.parametrize(
    "said",
    [
        "are you a human?",
        "Do you like talking to people?",
        "do I need to speak to a representative to change my pin",
        "get me an employee list",
        "how many people work there",
        "Wie viele Menschen arbeiten dort?",
        "Sie ist Mitarbeiterin im Kundendienst",
    ],
)
def test_talking_about_people_is_not_asking_for_one(said) -> None:
    assert "asked_for_person" not in kinds(said, "Many people ask that.")


def test_a_bot_that_repeats_itself_is_noticed() -> None:
    (fact,) = held("hi", "What is your name, please?", "Mara", "What is your name please")
    assert (fact.kind, fact.turn, fact.earlier) == (FactKind.BOT_REPEATED, 4, 2)


def test_questions_that_differ_in_a_word_that_matters_are_two_questions() -> None:
    assert "repeated_question" not in kinds(
        "what is your favourite colour?",
        "Blue.",
        "what is your favourite food?",
        "Rice.",
        "is it 12 euros an hour",
        "No.",
    )


def test_short_words_may_be_said_twice() -> None:
    assert kinds("yes", "And the date?", "yes", "Good.", "ok", "Fine.", "ok", "Bye.") == set()


def test_a_question_left_open_is_no_answer() -> None:
    facts = held("hello", "Hi!", "is the job still open?")
    assert [(fact.kind, fact.turn, fact.quote) for fact in facts] == [
        (FactKind.NO_ANSWER, 3, "is the job still open?")
    ]


def test_a_bot_that_never_spoke_gave_no_answer() -> None:
    facts = find_facts([Utterance("visitor", "hello", is_bot=False), Utterance("bot", "  ", is_bot=True)])
    assert [fact.kind for fact in facts] == [FactKind.NO_ANSWER]


@pytest.mark.parametrize("last", ["bye, see you?", "ok thanks, bye?", "I will apply then"])
def test_a_farewell_needs_no_answer(last) -> None:
    assert "no_answer" not in kinds("hello", "Hi!", last)


def test_an_insult_at_the_end_is_an_angry_end() -> None:
    assert "ended_angry" in kinds("when do I start", "What is your name?", "stupid bot", "Sorry to hear that.")
    assert "ended_angry" not in kinds("never mind", "Fine.", "No, thanks", "Bye.")
    assert "ended_angry" not in kinds("stupid bot", "Sorry.", "ok, so when do I start", "On Monday.", "good", "Bye.")


def test_two_people_who_talk_have_no_bot_to_look_at() -> None:
    turns = [Utterance("Ann", "I don't know.", is_bot=False), Utterance("Ben", "thanks", is_bot=False)]
    assert find_facts(turns) == ()
    assert find_facts([]) == ()


def test_where_nobody_says_who_is_a_bot_the_first_speaker_is_the_visitor() -> None:
    turns = [Utterance("A", "hello there"), Utterance("B", "I do not understand."), Utterance("A", "thanks")]
    assert [str(fact.kind) for fact in find_facts(turns)] == ["ended_after_fallback", "fallback", "thanked"]


def test_letters_that_change_their_length_break_nothing() -> None:
    assert "thanked" in kinds("İstanbul, Straße, ŉ: danke", "Gern.")
