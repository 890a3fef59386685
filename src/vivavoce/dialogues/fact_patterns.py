"""What people and bots say when certain things happen, in English and German: the patterns behind the facts.

A pattern must be right rather than complete: see docs/dialogue_facts.md.
Texts are lower case with plain apostrophes and single blanks (`plain_text`).
"""

from __future__ import annotations

import re

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
