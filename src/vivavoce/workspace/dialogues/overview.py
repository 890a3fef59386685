"""All dialogues of a project at a glance: what happened in them, week by week, and which ones a filter leaves."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

from vivavoce.dialogues.facts import Fact, FactKind, find_facts
from vivavoce.dialogues.result import DialoguesResult
from vivavoce.dialogues.scored import count_scores
from vivavoce.errors import AbsentError
from vivavoce.kept import Kept
from vivavoce.messages import restore_messages, say
from vivavoce.records import Rate
from vivavoce.statistics import wilson
from vivavoce.store.cleaning import clean_text
from vivavoce.store.database import Store
from vivavoce.store.repositories.dialogues import DialogueFilter
from vivavoce.store.rows import DialogueRow, Project, Run, RunState
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.dialogues.dialogues import BAD_SCORE, began_at, title_of, to_dialogue
from vivavoce.workspace.exams.runs import FINDINGS, document

Band = Literal["low", "middle", "high", "none"]
BANDS: tuple[Band, ...] = ("low", "middle", "high", "none")
# A dialogue that scores at least this is one that a person would call a good one.
GOOD_SCORE = 3.5
# An interval around a mean of fewer scores would pretend to know more than it does.
MIN_SCORES = 10
# What went wrong, the gravest first: all facts but thanks.
TROUBLES = tuple(kind for kind in FactKind if kind is not FactKind.THANKED)
_WRONG = frozenset(TROUBLES)
# The filter for dialogues in which nothing went wrong that the facts know of.
NOTHING = "none"


@dataclass(frozen=True, slots=True)
class Known:
    """What never changes about a stored dialogue. `dated`: its log says when it was held, else it is the import."""

    id: str
    name: str
    title: str
    batch: str
    bot: str
    messages: int
    at: datetime
    dated: bool
    facts: tuple[Fact, ...]
    kinds: frozenset[FactKind]

    @property
    def week(self) -> date:
        """The Monday of the week in which it was held."""
        day = self.at.astimezone(UTC).date()
        return day - timedelta(days=day.weekday())


@dataclass(frozen=True, slots=True)
class Line:
    """A dialogue with its newest score, and whether a person has rated it."""

    known: Known
    score: float | None
    rated: bool

    @property
    def band(self) -> Band:
        """Whether the score is low, high or between."""
        return band_of(self.score)


@dataclass(frozen=True, slots=True)
class Choice:
    """Which dialogues are wanted; empty: all. `week`: its Monday, as 2026-01-31."""

    bot: str = ""
    batch: str = ""
    fact: str = ""
    band: str = ""
    rated: str = ""
    week: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Dialogues in which the same thing happened. `kind` None: nothing that the facts know of."""

    kind: FactKind | None
    count: int
    rate: Rate


@dataclass(frozen=True, slots=True)
class Week:
    """The dialogues of one week: how often the bot did not understand, and their mean score."""

    monday: date
    count: int
    fallbacks: Rate
    score: Rate


_KNOWN: Kept[tuple[Known, ...]] = Kept(12)
# How each filter reads a dialogue.
_READ: Mapping[str, Callable[[Line], Iterable[str]]] = {
    "bot": lambda line: (line.known.bot,),
    "batch": lambda line: (line.known.batch,),
    "fact": lambda line: line.known.kinds if line.known.kinds & _WRONG else (*line.known.kinds, NOTHING),
    "band": lambda line: (line.band,),
    "rated": lambda line: ("with" if line.rated else "without",),
    "week": lambda line: (line.known.week.isoformat(),),
}


def band_of(score: float | None) -> Band:
    """Return whether a score is low, high or between."""
    if score is None:
        return "none"
    return "low" if score < BAD_SCORE else "high" if score >= GOOD_SCORE else "middle"


def look_over(store: Store, project: Project, search: str = "") -> tuple[Line, ...]:
    """Return all dialogues of a project, the worst first; `search` leaves those in which these words were said."""
    with store.reading() as tx:
        known = list_known(tx, project)
        scores = tx.dialogues.newest_scores(project.id)
        rated = set(tx.dialogues.list_ids(project.id, DialogueFilter(rated=True)))
        if words := clean_text(search).strip():
            ids = set(tx.dialogues.list_ids(project.id, DialogueFilter(search=words)))
            known = tuple(each for each in known if each.id in ids)
    return sort_worst([Line(each, scores.get(each.id), each.id in rated) for each in known])


def lines_of_run(store: Store, project: Project, run: Run) -> tuple[Line, ...]:
    """Return the dialogues that a run looked at, with their scores in it, the worst first."""
    with store.reading() as tx:
        known = {each.id: each for each in list_known(tx, project)}
        scores = tx.scores.by_dialogue(run.id)
    return sort_worst(Line(known[each], score, rated=False) for each, score in scores.items() if each in known)


def list_known(tx: Transaction, project: Project) -> tuple[Known, ...]:
    """Return what is known of each dialogue; read once in a process, until some come or go."""
    key = (project.id, *tx.dialogues.state(project.id))
    return _KNOWN.get(key, lambda: tuple(map(_know, tx.dialogues.of_project(project.id))))


def facts_of(row: DialogueRow) -> tuple[Fact, ...]:
    """Return what happened in one stored dialogue."""
    return find_facts(to_dialogue(row).turns)


def _know(row: DialogueRow) -> Known:
    began, facts = began_at(row.turns), facts_of(row)
    at = began or row.created
    return Known(
        row.id,
        row.name,
        title_of(row.turns),
        row.batch,
        row.bot or "",
        len(row.turns),
        at if at.tzinfo else at.replace(tzinfo=UTC),
        began is not None,
        facts,
        frozenset(fact.kind for fact in facts),
    )


