"""Files as a browser sends them, and archives to be sent."""

from __future__ import annotations

import io
import zipfile

from starlette.datastructures import UploadFile


def upload(content: bytes, name: str = "faq.csv") -> UploadFile:
    """Return a file as it arrives."""
    return UploadFile(io.BytesIO(content), filename=name)


def damaged(content: bytes, changes: list[tuple[int, int]]) -> bytes:
    """Return a file with other bytes at some places."""
    data = bytearray(content)
    for place, byte in changes:
        data[place] = byte
    return bytes(data)


def zipped(parts: dict[str, bytes], **attributes: int) -> bytes:
    """Return an archive of these parts; `attributes` are set for each of them."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            member = zipfile.ZipInfo(name)
            member.compress_type = zipfile.ZIP_DEFLATED
            for key, value in attributes.items():
                setattr(member, key, value)
            archive.writestr(member, content)
    return buffer.getvalue()
