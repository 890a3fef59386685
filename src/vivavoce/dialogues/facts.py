"""What happened in a dialogue, quoted from its text: a fallback, a repeated question, a wish for a person, thanks.

A fact carries the number of its message and the words themselves, so that a reader can check it at a glance. Which
facts are shown and how often readers agreed with them is in docs/dialogue_facts.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import NamedTuple

from vivavoce.dialogues.dialogue import Utterance

MAX_QUOTE = 120
# Shorter messages ("yes", "how so?") are said twice without being a repetition worth a word.
MIN_WORDS = 3
MIN_LETTERS = 12
# Messages of fewer words, or that differ in more, are the same only where all words are.
MIN_SIMILAR = 4
MAX_DIFFERENT = 4
# Two words with this share of letters in common are one word, once misspelt.
SPELT_ALIKE = 0.8
# Further back, nearly the same words are seldom meant as the same question.
MAX_COMPARED = 8
_WORD = re.compile(r"[^\W_]+")
_SENTENCE_END = re.compile(r"[.!?…]+(?=\s|$)|\n")

# A pattern must be right rather than complete: see docs/dialogue_facts.md. Texts are as `plain_text` makes them.
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "`": "'", "´": "'", "ʼ": "'"})


def plain_text(text: str) -> str:
    """Return a text as the patterns expect it; it keeps its length, so places in it stay true."""
    if text.isascii() and "`" not in text:
        return text.lower()
    lowered = text.translate(_APOSTROPHES).lower()
    # A few capital letters become two small ones.
    return lowered if len(lowered) == len(text) else text.translate(_APOSTROPHES)


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


def find_said(pattern: re.Pattern[str], plain: str) -> re.Match[str] | None:
    """Return where a message says something outright; one that quotes („Danke“) may be about what others said."""
    return None if "„" in plain or "»" in plain else pattern.search(plain)


_NOT = r"(?:n't| n't|nt| not)"
_END = r"(?=\s*(?:[.!?,;:)…]|$| sorry| i'?m afraid|[^\w\s]))"
# In German a comma begins a clause: "Ich weiß nicht, wo er ist" is no fallback.
_ENDE = r"(?=\s*(?:[.!?;:)…]|$))"

FALLBACK = _any(
    # English
    rf"\bi (?:really |just |still )?(?:do|did|could|ca|can){_NOT}(?: quite| really| fully)? (?:understand"
    r"|comprehend|parse)\b"
    r"(?! (?:why|how (?:people|anyone|some)|people|women|men|those|the (?:point|appeal|hype)))",
    rf"\bi (?:do|did){_NOT}(?: quite| really)? (?:get|catch|follow) (?:that|you|what you|your|it){_END}",
    rf"\bi (?:do|did){_NOT}(?: quite| really)? (?:get|catch) (?:what you|your (?:question|message|meaning"
    r"|point))\b",
    rf"\bi (?:really |just |honestly )?do{_NOT} (?:really |actually )?know(?: the answer| that| it"
    r"| what (?:that|this|it) is| about that)?"
    rf"(?: (?:to that|yet|sorry|sir|man|dude))?{_END}",
    rf"\bi (?:do|did){_NOT} (?:really )?know (?:what you (?:mean|'re|are|want|said)|how to (?:answer"
    r"|respond|reply|help)"
    r"|what to (?:say|answer|tell you)|the answer)\b",
    r"\bi(?: am|'m) not sure (?:i (?:understand|follow|get|know what)|what you (?:mean|'re|are|want|said)"
    r"|how to (?:answer|respond|help))\b",
    rf"\bi (?:have no|haven't any|don't have any|do n't have any|haven't an|have not an?) (?:idea|clue){_END}",
    rf"\bi (?:do|did){_NOT} have an answer\b",
    rf"\bi (?:can|could|ca){_NOT}(?: really)? (?:answer (?:that|this|your question|it)"
    r"|help (?:you )?with (?:that|this))\b",
    r"\bi(?:'m| am) (?:unable|not able) to (?:answer|help|understand)\b",
    r"\b(?:can|could|would|please)(?: you)?(?: please| kindly)? (?:rephrase|reformulate)\b",
    r"\b(?:sorry|afraid)[^.!?]{0,30}\bnot (?:trained|able) to (?:answer|help|understand)\b",
    # German
    r"\b(?:das|dich|sie|deine (?:frage|nachricht|eingabe)|ihre (?:frage|nachricht|eingabe)|(?:ihr"
    r"|dein) anliegen|da) (?:habe|hab|konnte|kann) ich"
    r" (?:(?:leider|jetzt|gerade|nun|so|noch|auch) )*nicht (?:ganz |richtig |so ganz "
    rf"|recht )?(?:verstanden|verstehen|zuordnen|beantworten|mitbekommen){_ENDE}",
    r"\bich (?:habe|hab|konnte|kann) (?:(?:dich|sie|das|es|leider|jetzt|gerade|diese|deine|ihre|die|frage"
    r"|nachricht|eingabe|ihr|dein|anliegen) )*"
    r"nicht (?:ganz |richtig |so ganz |recht )?(?:verstanden|verstehen|zuordnen|beantworten"
    rf"|mitbekommen){_ENDE}",
    r"\bich (?:habe|hab) (?:leider )?nicht (?:ganz |richtig )?verstanden,? (?:was|wie|worum|wobei)\b",
    r"\bich verstehe? (?:(?:das|dich|sie|die frage|deine frage|ihre frage|es|ihr anliegen"
    r"|dein anliegen) )?(?:leider )?nicht(?: ganz| richtig| recht)?"
    r"(?:,? (?:was|wie) (?:du|sie) (?:damit )?(?:meinst|meinen|möchtest|möchten|willst|wollen|sagst"
    rf"|sagen)\b|{_ENDE})",
    r"\b(?:das|die antwort(?: darauf)?) wei(?:ß|ss) ich (?:(?:leider|auch|selbst|noch"
    rf"|ehrlich gesagt) )*nicht{_ENDE}",
    r"\bich wei(?:ß|ss) (?:es |das |die antwort )?(?:(?:leider|auch|selbst|noch"
    rf"|ehrlich gesagt) )*nicht{_ENDE}",
    r"\bich wei(?:ß|ss) (?:leider )?(?:nicht,? was (?:du|sie) (?:meinst|meinen)|keine antwort)\b",
    r"\b(?:dabei|damit|da|hierbei) kann ich (?:(?:dir|ihnen|euch|leider|noch|aber"
    r"|im moment) )*nicht (?:weiter)?helfen\b",
    r"\b(?:können sie|könnten sie|kannst du|könntest du|bitte|versuchen sie"
    r"|versuche) (?:\w+ ){0,5}(?:anders (?:zu )?formulieren|um(?:zu)?formulieren|anders ausdrücken"
    r"|neu formulieren)\b",
    r"\b(?:formulieren sie|formuliere) (?:\w+ ){0,4}(?:anders|neu|um)\b",
    r"\bkeine passende antwort\b",
    rf"\b(?:davon|da|dazu|davon) (?:habe|hab) ich (?:leider )?keine ahnung{_ENDE}",
    rf"\bich (?:habe|hab) (?:leider )?keine ahnung{_ENDE}",
)
FALLBACK_WORDS = ("n't", "nt ", "not ", "idea", "clue", "unable", "phrase", "formul", "nicht", "ahnung", "passende")

_WHO = (
    r"(?:(?:a|an|the|your|some|any|another|one of your|real|actual|live|human|customer|service|support"
    r"|sales|call|center|centre|care"
    r"|normal|other) )*"
    r"(?:human(?: being)?s?|persons?|people|agents?|someone|somebody|representatives?|reps?|operators?"
    r"|advis[oe]rs?|employees?"
    r"|recruiters?|manager|supervisor|staff|support team|customer (?:care|service|support)|executives?"
    r"|consultants?)\b"
)
PERSON = _any(
    r"(?<!do )\b(?:(?:i|we) (?:really |just |still |also )?(?:want|need|wish|prefer)|wanna|(?:i"
    r"|we)(?: would|'d|d) (?:really |rather |just )?(?:like|prefer|love)?"
    r"|let me|(?:can|could|may) (?:i|we|you)|how (?:do|can|could) (?:i|we)|possible|able|^please|trying"
    rf"|^just)\b[^.!?]{{0,25}}"
    rf"\b(?:speak|talk|chat|connected|transferred|put through)(?:ing)? (?:directly )?(?:to|with) {_WHO}",
    rf"^(?:speak|talk|chat) (?:to|with) {_WHO}",
    rf"\b(?:connect|transfer|forward|redirect|put) me (?:through )?(?:to|with) {_WHO}",
    rf"\b(?:get|give|send|call|find) me (?:a|an|the|your) {_WHO}(?! (?:who|that|which|name|number|list|near))",
    r"\b(?:want|need|would like|'d like) (?:a|an|some) (?:real |actual |live )(?:human|person|agent"
    r"|representative|operator)\b",
    r"\b(?:want|need|would like|'d like) (?:a|an) (?:human|agent|representative|operator)\b(?! (?:who|that"
    r"|to be|body|being))",
    r"\b(?:is there|can i get|can i have|may i have) (?:a|an|any|some) (?:real |actual |live )?(?:human"
    r"|person|agent|representative|operator|one)"
    r" (?:i (?:can|could) (?:talk|speak)|to (?:talk|speak|chat))\b",
)
PERSON_WORDS = (
    *("talk", "speak", "chat", "connect", "transfer", "through", "forward", "redirect", "human", "person", "agent"),
    *("represent", "operator"),
)

THANKED_WORDS = ("thank", "thx", "thnx", "tks", "tysm", "thanx", "dank", "merci")
THANKED = _any(
    r"(?<!\bno )(?<!\bno, )(?<!\bnah )(?<!\bnope )(?<!\bno\. )(?<!\bno but )(?<!\bnah, )(?<!\bsay )\b(?:thanks"
    r"|thank (?:you|u|ya)|thankyou|thx|thnx|thanx|tks|tysm|many thanks)\b(?! (?:god|to god|goodness|heavens"
    r"|for nothing))",
    r"(?<!\bnein )(?<!\bnein, )(?<!\bnee )(?<!\bnee, )(?<!\bne )(?<!\bne, )(?<!\bnö )(?<!\bnö, )(?<!\bgott sei )"
    r"(?<!\bsei )\b(?:danke"
    r"|dankeschön|dankesehr|vielen dank|besten dank|herzlichen dank|tausend dank|lieben dank|merci)\b"
    r"(?! (?:gott|dem herrn|mir|für nichts|tom)\b)",
    r"\bich (?:be)?danke (?:dir|ihnen|euch|mich)\b",
)

ANGRY = _any(
    r"\b(?:stupid|dumb|useless|idiotic|worthless|shitty|crappy|fucking|damn) (?:bot|chatbot|robot|machine"
    r"|program|ai|thing|service|answers?)\b",
    r"\byou(?:'re| are| r|re) (?:so |a |an |very |such a |such an |really |just |completely "
    r"|fucking )*(?:stupid|dumb|useless|idiot|moron|retard(?:ed)?|annoying|worthless|terrible|awful"
    r"|horrible|the worst|rude|shit|crap)\b",
    r"\b(?:fuck (?:you|off|u)|screw you|shut up|go to hell|waste of time|this is (?:ridiculous|useless"
    r"|terrible|awful|frustrating|annoying|bullshit)|you suck|bullshit)\b",
)

# A last message that wants no answer.
CLOSING = _any(
    r"^\W*(?:(?:ok(?:ay)?|well|alright|and|so|no|yes|yeah|great|perfect|cool|super|gut|gute|na|ja|nein"
    r"|alles klar|prima)\W+)*"
    r"(?:bye|goodbye|good bye|see (?:you|ya)|cya|take care|have a (?:nice|good|great)|good night|later"
    r"|farewell|thanks|thank|thx|tschüss|tschüß|auf wiedersehen|ciao|danke|vielen dank|schönen tag|bis)\b"
)

# Words that a message may gain or lose and still say the same.
_SMALL = (
    "a an the so but and or then now please well ok okay wow oh hey hi hello just really again at in on to of i am is"
    " it bitte aber und oder dann jetzt doch mal noch nochmal also ja hallo denn ein eine einen der die das es"
)
SMALL_WORDS = frozenset(_SMALL.split())


class FactKind(StrEnum):
    """What can have happened in a dialogue, the gravest first."""

    NO_ANSWER = "no_answer"
    ENDED_AFTER_FALLBACK = "ended_after_fallback"
    ASKED_FOR_PERSON = "asked_for_person"
    ENDED_ANGRY = "ended_angry"
    FALLBACK = "fallback"
    REPEATED_QUESTION = "repeated_question"
    BOT_REPEATED = "bot_repeated"
    THANKED = "thanked"


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that happened. `turn`: the number of its message; `earlier`: of the message that it repeats."""

    kind: FactKind
    turn: int
    quote: str
    earlier: int | None = None


