"""What is not documented does not exist: the documentation is checked against the code."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from vivavoce import plugins

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.fixture(scope="module")
def tables() -> ModuleType:
    sys.path.insert(0, str(ROOT / "tools"))
    spec = importlib.util.spec_from_file_location("make_docs", ROOT / "tools" / "make_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_tables_of_a_page_are_those_of_the_code(tables: ModuleType) -> None:
    pages = {page: (ROOT / "docs" / page).read_text(encoding="utf-8") for page in tables.PARTS}
    assert {page: tables.rendered(page) for page in pages} == pages, "run: python tools/make_docs.py"


def test_the_pictures_of_the_architecture_follow_the_import_contract(tables: ModuleType) -> None:
    for name, draw in tables.PICTURES.items():
        assert (ROOT / "docs" / "images" / name).read_text(encoding="utf-8") == draw(), (
            "run: python tools/make_docs.py"
        )


def test_every_classifier_that_ships_is_documented() -> None:
    text = (ROOT / "docs" / "classifiers.md").read_text(encoding="utf-8")
    own = [name for name, origin, _ in plugins.describe(plugins.CLASSIFIERS) if origin == "vivavoce"]
    assert own
    assert [name for name in own if f"`{name}`" not in text] == []


def test_every_rater_that_ships_is_documented() -> None:
    from vivavoce.dialogues.raters.protocol import list_raters

    text = (ROOT / "docs" / "dialogues.md").read_text(encoding="utf-8")
    own = [name for name, origin, _ in list_raters() if origin == "vivavoce"]
    assert own
    assert [name for name in own if f"`{name}" not in text] == []


def test_every_public_name_is_mentioned_in_the_documentation() -> None:
    import vivavoce

    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    missing = [name for name in vivavoce.__all__ if not name.startswith("__") and name not in text]
    assert missing == []


def test_every_dependency_has_its_reason() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    reasons = (ROOT / "docs" / "decisions" / "dependencies.md").read_text(encoding="utf-8")
    names = [re.split(r"[<>=\[]", line)[0] for line in project["dependencies"]]
    assert [name for name in names if name not in reasons] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8"))
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (page.parent / link).exists()] == []


def test_the_score_promises_only_what_was_measured() -> None:
    """Whatever docs/trust.md says yes to links to its measurement."""
    rows = [
        line for line in (ROOT / "docs" / "trust.md").read_text(encoding="utf-8").splitlines() if "**yes**" in line
    ]
    assert rows
    assert all("](#" in row for row in rows)
