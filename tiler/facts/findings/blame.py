"""Blame for idle time: places on threads of hosts where it goes."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Culprit:
    """A place on a thread where time goes: names of the slice whose kind is known, and of the innermost one, by id."""

    track: int
    holder: int
    leaf: int


@dataclass(slots=True)
class IdleBlame:
    """Time that culprits of one reason cost; and where most of it is in one place: start, end, and how much of it."""

    ticks: dict[Culprit, int] = field(default_factory=dict)
    longest: dict[Culprit, tuple[int, int]] = field(default_factory=dict)
    most: dict[Culprit, int] = field(default_factory=dict)

    def add(self, culprit: Culprit, ticks: int, start: int, stop: int, most: int | None = None) -> None:
        """Adds time. `most` of it is in one place; None: all ticks of that."""
        most = stop - start if most is None else most
        self.ticks[culprit] = self.ticks.get(culprit, 0) + ticks
        if most > self.most.get(culprit, -1):
            self.longest[culprit], self.most[culprit] = (start, stop), most

    def join(self, other: IdleBlame) -> None:
        """Adds all that another has."""
        for culprit, ticks in other.ticks.items():
            self.add(culprit, ticks, *other.longest[culprit], other.most[culprit])

    @property
    def greatest(self) -> Culprit | None:
        """The culprit of most of the time, on the thread that has most of it."""
        by_track: dict[int, int] = {}
        for culprit, ticks in self.ticks.items():
            by_track[culprit.track] = by_track.get(culprit.track, 0) + ticks
        return max(
            self.ticks,
            key=lambda culprit: (by_track[culprit.track], -culprit.track, self.ticks[culprit], -culprit.leaf),
            default=None,
        )

    def __bool__(self) -> bool:
        """True if anybody is to blame."""
        return bool(self.ticks)

    def within(self, start: int, stop: int) -> IdleBlame:
        """The culprits that have most of their time in one place there."""
        culprits = [culprit for culprit, (first, last) in self.longest.items() if start <= first and last <= stop]
        blame = IdleBlame()
        for culprit in culprits:
            blame.add(culprit, self.ticks[culprit], *self.longest[culprit], self.most[culprit])
        return blame

    def only_longest(self) -> IdleBlame:
        """The culprit of most time in one place alone."""
        if not self.longest:
            return self
        culprit = max(self.most, key=self.most.__getitem__)
        ticks, longest, most = self.ticks[culprit], self.longest[culprit], self.most[culprit]
        return IdleBlame({culprit: ticks}, {culprit: longest}, {culprit: most})
