"""Topics before and after edits in one set of codes, and the splits that both sides share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vivavoce.intents.material import Material
from vivavoce.intents.splits import OUT_OF_SCOPE, Flags, Rows, Split, SplitPlan
from vivavoce.intents.whatif.edits import CORRECTIONS, Edit, MergeTopics, SplitTopic, places_of, topics_of
from vivavoce.records import Dataset
from vivavoce.text.duplicates import duplicate_groups

# The topic code of a row that is not there yet.
ABSENT = -2


@dataclass(frozen=True, eq=False)
class EditedMaterial:
    """Data before and after edits. Topics that stay keep their code; a topic that is only renamed is one that stays.

    `material` is the data after them; its added rows come last. `before`: the codes before. `judged`: by which
    topics the answers before are judged: by their own, but for rows whose label was corrected. `later`: what has
    become of each topic, None where none was merged or split. `touched`: the rows of the topics that were edited.
    """

    material: Material
    before: Rows
    judged: Rows
    later: Rows | None
    touched: Flags

    @classmethod
    def of(cls, base: Material, after: Dataset, edits: Sequence[Edit]) -> EditedMaterial:
        """Code the topics of the data after the edits."""
        names = _name_topics(base, after)
        code = {name: place for place, name in enumerate(names)}
        intents = after.intents
        labels = np.array([OUT_OF_SCOPE if i is None else code[i] for i in intents], dtype=np.intp)
        added = len(labels) - len(base)
        groups = base.groups
        if added:
            groups = np.asarray(duplicate_groups(after.texts, after.languages), dtype=np.intp)
        before = np.concatenate([base.labels, np.full(added, ABSENT, dtype=np.intp)])
        judged, corrected = before.copy(), _corrected_rows(base, edits)
        judged[corrected] = labels[corrected]
        touched_names = {name for edit in edits for name in topics_of(base.data, edit)}
        old = [place for place, name in enumerate(base.topics) if name in touched_names]
        new = [place for place, name in enumerate(names) if name in touched_names]
        touched = np.isin(before, old) | np.isin(labels, new)
        touched[corrected] = True
        later = _find_later(before, labels, corrected, edits)
        return cls(Material(after, names, labels, groups), before, judged, later, touched)


class EditedPlan(SplitPlan):
    """The splits of a plan with the topics after edits: the same questions are tested."""

    def __init__(self, plan: SplitPlan, edited: EditedMaterial) -> None:
        super().__init__(plan.labels, plan.design, plan.groups)
        self.edited = edited

    def split(self, retry: int) -> Split:
        """Return the division number `retry`: every row that is not tested trains, if it has a topic by now."""
        split, material = super().split(retry), self.edited.material
        train = material.labels != OUT_OF_SCOPE
        train[split.test] = train[split.excluded] = False
        # Rows that did not train before may have a near-duplicate in the test.
        fresh = np.flatnonzero(train & (self.edited.before < 0))
        train[fresh[np.isin(material.groups[fresh], material.groups[split.test])]] = False
        negative = material.labels[split.test] == OUT_OF_SCOPE
        return replace(split, train=np.flatnonzero(train), negative=negative)

    def changes(self, retry: int) -> bool:
        """Tell whether the round trains on anything else than before."""
        before, after = super().split(retry).train, self.split(retry).train
        edited = self.edited
        return not (
            np.array_equal(before, after) and np.array_equal(edited.before[before], edited.material.labels[after])
        )


def _name_topics(base: Material, after: Dataset) -> tuple[str, ...]:
    """Name the codes: those of the data before, then new topics; a topic with another name keeps its code."""
    names, stays = list(base.topics), set(after.sizes)
    origins: dict[str, set[int]] = {}
    for place, intent in enumerate(after.intents):
        if intent is not None and intent not in base.data.sizes:
            origins.setdefault(intent, set()).add(int(base.labels[place]) if place < len(base) else ABSENT)
    for name in sorted(origins):
        origin = next(iter(origins[name]))
        if len(origins[name]) == 1 and origin >= 0 and names[origin] not in stays and names[origin] not in origins:
            names[origin] = name
        else:
            names.append(name)
    return tuple(names)


def _corrected_rows(base: Material, edits: Sequence[Edit]) -> Rows:
    rows = {row for edit in edits if isinstance(edit, CORRECTIONS) for row in edit.rows}
    return np.array(places_of(base.data, rows), dtype=np.intp)


def _find_later(before: Rows, after: Rows, corrected: Rows, edits: Sequence[Edit]) -> Rows | None:
    """Return the code that each topic has now; None unless topics were merged, or split, and not both.

    What was split is now what its larger part is.
    """
    kinds = {type(edit) for edit in edits}
    if (MergeTopics in kinds) == (SplitTopic in kinds):
        return None
    later = np.arange(int(max(before.max(), after.max())) + 1)
    if SplitTopic in kinds:
        return later
    stayed = before >= 0
    stayed[corrected] = False
    later[before[stayed]] = after[stayed]
    return later
