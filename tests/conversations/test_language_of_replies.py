"""Similar replies in other languages than English."""

from __future__ import annotations

import pytest

from vivavoce.conversations.judging import likeness
from vivavoce.conversations.judging.matching import MINIMUM
from vivavoce.conversations.scenario import Match
from vivavoce.text import load_encoder
from vivavoce.text.languages.mixed import name_encoder


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        (("Wie kann ich Ihnen helfen?", "Was kann ich für Sie tun?"), "de"),
        (("Comment puis-je vous aider ?", "Que puis-je faire pour vous ?"), "fr"),
        (("请问有什么可以帮您", "我能为您做什么"), "zh"),
        (("How can I help you?", "What can I do for you?"), "en"),
        (("Ok", "Tempelhof"), "en"),
    ],
)
def test_similar_reads_texts_with_the_vectors_of_their_language(texts: tuple[str, str], language: str) -> None:
    encoder = likeness.find_encoder(None, texts)
    assert encoder is load_encoder(name_encoder(language))


def test_german_replies_are_compared_by_their_meaning() -> None:
    encoder = load_encoder("de")
    pairs = [
        ("Wann möchten Sie fliegen?", "An welchem Tag wollen Sie fliegen?"),
        ("Wann möchten Sie fliegen?", "Haben Sie einen Hund?"),
    ]
    alike, unlike = likeness.meaning_similarity(pairs, encoder)
    assert alike > MINIMUM[Match.SIMILAR] > unlike
