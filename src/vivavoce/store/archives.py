"""ZIP files of ours: written all or nothing, read part by part, and never trusted."""

from __future__ import annotations

import os
import secrets
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from vivavoce.errors import DataError, Fault, FileError, UsageError, nearest, plural

MEGABYTE = 1024 * 1024
MAX_PARTS = 20_000
# Rows that repeat themselves shrink to a hundredth; what shrinks far more was made to fill a disk.
MAX_RATIO = 500
MIN_SUSPECT_BYTES = 16 * MEGABYTE
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError)
_ENCRYPTED = 0x1


@contextmanager
def written_archive(path: str | Path) -> Iterator[zipfile.ZipFile]:
    """Write a new ZIP file, only for its owner's eyes; nothing is left of it after an error."""
    target = Path(path)
    if target.exists():
        raise UsageError("there is a file already", where=str(path), remedy="choose another name, or remove the file")
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        with os.fdopen(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                yield archive
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    except OSError as error:
        raise FileError(
            f"the file cannot be written: {error.strerror or error}",
            where=str(path),
            remedy="check that the folder exists, that you may write there, and that there is room",
        ) from error
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def opened_archive(path: str | Path, max_bytes: int) -> Iterator[zipfile.ZipFile]:
    """Open a ZIP file to read parts of it; one that is damaged or would grow beyond reason is refused."""
    try:
        with zipfile.ZipFile(path) as archive:
            _check_sizes(archive, path, max_bytes)
            yield archive
    except OSError as error:
        raise FileError(
            f"the file cannot be read: {error.strerror or error}", where=str(path), remedy="check the path"
        ) from error
    except _BROKEN as error:
        raise FileError(f"the file is damaged: {error}", where=str(path), remedy="use another copy of it") from error


def check_names(archive: zipfile.ZipFile, wanted: Collection[str], path: str | Path) -> None:
    """Refuse an archive that lacks a part or holds one that nobody would read."""
    names = [part.filename for part in archive.infolist() if not part.is_dir()]
    faults = [Fault("is missing", name) for name in wanted if name not in names]
    faults += [
        Fault(f"does not belong there.{nearest(name, list(wanted))}", ascii(name))
        for name in names
        if name not in wanted
    ]
    faults += [Fault("is there twice", name) for name in sorted(set(wanted)) if names.count(name) > 1]
    if faults:
        raise DataError(
            f"{plural(len(faults), 'part')} of the file cannot be used",
            where=str(path),
            faults=faults,
            remedy="correct them",
        )


def read_part(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return one part as a whole."""
    with archive.open(name) as part:
        return part.read()


def read_lines(part: IO[bytes], longest: int, where: str) -> Iterator[bytes]:
    """Yield the lines of a part, one at a time in memory."""
    while line := part.readline(longest + 1):
        if len(line) > longest:
            raise FileError("a line is too long to be true", where=where, remedy="use another copy of the file")
        yield line


def _check_sizes(archive: zipfile.ZipFile, path: str | Path, max_bytes: int) -> None:
    """Go by what the archive claims: the unpacker stops at these sizes."""
    parts = archive.infolist()
    if any(part.flag_bits & _ENCRYPTED for part in parts):
        raise FileError("the file has a password", where=str(path), remedy="pack it without one")
    total = sum(part.file_size for part in parts)
    suspect = [part for part in parts if part.file_size > max(MIN_SUSPECT_BYTES, MAX_RATIO * part.compress_size)]
    if suspect or total > max_bytes or len(parts) > MAX_PARTS:
        raise FileError(
            f"the file would grow to {total / MEGABYTE:,.0f} MB in {plural(len(parts), 'part')}, which is not read",
            where=str(path),
            remedy=f"at most {max_bytes / MEGABYTE:,.0f} MB are read, and no part that grows {MAX_RATIO}-fold",
        )
