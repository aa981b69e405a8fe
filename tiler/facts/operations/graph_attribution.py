"""Instructions that the kernels of a graph run: by the name where that is of one instruction alone, then by order.

XLA names a kernel after its instruction. Instructions that compute the same share the kernel of the first of them, and
those that a library runs have the kernels of the library. Of both the order decides, but only where kernels run in the
order of the program, and there are as many of them as instructions that are left. All else stays with the graph.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise, takewhile

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.operations.graph_launches import GraphLaunches


class Way(StrEnum):
    """By which a kernel is known to run an instruction."""

    NAME = "name"
    ORDER = "order"


@dataclass(frozen=True, slots=True)
class GraphKernel:
    """A kernel of an execution, or a copy or a clearing of memory in it."""

    name: str
    is_kernel: bool


@dataclass(frozen=True, slots=True)
class Attributed:
    """The instruction that a kernel runs."""

    instruction: str
    way: Way


def attribute(
    kernels: Sequence[GraphKernel], launches: GraphLaunches, names: Collection[str]
) -> list[Attributed | None]:
    """The instruction of each kernel of an execution, which are in the order in which they run; None: it is not known.

    `names`: of all kernels that run for the program, in this execution or elsewhere.
    """
    return Attribution(launches, names).attribute(kernels)


class Attribution:
    """Attributes the kernels of the executions of one graph, one execution after the other."""

    def __init__(self, launches: GraphLaunches, names: Collection[str]) -> None:
        """`names`: as `attribute` takes them."""
        self.launches = launches
        self.names = names
        self.places = {launch.name: place for place, launch in enumerate(launches.order)}
        self.alike: dict[Hashable, list[int]] = {}  # places of instructions that compute the same
        self.without_own: dict[Hashable, list[int]] = {}  # places of instructions that have no kernel of their own
        self.hidden: dict[Hashable, list[int]] = {}  # those of them that are seen nowhere else
        for place, launch in enumerate(launches.order):
            self.alike.setdefault(launch.likeness, []).append(place)
            if launch.kernel not in names:
                self.without_own.setdefault(launch.likeness, []).append(place)
                if not launch.is_apart:
                    self.hidden.setdefault(launch.likeness, []).append(place)
        self.controls = [place for place, launch in enumerate(launches.order) if launch.is_control]

    def attribute(self, kernels: Sequence[GraphKernel]) -> list[Attributed | None]:
        """The same of the kernels of one execution."""
        execution = _Execution(kernels, self)
        execution.attribute_by_name()
        if self.launches.is_ordered and execution.is_in_order():
            execution.attribute_shared()
            execution.attribute_libraries()
        return execution.attributed

    def is_shared_elsewhere(self, place: int) -> bool:
        """True if an instruction of another computation may run the kernel of an instruction."""
        kernels = self.launches.elsewhere.get(self.launches.order[place].likeness, ())
        return any(kernel not in self.names for kernel in kernels)


class _Execution:
    """Attributes the kernels of one execution, step by step."""

    def __init__(self, kernels: Sequence[GraphKernel], attribution: Attribution) -> None:
        launches = attribution.launches
        self.attributed: list[Attributed | None] = [None] * len(kernels)
        self._kernels = kernels
        self._attribution = attribution
        self._order = launches.order
        self._launches = launches
        self._place = np.full(len(kernels), -1, np.int64)  # of each kernel that of its instruction in the order
        self._anchors: list[int] = []  # kernels that have one, ascending
        self._named: dict[str, list[int]] = {}  # kernels that have the name of an instruction
        for place, kernel in enumerate(kernels):
            if kernel.is_kernel and kernel.name in launches.owners:
                self._named.setdefault(kernel.name, []).append(place)

    def attribute_by_name(self) -> None:
        """Attributes kernels whose name is that of one instruction, whose kernel no other one can share."""
        for name, kernels in self._named.items():
            owner = self._owner(name)
            if owner is None or len(kernels) != 1 or self._attribution.is_shared_elsewhere(owner):
                continue
            sharing = self._attribution.without_own if self._order[owner].is_apart else self._attribution.hidden
            if not self._after(owner, sharing, 0, len(self._order)):
                self._set(kernels[0], owner, Way.NAME)

    def _owner(self, name: str) -> int | None:
        """The place of the instruction with a kernel of this name; None: another computation has it, or several do."""
        owners = self._launches.owners[name]
        return self._attribution.places.get(owners[0]) if len(owners) == 1 else None

    def _after(self, owner: int, alike: Mapping[Hashable, list[int]], first: int, last: int) -> range:
        """Range of the places of instructions like one that lie in [first, last), and may run its kernel.

        It is made for the first.
        """
        places = alike.get(self._order[owner].likeness, [])
        begin = bisect_right(places, owner) if self._launches.is_ordered else 0
        return range(max(begin, bisect_left(places, first)), bisect_left(places, last))

    def _set(self, kernel: int, place: int, way: Way) -> None:
        self._place[kernel] = place
        insort(self._anchors, kernel)
        self.attributed[kernel] = Attributed(self._order[place].name, way)

    def is_in_order(self) -> bool:
        """True if kernels that are attributed run in the order of their instructions."""
        return _ascends(self._place)

    def attribute_shared(self) -> None:
        """Kernels that several instructions may run, where there are as many as instructions."""
        places = self._place[self._place >= 0]
        first, last = (0, len(self._order)) if self._launches.is_whole else (-1, -1)
        if len(places) and not self._launches.is_whole:
            # Whatever the program runs between two kernels of the graph is in the graph.
            first, last = int(places[0]), int(places[-1]) + 1
        alike: dict[Hashable, list[int]] = {}  # kernels of instructions that compute the same
        for name, kernels in self._named.items():
            owner = self._owner(name)
            if owner is not None:
                alike.setdefault(self._order[owner].likeness, []).extend(kernels)
        controls = bool(_between(self._attribution.controls, first, last))
        for likeness, kernels in alike.items():
            # Where a loop or a branch runs between them, or no kernel tells which computation the graph is of, those
            # of a like instruction of another computation look the same.
            if (controls or first < 0) and self._attribution.is_shared_elsewhere(self._attribution.alike[likeness][0]):
                continue
            kernels.sort()
            if not self._attribute_in_order(kernels, _between(self._attribution.alike[likeness], first, last)):
                for name in dict.fromkeys(self._kernels[kernel].name for kernel in kernels):
                    self._attribute_named(name, first, last)

    def _attribute_named(self, name: str, first: int, last: int) -> None:
        """Kernels of one name, which the graph has between two places at least."""
        kernels, owner = self._named[name], self._owner(name)
        if owner is None:
            return
        own = [owner] if first <= owner < last else []
        if not self._attribute_after(kernels, own, owner, self._attribution.without_own, first, last):
            own = [] if self._order[owner].is_apart else [owner]
            if not self._attribution.is_shared_elsewhere(owner):
                self._attribute_after(kernels, own, owner, self._attribution.hidden, 0, len(self._order))

    def _attribute_after(
        self,
        kernels: Sequence[int],
        own: list[int],
        owner: int,
        alike: Mapping[Hashable, list[int]],
        first: int,
        last: int,
    ) -> bool:
        after = self._after(owner, alike, first, last)
        if len(own) + len(after) != len(kernels):  # before so many are copied
            return False
        places = alike.get(self._order[owner].likeness, [])
        return self._attribute_in_order(kernels, own + places[after.start : after.stop])

    def _attribute_in_order(self, kernels: Sequence[int], places: Sequence[int]) -> bool:
        """Attributes kernels to as many instructions that may run them; True if that is possible."""
        if len(kernels) != len(places):
            return False
        pairs = list(zip(kernels, places, strict=True))
        if not all(self._fits(*pair) and self._may_run(*pair) for pair in pairs):
            return False
        for kernel, place in pairs:
            if self._place[kernel] < 0:
                self._set(kernel, place, Way.ORDER)
        return True

    def _fits(self, kernel: int, place: int) -> bool:
        """True if an instruction lies between those of the kernels around one, which are known."""
        if self._place[kernel] >= 0:
            return int(self._place[kernel]) == place
        position = bisect_left(self._anchors, kernel)
        before, after = self._anchors[position - 1 : position], self._anchors[position : position + 1]
        return all(self._place[names_seen] < place for names_seen in before) and all(
            self._place[names_seen] > place for names_seen in after
        )

    def _may_run(self, kernel: int, place: int) -> bool:
        """True if a kernel may be that of an instruction, which is like the one that it has its name of."""
        name, launch = self._kernels[kernel].name, self._order[place]
        if launch.kernel in self._attribution.names:
            return launch.kernel == name
        owner = self._owner(name)
        return owner is not None and owner < place

    def attribute_libraries(self) -> None:
        """Kernels with other names, between those that are attributed and beside them."""
        ends = list(self._anchors)
        count = len(self._kernels)
        for before, after in pairwise([-1, *ends, count]):
            kernels = range(before + 1, after)
            if not kernels or any(map(self._is_named, kernels)):
                continue
            first = int(self._place[before]) + 1 if before >= 0 else 0
            last = int(self._place[after]) if after < count else len(self._order)
            if self._launches.is_whole or (before >= 0 and after < count):
                pairs = self._paired(kernels, range(first, last))
            elif before >= 0:
                pairs = self._beside(kernels, range(first, last))
            elif after < count:
                pairs = self._beside(kernels[::-1], range(first, last)[::-1])
            else:
                pairs = iter(())  # no kernel says which part of the program the graph is
            for kernel, place in pairs:
                self._set(kernel, place, Way.ORDER)

    def _is_named(self, kernel: int) -> bool:
        return self._kernels[kernel].is_kernel and self._kernels[kernel].name in self._launches.owners

    def _paired(self, kernels: Sequence[int], places: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Kernels with the places of their instructions, which are these and no others, where that is clear."""
        if len(places) not in (1, len(kernels)):
            return
        launches = [self._order[place] for place in places]
        if any(launch.is_control for launch in launches):
            return
        if len(places) == 1 and launches[0].may_use_library:
            yield from ((kernel, places[0]) for kernel in kernels)
        elif len(places) == len(kernels) and all(
            self._kernels[kernel].is_kernel == launch.may_use_library
            for kernel, launch in zip(kernels, launches, strict=True)
        ):
            yield from zip(kernels, places, strict=True)

    def _beside(self, kernels: Sequence[int], places: Sequence[int]) -> Iterator[tuple[int, int]]:
        """The same of those at an end of a graph: kernels and places from a known kernel on, away from it.

        How many of the instructions are in the graph is not known.
        """
        candidates = list(takewhile(self._may_be_next, places))
        if len(candidates) == 1 and (len(places) == 1 or self._order[places[1]].is_apart):
            yield from ((kernel, candidates[0]) for kernel in kernels)
        elif candidates:
            nearest = list(takewhile(lambda kernel: self._kernels[kernel].is_kernel, kernels))
            following = self._order[places[len(candidates)]] if len(candidates) < len(places) else None
            runs_others = following is not None and following.is_control  # whose kernels may follow
            if len(nearest) == 1 or (len(candidates) == 1 and not runs_others):
                yield from ((kernel, candidates[0]) for kernel in nearest)

    def _may_be_next(self, place: int) -> bool:
        """True if an instruction beside those of a graph may be in it, without a kernel of its own name."""
        return self._order[place].may_use_library and not self._order[place].is_apart


def _between(places: Sequence[int], first: int, last: int) -> Sequence[int]:
    """Places in [first, last), of ascending ones."""
    return places[bisect_left(places, first) : bisect_left(places, last)]


def _ascends(places: NDArray[np.int64]) -> bool:
    """True if places of kernels ascend, those left out that have none."""
    return bool((np.diff(places[places >= 0]) > 0).all())