# By the bot or the visitor, with words of which at least one is in every such message.
_SPOKEN = (
    (True, FactKind.FALLBACK, FALLBACK_WORDS, FALLBACK),
    (False, FactKind.ASKED_FOR_PERSON, PERSON_WORDS, PERSON),
    (False, FactKind.THANKED, THANKED_WORDS, THANKED),
)


class _Message(NamedTuple):
    """A message with content, from the visitor or the bot, and its words."""

    number: int
    by_bot: bool
    text: str
    plain: str
    words: tuple[str, ...]


def find_facts(turns: Sequence[Utterance]) -> tuple[Fact, ...]:
    """Return what happened in a dialogue, in the order of its messages."""
    sides = tell_sides(turns)
    if sides is None:
        return ()
    messages = []
    for number, (turn, by_bot) in enumerate(zip(turns, sides, strict=True), 1):
        if turn.text.strip():
            plain = plain_text(turn.text)
            messages.append(_Message(number, by_bot, turn.text, plain, tuple(_WORD.findall(plain))))
    facts = [*_find_spoken(messages), *_find_repeated(messages), *_find_end(messages)]
    return tuple(sorted(facts, key=lambda fact: (fact.turn, fact.kind)))


def tell_sides(turns: Sequence[Utterance]) -> list[bool] | None:
    """Return for each message whether the bot sent it; None where two people talked.

    Where the log does not say who is a bot, whoever spoke first is the visitor.
    """
    if any(turn.is_bot for turn in turns):
        return [turn.is_bot is True for turn in turns]
    speakers = {turn.speaker for turn in turns}
    if all(turn.is_bot is False for turn in turns):
        return [False] * len(turns) if len(speakers) < 2 else None
    people = {turn.speaker for turn in turns if turn.is_bot is False} or {turns[0].speaker}
    return [turn.speaker not in people for turn in turns]


