"""What an import would do: its first rows as a sheet, what happens, names that are one, rows that need somebody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from vivavoce.errors import InputError
from vivavoce.files.datasets import ROWS_ABOVE
from vivavoce.files.tables import BLANK_ROWS
from vivavoce.files.xlsx import ONE_SHEET
from vivavoce.messages import Message
from vivavoce.records import AUTO
from vivavoce.web.forms import MAX_WHY, Fields
from vivavoce.web.language import Words, gettext_noop
from vivavoce.web.parts import Choice, Field
from vivavoce.web.rendering import View
from vivavoce.web.uploads import (
    asked_rows,
    encoding_field,
    file_facts,
    read_encoding,
    read_layout,
    rows_part,
    sheet_part,
)
from vivavoce.web.visits import Visit
from vivavoce.workspace.topics.importing import Preview, settled_choices
from vivavoce.workspace.topics.incoming import (
    MISSING,
    MODES,
    ROLES,
    SEVERAL,
    Choices,
    ColumnRole,
    Kind,
    Missing,
    Mode,
    PlannedRow,
    Several,
)

SHOWN_NAMES = 20
SHOWN_NEEDY = 8
SHOWN_TWINS = 40
MAX_TOPICS = 500
SLOW_ROWS = 20_000
KIND_TITLES: Mapping[Kind, str] = {
    "refused": gettext_noop("Rejected"),
    "changed": gettext_noop("Accepted and corrected"),
    "joined": gettext_noop("Merged with existing"),
    "added": gettext_noop("Accepted"),
}
ROLE_TITLES: Mapping[ColumnRole, str] = {
    "text": gettext_noop("Message"),
    "topic": gettext_noop("Topic"),
    "answer": gettext_noop("Answer"),
    "created": gettext_noop("Date"),
    "language": gettext_noop("Language"),
    "owner": gettext_noop("Owner"),
    "": gettext_noop("Leave out"),
}
# What the sheet on the page shows anyway.
SHOWN_ELSEWHERE = frozenset({BLANK_ROWS, ONE_SHEET, ROWS_ABOVE})


def read_choices(form: Fields, preview: Preview) -> Choices:
    """Return the choices of the form under a preview; a form without them changes none."""
    settled = settled_choices(preview)
    if not form.flag("choices"):
        return settled
    layout = read_layout(form, preview.layout, ROLES)
    offered, folded = preview.plan.twins, form.all("fold")
    apart = {twin.name for twin in offered if twin.sure and twin.name not in folded}
    together = {twin.name for twin in offered if not twin.sure and twin.name in folded}
    names = {twin.name for twin in offered}
    return replace(
        settled,
        **layout,
        encoding=read_encoding(form),
        out_of_scope=form.text("out_of_scope", most=200) or AUTO,
        topic=form.text("topic", most=200),
        missing=cast(Missing, form.choice("missing", MISSING, "refuse")),
        several=cast(Several, form.choice("several", SEVERAL, settled.several)),
        mode=cast(Mode, form.choice("mode", MODES, "add")),
        overwrite=form.flag("overwrite"),
        given=_read_given(form, preview),
        apart=tuple(sorted({*settled.apart} - names | apart)),
        together=tuple(sorted({*settled.together} - names | together)),
    )


def _read_given(form: Fields, preview: Preview) -> dict[str, str]:
    shown = {str(row.number): form.text(f"topic_{row.number}", most=200) for row in _list_needy(preview)}
    return {number: name for number, name in {**preview.choices.given, **shown}.items() if name}


def make_view(visit: Visit, preview: Preview, kind: str, number: int, error: InputError | None) -> View:
    """Return what the page of a preview shows."""
    words, plan, choices, counts = visit.words, preview.plan, preview.choices, preview.plan.counts
    asked = asked_rows(f"{visit.base}/import/{preview.key}", kind, number)
    part, accepted = rows_part(words, asked, plan.rows, counts, KIND_TITLES), counts["added"] + counts["changed"]
    refused = {row.number for row in plan.rows if row.kind == "refused"}
    slow = words.gettext("This many rows take a few seconds. The next page opens when all of them are imported.")
    import_rows = words.ngettext("Import %(num)s example", "Import %(num)s examples", accepted)
    if not accepted:
        import_rows = words.gettext("Import answers and owners")
    notes = [n for n in preview.notes if not isinstance(n, Message) or n.template not in SHOWN_ELSEWHERE]
    return View(
        preview=preview,
        path=asked.path,
        again=f"{visit.base}/import",
        verdict=_make_verdict(words, preview, accepted),
        file_facts=file_facts(words, preview.layout, preview.size),
        sheet=sheet_part(words, preview.layout, ROLE_TITLES, refused),
        sums=_list_sums(words, preview),
        named=_name_topics(words, preview),
        twins=plan.twins[:SHOWN_TWINS],
        more_twins=max(0, len(plan.twins) - SHOWN_TWINS),
        needy=_list_needy(preview),
        more_refused=max(0, counts["refused"] - sum(row.kind == "refused" for row in _list_needy(preview))),
        topics=_list_topics(preview),
        missing=_missing_fields(words, preview),
        several=_several_field(words, choices) if plan.effect.several_answers else None,
        encoding=None if preview.pasted or preview.layout.sheets else encoding_field(words, choices.encoding),
        fields=_mode_fields(words, choices),
        why=Field("why", words.gettext("Reason"), most=MAX_WHY),
        button=words.gettext("Replace everything") if choices.mode == "replace" else import_rows,
        usable=bool(plan.wanted) and not preview.unclear,
        slow=slow if len(plan.rows) >= SLOW_ROWS else "",
        kind=part.kind,
        tabs=part.tabs,
        rows=part.rows,
        pager=part.pager,
        downloads=part.downloads,
        notes=notes,
        unclear=_capitalise(words.said(preview.unclear)),
        error=error,
    )


def _capitalise(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}." if text else ""


def _make_verdict(words: Words, preview: Preview, accepted: int) -> str:
    if preview.unclear:
        return words.gettext("Choose what each column contains.")
    plan = preview.plan
    topics = len({row.topic for row in plan.wanted if row.topic is not None})
    ready = words.ngettext("%(num)s example", "%(num)s examples", accepted)
    told = words.ngettext(
        "%(ready)s in %(num)s topic can be imported.",
        "%(ready)s in %(num)s topics can be imported.",
        topics,
        ready=ready,
    )
    parts = [told if accepted else words.gettext("Nothing new in this file.")]
    if refused := plan.counts["refused"]:
        parts.append(words.ngettext("%(num)s row needs attention.", "%(num)s rows need attention.", refused))
    return " ".join(parts)


def _list_sums(words: Words, preview: Preview) -> list[tuple[int, str, str]]:
    """Return what will happen: a number, its words, and whether it is bad, quiet or neither."""
    plan, effect, counts = preview.plan, preview.plan.effect, preview.plan.counts
    accepted, topics = (
        counts["added"] + counts["changed"],
        {row.topic for row in plan.wanted if row.topic is not None},
    )
    outside = sum(row.topic is None for row in plan.wanted if row.kind != "joined")
    dated = sum(row.created is not None for row in plan.wanted if row.kind != "joined")
    folded = sum(twin.folded for twin in plan.twins)
    new, gone, ngettext = len(effect.new_topics), len(effect.gone_topics), words.ngettext
    sums = [
        (accepted, ngettext("example added", "examples added", accepted), ""),
        (outside, ngettext("of them is out of scope", "of them are out of scope", outside), "quiet"),
        (counts["changed"], ngettext("of them is corrected", "of them are corrected", counts["changed"]), "quiet"),
        (len(topics), ngettext("topic, %(new)s new", "topics, %(new)s of them new", len(topics), new=new), ""),
        (effect.answers, _say_answers(words, preview), ""),
        (effect.owners, ngettext("owner imported", "owners imported", effect.owners), ""),
        (dated, ngettext("example with its date", "examples with their dates", dated), ""),
        (folded, ngettext("topic spelling merged", "topic spellings merged", folded), ""),
        (gone, ngettext("topic deleted", "topics deleted", gone), "bad"),
        (effect.gone_examples, ngettext("example deleted", "examples deleted", effect.gone_examples), "bad"),
        (counts["joined"], ngettext("row already exists or is a duplicate", "rows already exist or are duplicates",
                                counts["joined"]), "quiet"),
        (preview.layout.blank, ngettext("blank row skipped", "blank rows skipped", preview.layout.blank), "quiet"),
        (counts["refused"], ngettext("row needs attention", "rows need attention", counts["refused"]), "bad"),
    ]  # fmt: skip
    return [each for each in sums if each[0] or each is sums[0]]


def _say_answers(words: Words, preview: Preview) -> str:
    effect = preview.plan.effect
    if effect.answer_texts > effect.answers:
        return words.ngettext(
            "topic gets its answers, %(texts)s texts in total",
            "topics get their answers, %(texts)s texts in total",
            effect.answers,
            texts=effect.answer_texts,
        )
    return words.ngettext("answer imported", "answers imported", effect.answers)


def _name_topics(words: Words, preview: Preview) -> list[tuple[str, str]]:
    """Return lists of topics that the sums only count."""
    effect = preview.plan.effect
    named = [
        (words.gettext("New topics"), effect.new_topics),
        (words.gettext("Topics to be deleted"), effect.gone_topics),
        (words.gettext("Answers skipped: the topic already has one"), effect.kept_answers),
        (words.gettext("Owners skipped: the topic already has one"), effect.kept_owners),
    ]
    return [(title, _list_names(names)) for title, names in named if names]


def _list_names(names: Sequence[str]) -> str:
    first = ", ".join(names[:SHOWN_NAMES])
    return f"{len(names)}: {first}{', ...' if len(names) > SHOWN_NAMES else ''}"


def _list_needy(preview: Preview) -> list[PlannedRow]:
    """Return some rows that were refused, those first whose topic can be given, and those whose topic was given."""
    rows, given = preview.plan.rows, preview.choices.given
    helped = [row for row in rows if str(row.number) in given]
    refused = [row for row in rows if row.kind == "refused" and str(row.number) not in given]
    return [*helped, *sorted(refused, key=lambda row: not row.lacks_topic)[:SHOWN_NEEDY]]


def _list_topics(preview: Preview) -> list[str]:
    names = dict.fromkeys(row.topic for row in preview.plan.wanted if row.topic is not None)
    return sorted(names, key=str.casefold)[:MAX_TOPICS]


def _missing_fields(words: Words, preview: Preview) -> tuple[Field, ...]:
    """Return the choices for rows without a topic, where there are any."""
    choices, rows = preview.choices, preview.plan.rows
    chosen = bool(choices.topic) or choices.missing != "refuse"
    if not chosen and not preview.unclear and not any(row.lacks_topic for row in rows):
        return ()
    options = (
        Choice("refuse", words.gettext("leave them out")),
        Choice("above", words.gettext("file them like the row above")),
        Choice("scope", words.gettext("import them as out of scope")),
    )
    title = words.gettext("Rows without a topic")
    topic_help = words.gettext("One topic for all of them.")
    return (
        Field("missing", title, "select", choices.missing, choices=options),
        Field("topic", words.gettext("Topic"), value=choices.topic, help=topic_help, most=200),
    )


def _several_field(words: Words, choices: Choices) -> Field:
    options = (
        Choice("all", words.gettext("keep all, one below the other")),
        Choice("first", words.gettext("keep the first of each topic")),
    )
    return Field("several", words.gettext("Topics with several answers"), "select", choices.several, choices=options)


def _mode_fields(words: Words, choices: Choices) -> tuple[Field, ...]:
    modes = (
        Choice("add", words.gettext("add to the existing content")),
        Choice("replace", words.gettext("replace all existing content")),
    )
    help_text = words.gettext(
        "The topic of messages that the bot should decline. auto: common names such as oos, "
        "fallback or None; -: none, every name is a topic."
    )
    title, overwrite = words.gettext("Name for out of scope"), words.gettext("Overwrite existing answers and owners")
    return (
        Field("mode", words.gettext("Import mode"), "select", choices.mode, choices=modes),
        Field("overwrite", overwrite, "checkbox", "on" if choices.overwrite else ""),
        Field("out_of_scope", title, value=choices.out_of_scope, help=help_text, most=200),
    )
