"""Whose turn it is: fair to clients first, to their connections then, and bounded."""

from __future__ import annotations

import pytest

from tilescope.server.errors import TooManyRequests
from tilescope.server.services.fair_queue import STARTED, STARTED_PER_CLIENT, Asker, Limits, Ticket, Turns

MANY = Limits(1000, 1000, 1000)


def asked(turns: Turns, client: str, connection: int = 0) -> Ticket:
    ticket = turns.enter(Asker(client, connection))
    ticket.has_work = True
    return ticket


def played(turns: Turns, rounds: int, worker: int = 0) -> list[Ticket]:
    """The questions that had their turns one after the other; none is answered."""
    order = []
    for _ in range(rounds):
        ticket = turns.begin(worker)
        assert ticket is not None
        order.append(ticket)
        turns.end(ticket, is_answered=False)
    return order


def test_clients_take_turns_however_many_questions_they_have() -> None:
    turns = Turns(MANY)
    greedy = [asked(turns, "greedy", k) for k in range(40)]
    modest = asked(turns, "modest")
    order = played(turns, 20)
    assert order.count(modest) == 10
    assert set(order) - {modest} <= set(greedy)


def test_connections_of_a_client_take_turns_behind_a_proxy() -> None:
    turns = Turns(MANY)
    several = [asked(turns, "proxy", 1) for _ in range(3)]
    single = asked(turns, "proxy", 2)
    order = played(turns, 6)
    assert order.count(single) == 3
    assert order[0] is several[0]


def test_questions_of_a_connection_take_turns() -> None:
    turns = Turns(MANY)
    tickets = [asked(turns, "c") for _ in range(3)]
    assert played(turns, 6) == [*tickets, *tickets]


def test_who_comes_next_has_a_turn_before_those_who_had_one() -> None:
    turns = Turns(MANY)
    for k in range(4):
        asked(turns, "early", k)
    played(turns, 9)
    late = asked(turns, "late")
    assert turns.begin(0) is late


@pytest.mark.parametrize(
    ("limits", "complaint"),
    [
        (Limits(2, 9, 9), "in progress on this server"),
        (Limits(9, 2, 9), "too many questions at once from this client"),
        (Limits(9, 9, 2), "on this connection"),
    ],
)
def test_there_are_only_so_many_questions(limits: Limits, complaint: str) -> None:
    turns = Turns(limits)
    first = turns.enter(Asker("c", 1))
    turns.enter(Asker("c", 1))
    with pytest.raises(TooManyRequests, match=complaint) as refusal:
        turns.enter(Asker("c", 1))
    assert refusal.value.retry_after_s == 1
    if limits.of_all == 9:
        turns.enter(Asker("other", 1))
    turns.leave(first)
    turns.enter(Asker("c", 1))


def test_one_client_never_begins_all_that_may_be_begun() -> None:
    turns = Turns(MANY)
    for k in range(40):
        asked(turns, "greedy", k)
    assert len(set(played(turns, 100))) == STARTED_PER_CLIENT
    others = [asked(turns, "other", k) for k in range(40)]
    assert len(set(played(turns, 100)) & set(others)) == STARTED - STARTED_PER_CLIENT


def test_a_place_is_free_when_a_question_is_answered_or_given_up() -> None:
    turns = Turns(MANY)
    tickets = [asked(turns, "c", k) for k in range(STARTED_PER_CLIENT + 2)]
    begun = [turns.begin(0) for _ in range(STARTED_PER_CLIENT)]
    assert begun == tickets[:STARTED_PER_CLIENT]
    assert turns.begin(0) is None
    turns.end(tickets[0], is_answered=True)
    assert turns.begin(0) is tickets[-2]
    turns.leave(tickets[1])
    assert turns.begin(0) is tickets[-1]


def test_a_question_goes_on_where_it_was_begun_unless_that_is_lost() -> None:
    turns = Turns(MANY)
    ticket = asked(turns, "c")
    assert turns.begin(0) is ticket
    assert turns.begin(1) is None
    turns.end(ticket, is_answered=False)
    assert turns.begin(1) is None
    turns.lost(0)
    assert turns.begin(1) is ticket


def test_nothing_is_kept_of_those_who_are_gone() -> None:
    turns = Turns(MANY)
    for k in range(100):
        ticket = asked(turns, f"client {k}")
        assert turns.begin(0) is ticket
        turns.end(ticket, is_answered=True)
        turns.leave(ticket)
    assert (len(turns), turns._last_turn) == (0, {})
