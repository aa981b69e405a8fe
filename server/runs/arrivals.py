"""Runs that were sent to the server, as the registry sees them: where they lie, and until when."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

from tilescope.server.runs.run import FoundRun


class Arrivals(Protocol):
    """Runs that have arrived until now, whole."""

    def roots(self) -> Sequence[Path]:
        """Files and folders with runs, each served as if the command line had named it."""
        ...

    def removed_ns(self, run: FoundRun) -> int | None:
        """Time at which a run is removed unless it is opened, ns since the epoch; None for one that did not arrive."""
        ...


class _Nothing:
    def roots(self) -> Sequence[Path]:
        return ()

    def removed_ns(self, run: FoundRun) -> int | None:
        return None


NOTHING_ARRIVES: Final[Arrivals] = _Nothing()
