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

from vivavoce.errors import DataError, Fault, FileError, UsageError, nearest
from vivavoce.messages import say, say_count

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
        raise UsageError(
            say("there is a file already"), where=str(path), remedy=say("choose another name, or remove the file")
        )
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
            say("the file cannot be written: {strerror}", strerror=error.strerror or error),
            where=str(path),
            remedy=say("check that the folder exists, that you may write there, and that there is room"),
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
            say("the file cannot be read: {strerror}", strerror=error.strerror or error),
            where=str(path),
            remedy=say("check the path"),
        ) from error
    except _BROKEN as error:
        raise FileError(
            say("the file is damaged: {error}", error=error), where=str(path), remedy=say("use another copy of it")
        ) from error


def check_names(archive: zipfile.ZipFile, wanted: Collection[str], path: str | Path) -> None:
    """Refuse an archive that lacks a part or holds one that nobody would read."""
    names = [part.filename for part in archive.infolist() if not part.is_dir()]
    faults = [Fault(say("is missing"), name) for name in wanted if name not in names]
    faults += [
        Fault(say("does not belong there.{nearest}", nearest=nearest(name, list(wanted))), ascii(name))
        for name in names
        if name not in wanted
    ]
    faults += [Fault(say("is there twice"), name) for name in sorted(set(wanted)) if names.count(name) > 1]
    if faults:
        raise DataError(
            say("{parts} of the file cannot be used", parts=say_count(len(faults), "{n} part", "{n} parts")),
            where=str(path),
            faults=faults,
            remedy=say("correct them"),
        )


def read_part(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return one part as a whole."""
    with archive.open(name) as part:
        return part.read()


def read_lines(part: IO[bytes], longest: int, where: str) -> Iterator[bytes]:
    """Yield the lines of a part, one at a time in memory."""
    while line := part.readline(longest + 1):
        if len(line) > longest:
            raise FileError(
                say("a line is too long to be true"), where=where, remedy=say("use another copy of the file")
            )
        yield line


def _check_sizes(archive: zipfile.ZipFile, path: str | Path, max_bytes: int) -> None:
    """Go by what the archive claims: the unpacker stops at these sizes."""
    parts = archive.infolist()
    if any(part.flag_bits & _ENCRYPTED for part in parts):
        raise FileError(say("the file has a password"), where=str(path), remedy=say("pack it without one"))
    total = sum(part.file_size for part in parts)
    suspect = [part for part in parts if part.file_size > max(MIN_SUSPECT_BYTES, MAX_RATIO * part.compress_size)]
    if suspect or total > max_bytes or len(parts) > MAX_PARTS:
        raise FileError(
            say(
                "the file would grow to {total:,.0f} MB in {parts}, which is not read",
                total=total / MEGABYTE,
                parts=say_count(len(parts), "{n} part", "{n} parts"),
            ),
            where=str(path),
            remedy=say(
                "at most {max_bytes:,.0f} MB are read, and no part that grows {max_ratio}-fold",
                max_bytes=max_bytes / MEGABYTE,
                max_ratio=MAX_RATIO,
            ),
        )
