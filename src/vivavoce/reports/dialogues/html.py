"""A dialogues exam as one file: whether the scores can be trusted first, then scores, bots and talks to read."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from vivavoce.dialogues.result import DialoguesResult
from vivavoce.reports.dialogues import sections, wording
from vivavoce.reports.intents.html import page
from vivavoce.reports.shared.parts import prose
from vivavoce.reports.shared.tags import Html, join, tag
from vivavoce.version import __version__

MOST_TITLE = 120


def render_dialogues(result: DialoguesResult) -> str:
    """Return the report of a dialogues exam; of a large log, the talks that are worth reading."""
    talks = wording.scored(result)
    title = f"Dialogues exam of {wording.short(wording.file_name(result.source), MOST_TITLE)}"
    by_id = {talk.dialogue.id: talk for talk in wording.talks_of(result)}
    main = tag(
        "main",
        sections.tiles(result, talks) if result.scores else None,
        sections.about_scores(result, talks),
        sections.about_bots(result),
        sections.about_queue(result, by_id),
        sections.about_lowest(talks),
        sections.about_highest(talks),
        sections.about_refused(result),
        sections.about_trust(result),
        sections.notes(wording.remarks(result)),
        sections.glossary(),
    )
    return _dressed(page(title, join([_top(result, title), main, _provenance(result)])))


def _top(result: DialoguesResult, title: str) -> Html:
    verdict, drift = wording.clean(wording.because(result)), wording.drift_warning(result.passport)
    return tag(
        "header",
        tag("h1", title),
        # Whether the numbers may be used at all is said before any of them.
        tag("p", wording.headline(result), class_="lead"),
        tag("p", prose(verdict), class_="second") if verdict else None,
        tag("p", drift, class_="severity") if drift else None,
        tag("p", wording.counts_sentence(result), class_="muted"),
    )


def _provenance(result: DialoguesResult) -> Html:
    facts = {"vivavoce": __version__, "Dialogues": wording.short(result.source, 400), "Rater": result.passport.rater}
    parts = [join([tag("dt", name), tag("dd", wording.clean(said))]) for name, said in facts.items()]
    return tag("footer", tag("dl", *parts))


def _dressed(html: str) -> str:
    """Add the styles of talks to those of all reports."""
    return html.replace("</head>", f"{tag('style', _style())}</head>", 1)


@cache
def _style() -> Html:
    return Html(files("vivavoce.reports").joinpath("dialogue_report.css").read_text(encoding="utf-8"))