def sort_worst(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Return the lowest scores first, then those without a score; among equals, the most that went wrong."""

    def rank(line: Line) -> tuple[bool, float, int]:
        wrong = sum(len(TROUBLES) - place for place, kind in enumerate(TROUBLES) if kind in line.known.kinds)
        return line.score is None, line.score or 0.0, -wrong

    return tuple(sorted(lines, key=rank))


def choose(lines: Sequence[Line], choice: Choice, but: str = "") -> tuple[Line, ...]:
    """Return the dialogues that are wanted; `but` names a filter that is left out."""
    wanted = [(_READ[name], value) for name in _READ if name != but and (value := getattr(choice, name))]
    return tuple(line for line in lines if all(value in read(line) for read, value in wanted))


def count_choices(lines: Sequence[Line], choice: Choice, name: str) -> Counter[str]:
    """Return how many dialogues each value of a filter would leave, beside the other filters."""
    return Counter(str(value) for line in choose(lines, choice, name) for value in _READ[name](line) if value)


def share_of(lines: Sequence[Line], kind: FactKind) -> Rate:
    """Return the share of dialogues in which something happened."""
    return wilson(sum(kind in line.known.kinds for line in lines), len(lines))


def mean_score(lines: Sequence[Line]) -> Rate:
    """Return the mean score with its interval; without one where there are few."""
    from vivavoce.statistics import student

    values = [line.score for line in lines if line.score is not None]
    if not values:
        return Rate(None, None, None, 0)
    mean = sum(values) / len(values)
    if len(values) < MIN_SCORES:
        return Rate(mean, None, None, len(values))
    deviation = (sum((value - mean) ** 2 for value in values) / (len(values) - 1)) ** 0.5
    around = student(len(values) - 1) * deviation / len(values) ** 0.5
    return Rate(mean, max(1.0, mean - around), min(5.0, mean + around), len(values))


def group_by_fact(lines: Sequence[Line]) -> tuple[Group, ...]:
    """Return what went wrong in these dialogues, the most frequent first, and last those without such a fact."""
    counts = Counter(kind for line in lines for kind in line.known.kinds if kind in TROUBLES)
    groups = [Group(kind, n, wilson(n, len(lines))) for kind, n in counts.most_common()]
    plain = sum(not line.known.kinds & _WRONG for line in lines)
    return (*groups, Group(None, plain, wilson(plain, len(lines)))) if plain else tuple(groups)


def list_weeks(lines: Sequence[Line]) -> tuple[Week, ...]:
    """Return the weeks in which dialogues were held, the oldest first."""
    weeks: dict[date, list[Line]] = {}
    for line in lines:
        weeks.setdefault(line.known.week, []).append(line)
    return tuple(
        Week(monday, len(own), share_of(own, FactKind.FALLBACK), mean_score(own))
        for monday, own in sorted(weeks.items())
    )


ALL = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """Why talks got no score, how many, and which came first."""

    reason: str
    count: int
    first: str


@dataclass(frozen=True, slots=True)
class TalksFound:
    """What a run found. `result` has no talks; `spread`: how many fall in each half point, of all ("") and by bot."""

    result: DialoguesResult
    talks: int
    scored: int
    marked: int
    mean: Rate
    spread: Mapping[str, tuple[int, ...]]
    refused: tuple[Refused, ...]


_FINDINGS: Kept[TalksFound] = Kept(12)


def findings_of(store: Store, run: Run) -> TalksFound:
    """Return what a finished run found; read once in a process."""
    if run.state is not RunState.DONE:
        raise AbsentError(
            say("run {number} has no result: it is {state}", number=run.number, state=run.state),
            remedy=say("wait until it is done, or resume it"),
        )
    return _FINDINGS.get((run.id, run.version), lambda: _read(store, run))


def _read(store: Store, run: Run) -> TalksFound:
    from vivavoce.dialogues.json_form import dialogues_result_from_json

    data = restore_messages(json.loads(document(store, run, FINDINGS)))
    dialogues: list[Mapping[str, Any]] = data["scores"]
    with store.reading() as tx:
        means = [row for row in tx.measures.of_run(run.id) if row.scope == ALL and row.name == "score"]
    refused: dict[str, list[str]] = defaultdict(list)
    for dialogue in dialogues:
        if dialogue["score"] is None:
            refused[dialogue.get("refusal", "") or "no reason given"].append(dialogue["id"])
    most_first = sorted(refused.items(), key=lambda item: -len(item[1]))
    return TalksFound(
        # Thousands of dialogues with all their effects would stay in memory, and no page shows them.
        result=dialogues_result_from_json({**data, "scores": [], "people": []}),
        talks=len(dialogues),
        scored=sum(dialogue["score"] is not None for dialogue in dialogues),
        marked=sum(dialogue["mark"] is not None for dialogue in dialogues),
        mean=Rate(*(means[0].value, means[0].low, means[0].high, means[0].n) if means else (None, None, None, 0)),
        spread=_count_spread(dialogues),
        refused=tuple(Refused(reason, len(names), names[0]) for reason, names in most_first),
    )


def _count_spread(dialogues: Iterable[Mapping[str, Any]]) -> dict[str, tuple[int, ...]]:
    """Count the dialogues of all bots and of each in every half point; a single bot is all."""
    own: dict[str, list[float]] = defaultdict(list)
    for dialogue in dialogues:
        if dialogue["score"] is not None:
            own[ALL].append(dialogue["score"])
            if dialogue["bot"]:
                own[dialogue["bot"]].append(dialogue["score"])
    ordered = sorted(own.items(), key=lambda item: (item[0] != ALL, -len(item[1]), item[0]))
    return {bot: tuple(count_scores(values)) for bot, values in (ordered if len(ordered) > 2 else ordered[:1])}
