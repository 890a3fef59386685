"""An exam that somebody else wrote: which topics have no answer, or one that nobody reads to its end?"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from vivavoce.jobs.exams.documents import canonical_json, dataset_from_bytes, json_document
from vivavoce.jobs.exams.protocol import (
    Conclusion,
    Exam,
    ExamKind,
    Finished,
    Measure,
    Options,
    ProblemNote,
    UnitPlan,
    Work,
)
from vivavoce.options import Option
from vivavoce.reports.shared.measures import Measure as Meaning
from vivavoce.statistics import wilson

MEASURES = {
    "answers_fit": Meaning(
        "answers_fit",
        "Answers that fit",
        "Of all topics, the share whose answer is there and short enough.",
        "higher",
    )
}
ANSWERS = ExamKind(
    "answers",
    "Answers",
    "Find topics without an answer, and answers that are too long.",
    units="answer_lengths:AnswerLengths",
    options=(
        Option(
            "max_letters",
            int,
            300,
            "The longest answer that people read to its end.",
            low=1,
            high=10_000,
            label="Longest answer, in letters",
            metavar="N",
            daily=True,
        ),
        Option("ignored", several=True, default=[], help="Topics that need no answer.", label="Ignored topics"),
    ),
    measures="answer_lengths:MEASURES",
    watched=("answers_fit",),
)


class AnswerLengths(Exam):
    """One unit for each topic: how long its answer is."""

    kind = ANSWERS

    def plan(self, material: bytes, options: Options) -> tuple[UnitPlan, ...]:
        checked = self.check(options)
        return tuple(UnitPlan(name, name) for name in _answers(material) if name not in checked["ignored"])

    def perform(self, work: Work) -> bytes:
        return canonical_json(len(_answers(work.material)[work.key]))

    def conclude(self, material: bytes, options: Options, finished: Finished) -> Conclusion:
        most = self.check(options)["max_letters"]
        lengths = {topic: json.loads(result) for topic, result in sorted(finished.results.items())}
        rows = [{"topic": topic, "letters": n, "fits": 0 < n <= most} for topic, n in lengths.items()]
        fits = sum(row["fits"] for row in rows)
        return Conclusion(
            headline=f"{fits} of {len(rows)} answers fit.",
            measures=(Measure("", "answers_fit", wilson(fits, len(rows))),),
            documents=(json_document("findings.json", {"kind": "answers", "max_letters": most, "answers": rows}),),
        )

    def problems(self, findings: Mapping[str, Any]) -> tuple[ProblemNote, ...]:
        worst = [row for row in findings["answers"] if not row["fits"]]
        return tuple(
            ProblemNote(
                f"The answer of '{row['topic']}' has {row['letters']} letters.",
                (row["topic"],),
                "Write one." if not row["letters"] else "Shorten it.",
            )
            for row in worst
        )


def _answers(material: bytes) -> dict[str, str]:
    return {one.intent: one.answer or "" for one in dataset_from_bytes(material).examples if one.intent is not None}
