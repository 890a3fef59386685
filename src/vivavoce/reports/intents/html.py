"""An intents exam and a check of training data as one file each: what the templates of these reports show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vivavoce.errors import plural
from vivavoce.intents.check import SEVERITIES, CheckResult, Problem
from vivavoce.intents.findings import SettingFindings
from vivavoce.intents.pairs import Pair
from vivavoce.intents.problems import ENOUGH_TESTED, weakest_topics
from vivavoce.intents.result import IntentsResult, Note
from vivavoce.intents.traffic import MIXED
from vivavoce.outcomes import Outcome
from vivavoce.records import Rate
from vivavoce.reports.intents import charts, choices, problem_wording, wording
from vivavoce.reports.intents.charts import MAX_PAIRS
from vivavoce.reports.intents.choices import range_rows
from vivavoce.reports.intents.heat import build_heat, count_tests
from vivavoce.reports.intents.meanings import MAIN, MEASURES
from vivavoce.reports.shared.numbers import ENGLISH, interval_text, score_text, share_text
from vivavoce.reports.shared.pages import render_report
from vivavoce.reports.shared.texts import file_name
from vivavoce.reports.shared.views import Cell, Table, Tile, make_table, make_tile, rate_cell
from vivavoce.version import __version__

MAX_TOPICS, MAX_CELLS, MAX_PROBLEMS, MAX_SIZES, MAX_ROWS = 100, 40, 200, 200, 20
OPEN_PROBLEMS = 3
SHOWN_GROUPS = 4
SEVERITY_TITLES = {"error": "Errors", "warning": "Warnings", "info": "Hints"}
GRAVE = frozenset(
    {"failed", "untestable", "few_examples", "one_topic", "few_negatives", "contradictions", "largest_topic"}
)


def render_result(result: IntentsResult) -> str:
    """Return the report of an exam: the sentence first, numbers second, details on demand."""
    title, lead = f"Intents exam of {file_name(result.data.source)}", wording.headline(result)
    view: dict[str, object] = {"notes": weigh_notes(result.warnings), "facts": _list_provenance(result).items()}
    if not result.settings:
        return render_report("intents.html", title, lead=lead, beside=(), result=None, **view)
    first, distinct = result.settings[0], [findings for findings in result.settings if findings.same_as is None]
    ranked = choices.ranked_pairs(result, MAX_PAIRS)
    return render_report(
        "intents.html",
        title,
        lead=lead,
        beside=wording.further_sentences(result),
        result=result,
        first=first,
        shown=distinct,
        figures=charts.intents_figures(result),
        measures=MEASURES,
        wording=wording,
        problems=problem_wording,
        open_problems=OPEN_PROBLEMS,
        tiles=[_build_tile(result, name) for name in MAIN],
        overlap_text=_write_overlap,
        ranked=ranked,
        ranking=_build_ranking(ranked),
        folded=(
            ("Harmless: same answer", choices.harmless_pairs(result)),
            ("Not enough examples to tell", choices.unclear_pairs(result)),
        ),
        main=[MEASURES[name] for name in MAIN],
        ranges=range_rows(result, ENGLISH),
        heat=build_heat(count_tests(first), most=SHOWN_GROUPS),
        curve=_build_curve_table(first),
        calibration=_build_calibration_table(first),
        why_none=choices.explain_no_weakest(first),
        weakest=bool(weakest_topics(first, 1)),
        confusion=_build_confusion_table(first),
        topics=_build_topic_table(first),
        questions=_draw_questions(result),
        numbers=_build_numbers_table(distinct),
        **view,
    )


def weigh_notes(warnings: Sequence[Note]) -> list[tuple[str, bool]]:
    """Return what to know before trusting a number, each with whether it is grave."""
    grave = {note.message for note in warnings if note.kind in GRAVE}
    return [(line, line in grave) for line in choices.short_notes(warnings, 5)]


def _build_tile(result: IntentsResult, name: str) -> Tile:
    findings = choices.best_source(result, name)
    rate, measure = findings.rates[name], MEASURES[name]
    around = f"{interval_text(rate) or measure.absent}; {wording.setting_title(findings).lower()}"
    return make_tile(rate, measure, around, meaning=measure.meaning)


def _write_overlap(pair: Pair) -> str:
    around = interval_text(Rate(pair.overlap, pair.low, pair.high, pair.evidence))
    return f"{share_text(pair.overlap)} ({around})"


def _build_ranking(pairs: Sequence[Pair]) -> Table:
    rows = [
        (
            f"{pair.a} and {pair.b}",
            _write_overlap(pair),
            share_text(pair.bot_overlap),
            share_text(pair.text_overlap),
            f"{100 * pair.top3_share:.0f} of 100",
            f"{pair.evidence:,}",
        )
        for pair in pairs
    ]
    names = ("overlap", "bot_overlap", "text_overlap", "top3_share", "evidence")
    return make_table("Most overlapping pairs", ("Topics", *[MEASURES[name] for name in names]), rows, 5)


def _build_curve_table(findings: SettingFindings) -> Table:
    curve = findings.curve
    rows = [
        (
            share_text(float(curve.coverage[place])),
            share_text(float(curve.risk[place])),
            score_text(max(0.0, float(curve.thresholds[place]))),
        )
        for place in curve.tenths()
    ]
    return make_table("Wrong answers by share answered", ("Answered", "Wrong answers", "Threshold"), rows, 2)


def _build_calibration_table(findings: SettingFindings) -> Table:
    rows = [(share_text(b.confidence), share_text(b.right), f"{b.n:,}") for b in findings.bins]
    head = ("Claims", "Actually right", "Questions")
    return make_table("Claimed and actual confidence, in groups of equal size", head, rows, 2)


def _build_topic_table(findings: SettingFindings) -> tuple[Table, int]:
    """Return the weakest topics, and how many more there are."""
    lines = sorted(
        findings.intents, key=lambda line: (line.recall.value is None, line.recall.value or 0.0, line.intent)
    )
    rows = []
    for line in lines[:MAX_TOPICS]:
        css = "few" if line.recall.n < ENOUGH_TESTED else ""
        rates = [rate_cell(rate, css=css) for rate in (line.recall, line.deferred, line.precision)]
        rows.append((line.intent, f"{line.examples:,}", *rates, f"{line.attracted:,}"))
    names = ("examples", "recall", "deferred", "precision", "attracted")
    caption = (
        f"Topics with setting {findings.setting}, weakest first; grey: fewer than {ENOUGH_TESTED} tested examples"
    )
    return make_table(caption, ("Topic", *[MEASURES[name] for name in names]), rows, 5), len(lines) - MAX_TOPICS


def _build_confusion_table(findings: SettingFindings) -> tuple[Table, int]:
    """Return the most frequent mistakes, and how many more there are."""
    cells = charts.confusion_values(findings, choices.confused_topics(findings, 15))
    rows = [
        (cell["origin"], cell["guess"], f"{cell['count']:,}", share_text(cell["share"])) for cell in cells[:MAX_CELLS]
    ]
    head = ("Actual topic", "Guess", "Tests", "Share of topic")
    return make_table("Wrong guesses, most frequent first", head, rows, 2), len(cells) - MAX_CELLS


def _draw_questions(result: IntentsResult) -> tuple[SettingFindings, list[tuple[str, Table]]]:
    """Return a few random questions of each outcome, and their setting."""
    findings = next(
        (each for each in result.settings if each.counts.negatives and each.same_as is None), result.settings[0]
    )
    total = plural(findings.counts.total, "test")
    tables = []
    for outcome in (outcome for outcome in Outcome if findings.counts[outcome]):
        rows = [
            (f"“{s.text}”", s.intent or "none", s.guess or "none", share_text(s.confidence))
            for s in findings.samples
            if s.outcome is outcome
        ]
        caption = f"{outcome.meaning[0].upper()}{outcome.meaning[1:]}."
        title = f"{wording.OUTCOME_TITLES[outcome]}: {findings.counts[outcome]:,} of {total}"
        tables.append((title, make_table(caption, ("Question", "Topic", "Guess", "Confidence"), rows, 1)))
    return findings, tables


def _build_numbers_table(settings: Sequence[SettingFindings]) -> Table:
    rows = [
        (
            Cell(MEASURES[name].title, href=f"#m-{name}", title=MEASURES[name].meaning),
            *[_write_number(findings, name) for findings in settings],
        )
        for name in settings[0].rates
    ]
    head = ("Number", *[f"Setting {findings.setting}" for findings in settings])
    caption = "Mean over rounds, its interval, and the count over all rounds"
    return make_table(caption, head, rows, len(settings))


def _write_number(findings: SettingFindings, name: str) -> Cell:
    # A weighted share is not the share of what was counted.
    weighted = findings.out_of_scope_share is not None and name in MIXED
    share = None if weighted else findings.counts.shares().get(name)
    cell = rate_cell(findings.rates[name], MEASURES[name])
    count = f"{share.hits:,} of {share.n:,}" if share is not None and share.n else ""
    return cell._replace(small="; ".join(part for part in (cell.small, count) if part))


def _list_provenance(result: IntentsResult) -> dict[str, str]:
    """Return what one needs to reproduce the numbers."""
    data, share = result.data, result.out_of_scope_share
    return {
        "vivavoce": __version__,
        "Data": f"{data.source}: {plural(data.rows, 'row')}, {plural(data.topics, 'topic')}, "
        f"{data.out_of_scope:,} out of scope",
        "Data hash": data.hash,
        "Classifier": result.classifier,
        "Threshold": f"{result.threshold:g}",
        "Out-of-scope share": "as tested" if share is None else share_text(share),
        "Settings": ", ".join(str(findings.setting) for findings in result.settings),
        "Rounds": f"{result.design.retries:,} ({result.design.partition})",
        "Test fraction": f"{result.design.test_fraction:g}",
        "Topics with one example": str(result.design.singletons),
        "Seed": f"{result.design.seed}",
    }


def render_check(check: CheckResult, *, source: str = "training data") -> str:
    """Return the report of a check of training data."""
    sizes = [(topic, f"{n:,}") for topic, n in list(check.sizes.items())[:MAX_SIZES]]
    return render_report(
        "check.html",
        f"Check of {file_name(source)}",
        lead=wording.check_sentence(check),
        beside=(),
        foot=f"vivavoce {__version__}, data {check.data_hash}, {plural(check.rows, 'row')}.",
        groups=[group for severity in SEVERITIES for group in _group_problems(check, severity)],
        most=MAX_PROBLEMS,
        rows=_write_rows,
        notes=check.notes,
        figure=charts.sizes_figure(check.sizes) if check.sizes else None,
        sizes=make_table("Examples per topic, largest first", ("Topic", "Examples"), sizes, 1),
    )


def _group_problems(check: CheckResult, severity: str) -> Iterator[tuple[str, list[tuple[str, list[Problem], bool]]]]:
    """Yield the problems of one severity by their kind: title, problems, and whether they are open at first."""
    problems = [problem for problem in check.problems if problem.severity == severity]
    kinds = {kind: [p for p in problems if p.kind == kind] for kind in dict.fromkeys(p.kind for p in problems)}
    parts = [
        (f"{wording.PROBLEM_TITLES.get(kind, kind)} ({len(own):,})", own, severity != "info" and len(own) <= 10)
        for kind, own in kinds.items()
    ]
    if parts:
        yield f"{SEVERITY_TITLES[severity]} ({len(problems):,})", parts


def _write_rows(problem: Problem) -> str:
    rows = ", ".join(str(row) for row in problem.rows[:MAX_ROWS]) + (", ..." if len(problem.rows) > MAX_ROWS else "")
    return f" {'Rows' if len(problem.rows) > 1 else 'Row'} {rows}." if rows else ""
