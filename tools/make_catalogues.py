"""Bring the catalogues of the interface up to date with the templates and views, and compile them.

python tools/make_catalogues.py            # lists what is still to be translated; a test fails until nothing is
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from vivavoce.web.language import DEFAULT, DOMAIN, LANGUAGES, LOCALE
from vivavoce.web.rendering import TEMPLATES, environment

WEB = TEMPLATES.parent
METHODS = [("templates/**.html", "jinja2"), ("**.py", "python")]
OPTIONS = {"templates/**.html": {"trimmed": "false", "newstyle_gettext": "true", "trim_blocks": "true"}}
KEYWORDS = {"gettext": None, "ngettext": (1, 2), "gettext_noop": None}
# Dates in a catalogue would make every run a change.
ALWAYS = datetime(2026, 1, 1, tzinfo=UTC)
Message = str | tuple[str, ...]


def main() -> int:
    template = extract_catalogue()
    missing = 0
    for language in LANGUAGES:
        if language != DEFAULT:
            missing += report(language, update(language, template))
    return 1 if missing else 0


def extract_catalogue() -> Catalog:
    """Return every text that the templates and views show."""
    made = empty_catalogue(None)
    for message in [*_called(), *_counted()]:
        made.add(message)
    return made


def empty_catalogue(language: str | None) -> Catalog:
    return Catalog(
        locale=language,
        domain=DOMAIN,
        project="vivavoce",
        header_comment="# Texts of the interface. Write translations here, then run tools/make_catalogues.py.",
        version="1",
        copyright_holder="The vivavoce authors",
        msgid_bugs_address="-",
        last_translator="The vivavoce authors",
        language_team="-",
        creation_date=ALWAYS,
        revision_date=ALWAYS,
        fuzzy=False,
    )


def _called() -> Iterator[Message]:
    """Yield the texts given to gettext and ngettext."""
    for _, _, message, _, _ in extract_from_dir(str(WEB), METHODS, OPTIONS, keywords=KEYWORDS):
        yield message


def _counted() -> Iterator[Message]:
    """Yield the nouns given to the filter `plural`, which no extractor knows."""
    from jinja2 import nodes

    for path in sorted(TEMPLATES.rglob("*.html")):
        tree = environment().parse(path.read_text(encoding="utf-8"))
        for found in tree.find_all(nodes.Filter):
            words = [arg.value for arg in found.args if isinstance(arg, nodes.Const)]
            if found.name == "plural" and len(words) == 2:
                yield str(words[0]), str(words[1])


def catalogue_path(language: str, ending: str = "po") -> Path:
    return LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.{ending}"


def update(language: str, template: Catalog) -> Catalog:
    """Carry the translations over to the texts of today; what is no longer shown falls away."""
    path = catalogue_path(language)
    made = empty_catalogue(language)
    if path.exists():
        with path.open("rb") as file:
            for message in read_po(file, locale=language, ignore_obsolete=True):
                if message.id:
                    made.add(message.id, message.string)
    made.update(template, no_fuzzy_matching=True)
    made.revision_date = ALWAYS
    write(language, made)
    return made


def write(language: str, catalogue: Catalog) -> None:
    path = catalogue_path(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, catalogue, no_location=True, sort_output=True, ignore_obsolete=True, width=110)
    with catalogue_path(language, "mo").open("wb") as file:
        write_mo(file, catalogue)


def report(language: str, catalogue: Catalog) -> int:
    """Print what is still to be translated and return how much it is."""
    missing = [m for m in catalogue if m.id and (m.fuzzy or not all(forms(m.string)))]
    print(f"{language}: {len(catalogue)} texts, {len(missing)} to be translated in {catalogue_path(language)}")
    for message in missing:
        print(f"  {message.id!r}")
    return len(missing)


def forms(text: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return a translation as its forms: one, or one for each number."""
    return (text or "",) if isinstance(text, str | None) else tuple(text)


if __name__ == "__main__":
    sys.exit(main())
