"""Fingerprint of a trace file when it was indexed, so that an index is never taken for one of another file.

Name, size and time of the last change must agree, and a digest of the first and the last MiB. The digest catches a file
that was replaced by one of the same size with its time set back, as copying tools do. A file that was merely touched
counts as changed: its middle could be, too, and indexing it again takes seconds, whereas an old index would tell lies.
A file that is read in another unit of time counts as another file.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Self

from msgspec import Struct, structs

from tilescope.tiler.blobs import BlobRange, open_mirrored, trace_errors
from tilescope.tiler.errors import TraceError
from tilescope.tiler.readers.time_unit import DEFAULT_TIME_UNIT, TimeUnit

_END_BYTES: Final = 1024 * 1024

# Digests of files that did not change since, so that a server may ask for them as often as it lists runs.
_KEPT_DIGESTS: Final = 65_536


class Stamp(Struct, frozen=True):
    """Size and times of a trace file, in the file system; of the archive that holds it, for a member of one."""

    name: str
    size_bytes: int
    modified_ns: int

    @classmethod
    def of_file(cls, file: Path) -> Self:
        """Looks at the file, not into it. Raises OSError."""
        stat = archive_of(file).stat()
        return cls(file.name, stat.st_size, stat.st_mtime_ns)


class Fingerprint(Struct, frozen=True):
    """One trace file: the same as long as the file is."""

    name: str
    size_bytes: int
    modified_ns: int
    # SHA-256 of the first and the last MiB, hexadecimal; with the unit of time, where it is not the usual one
    digest: str

    def to_json(self) -> dict[str, Any]:
        """As the manifest keeps it."""
        return structs.asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        """The inverse. Raises KeyError."""
        return cls(value["name"], value["size_bytes"], value["modified_ns"], value["digest"])


def take_fingerprint(file: Path, time_unit: TimeUnit = DEFAULT_TIME_UNIT) -> Fingerprint:
    """Fingerprint of a file as it is now; reads 2 MiB at most, and nothing if it is unchanged. Raises OSError."""
    archive = archive_of(file)
    stat = archive.stat()
    # The time of the last change of the inode cannot be set back.
    digest = _digest(archive, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
    if time_unit != DEFAULT_TIME_UNIT:
        digest = f"{digest}-{time_unit}"
    # As text that JSON can keep, also where the name holds bytes that are no UTF-8.
    name = file.name.encode(errors="backslashreplace").decode()
    return Fingerprint(name, stat.st_size, stat.st_mtime_ns, digest)


def take_fingerprints(files: Iterable[Path], time_unit: TimeUnit = DEFAULT_TIME_UNIT) -> tuple[Fingerprint, ...]:
    """Fingerprints of the files of a run, in their order. Raises TraceError for one that cannot be read."""
    fingerprints = []
    for file in files:
        try:
            fingerprints.append(take_fingerprint(file, time_unit))
        except OSError as error:
            raise TraceError(file, f"cannot be opened: {error.strerror or error}") from error
    return tuple(fingerprints)


def stamps_digest(files: Iterable[Path]) -> str:
    """16 hexadecimal digits that change with the stamps of the files. Raises OSError."""
    return digest_of_stamps(map(Stamp.of_file, files))


def digest_of_stamps(stamps: Iterable[Stamp]) -> str:
    """The same of stamps that were taken already."""
    digest = hashlib.sha256()
    for stamp in stamps:
        digest.update(f"{stamp.name}\0{stamp.size_bytes}\0{stamp.modified_ns}\n".encode(errors="surrogateescape"))
    return digest.hexdigest()[:16]


def archive_of(file: Path) -> Path:
    """The file itself, or the archive that `archive.zip/member` is in. Raises FileNotFoundError."""
    for path in (file, *file.parents):
        try:
            path.stat()
        except NotADirectoryError:
            continue
        return path
    raise FileNotFoundError(file)


@lru_cache(_KEPT_DIGESTS)
def _digest(file: Path, _inode: int, size_bytes: int, _modified_ns: int, _changed_ns: int) -> str:
    digest = hashlib.sha256()
    mirrored = open_mirrored(file)
    if mirrored is not None:
        with mirrored, trace_errors(file):
            last = max(_END_BYTES, size_bytes - _END_BYTES)
            for part in mirrored.blob.read_many([BlobRange(0, _END_BYTES), BlobRange(last, last + _END_BYTES)]):
                digest.update(part)
        return digest.hexdigest()
    with file.open("rb", buffering=0) as raw:
        digest.update(raw.read(_END_BYTES))
        if size_bytes > _END_BYTES:
            raw.seek(max(_END_BYTES, size_bytes - _END_BYTES), os.SEEK_SET)
            digest.update(raw.read(_END_BYTES))
    return digest.hexdigest()
