"""Archives: zip and tar files whose members are traces.

A member is named by a path that goes on behind the archive's, `traces.zip/host0.json`: it travels wherever paths do.
"""

from __future__ import annotations

import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tilescope.tiler.errors import DamagedTrace, UnknownFormat
from tilescope.tiler.readers.signature import HEAD_BYTES, recognise
from tilescope.tiler.readers.source import ByteSource, RawStream, open_raw

_ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
_TAR_MAGIC = b"ustar"
_TAR_MAGIC_AT = 257
_ARCHIVE_ERRORS = (zipfile.BadZipFile, tarfile.TarError, EOFError, OSError, RuntimeError, NotImplementedError)


@dataclass(frozen=True, slots=True)
class _Location:
    archive: Path
    member: str | None  # None: the file itself


def trace_paths(path: Path | str) -> tuple[Path, ...]:
    """The traces in an archive as paths for `open_source`; just `path` for a file that is no archive.

    Raises `UnknownFormat` for an archive without a trace.
    """
    path = Path(path)
    location = _locate(path)
    if location.member is not None or not _is_archive(path):
        return (path,)
    found = tuple(path / name for name in _member_names(path) if _is_trace(path / name))
    if not found:
        raise UnknownFormat(path, "is an archive without a trace in it")
    return found


def open_source(path: Path | str) -> ByteSource:
    """The bytes of a file, of an archive's only trace, or of the member that the path names.

    Raises `TraceError`; `UnknownFormat` for an archive with several traces.
    """
    path = Path(path)
    location = _locate(path)
    if location.member is not None:
        return _open_member(location.archive, location.member)
    source = ByteSource.open(path)
    if not _is_archive_head(source.peek(_TAR_MAGIC_AT + len(_TAR_MAGIC))):
        return source
    source.close()
    members = trace_paths(path)
    if len(members) > 1:
        raise UnknownFormat(path, f"is an archive of {len(members)} traces", advice=f"name one, as in {members[0]}")
    return open_source(members[0])


def _locate(path: Path) -> _Location:
    if not path.exists():
        for parent in path.parents:
            if parent.is_file() and _is_archive(parent):
                return _Location(parent, path.relative_to(parent).as_posix())
    return _Location(path, None)


def _is_archive(path: Path) -> bool:
    with ByteSource.open(path) as source:
        return _is_archive_head(source.peek(_TAR_MAGIC_AT + len(_TAR_MAGIC)))


def _is_archive_head(head: bytes) -> bool:
    return head.startswith(_ZIP_MAGICS) or head[_TAR_MAGIC_AT:] == _TAR_MAGIC


def _is_zip(path: Path) -> bool:
    with open_raw(path) as file:
        return file.read(4) in _ZIP_MAGICS


def _member_names(path: Path) -> list[str]:
    try:
        if _is_zip(path):
            with zipfile.ZipFile(path) as archive:
                names = [_plain_name(info.filename) for info in archive.infolist() if not info.is_dir()]
        else:
            with tarfile.open(path) as tar:
                names = [_plain_name(info.name) for info in tar if info.isfile()]
    except _ARCHIVE_ERRORS as error:
        raise DamagedTrace(path, f"is a damaged archive ({error})", advice="copy the file again") from error
    return [name for name in dict.fromkeys(names) if name and not _is_hidden(name)]


def _plain_name(name: str) -> str:
    """A member's name as a path below the archive, without what `tar` puts before it; empty if it leads out of it."""
    parts = PurePosixPath(name.lstrip("/")).parts
    return "" if ".." in parts else "/".join(parts)


def _is_hidden(name: str) -> bool:
    return name.startswith("__MACOSX/") or Path(name).name.startswith(".")


def _is_trace(path: Path) -> bool:
    with open_source(path) as source:
        try:
            recognise(source.peek(HEAD_BYTES), path)
        except UnknownFormat:
            return False
    return True


def _open_member(archive: Path, name: str) -> ByteSource:
    path = archive / name
    try:
        if _is_zip(archive):
            with zipfile.ZipFile(archive) as zipped:
                found = {_plain_name(info.filename): info for info in zipped.infolist()}[name]
                # Keeps the archive's file open as long as it needs it.
                return ByteSource(path, zipped.open(found), found.file_size)
        return _open_tar_member(archive, name)
    except KeyError as error:
        raise UnknownFormat(path, f"{archive.name} has no such member") from error
    except _ARCHIVE_ERRORS as error:
        raise DamagedTrace(path, f"cannot be read from the archive ({error})", advice="copy the file again") from error


def _open_tar_member(archive: Path, name: str) -> ByteSource:
    tar = tarfile.open(archive)  # noqa: SIM115 - the member closes it
    try:
        info = {_plain_name(info.name): info for info in tar}[name]
        file = tar.extractfile(info)
        if file is None:
            raise KeyError(name)
        return ByteSource(archive / name, _TarMember(tar, file), info.size)
    except BaseException:
        tar.close()
        raise


class _TarMember:
    """A member that closes its archive."""

    def __init__(self, tar: tarfile.TarFile, file: RawStream) -> None:
        self._tar = tar
        self._file = file

    def read(self, n: int, /) -> bytes:
        return self._file.read(n)

    def close(self) -> None:
        self._file.close()
        self._tar.close()