def _find_spoken(messages: Sequence[_Message]) -> Iterator[Fact]:
    """Yield what a message says outright."""
    for by_bot, kind, words, pattern in _SPOKEN:
        own = [message for message in messages if message.by_bot is by_bot]
        # Looking for a few words in all messages at once is what makes thousands of dialogues quick.
        everything = "\n".join([message.plain for message in own])
        used = [word for word in words if word in everything]
        for message in own if used else ():
            if any(word in message.plain for word in used) and (match := find_said(pattern, message.plain)):
                yield Fact(kind, message.number, _quote(message.text, match.start(), match.end()))


def _find_repeated(messages: Sequence[_Message]) -> Iterator[Fact]:
    """Yield the messages that say again what the same side said before."""
    for by_bot, kind in ((False, FactKind.REPEATED_QUESTION), (True, FactKind.BOT_REPEATED)):
        known: dict[tuple[str, ...], int] = {}
        recent: list[tuple[frozenset[str], int]] = []
        for message in messages:
            if message.by_bot is not by_bot or len(message.words) < MIN_WORDS or len(message.plain) < MIN_LETTERS:
                continue
            words = frozenset(message.words)
            earlier = known.get(message.words) or _find_similar(words, recent)
            if earlier:
                yield Fact(kind, message.number, _quote(message.text), earlier)
            known[message.words] = message.number
            if len(words) >= MIN_SIMILAR:
                recent = [*recent[1 - MAX_COMPARED :], (words, message.number)]


