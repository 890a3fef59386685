"""Classifiers side by side as pictures: each number of each, and the differences between them on one axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vivavoce.records import Rate
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.web.formats import Writer
from vivavoce.web.language import Words
from vivavoce.web.pages.exams.dot_pictures import dot_pictures
from vivavoce.web.pages.exams.findings import scope_title
from vivavoce.web.pages.exams.verdict_words import write_gap
from vivavoce.web.rendering import View

if TYPE_CHECKING:
    from vivavoce.intents.comparison import ComparisonResult
    from vivavoce.intents.splits import Setting
    from vivavoce.reports.shared.dots import Panel

SHOWN = ("accuracy", "precision_answered", "automation_rate", "negative_rejection")
# More rows than this are read better in the table.
MAX_GAPS = 10


def setting_title(words: Words, setting: Setting) -> str:
    """Return a condition of the exam by what the bot has to face in it."""
    return scope_title(words, f"{setting.k},{setting.p:g}")


def engines_figure(words: Words, result: ComparisonResult) -> View | None:
    """Return every classifier with its numbers where the first condition holds."""
    from vivavoce.reports.shared.dots import Dot, Panel

    findings = {each.name: each.settings[0] for each in result.classifiers if each.settings}
    if not findings:
        return None
    writer, panels = Writer(words), []
    best = _best(result)
    for name in SHOWN:
        dots = tuple(
            Dot(
                engine,
                own.rates[name],
                writer.value(own.rates[name].value, "share"),
                "good" if engine == best and name == "accuracy" else "accent",
            )
            for engine, own in findings.items()
        )
        # What nobody was asked about needs no place.
        if any(dot.rate.value is not None for dot in dots):
            panels.append(Panel(words.said(MEASURES[name].title), dots, none=words.gettext("none asked")))
    if not panels:
        return None
    setting = setting_title(words, next(iter(findings.values())).setting)
    wide, narrow = dot_pictures(panels, _label(panels), columns=len(panels))
    note = words.gettext(
        "%(setting)s. Dot: value; bar: where it would lie with other examples. The axes do not start at 0.",
        setting=setting,
    )
    return View(title=words.gettext("Each classifier in the same rounds"), note=note, wide=wide, narrow=narrow)


def gaps_figure(words: Words, result: ComparisonResult) -> View | None:
    """Return the differences in right decisions between each two classifiers on one axis."""
    from vivavoce.reports.shared.dots import Dot, Panel

    dots = []
    for difference in result.differences:
        test, verdict = difference.pooled.test, difference.pooled.verdict.value
        a, b, sign = difference.a, difference.b, 1
        if (test.difference or 0.0) < 0:
            # The better one is named first.
            a, b, sign = b, a, -1
        ends = sorted(sign * end for end in (test.low, test.high) if end is not None)
        low, high = ends if len(ends) == 2 else (None, None)
        value = None if test.difference is None else sign * test.difference
        gap = Rate(value, low, high, 0)
        title = words.gettext("%(a)s against %(b)s", a=a, b=b)
        clear = verdict in ("better", "worse")
        dots.append(Dot(title, gap, write_gap(words, gap, around=False), "good" if clear else "muted"))
    if not dots or len(dots) > MAX_GAPS or not any(dot.rate.value is not None for dot in dots):
        return None
    panels = [Panel("", tuple(dots), signed=True)]
    wide, narrow = dot_pictures(panels, _label(panels))
    note = words.gettext(
        "Right decisions of the first minus those of the second, in points, over all conditions; "
        "grey where it may be chance."
    )
    return View(title=words.gettext("Which differences are real?"), note=note, wide=wide, narrow=narrow)


def _best(result: ComparisonResult) -> str:
    """Return the classifier that is better than every other, by more than chance; none: an empty text."""
    beaten: dict[str, set[str]] = {each.name: set() for each in result.classifiers}
    for difference in result.differences:
        verdict = difference.pooled.verdict.value
        if verdict == "better":
            beaten[difference.a].add(difference.b)
        elif verdict == "worse":
            beaten[difference.b].add(difference.a)
    others = len(result.classifiers) - 1
    return next((name for name, own in beaten.items() if others and len(own) == others), "")


def _label(panels: list[Panel]) -> str:
    """Return what a picture shows, for those who cannot see it."""
    texts = []
    for panel in panels:
        values = ", ".join(f"{dot.label} {dot.said}" for dot in panel.dots)
        texts.append(f"{panel.title}: {values}" if panel.title else values)
    return "; ".join(texts)
