"""The sources of the files of a run: each archive among them is opened once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from tilescope.tiler.errors import UnknownFormat
from tilescope.tiler.readers.archives import Archive, TarArchive, ZipArchive
from tilescope.tiler.readers.container import holding_archive, is_zip, trace_paths
from tilescope.tiler.readers.source import ByteSource


def go_on() -> None:
    """Never stops anything."""


class Sources:
    """Opens the files that are named when it is made, by whatever thread. Close it after all that it opened."""

    def __init__(
        self, files: Iterable[Path], *, scratch_dir: Path | None = None, max_inflated: int | None = None
    ) -> None:
        """`scratch_dir` is where members of compressed archives may be copied to."""
        self.max_inflated = max_inflated
        self._archives: dict[Path, Archive] = {}
        self._archive_of: dict[Path, Archive] = {}
        wanted: dict[Path, list[str]] = {}
        for file in files:
            archive = next((parent for parent in file.parents if parent in wanted), None) or holding_archive(file)
            if archive is not None:
                wanted.setdefault(archive, []).append(file.relative_to(archive).as_posix())
        for archive, names in wanted.items():
            made: Archive
            if is_zip(archive):
                made = ZipArchive(archive, names, max_inflated)
            else:
                made = TarArchive(archive, names, max_inflated, scratch_dir)
            self._archives[archive] = made
            self._archive_of |= {archive / name: made for name in names}

    def open(self, path: Path, check: Callable[[], None] = go_on) -> ByteSource:
        """The bytes of a file, or of a member. `check` is called while an archive is read, and may raise.

        Raises `TraceError`, and `DiskFull` without room for the members of a compressed archive.
        """
        archive = self._archive_of.get(path)
        if archive is not None:
            return archive.open(path.relative_to(archive.path).as_posix(), check)
        members = trace_paths(path, self.max_inflated)
        if members == (path,):
            return ByteSource.open(path, self.max_inflated)
        if len(members) > 1:
            raise UnknownFormat(path, f"is an archive of {len(members)} traces", advice=f"name one, as in {members[0]}")
        return open_source(members[0], self.max_inflated)

    def close(self) -> None:
        """Closes all archives."""
        for archive in self._archives.values():
            archive.close()


def open_source(path: Path | str, max_inflated: int | None = None) -> ByteSource:
    """The bytes of a file, of an archive's only trace, or of the member that the path names.

    Raises `TraceError`; `UnknownFormat` for an archive with several traces.
    """
    path = Path(path)
    sources = Sources([path], max_inflated=max_inflated)
    try:
        source = sources.open(path)
    except BaseException:
        sources.close()
        raise
    source.also_close(sources.close)
    return source
