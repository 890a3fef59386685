"""Words of a message, and a cheap guess at its language."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import islice

from vivavoce.languages import Use, list_codes

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HAN_RUN = re.compile(f"[{_HAN}]+")
_HAN_CHARACTER = re.compile(f"[{_HAN}]")
_KANA = re.compile("[\u3040-\u30ff]")
_TOKEN = re.compile(rf"[{_HAN}]+|(?:(?![{_HAN}])[^\W_])+(?:'(?:(?![{_HAN}])[^\W_])+)*")

# French elisions come before a vowel or a mute h. "aujourd'hui" stays; English contractions do not fit.
_ELISION = re.compile(r"^((?:jusqu|lorsqu|puisqu|quoiqu|presqu|quelqu|qu|[cdjlmnst])')(?=[aeiouyhàâäæèéêëîïôöœùûü])")
_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ＇`´", "'"))

# Only words that the other two languages do not use as common words: "die", "in" or "on" would mislead.
_STOP_WORDS = {
    word: language
    for language, listed in {
        "en": "the and of is are i i'm my you your what how do does don't can can't to for with it this that"
        " not have has would when where why which who there please if we they be get need want about from",
        "de": "der das und ist sind ich mein meine meinen sie ihr ihre wie kann nicht ein eine einen einem"
        " einer zu mit für auf den dem wo wann wer warum welche welcher gibt es bei haben habe hat wird"
        " werden möchte bitte wenn wir auch noch von zum zur über oder aber geht's als mir mich kein keine",
        "fr": "le la les est sont je mon ma mes vous votre vos que quel quelle quels quelles comment puis"
        " pas un une des du avec pour il elle ce cette ces où quand pourquoi qui y ne au aux sur dans en"
        " avez ai suis être si nous ou mais l d j c n qu cela ça",
    }.items()
    for word in listed.split()
}
_BY_STOP_WORDS = tuple(dict.fromkeys(_STOP_WORDS.values()))
# Looked at only where none of the above is plain, or French is: Spanish says la, un and que as well.
_FURTHER_WORDS = {
    "es": "el la los las un una unos unas de del al y o que en es son está están por para con sin se su sus mi"
    " mis tu me te lo le no si sí como cómo qué cuál cuándo cuánto cuánta cuántos dónde quién puedo puede"
    " hay tengo tiene quiero muy más pero este esta esto ese eso yo usted ustedes ha he hacer hoy mañana"
    " día días",
    "it": "il lo la i gli le un uno una di del della dello dei degli delle da dal dalla a al alla ai e o che è"
    " sono per con in nel nella su sul mi ti si ci mio mia tuo suo non come cosa qual quale quando quanto"
    " quanti dove chi perché posso può ho ha hai voglio più ma questo questa oggi domani giorno giorni"
    " fino mie miei",
    "nl": "de het een en of van in op te met voor aan naar uit bij dat die deze dit is zijn was ik je jij u wij"
    " we mijn jouw uw hun niet geen wat wie waar wanneer hoe waarom welke kan kunnen moet wil heb heeft er"
    " ook nog maar om als over tot morgen vandaag mij dan dag dagen worden wordt vanavond vanmiddag",
    "pt": "o a os as um uma uns umas de do da dos das e ou que em no na nos nas é são está por para com sem se"
    " seu sua meu minha me te não sim como qual quando quanto onde quem porquê posso pode há tenho tem"
    " quero muito mais mas este esta isso isto eu você vocês fazer hoje amanhã dia dias ao à pelo pela",
}
_MORE_FRENCH = "et à de se me te tu plus son sa ses ton ta tes lui leur"
# Everyday words of English or German that mean something else in one of these languages.
_MISLEADING = "a an as come con dag dan dat de die do e er he i in is me met no o of over so son te u was we wie"
_KNOWN_WORDS = {
    **{language: frozenset(listed.split()) for language, listed in _FURTHER_WORDS.items()},
    "fr": frozenset(word for word, language in _STOP_WORDS.items() if language == "fr").union(_MORE_FRENCH.split()),
}
_TIMES_LISTED = Counter(word for known in _KNOWN_WORDS.values() for word in known)
_OWN_WORDS = {
    language: frozenset(word for word in known.difference(_MISLEADING.split()) if _TIMES_LISTED[word] == 1)
    for language, known in _KNOWN_WORDS.items()
}
_SAMPLED_TEXTS = 2000
_MIN_SHARE = 0.1
_MIN_FURTHER_SHARE = 0.25
_MIN_VOTES = 2


def words(text: str, language: str = "auto") -> list[str]:
    """Return the lower-cased words of a text.

    Accents and umlauts stay. `don't` stays whole; French elisions part (`l'entretien` -> `l`, `entretien`)
    unless `language` names another language. Chinese is cut by jieba where that is installed, else into
    single characters and pairs of them.
    """
    plain = unicodedata.normalize("NFC", text).lower().translate(_APOSTROPHES)
    parts: list[str] = []
    for token in _TOKEN.findall(plain):
        if _HAN_CHARACTER.match(token):
            parts += _load_cutter()(token)
        elif language in ("auto", "fr") and "'" in token:
            parts += _part_elision(token)
        else:
            parts.append(token)
    return parts


def guess_language(texts: Iterable[str]) -> str:
    """Return the code of the language of a collection of texts; `und` for words that no language here claims.

    Decided by script and by counting stop words in the first 2,000 texts; `en` breaks ties and is returned for
    texts without any letters.
    """
    sample = list(islice(texts, _SAMPLED_TEXTS))
    joined = "\n".join(sample)
    letters = sum(map(str.isalpha, joined))
    han = len(_HAN_CHARACTER.findall(joined))
    if letters == 0:
        return "en"
    # A Chinese character carries about as much as a word of five letters.
    if han * 5 >= letters - han:
        return "und" if len(_KANA.findall(joined)) * 10 > han else "zh"
    tokens = words(_HAN_RUN.sub(" ", joined))
    votes = Counter(_STOP_WORDS[word] for word in tokens if word in _STOP_WORDS)
    best = max(_BY_STOP_WORDS, key=lambda language: votes[language])
    # Other languages share a few of these words: a language that is meant uses them all the time.
    plain = votes[best] > 0 and votes[best] >= _MIN_SHARE * len(tokens)
    if plain and best != "fr":
        return best
    return _guess_further(tokens) or ("fr" if plain else "und")


def choose_language(texts: Iterable[str], named: Sequence[str] = ()) -> str:
    """Return the first of the languages that were named for these texts; without any, the guess.

    English is not taken at its word: projects are English until somebody chooses, and many texts never are.
    """
    usual = named[0] if named else ""
    return usual if usual != "en" and usual in list_codes(Use.PROJECTS) else guess_language(texts)


def is_chinese(text: str) -> bool:
    """Tell whether a text is Chinese by its characters; a few Latin words may stand in it."""
    letters, han = sum(map(str.isalpha, text)), len(_HAN_CHARACTER.findall(text))
    return han > 0 and han * 5 >= letters - han and not _KANA.search(text)


def guess_text_language(text: str, usual: str) -> str:
    """Return the language of one text among texts of a `usual` language, which holds unless another one is plain.

    Plain means Chinese characters, or at least two common words of another language and none of the usual one.
    Single letters do not count: English texts name C, J or Y.
    """
    if is_chinese(text):
        return "zh"
    tokens = words(text)
    votes = Counter(_STOP_WORDS[word] for word in set(tokens) if len(word) > 1 and word in _STOP_WORDS)
    best = max(_BY_STOP_WORDS, key=lambda language: votes[language])
    own = frozenset() if usual in _BY_STOP_WORDS else _OWN_WORDS.get(usual, frozenset())
    if votes[best] < _MIN_VOTES or votes[usual] or not own.isdisjoint(tokens):
        return usual
    return (_guess_further(tokens) or best) if best == "fr" else best


def _guess_further(tokens: Sequence[str]) -> str:
    """Return the language of words that are not plainly English or German; nothing if it is French or unclear."""
    # Words that several languages share decide nothing; but a language that is meant uses them all the time.
    own = {language: sum(token in known for token in tokens) for language, known in _OWN_WORDS.items()}
    best = max(own, key=lambda language: own[language])
    share = sum(token in _KNOWN_WORDS[best] for token in tokens) / max(1, len(tokens))
    return best if own[best] > own["fr"] and share >= _MIN_FURTHER_SHARE else ""


def _part_elision(token: str) -> list[str]:
    match = _ELISION.match(token)
    if match is None:
        return [token]
    return [match[1].rstrip("'"), *_part_elision(token[match.end() :])]


@lru_cache(maxsize=1)
def _load_cutter() -> Callable[[str], list[str]]:
    try:
        with warnings.catch_warnings():
            # jieba's own code warns on import: old escapes in its patterns, the deprecated pkg_resources.
            warnings.simplefilter("ignore")
            import jieba

            jieba.setLogLevel(60)
            tokenizer = jieba.Tokenizer()
            # Its usual start reads a cache of a fixed name in the shared temporary folder, which any other
            # user may have put there. Building the table costs a second and trusts the installed package alone.
            tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    except ImportError:
        return lambda run: [*run, *(run[start : start + 2] for start in range(len(run) - 1))]
    tokenizer.initialized = True
    cut: Callable[[str], list[str]] = tokenizer.lcut
    return cut
