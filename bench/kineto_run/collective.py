"""Collectives: what ranks ask for, and the meeting at which all of a group learn when it ends."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

CollectiveName = Literal["allreduce", "_allgather_base", "send", "recv"]

BYTES_A_SECOND: Final = 200_000_000_000
_LATENCY: Final = 12_000  # ns


@dataclass(frozen=True, slots=True)
class Collective:
    """One rank's part of a collective: its kernel begins at `start`, ns of true time."""

    name: CollectiveName
    group: str
    sequence: int
    members: tuple[int, ...]
    rank: int
    start: int
    size: int  # bytes that one rank has of it
    step: int
    cycle: int

    @property
    def instance(self) -> tuple[str, int, tuple[int, ...]]:
        """Key that all ranks of an instance have in common."""
        return "p2p" if self.name in ("send", "recv") else self.group, self.sequence, self.members


Program = Generator[Collective, int, None]


@dataclass(slots=True)
class Meeting:
    """All instances of a job."""

    waiting: dict[tuple[str, int, tuple[int, ...]], list[Collective]] = field(default_factory=dict)
    done: list[dict[str, object]] = field(default_factory=list)

    def run(self, programs: Sequence[Program]) -> None:
        """Runs the programs of all ranks to their ends. Raises RuntimeError where ranks wait for each other."""
        ready: list[tuple[int, int | None]] = [(rank, None) for rank in range(len(programs))]
        while ready:
            rank, end = ready.pop()
            program = programs[rank]
            try:
                part = next(program) if end is None else program.send(end)
            except StopIteration:
                continue
            parts = self.waiting.setdefault(part.instance, [])
            parts.append(part)
            if len(parts) == len(part.members):
                del self.waiting[part.instance]
                end = self._end(parts)
                ready += [(member.rank, end) for member in parts]
        if self.waiting:
            raise RuntimeError(f"{len(self.waiting)} collectives have no end")

    def _end(self, parts: list[Collective]) -> int:
        parts.sort(key=lambda part: part.rank)
        latest = max(part.start for part in parts)
        pure = _LATENCY + parts[0].size * 1_000_000_000 // BYTES_A_SECOND
        first = parts[0]
        self.done.append(
            {
                "name": sorted({part.name for part in parts}),
                "group": first.group,
                "sequence": first.sequence,
                "ranks": [part.rank for part in parts],
                "roles": [part.name for part in parts],
                "start": [part.start for part in parts],
                "wait": [latest - part.start for part in parts],
                "end": latest + pure,
                "pure": pure,
                "bytes": first.size,
                "step": first.step,
                "cycle": first.cycle,
            }
        )
        return latest + pure
