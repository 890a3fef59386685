"""Bring the catalogues of the interface up to date, compile them, and list what is not translated: `make catalogues`.

Translations are written into `locale/<language>/LC_MESSAGES/vivavoce.po`; what has none is shown in English.
"""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from babel.messages.catalog import Catalog
from babel.messages.frontend import CommandLineInterface
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from vivavoce.reports.conversations.meanings import CONVERSATION_MEASURES
from vivavoce.reports.dialogues.meanings import DIALOGUE_MEASURES
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.web.language import DEFAULT, DOMAIN, LANGUAGES, LOCALE

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "vivavoce"
KEYWORDS = ("say", "say_count:2,3", "gettext_noop")
# Dates in a catalogue would make every run a change.
ALWAYS = datetime(2026, 1, 1, tzinfo=UTC)


def main() -> int:
    template = extract()
    missing = [text for language in LANGUAGES if language != DEFAULT for text in update(language, template)]
    print("\n".join(missing) or "everything is translated")
    return 0


def extract(source: Path = SOURCE) -> Catalog:
    """Return every text of the templates and the code."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "texts.pot"
        keywords = [part for keyword in KEYWORDS for part in ("-k", keyword)]
        options = ["-F", str(ROOT / "babel.cfg"), *keywords, "-o", str(file)]
        CommandLineInterface().run(["pybabel", "-q", "extract", *options, str(source)])  # type: ignore[no-untyped-call]
        with file.open("rb") as content:
            template = read_po(content)
    # The tables of metrics name their texts without `say`.
    tables = (MEASURES, CONVERSATION_MEASURES, DIALOGUE_MEASURES) if source == SOURCE else ()
    for measure in (measure for table in tables for measure in table.values()):
        template.add(str(measure.title))
        template.add(str(measure.meaning))
    for message in list(template):
        # Numbers and names alone, such as "{value:.2f}", are the same in every language.
        words = (re.sub(r"\{[^}]*\}", "", text) for text in forms(message.id))
        if message.id and not any(re.search(r"[^\W\d_]", text) for text in words):
            template.delete(message.id)
    return template


def update(language: str, template: Catalog, locale: Path = LOCALE) -> list[str]:
    """Carry the translations over to the texts of today, compile them, and return what has none."""
    path = locale / language / "LC_MESSAGES" / f"{DOMAIN}.po"
    with path.open("rb") as file:
        catalogue = read_po(file, locale=language, ignore_obsolete=True)
    catalogue.update(template, no_fuzzy_matching=True)
    catalogue.revision_date = catalogue.creation_date = ALWAYS
    for message in catalogue:
        # "50 % of" is no format of Python.
        if not any(re.search(r"%[(%]", text) for text in forms(message.id)):
            message.flags.discard("python-format")
    with path.open("wb") as file:
        write_po(file, catalogue, no_location=True, sort_output=True, ignore_obsolete=True, width=110)
    with path.with_suffix(".mo").open("wb") as file:
        write_mo(file, catalogue)
    return [f"{language}: {m.id!r}" for m in catalogue if m.id and not all(forms(m.string))]


def forms(text: str | list[str] | tuple[str, ...] | None) -> tuple[str, ...]:
    """Return a text or a translation as its forms: one, or one for each number."""
    return (text or "",) if isinstance(text, str | None) else tuple(text)


if __name__ == "__main__":
    sys.exit(main())
