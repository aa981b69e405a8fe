from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.examples import examples
from tilescope.server.errors import BadMessage
from tilescope.server.stream.messages import MAX_WANTS, TierEnd, Want, WantTier
from tilescope.server.stream.wants import Done, Fetch, Resolved, Step, WantQueue
from tilescope.tiler.pages import PageKey

A, B, C = (PageKey(0, 0, index, 0) for index in range(3))


def drain(queue: WantQueue, size_bytes: int = 100) -> list[Step]:
    """Does all that is due, with every page of that size."""
    steps = []
    while (step := queue.next_step()) is not None:
        steps.append(step)
        if isinstance(step, Fetch):
            queue.page_sent(step.key, size_bytes)
    return steps


def test_nothing_is_due_before_the_first_list() -> None:
    assert WantQueue().next_step() is None


def test_pages_go_out_in_order_of_priority_and_then_the_list_is_done_once() -> None:
    queue = WantQueue()
    queue.replace(Want(1, (C, A, B)))
    assert drain(queue) == [Fetch(1, C), Fetch(1, A), Fetch(1, B), Done(1)]
    assert queue.next_step() is None


def test_an_empty_list_is_done_at_once() -> None:
    queue = WantQueue()
    queue.replace(Want(1, ()))
    assert drain(queue) == [Done(1)]


def test_a_key_that_stands_twice_is_sent_once() -> None:
    queue = WantQueue()
    queue.replace(Want(1, (A, B, A)))
    assert drain(queue) == [Fetch(1, A), Fetch(1, B), Done(1)]


def test_a_new_list_cancels_what_was_left_of_the_old_one() -> None:
    queue = WantQueue()
    queue.replace(Want(1, (A, B)))
    assert queue.next_step() == Fetch(1, A)
    queue.replace(Want(2, (C,)))
    assert drain(queue) == [Fetch(2, C), Done(2)]


TIERS = (TierEnd(WantTier.VISIBLE, 1), TierEnd(WantTier.MARGIN, 1), TierEnd(WantTier.PREFETCH, 3))


def test_the_end_of_each_tier_is_said_and_the_end_of_all() -> None:
    queue = WantQueue()
    queue.replace(Want(1, (A, B, C), tiers=TIERS))
    ends = [Done(1, WantTier.VISIBLE), Done(1, WantTier.MARGIN), Done(1, WantTier.PREFETCH), Done(1)]
    assert drain(queue) == [Fetch(1, A), ends[0], ends[1], Fetch(1, B), Fetch(1, C), ends[2], ends[3]]


def test_a_page_of_two_tiers_is_sent_with_the_more_urgent_one() -> None:
    queue = WantQueue()
    queue.replace(Want(1, (A, B, A), tiers=TIERS))
    assert [step.key for step in drain(queue) if isinstance(step, Fetch)] == [A, B]


def test_the_end_of_a_tier_needs_no_credit() -> None:
    queue = WantQueue(credit_bytes=1)
    queue.replace(Want(1, (A, B, C), tiers=TIERS))
    assert drain(queue) == [Fetch(1, A), Done(1, WantTier.VISIBLE), Done(1, WantTier.MARGIN)]


def test_a_resolved_view_is_announced_whole_and_sent_without_what_the_client_has() -> None:
    queue = WantQueue()
    want = Want(1, (A, B, C), tiers=TIERS, is_resolved=True)
    queue.replace(want, have={B})
    steps = drain(queue)
    assert steps[0] == Resolved(want)
    assert [step.key for step in steps if isinstance(step, Fetch)] == [A, C]


def test_a_page_is_sent_while_credit_is_above_zero_and_not_after() -> None:
    queue = WantQueue(credit_bytes=150)
    queue.replace(Want(1, (A, B, C)))
    assert drain(queue) == [Fetch(1, A), Fetch(1, B)]
    assert queue.credit_bytes == -50
    queue.add_credit(50)
    assert queue.next_step() is None
    queue.add_credit(1)
    assert drain(queue) == [Fetch(1, C), Done(1)]


def test_what_is_on_the_wire_is_not_sent_again() -> None:
    queue = WantQueue()
    queue.replace(Want(1, (A, B)))
    drain(queue)
    queue.replace(Want(2, (A, B, C), received=1))  # A has arrived (and is wanted again), B has not
    assert drain(queue) == [Fetch(2, A), Fetch(2, C), Done(2)]


