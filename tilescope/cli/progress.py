"""Progress of a long command: a bar on a terminal, a line now and then elsewhere. Both on stderr."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self, TextIO

from tilescope.cli.say import say
from tilescope.cli.text import rate_text, seconds_text
from tilescope.tiler.count_text import count_text, plural
from tilescope.tiler.printable_text import printable
from tilescope.tiler.size_text import size_text

if TYPE_CHECKING:
    from rich.progress import TaskID

LINE_EVERY_SECONDS = 3.0
BAR_EVERY_SECONDS = 0.1


class _Display(Protocol):
    def show(self, state: _State) -> None: ...

    def close(self) -> None: ...


class BuildStep(Protocol):
    """Progress of a build: members of `tilescope.tiler.indexing.BuildProgress`, and of the server's messages."""

    @property
    def phase(self) -> str: ...

    @property
    def fraction(self) -> float: ...

    @property
    def events(self) -> int: ...

    @property
    def bytes_read(self) -> int: ...

    @property
    def bytes_total(self) -> int: ...

    @property
    def blocks_done(self) -> int: ...

    @property
    def blocks(self) -> int: ...

    @property
    def seconds_left(self) -> float | None: ...


class _Numbers(NamedTuple):  # to import `dataclasses` takes longer than all of this module
    """Figures at one moment; 0 and None where they are unknown."""

    fraction: float
    events: int = 0
    size_bytes: int = 0
    size_total_bytes: int = 0
    blocks_done: int = 0
    blocks: int = 0
    seconds_left: float | None = None


class _State:
    """One phase of the work. Its fraction may begin above 0, where it is that of the whole work."""

    def __init__(self, phase: str, now: float, numbers: _Numbers) -> None:
        self.phase = phase
        self._begin = now
        self._first = numbers
        self.now = now
        self.numbers = numbers

    def facts(self) -> str:
        """For instance "1,234,567 events, 47.8 MB of 386 MB, 2.50 M/s, 12 s left"; what is unknown is left out."""
        numbers = self.numbers
        seconds = self.now - self._begin
        parts = []
        if numbers.events:
            parts.append(f"{count_text(numbers.events)} events")
        if numbers.size_bytes:
            total = (
                f" of {size_text(numbers.size_total_bytes)}" if numbers.size_bytes < numbers.size_total_bytes else ""
            )
            parts.append(size_text(numbers.size_bytes) + total)
        if numbers.events > self._first.events and seconds > 0:
            parts.append(rate_text(numbers.events - self._first.events, seconds))
        if numbers.blocks:
            parts.append(f"{count_text(numbers.blocks_done)} of {plural(numbers.blocks, 'block', 'blocks')}")
        left = numbers.seconds_left
        done = numbers.fraction - self._first.fraction
        if left is None and done > 0 and seconds > 1:
            left = seconds * (1 - numbers.fraction) / done
        if left is not None and numbers.fraction < 1:
            parts.append(f"{seconds_text(left)} left")
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
        """`fraction` is done, 0 to 1; `events` and `size_bytes` so far, 0 where unknown.

        It is that of the phase, or of the whole work if it does not fall when another phase begins.
        """
        state = self._state
        if state is not None and fraction >= state.numbers.fraction:
            state.phase = phase  # phases may take turns: the time left is told by all that was done
        self._update(phase, _Numbers(min(max(fraction, 0.0), 1.0), events, size_bytes))

    def update_build(self, progress: BuildStep, prefix: str = "") -> None:
        """The same for a build, whose `fraction` is of the whole; `prefix`: of the name of the phase."""
        numbers = _Numbers(
            min(max(progress.fraction, 0.0), 1.0),
            progress.events,
            progress.bytes_read,
            progress.bytes_total,
            progress.blocks_done,
            progress.blocks,
            progress.seconds_left,
        )
        self._update(prefix + progress.phase, numbers)

    def _update(self, phase: str, numbers: _Numbers) -> None:
        now = time.monotonic()
        if self._state is None or self._state.phase != phase:
            self._state = _State(phase, now, numbers)
        state = self._state
        state.now, state.numbers = now, numbers
        if now - self._shown >= self._every_seconds:
            self._shown = now
            with suppress(OSError):  # nobody reads it, or its disk is full: the work goes on
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
        parts = [f"{state.phase}: {state.numbers.fraction:.0%}", state.facts()]
        say(", ".join(filter(None, parts)), self._stream)

    def close(self) -> None:
        pass


class _Bar:
    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self._progress = Progress(
            TextColumn("{task.description:<8}", markup=False),  # names of runs may look like markup
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
            self._task = self._progress.add_task(printable(state.phase), total=1.0, visible=False, facts="")
        self._progress.update(self._task, completed=state.numbers.fraction, visible=True, facts=state.facts())
        self._progress.refresh()

    def close(self) -> None:
        self._progress.stop()
