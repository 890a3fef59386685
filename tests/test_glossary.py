"""One word for one thing: replaced names do not come back, and the glossary explains every word once."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
# Metaphors for infrastructure, replaced by what each thing is: a store thread, a write buffer, a pending upload.
REPLACED = {"clerk", "ledger", "manners", "shelf", "retelling", "sentences"}


def names_in(tree: ast.Module) -> set[str]:
    """Return the names that a file defines, by their words."""
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    names = {node.name for node in ast.walk(tree) if isinstance(node, definitions)}
    names |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return {word.lower() for name in names for word in re.findall(r"[A-Z]?[a-z]+", name)}


def test_names_that_were_replaced_do_not_come_back() -> None:
    for path in (ROOT / "src" / "vivavoce").rglob("*.py"):
        assert path.stem not in REPLACED
        found = names_in(ast.parse(path.read_text(encoding="utf-8"))) & (REPLACED - {"retelling", "sentences"})
        assert not found, f"{path.name} defines {found}"


def test_each_word_is_explained_once_in_each_language() -> None:
    for table in GLOSSARY.split("\n## "):
        words = Counter(re.findall(r"^\| (\w[^|]*?) \|", table, re.MULTILINE))
        assert words
        assert [word for word, count in words.items() if count > 1] == []
