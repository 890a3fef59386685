"""The gazetteer: cities over 15,000 people, countries and regions, by their names in four languages.

`tools/make_places.py` makes the shipped list from GeoNames, CLDR and regions written by hand.
"""

from __future__ import annotations

import lzma
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from vivavoce.assistant.entities.forms import HAN, fold, folds

WORD = "*"
CITY, COUNTRY, REGION = "geo", "country", "region"


class Place(NamedTuple):
    """A city, a country or a region. `regions`: GeoNames' codes of the regions of a country that it is or lies in."""

    key: str
    name: str
    country: str
    regions: tuple[str, ...]
    population: int

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens by which openings there are found: those of the place, of its region and of its country."""
        if self.key.startswith(COUNTRY):
            return (self.key.lower(),)
        parts = (f"region{self.country}{code}".lower() for code in self.regions)
        own = (self.key.lower(),) if self.key.startswith(CITY) else ()
        return (*own, *parts, f"{COUNTRY}{self.country}".lower())

    @property
    def wanted(self) -> tuple[str, ...]:
        """The tokens of which an opening in this place has one."""
        return self.tokens[: max(1, len(self.regions))] if self.key.startswith(REGION) else self.tokens[:1]


@dataclass(frozen=True, slots=True)
class Named:
    """A name in the gazetteer. `is_word`: it is a frequent word as well, so it needs a capital and a preposition."""

    place: Place
    name: str
    is_word: bool
    is_main: bool


@dataclass(frozen=True, eq=False)
class Gazetteer:
    """All names, folded; of places that share one, the largest."""

    latin: dict[str, Named]
    han: dict[str, Named]
    by_key: dict[str, Place]
    longest_han: int


@lru_cache(maxsize=1)
def load_gazetteer() -> Gazetteer:
    """Read the shipped list; it is kept in the process."""
    latin: dict[str, Named] = {}
    han: dict[str, Named] = {}
    by_key: dict[str, Place] = {}
    packed = (files("vivavoce.assistant.entities") / "places.txt.xz").read_bytes()
    # Countries and regions come first, then cities by population: the first place of a name keeps it.
    for line in lzma.decompress(packed).decode().splitlines():
        key, country, regions, population, listed = line.split("\t")
        names = listed.split("|")
        main = names[0].removesuffix(WORD)
        place = Place(key, main, country, tuple(filter(None, regions.split("+"))), int(population))
        by_key.setdefault(key, place)
        for number, marked in enumerate(names):
            name = marked.removesuffix(WORD)
            entry = Named(place, name, name != marked, number == 0)
            if is_han(name):
                han.setdefault(name, entry)
            else:
                for form in folds(name):
                    latin.setdefault(_spaced(form), entry)
    return Gazetteer(latin, han, by_key, max(map(len, han)))


def is_han(name: str) -> bool:
    """Tell whether a name is written in Chinese characters."""
    return "\u3400" <= name[0] <= "\u9fff"


def _spaced(form: str) -> str:
    return " ".join("".join(letter if letter.isalnum() else " " for letter in form).split())


def find_place(key: str) -> Place | None:
    """Return the place of a key."""
    return load_gazetteer().by_key.get(key)


def place_named(name: str, country: str = "") -> Place | None:
    """Return the place of a name as openings write it: `Köln`, `Frankfurt am Main`, `München (Süd)`, `上海市`."""
    gazetteer = load_gazetteer()
    for part in (name, *name.replace("/", ",").replace("(", ",").replace(")", ",").split(",")):
        named = gazetteer.latin.get(_spaced(fold(part))) or gazetteer.han.get(part.strip())
        if named and (not country or named.place.country == country):
            return named.place
    return None


__all__ = ["HAN", "Gazetteer", "Named", "Place", "find_place", "load_gazetteer", "place_named"]
