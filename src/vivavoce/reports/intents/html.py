"""An intents exam and a check of training data as one file each: what the templates of these reports show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vivavoce.errors import plural
from vivavoce.intents.check import SEVERITIES, CheckResult, Problem
from vivavoce.intents.findings import IntentFindings, SettingFindings
from vivavoce.intents.pairs import Pair
from vivavoce.intents.problems import ENOUGH_TESTED, weakest_topics
from vivavoce.intents.result import IntentsResult, Note
from vivavoce.intents.traffic import MIXED
from vivavoce.outcomes import Outcome
from vivavoce.records import Rate
from vivavoce.reports.intents import charts, choices, problem_wording, wording
from vivavoce.reports.intents.charts import MOST_PAIRS
from vivavoce.reports.intents.meanings import MAIN, MEASURES
from vivavoce.reports.shared.numbers import interval_text, score_text, share_text
from vivavoce.reports.shared.pages import render_report
from vivavoce.reports.shared.texts import file_name
from vivavoce.reports.shared.views import Cell, Table, Tile, make_table, make_tile, rate_cell
from vivavoce.version import __version__

MAX_TOPICS, MAX_CELLS, MAX_PROBLEMS, MAX_SIZES, MAX_ROWS = 100, 40, 200, 200, 20
OPEN_PROBLEMS = 3
SEVERITY_TITLES = {"error": "Errors", "warning": "Warnings", "info": "Hints"}
GRAVE = frozenset(
    {"failed", "untestable", "few_examples", "one_topic", "few_negatives", "contradictions", "largest_topic"}
)


def render_result(result: IntentsResult) -> str:
    """Return the report of an exam: the sentence first, numbers second, details on demand."""
    title, lead = f"Intents exam of {file_name(result.data.source)}", wording.headline(result)
    view: dict[str, object] = {"notes": weigh_notes(result.warnings), "facts": _provenance(result).items()}
    if not result.settings:
        return render_report("intents.html", title, lead=lead, beside=(), result=None, **view)
    first, shown = result.settings[0], [findings for findings in result.settings if findings.same_as is None]
    ranked = choices.ranked_pairs(result, MOST_PAIRS)
    return render_report(
        "intents.html",
        title,
        lead=lead,
        beside=filter(None, (wording.strangers_sentence(result), wording.balance_sentence(result))),
        result=result,
        first=first,
        shown=shown,
        figures=charts.intents_figures(result),
        measures=MEASURES,
        wording=wording,
        problems=problem_wording,
        open_problems=OPEN_PROBLEMS,
        tiles=[_tile(result, name) for name in MAIN],
        overlap_text=_overlap_text,
        ranked=ranked,
        ranking=_ranking(ranked),
        folded=(
            ("Harmless: same answer", choices.harmless_pairs(result)),
            ("Not enough examples to tell", choices.unclear_pairs(result)),
        ),
        settings_table=_settings_table(shown),
        curve=_curve_table(first),
        calibration=_calibration_table(first),
        why_none=choices.why_none_weakest(first),
        weakest=bool(weakest_topics(first, 1)),
        confusion=_confusion_table(first),
        topics=_topic_table(first),
        questions=_questions(result),
        numbers=_all_numbers(shown),
        **view,
    )


def weigh_notes(warnings: Sequence[Note]) -> list[tuple[str, bool]]:
    """Return what to know before trusting a number, each with whether it is grave."""
    grave = {note.message for note in warnings if note.kind in GRAVE}
    return [(line, line in grave) for line in choices.short_notes(warnings, 5)]


def _tile(result: IntentsResult, name: str) -> Tile:
    findings = choices.best_source(result, name)
    rate, measure = findings.rates[name], MEASURES[name]
    around = f"{interval_text(rate) or measure.absent}; {wording.setting_title(findings).lower()}"
    return make_tile(rate, measure, around, meaning=measure.meaning)


def _overlap_text(pair: Pair) -> str:
    around = interval_text(Rate(pair.overlap, pair.low, pair.high, pair.evidence))
    return f"{share_text(pair.overlap)} ({around})"


def _ranking(pairs: Sequence[Pair]) -> Table:
    rows = [
        (
            f"{pair.a} and {pair.b}",
            _overlap_text(pair),
            share_text(pair.bot_overlap),
            share_text(pair.text_overlap),
            f"{100 * pair.top3_share:.0f} of 100",
            f"{pair.evidence:,}",
        )
        for pair in pairs
    ]
    names = ("overlap", "bot_overlap", "text_overlap", "top3_share", "evidence")
    return make_table("The pairs that overlap most", ("Topics", *[MEASURES[name] for name in names]), rows, 5)


def _settings_table(shown: Sequence[SettingFindings]) -> Table:
    rows = [
        (
            Cell(wording.setting_title(findings), f"Setting {findings.setting}"),
            *[rate_cell(findings.rates[name]) for name in MAIN],
            f"{findings.counts.total:,}",
            f"{findings.counts.negatives:,}",
        )
        for findings in shown
    ]
    head = ("What the bot has to face", *[MEASURES[name] for name in MAIN], "Tests", "Strangers")
    return make_table("Main numbers by setting, with intervals", head, rows, len(MAIN) + 2)


def _curve_table(findings: SettingFindings) -> Table:
    curve = findings.curve
    rows = [
        (
            share_text(float(curve.coverage[place])),
            share_text(float(curve.risk[place])),
            score_text(max(0.0, float(curve.thresholds[place]))),
        )
        for place in curve.tenths()
    ]
    return make_table("Wrong answers by share answered", ("Answered", "Answers wrong", "Threshold"), rows, 2)


def _calibration_table(findings: SettingFindings) -> Table:
    rows = [(share_text(b.confidence), share_text(b.right), f"{b.n:,}") for b in findings.bins]
    return make_table("Claimed and actual, in groups of like size", ("Claims", "Is right", "Questions"), rows, 2)


def _topic_table(findings: SettingFindings) -> tuple[Table, int]:
    """Return the weakest topics, and how many more there are."""
    lines = sorted(
        findings.intents, key=lambda line: (line.recall.value is None, line.recall.value or 0.0, line.intent)
    )
    names = ("examples", "recall", "deferred", "precision", "attracted")
    caption = f"Topics under setting {findings.setting}, weakest first; grey: under {ENOUGH_TESTED} tested examples"
    head = ("Topic", *[MEASURES[name] for name in names])
    return make_table(caption, head, map(_topic_row, lines[:MAX_TOPICS]), 5), len(lines) - MAX_TOPICS


def _topic_row(line: IntentFindings) -> tuple[str | Cell, ...]:
    css = "few" if line.recall.n < ENOUGH_TESTED else ""
    rates = [rate_cell(rate, css=css) for rate in (line.recall, line.deferred, line.precision)]
    return (line.intent, f"{line.examples:,}", *rates, f"{line.attracted:,}")


def _confusion_table(findings: SettingFindings) -> tuple[Table, int]:
    """Return the most frequent mistakes, and how many more there are."""
    cells = charts.confusion_values(findings, choices.confused_topics(findings, 15))
    rows = [
        (cell["origin"], cell["guess"], f"{cell['count']:,}", share_text(cell["share"])) for cell in cells[:MAX_CELLS]
    ]
    head = ("True topic", "Guess", "Tests", "Share of the topic")
    return make_table("Mistaken guesses, most frequent first", head, rows, 2), len(cells) - MAX_CELLS


def _questions(result: IntentsResult) -> tuple[SettingFindings, list[tuple[str, Table]]]:
    """Return a few questions of each outcome, drawn at random, and the setting in which they were asked."""
    findings = next(
        (one for one in result.settings if one.counts.negatives and one.same_as is None), result.settings[0]
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
        tables.append((title, make_table(caption, ("Question", "Filed under", "Guess", "Confidence"), rows, 1)))
    return findings, tables


def _all_numbers(shown: Sequence[SettingFindings]) -> Table:
    rows = [
        (
            Cell(MEASURES[name].title, href=f"#m-{name}", title=MEASURES[name].meaning),
            *[_counted(findings, name) for findings in shown],
        )
        for name in shown[0].rates
    ]
    head = ("Number", *[f"Setting {findings.setting}" for findings in shown])
    caption = "Mean over retries, its interval, and the count over all retries together"
    return make_table(caption, head, rows, len(shown))


def _counted(findings: SettingFindings, name: str) -> Cell:
    # A weighed share is not the share of what was counted.
    weighed = findings.out_of_scope_share is not None and name in MIXED
    share = None if weighed else findings.counts.shares().get(name)
    cell = rate_cell(findings.rates[name], MEASURES[name])
    count = f"{share.hits:,} of {share.n:,}" if share is not None and share.n else ""
    return cell._replace(small="; ".join(part for part in (cell.small, count) if part))


def _provenance(result: IntentsResult) -> dict[str, str]:
    """Return what is needed to get the same numbers again."""
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
        "Retries": f"{result.design.retries:,} ({result.design.partition})",
        "Test fraction": f"{result.design.test_fraction:g}",
        "Topics with one example": str(result.design.singletons),
        "Seed": f"{result.design.seed}",
    }


# --- a check -----------------------------------------------------------------------------------------------


def render_check(check: CheckResult, *, source: str = "training data") -> str:
    """Return the report of a check of training data."""
    sizes = [(topic, f"{n:,}") for topic, n in list(check.sizes.items())[:MAX_SIZES]]
    return render_report(
        "check.html",
        f"Check of {file_name(source)}",
        lead=wording.check_sentence(check),
        beside=(),
        foot=f"vivavoce {__version__}, data {check.data_hash}, {plural(check.rows, 'row')}.",
        groups=[group for severity in SEVERITIES for group in _problems(check, severity)],
        most=MAX_PROBLEMS,
        rows=_rows,
        notes=check.notes,
        figure=charts.sizes_figure(check.sizes) if check.sizes else None,
        sizes=make_table("Examples of each topic, largest first", ("Topic", "Examples"), sizes, 1),
    )


def _problems(check: CheckResult, severity: str) -> Iterator[tuple[str, list[tuple[str, list[Problem], bool]]]]:
    """Yield the problems of one severity by their kind: title, problems, and whether they are shown at once."""
    found = [problem for problem in check.problems if problem.severity == severity]
    kinds = {kind: [p for p in found if p.kind == kind] for kind in dict.fromkeys(p.kind for p in found)}
    parts = [
        (f"{wording.PROBLEM_TITLES.get(kind, kind)} ({len(own):,})", own, severity != "info" and len(own) <= 10)
        for kind, own in kinds.items()
    ]
    if parts:
        yield f"{SEVERITY_TITLES[severity]} ({len(found):,})", parts


def _rows(problem: Problem) -> str:
    """Say in which rows a problem is."""
    rows = ", ".join(str(row) for row in problem.rows[:MAX_ROWS]) + (", ..." if len(problem.rows) > MAX_ROWS else "")
    return f" {'Rows' if len(problem.rows) > 1 else 'Row'} {rows}." if rows else ""
