"""Bring the catalogues of the interface up to date with the templates and views, and compile them.

python tools/make_catalogues.py                  # lists what is still to be translated; a test fails until nothing is
python tools/make_catalogues.py --add words.json # adds translations: {"Close": "Schließen"}, or, for counts,
                                                 # [[["%(num)s day", "%(num)s days"], ["%(num)s Tag", "..."]]]

Several people may run it at the same time: each run waits for the one before.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from vivavoce import errors
from vivavoce.files.writing import write_bytes
from vivavoce.web.language import DEFAULT, DOMAIN, LANGUAGES, LOCALE
from vivavoce.web.rendering import BLOCKS, TEMPLATES, environment

WEB = TEMPLATES.parent
# The layers under the pages mark their texts otherwise: see `vivavoce.sentences`.
BELOW = WEB.parent
# Rooms whose refusals no page shows: the command line and what only programs call.
UNSEEN = re.compile(
    r"(cli|nexcv|classifiers|intents|text|reports|agents|demo|settings|plugins|records|__init__|store/(backups|migrat)"
    r"|conversations/(findings|running|exam|json_form|record_form|result|scenarios/(conversion|twins|formats/(botium|rasa|sheet_writing)))"
    r"|dialogues/(networks|model|raters|agreement|comparison|exam|json_form|recalibration|result|splits|systems|corpus/published)"
    r"|bots/(chatterbot|command|contract|local_server|nlpjs|nodes|program|python|rivescript|scripted|serving|smollm2)"
    r"|jobs/(executors|worker_main|exams/documents))"
)
# What speaks of the command line is put otherwise before a page shows it.
TYPED = re.compile(r"--\w|--\{")
METHODS = [("templates/**.html", "jinja2"), ("**.py", "python")]
OPTIONS = {"templates/**.html": {"trimmed": "false", "newstyle_gettext": "true", "trim_blocks": "true"}}
KEYWORDS = {"gettext": None, "ngettext": (1, 2), "gettext_noop": None}
# Dates in a catalogue would make every run a change.
ALWAYS = datetime(2026, 1, 1, tzinfo=UTC)
PLACE = re.compile(r"\{[^}]*\}")
FEWEST_LETTERS = 8
Message = str | tuple[str, ...]
REFUSALS = {
    "Fault",
    "Refusal",
    "SignInNeededError",
    "SignInRefusedError",
    "UnfitError",
    "UnreadableError",
    # What makes a fault of a text and knows the place.
    "blame",
    "fault",
    "refuse",
    "_broken",
    "_no_reply",
    "_refusal",
    *(name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, errors.VivaError)),
}
REFUSING = re.compile(rf"\b({'|'.join(sorted(REFUSALS))})\(")
SAYS = "from vivavoce.sentences import say"


def main() -> int:
    parser = argparse.ArgumentParser(description="Bring the catalogues of the interface up to date.")
    parser.add_argument("--language", default="de", help="the language of the translations to add")
    parser.add_argument("--add", type=Path, help="a JSON file of texts and their translations")
    chosen = parser.parse_args()
    added = read_translations(chosen.add) if chosen.add else {}
    missing = 0
    with alone():
        template = extract_catalogue()
        for text in (text for text in added if text not in template):
            print(f"no template or view says {text!r}: it is left out")
        for language in LANGUAGES:
            if language != DEFAULT:
                new = added if language == chosen.language else {}
                missing += report(language, update(language, template, new))
    return 1 if missing else 0


@contextmanager
def alone() -> Iterator[None]:
    """Keep others from writing the same files meanwhile."""
    import fcntl

    folder = os.open(LOCALE, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def read_translations(path: Path) -> dict[Message, Message]:
    """Return the texts of a file and their translations; a text with a count is its two forms."""
    content = json.loads(path.read_text(encoding="utf-8"))
    pairs = content.items() if isinstance(content, dict) else content
    return {_message(text): _message(said) for text, said in pairs}


def _message(text: str | list[str]) -> Message:
    return text if isinstance(text, str) else tuple(text)


def extract_catalogue() -> Catalog:
    """Return every text that the templates and views show."""
    made = empty_catalogue(None)
    for message in [*_called(), *_counted(), *_said(), *_refused(), *_tabled()]:
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
    for folder in (WEB, BLOCKS.parent):
        for _, _, message, _, _ in extract_from_dir(str(folder), METHODS, OPTIONS, keywords=KEYWORDS):
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


@dataclass(frozen=True)
class Module:
    """A module of the product and what is called in it; whether it tells sentences, and refuses with errors."""

    tree: ast.Module
    calls: tuple[ast.Call, ...]
    tells: bool
    refuses: bool


@cache
def _modules() -> tuple[Module, ...]:
    """Return the modules whose texts may reach a page."""
    found = []
    for path in sorted(BELOW.rglob("*.py")):
        source, name = path.read_text(encoding="utf-8"), path.relative_to(BELOW).as_posix()
        tells, refuses = SAYS in source, not UNSEEN.match(name) and REFUSING.search(source) is not None
        # Most modules have nothing to tell, and reading them all takes seconds.
        if tells or refuses:
            tree = ast.parse(source)
            calls = tuple(node for node in ast.walk(tree) if isinstance(node, ast.Call))
            found.append(Module(tree, calls, tells, refuses))
    return tuple(found)


def _said() -> Iterator[Message]:
    """Yield the texts that the layers under the pages mark, and the nouns that they count."""
    for module in _modules():
        # A module counts many things for the command line alone: those count that tell sentences.
        if module.tells:
            yield from (message for call in module.calls for message in marked(call))


def marked(call: ast.Call) -> Iterator[Message]:
    """Yield what a call of `say` or `plural` marks; a text that is no literal cannot be found."""
    name = _called_name(call)
    if name == "say" and isinstance(call.func, ast.Name):
        text = template(call.args[0])
        # A row of places alone would fit every text.
        if "{" in text and len(re.sub(r"\{[^}]*\}|[\s,.:;()']", "", text)) < 3 and re.search(r"\{\w*(!s)?\}", text):
            raise SystemExit(f"say({text!r}) says nothing by itself: mark the words around it")
        yield text
    elif name == "plural" and isinstance(call.args[-1], ast.Constant):
        noun = str(call.args[-1].value)
        yield f"{{num}} {noun}", f"{{num}} {noun}s"


def _refused() -> Iterator[Message]:
    """Yield the texts of errors that pages show: what happened, where, and what to do next."""
    for module in (one for one in _modules() if one.refuses):
        named = dict(_named(module.tree))
        calls = (call for call in module.calls if _called_name(call) in REFUSALS)
        yield from (text for call in calls for text in refusals(call, named))


def _named(tree: ast.Module) -> Iterator[tuple[str, tuple[ast.expr, ...]]]:
    """Yield the names of a module with all that is written into them: a text may be made before it is refused."""
    found: dict[str, tuple[ast.expr, ...]] = {}
    for node in (one for one in ast.walk(tree) if isinstance(one, ast.Assign)):
        for target in (one for one in node.targets if isinstance(one, ast.Name)):
            found[target.id] = (*found.get(target.id, ()), node.value)
    yield from found.items()


def refusals(call: ast.Call, named: Mapping[str, tuple[ast.expr, ...]]) -> Iterator[Message]:
    """Yield the texts of one error or fault, and the nouns that they count."""
    given = [*call.args, *(node.value for node in call.keywords if node.arg in ("what", "where", "remedy"))]
    written = [one for node in given for one in (named.get(node.id, ()) if isinstance(node, ast.Name) else (node,))]
    for node in (one for each in written for one in _literals(each)):
        # The name of a field or a file has no blank in it.
        if " " in (text := loose(node)):
            yield text
    for inner in (one for each in written for one in ast.walk(each) if isinstance(one, ast.Call)):
        if _called_name(inner) == "plural":
            yield from marked(inner)


def _literals(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the texts of an expression, whichever of them it takes."""
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        yield node
    else:
        yield from (text for inner in ast.iter_child_nodes(node) for text in _literals(inner))


