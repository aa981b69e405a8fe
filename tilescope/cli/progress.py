"""How far a long command is: a bar on a terminal, a line now and then elsewhere. Both on stderr."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self, TextIO

from tilescope.cli.text import count_text, rate_text, seconds_text, size_text

if TYPE_CHECKING:
    from rich.progress import TaskID

LINE_EVERY_SECONDS = 3.0
BAR_EVERY_SECONDS = 0.1


class _Display(Protocol):
    def show(self, state: _State) -> None: ...

    def close(self) -> None: ...


class _State:
    """One phase of the work. Its fraction may begin above 0, where it is that of the whole work."""

    def __init__(self, phase: str, now: float, fraction: float) -> None:
        self.phase = phase
        self.begin = now
        self.begin_fraction = fraction
        self.now = now
        self.fraction = 0.0
        self.events = 0
        self.size_bytes = 0

    def facts(self) -> str:
        """For instance "1,234,567 events, 47.8 MB, 2.50 M/s, 0:12 min left"; what is unknown is left out."""
        seconds = self.now - self.begin
        parts = []
        if self.events:
            parts.append(f"{count_text(self.events)} events")
        if self.size_bytes:
            parts.append(size_text(self.size_bytes))
        if self.events and seconds > 0:
            parts.append(rate_text(self.events, seconds))
        done = self.fraction - self.begin_fraction
        if done > 0 and self.fraction < 1 and seconds > 1:
            parts.append(f"{seconds_text(seconds * (1 - self.fraction) / done)} left")
        return ", ".join(parts)


class ProgressDisplay:
    """Shows what `update` is told; use it in a `with`. Cheap enough to be told after every chunk."""

    def __init__(self, stream: TextIO | None = None) -> None:
        stream = stream or sys.stderr
        on_terminal = stream.isatty()
        self._display: _Display = _Bar() if on_terminal else _Lines(stream)
        self._every_seconds = BAR_EVERY_SECONDS if on_terminal else LINE_EVERY_SECONDS
        self._state: _State | None = None
        self._shown = time.monotonic()  # a command that is quickly done says nothing when piped

    def update(self, phase: str, fraction: float, *, events: int = 0, size_bytes: int = 0) -> None:
        """`fraction` of the phase is done, 0 to 1; `events` and `size_bytes` so far, 0 where unknown."""
        now = time.monotonic()
        if self._state is None or self._state.phase != phase:
            self._state = _State(phase, now, fraction)
        state = self._state
        state.now, state.fraction = now, min(max(fraction, 0.0), 1.0)
        state.events, state.size_bytes = events, size_bytes
        if now - self._shown >= self._every_seconds:
            self._shown = now
            self._display.show(state)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._display.close()


class _Lines:
    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def show(self, state: _State) -> None:
        facts = state.facts()
        print(f"{state.phase}: {state.fraction:.0%}{', ' if facts else ''}{facts}", file=self._stream, flush=True)

    def close(self) -> None:
        pass


class _Bar:
    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self._progress = Progress(
            TextColumn("{task.description:<8}"),
            BarColumn(bar_width=32),
            TextColumn("{task.percentage:>3.0f}%"),
            TextColumn("[dim]{task.fields[facts]}"),
            console=Console(stderr=True),
            transient=True,
            auto_refresh=False,  # `show` is called often enough, and no thread competes with the work
        )
        self._progress.start()
        self._phase = ""
        self._task: TaskID | None = None

    def show(self, state: _State) -> None:
        if self._task is None or state.phase != self._phase:
            if self._task is not None:
                self._progress.remove_task(self._task)
            self._phase = state.phase
            self._task = self._progress.add_task(state.phase, total=1.0, facts="")
        self._progress.update(self._task, completed=state.fraction, facts=state.facts())
        self._progress.refresh()

    def close(self) -> None:
        self._progress.stop()
