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


@contextmanager
def write_archive(path: str | Path) -> Iterator[zipfile.ZipFile]:
    """Write a new ZIP file, only for its owner's eyes; nothing is left of it after an error."""
    target = Path(path)
    if target.exists():
        remedy = say("choose another name, or delete the file")
        raise UsageError(say("the file already exists"), where=str(path), remedy=remedy)
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
            remedy=say("check that the folder exists, that you have write access, and that there is free space"),
        ) from error
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def open_archive(path: str | Path, max_bytes: int) -> Iterator[zipfile.ZipFile]:
    """Open a ZIP file to read parts of it; one that is damaged or would grow beyond reason is refused."""
    try:
        with zipfile.ZipFile(path) as archive:
            _check_sizes(archive.infolist(), path, max_bytes)
            yield archive
    except OSError as error:
        what = say("the file cannot be read: {strerror}", strerror=error.strerror or error)
        raise FileError(what, where=str(path), remedy=say("check the path")) from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        what = say("the file is damaged: {error}", error=error)
        raise FileError(what, where=str(path), remedy=say("use another copy")) from error


def check_names(archive: zipfile.ZipFile, wanted: Collection[str], path: str | Path) -> None:
    """Refuse an archive that lacks a part or holds one that nobody would read."""
    names = [part.filename for part in archive.infolist() if not part.is_dir()]
    faults = [Fault(say("is missing"), name) for name in wanted if name not in names]
    faults += [
        Fault(say("unexpected part.{nearest}", nearest=nearest(name, list(wanted))), ascii(name))
        for name in names
        if name not in wanted
    ]
    faults += [Fault(say("appears twice"), name) for name in sorted(set(wanted)) if names.count(name) > 1]
    if faults:
        what = say("{parts} of the file invalid", parts=say_count(len(faults), "{n} part", "{n} parts"))
        raise DataError(what, where=str(path), faults=faults, remedy=say("fix them"))


def read_lines(part: IO[bytes], longest: int, where: str) -> Iterator[bytes]:
    """Yield the lines of a part, one at a time in memory."""
    while line := part.readline(longest + 1):
        if len(line) > longest:
            remedy = say("use another copy of the file")
            raise FileError(say("a line is too long"), where=where, remedy=remedy)
        yield line


def _check_sizes(parts: list[zipfile.ZipInfo], path: str | Path, max_bytes: int) -> None:
    """Trust the sizes that the archive claims: the unpacker stops there."""
    encrypted = 0x1
    if any(part.flag_bits & encrypted for part in parts):
        raise FileError(say("the file is password-protected"), where=str(path), remedy=say("remove the password"))
    total = sum(part.file_size for part in parts)
    suspect = [part for part in parts if part.file_size > max(MIN_SUSPECT_BYTES, MAX_RATIO * part.compress_size)]
    if suspect or total > max_bytes or len(parts) > MAX_PARTS:
        size = {"total": total / MEGABYTE, "parts": say_count(len(parts), "{n} part", "{n} parts")}
        bounds = {"max_bytes": max_bytes / MEGABYTE, "max_ratio": MAX_RATIO}
        raise FileError(
            say("the file would unpack to {total:,.0f} MB in {parts}, which is too large", **size),
            where=str(path),
            remedy=say(
                "the limit is {max_bytes:,.0f} MB, and no part may unpack to more than {max_ratio} times its size",
                **bounds,
            ),
        )
