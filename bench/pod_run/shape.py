"""Shape of a synthetic run: its size, and its faults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

# Times of TPUs are whole multiples of this.
QUANTUM_PS: Final = 1250
START_NS: Final = 1_767_225_600_000_000_000


@dataclass(frozen=True, slots=True)
class PodShape:
    """The same shape gives the same bytes."""

    seed: int = 18
    hosts: int = 3
    chips: int = 2  # of a host; a core each
    steps: int = 5
    first_step: int = 40
    layers: int = 2  # three instructions each
    batch: int = 24
    late_host: int | None = 1  # its capture begins a step later
    fed_slowly: int | None = 2  # a host whose devices wait for input
    slow_core: int | None = 3  # its fusions take longer
    clock_ps: int = 57_000_000  # what the events' clock is ahead of the devices'

    @property
    def cores(self) -> int:
        return self.hosts * self.chips

    def host_of(self, core: int) -> int:
        return core // self.chips

    def host_name(self, host: int) -> str:
        return f"pod-worker-{host}"

    def plane_id(self, core: int) -> int:
        """As real captures number them: unique among the hosts, and with gaps."""
        return self.host_of(core) * 1000 + core % self.chips * 8 + 2

    def steps_of(self, host: int) -> range:
        """The steps that a host has captured, from 0 on."""
        return range(1 if host == self.late_host else 0, self.steps)