def test_without_a_count_of_arrivals_everything_is_sent() -> None:
    queue = WantQueue()
    queue.replace(Want(1, (A,)))
    drain(queue)
    queue.replace(Want(2, (A,)))
    assert drain(queue) == [Fetch(2, A), Done(2)]


@pytest.mark.parametrize("want_id", [4, 5])
def test_ids_must_grow(want_id: int) -> None:
    queue = WantQueue()
    queue.replace(Want(5, ()))
    with pytest.raises(BadMessage, match="must grow"):
        queue.replace(Want(want_id, ()))


def test_more_pages_than_were_sent_cannot_have_arrived() -> None:
    queue = WantQueue()
    with pytest.raises(BadMessage, match="cannot have arrived"):
        queue.replace(Want(1, (), received=1))


def test_memory_is_bounded_when_a_client_never_says_what_arrived() -> None:
    queue = WantQueue(credit_bytes=10**9)
    for round_number in range(3):
        keys = tuple(PageKey(round_number, 0, index, 0) for index in range(MAX_WANTS))
        queue.replace(Want(round_number, keys, received=0))
        drain(queue, 1)
    assert len(queue._on_the_wire) == MAX_WANTS


keys = st.builds(PageKey, st.just(0), st.integers(0, 1), st.integers(0, 5), st.just(0))


class Stream(RuleBasedStateMachine):
    """A client, a server and the wire between them, in any order of events."""

    def __init__(self) -> None:
        super().__init__()
        self.queue = WantQueue(credit_bytes=500)
        self.granted = 500
        self.spent = 0
        self.want = Want(0, ())
        self.due: list[PageKey] = []  # of the newest list, in order
        self.wire: list[PageKey] = []  # sent, not yet arrived
        self.sent = self.arrived = 0
        self.done = [0]

    @rule(pages=st.lists(keys, max_size=8), tells=st.booleans())
    def client_wants(self, pages: list[PageKey], tells: bool) -> None:
        self.want = Want(self.want.id + 1, tuple(pages), self.arrived if tells else None)
        self.queue.replace(self.want)
        on_its_way = self.wire if tells else []
        self.due = [key for key in dict.fromkeys(pages) if key not in on_its_way]
        if not tells:
            # The server has forgotten what is on the wire, and may send it again.
            self.wire = []
            self.arrived = self.sent

    @rule(size=st.integers(0, 300))
    def client_gives_credit(self, size: int) -> None:
        self.queue.add_credit(size)
        self.granted += size

    @precondition(lambda self: self.wire)
    @rule()
    def page_arrives(self) -> None:
        self.wire.pop(0)
        self.arrived += 1

    @rule(size=st.integers(1, 300), exists=st.booleans())
    def server_steps(self, size: int, exists: bool) -> None:
        step = self.queue.next_step()
        if step is None:
            assert self.granted - self.spent <= 0 or not self.due
            return
        assert isinstance(step, Fetch | Done)
        assert step.want_id == self.want.id
        if isinstance(step, Done):
            assert not self.due
            assert step.want_id > self.done[-1]
            self.done.append(step.want_id)
            return
        assert self.granted - self.spent > 0
        assert step.key == self.due.pop(0)
        if exists:
            self.queue.page_sent(step.key, size)
            self.spent += size
            self.wire.append(step.key)
            self.sent += 1

    @invariant()
    def credit_is_kept_exactly(self) -> None:
        assert self.queue.credit_bytes == self.granted - self.spent


TestStream = Stream.TestCase
TestStream.settings = settings(max_examples=examples(60), deadline=None)


@given(st.lists(st.lists(keys, max_size=6), min_size=1, max_size=5))
def test_with_credit_enough_every_list_that_is_not_replaced_is_sent_whole(lists: list[list[PageKey]]) -> None:
    queue = WantQueue(credit_bytes=10**6)
    for want_id, pages in enumerate(lists):
        queue.replace(Want(want_id, tuple(pages)))
        assert drain(queue) == [*(Fetch(want_id, key) for key in dict.fromkeys(pages)), Done(want_id)]
