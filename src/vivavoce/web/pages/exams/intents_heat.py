"""Who takes whose questions: tinted tables whose cells open their questions beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlencode

from fastapi import Query

from vivavoce.outcomes import Outcome
from vivavoce.store.rows import Run
from vivavoce.web.pages.exams.question_rows import question_row
from vivavoce.web.progress import run_path
from vivavoce.web.rendering import View
from vivavoce.web.visits import Visit
from vivavoce.workspace.exams import questions
from vivavoce.workspace.exams.questions import Question
from vivavoce.workspace.topics.topics import topic_names

if TYPE_CHECKING:
    from vivavoce.reports.intents.heat import Counted, Heat

# A topic and the one that it was taken for; the first is empty where the question was out of scope.
CellAsked = Annotated[Sequence[str], Query(alias="cell", max_length=2)]
ANSWERED = (Outcome.RIGHT, Outcome.WRONG_INTENT, Outcome.OVERREACH)
SHOWN_QUESTIONS = 20


def count_answers(asked: Sequence[Question]) -> Counted:
    """Count the answers of an exam by question: each counts once, by what most of its tests came to."""
    from vivavoce.reports.intents.heat import Counted

    answered: dict[tuple[str, str], int] = {}
    totals: dict[str, int] = {}
    for one in asked:
        origin, row = one.origin or "", one.row
        totals[origin] = totals.get(origin, 0) + 1
        # Earlier versions kept the right guess beside some wrong answers.
        known = row.outcome == Outcome.RIGHT or row.guess != origin
        if row.outcome in ANSWERED and row.guess and known:
            answered[origin, row.guess] = answered.get((origin, row.guess), 0) + 1
    return Counted(answered, totals)


def heat_view(visit: Visit, run: Run, cell: Sequence[str], *, path: str, most: int) -> View | None:
    """Return the tables with the questions of one cell: the chosen one, else the costliest; None without mistakes."""
    from vivavoce.reports.intents.heat import build_heat

    counted = count_answers(questions.all_questions(visit.store, run))

    def address(origin: str, guess: str) -> str:
        return f"{path}?{urlencode([('cell', origin), ('cell', guess)])}#cell"

    chosen = (cell[0], cell[1]) if len(cell) == 2 else _find_costliest(build_heat(counted, most=most), counted)
    maps = build_heat(counted, address=address, current=chosen, most=most)
    if not maps:
        return None
    wrong = sum(n for (origin, guess), n in counted.answered.items() if origin and origin != guess)
    return View(
        maps=maps,
        wrong=wrong,
        shown=sum(one.wrong for one in maps),
        every=f"{run_path(visit.project, run)}/confusion",
        panel=_cell_view(visit, run, counted, chosen) if chosen else None,
    )


def _find_costliest(maps: Sequence[Heat], counted: Counted) -> tuple[str, str] | None:
    """Return the pair with most wrong answers in the first table."""
    topics = maps[0].topics if maps else ()
    pairs = [(a, b) for a in topics for b in topics if a != b and counted.answered.get((a, b))]
    return max(pairs, key=lambda pair: counted.answered[pair], default=None)


def _cell_view(visit: Visit, run: Run, counted: Counted, chosen: tuple[str, str]) -> View:
    from vivavoce.intents.problems import OUT_OF_SCOPE_SHARE

    (origin, guess), words, write = chosen, visit.words, visit.write
    lines = questions.find_cell(visit.store, visit.project, run, origin, guess)
    count, total = counted.answered.get(chosen, 0), counted.totals.get(origin, 0)
    note = words.ngettext(
        "%(part)s of %(num)s question", "%(part)s of %(num)s questions", total, part=write.number(count)
    )
    if total:
        note += f", {write.share(count / total)}"
    right = origin == guess
    if not right:
        share = run.options.get("out_of_scope_share")
        share = OUT_OF_SCOPE_SHARE if share is None else float(share)
        known = sum(n for name, n in counted.totals.items() if name)
        messages = 1000 * (share * count / max(1, total) if not origin else (1 - share) * count / max(1, known))
        note += "; " + words.gettext("affects about %(n)s in 1,000 messages", n=write.number(max(1, messages)))
    topics = {name: own for own, name in topic_names(visit.store, visit.project).items()}
    declined = sum(line.row.outcome not in ANSWERED for line in lines)
    base = run_path(visit.project, run)
    query = urlencode({"intent": origin, "guess": guess} if origin else {"outcome": "overreach", "guess": guess})
    return View(
        origin=origin,
        guess=guess,
        right=right,
        note=note,
        declined=declined,
        rows=[question_row(visit, line) for line in lines[:SHOWN_QUESTIONS]],
        more=len(lines) - SHOWN_QUESTIONS,
        may_edit=visit.who.may("editor") and not right,
        can_move=guess in topics,
        action=f"{base}/questions?{query}",
        back=f"{visit.request.url.path}?{urlencode([('cell', origin), ('cell', guess)])}#cell",
        questions=f"{base}/questions?{query}",
        topics=[(name, f"{visit.base}/topics/{topics[name]}") for name in dict.fromkeys(chosen) if name in topics],
    )
