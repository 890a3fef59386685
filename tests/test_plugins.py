from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from vivavoce import plugins
from vivavoce.errors import MissingPartError, UsageError, WorkError
from vivavoce.plugins import Description, available, build, describe, load, problems, split_name

GROUP = "vivavoce.made_up_group"
Install = Callable[..., None]


@pytest.fixture(autouse=True)
def _fresh_cache() -> Iterator[None]:
    plugins._points.cache_clear()
    yield
    plugins._points.cache_clear()


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install a distribution that consists of one module and its entry points."""

    def put(name: str, code: str, points: Mapping[str, str], requires: tuple[str, ...] = ()) -> None:
        folder = tmp_path / name
        info = folder / f"{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (folder / f"{name}.py").write_text(code)
        needed = "".join(f"Requires-Dist: {requirement}\n" for requirement in requires)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{needed}")
        lines = "".join(f"{point} = {value}\n" for point, value in points.items())
        (info / "entry_points.txt").write_text(f"[{GROUP}]\n{lines}")
        monkeypatch.syspath_prepend(str(folder))

    return put


def test_built_in_plugins_are_found_like_all_others() -> None:
    assert "linear" in available(plugins.CLASSIFIERS)
    assert "training.csv" in available(plugins.FORMATS)
    assert list(available(plugins.FORMATS)) == sorted(available(plugins.FORMATS))


def test_a_group_without_plugins_is_empty() -> None:
    assert available("vivavoce.nothing_here") == ()
    with pytest.raises(UsageError, match="install a package that provides one"):
        load("vivavoce.nothing_here", "x")


def test_an_installed_plugin_is_loaded_and_built(install: Install) -> None:
    install(
        "plug_good",
        "def make(size=1):\n    '''Makes.\n\n    More.'''\n    return [0] * size",
        {"good": "plug_good:make"},
    )
    assert available(GROUP) == ("good",)
    assert callable(load(GROUP, "good"))
    assert build(GROUP, "good", 3) == [0, 0, 0]
    assert build(GROUP, "good", size=2) == [0, 0]
    assert describe(GROUP) == [Description("good", "plug_good", "Makes.")]


def test_an_unknown_name_is_refused_with_the_nearest_and_all_names() -> None:
    with pytest.raises(UsageError) as refused:
        load(plugins.CLASSIFIERS, "liner")
    assert "Did you mean 'linear'?" in str(refused.value)
    assert "tfidf" in refused.value.remedy


def test_a_missing_module_names_the_extra_that_brings_it(install: Install) -> None:
    requires = ('plug_lazy[slow]; extra == "all"', "numpy", 'no-such-part>=2; extra == "fast"')
    install("plug_lazy", "import no_such_part.deep", {"lazy": "plug_lazy:make"}, requires)
    with pytest.raises(MissingPartError) as refused:
        load(GROUP, "lazy")
    assert refused.value.remedy == "pip install 'plug_lazy[fast]'"
    assert "no_such_part" in describe(GROUP)[0].summary


def test_a_module_missing_only_inside_the_factory_names_the_extra_too(install: Install) -> None:
    code = "def make():\n    import nosuch.cloud"
    install("plug_late", code, {"late": "plug_late:make"}, ('nosuch-cloud-talk; extra == "cloud"',))
    load(GROUP, "late")
    with pytest.raises(MissingPartError) as refused:
        build(GROUP, "late")
    assert refused.value.remedy == "pip install 'plug_late[cloud]'"


def test_an_extra_written_at_the_entry_point_is_believed(install: Install) -> None:
    install("plug_told", "import cv_unknown", {"told": "plug_told:make [vision]"})
    with pytest.raises(MissingPartError, match=r"plug_told\[vision\]"):
        load(GROUP, "told")


def test_a_missing_module_without_an_extra_is_named_itself(install: Install) -> None:
    install("plug_bare", "import nowhere_to_be_found", {"bare": "plug_bare:make"})
    with pytest.raises(MissingPartError, match="provides the module 'nowhere_to_be_found'"):
        load(GROUP, "bare")


def test_a_plugin_that_points_nowhere_asks_for_an_update(install: Install) -> None:
    points = {"attribute": "plug_void:nothing", "module": "plug_void.more:make", "number": "plug_void:NUMBER"}
    install("plug_void", "NUMBER = 5", points)
    for name in ("attribute", "module"):
        with pytest.raises(MissingPartError, match="plug_void") as refused:
            load(GROUP, name)
        assert refused.value.remedy.startswith("update")
    with pytest.raises(MissingPartError, match="it is not callable"):
        build(GROUP, "number")


def test_a_broken_plugin_breaks_no_other(install: Install) -> None:
    install("plug_broken", "1 / 0", {"broken": "plug_broken:make"})
    install("plug_whole", "def make():\n    pass", {"whole": "plug_whole:make"})
    broken, whole = describe(GROUP)
    assert "ZeroDivisionError" in broken.summary
    assert whole == Description("whole", "plug_whole", "")


def test_an_error_of_our_own_passes_unchanged(install: Install) -> None:
    install(
        "plug_says",
        "from vivavoce.errors import WorkError\nraise WorkError('no')",
        {"says": "plug_says:make"},
    )
    with pytest.raises(WorkError, match="no"):
        load(GROUP, "says")


def test_of_two_plugins_with_one_name_the_first_wins_and_the_other_is_reported(install: Install) -> None:
    # Installed last, hence first on the path: precedence must not come from there.
    install("plug_a", "def make():\n    return 'a'", {"twice": "plug_a:make"})
    install("plug_b", "def make():\n    return 'b'", {"twice": "plug_b:make", "once": "plug_b:make"})
    assert available(GROUP) == ("once", "twice")
    assert build(GROUP, "twice") == "a"
    (problem,) = problems(GROUP)
    assert problem == "'twice' of plug_b (plug_b:make) is overridden by plug_a (plug_a:make)"


def test_built_in_plugins_do_not_hide_each_other() -> None:
    assert problems(plugins.CLASSIFIERS) == problems(plugins.FORMATS) == ()


def test_metadata_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def count(*, group: str) -> tuple[()]:
        calls.append(group)
        return ()

    monkeypatch.setattr(plugins, "entry_points", count)
    available(GROUP)
    available(GROUP)
    assert calls == [GROUP]


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("linear", ("linear", "")),
        ("sklearn:sklearn.svm.LinearSVC", ("sklearn", "sklearn.svm.LinearSVC")),
        ("python:C:\\bots\\mine.py:Bot", ("python", "C:\\bots\\mine.py:Bot")),
        (" sif : ", ("sif", "")),
    ],
)
def test_a_name_is_split_at_its_first_colon(name: str, parts: tuple[str, str]) -> None:
    assert split_name(name) == parts


@pytest.mark.parametrize("name", ["", ":option", "  :x"])
def test_a_name_without_a_kind_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="kind"):
        split_name(name)


@pytest.mark.parametrize("code", ["from vivavoce.bots import Repply", "import vivavoce.no_such_part"])
def test_a_wrong_import_from_vivavoce_is_to_be_corrected_not_installed(install: Install, code: str) -> None:
    install("plug_wrong", code, {"wrong": "plug_wrong:make"})
    with pytest.raises(MissingPartError) as refused:
        load(GROUP, "wrong")
    assert refused.value.remedy.startswith("fix the import in plug_wrong")
    assert ("Did you mean 'Reply'?" in refused.value.what) is ("Repply" in code)
