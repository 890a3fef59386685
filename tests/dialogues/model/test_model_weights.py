"""A model as a file: what was saved is loaded, and what is no model is refused and never executed."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted_talks import plant

from vivavoce.dialogues.dialogue import View, judge_of
from vivavoce.dialogues.model.explaining import explain
from vivavoce.dialogues.model.model import Model
from vivavoce.dialogues.model.weights import SHIPPED, load_weights, save_weights
from vivavoce.errors import FileError

Arrays = dict[str, Any]
Change = Callable[[Arrays], object]


@pytest.fixture(scope="module")
def saved(small_model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("weights") / "model.npz"
    save_weights(small_model, path)
    return path


def rewritten(saved: Path, path: Path, change: Change) -> Path:
    """Write the model again with something changed in it."""
    with np.load(saved) as members:
        arrays = {name: members[name] for name in members.files}
    change(arrays)
    np.savez(path, **arrays)
    return path


def told(arrays: Arrays, change: Callable[[dict[str, Any]], object]) -> None:
    about = json.loads(arrays["about"].tobytes())
    change(about)
    arrays["about"] = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)


def refuse(path: Path, reason: str = "not a dialogue model") -> None:
    with pytest.raises(FileError, match=reason) as refusal:
        load_weights(path)
    assert refusal.value.where == str(path)
    assert refusal.value.remedy


def test_a_model_that_was_saved_and_loaded_gives_the_same_scores(saved: Path, small_model: Model) -> None:
    talks = [plant(number) for number in range(300, 330)]
    views = [View(talk, judge_of(talk)) for talk in talks]
    assert explain(load_weights(saved), views) == explain(small_model, views)


def test_the_origin_is_saved_too(saved: Path, small_model: Model) -> None:
    assert load_weights(saved).origin == small_model.origin


def test_saving_a_loaded_model_again_gives_the_same_file_content(saved: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.npz"
    save_weights(load_weights(saved), again)
    with np.load(saved) as one, np.load(again) as other:
        assert one.files == other.files
        for name in one.files:
            assert one[name].dtype == other[name].dtype
            assert np.array_equal(one[name], other[name]), name


def test_the_shipped_model_is_small_and_loads() -> None:
    assert SHIPPED.stat().st_size < 10_000_000
    model = load_weights(SHIPPED)
    assert model.origin.licence == "Apache-2.0"
    assert {"overall", "human-bot", "unseen-bot"} <= set(model.origin.agreements)


@pytest.mark.parametrize("kept", [0.0, 0.1, 0.5, 0.99])
def test_a_file_that_was_cut_off_is_refused(saved: Path, tmp_path: Path, kept: float) -> None:
    path = tmp_path / "cut.npz"
    content = saved.read_bytes()
    path.write_bytes(content[: int(kept * len(content))])
    refuse(path, "damaged")


def test_a_file_with_spoilt_bytes_is_refused(saved: Path, tmp_path: Path) -> None:
    content = bytearray(saved.read_bytes())
    path = tmp_path / "spoilt.npz"
    for place in range(200, len(content), len(content) // 20):
        path.write_bytes(
            bytes([*content[:place], *(byte ^ 0x5A for byte in content[place : place + 64]), *content[place + 64 :]])
        )
        refuse(path)


def test_a_file_that_is_not_there_and_a_folder_are_refused(tmp_path: Path) -> None:
    refuse(tmp_path / "none.npz", "cannot read the model")
    refuse(tmp_path, "cannot read the model")


@pytest.mark.parametrize("content", [b"", b"just some text", b"\x93NUMPY", pickle.dumps({"a": 1})])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.npz"
    path.write_bytes(content)
    refuse(path, "not a dialogue model")


@pytest.mark.parametrize("members", [{"a.txt": b"hi"}, {"about": b"{}"}, {"about.npy": b"{}"}, {}])
def test_another_archive_is_refused(tmp_path: Path, members: dict[str, bytes]) -> None:
    path = tmp_path / "other.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    refuse(path, "not a dialogue model")


class _Bomb:
    """Would betray that it was unpickled."""

    def __reduce__(self) -> tuple[object, ...]:
        return (pytest.fail, ("something in the file was executed",))


@pytest.mark.parametrize("name", ["about", "forest.values", "more"])
def test_an_object_in_the_archive_is_refused_and_never_unpickled(saved: Path, tmp_path: Path, name: str) -> None:
    bomb = io.BytesIO()
    np.lib.format.write_array(bomb, np.array([_Bomb()], dtype=object), allow_pickle=True)
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(saved) as old, zipfile.ZipFile(path, "w") as new:
        for member in old.namelist():
            if member != f"{name}.npy":
                new.writestr(member, old.read(member))
        new.writestr(f"{name}.npy", bomb.getvalue())
    refuse(path, "Object arrays cannot be loaded")


def test_an_array_that_claims_to_be_huge_is_refused(saved: Path, tmp_path: Path) -> None:
    claim = io.BytesIO()
    np.lib.format.write_array_header_1_0(claim, {"descr": "<f8", "fortran_order": False, "shape": (10**14,)})
    path = tmp_path / "huge.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("about.npy", claim.getvalue())
    refuse(path)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda about: about.update(version=2), "version 2 is not 1"),
        (lambda about: about.update(format="other"), "a different kind"),
        (lambda about: about["reads"]["features"].reverse(), "different features"),
        (lambda about: about["reads"]["columns"].pop(), "different features"),
        (lambda about: about.pop("guess"), "guess is missing"),
        (lambda about: about.update(guess=[1.0]), "not a dialogue model"),
        (lambda about: about.update(thumb_intercept=float("nan")), "NaN is not a number"),
        (lambda about: about["told"].update(intercept=float("inf")), "Infinity is not a number"),
        (lambda about: about["told"].update(weights=[1.0]), "different outputs"),
        (lambda about: about["told"].update(scores=[], lows=[], highs=[]), "equation is broken"),
        (lambda about: about["untold"]["scores"].reverse(), "equation is broken"),
        (lambda about: about.update(wording_intercept=[1.0, 2.0, 3.0]), "different outputs"),
        (lambda about: about.update(kernel_intercept=3.0), "different outputs"),
        (lambda about: about.update(kernel_width="wide"), "not a dialogue model"),
        (lambda about: about.update(origin={}), "origin"),
        (lambda about: about.update(origin=3), "origin"),
    ],
)
def test_a_wrong_word_about_the_model_is_refused(
    saved: Path, tmp_path: Path, change: Callable[[dict[str, Any]], object], reason: str
) -> None:
    refuse(rewritten(saved, tmp_path / "wrong.npz", lambda arrays: told(arrays, change)), reason)


@pytest.mark.parametrize("text", [b"[]", b"3", b"null", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a": 1e999}'])
def test_another_text_about_the_model_is_refused(saved: Path, tmp_path: Path, text: bytes) -> None:
    def replace_it(arrays: Arrays) -> None:
        arrays["about"] = np.frombuffer(text, dtype=np.uint8)

    refuse(rewritten(saved, tmp_path / "text.npz", replace_it))


@pytest.mark.parametrize(
    "name", ["words.rarity", "thumb.weights", "thumb.numbers", "judge.weights", "forest.values", "scales.values"]
)
@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_what_is_not_a_number_is_refused(saved: Path, tmp_path: Path, name: str, number: float) -> None:
    refuse(rewritten(saved, tmp_path / "nan.npz", lambda arrays: arrays[name].flat.__setitem__(0, number)), "numbers")


@pytest.mark.parametrize(
    "name", ["words.names", "judge.rarity", "peer.weights", "forest.roots", "kernel.talks", "scales.places"]
)
def test_a_missing_part_is_named(saved: Path, tmp_path: Path, name: str) -> None:
    refuse(rewritten(saved, tmp_path / "less.npz", lambda arrays: arrays.pop(name)), f"{name} is missing")


@pytest.mark.parametrize(
    "name",
    [
        "words.rarity",
        "thumb.weights",
        "thumb.numbers",
        "peer.weights",
        "forest.features",
        "forest.thresholds",
        "forest.values",
        "scales.values",
        "scales.places",
        "kernel.talks",
        "kernel.weights",
    ],
)
def test_a_part_of_another_size_is_refused(saved: Path, tmp_path: Path, name: str) -> None:
    refuse(rewritten(saved, tmp_path / "less.npz", lambda arrays: arrays.update({name: arrays[name][:-1]})))
    refuse(rewritten(saved, tmp_path / "deep.npz", lambda arrays: arrays.update({name: arrays[name][..., None]})))


def first_branch(arrays: Arrays) -> int:
    return int(np.flatnonzero(arrays["forest.children"] != np.arange(len(arrays["forest.children"])))[5])


def first_leaf(arrays: Arrays) -> int:
    return int(np.flatnonzero(arrays["forest.children"] == np.arange(len(arrays["forest.children"])))[5])


def set_at(name: str, place: Callable[[Arrays], int], number: Callable[[Arrays], float]) -> Change:
    return lambda arrays: arrays[name].__setitem__(place(arrays), number(arrays))


def count(arrays: Arrays) -> int:
    return len(arrays["forest.children"])


ASTRAY = {
    "a cycle": set_at("forest.children", first_branch, lambda _: 0),
    "a branch that leads to itself": set_at("forest.children", first_branch, first_branch),
    "a child behind the last node": set_at("forest.children", first_branch, count),
    "a brother behind the last node": set_at("forest.children", first_branch, lambda arrays: count(arrays) - 1),
    "a child before the first node": set_at("forest.children", first_branch, lambda _: -1),
    "a leaf that lets pass": set_at("forest.thresholds", first_leaf, lambda _: 0.0),
    "a threshold that is no number": set_at("forest.thresholds", first_branch, lambda _: np.nan),
    "a feature that is not there": set_at("forest.features", first_branch, lambda _: 10_000),
    "a feature below none": set_at("forest.features", first_branch, lambda _: -1),
    "a root behind the last node": set_at("forest.roots", lambda _: 0, count),
    "a root before the first node": set_at("forest.roots", lambda _: 0, lambda _: -1),
}


@pytest.mark.parametrize("fault", ASTRAY)
def test_a_forest_that_leads_astray_is_refused(saved: Path, tmp_path: Path, fault: str) -> None:
    refuse(rewritten(saved, tmp_path / "astray.npz", ASTRAY[fault]), "astray")


def test_a_forest_of_broken_numbers_or_without_trees_is_refused(saved: Path, tmp_path: Path) -> None:
    def halve(arrays: Arrays) -> None:
        arrays["forest.children"] = arrays["forest.children"] + 0.5

    def clear(arrays: Arrays) -> None:
        arrays["forest.roots"] = arrays["forest.roots"][:0]

    refuse(rewritten(saved, tmp_path / "half.npz", halve), "whole numbers")
    refuse(rewritten(saved, tmp_path / "clear.npz", clear), "incomplete")
