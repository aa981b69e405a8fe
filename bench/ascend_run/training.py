"""A synthetic training: the programs of its stages, and what each rank did when."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from bench.ascend_run.intervals import Cover, cover
from bench.ascend_run.program import Program, stage_program
from bench.ascend_run.schedule import Ints, RankTimes, link_bytes, schedule
from bench.ascend_run.shape import AscendShape


@dataclass(frozen=True)
class Training:
    shape: AscendShape

    @cached_property
    def programs(self) -> list[Program]:
        """By stage."""
        return [stage_program(self.shape, stage) for stage in range(self.shape.stages)]

    @cached_property
    def times(self) -> list[RankTimes]:
        """By rank."""
        return schedule(self.shape, self.programs)

    @cached_property
    def sizes(self) -> list[Ints]:
        """Bytes that each rank reads, by communication and by the rank that it reads from."""
        return [link_bytes(self.shape, self.program(rank), rank) for rank in range(self.shape.ranks)]

    @cached_property
    def covers(self) -> list[Cover]:
        """By rank."""
        return [cover(self.program(rank), times) for rank, times in enumerate(self.times)]

    def program(self, rank: int) -> Program:
        return self.programs[self.shape.stage(rank)]
