"""The house keeps its own rules: one door, light imports, small files, no print, no pickle."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import vivavoce
from vivavoce.files import Format
from vivavoce.jobs.exams.protocol import ExamKind

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "vivavoce"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ENTRIES = {
    **PROJECT["scripts"],
    **{f"{group}:{name}": target for group, each in PROJECT["entry-points"].items() for name, target in each.items()},
}
MAX_LINES = 400
UNSAFE = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
Function = ast.FunctionDef | ast.AsyncFunctionDef
# Where users are spoken to.
SPEAKING = ("cli", "reports")
HEAVY = ("numpy", "scipy", "sklearn", "onnxruntime", "altair", "typer", "sqlalchemy", "fastapi", "torch", "rich")
# What the library never needs: the web, the store, charts and training frameworks.
FOREIGN = ("sqlalchemy", "fastapi", "altair", "torch", "typer", "uvicorn", "jinja2", "vl_convert")
# Packages that another one of the same extra loads for us.
LOADED_BY = {"python-multipart": "fastapi"}


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """Return every source file by its path inside the package."""
    return {p.relative_to(SOURCE).as_posix(): p.read_text(encoding="utf-8") for p in sorted(SOURCE.rglob("*.py"))}


@pytest.fixture(scope="module")
def trees(texts: dict[str, str]) -> dict[str, ast.Module]:
    return {name: ast.parse(text) for name, text in texts.items()}


@cache
def nodes(tree: ast.Module) -> list[ast.AST]:
    """Walk through a file once for all tests."""
    return list(ast.walk(tree))


def loaded_by(code: str) -> set[str]:
    """Run code in a fresh process and return the names of the packages that it loads."""
    ask = f"{code}\nimport json, sys\nsys.stdout.write(json.dumps(sorted(sys.modules)))"
    told = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(json.loads(told.stdout))


def top(modules: set[str]) -> set[str]:
    return {name.split(".")[0] for name in modules}


# One door


@pytest.mark.parametrize("name", vivavoce.__all__)
def test_every_public_name_can_be_imported(name: str) -> None:
    assert getattr(vivavoce, name) is not None


def test_public_names_are_sorted_unique_and_complete() -> None:
    def as_ruff_sorts(name: str) -> tuple[int, str]:
        """Constants, then classes, then the rest."""
        kind = 0 if name.isupper() else 1 if name[0].isupper() else 2
        return kind, name

    assert list(vivavoce.__all__) == sorted(set(vivavoce.__all__), key=as_ruff_sorts)
    assert set(vivavoce.__all__) == {*vivavoce._HOMES, "__version__"}
    assert dir(vivavoce) == sorted(vivavoce.__all__)


@pytest.mark.parametrize("name", [name for name in vivavoce.__all__ if not name.isupper() and name != "__version__"])
def test_every_public_class_and_function_says_what_it_is(name: str) -> None:
    found = getattr(vivavoce, name)
    assert (found.__doc__ or "").strip()
    assert not found.__doc__.startswith(f"{name}("), "the docstring that dataclass makes says nothing"


def test_a_public_name_lives_where_the_door_says() -> None:
    for name, home in vivavoce._HOMES.items():
        module = import_module(home)
        assert name in getattr(module, "__all__", [name]), f"{home} does not export {name}"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = vivavoce.nothing_like_it


def test_every_name_that_a_package_exports_exists() -> None:
    for path in SOURCE.rglob("*/__init__.py"):
        module = import_module(".".join(("vivavoce", *path.parent.relative_to(SOURCE).parts)))
        missing = [name for name in getattr(module, "__all__", ()) if not hasattr(module, name)]
        assert not missing, module.__name__


# Light imports


def test_the_bare_import_loads_nothing_heavy() -> None:
    loaded = loaded_by("import vivavoce")
    assert not top(loaded) & set(HEAVY)
    assert {name for name in loaded if name.startswith("vivavoce")} == {"vivavoce", "vivavoce.version"}


def test_a_whole_exam_of_an_own_engine_and_the_drop_in_load_neither_web_nor_store_nor_charts() -> None:
    code = (
        "from vivavoce import examine_intents\n"
        "from vivavoce.classifiers.fakes import JaccardClassifier\n"
        "texts = [f'{w} number {n}' for w in ('red', 'blue') for n in range(6)]\n"
        "examine_intents((texts, [t.split()[0] for t in texts]), JaccardClassifier(), text_view=False).to_json()\n"
        "from vivavoce.nexcv import NexCVEvaluator"
    )
    assert not top(loaded_by(code)) & {*FOREIGN, "onnxruntime", "tokenizers"}


def test_listing_plugins_loads_none_of_them() -> None:
    loaded = loaded_by("from vivavoce import plugins\nplugins.split_name('linear')")
    assert not {"vivavoce.classifiers.linear", "vivavoce.classifiers.sif"} & loaded


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_entry_point_loads(entry: str) -> None:
    module, _, attribute = ENTRIES[entry].partition(":")
    loaded = getattr(import_module(module), attribute)
    if entry.startswith("vivavoce.exams:"):
        assert isinstance(loaded, ExamKind)
        return
    formats = loaded if isinstance(loaded, tuple) else (loaded,)
    assert callable(loaded) or all(isinstance(format, Format) for format in formats)


# Small and documented


def test_every_module_says_what_it_is(trees: dict[str, ast.Module]) -> None:
    docs = {name: ast.get_docstring(tree) or "" for name, tree in trees.items()}
    assert not [name for name, doc in docs.items() if len(doc.split()) < 3]


def test_no_file_is_longer_than_a_reader_bears(texts: dict[str, str]) -> None:
    lengths = {name: len(text.splitlines()) for name, text in texts.items()}
    assert not {name: length for name, length in lengths.items() if length > MAX_LINES}


def test_no_function_body_is_longer_than_a_screen(trees: dict[str, ast.Module]) -> None:
    assert not [
        f"{name}: {node.name}" for name, tree in trees.items() for node in functions(tree) if body_lines(node) > 45
    ]


def functions(tree: ast.Module) -> list[Function]:
    return [node for node in nodes(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def body_lines(node: Function) -> int:
    """Lines of a function without its signature and its docstring."""
    body = node.body[1:] if ast.get_docstring(node) else node.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def test_no_module_hides_behind_a_vague_name(trees: dict[str, ast.Module]) -> None:
    vague = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
    assert not [name for name in trees if set(re.split(r"[/_.]", name)) & vague]


# Quiet and safe


def calls(tree: ast.Module, name: str) -> list[ast.Call]:
    """Return the calls of a function by its last name; what stands before the dot is looked at by the caller."""
    found = [node for node in nodes(tree) if isinstance(node, ast.Call)]
    # Writing every call out as text again takes many times longer than looking for a name.
    return [call for call in found if name in (getattr(call.func, "id", None), getattr(call.func, "attr", None))]


def test_only_commands_and_reports_print(trees: dict[str, ast.Module]) -> None:
    silent = {name: tree for name, tree in trees.items() if name.split("/")[0] not in SPEAKING}
    assert len(silent) > 40
    assert not [
        name for name, tree in silent.items() for call in calls(tree, "print") if ast.unparse(call.func) == "print"
    ]


def test_pages_and_commands_open_no_transactions(trees: dict[str, ast.Module]) -> None:
    """The import contract sees who imports a transaction; this sees who asks a store for one."""
    opened = [
        f"{name}:{node.lineno}"
        for name, tree in trees.items()
        if name.startswith(("web/", "cli/"))
        for node in nodes(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("reading", "writing", "connected")
    ]
    assert not opened


def test_nothing_is_unpickled(texts: dict[str, str], trees: dict[str, ast.Module]) -> None:
    # A file of a stranger must not be able to run code here.
    assert not [name for name, tree in trees.items() if imported_by(tree) & UNSAFE]
    assert not [name for name, text in texts.items() if "pickle.load" in text or "allow_pickle=True" in text]


def imported_by(tree: ast.Module) -> set[str]:
    found = set()
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").split(".")[0])
    return found


def test_arrays_are_loaded_without_pickle(trees: dict[str, ast.Module]) -> None:
    loads = [call for tree in trees.values() for call in calls(tree, "load") if ast.unparse(call.func) == "np.load"]
    assert loads
    for call in loads:
        assert any(word.arg == "allow_pickle" and ast.unparse(word.value) == "False" for word in call.keywords)


def test_no_global_random_state_is_used(texts: dict[str, str]) -> None:
    # The drop-in replays numpy's legacy generator on purpose.
    own = {name: text for name, text in texts.items() if not name.startswith("nexcv/")}
    drawn = re.compile(r"np\.random\.(?!default_rng|Generator|RandomState|SeedSequence)\w+")
    assert not [name for name, text in own.items() if drawn.search(text)]


# The tests themselves


def test_test_files_have_unique_names() -> None:
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert len(set(names)) == len(names)


def test_no_test_asserts_a_time() -> None:
    clocks = re.compile(r"assert\b[^\n]*(perf_counter|process_time|monotonic|time\.time)\(\)")
    tests = [path for path in (ROOT / "tests").rglob("*.py") if path.name != Path(__file__).name]
    assert not [path.name for path in tests if clocks.search(path.read_text(encoding="utf-8"))]


def test_every_extra_for_users_brings_only_what_the_code_uses(texts: dict[str, str]) -> None:
    source = "\n".join(texts.values())
    for extra in PROJECT["optional-dependencies"].keys() - {"dev", "bench"}:
        for requirement in PROJECT["optional-dependencies"][extra]:
            package = re.split(r"[^\w-]", requirement, maxsplit=1)[0]
            module = LOADED_BY.get(package, package).replace("-", "_")
            used = rf"\b(?:import|from) {module}\b|\+{module}\b|['\"]{module}['\"]"
            assert re.search(used, source), f"the extra '{extra}' installs {package}, which nothing uses"


# Messages are data: what was said is never read again.

_SAID = frozenset({"what", "remedy", "message", "headline", "verdict", "refusal", "summary", "reason"})
_READING = frozenset({"partition", "rpartition", "split", "removeprefix", "removesuffix", "replace", "find", "index"})


def test_nothing_reads_meaning_out_of_a_sentence(trees: dict[str, ast.Module]) -> None:
    """A sentence keeps its template and values (`vivavoce.messages`): nobody takes its text apart."""
    found = []
    for name, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
                said = node.comparators[0]
                literal = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
                if literal and isinstance(said, ast.Attribute) and said.attr in _SAID:
                    found.append(f"{name}, line {node.lineno}")
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _READING:
                said = node.func.value
                if isinstance(said, ast.Attribute) and said.attr in _SAID:
                    found.append(f"{name}, line {node.lineno}")
    assert not found


def test_every_template_stands_in_the_call_and_has_a_value_for_each_place(trees: dict[str, ast.Module]) -> None:
    from string import Formatter

    wrong = []
    for name, tree in trees.items():
        if "from vivavoce.messages import" not in ast.unparse(tree):
            continue
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say"):
                continue
            template = node.args[0] if node.args else None
            if isinstance(template, ast.JoinedStr):
                wrong.append(f"{name}, line {node.lineno}: an f-string")
            given = {one.arg for one in node.keywords}
            if isinstance(template, ast.Constant) and given and None not in given:
                places = {place for _, place, _, _ in Formatter().parse(str(template.value)) if place}
                wrong += [f"{name}, line {node.lineno}: {sorted(places ^ given)}"] if places != given else []
    assert not wrong
