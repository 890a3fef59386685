"""What stands on the page of some topics: their questions, and what somebody ticked and typed there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vivavoce.errors import VivaError
from vivavoce.outcomes import Outcome
from vivavoce.store.rows import Run
from vivavoce.web.language import Words
from vivavoce.web.rendering import View
from vivavoce.web.visits import Visit
from vivavoce.workspace.exams.pairs import Side, draft_remedy
from vivavoce.workspace.exams.questions import QuestionLine
from vivavoce.workspace.exams.remedies import Draft, RemedyKind, explain

if TYPE_CHECKING:
    from vivavoce.intents.problem_record import Problem

# So many questions of a kind are seen at once; the others are one click away.
SHOWN = 6
MAX_TEXTS = 200


@dataclass(frozen=True, slots=True)
class Typed:
    """What somebody ticked and typed: questions with the topic (id) each goes to (empty: the usual one), new examples
    with their topic, the name of a new topic. `is_full`: the forecast is wanted with all rounds.
    """

    ticked: Mapping[int, str]
    texts: tuple[str, ...] = ()
    add_to: str = ""
    name: str = ""
    to: str = ""
    is_full: bool = False


@dataclass(frozen=True, slots=True)
class Bench:
    """Topics of a run on the page, and what somebody ticked and typed there (None: nothing yet)."""

    run: Run
    names: tuple[str, ...]
    sides: tuple[Side, ...]
    typed: Typed | None

    @property
    def ticked(self) -> Mapping[int, str]:
        """What is ticked; at first the questions that another topic answered, unless confirmed."""
        if self.typed is not None:
            return self.typed.ticked
        lines = (line for side in self.sides for line in side.taken if line.can_change and not line.confirmed)
        # Of three topics, each tick says where to.
        ids = {side.name: side.topic.id for side in self.sides if side.topic} if len(self.sides) > 2 else {}
        return {line.row.place: ids.get(line.row.guess or "", "") for line in lines}

    def draft(self, kind: RemedyKind, topics: Mapping[str, str]) -> Draft:
        """Return a remedy with what is ticked and typed; `topics`: the names of all topics by id."""
        typed = self.typed or Typed(self.ticked)
        name = typed.add_to if kind == "add_examples" else typed.name
        return draft_remedy(kind, self.sides, self.ticked, topics, typed.texts, name)


def read_typed(get: Callable[[str], Sequence[str]]) -> Typed:
    """Return what somebody ticked and typed; a tick is a place, or a place and the topic that it goes to."""

    def one(name: str) -> str:
        return next((text.strip() for text in get(name)), "")

    ticked = {}
    for value in get("question"):
        place, _, topic_id = value.partition(":")
        if place.isascii() and place.isdigit():
            ticked[int(place)] = topic_id or one("to")
    texts = [line.strip() for line in one("texts").splitlines() if line.strip()]
    return Typed(ticked, tuple(texts[:MAX_TEXTS]), one("add_to"), one("name")[:200], one("to"), bool(one("full")))


def side_view(visit: Visit, side: Side, bench: Bench) -> View:
    """Return a topic with its questions, mistakes first."""
    words, topic = visit.words, side.topic
    letters = dict(zip(bench.names, "ABC", strict=False))
    others = [other for other in bench.sides if other is not side]
    answers = topic.answers if topic else {}
    groups = (
        ("wrong", "cross", _wrong_title(words, len(bench.sides)), side.taken),
        ("unsure", "person", _unsure_title(words, len(bench.sides)), side.unsure),
        ("right", "check", words.gettext("Correct"), side.right),
    )
    return View(
        name=topic.name if topic else side.name,
        href=f"{visit.base}/topics/{topic.id}" if topic else "",
        id=topic.id if topic else "",
        letter=letters[side.name],
        # Of two topics, a tick says all; of three, each other one has a tick of its own.
        others=[
            View(letter=letters[other.name], name=other.name, id=other.topic.id if other.topic else "")
            for other in others
        ],
        count=words.ngettext("%(num)s question", "%(num)s questions", side.total),
        answer=next(filter(None, (answers.get(visit.project.language), *answers.values())), ""),
        groups=[
            View(
                tone=tone,
                icon=icon,
                title=title,
                count=visit.write.number(len(lines)),
                rows=[_row(visit, line, bench.ticked) for line in lines],
                shown=SHOWN if tone != "wrong" else len(lines),
            )
            for tone, icon, title, lines in groups
            if lines
        ],
    )


def _wrong_title(words: Words, topics: int) -> str:
    if topics == 2:
        return words.gettext("Answered from the other topic")
    return words.gettext("Answered from another topic")


def _unsure_title(words: Words, topics: int) -> str:
    if topics == 1:
        return words.gettext("Declined")
    return words.gettext("Declined, or answered from a third topic")


def _row(visit: Visit, line: QuestionLine, ticked: Mapping[int, str]) -> View:
    words, row = visit.words, line.row
    sure = visit.write.share(row.confidence)
    if line.status != "same":
        note = words.gettext("Changed since this exam")
    elif line.confirmed:
        note = words.gettext("Label is right")
    elif row.guess is None:
        note = words.gettext("No guess")
    elif row.outcome == Outcome.RIGHT:
        note = words.gettext("%(share)s sure", share=sure)
    elif row.outcome == Outcome.WRONG_INTENT:
        note = words.gettext("Goes to %(topic)s, %(share)s sure", topic=row.guess, share=sure)
    else:
        note = words.gettext("Declined; best guess %(topic)s, %(share)s sure", topic=row.guess, share=sure)
    return View(
        place=row.place,
        text=row.text,
        note=note,
        can_change=line.can_change,
        ticked=row.place in ticked,
        to=ticked.get(row.place, ""),
    )


def card_view(visit: Visit, run: Run, problem: Problem) -> View:
    """Return why topics are a problem, in words: typical examples, those at the border, the words that pull."""
    from vivavoce.reports.intents.cards import attraction_sentences
    from vivavoce.reports.intents.problem_wording import example_topic

    words = visit.words
    try:
        card = explain(visit.store, visit.project, run, problem)
    except VivaError as error:
        return View(fault=error)
    return View(
        fault=None,
        attracted=[words.said(sentence) for sentence in attraction_sentences(card)],
        typical=card.typical,
        borderline=[(each.text, words.said(example_topic(each, problem.kind))) for each in card.borderline],
        pulls=[
            (topic, [(pull.word, pull.texts) for pull in card.words if pull.topic == topic])
            for topic in dict.fromkeys(pull.topic for pull in card.words)
        ],
        asked=card.asked,
    )
