"""Which task is next."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec import structs

from tilescope.tiler.columns import TrackKind
from tilescope.tiler.indexing.priorities import Priorities
from tilescope.tiler.indexing.schedule import Schedule
from tilescope.tiler.indexing.tracks.layout import PlacedTrack


def block(first: int, weights: Sequence[int]) -> list[PlacedTrack]:
    return [
        PlacedTrack(first + k, 0, TrackKind.SLICE, "", "", 0, first + k, weight) for k, weight in enumerate(weights)
    ]


def rollup(id: int, weight: int, children: tuple[int, ...]) -> PlacedTrack:
    return structs.replace(block(id, [weight])[0], kind=TrackKind.ROLLUP, children=children)


BLOCKS = [block(0, [5, 1]), [], block(64, [1, 8]), block(96, [9])]
ROLLUPS = [rollup(97, 6, (0, 1)), rollup(98, 9, (64, 65)), rollup(99, 24, (0, 1, 64, 65, 96))]


def order(priorities: Priorities) -> list[int]:
    found: list[int] = []
    work(Schedule(BLOCKS, priorities, 1000, lambda track: found.append(track.id)))
    return found


def work(schedule: Schedule) -> None:
    while (task := schedule.take()) is not None:
        task()
        schedule.done()


def test_the_heaviest_block_comes_first_and_of_equal_ones_the_upper_and_in_it_the_heaviest_track() -> None:
    assert order(Priorities()) == [65, 64, 96, 0, 1]


def test_a_block_that_is_wanted_comes_before_heavier_ones() -> None:
    priorities = Priorities()
    priorities.want([7, 0])
    assert order(priorities) == [0, 1, 65, 64, 96]


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("rows_at_once", [1, 9, 1000])
def test_all_is_done_once_and_what_waits_comes_after_what_it_waits_for(workers: int, rows_at_once: int) -> None:
    found: list[str] = []
    unbuilt = [len(tracks) for tracks in BLOCKS]
    counting = threading.Lock()

    def build(track: PlacedTrack) -> None:
        found.append(str(track.id))
        if track.kind == TrackKind.ROLLUP:
            return
        schedule.built(track.id)
        number = track.id // 32
        with counting:
            unbuilt[number] -= 1
            is_last = not unbuilt[number]
        if is_last:
            schedule.share([told(f"part {k} of {number}") for k in range(3)])
            schedule.ended(number)

    def told(what: str) -> Callable[[], None]:
        return lambda: found.append(what)

    schedule = Schedule(
        BLOCKS,
        Priorities(),
        rows_at_once,
        build,
        rollups=ROLLUPS,
        beside=[told("beside")],
        after=[told("after")],
    )
    with ThreadPoolExecutor(workers) as pool:
        for future in [pool.submit(work, schedule) for _ in range(workers)]:
            future.result(10)
    tracks = [str(track.id) for tracks in BLOCKS for track in tracks]
    parts = [f"part {k} of {number}" for number in (0, 2, 3) for k in range(3)]
    assert sorted(found) == sorted([*tracks, "97", "98", "99", *parts, "beside", "after"])
    place = {what: k for k, what in enumerate(found)}
    assert place["after"] > max(place[track] for track in tracks)
    for of in ROLLUPS:
        assert place[str(of.id)] > max(place[str(child)] for child in of.children)


def test_one_thread_at_a_time_builds_blocks_of_few_rows_and_all_that_these_share() -> None:
    blocks = [block(32 * number, [1] * 32) for number in range(20)] + [block(640, [1 << 13] * 4)]
    light: dict[int, set[int]] = {}  # by block the threads that had to do with it
    inside = threading.Lock()

    def build(track: PlacedTrack) -> None:
        number = track.id // 32
        if number < 20:
            assert inside.acquire(blocking=False), "two threads at once"
            light.setdefault(number, set()).add(threading.get_ident())
            inside.release()
        schedule.built(track.id)
        if track.id == blocks[number][0].id:  # the last one
            schedule.share([lambda: light.setdefault(number, set()).add(threading.get_ident())] * 3)
            schedule.ended(number)

    schedule = Schedule(blocks, Priorities(), 1 << 20, build)
    with ThreadPoolExecutor(3) as pool:
        for future in [pool.submit(work, schedule) for _ in range(3)]:
            future.result(10)
    assert [len(light[number]) for number in range(20)] == [1] * 20


@pytest.mark.parametrize(("share", "begun"), [(0.6, [0]), (0.5, [0, 32]), (0.0, [0, 32])])
@pytest.mark.parametrize("times", [1, 3])
def test_a_block_begins_as_soon_as_one_that_is_in_work_leaves_room_for_it(
    share: float, begun: list[int], times: int
) -> None:
    found: list[int] = []
    blocks = [block(0, [6000]), block(32, [5000])]
    schedule = Schedule(blocks, Priorities(), 8000, lambda track: found.append(track.id))
    for number in (0, 1):
        task = schedule.take()
        if task is None:
            break
        task()
        for _ in range(times):  # several threads end parts of the block: each says so
            schedule.needs(number, share)
        schedule.done()
    assert found == begun


def test_a_block_that_another_thread_has_ended_needs_nothing() -> None:
    schedule = Schedule([block(0, [6000]), block(32, [5000])], Priorities(), 8000, lambda _: None)
    for number in (0, 1):
        task = schedule.take()
        assert task is not None  # the second has room
        task()
        schedule.ended(number)
        schedule.needs(number, 0.5)
        schedule.done()


def test_a_light_block_that_fails_leaves_the_others_to_be_stopped() -> None:
    def build(track: PlacedTrack) -> None:
        raise MemoryError(str(track.id))

    schedule = Schedule([block(0, [1]), block(32, [1])], Priorities(), 100, build)
    task = schedule.take()
    assert task is not None
    with pytest.raises(MemoryError, match="0"):
        task()
    schedule.done()
    assert schedule.take() is not None


def test_whoever_waits_ends_when_it_is_stopped() -> None:
    schedule = Schedule([block(0, [1])], Priorities(), 1, lambda _: None, rollups=[rollup(1, 1, (0,))])
    assert schedule.take() is not None  # and is never done
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(schedule.take)
        schedule.stop()
        assert waiting.result(10) is None


def test_when_all_tracks_are_built_one_thread_has_a_rollup_and_others_what_is_shared() -> None:
    found: list[str] = []
    schedule = Schedule(
        [block(0, [1 << 13, 1 << 12])],
        Priorities(),
        1 << 20,
        lambda track: found.append(str(track.id)),
        rollups=[rollup(2, 5, (0,)), rollup(3, 6, (0, 1))],
        after=[lambda: found.append("after")],
    )

    def take() -> Callable[[], None]:
        task = schedule.take()
        assert task is not None
        return task

    def end(task: Callable[[], None]) -> None:
        task()
        schedule.done()

    for track in (0, 1):
        end(take())
        schedule.built(track)
    schedule.share([lambda: found.append("part")] * 2)
    # A thread that is alone frees memory first; with another one beside it the heaviest rollup begins.
    part, heaviest, other_part = take(), take(), take()
    end(other_part)
    end(part)
    after = take()
    end(heaviest)
    end(take())
    end(after)
    assert schedule.take() is None
    assert found == ["0", "1", "part", "part", "3", "2", "after"]
