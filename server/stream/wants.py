"""Choice of the message that goes on the wire next: the want-list and the credit of one connection.

A pure state machine without I/O, so that its rules can be tested in any order of events: want-lists replace each other,
what is cancelled vanishes, nothing is sent without credit, nothing is sent twice for one list.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Set
from dataclasses import dataclass
from itertools import islice

from tilescope.server.errors import BadMessage
from tilescope.server.stream.messages import MAX_WANTS, Want, WantTier
from tilescope.tiler.pages import PageKey

START_CREDIT_BYTES = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Fetch:
    """Read this page and send it (or say that it is missing)."""

    want_id: int
    key: PageKey


@dataclass(frozen=True, slots=True)
class Resolved:
    """Say which pages show the view."""

    want: Want


@dataclass(frozen=True, slots=True)
class Done:
    """Say that all of the want-list has been sent, or all of one of its tiers."""

    want_id: int
    tier: WantTier | None = None


Step = Fetch | Resolved | Done


class WantQueue:
    """The state of one connection's wishes."""

    def __init__(self, credit_bytes: int = START_CREDIT_BYTES) -> None:
        self.credit_bytes = credit_bytes
        self._want_id: int | None = None
        self._steps: deque[Step] = deque()
        self._sent_count = 0
        self._on_the_wire: dict[PageKey, int] = {}  # page → its number among the pages sent, oldest first

    def replace(self, want: Want, have: Set[PageKey] = frozenset()) -> None:
        """A new want-list takes the place of the last one; pages that the client has are not sent.

        Raises `BadMessage` when its numbers go backwards.
        """
        if self._want_id is not None and want.id <= self._want_id:
            raise BadMessage(f"want-list {want.id} comes after {self._want_id}: ids must grow")
        if want.received is not None and want.received > self._sent_count:
            raise BadMessage(f"{want.received} pages cannot have arrived: {self._sent_count} were sent")
        self._forget_arrived(want.received)
        self._want_id = want.id
        self._steps = deque([Resolved(want)] if want.is_resolved else [])
        seen = {*have, *self._on_the_wire}
        start = 0
        for tier, end in want.tiers:
            self._add(want.id, want.pages[start:end], seen)
            self._steps.append(Done(want.id, tier))
            start = end
        self._add(want.id, want.pages[start:], seen)
        self._steps.append(Done(want.id))

    def add_credit(self, size_bytes: int) -> None:
        """The client has decoded that many bytes and can take as many more."""
        self.credit_bytes += size_bytes

    def next_step(self) -> Step | None:
        """The next step; None: wait for a want-list or for credit. A step that was returned is the caller's to do."""
        if not self._steps or (isinstance(self._steps[0], Fetch) and self.credit_bytes <= 0):
            return None
        return self._steps.popleft()

    def due_pages(self, count: int) -> list[PageKey]:
        """Pages of the next steps, so many at most; none where the next step is no page, or waits for credit."""
        if self.credit_bytes <= 0 or not self._steps or not isinstance(self._steps[0], Fetch):
            return []
        return [step.key for step in islice(self._steps, count) if isinstance(step, Fetch)]

    def page_sent(self, key: PageKey, size_bytes: int) -> None:
        """The page of the last `Fetch` goes on the wire; called before it is written."""
        self.credit_bytes -= size_bytes
        self._sent_count += 1
        self._on_the_wire.pop(key, None)
        self._on_the_wire[key] = self._sent_count
        if len(self._on_the_wire) > MAX_WANTS:  # a client that never says what arrived must not grow our memory
            del self._on_the_wire[next(iter(self._on_the_wire))]

    def _add(self, want_id: int, pages: tuple[PageKey, ...], seen: set[PageKey]) -> None:
        for key in pages:
            if key not in seen:
                seen.add(key)
                self._steps.append(Fetch(want_id, key))

    def _forget_arrived(self, received: int | None) -> None:
        if received is None:
            self._on_the_wire.clear()
        else:
            self._on_the_wire = {key: number for key, number in self._on_the_wire.items() if number > received}
