"""Topics by their ids and names, and which names a topic can have."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from vivavoce.errors import AbsentError, UsageError, nearest
from vivavoce.messages import say
from vivavoce.store.cleaning import clean_text
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Topic
from vivavoce.store.transaction import Transaction

MAX_NAME = 200
# The topic that stands for "none of them" in files; nobody can call a topic so.
OUT_OF_SCOPE = "oos"
# Words that files write for "nothing"; a topic of that name could not be read back.
RESERVED = frozenset({"__other", "none", "null", "nan", OUT_OF_SCOPE})


def find_topic(tx: Transaction, project: Project, topic_id: str) -> Topic:
    """Return a topic of the project by its id."""
    topic = tx.topics.get(topic_id)
    if topic is None or topic.project_id != project.id:
        raise AbsentError(say("topic not found"), remedy=say("it may have been deleted: choose one from the list"))
    return topic


def find_named(store: Store, project: Project, name: str) -> Topic | None:
    """Return a topic by its name; None for the name that means out of scope."""
    with store.reading() as tx:
        return get_named(tx, project, name)


def get_named(tx: Transaction, project: Project, name: str) -> Topic | None:
    """Return a topic by its name; None for the name that means out of scope."""
    plain = clean_name(name)
    if plain == OUT_OF_SCOPE:
        return None
    topic = tx.topics.by_name(project.id, plain)
    if topic is None:
        names = [known.name for known in tx.topics.of_project(project.id)]
        raise AbsentError(
            say("unknown topic '{said}'.{nearest}", said=plain, nearest=nearest(plain, names)),
            remedy=say("choose an existing topic, or create it first"),
        )
    return topic


def check_name(name: str) -> str:
    """Return the name of a topic in its plain form; refuse what cannot be one."""
    plain = clean_text(clean_name(name))
    if not plain or len(plain) > MAX_NAME:
        raise UsageError(
            say("the name needs 1 to {most_name} characters", most_name=MAX_NAME),
            where="name",
            remedy=say("choose another name"),
        )
    if plain.casefold() in RESERVED:
        raise UsageError(
            say("'{said}' is a reserved word and cannot be a topic name", said=plain),
            where="name",
            remedy=say("choose another name, for example 'topic_{said}'", said=plain.strip("_").lower()),
        )
    return plain


def clean_name(name: str) -> str:
    """Return a name on one line with single blanks."""
    return " ".join(name.split())


# Shorter names differ by a letter and mean something else.
MIN_MISSPELT = 6
MIN_STEM = 4
_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_ENDINGS = ("en", "es", "n", "e", "s")


@dataclass(frozen=True, slots=True)
class Twin:
    """A name that may be another spelling of the topic `into`; `rows`: how often it stands in the file.

    `sure`: they differ in case, signs or a plural only. `folded`: its rows go to the other topic.
    """

    name: str
    into: str
    rows: int
    sure: bool = True
    folded: bool = False


def find_twins(counts: Mapping[str, int], present: Iterable[str]) -> tuple[Twin, ...]:
    """Return the names that are another spelling of a topic which is there or is more frequent in the file.

    A name that a topic has already is never one: somebody wanted both.
    """
    there = frozenset(present)
    groups: dict[str, list[str]] = {}
    for name in (*there, *(name for name in counts if name not in there)):
        groups.setdefault(_stem_name(name), []).append(name)
    chief = {stem: _choose_name(names, counts, there) for stem, names in groups.items()}
    twins = [
        Twin(name, chief[stem], counts[name])
        for stem, names in groups.items()
        for name in names
        if name != chief[stem] and name not in there
    ]
    for stem, other in _find_misspelt(sorted(groups)):
        less, more = sorted((chief[stem], chief[other]), key=lambda name: (name in there, counts.get(name, 0), name))
        if less not in there and less in counts:
            twins.append(Twin(less, more, counts[less], sure=False))
    order = {name: place for place, name in enumerate(counts)}
    return tuple(sorted(twins, key=lambda twin: (not twin.sure, order[twin.name])))


def _stem_name(name: str) -> str:
    """Return a name without case, accents, signs and plurals."""
    plain = unicodedata.normalize("NFC", name).casefold().translate(_GERMAN)
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(sign))
    words = [_cut_plural(word) for word in re.findall(r"[^\W_]+", plain)]
    return "".join(words) or name


def _cut_plural(word: str) -> str:
    if word.endswith("ies") and len(word) > MIN_STEM:
        return word[:-3] + "y"
    if word.endswith("ss"):
        return word
    ending = next((end for end in _ENDINGS if word.endswith(end) and len(word) - len(end) >= MIN_STEM), "")
    return word.removesuffix(ending)


def _choose_name(names: Sequence[str], counts: Mapping[str, int], there: frozenset[str]) -> str:
    """Return the name that stays: one that is there, else the most frequent, else the one that looks written."""
    return max(
        names, key=lambda name: (name in there, counts.get(name, 0), name[1:].islower() and name[:1].isupper())
    )


def _find_misspelt(stems: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs that differ in one letter; numbers are never a slip."""
    near: dict[tuple[str, str], list[str]] = {}
    seen: set[tuple[str, str]] = set()
    for stem in stems:
        if len(stem) < MIN_MISSPELT:
            continue
        digits = "".join(filter(str.isdigit, stem))
        cuts = {stem, *(stem[:place] + stem[place + 1 :] for place in range(len(stem)))}
        for cut in cuts:
            for other in near.setdefault((cut, digits), []):
                if (other, stem) not in seen and _is_one_apart(other, stem):
                    seen.add((other, stem))
                    yield other, stem
            near[cut, digits].append(stem)


def _is_one_apart(one: str, other: str) -> bool:
    """Say whether a letter more, less or other, or two letters swapped make one text of another."""
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    left, right = one[start:], other[start:]
    swapped = left[:2] == right[:2][::-1] and left[2:] == right[2:]
    return left[1:] == right[1:] or left[1:] == right or left == right[1:] or swapped
