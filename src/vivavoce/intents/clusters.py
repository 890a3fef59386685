"""Topics that confuse each other, in groups small enough to look at: what a confusion matrix of 200 topics hides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

Confusions = Mapping[tuple[str, str], int]


def group_confused(confusions: Confusions, largest: int) -> tuple[tuple[str, ...], ...]:
    """Return groups of topics that take each other's questions, the group with most mistakes first.

    `confusions`: how many questions of one topic were answered with another. Where all topics with mistakes fit into
    one group, there is one. Else the strongest confusions come together first, no group has more than `largest`
    topics, and a single question joins no groups: it would chain everything to everything.
    """
    links: Counter[tuple[str, str]] = Counter()
    for (origin, guess), count in confusions.items():
        if origin != guess and count:
            links[min(origin, guess), max(origin, guess)] += count
    names = {name for link in links for name in link}
    few = len(names) <= largest
    groups = {name: [name] for name in sorted(names)}
    for (a, b), count in sorted(links.items(), key=lambda item: (-item[1], item[0])):
        one, other = groups[a], groups[b]
        if one is other or len(one) + len(other) > largest or (count < 2 and not few):
            continue
        # Topics that confuse each other most stand side by side.
        joined = [*one, *other]
        groups |= dict.fromkeys(joined, joined)
    distinct = {id(group): group for group in groups.values() if len(group) > 1}
    mistakes: Counter[int] = Counter()
    for (a, b), count in links.items():
        if groups[a] is groups[b]:
            mistakes[id(groups[a])] += count
    weighed = sorted(distinct.values(), key=lambda group: (-mistakes[id(group)], group))
    if few:
        return (tuple(name for group in weighed for name in group),) if weighed else ()
    return tuple(tuple(group) for group in weighed)
