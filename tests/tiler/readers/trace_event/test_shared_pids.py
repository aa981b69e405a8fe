"""Pids that are those of a program and of a device at once: identity is what the trace says, not numbers."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.readers.trace_event.test_tracks import meta, thread, track_names
from tests.tiler.readers.trace_event.trace_event_file import ReadFile, array, read


def label(text: str, pid: int = 1) -> str:
    return meta("process_labels", f'{{"labels":"{text}"}}', str(pid))


def named(text: str, pid: int = 1) -> str:
    return meta("process_name", f'{{"name":"{text}"}}', str(pid))


def sorted_at(index: int, pid: int = 1) -> str:
    return meta("process_sort_index", f'{{"sort_index":{index}}}', str(pid))


def host(tid: int = 1, cat: str = "cpu_op", pid: int = 1) -> str:
    return f'{{"ph":"X","name":"op {cat}","ts":1,"dur":9,"pid":{pid},"tid":{tid},"cat":"{cat}"}}'


def kernel(tid: int = 7, cat: str = "kernel", pid: int = 1, args: str = "{}") -> str:
    return f'{{"ph":"X","name":"work {cat}","ts":5,"dur":2,"pid":{pid},"tid":{tid},"cat":"{cat}","args":{args}}}'


LABELS = [named("python"), label("CPU"), sorted_at(1), named("python"), label("GPU 1"), sorted_at(5_000_001)]
THREADS = [thread("thread 1 (python)", "1", "1"), thread("stream 7", "1", "7")]
TOLD_APART = ["python/python", "GPU 1/stream 7"]


def details(result: ReadFile) -> dict[str, str]:
    return {process.name: process.detail for process in result.summary.processes}


def test_a_program_and_a_gpu_are_two_processes() -> None:
    result = read(array(*LABELS, *THREADS, host(), kernel()))
    assert track_names(result) == TOLD_APART
    assert details(result) == {"python": "pid 1 · CPU", "GPU 1": "python · pid 1"}


@given(order=st.randoms(use_true_random=False))
def test_metadata_may_stand_in_any_order_and_anywhere(order: random.Random) -> None:
    events = [*LABELS, *THREADS, host(), kernel(), kernel(cat="gpu_user_annotation")]
    order.shuffle(events)
    assert track_names(read(array(*events))) == TOLD_APART


@pytest.mark.parametrize("kind", ["GPU", "XPU", "MTIA", "HPU"])
@pytest.mark.parametrize("pid", [0, 1, 17])
def test_all_kinds_of_devices(kind: str, pid: int) -> None:
    metadata = [label("CPU", pid), label(f"{kind} {pid}", pid), thread("stream 7", str(pid), "7"), named("python", pid)]
    result = read(array(*metadata, host(pid=pid), kernel(pid=pid)))
    assert track_names(result) == ["python/Thread 1", f"{kind} {pid}/stream 7"]


@pytest.mark.parametrize("cat", ["Kernel", "Memcpy", "Memset", "gpu_memcpy", "gpu_memset", "cuda_sync"])
def test_devices_are_told_by_categories_of_all_ages(cat: str) -> None:
    result = read(array(named("python"), label("GPU 1"), host(cat="Operator"), kernel(cat=cat)))
    assert track_names(result) == ["python/Thread 1", "GPU 1/Thread 7"]


def test_one_label_is_enough_where_there_are_events_of_hosts() -> None:
    result = read(array(named("python"), label("GPU 1"), host(cat="cuda_runtime"), kernel()))
    assert track_names(result) == ["python/Thread 1", "GPU 1/Thread 7"]


def test_a_name_may_say_that_it_is_a_device() -> None:
    result = read(array(named("python"), named("GPU 1"), host(), kernel()))
    assert track_names(result) == ["python/Thread 1", "GPU 1/Thread 7"]
    assert details(result) == {"python": "pid 1", "GPU 1": "python · pid 1"}


@pytest.mark.parametrize("device", ["1", '"1"'])
def test_without_labels_kernels_say_whose_pid_it_is(device: str) -> None:
    result = read(array(named("python"), host(), kernel(args=f'{{"stream":7,"device":{device}}}')))
    assert track_names(result) == ["python/Thread 1", "GPU 1/Thread 7"]


@pytest.mark.parametrize(
    "events",
    [
        (named("a"), named("b"), host(), host(7)),  # two names, of one process
        (named("a"), named("b"), host(), kernel()),  # a file of one process, kernels among others
        (host(), kernel(args='{"device":0}')),
        (label("RANK 1"), named("b"), host(), host(7)),
    ],
)
def test_without_evidence_a_pid_is_one_process(events: tuple[str, ...]) -> None:
    result = read(array(*events))
    assert len(result.summary.processes) == 1
    assert len(result.summary.tracks) == 2
    assert result.summary.processes[0].name in ("b", "Process 1", "RANK 1")


def test_a_gpu_by_itself_is_as_it_was() -> None:
    annotation = host(7, cat="user_annotation")  # before 2023 of devices, too
    flow = '{"ph":"f","ts":5,"pid":1,"tid":7,"cat":"ac2g","id":1}'
    result = read(array(named("python"), label("GPU 1"), kernel(), annotation, flow))
    assert set(track_names(result)) == {"GPU 1/Thread 7"}


def test_a_gpu_that_does_nothing_gives_no_name_to_the_program() -> None:
    result = read(array(*LABELS, THREADS[0], host()))
    assert track_names(result) == ["python/python"]
    assert details(result) == {"python": "pid 1 · CPU"}


def test_a_program_that_does_nothing_leaves_the_gpu() -> None:
    assert track_names(read(array(*LABELS, THREADS[1], kernel()))) == ["GPU 1/stream 7"]


def test_what_belongs_to_the_process_goes_to_the_right_one() -> None:
    result = read(
        array(
            *LABELS,
            *THREADS,
            host(),
            kernel(),
            '{"ph":"C","name":"memory","ts":1,"pid":1,"args":{"value":1}}',
            '{"ph":"C","name":"power","cat":"gpu_pm_counter","ts":1,"pid":1,"args":{"value":1}}',
            '{"ph":"i","s":"p","name":"mark","ts":1,"pid":1,"tid":1}',
            '{"ph":"i","s":"t","name":"[memory]","cat":"cpu_instant_event","ts":1,"pid":1,"tid":1}',
            '{"ph":"b","name":"a","cat":"net","id":1,"ts":1,"pid":1,"tid":1}',
            '{"ph":"s","name":"ac2g","cat":"ac2g","id":1,"ts":1,"pid":1,"tid":1}',
            '{"ph":"f","name":"ac2g","cat":"ac2g","id":1,"ts":5,"pid":1,"tid":7}',
        )
    )
    assert track_names(result) == [
        "python/instants",
        "python/python",
        "python/python · instants",
        "python/python",  # the carrier of flows
        "python/net",
        "python/memory",
        "GPU 1/stream 7",
        "GPU 1/stream 7",
        "GPU 1/power",
    ]


@pytest.mark.parametrize("cat", ["cpu_op", "vendor"])
def test_threads_without_a_known_category_are_told_by_their_names(cat: str) -> None:
    streams = [thread("stream 9 Submission Queue", "1", "9"), *THREADS]
    result = read(array(*LABELS, *streams, host(cat=cat), kernel(), host(9, cat="mtia_runtime")))
    assert track_names(result) == ["python/python", "GPU 1/stream 7", "GPU 1/stream 9 Submission Queue"]


def test_the_rows_of_a_stream_with_pid_and_tid_of_a_thread_are_told() -> None:
    flow_end = '{"ph":"f","name":"ac2g","cat":"ac2g","id":1,"ts":5,"pid":1,"tid":7}'
    threads = [thread("thread 7 (python)", "1", "7"), thread("stream 7", "1", "7")]
    for first, second in itertools.permutations(threads):
        result = read(array(*LABELS, first, second, host(7), flow_end, kernel(7)))
        assert sorted(track_names(result)) == ["GPU 1/stream 7"] * 2 + ["python/python"] * 2
        moves = {
            (move.phase.name, result.summary.processes[result.summary.tracks[move.to].process].name)
            for move in result.summary.moves
        }
        assert moves == {("COMPLETE", "GPU 1"), ("FLOW_END", "GPU 1")}


@pytest.mark.parametrize("cat", ["user_annotation", "vendor", "cpu_op"])
def test_names_say_that_a_thread_and_a_stream_share_their_ids(cat: str) -> None:
    threads = [thread("thread 7 (python)", "1", "7"), thread("stream 7", "1", "7")]
    result = read(array(*LABELS, *threads, host(7, cat=cat), kernel(7)))
    assert sorted(track_names(result)) == ["GPU 1/stream 7", "python/python"]
    (move,) = result.summary.moves
    assert [result.summary.names[name] for name in range(2) if move.names[name]] == ["work kernel"]
    alone = read(array(*LABELS, threads[1], host(7, cat="user_annotation"), kernel(7)))  # of a stream, as once
    assert track_names(alone) == ["GPU 1/stream 7"]


def tids(*threads: tuple[int, int]) -> list[str]:
    return [f'{{"ph":"X","ts":1,"dur":1,"pid":{pid},"tid":{tid},"name":"a"}}' for pid, tid in threads]


def test_a_main_thread_is_none_where_processes_count_their_threads_alike() -> None:
    result = read(array(*tids((0, 0), (0, 1), (1, 0), (1, 1), (2, 5), (2, 2), (2, 3))))
    assert track_names(result) == [
        *("Process 0/Thread 0", "Process 0/Thread 1"),
        *("Process 1/Thread 0", "Process 1/Thread 1"),
        *("Process 2/Thread 2", "Process 2/Thread 3", "Process 2/Thread 5"),
    ]


def test_streams_are_no_threads_that_a_main_one_could_be_taken_for() -> None:
    events = [*tids((7, 7), (7, 3)), kernel(7, pid=0), label("GPU 0", 0)]
    assert track_names(read(array(*events)))[-2:] == ["Process 7/Thread 7", "Process 7/Thread 3"]


def test_a_process_that_sorts_its_threads_sorts_the_main_one_too() -> None:
    sorting = meta("thread_sort_index", '{"sort_index":0}', "9", "9")
    assert track_names(read(array(*tids((9, 9), (9, 3))))) == ["Process 9/Thread 9", "Process 9/Thread 3"]
    assert track_names(read(array(*tids((9, 9), (9, 3)), sorting))) == ["Process 9/Thread 3", "Process 9/Thread 9"]
