"""Rows for learning and rows for testing, parted by dialogue, person or bot and never by row.

Two views of one dialogue share nearly everything: with one on each side a test asks what was learnt by heart. All
functions take one group for each row and return numbers of rows; they know no model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from vivavoce.dialogues.corpus.preprocessing import normalise
from vivavoce.dialogues.dialogue import Kind, View
from vivavoce.errors import UsageError, plural

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.intp]
    Split = tuple[Rows, Rows]

# Five splits of 90 and 10 percent, always the same.
SEEDS = (5, 7, 13, 17, 23)
HUMAN = "human"
RARE = 2
MANY = 100


def grouped_folds(groups: Sequence[Hashable], folds: int, seed: int) -> list[Split]:
    """Part the rows into folds of nearly equal size; return learning and testing rows of each."""
    members = _members(groups)
    if not 2 <= folds <= len(members):
        raise UsageError(
            f"{plural(len(members), 'group')} cannot be split into {plural(folds, 'fold')}",
            remedy="use at least 2 folds and at most as many as there are groups",
        )
    parts: list[list[int]] = [[] for _ in range(folds)]
    # Large groups first, each to the smallest fold: the sizes then differ by little. Equal ones in random order.
    for group in sorted(_shuffle(members, seed), key=lambda group: -len(members[group])):
        min(parts, key=len).extend(members[group])
    return [_split(part, len(groups)) for part in parts]


def fixed_splits(groups: Sequence[Hashable], share: float = 0.1, seeds: Sequence[int] = SEEDS) -> list[Split]:
    """Return one split for each seed: whole groups are drawn until they hold this share of the rows."""
    members = _members(groups)
    if not 0 < share < 1 or len(members) < 2:
        raise UsageError(
            f"cannot set aside a share of {share:g} of {plural(len(members), 'group')}",
            remedy="use a share between 0 and 1 and at least 2 groups",
        )
    splits = []
    for seed in seeds:
        rows: list[int] = []
        # At least one group is drawn and one is left.
        for group in _shuffle(members, seed)[:-1]:
            if rows and len(rows) >= share * len(groups):
                break
            rows += members[group]
        splits.append(_split(rows, len(groups)))
    return splits


def by_dialogue(views: Sequence[View]) -> list[str]:
    """Return the dialogue of each view."""
    return [view.dialogue.id for view in views]


def by_bot(views: Sequence[View]) -> list[str]:
    """Return the bot of each view; dialogues between people are a group of their own.

    A view whose bot has no name is refused: it may be the one that is left out.
    """
    names = [
        HUMAN if view.dialogue.bot is None and view.dialogue.kind is Kind.HUMAN_HUMAN else view.dialogue.bot
        for view in views
    ]
    if missing := names.count(None):
        raise UsageError(
            f"{plural(missing, 'view')} of {len(views):,} do not name the bot",
            remedy="add the key 'bot' to the log, or leave out clusters of similar language instead",
        )
    return [str(name) for name in names]


def language_clusters(views: Sequence[View], n: int = 12, seed: int = 0) -> list[str]:
    """Return a pseudo-bot for each view: the cluster to which the peer's language belongs.

    For data in which bots have no names. Dialogues between people get the label `human`; all views of one dialogue
    get the same label.
    """
    spoken: dict[str, str] = {}
    for view in views:
        if view.dialogue.kind is not Kind.HUMAN_HUMAN:
            text = " ".join(turn.text for turn in view.dialogue.turns if turn.speaker != view.judge)
            # Other alphabets have no normal form here.
            spoken.setdefault(view.dialogue.id, normalise(text) or " ".join(text.casefold().split()))
    labels = dict(zip(spoken, _cluster(list(spoken.values()), n, seed), strict=True))
    return [labels.get(view.dialogue.id, HUMAN) for view in views]


def check_groups(views: Sequence[View], train: Sequence[int], test: Sequence[int]) -> None:
    """Refuse a split with one dialogue, or one row, on both sides."""
    shared = {views[row].dialogue.id for row in train} & {views[row].dialogue.id for row in test}
    if shared:
        names = ", ".join(f"'{name}'" for name in sorted(shared)[:5])
        raise UsageError(
            f"{plural(len(shared), 'dialogue')} in both the training and the test rows, for example {names}",
            remedy="split the rows by dialogue, person or bot (grouped_folds), never by row",
        )


def _members(groups: Sequence[Hashable]) -> dict[Hashable, list[int]]:
    members: dict[Hashable, list[int]] = {}
    for row, group in enumerate(groups):
        members.setdefault(group, []).append(row)
    return members


def _shuffle(members: dict[Hashable, list[int]], seed: int) -> list[Hashable]:
    import numpy as np

    names = list(members)
    return [names[place] for place in np.random.default_rng(seed).permutation(len(names))]


def _split(test: Sequence[int], total: int) -> Split:
    import numpy as np

    inside = np.zeros(total, dtype=bool)
    inside[list(test)] = True
    return np.flatnonzero(~inside), np.flatnonzero(inside)


def _cluster(texts: Sequence[str], n: int, seed: int) -> list[str]:
    """Cluster texts by their words and pairs of words; label 1 is the largest cluster."""
    if len(set(texts)) < 2 or n < 2:
        return ["bot-01"] * len(texts)
    from sklearn.cluster import KMeans
    from sklearn.feature_extraction.text import TfidfVectorizer

    rarest = RARE if len(texts) >= MANY else 1
    vectors = TfidfVectorizer(tokenizer=str.split, token_pattern=None, ngram_range=(1, 2), min_df=rarest)
    number = min(n, len(set(texts)))
    labels = KMeans(number, n_init=3, random_state=seed).fit_predict(vectors.fit_transform(texts)).tolist()
    order = {label: place for place, (label, _) in enumerate(Counter(labels).most_common(), 1)}
    return [f"bot-{order[label]:02d}" for label in labels]
