"""A PyTorch trace with a critical path that is known: planted piece by piece, with work beside it."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from pathlib import Path

HOST, DEVICE = 100, 0
MAIN, AUTOGRAD = 100, 101
STREAM, OTHER_STREAM = 7, 20

Piece = tuple[int, int, str, str | None]  # start and stop in µs, kind, name


@dataclass
class PlantedPath:
    """Events, and the path: its pieces follow one another."""

    rng: random.Random
    events: list[dict[str, object]] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    beside: dict[str, int] = field(default_factory=dict)  # slack of kernels beside the path, by name
    now: int = 0
    thread: int = MAIN
    correlation: int = 0

    def span(self) -> int:
        """A random length."""
        return self.rng.randint(2, 50)

    def operator(self) -> None:
        """Time in an operator."""
        name, length = f"aten::op_{len(self.events)}", self.span()
        self._slice(name, "cpu_op", self.now, length)
        self._pass("Operators and calls", length, name)

    def pause(self) -> None:
        """Time of Python, and then an operator."""
        self._pass("Between operators", self.span())
        self.operator()

    def other_thread(self) -> None:
        """The other thread goes on, after a while, and launches work too: threads that launch none have no path."""
        self.thread = AUTOGRAD if self.thread == MAIN else MAIN
        self.pause()
        self.device()

    def device(self) -> None:
        """A launch, kernels one after another, and a call that waits for the last of them; more work ends before."""
        delay, launched = 60 + self.span(), self.now
        start = self.now + delay
        for number in range(self.rng.randint(1, 3)):
            gap, length = self.span() if number else 0, self.span()
            self._call("cudaLaunchKernel", launched, 2)
            launched += 3
            name = self._kernel(STREAM, start + gap, length)
            self._pass("Between kernels" if number else "Launch delay", gap if number else delay, name)
            self._pass("Computation", length, name)
            start += gap + length
        self._call("cudaLaunchKernel", launched, 2)
        length = self.rng.randint(1, start - launched - 4)
        self.beside[self._kernel(OTHER_STREAM, launched + 3, length)] = start - (launched + 3 + length)
        wait = self.span()
        self._slice("cudaDeviceSynchronize", "cuda_runtime", launched + 3, start + wait - launched - 3)
        self._pass("Synchronisation", wait, "cudaDeviceSynchronize")

    def write(self, path: Path) -> None:
        """The file. An operator ends the path."""
        self.operator()
        path.write_text(json.dumps({"traceEvents": self.events}))

    def _call(self, name: str, start: int, length: int) -> None:
        self.correlation += 1
        self._slice(name, "cuda_runtime", start, length)
        self.events[-1]["args"] = {"correlation": self.correlation}

    def _kernel(self, stream: int, start: int, length: int) -> str:
        name = f"kernel_{len(self.events)}"
        self.events.append(
            {
                **{"ph": "X", "cat": "kernel", "name": name, "pid": DEVICE, "tid": stream, "ts": start, "dur": length},
                "args": {"correlation": self.correlation, "stream": stream, "device": 0},
            }
        )
        return name

    def _slice(self, name: str, category: str, start: int, length: int) -> None:
        self.events.append(
            {"ph": "X", "cat": category, "name": name, "pid": HOST, "tid": self.thread, "ts": start, "dur": length}
        )

    def _pass(self, kind: str, length: int, name: str | None = None) -> None:
        self.pieces.append((self.now, self.now + length, kind, name))
        self.now += length


def planted_path(rng: random.Random, steps: int) -> PlantedPath:
    """A path of so many random steps."""
    path = PlantedPath(rng)
    path.operator()
    path.device()
    for _ in range(steps):
        rng.choice([path.operator, path.pause, path.other_thread, path.device])()
    return path
