"""The folder of a run in a log directory, as TensorBoard, XProf and JAX lay it out: `LOGDIR/plugins/profile/RUN`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import chain, count
from pathlib import Path
from typing import Final

from tilescope.capture.address import ProfilerAddress
from tilescope.capture.arriving_file import ArrivingFile, fault_of_disk, refuse_astray
from tilescope.tiler.errors import UsageError

SUFFIX: Final = ".xplane.pb"

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_.+-]")
_MOST_NAMES: Final = 1000  # of runs that begin in the same second
_LONGEST_NAME: Final = 100  # of data of a tool


class RunFolder:
    """A new run. Its folders are made when the first file comes; those that stay empty are removed again."""

    def __init__(self, logdir: Path, run_name: str | None, confined_to: Sequence[Path] = ()) -> None:
        self._confined_to = confined_to
        self.root = logdir.absolute() / "plugins" / "profile"
        self.path = self.root / (run_name or _free_name(self.root))
        if self.path.exists():
            raise UsageError(f"{self.path}: there is a run of that name already (choose another one)")
        self._new = [self.path]  # the deepest first
        while not self._new[-1].parent.exists():
            self._new.append(self._new[-1].parent)

    def trace_file(self, host: str) -> ArrivingFile:
        """The trace of a host, to be written. Raises `Fault`."""
        return self._file(f"{host}{SUFFIX}")

    def save_tool_data(self, host: str, tool_data: Mapping[str, bytes]) -> tuple[Path, ...]:
        """Writes what a server sent of its tools: `HOST.NAME`, as the other tools do. Raises `Fault`.

        A server chooses the names: none of them makes a file that counts as a trace, or takes the place of another.
        """
        paths: list[Path] = []
        for name, data in tool_data.items():
            plain = f"{host}.{_UNSAFE.sub('_', name)[:_LONGEST_NAME]}{'.tool' if name.endswith(SUFFIX[1:]) else ''}"
            taken = {path.name for path in paths}
            file = self._file(
                next(free for free in chain([plain], (f"{plain}.{k}" for k in count(2))) if free not in taken)
            )
            try:
                file.write(data)
                file.commit()
            finally:
                file.discard()
            paths.append(file.path)
        return tuple(paths)

    def tidy(self) -> bool:
        """Removes the folders that are new and empty. Returns whether the run is left."""
        for folder in self._new:
            with suppress(OSError):
                folder.rmdir()
        return self.path.is_dir()

    def _file(self, name: str) -> ArrivingFile:
        refuse_astray(self.path, self._confined_to)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise fault_of_disk(error, self.path) from None
        refuse_astray(self.path, self._confined_to)  # what somebody put in its place meanwhile
        return ArrivingFile(self.path / name)


def host_names(addresses: Sequence[ProfilerAddress]) -> tuple[str, ...]:
    """Prefixes of each host's file names: its name or host, with host and port where several have the same one."""
    names = [_safe(address.name or address.host) for address in addresses]
    times = Counter(name.lower() for name in names)
    return tuple(
        name if times[name.lower()] == 1 else "_".join((*_apart(name, address), str(address.port)))
        for name, address in zip(names, addresses, strict=True)
    )


def _apart(name: str, address: ProfilerAddress) -> tuple[str, ...]:
    return (name, _safe(address.host)) if address.name else (name,)


def _safe(text: str) -> str:
    return _UNSAFE.sub("_", text).lstrip(".")


def _free_name(root: Path) -> str:
    """Date and time, as the other tools name their runs."""
    now = datetime.now().strftime("%Y_%m_%d_%H_%M_%S")
    names = [now, *(f"{now}.{k}" for k in range(2, _MOST_NAMES))]
    return next((name for name in names if not (root / name).exists()), now)
