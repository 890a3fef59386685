"""ZIP archives that people send: looked at first, and unpacked only if no part of them is a trap."""

from __future__ import annotations

import shutil
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from vivavoce.errors import DataError, Fault, FileError
from vivavoce.messages import say
from vivavoce.web.security.uploads import MEGABYTE, safe_name

BROKEN = (
    OSError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, ValueError, IndexError,
)  # fmt: skip
PIECE_BYTES = MEGABYTE
LEFT_OUT = (".DS_Store", "Thumbs.db", "desktop.ini")


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """How much an archive may unpack to."""

    total_bytes: int = 256 * MEGABYTE
    files: int = 2_000
    depth: int = 12
    # Texts shrink to a tenth, tables to a thirtieth; what shrinks far more is made to fill a disk.
    ratio: int = 200
    suspect_bytes: int = 16 * MEGABYTE


ARCHIVE_LIMITS = ArchiveLimits()


def unpacked_archive(path: Path, folder: Path, limits: ArchiveLimits = ARCHIVE_LIMITS) -> tuple[Path, ...]:
    """Unpack an archive into a new folder and return the files; refuse all of it if anything in it is wrong.

    What systems put into every archive beside the files of a person (`.DS_Store` and the like) is left out.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.infolist() if not _is_left_out(member)]
            check_members(members, path, limits)
            folder.mkdir(parents=True)
            try:
                return tuple(_unpack(archive, member, folder) for member in members)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
    except BROKEN as error:
        raise FileError(
            say("cannot unpack the archive: {error}", error=error),
            where=str(path),
            remedy=say("pack it again as a plain ZIP file"),
        ) from error


def check_members(members: list[zipfile.ZipInfo], path: Path, limits: ArchiveLimits = ARCHIVE_LIMITS) -> None:
    """Refuse an archive that is too large inside, or holds names or kinds of files that do not belong in one.

    Claimed sizes can be trusted: the unpacker stops at them.
    """
    total = sum(member.file_size for member in members)
    if total > limits.total_bytes or len(members) > limits.files:
        raise FileError(
            say(
                "the archive unpacks to {total:,.1f} MB in {count:,} files",
                total=total / MEGABYTE,
                count=len(members),
            ),
            where=str(path),
            remedy=say(
                "send at most {total_bytes:g} MB in {files:,} files",
                total_bytes=limits.total_bytes / MEGABYTE,
                files=limits.files,
            ),
        )
    faults = [Fault(what, repr(member.filename)) for member in members for what in _faults(member, limits)]
    faults += _clashes(members)
    if faults:
        raise DataError(
            say("the archive contains files that cannot be unpacked"),
            where=str(path),
            faults=faults,
            remedy=say("pack only the folder with your files, without passwords and links"),
        )


def _is_left_out(member: zipfile.ZipInfo) -> bool:
    parts = _parts(member)
    return member.is_dir() or "__MACOSX" in parts[:1] or parts[-1:] in [(name,) for name in LEFT_OUT]


def _parts(member: zipfile.ZipInfo) -> tuple[str, ...]:
    # Some systems take accents apart: the same letters must be the same name.
    return PurePosixPath(unicodedata.normalize("NFC", member.filename)).parts


def _faults(member: zipfile.ZipInfo, limits: ArchiveLimits) -> Iterator[str]:
    parts = _parts(member)
    if not parts or any(safe_name(part) != part for part in parts):
        yield "the name points outside the folder or is not valid on every system"
    if len(parts) > limits.depth:
        yield f"the file is more than {limits.depth} folders deep"
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        yield "this is a link or a device, not a file"
    if member.flag_bits & 0x1:
        yield "the file is password-protected"
    if member.file_size > limits.suspect_bytes and member.file_size > limits.ratio * max(member.compress_size, 1):
        yield (f"the file would expand to {member.file_size / MEGABYTE:,.1f} MB, far more than text files do")


def _clashes(members: list[zipfile.ZipInfo]) -> Iterator[Fault]:
    """Yield names that are the same file on some systems, and names that are a file and a folder at once."""
    names = ["/".join(_parts(member)).casefold() for member in members]
    folders = {str(parent) for name in names for parent in PurePosixPath(name).parents}
    seen: set[str] = set()
    for member, name in zip(members, names, strict=True):
        if name in seen or name in folders:
            yield Fault(say("another file or folder in the archive has this name"), repr(member.filename))
        seen.add(name)


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path) -> Path:
    target = folder.joinpath(*_parts(member))
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(member) as source, target.open("xb") as file:
        shutil.copyfileobj(source, file, PIECE_BYTES)
    return target
