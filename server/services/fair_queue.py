"""Whose question is worked on next, and how many there may be. A pure state machine, without I/O and clocks.

Clients take turns, the connections of a client take turns, and the questions of a connection do: who asks forty
questions waits longer for them, and nobody else does. A question that was begun holds memory in the process
that began it: only so many are, and of one client never all of them, so that the others need not wait for its longest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Final

from tilescope.server.errors import TooManyRequests

STARTED: Final = 8  # questions with work done for them, in all processes; each holds some ten megabytes at most
STARTED_PER_CLIENT: Final = 6
RETRY_AFTER_S: Final = 1


@dataclass(frozen=True, slots=True)
class Asker:
    """The client that asks: everybody behind one proxy is one client."""

    client: str
    connection: Hashable


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on the number of questions, counted from their coming until their answers are sent."""

    of_all: int
    of_client: int
    of_connection: int


@dataclass(eq=False, slots=True)
class Ticket:
    """One question."""

    asker: Asker
    has_work: bool = False  # it waits for its turn; before, it is not asked yet, and afterwards its answer is sent
    worker: int | None = None  # that has begun it
    is_at_work: bool = False
    last_turn: int = 0


@dataclass(slots=True)
class Turns:
    """The questions there are, in the order in which they came."""

    limits: Limits
    _tickets: dict[Ticket, None] = field(default_factory=dict)
    _turn: int = 0
    _last_turn: dict[Hashable, int] = field(default_factory=dict)  # of clients and of askers; of those who ask now

    def __len__(self) -> int:
        return len(self._tickets)

    def enter(self, asker: Asker) -> Ticket:
        """One more question. Raises `TooManyRequests`."""
        if len(self._tickets) >= self.limits.of_all:
            raise TooManyRequests("too many questions are in progress on this server: try again later", RETRY_AFTER_S)
        if self._count(client=asker.client) >= self.limits.of_client:
            raise TooManyRequests("too many questions at once from this client: wait for an answer", RETRY_AFTER_S)
        if sum(ticket.asker == asker for ticket in self._tickets) >= self.limits.of_connection:
            raise TooManyRequests("too many questions at once on this connection: wait for an answer", RETRY_AFTER_S)
        ticket = Ticket(asker)
        self._tickets[ticket] = None
        return ticket

    def leave(self, ticket: Ticket) -> None:
        """A question is answered, or nobody waits for it any more."""
        self._tickets.pop(ticket, None)
        present = {ticket.asker for ticket in self._tickets}
        clients = {asker.client for asker in present}
        self._last_turn = {who: turn for who, turn in self._last_turn.items() if who in present or who in clients}

    def begin(self, worker: int) -> Ticket | None:
        """Gives a worker the question whose turn it is; None: there is none for it. To be ended by `end`."""
        started = Counter(ticket.asker.client for ticket in self._tickets if ticket.worker is not None)
        ready = [ticket for ticket in self._tickets if self._may_work(ticket, worker, started)]
        if not ready:
            return None
        ticket = min(ready, key=self._waits_since)  # the first that came, where all else is equal
        self._turn += 1
        self._last_turn[ticket.asker.client] = self._last_turn[ticket.asker] = ticket.last_turn = self._turn
        ticket.worker, ticket.is_at_work = worker, True
        return ticket

    def end(self, ticket: Ticket, *, is_answered: bool) -> None:
        """The turn of a question is over."""
        ticket.is_at_work = False
        if is_answered:
            ticket.has_work, ticket.worker = False, None

    def lost(self, worker: int) -> None:
        """A worker has died with all that it had begun: that is begun anew."""
        for ticket in self._tickets:
            if ticket.worker == worker:
                ticket.worker = None

    def _may_work(self, ticket: Ticket, worker: int, started: Counter[str]) -> bool:
        if not ticket.has_work or ticket.is_at_work:
            return False
        if ticket.worker is not None:
            return ticket.worker == worker
        return started.total() < STARTED and started[ticket.asker.client] < STARTED_PER_CLIENT

    def _waits_since(self, ticket: Ticket) -> tuple[int, int, int]:
        client, asker = (self._last_turn.get(who, 0) for who in (ticket.asker.client, ticket.asker))
        return client, asker, ticket.last_turn

    def _count(self, client: str) -> int:
        return sum(ticket.asker.client == client for ticket in self._tickets)
