"""The files that a store is an index of, and those of them that were left out."""

from __future__ import annotations

from tilescope.tiler.readers.fingerprint import Fingerprint
from tilescope.tiler.store.store import Store
from tilescope.tiler.store.validation import must_make_sense


def sources(store: Store) -> tuple[Fingerprint, ...]:
    """Fingerprints of the trace files, as they were when indexing began. Raises DamagedStore."""
    with must_make_sense(store.location):
        return tuple(Fingerprint.from_json(file) for file in store.internals().get("sources", ()))


def is_guess(store: Store) -> bool:
    """True where files of another time than the others were left out, had there been any. Raises DamagedStore."""
    with must_make_sense(store.location):
        return bool(store.internals().get("unconfirmed", False))


def axis_of(store: Store) -> str | None:
    """Id of the axis that the store was given, as a part of a run; None: it has its own. Raises DamagedStore."""
    with must_make_sense(store.location):
        axis = store.internals().get("axis")
        if axis is not None and not isinstance(axis, str):
            raise ValueError(f"its axis is {axis!r}")
        return axis


def separated_sources(store: Store) -> tuple[int, ...]:
    """Numbers of the trace files that are of another time than the others and not in it. Raises DamagedStore."""
    with must_make_sense(store.location):
        count = len(store.internals().get("sources", ()))
        numbers = tuple(map(int, store.internals().get("separated", ())))
        if any(not 0 <= number < count for number in numbers):
            raise ValueError(f"it leaves out files {numbers}, of {count}")
        return numbers
