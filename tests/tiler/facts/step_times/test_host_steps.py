"""Steps of hosts and GPUs: the figures of xprof, and plain Python, instant by instant."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests import tpu_trace
from tests.corpus import corpus_path
from tests.examples import examples
from tests.tiler.readers.wire_writer import data, event_metadata, message, number, stat_metadata
from tests.xprof_golden import golden
from tilescope.tiler.facts.step_times import StepClass, StepPart, StepTimes, run_step_times
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import EVERYTHING, QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.windows import Windows, everywhere

# As its pod viewer numbers them.
CLASSES = dict(zip((str(k) for k in range(1, 10)), StepClass, strict=False))


def reader_of(path: Path, file: str) -> QueryReader:
    build_store([corpus_path(f"xplane/{file}.xplane.pb")], path / "store")
    return QueryReader(open_run_store(path / "store"))


def asked(reader: QueryReader, windows: Windows = EVERYTHING, tracks: Iterable[int] | None = None) -> list[StepTimes]:
    some = reader.tree.leaves(None) if tracks is None else tracks
    return finish(run_step_times(reader, reader.steps, some, everywhere(windows)))


def theirs(file: str) -> list[dict[str, float]]:
    """By step the durations of the classes in microseconds, and `total`."""
    found = []
    for step in golden(f"{file}/pod_viewer")["podStatsSequence"]["podStatsMap"]:
        (core,) = step["podStatsPerCore"].values()
        found.append(
            {CLASSES[key]: us for key, us in core["stepBreakdownUs"].items()} | {"total": core["totalDurationUs"]}
        )
    return found


def ours(times: StepTimes, at: int) -> dict[str, float]:
    return {of: int(times.classes[of][at]) / 1e6 for of in CLASSES.values()} | {"total": int(times.duration[at]) / 1e6}


def test_steps_of_a_cpu_as_xprof_has_them(tmp_path: Path) -> None:
    (times,) = asked(reader_of(tmp_path, "jax_cpu_10steps"))
    assert times.number.tolist() == list(range(10))
    assert [ours(times, at) for at in range(10)] == theirs("jax_cpu_10steps")


def test_a_step_of_gpus_as_xprof_has_it(tmp_path: Path) -> None:
    reader = reader_of(tmp_path, "gpu_v100x8_bert")
    streams = [t for t in reader.tree.leaves(None) if reader.tree.tracks[t].name.startswith("Stream")]
    (times,) = asked(reader, tracks=streams)
    (step,) = theirs("gpu_v100x8_bert")
    # It looks at devices only, and takes copies for computation because it does not know their names.
    of = ours(times, 0)
    assert of["total"] == step["total"]
    assert of["others"] == step["others"]
    copies = of["input"] + of["output"] + of["device_to_device"]
    assert of["device_compute"] + copies == pytest.approx(step["device_compute"], abs=1e-9)
    half, whole = times.parts[StepPart.DEVICE_COMPUTE_16], times.parts[StepPart.DEVICE_COMPUTE_32]
    assert round(100 * half[0] / (half[0] + whole[0]), 1) == 30.6  # 30.5 of all that it takes for computation
    assert f"{100 * half[0] / 1e6 / step['device_compute']:.1f}" == "30.5"
    # With the host, the time in which devices wait for it is told apart, and nothing of theirs is hidden.
    (times,) = asked(reader)
    of = ours(times, 0)
    assert of["total"] == step["total"]
    assert of["device_compute"] == ours(asked(reader, tracks=streams)[0], 0)["device_compute"]
    assert of["kernel_launch"] > 3000
    assert of["input"] > 2000


@dataclass(frozen=True, eq=False)
class Slice:
    """Of a thread or stream; times in ns."""

    name: str
    start: int
    duration: int
    stats: Mapping[str, int | str] = field(default_factory=dict)

    @property
    def end(self) -> int:
        return self.start + self.duration


STATS = ("_pt", "_p", "_ct", "_c", "step_num", "correlation_id", "shape")
NAMES = {
    "compute": StepPart.HOST_COMPUTE,
    "IteratorGetNext/of": StepPart.WAIT_INPUT,
    "XlaCompile": StepPart.COMPILE,
    "FunctionRun": None,
    "train": None,
    "kernel": StepPart.DEVICE_COMPUTE_32,
    "ncclAllReduce": StepPart.DEVICE_COLLECTIVES,
    "MemcpyH2D": StepPart.HOST_TO_DEVICE,
    "MemcpyD2H": StepPart.DEVICE_TO_HOST,
}
HOST_NAMES, STREAM_NAMES = list(NAMES)[:4], list(NAMES)[5:]


def written(name: str, lines: Mapping[str, Sequence[Slice]]) -> bytes:
    """A plane."""
    names, ids = sorted(NAMES), {stat: place + 1 for place, stat in enumerate(STATS)}
    parts = [data(2, name)]
    for place, (line, slices) in enumerate(lines.items()):
        events = [
            message(
                4,
                number(1, names.index(of.name) + 1),
                number(2, of.start * 1000),
                number(3, of.duration * 1000),
                *(tpu_trace.stat(4, ids[key], value) for key, value in of.stats.items()),
            )
            for of in slices
        ]
        parts.append(message(3, number(1, place + 1), data(2, line), *events))
    parts += [event_metadata(place + 1, text) for place, text in enumerate(names)]
    parts += [stat_metadata(key, text) for text, key in ids.items()]
    return message(1, *parts)


def holds(outer: Slice, inner: Slice) -> bool:
    return outer is not inner and outer.start <= inner.start and inner.end <= outer.end


def belonging(threads: Sequence[Sequence[Slice]], stream: Sequence[Slice]) -> dict[Slice, set[int]]:
    """The steps that lead to each slice."""
    thread_of = {of: thread for thread in threads for of in thread}
    nodes = [of for of in thread_of if "step_num" in of.stats or "_ct" in of.stats]

    def owner(of: Slice) -> Slice | None:
        """The innermost node of its thread that it lies in; itself, if it is one."""
        around = [node for node in nodes if thread_of[node] is thread_of[of] and (node is of or holds(node, of))]
        return max(around, key=lambda node: (node.start, -node.end, node is of)) if around else None

    owners = {of: owner(of) for of in thread_of}
    found: dict[Slice, set[int]] = {of: set() for of in (*thread_of, *stream)}
    for mark in (of for of in nodes if "step_num" in of.stats):
        reached, waiting = {mark}, [mark]
        while waiting:
            node = waiting.pop()
            keys = {(of.stats["_pt"], of.stats["_p"]) for of in owners if owners[of] is node and "_pt" in of.stats}
            for one in nodes:
                inside = thread_of[one] is thread_of[node] and holds(node, one)
                handed = (one.stats.get("_ct"), one.stats.get("_c")) in keys
                if (inside or handed) and one not in reached and "step_num" not in one.stats:
                    reached.add(one)
                    waiting.append(one)
        step = int(mark.stats["step_num"])
        for of, around in owners.items():
            if around in reached:
                found[of].add(step)
                for kernel in stream:
                    if of.stats.get("correlation_id", -1) == kernel.stats["correlation_id"]:
                        found[kernel].add(step)
    return found


def launched(
    marks: Mapping[int, Slice], threads: Sequence[Sequence[Slice]], stream: Sequence[Slice]
) -> tuple[dict[Slice, set[int]], dict[int, tuple[int, int]]] | None:
    """The steps of the work of a stream by launches, and from when to when they last; None: no launch tells it."""
    calls: dict[object, list[Slice]] = {}
    for call in (call for thread in threads for call in thread if call.stats.get("correlation_id", 0)):
        calls.setdefault(call.stats["correlation_id"], []).append(call)
    launch = {
        kernel: calls[number][0]
        for kernel in stream
        if len(calls.get(number := kernel.stats["correlation_id"], ())) == 1
    }
    steps = {
        kernel: {step for step, mark in marks.items() if mark.start <= launch.get(kernel, kernel).start < mark.end}
        for kernel in stream
    }
    work = {step: [kernel for kernel in stream if step in steps[kernel]] for step in marks}
    if not launch or not any(work.values()):
        return None
    begin = min(min(kernel.start, launch.get(kernel, kernel).start) for each in work.values() for kernel in each)
    if not work[min(marks)]:
        begin = min(begin, marks[min(marks)].start)
    times = {}
    for step, mark in sorted(marks.items()):
        end = max([begin, max((kernel.end for kernel in work[step]), default=mark.end)])
        times[step] = begin, end
        begin = end
    return steps, times


def part_of(of: Slice, *, on_host: bool, with_device: bool) -> StepPart | None:
    part = NAMES[of.name]
    if on_host and part is not None and with_device and "correlation_id" in of.stats:
        return StepPart.LAUNCH
    return (
        StepPart.DEVICE_COMPUTE_16 if part is StepPart.DEVICE_COMPUTE_32 and "half" in str(of.stats["shape"]) else part
    )


@st.composite
def threads(draw: st.DrawFn, first: bool) -> list[Slice]:
    """Slices beside and in each other; on the first thread steps are around some of them."""
    found: list[Slice] = []
    at = draw(st.integers(0, 4))
    for step in range(3):
        begin = at
        for _ in range(draw(st.integers(0, 3))):
            length = draw(st.integers(0, 9))
            stats: dict[str, int | str] = {}
            if draw(st.booleans()):
                stats |= {"_pt": 1, "_p": draw(st.integers(0, 9))}
            if draw(st.booleans()):
                stats |= {"_ct": 1, "_c": draw(st.integers(0, 9))}
            if draw(st.booleans()):
                stats["correlation_id"] = draw(st.integers(0, 9))
            found.append(Slice(draw(st.sampled_from(HOST_NAMES)), at, length, stats))
            if length > 4:
                found.append(Slice(draw(st.sampled_from(HOST_NAMES)), at + 1, draw(st.integers(1, length - 3))))
            at += length + draw(st.integers(1, 3))
        if first:
            at += 1
            found.append(Slice("train", begin, at - begin, {"step_num": step}))
            at += draw(st.integers(0, 3))
    return found


kernels = st.lists(
    st.tuples(
        st.sampled_from(STREAM_NAMES), st.integers(1, 9), st.integers(0, 4), st.integers(0, 9), st.sampled_from("fh")
    ),
    max_size=6,
)


@settings(max_examples=examples(60), deadline=None)
@given(first=threads(first=True), second=threads(first=False), work=kernels, cut=st.integers(0, 80))
def test_every_instant_of_steps(
    first: list[Slice], second: list[Slice], work: list[tuple[str, int, int, int, str]], cut: int
) -> None:
    stream, at = [], 0
    for name, length, gap, correlation, shape in work:
        shapes = "(half[2])" if shape == "h" else "(float[2])"
        stream.append(Slice(name, at + gap, length, {"correlation_id": correlation, "shape": shapes}))
        at += gap + length
    steps = belonging([first, second], stream)
    assume(all(len(of) < 2 for of in steps.values()))
    with TemporaryDirectory() as folder:
        planes = [written("/host:CPU", {"python": first, "pool": second or [Slice("compute", 0, 1)]})]
        if stream:
            planes.append(written("/device:GPU:0", {"Stream #1(Compute)": stream}))
        build_store([tpu_trace.write_trace(Path(folder) / "run.xplane.pb", planes)], Path(folder) / "store")
        store = open_run_store(Path(folder) / "store")
        reader = QueryReader(store)
        # The run's first event is at tick 0, and a tick is as long as all times allow.
        every = [*first, *second, *stream, *([] if second else [Slice("compute", 0, 1)])]
        origin, tick = min(of.start for of in every), int(store.manifest()["tick_ps"])
        marks = {int(of.stats["step_num"]): of for of in first if of.name == "train"}
        times_of_marks = {step: (mark.start, mark.end) for step, mark in marks.items()}
        by_launches = launched(marks, [first, second], stream)
        if by_launches is not None:
            steps |= by_launches[0]
            times_of_marks = by_launches[1]
        expected = {step: Counter[StepPart]() for step in marks}
        halves = {step: Counter[StepPart]() for step in marks}
        for step, (begin, end) in times_of_marks.items():
            for ns in range(begin, end):
                parts = [
                    part
                    for thread in (first, second, stream)
                    for of in thread
                    if steps[of] == {step} and of.start <= ns < of.end
                    if (part := part_of(of, on_host=thread is not stream, with_device=bool(stream))) is not None
                ]
                most = max(parts, key=list(StepPart).index, default=StepPart.OTHERS)
                expected[step][most] += 1000
                if ns < cut:
                    halves[step][most] += 1000
        border = (cut - origin) * 1000 // tick

        def found(windows: Windows) -> dict[int, Counter[StepPart]]:
            times = asked(reader, windows)
            return {
                step: Counter({part: int(ps[at]) for part, ps in of.parts.items() if ps[at]})
                for of in times
                for at, step in enumerate(of.number.tolist())
            }

        assert found(EVERYTHING) == expected
        before, after = found(Windows.single(0, border)), found(Windows.single(border, EVERYTHING.stop))
        for step, whole in expected.items():
            assert before.get(step, Counter()) == +halves[step]
            assert before.get(step, Counter()) + after.get(step, Counter()) == whole
        store.close()


def test_steps_of_pytorch_are_what_happens_while_they_last(tmp_path: Path) -> None:
    rows = [  # name, category, thread, start and duration in us
        ("ProfilerStep#4", "user_annotation", 1, 0, 100),
        ("enumerate(DataLoader)#_Iter.__next__", "user_annotation", 1, 0, 10),
        ("aten::conv2d", "cpu_op", 1, 10, 40),
        ("cudaLaunchKernel", "cuda_runtime", 1, 30, 10),
        ("train.py(3): forward", "python_function", 1, 5, 90),
        ("conv_fwd_kernel", "kernel", 7, 35, 30),
        ("hgemm_128x64", "kernel", 7, 65, 5),
        ("Memcpy DtoH (Device -> Pageable)", "gpu_memcpy", 7, 68, 4),
        ("ncclAllReduceRingLLKernel", "kernel", 8, 60, 15),
        ("ProfilerStep#5", "user_annotation", 1, 100, 50),
        ("late_kernel", "kernel", 7, 140, 60),
    ]
    events = [
        {"ph": "X", "name": name, "cat": category, "pid": 0, "tid": thread, "ts": start, "dur": duration, "args": {}}
        for name, category, thread, start, duration in rows
    ]
    trace = {"schemaVersion": 1, "deviceProperties": [], "traceEvents": events}
    (tmp_path / "run.pt.trace.json").write_text(json.dumps(trace))
    build_store([tmp_path / "run.pt.trace.json"], tmp_path / "store")
    (times,) = asked(QueryReader(open_run_store(tmp_path / "store")))
    found = [{part: int(ps[at]) // 1_000_000 for part, ps in times.parts.items() if ps[at]} for at in range(2)]
    assert times.number.tolist() == [4, 5]
    assert found == [
        {
            # From the first work to the end of the last: no launch was recorded.
            StepPart.DEVICE_COMPUTE_32: 30,
            StepPart.DEVICE_COMPUTE_16: 5,
            StepPart.DEVICE_TO_HOST: 2,
            StepPart.DEVICE_COLLECTIVES: 3,
        },
        {StepPart.DEVICE_COMPUTE_32: 60, StepPart.OTHERS: 65},
    ]
