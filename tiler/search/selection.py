"""Selection of a query in a run: names, tracks, and bounds of durations and arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.query import NO_NAME, FoldedNames, Interruptible, QueryReader
from tilescope.tiler.search.chosen_names import CHOSEN_NAMES, ChosenNames, Durations
from tilescope.tiler.search.language import Argument, Duration, Kind, Pattern, Query
from tilescope.tiler.search.patterns import is_match
from tilescope.tiler.ticks import TICK_LIMIT

Mask = NDArray[np.bool_]


# With more tracks, learning on which of them names occur would hold up the first question.
_MOST_TRACKS: Final = 512

# Histograms that are read between two steps.
_AT_ONCE: Final = 64


@dataclass(frozen=True, slots=True)
class Selection:
    """Events of some names on some tracks, of durations within bounds, with some arguments."""

    chosen: ChosenNames
    tracks: Sequence[int]  # that hold events, ascending
    shortest: int = 0  # ticks
    longest: int = TICK_LIMIT
    arguments: tuple[Argument, ...] = ()
    is_kept: bool = False  # what is learnt of the names serves the next question, too

    @property
    def names(self) -> Mask:
        """By name id, shifted by one: events without a name are the first."""
        return self.chosen.mask

    @property
    def n_names(self) -> int:
        """Number of names that are selected, whether or not they occur."""
        return int(self.names.sum())

    @property
    def is_by_name(self) -> bool:
        """True if names alone say what is selected: then histograms know the sums."""
        return not self.arguments and not self.is_bounded

    @property
    def is_bounded(self) -> bool:
        """True if durations have bounds."""
        return self.shortest > 0 or self.longest < TICK_LIMIT

    def may_last(self, durations: Durations | None) -> bool:
        """True if any of some events may last as long as is asked for; None: nothing is known of them."""
        if durations is None:
            return True
        return max(durations.shortest, self.shortest) <= min(durations.longest, self.longest)


def select(reader: QueryReader, query: Query, tracks: Sequence[int]) -> Interruptible[Selection]:
    """Selection of a query among these tracks, which hold events. Raises UsageError for an expression that is none."""
    for pattern in (*query.names, *query.categories, *query.tracks, *query.processes):
        is_match(pattern)  # refused before anything is read
    on = [track for track in tracks if _is_on(reader, query, track)]
    patterns = query.names, query.categories
    chosen = CHOSEN_NAMES.get(reader, patterns)
    if chosen is None:
        chosen = ChosenNames((yield from _names(reader, query)))
        CHOSEN_NAMES.keep(reader, patterns, chosen)
    shortest, longest = _bounds(query.durations, reader.tick_ps)
    return Selection(chosen, on, shortest, longest, query.arguments, is_kept=bool(patterns[0] or patterns[1]))


def occurring(reader: QueryReader, selection: Selection) -> Interruptible[Selection]:
    """The same without tracks on which there is no such event: a stored histogram of a whole track says so.

    Reading one takes a twentieth of a millisecond, once for all questions of a query. Raises DamagedStore.
    """
    if not selection.is_kept or reader.store.is_growing or len(selection.tracks) > _MOST_TRACKS:
        return selection
    tracks = []
    for number, track in enumerate(selection.tracks):
        if number % _AT_ONCE == _AT_ONCE - 1:
            yield
        if selection.may_last(selection.chosen.durations(reader, track)):
            tracks.append(track)
    return replace(selection, tracks=tracks)


def named(reader: QueryReader, matches: Callable[[str], bool], tracks: Sequence[int]) -> Interruptible[Selection]:
    """All events whose name matches."""
    mask = np.zeros(reader.names.count + 1, np.bool_)
    yield from _mark(reader, matches, mask)
    return Selection(ChosenNames(mask), tracks)


def _is_on(reader: QueryReader, query: Query, track: int) -> bool:
    tree_track = reader.tree.tracks[track]
    if not all(is_match(pattern)(tree_track.name) for pattern in query.tracks):
        return False
    return not query.processes or all(
        any(is_match(pattern)(name) for name in reader.tree.processes_of(track)) for pattern in query.processes
    )


def _names(reader: QueryReader, query: Query) -> Interruptible[Mask]:
    mask = np.ones(reader.names.count + 1, np.bool_)
    if not query.names and not query.categories:
        return mask
    folded = yield from reader.names.folded()
    for pattern in query.categories:
        matches = is_match(pattern)
        category_mask = np.array([matches(category) for category in folded.categories], np.bool_)
        mask[1:] &= category_mask[folded.category] if len(category_mask) else False
        mask[0] &= matches(NO_NAME.category)
    for pattern in query.names:
        mask &= yield from _named(reader, folded, pattern)
    return mask


def _named(reader: QueryReader, folded: FoldedNames, pattern: Pattern) -> Interruptible[Mask]:
    mask = np.zeros(reader.names.count + 1, np.bool_)
    if pattern.kind in (Kind.REGEX, Kind.REGEX_ANY_CASE):
        yield from _mark(reader, is_match(pattern), mask)
        return mask
    names = folded.containing(pattern.text)
    if pattern.kind is Kind.EXACT:
        length = len(pattern.text.casefold().encode("utf-8", "replace"))
        names = names[folded.ends[names] - np.append(-1, folded.ends)[names] - 1 == length]
        names = names[np.array([reader.names[name].text == pattern.text for name in names.tolist()], np.bool_)]
    mask[names + 1] = True
    mask[0] = is_match(pattern)(NO_NAME.text)
    return mask


def _mark(reader: QueryReader, matches: Callable[[str], bool], mask: Mask) -> Interruptible[None]:
    position = 1
    for page in range(reader.names.pages):
        for name in reader.names.page(page):
            mask[position] = matches(name.text)
            position += 1
        yield
    mask[0] = matches(NO_NAME.text)


def _bounds(durations: Sequence[Duration], tick_ps: int) -> tuple[int, int]:
    """The shortest and the longest duration in ticks for which all of these hold."""
    shortest, longest = 0, TICK_LIMIT
    for bound in durations:
        ticks = bound.ps / tick_ps
        if bound.comparison in (">", ">=", "="):
            shortest = max(shortest, floor(ticks) + 1 if bound.comparison == ">" else ceil(ticks))
        if bound.comparison in ("<", "<=", "="):
            longest = min(longest, ceil(ticks) - 1 if bound.comparison == "<" else floor(ticks))
    return min(shortest, TICK_LIMIT), longest
