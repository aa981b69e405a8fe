"""Which page goes on the wire next: the want-list and the credit of one connection.

A pure state machine without I/O, so that its rules can be tested in any order of events: want-lists replace each other,
what is cancelled vanishes, nothing is sent without credit, nothing is sent twice for one list.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from tilescope.server.errors import BadMessage
from tilescope.server.stream.messages import MAX_WANTS, Want
from tilescope.tiler.pages import PageKey

START_CREDIT_BYTES = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Fetch:
    """Read this page and send it (or say that it is missing)."""

    want_id: int
    key: PageKey


@dataclass(frozen=True, slots=True)
class Done:
    """Say that all of the want-list has been sent."""

    want_id: int


class WantQueue:
    """The state of one connection's wishes."""

    def __init__(self, credit_bytes: int = START_CREDIT_BYTES) -> None:
        self.credit_bytes = credit_bytes
        self._want_id: int | None = None
        self._pending: deque[PageKey] = deque()
        self._done_due = False
        self._sent_count = 0
        self._on_the_wire: dict[PageKey, int] = {}  # page → its number among the pages sent, oldest first

    def replace(self, want: Want) -> None:
        """A new want-list takes the place of the last one. Raises `BadMessage` when its numbers go backwards."""
        if self._want_id is not None and want.id <= self._want_id:
            raise BadMessage(f"want-list {want.id} comes after {self._want_id}: ids must grow")
        if want.received is not None and want.received > self._sent_count:
            raise BadMessage(f"{want.received} pages cannot have arrived: {self._sent_count} were sent")
        self._forget_arrived(want.received)
        self._want_id = want.id
        self._pending = deque(key for key in dict.fromkeys(want.pages) if key not in self._on_the_wire)
        self._done_due = True

    def add_credit(self, size_bytes: int) -> None:
        """The client has decoded that many bytes and can take as many more."""
        self.credit_bytes += size_bytes

    def next_step(self) -> Fetch | Done | None:
        """What to do now; None: wait for a want-list or for credit. A step that was returned is the caller's to do."""
        if self._want_id is None:
            return None
        if self._pending:
            return Fetch(self._want_id, self._pending.popleft()) if self.credit_bytes > 0 else None
        if self._done_due:
            self._done_due = False
            return Done(self._want_id)
        return None

    def page_sent(self, key: PageKey, size_bytes: int) -> None:
        """The page of the last `Fetch` goes on the wire; called before it is written."""
        self.credit_bytes -= size_bytes
        self._sent_count += 1
        self._on_the_wire.pop(key, None)
        self._on_the_wire[key] = self._sent_count
        if len(self._on_the_wire) > MAX_WANTS:  # a client that never says what arrived must not grow our memory
            del self._on_the_wire[next(iter(self._on_the_wire))]

    def _forget_arrived(self, received: int | None) -> None:
        if received is None:
            self._on_the_wire.clear()
        else:
            self._on_the_wire = {key: number for key, number in self._on_the_wire.items() if number > received}
