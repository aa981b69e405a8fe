"""Sums of kernels that are alike."""

from __future__ import annotations

from dataclasses import dataclass, field

from tilescope.tiler.facts.kernels.launch import KernelLaunch


@dataclass(slots=True)
class Kernel:
    """Kernels of one name, launched alike for one operation. Times in ps."""

    name: str
    launch: KernelLaunch
    operation: str  # of the framework: "jit(step)/conv1/conv_general_dilated"; "" unknown
    category: str  # of their events; "" none
    count: int = 0  # that start in the windows
    total: int = 0
    shortest: int = 0  # of those that start in the windows; 0 without one
    longest: int = 0
    longest_event: tuple[int, int] | None = None  # track and ordinal
    occupancies: float = 0.0  # sum over those of which it is known
    occupancy_known: int = 0

    @property
    def occupancy(self) -> float | None:
        """The mean of what profilers say that it can be, or was; None: they do not."""
        return self.occupancies / self.occupancy_known if self.occupancy_known else None


Key = tuple[str, KernelLaunch, str, str]


@dataclass(slots=True)
class KernelSums:
    """Kernels by what tells them apart."""

    by_key: dict[Key, Kernel] = field(default_factory=dict)
    empty: int = 0  # that start in the windows and take no time: in none of the kernels

    def add(
        self,
        key: Key,
        occupancy: float | None,
        count: int,
        total: int,
        shortest: int,
        longest: tuple[int, int, int] | None,  # duration, track, ordinal
    ) -> None:
        """Adds some that are alike. `shortest` and `longest` are of those that start in the windows."""
        kernel = self.by_key.get(key)
        if kernel is None:
            kernel = self.by_key[key] = Kernel(*key)
        kernel.total += total
        if count and longest is not None:
            kernel.shortest = min(kernel.shortest, shortest) if kernel.count else shortest
            if longest[0] > kernel.longest:
                kernel.longest, kernel.longest_event = longest[0], longest[1:]
            kernel.count += count
            if occupancy is not None:
                kernel.occupancies += occupancy * count
                kernel.occupancy_known += count