def _find_similar(words: frozenset[str], recent: Sequence[tuple[frozenset[str], int]]) -> int | None:
    """Return the number of the last message that differs only in small words and in how words are spelt."""
    if len(words) < MIN_SIMILAR:
        return None
    for other, number in reversed(recent):
        if abs(len(words) - len(other)) <= MAX_DIFFERENT and len(words ^ other) <= MAX_DIFFERENT:
            own, others = sorted(words - other - SMALL_WORDS), sorted(other - words - SMALL_WORDS)
            if len(own) == len(others) and all(map(_is_spelt_alike, own, others)):
                return number
    return None


def _is_spelt_alike(own: str, other: str) -> bool:
    if own.isdigit() or other.isdigit():
        return False
    return SequenceMatcher(None, own, other).ratio() >= SPELT_ALIKE


def _find_end(messages: Sequence[_Message]) -> Iterator[Fact]:
    """Yield how the dialogue ended, where it did not end well."""
    if not messages:
        return
    last = messages[-1]
    of_bot = [message for message in messages if message.by_bot]
    if not of_bot:
        first = messages[0]
        yield Fact(FactKind.NO_ANSWER, first.number, _quote(first.text))
        return
    if not last.by_bot and "?" in last.text and not CLOSING.search(last.plain):
        yield Fact(FactKind.NO_ANSWER, last.number, _quote(last.text))
    if match := FALLBACK.search(of_bot[-1].plain):
        yield Fact(
            FactKind.ENDED_AFTER_FALLBACK, of_bot[-1].number, _quote(of_bot[-1].text, match.start(), match.end())
        )
    for message in [message for message in messages if not message.by_bot][-2:][::-1]:
        if match := ANGRY.search(message.plain):
            yield Fact(FactKind.ENDED_ANGRY, message.number, _quote(message.text, match.start(), match.end()))
            break


def _quote(text: str, start: int = 0, end: int | None = None) -> str:
    """Return the sentences around a place, short enough to be read at a glance."""
    end = len(text) if end is None else end
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    first = max((place for place in ends if place <= start), default=0)
    last = min((place for place in ends if place >= end), default=len(text))
    words = " ".join(text[first:last].split())
    if len(words) <= MAX_QUOTE:
        return words
    middle = " ".join(text[start:end].split())
    return f"…{middle}…" if first < start and len(middle) <= MAX_QUOTE else f"{words[:MAX_QUOTE].rstrip()}…"
