"""Progress of a capture: a line per host on a terminal, a line per change elsewhere. Both on stderr."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self, TextIO

from tilescope.cli.say import say
from tilescope.cli.text import seconds_text
from tilescope.tiler.printable_text import printable
from tilescope.tiler.size_text import size_text

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from tilescope.capture import HostProgress, ProfilerAddress

_MOST_LINES: Final = 24  # on a terminal; what other hosts do is in the report


class CaptureDisplay:
    """Shows what `tell` is told; use it in a `with`."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._bars = _Bars() if self._stream.isatty() else None
        self._phases: dict[ProfilerAddress, str] = {}

    def tell(self, progress: HostProgress) -> None:
        """Shows where a host is."""
        with suppress(OSError):  # nobody reads it: the capture goes on
            if self._bars is not None:
                self._bars.show(progress)
            elif self._phases.get(progress.address) != progress.phase:
                self._phases[progress.address] = progress.phase
                say(f"{progress.address}: {phase_text(progress)}", self._stream)

    def __enter__(self) -> Self:
        if self._bars is not None:
            self._bars.progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._bars is not None:
            self._bars.progress.stop()


def phase_text(progress: HostProgress) -> str:
    """Activity of the host, in a few words."""
    match progress.phase.value:
        case "connecting":
            attempt = f", attempt {progress.attempt} of {progress.attempts}" if progress.attempt > 1 else ""
            return f"connecting{attempt}"
        case "delayed":
            return "ready, waits for the start"
        case "capturing":
            return f"capturing for {seconds_text(progress.duration_ms / 1000)}"
        case "collecting":
            return "the server puts the trace together"
        case "receiving":
            return f"receiving {size_text(progress.total_bytes)}"
        case "stopping":
            return "told to stop, sends what it has"
        case "waiting":
            again = f"attempt {progress.attempt + 1} of {progress.attempts} in {seconds_text(progress.wait_s)}"
            return f"{progress.failure}; {again}"
        case "done":
            return f"done, {size_text(progress.size_bytes)}"
        case _:
            return "failed"


class _Bars:
    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, Task, TextColumn
        from rich.progress_bar import ProgressBar

        class TimedBar(BarColumn):
            """While a server captures, time is all that is known of how far it is."""

            def render(self, task: Task) -> ProgressBar:
                if task.fields["began"]:
                    task.completed = min(time.monotonic() - task.fields["began"], task.total or 0)
                return super().render(task)

        self.progress: Progress = Progress(
            TextColumn("{task.description}", markup=False),
            TimedBar(bar_width=24),
            TextColumn("{task.fields[what]}", markup=False),
            console=Console(stderr=True),
            transient=True,
        )
        self._tasks: dict[ProfilerAddress, TaskID] = {}

    def show(self, progress: HostProgress) -> None:
        task = self._tasks.get(progress.address)
        if task is None:
            if len(self._tasks) >= _MOST_LINES:
                return
            task = self.progress.add_task(printable(str(progress.address)), total=None, what="", began=0)
            self._tasks[progress.address] = task
        total: float | None = None
        completed = began = 0.0
        match progress.phase.value:
            case "capturing":
                total, began = progress.duration_ms / 1000, time.monotonic()
            case "receiving":
                total, completed = progress.total_bytes, progress.size_bytes
            case "done":
                total, completed = 1, 1
            case "failed":
                total = 1
        what = printable(phase_text(progress))
        self.progress.update(task, total=total, completed=completed, began=began, what=what)