def loose(node: ast.expr) -> str:
    """Return the template of an error: what is not known in a place stays as it is, such as the words of a system.

    Nothing where the values could not be found again.
    """
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    if any("{" in str(part.value) or "}" in str(part.value) for part in parts if isinstance(part, ast.Constant)):
        return ""
    text = template(node, strict=False)
    letters = len(re.findall(r"[a-z]", PLACE.sub("", text)))
    if "}{" in text or letters < 3 or TYPED.search(text):
        return ""
    # A value in quotes is somebody's own; one with a format is a number, unless that writes bytes. Few fixed letters
    # would fit too much.
    return re.sub(r"(?<!')\{(\w+)(?::#\w+)?\}", r"{\1!x}", text) if letters >= FEWEST_LETTERS else text


def _called_name(call: ast.Call) -> str:
    return str(getattr(call.func, "id", getattr(call.func, "attr", "")))


def template(node: ast.expr, *, strict: bool = True) -> str:
    """Return the template of a literal: its words, and a named place for each value."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if not isinstance(node, ast.JoinedStr):
        raise SystemExit(f"line {node.lineno}: say() takes the words themselves, not {ast.unparse(node)}")
    names: Counter[str] = Counter()
    text = "".join(_part(part, names) for part in node.values)
    # Where one value ends and the next begins could not be found again.
    if strict and "}{" in text:
        raise SystemExit(f"line {node.lineno}: say({text!r}) has two places in a row: put words between them")
    return text


def _part(part: ast.expr, names: Counter[str]) -> str:
    if not isinstance(part, ast.FormattedValue):
        return str(part.value) if isinstance(part, ast.Constant) else ""
    name = _name(part.value)
    names[name] += 1
    once = name if names[name] == 1 else f"{name}{names[name]}"
    kept = "!s" if part.conversion == ord("s") else ""
    form = ast.unparse(part.format_spec)[2:-1] if part.format_spec is not None else ""
    return f"{{{once}{kept}:{form}}}" if form else f"{{{once}{kept}}}"


def _name(value: ast.expr) -> str:
    """Return how a place is called: by the last name of what is put there."""
    if isinstance(value, ast.Call):
        nouns = [str(one.value) for one in value.args[1:] if isinstance(one, ast.Constant)]
        called = _name(value.func)
        return f"{nouns[0]}s".replace(" ", "_") if called == "plural" and nouns else called
    found = getattr(value, "attr", getattr(value, "id", ""))
    return str(found).lstrip("_") or "value"


def _tabled() -> Iterator[Message]:
    """Yield the texts of tables that pages read from."""
    from vivavoce.outcomes import Outcome, TurnOutcome
    from vivavoce.records import Status
    from vivavoce.reports.conversations import meanings as conversation_meanings
    from vivavoce.reports.dialogues import meanings as dialogue_meanings
    from vivavoce.reports.intents import meanings, titles
    from vivavoce.workspace.access.engine_rules import known_engines

    tables = (meanings.MEASURES, conversation_meanings.CONVERSATION_MEASURES, dialogue_meanings.DIALOGUE_MEASURES)
    for measure in (one for table in tables for one in table.values()):
        yield from (measure.title, measure.meaning, measure.absent)
    for names in (conversation_meanings.OUTCOME_NAMES, titles.OUTCOME_TITLES, titles.PROBLEM_TITLES):
        yield from names.values()
    yield from dialogue_meanings.TEST_TITLES.values()
    yield from (one.summary for one in known_engines())
    yield from (one.meaning for kind in (Outcome, TurnOutcome, Status) for one in kind)


def catalogue_path(language: str, ending: str = "po") -> Path:
    return LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.{ending}"


def update(language: str, template: Catalog, added: Mapping[Message, Message] | None = None) -> Catalog:
    """Carry the translations over to the texts of today; what is no longer shown falls away."""
    path = catalogue_path(language)
    made = empty_catalogue(language)
    for text, said in (added or {}).items():
        made.add(text, said)
    if path.exists():
        with path.open("rb") as file:
            for message in read_po(file, locale=language, ignore_obsolete=True):
                # What was added first stays: a new translation takes the place of the old one.
                if message.id:
                    made.add(message.id, message.string)
    made.update(template, no_fuzzy_matching=True)
    made.revision_date = ALWAYS
    write(language, made)
    return made


def write(language: str, catalogue: Catalog) -> None:
    catalogue_path(language).parent.mkdir(parents=True, exist_ok=True)
    written, compiled = BytesIO(), BytesIO()
    write_po(written, catalogue, no_location=True, sort_output=True, ignore_obsolete=True, width=110)
    write_mo(compiled, catalogue)
    write_bytes(catalogue_path(language), written.getvalue())
    write_bytes(catalogue_path(language, "mo"), compiled.getvalue())


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
