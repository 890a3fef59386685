"""Archives that are sent: unpacked as a whole and inside their folder, or refused."""

from __future__ import annotations

import stat
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sent_files import damaged, upload, zipped

from vivavoce.errors import DataError, FileError, VivaError
from vivavoce.web.security.archives import ArchiveLimits, unpacked_archive
from vivavoce.web.security.uploads import forget_upload, saved_upload


@pytest.fixture(scope="session")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzzed")


def test_an_archive_of_harmless_files_is_unpacked(tmp_path: Path) -> None:
    path = saved_upload(
        upload(zipped({"suite/a.yaml": b"one", "suite/in/b.csv": b"two", "suite/in/": b""})), tmp_path
    )
    files = unpacked_archive(path, tmp_path / "out")
    assert {str(file.relative_to(tmp_path / "out")): file.read_bytes() for file in files} == (
        {"suite/a.yaml": b"one", "suite/in/b.csv": b"two"}
    )


def test_what_a_system_adds_to_every_archive_is_left_out(tmp_path: Path) -> None:
    parts = {"Ha\u0308.csv": b"x", "__MACOSX/._Ha\u0308.csv": b"?", "in/.DS_Store": b"?", "in/Thumbs.db": b"?"}
    path = saved_upload(upload(zipped(parts)), tmp_path)
    assert [file.name for file in unpacked_archive(path, tmp_path / "out")] == ["H\u00e4.csv"]


@pytest.mark.parametrize(
    "name",
    ["../a.csv", "a/../../b.csv", "/etc/passwd", "..\\a.csv", "C:/a.csv", "a/CON", "a\n.csv", ".ssh/keys", "a/b."],
)
def test_a_name_that_leads_out_of_the_folder_is_refused_and_nothing_is_unpacked(name: str, tmp_path: Path) -> None:
    path = saved_upload(upload(zipped({"good.csv": b"x", name: b"x"})), tmp_path / "in")
    with pytest.raises(DataError) as caught:
        unpacked_archive(path, tmp_path / "out")
    assert [fault.where for fault in caught.value.faults] == [repr(name)]
    assert [each.name for each in tmp_path.iterdir()] == ["in"]


@pytest.mark.parametrize("mode", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR])
def test_links_and_devices_are_refused(mode: int, tmp_path: Path) -> None:
    path = saved_upload(upload(zipped({"a": b"/etc/passwd"}, external_attr=(mode | 0o644) << 16)), tmp_path)
    with pytest.raises(DataError, match="a link or a device"):
        unpacked_archive(path, tmp_path / "out")


@pytest.mark.parametrize("names", [("a.csv", "A.CSV"), ("a", "a/b.csv"), ("\u00e4", "a\u0308")])
def test_two_files_of_one_name_are_refused(names: tuple[str, str], tmp_path: Path) -> None:
    path = saved_upload(upload(zipped(dict.fromkeys(names, b"x"))), tmp_path)
    with pytest.raises(DataError, match="has this name"):
        unpacked_archive(path, tmp_path / "out")


@pytest.mark.parametrize(
    ("parts", "limits"),
    [
        ({"a": b"x" * 101}, ArchiveLimits(total_bytes=100)),
        ({"a": b"", "b": b""}, ArchiveLimits(files=1)),
        ({"a/b/c/d": b""}, ArchiveLimits(depth=3)),
        ({"a": b"\0" * 100_000}, ArchiveLimits(suspect_bytes=50_000)),
    ],
)
def test_an_archive_beyond_a_limit_is_refused_before_it_is_unpacked(
    parts: dict[str, bytes], limits: ArchiveLimits, tmp_path: Path
) -> None:
    path = saved_upload(upload(zipped(parts)), tmp_path)
    with pytest.raises(VivaError):
        unpacked_archive(path, tmp_path / "out", limits)
    assert not (tmp_path / "out").exists()
    assert unpacked_archive(path, tmp_path / "out")


def test_an_archive_that_breaks_half_way_leaves_nothing(tmp_path: Path) -> None:
    data = zipped({"a.csv": b"one", "b.csv": b"two"})
    place = data.index(b"b.csv") + 5
    path = saved_upload(upload(data[:place] + b"\xff" + data[place + 1 :]), tmp_path / "in")
    with pytest.raises(FileError, match="cannot unpack the archive"):
        unpacked_archive(path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_archive_is_not_mixed_with_what_is_there(tmp_path: Path) -> None:
    path = saved_upload(upload(zipped({"a.csv": b"new"})), tmp_path / "in")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.csv").write_bytes(b"old")
    with pytest.raises(FileError):
        unpacked_archive(path, tmp_path / "out")
    assert (tmp_path / "out" / "a.csv").read_bytes() == b"old"


ARCHIVE = zipped({"a.csv": b"some text, " * 40, "b/c.yaml": b"more: text"})


@settings(deadline=None)
@given(changes=st.lists(st.tuples(st.integers(0, len(ARCHIVE) - 1), st.integers(0, 255)), min_size=1, max_size=6))
def test_a_damaged_archive_is_unpacked_or_refused_and_nothing_else(
    fuzzed: Path, changes: list[tuple[int, int]]
) -> None:
    path = saved_upload(upload(damaged(ARCHIVE, changes), "a.zip"), fuzzed)
    try:
        with suppress(VivaError):
            files = unpacked_archive(path, fuzzed / "out" / path.parent.name)
            assert all(file.resolve().is_relative_to(fuzzed) for file in files)
    finally:
        forget_upload(path)
