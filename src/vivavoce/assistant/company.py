"""What a company gives its assistant: a name, languages, examples of its FAQ, the bank of answers, options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from vivavoce.assistant.talk import Button, Link, Stage
from vivavoce.records import Dataset


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the bank in one language: its text, buttons and links."""

    text: str
    buttons: tuple[Button, ...] = ()
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Options:
    """How an assistant decides.

    `order`: the stages in the order in which they are asked; the first sure one decides. `general_threshold` and
    `faq_threshold`: the confidence from which on a stage is sure. `choice_threshold`: below the threshold of the
    FAQ, its two likeliest topics are offered where they are together at least so likely; more than 1 turns it off.
    `shown`: openings shown at once.
    """

    order: tuple[Stage, ...] = (Stage.GENERAL, Stage.FAQ)
    general_threshold: float = 0.5
    faq_threshold: float = 0.5
    choice_threshold: float = 0.4
    shown: int = 5


@dataclass(frozen=True)
class Company:
    """One project's assistant as data.

    `languages`: those of the company, its own first; `faq`: examples by language; `answers`: the bank, by topic and
    then by language. An answer that lacks a language is given in the company's first one. The topics
    `hand_over`, `no_answer` and every general intent may stand in the bank, too: they replace the shipped texts.
    """

    name: str
    languages: tuple[str, ...] = ("en",)
    faq: Mapping[str, Dataset] = field(default_factory=dict)
    answers: Mapping[str, Mapping[str, Answer]] = field(default_factory=dict)
    titles: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    options: Options = Options()

    def title(self, topic: str, language: str) -> str:
        """Return what visitors read of a topic: its title, else its first question, else its name."""
        titles = self.titles.get(topic, {})
        asked = (each.text for each in self.faq.get(language, ()) if each.intent == topic)
        return titles.get(language) or next(asked, "") or next(iter(titles.values()), topic.replace("_", " "))
