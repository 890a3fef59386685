"""Words by language: numbers, months, days, times, and the small words that carry no topic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Language:
    """The closed lists of words that slots are found with.

    `ordinals`: days of a month as words. `offsets`: days from today. `hours`: names of a time of day. `parts`:
    parts of a day with the minutes they span. `measures`: what follows a number that counts something else.
    `pointers`: words after which "one" counts nothing ("that one"). `small`: words that say nothing about a topic.
    `corrections`: words that take something back.
    """

    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    short_weekdays: Mapping[str, int]
    ordinals: Mapping[str, int]
    ordinal_endings: str
    numbers: Mapping[str, str]
    offsets: Mapping[str, int]
    in_days: tuple[str, str]
    hours: Mapping[str, str]
    parts: Mapping[str, tuple[int, int]]
    at: str
    clock: str
    greeting: str
    articles: frozenset[str]
    negations: frozenset[str]
    corrections: frozenset[str]
    measures: frozenset[str]
    pointers: frozenset[str]
    small: frozenset[str]
    ordinary: frozenset[str]
    month_names: tuple[str, ...]
    weekday_names: tuple[str, ...]
    day_in_words: str


def language_of(code: str) -> Language:
    """Return the words of a language; English ones where it is not known."""
    return LANGUAGES.get(code.partition("-")[0].lower(), LANGUAGES["en"])


def _split(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _counted(text: str, first: int = 1) -> dict[str, int]:
    """Return words with their numbers, in turn; `a/b` are two words for one number."""
    return {word: n for n, words in enumerate(text.split(), first) for word in words.split("/")}


_MONTHS_EN = "january february march april may june july august september october november december"
_DAYS_EN = "monday tuesday wednesday thursday friday saturday sunday"
_MONTHS_DE = "januar februar märz april mai juni juli august september oktober november dezember"
_DAYS_DE = "montag dienstag mittwoch donnerstag freitag samstag/sonnabend sonntag"

ENGLISH = Language(
    months=_counted(_MONTHS_EN) | _counted("jan feb mar apr may jun jul aug sep/sept oct nov dec"),
    weekdays=_counted(_DAYS_EN, 0)
    | {"mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4},
    short_weekdays={"sat": 5, "sun": 6},
    ordinals=_counted(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth"
        " fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third"
        " twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"
    ),
    ordinal_endings="st|nd|rd|th",
    numbers={w: str(n) for w, n in _counted("one two three four five six seven eight nine ten eleven twelve").items()}
    | {"couple": "2", "dozen": "12"},
    offsets={"day after tomorrow": 2, "tomorrow": 1, "today": 0, "tonight": 0},
    in_days=("in", "days?"),
    hours={"noon": "12:00", "midday": "12:00", "midnight": "00:00"},
    parts={
        "morning": (300, 720),
        "afternoon": (720, 1080),
        "evening": (1020, 1440),
        "tonight": (1020, 1440),
        "night": (1200, 1440),
    },
    at="at|around|by|before|after",
    clock="o'clock",
    greeting="good",
    articles=_split("the a an about around only just maybe exactly at least up-to up on city of my this next"),
    negations=_split("not except without"),
    corrections=_split("no nope sorry actually wait rather instead mean meant change make correction oops"),
    measures=_split(
        "day days week weeks month months year years hour hours hrs h minute minutes min mins night nights"
        " dollars dollar aud usd eur euro euros bucks percent km kilometres miles kg kilos mg ml degrees times"
        " am pm o'clock star stars"
    ),
    pointers=_split(
        "that this the which another other first second last next cheap cheaper cheapest early earlier earliest late"
        " later latest fast faster quick quicker good better best right wrong same"
    ),
    small=_split(
        "a an the i me my we us our you your it its it's is are am was be been do does did have has had can"
        " could will would should may might and or but so then to from in on at by for of with as that this"
        " these those there what which how about if any some please pls ok okay yes yeah yep no not nope"
        " thanks thank well hm hmm um uh er i'm i'd i'll that's let's let us think guess said say want need"
        " like prefer one ones sorry actually wait rather instead mean meant change make correction oops just"
        " only maybe perhaps exactly around say great good fine perfect cool right sure also too now again"
        " next oh hey what's how's possible possibly try take go going leaving flying fly travel"
    ),
    ordinary=_split(
        "eastern northern southern western about above after again alone along already always among another"
        " around asked because been before begin being below better between both bring build called can't"
        " catch cause change check child clean clear close coming could couldn't count cover cross daily"
        " didn't does doesn't doing don't doubt drink drive during early earth either eight email enough enter"
        " equal error every exact extra faith family feel field fifty fight final find first floor following"
        " force found fresh friend from front full getting girl give given glass going good great green group"
        " guess happy hard has have having heart heard heavy hello help here high home hope hotel hour house"
        " human idea image issue itself just keep kind knew know large last late later learn least leave left"
        " less level life light like line list little live local long look looking lost love lower lunch made"
        " main make many match maybe mean meant meet might mind minute money month more most mother mouth move"
        " much music must name near need never next night nothing number offer often only open order other"
        " others otherwise over own paper part party pass past people perhaps phone place plan plane please"
        " point possible power price prefer pretty problem quick quite rather reach ready really reason right"
        " room round said same second see seem sense serve seven shall share short should show side since"
        " sleep small some soon sorry sound south speak stand start state stay still stop store story such"
        " sure table take talk tell than thank that their them then there these they thing things think third"
        " this those though three through time today together told took total touch train travel tree true"
        " trust turn twice under until upon usual very visit wait walk want was watch water weather week well"
        " went were west what when where which while white whole whose will wish with without woman wonder"
        " word work works world worse would write wrong year years yellow yesterday young your"
    ),
    month_names=tuple(name.title() for name in _MONTHS_EN.split()),
    weekday_names=tuple(name.title() for name in _DAYS_EN.split()),
    day_in_words="{weekday} {day} {month} {year}",
)

GERMAN = Language(
    months=_counted(_MONTHS_DE) | _counted("jan/jänner feb mär/maerz apr mai jun jul aug sep/sept okt nov dez"),
    weekdays=_counted(_DAYS_DE, 0),
    short_weekdays=_counted("mo di mi do fr sa so", 0),
    ordinals=_counted(
        "ersten zweiten dritten vierten fünften sechsten siebten achten neunten zehnten elften zwölften dreizehnten"
        " vierzehnten fünfzehnten sechzehnten siebzehnten achtzehnten neunzehnten zwanzigsten"
    ),
    ordinal_endings=r"\.",
    numbers={
        word: str(n)
        for word, n in _counted(
            "ein/eine/einen/einer/eins zwei/zwo drei vier fünf sechs sieben acht neun zehn elf zwölf"
        ).items()
    }
    | {"paar": "2", "dutzend": "12"},
    offsets={"übermorgen": 2, "morgen": 1, "heute": 0},
    in_days=("in", "tage?n?"),
    hours={"mittag": "12:00", "mittags": "12:00", "mitternacht": "00:00"},
    parts={
        "morgens": (300, 720),
        "früh": (300, 720),
        "vormittag": (480, 720),
        "vormittags": (480, 720),
        "nachmittag": (720, 1080),
        "nachmittags": (720, 1080),
        "abend": (1020, 1440),
        "abends": (1020, 1440),
        "nachts": (1200, 1440),
    },
    at="um|gegen|ab|vor|nach",
    clock="uhr",
    greeting="guten",
    articles=_split("der die das den dem ein eine einen am im etwa nur genau ungefähr höchstens mindestens nächsten"),
    negations=_split("nicht kein keine außer ohne"),
    corrections=_split("nein nee sorry entschuldigung doch eigentlich lieber stattdessen meine meinte ändern falsch"),
    measures=_split(
        "tag tage tagen woche wochen monat monate jahr jahre stunde stunden minute minuten nacht nächte euro"
        " eur dollar prozent km kilometer kg mg ml grad mal uhr sterne"
    ),
    pointers=_split("so was für noch welch manch solch"),
    small=_split(
        "ich mich mir mein meine wir uns du sie ihr ihre es ist sind war bin habe haben hat kann können"
        " könnte würde möchte will soll sollte und oder aber dann nach von in im am an um zu zum zur für mit"
        " als das dies was wie welche wenn bitte ok okay ja jo nein nee nicht danke hm also auch jetzt noch"
        " der die den dem des ein eine einen einer doch eigentlich lieber stattdessen meinte ändern nur"
        " vielleicht genau etwa gut gerne super prima perfekt geht ginge wäre mal"
    ),
    ordinary=_split(
        "aber alle allein alles andere anders antwort arbeit bald beide besser bitte bleiben brauche danach"
        " danke dann darum davon deren diese dieser doch durch ebenso eigene einige ende ersten etwas fast"
        " fertig frage fragen freund ganze geben gegen gehen gehört genau genug gerade gestern gibt glaube"
        " gleich größe gut guten haben hallo hatte hause heißt helfen heute hier hilfe hinter hoch hätte immer"
        " jahre jede jeder jemand jetzt kaum keine kleine kommen kommt könnte kurz lange leben leider letzte"
        " leute lieber links liste machen mehr meine menschen möchte montags morgen müssen nach nacht name"
        " neben nehmen neue nicht nichts noch nummer oben oder ohne person platz preis rechts sagen schnell"
        " schon schreiben sehen sehr seine seite selbst sicher sollte sonst spät stunde suche tage telefon"
        " termin tun über uhr unser unten unter viele vielleicht warten warum wasser weder wegen weil weiter"
        " welche welcher wenig wenn werden wetter wichtig wieder wirklich wissen woche wohin wollen worte"
        " würde zahlen zeigen zeit zurück zusammen zwischen"
    ),
    month_names=tuple(name.title() for name in _MONTHS_DE.split()),
    weekday_names=tuple(name.partition("/")[0].title() for name in _DAYS_DE.split()),
    day_in_words="{weekday}, {day}. {month} {year}",
)

LANGUAGES: Mapping[str, Language] = {"en": ENGLISH, "de": GERMAN}
