"""The contract of a layout: how a program lays out its files, and which of them are shown together.

A layout decides by names, sizes and first bytes. It sees the traces of one folder, on disk or within an archive, and
reads no file itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct, field

RUN_MARK: Final = "*"  # in the names of runs of several files, so that other paths that do not exist are no runs


class Candidate(Struct, frozen=True):
    """A file that seems to be a trace."""

    path: Path  # that of a member goes on behind the archive's
    is_empty: bool
    looks: Mapping[str, object] = field(default_factory=dict)  # of layouts at its first bytes, by their ids
    is_link: bool = False


class Folder(Struct, frozen=True):
    """The traces of a folder that no layout has claimed yet, in natural order, without archives."""

    path: Path
    traces: Sequence[Candidate]
    names: Collection[str] = frozenset()  # of all its files that may be traces or archives: no run is called so


class FileLabel(Struct, frozen=True):
    """The place of a file in its run: on the screen, its events stand below a group of that name."""

    rank: int | None = None
    host: str = ""
    device: str = ""

    def __str__(self) -> str:
        rank = "" if self.rank is None else f"rank {self.rank}"
        return " · ".join(part for part in (rank, self.host, self.device) if part)


class RunFile(Struct, frozen=True):
    """A file of a run."""

    path: Path
    label: FileLabel


class PlannedRun(Struct, frozen=True):
    """Files of a folder that are shown together."""

    name: str  # in the folder, with a `*`; empty: the run is all of the folder, and is called so
    files: Sequence[RunFile]  # in the order of the screen
    copies: Sequence[Path] = ()  # claimed and left out: `notes` say why
    side_files: Sequence[Path] = ()  # that belong to the run and are no traces
    notes: Sequence[str] = ()  # what was left out and why, or is missing, a line each
    is_unconfirmed: bool = False  # that the files are of one time is a guess: indexing leaves out those that are not

    def claimed(self) -> set[Path]:
        """Paths of the traces that are no run of their own any more."""
        return {*(file.path for file in self.files), *self.copies}

    def hosts(self, host_of: Callable[[Path], str]) -> list[str]:
        """The host of each file, by its label: files of no device are counted with the first that has one."""
        labels = [str(file.label) for file in self.files]
        first = next(filter(None, labels), "")
        return [label or first or host_of(file.path) for file, label in zip(self.files, labels, strict=True)]


def nothing_seen(_head: bytes) -> object | None:
    """A look for layouts that decide by names."""
    return None


class FileLayout(Struct, frozen=True):
    """A way in which programs lay out the files of a run."""

    id: str
    title: str  # for people
    runs: Callable[[Folder], Sequence[PlannedRun]]  # those that it recognises; none in most folders
    look: Callable[[bytes], object | None] = nothing_seen  # keeps of a trace's first 16 to 64 KiB what `runs` needs
    separates: bool = False  # whether a user may want its files one by one, instead
