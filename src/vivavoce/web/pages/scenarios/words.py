"""Scenarios in plain words: what is compared when two versions stand side by side."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.conversations import Scenario
from vivavoce.conversations.scenario import Include, Step
from vivavoce.web.language import Words, gettext_noop
from vivavoce.workspace.scenarios.drafts import DraftTurn, draft_of, draft_turn, locked_head, locked_parts

LEVELS = (gettext_noop("basic"), gettext_noop("medium"), gettext_noop("complex"))


def level_title(words: Words, level: str) -> str:
    """Return how a level is called; those that a suite declares itself stay as they are."""
    return words.gettext(level) if level in LEVELS else level


def scenario_words(words: Words, scenario: Scenario) -> str:
    """Return a whole scenario as a text that anybody can read."""
    draft = draft_of(scenario)
    head = [
        (words.gettext("Title"), draft.title),
        (words.gettext("Domain"), draft.domain),
        (words.gettext("Level"), level_title(words, draft.level)),
        (words.gettext("Tags"), ", ".join(draft.tags)),
        (words.gettext("Note"), draft.note),
        *locked_head(draft),
    ]
    blocks = [_join_pairs(head)]
    for number, step in enumerate(scenario.turns, 1):
        title = words.gettext("Turn %(number)s", number=number)
        blocks.append(f"{title}\n{step_words(words, step)}")
    return "\n\n".join(blocks)


def step_words(words: Words, step: Step | None) -> str:
    """Return a turn as a text; one that is gone says so."""
    if step is None:
        return words.gettext("This turn was deleted.")
    if isinstance(step, Include):
        return words.gettext("Inserts the turns of the part '%(name)s'.", name=step.part)
    return _join_pairs(_turn_pairs(words, draft_turn(step)))


def field_words(words: Words, name: str, value: object) -> str:
    """Return a part of a scenario's head as a text."""
    if isinstance(value, str):
        return level_title(words, value) if name == "level" else value
    if isinstance(value, Sequence):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def field_title(words: Words, name: str) -> str:
    """Return what a part of a scenario's head is called."""
    titles = {
        "id": words.gettext("Name"),
        "title": words.gettext("Title"),
        "domain": words.gettext("Domain"),
        "level": words.gettext("Level"),
        "tags": words.gettext("Tags"),
        "note": words.gettext("Note"),
    }
    return titles.get(name, name)


def _turn_pairs(words: Words, turn: DraftTurn) -> list[tuple[str, str]]:
    declined = words.gettext("none of these: the bot should say that it does not know")
    understood = [*turn.topics, *([declined] if turn.fallback else [])]
    return [
        (words.gettext("The visitor writes"), turn.said),
        (words.gettext("The bot should understand"), ", ".join(understood)),
        (words.gettext("A good answer contains"), " / ".join(turn.any)),
        (words.gettext("It must also contain all of these"), " / ".join(turn.all)),
        (words.gettext("It must not contain"), " / ".join(turn.none)),
        (words.gettext("The bot should remember"), ", ".join(f"{name} = {value}" for name, value in turn.slots)),
        (words.gettext("Message contains typos"), words.gettext("yes") if turn.typo else ""),
        (words.gettext("Note"), turn.note),
        *locked_parts(turn),
    ]


def _join_pairs(pairs: Sequence[tuple[str, str]]) -> str:
    return "\n".join(f"{name}: {text}" for name, text in pairs if text)
