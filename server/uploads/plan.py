"""The files of an upload as they are kept: names that are safe, below one folder or file.

A name of a client never becomes a path. What is kept of it are the words that people and the layouts of profilers
know it by: letters and digits of any script, and a few signs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from tilescope.server.errors import BadRequest
from tilescope.tiler.schema import UploadOrder

_MOST_DEEP: Final = 16  # folders; a log directory has six
_MOST_BYTES: Final = 200  # of one name, so that no file system refuses it
_OTHER: Final = re.compile(r"[^\w .@+=,()~-]")


class PlannedFile(Struct, frozen=True):
    """A file of an upload."""

    path: str  # safe: relative, `/` between names
    size_bytes: int
    modified_ms: int  # since the epoch


class Plan(Struct, frozen=True):
    """All of an upload."""

    client: str  # address
    begun_ns: int  # since the epoch
    files: Sequence[PlannedFile]

    @property
    def size_bytes(self) -> int:
        """Bytes of all files."""
        return sum(file.size_bytes for file in self.files)

    @property
    def top(self) -> str:
        """Name of the file or the folder that all of them are."""
        return self.files[0].path.partition("/")[0]


def make_plan(order: UploadOrder, client: str, begun_ns: int) -> Plan:
    """The plan of an order. Raises `BadRequest` for names that cannot all be kept."""
    paths = [safe_path(file.name) for file in order.files]
    if len(paths) > 1 and (len({path[0] for path in paths}) > 1 or any(len(path) == 1 for path in paths)):
        paths = [(f"{len(paths)} files", *path) for path in paths]
    _check_apart(paths)
    files = [
        PlannedFile("/".join(path), int(file.size_bytes), min(int(file.modified_ms), begun_ns // 1_000_000))
        for path, file in zip(paths, order.files, strict=True)
    ]
    return Plan(client, begun_ns, files)


def safe_path(name: str) -> tuple[str, ...]:
    """The names of a path that a client has sent, as they are kept. Raises `BadRequest`."""
    parts = [_safe(part) for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    if not parts or ".." in name.replace("\\", "/").split("/"):
        raise BadRequest(f"{name!r} names no file")
    if len(parts) > _MOST_DEEP:
        raise BadRequest(f"{name!r} lies in more than {_MOST_DEEP} folders")
    return tuple(parts)


def _safe(part: str) -> str:
    text = _OTHER.sub("_", unicodedata.normalize("NFC", part)).strip()
    while len(text.encode()) > _MOST_BYTES:  # the end tells the format
        text = text[1:].lstrip()
    return f"_{text[1:]}" if text.startswith(".") else text or "_"


def _check_apart(paths: Sequence[tuple[str, ...]]) -> None:
    """Raises `BadRequest` where two files would be one, or a file would be a folder, on whatever file system."""
    files = {tuple(map(str.casefold, path)) for path in paths}
    folders = {path[:depth] for path in files for depth in range(1, len(path))}
    if len(files) < len(paths) or files & folders:
        raise BadRequest("two of these files would have one name: rename one of them")
