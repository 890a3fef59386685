"""Single talks on a page: every message with how far it moved the score, and the reasons in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vivavoce.errors import plural
from vivavoce.reports.dialogues import wording
from vivavoce.reports.dialogues.meanings import signed
from vivavoce.reports.dialogues.wording import Talk
from vivavoce.reports.shared.tags import Html, bullets, details, join, tag

# Of a long talk, the messages that moved the score most are shown: 40 of them are read, 10,000 are not.
MOST_MESSAGES = 40
MOST_TEXT = 600
MOST_NAME = 80
MOST_SPEAKER = 24
MOST_WHY = 300
# How strong a message is beside the strongest of its talk, for the three shades of the background.
SHADES = (0.15, 0.4, 0.75)
# Below this no message of a talk is called strong.
FAINT = 0.1


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a talk: its number from 1, who says what, and how far it moved the score if that is known."""

    number: int
    speaker: str
    is_bot: bool
    text: str
    effect: float | None

    @property
    def moved(self) -> str:
        """The effect with its sign, nothing where it is not known."""
        return "" if self.effect is None else signed(self.effect)


def messages_of(talk: Talk) -> list[Message]:
    """Return the messages of a talk with their effects."""
    effects = wording.effects_of(talk)
    return [
        Message(
            number,
            wording.clean(wording.role_of(turn)),
            bool(turn.is_bot),
            wording.clean(turn.text),
            effects.get(number),
        )
        for number, turn in enumerate(talk.dialogue.turns, 1)
    ]


def telling_messages(talk: Talk, most: int = MOST_MESSAGES) -> Iterator[Message | int]:
    """Yield the messages that moved the score most, in order; between them, how many were left out."""
    found = messages_of(talk)
    strongest = sorted(found, key=lambda message: -abs(message.effect or 0.0))[:most]
    kept = {message.number for message in strongest}
    last = 0
    for message in found:
        if message.number in kept:
            if message.number > last + 1:
                yield message.number - last - 1
            yield message
            last = message.number
    if last < len(found):
        yield len(found) - last


def talk_part(talk: Talk, *, open_: bool = False, why: str = "") -> Html:
    """Return a talk to be opened: its score first (and why to read it), then reasons, warnings and messages."""
    name = tag("b", tag("bdi", wording.short(talk.dialogue.id, MOST_NAME)))
    facts = wording.short(wording.talk_facts(talk), 2 * MOST_NAME)
    said = wording.short(wording.sentence(why), MOST_WHY) if why else facts
    title = join([name, f": {wording.score_line(talk)} ", tag("span", said, class_="muted", dir="auto")])
    return details(title, *_inside(talk, facts if why else ""), open_=open_, class_="telling")


def _inside(talk: Talk, facts: str) -> Iterator[Html | None]:
    score = talk.score
    yield tag("p", wording.sentence(facts), class_="muted", dir="auto") if facts else None
    yield tag("p", wording.sentence(wording.clean(score.refusal)), class_="severity") if score.refusal else None
    reasons = [wording.clean(line) for line in wording.reason_lines(score)]
    yield join([tag("h3", "What moved the score"), bullets(reasons)]) if reasons else None
    cautions = [wording.sentence(wording.clean(text)) for text in score.warnings]
    yield join([tag("h3", "Take this score with care"), bullets(cautions)]) if cautions else None
    yield messages_part(talk)


def messages_part(talk: Talk) -> Html:
    """Return the messages of a talk; a tint and a signed number tell how far each moved the score."""
    if not talk.dialogue.turns:
        return tag("p", "Nothing was said.", class_="muted")
    if not any(turn.text for turn in talk.dialogue.turns):
        return tag("p", "What was said is not kept here.", class_="muted")
    shown = list(telling_messages(talk))
    largest = max([FAINT, *[abs(one.effect or 0.0) for one in shown if isinstance(one, Message)]])
    return tag("ol", *[_item(one, largest) for one in shown], class_="messages")


def _item(one: Message | int, largest: float) -> Html:
    if isinstance(one, int):
        return tag("li", f"... {plural(one, 'message')} that moved the score less ...", class_="gap")
    text = one.text if len(one.text) <= MOST_TEXT else f"{one.text[:MOST_TEXT]}..."
    classes = " ".join(part for part in ("bot" if one.is_bot else "", _shade(one.effect, largest)) if part)
    who = tag(
        "span", tag("small", f"{one.number}"), tag("bdi", wording.short(one.speaker, MOST_SPEAKER)), class_="speaker"
    )
    # A text decides its own direction: Hebrew and Arabic run from the right without turning the page round.
    said = tag("span", text or "(nothing)", class_="said", dir="auto")
    moved = tag("span", one.moved, class_="effect", title="points that this message moved the score")
    return tag("li", who, said, moved if one.moved else None, class_=classes or None)


def _shade(effect: float | None, largest: float) -> str:
    strength = sum(abs(effect or 0.0) / largest >= level for level in SHADES)
    return f"{'up' if (effect or 0.0) > 0 else 'down'}-{strength}" if strength else ""


def talk_list(talks: Sequence[Talk], *, first_open: bool = False) -> Html:
    """Return several talks, each to be opened by itself."""
    return tag("div", *[talk_part(talk, open_=first_open and not place) for place, talk in enumerate(talks)])
