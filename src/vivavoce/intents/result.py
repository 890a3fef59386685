"""What `examine_intents` returns: findings of every setting, the confused pairs, and what to know about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from vivavoce.errors import UsageError, nearest
from vivavoce.intents.findings import ConfusionCell, IntentFindings, Sample, SettingFindings, TimingFindings
from vivavoce.intents.losses import Loss
from vivavoce.intents.measures import CalibrationBin, RiskCoverage
from vivavoce.intents.pairs import Pair
from vivavoce.intents.problem_sentences import problem_sentence
from vivavoce.intents.problems import Problem
from vivavoce.intents.record import UnitFailure
from vivavoce.intents.splits import Design, Setting
from vivavoce.outcomes import Outcome
from vivavoce.records import Dataset, Rate
from vivavoce.version import __version__

DEFINITIONS = 1
# From this share of the examples on, one topic can decide a number that counts every question alike.
LARGE_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class Note:
    """Something the reader must know before trusting a number."""

    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Inflation:
    """How much better the score would look if near-duplicates stood on both sides of a split."""

    difference: float
    low: float | None
    high: float | None
    rows: int

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"difference": self.difference, "low": self.low, "high": self.high, "rows": self.rows}


@dataclass(frozen=True, slots=True)
class DataFacts:
    """What was examined. `largest_share`: the share of the examples with a topic that the largest topic holds."""

    source: str
    hash: str
    rows: int
    topics: int
    out_of_scope: int
    largest_topic: str | None = None
    largest_share: float | None = None

    @classmethod
    def of(cls, data: Dataset) -> DataFacts:
        """Describe a data set."""
        outside = data.intents.count(None)
        topic, size = next(iter(data.sizes.items()), (None, 0))
        share = size / (len(data) - outside) if size else None
        return cls(data.source, data.hash, len(data), len(data.sizes), outside, topic, share)

    @property
    def dominated(self) -> bool:
        """Whether the largest topic decides the numbers: a fifth of the examples, and twice an even share."""
        return self.largest_share is not None and self.largest_share >= max(LARGE_SHARE, 2 / self.topics)


@dataclass(frozen=True, eq=False)
class IntentsResult:
    """The result of an intents exam."""

    data: DataFacts
    classifier: str
    threshold: float
    design: Design
    settings: tuple[SettingFindings, ...]
    problems: tuple[Problem, ...]
    pairs: tuple[Pair, ...]
    warnings: tuple[Note, ...]
    failures: tuple[UnitFailure, ...]
    inflation: Inflation | None
    out_of_scope_share: float | None = None

    def at(self, setting: Setting) -> SettingFindings:
        """Return the findings of one setting."""
        for findings in self.settings:
            if findings.setting == setting:
                return findings
        raise UsageError(f"setting {setting} was not examined")

    def rate(self, name: str, setting: Setting | None = None) -> Rate:
        """Return a rate by its name, of the first setting unless told."""
        findings = self.settings[0] if setting is None else self.at(setting)
        if name not in findings.rates:
            raise UsageError(f"there is no number called '{name}'.{nearest(name, list(findings.rates))}")
        return findings.rates[name]

    def to_json(self) -> dict[str, Any]:
        """Return the stable JSON form."""
        return {
            **head_json("intents", self.design.seed, self.data),
            "classifier": self.classifier,
            "threshold": self.threshold,
            "retries": self.design.retries,
            "test_fraction": self.design.test_fraction,
            "partition": str(self.design.partition),
            "singletons": str(self.design.singletons),
            "out_of_scope_share": self.out_of_scope_share,
            "settings": [setting_json(findings, self.threshold) for findings in self.settings],
            "problems": [problem_json(problem) for problem in self.problems],
            "pairs": [pair_json(pair) for pair in self.pairs],
            "warnings": notes_json(self.warnings),
            "failures": [failure_json(failure) for failure in self.failures],
            "inflation": self.inflation.to_json() if self.inflation else None,
        }

    def _repr_html_(self) -> str:
        """Show the numbers in a notebook."""
        names = ("accuracy", "automation_rate", "precision_answered", "negative_rejection")
        head = "".join(f"<th>{name.replace('_', ' ')}</th>" for name in names)
        body = "".join(
            f"<tr><th>{findings.setting}</th>{''.join(rate_cell(findings.rates[name]) for name in names)}</tr>"
            for findings in self.settings
        )
        problems = "".join(f"<li>{escape(problem_sentence(problem))}</li>" for problem in self.problems[:3])
        return f"<table><tr><th>setting</th>{head}</tr>{body}</table><p>What to fix next:</p><ol>{problems}</ol>"


def rate_cell(rate: Rate) -> str:
    """Return a rate as a cell of an HTML table."""
    if rate.value is None:
        return "<td>n/a</td>"
    interval = "" if rate.low is None else f" ({rate.low:.2f} to {rate.high:.2f})"
    return f"<td>{rate.value:.3f}{interval}, n = {rate.n}</td>"


def head_json(kind: str, seed: int, data: DataFacts) -> dict[str, Any]:
    """Return what every result begins with."""
    return {
        "vivavoce": __version__,
        "kind": kind,
        "definitions": DEFINITIONS,
        "seed": seed,
        "data": data_json(data),
    }


def notes_json(notes: Sequence[Note]) -> list[dict[str, str]]:
    """Return the JSON form of warnings."""
    return [{"kind": note.kind, "message": note.message} for note in notes]


def failure_json(failure: UnitFailure) -> dict[str, Any]:
    """Return the JSON form of a retry that failed: `unit` in words, then what it was."""
    key = failure.key
    return {
        "unit": str(key),
        "k": key.setting.k,
        "p": key.setting.p,
        "retry": key.retry,
        "leak_proof": key.leak_proof,
        "reason": failure.reason,
    }


def data_json(data: DataFacts) -> dict[str, Any]:
    """Return the JSON form of what was examined."""
    return {
        "source": data.source,
        "hash": data.hash,
        "rows": data.rows,
        "topics": data.topics,
        "out_of_scope": data.out_of_scope,
        "largest_topic": data.largest_topic,
        "largest_share": data.largest_share,
    }


def setting_json(findings: SettingFindings, threshold: float = 0.5) -> dict[str, Any]:
    """Return the JSON form of one setting; `timing` is there if the clock was kept."""
    return {
        "k": findings.setting.k,
        "p": findings.setting.p,
        "same_as": None if findings.same_as is None else {"k": findings.same_as.k, "p": findings.same_as.p},
        "out_of_scope_share": findings.out_of_scope_share,
        "negatives_from": None if (lent := findings.negatives_from) is None else {"k": lent.k, "p": lent.p},
        **{name: rate.to_json() for name, rate in findings.rates.items()},
        "outcomes": {str(outcome): findings.counts[outcome] for outcome in Outcome},
        "n_test": list(findings.n_test),
        "n_train": list(findings.n_train),
        "excluded": findings.n_excluded,
        "negatives": {"topics": list(findings.low_topics), "share": findings.share_low},
        "per_intent": [intent_json(line) for line in findings.intents],
        "confusion": [confusion_json(cell) for cell in findings.confusion],
        "risk_coverage": curve_json(findings.curve, threshold),
        "calibration": bins_json(findings.bins),
        "samples": [sample_json(sample) for sample in findings.samples],
        "blind_spots": {"topics": list(findings.blind_spots.topics), "pairs": findings.blind_spots.pairs},
        **({} if findings.timing is None else {"timing": timing_json(findings.timing)}),
    }


def timing_json(timing: TimingFindings) -> dict[str, float]:
    """Return the JSON form of what was timed."""
    return {
        "split_seconds": timing.split,
        "train_seconds": timing.train,
        "classify_p50_seconds": timing.classify_p50,
        "classify_p95_seconds": timing.classify_p95,
    }


def intent_json(line: IntentFindings) -> dict[str, Any]:
    """Return the JSON form of one topic."""
    return {
        "intent": line.intent,
        "examples": line.examples,
        "recall": line.recall.to_json(),
        "precision": line.precision.to_json(),
        "deferred": line.deferred.to_json(),
        "f1": line.f1,
        "attracted": line.attracted,
        "negatives": line.negatives,
    }


def confusion_json(cell: ConfusionCell) -> dict[str, Any]:
    """Return the JSON form of one cell of the confusion matrix."""
    return {
        "origin": cell.origin,
        "guess": cell.guess,
        "negative": cell.negative,
        "answered": cell.answered,
        "deferred": cell.deferred,
    }


def sample_json(sample: Sample) -> dict[str, Any]:
    """Return the JSON form of one message."""
    return {
        "text": sample.text,
        "row": sample.row,
        "intent": sample.intent,
        "guess": sample.guess,
        "confidence": sample.confidence,
        "outcome": str(sample.outcome),
        "negative": sample.negative,
    }


def pair_json(pair: Pair) -> dict[str, Any]:
    """Return the JSON form of one confused pair."""
    return {
        "a": pair.a,
        "b": pair.b,
        "overlap": pair.overlap,
        "low": pair.low,
        "high": pair.high,
        "score": pair.score,
        "bot_overlap": pair.bot_overlap,
        "text_overlap": pair.text_overlap,
        "top3_share": pair.top3_share,
        "cost_per_100": pair.cost,
        "direction": pair.direction,
        "evidence": pair.evidence,
        "enough": pair.enough,
        "same_answer": pair.same_answer,
        "mistakes": pair.mistakes,
        "held_back": pair.held_back,
        "lost": None if pair.loss is None else loss_json(pair.loss),
        "typical_a": list(pair.typical_a),
        "typical_b": list(pair.typical_b),
        "examples": [
            {"text": e.text, "row": e.row, "intent": e.intent, "chance_a": e.chance_a, "chance_b": e.chance_b}
            for e in pair.examples
        ],
    }


def loss_json(loss: Loss) -> dict[str, Any]:
    """Return the JSON form of what is lost between two topics."""
    return {**loss.share.to_json(), "examples": loss.examples, "rows": list(loss.rows)}


def problem_json(problem: Problem) -> dict[str, Any]:
    """Return the JSON form of one problem, with a sentence about it."""
    return {**problem.to_json(), "message": problem_sentence(problem)}


def bins_json(bins: Sequence[CalibrationBin]) -> list[dict[str, float]]:
    """Return the JSON form of the bins of a calibration."""
    return [{"confidence": b.confidence, "right": b.right, "n": b.n} for b in bins]


def curve_json(curve: RiskCoverage, threshold: float = 0.5) -> Mapping[str, Any]:
    """Return about 100 places of a risk-coverage curve; `marks` are the places that tables and texts name besides.

    `n`: how many messages the whole curve has. The marks are each tenth, and the last one answered at the threshold.
    """
    steps, answered = list(curve.steps()), curve.answered(threshold)
    marks = sorted({*curve.tenths(), *([answered - 1] if answered else [])} - set(steps))
    return {
        "coverage": curve.coverage[steps].tolist(),
        "risk": curve.risk[steps].tolist(),
        "threshold": curve.thresholds[steps].tolist(),
        "n": len(curve.coverage),
        "aurc": curve.aurc,
        "augrc": curve.augrc,
        "marks": {
            "place": marks,
            "risk": curve.risk[marks].tolist(),
            "threshold": curve.thresholds[marks].tolist(),
        },
    }
