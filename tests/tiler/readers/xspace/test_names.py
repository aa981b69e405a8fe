"""What planes and lines of an XSpace are called, and where they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tiler.readers import wire_writer as w
from tests.tiler.readers.xspace.test_reader import line, plane, read_bytes
from tilescope.tiler.readers.xspace.names import Line, line_names, line_ranks, process_ranks

HOST = "/host:CPU"


def named(*lines: tuple[str, int], of: str = HOST) -> list[str]:
    return line_names([of], [Line(0, id_, name) for name, id_ in lines])


def ordered(names: list[str], of: str = HOST) -> list[str]:
    lines = [Line(0, number, name) for number, name in enumerate(names)]
    return [name for _, name in sorted(zip(line_ranks([of], lines, names), names, strict=True))]


def core(name: str, *details: bytes, stat: str = "core_details") -> bytes:
    return plane(name, w.message(6, w.number(1, 1), w.data(6, b"".join(details))), w.stat_metadata(1, stat))


def test_processes_are_ordered_for_the_screen() -> None:
    names = ["Task Environment", "/host:CPU", "/device:TPU:10", "/host:metadata", "/device:TPU:2", "/device:GPU:0"]
    order = [name for _, name in sorted(zip(process_ranks(names), names, strict=True))]
    assert order == [
        "/device:GPU:0", "/device:TPU:2", "/device:TPU:10", "/host:CPU", "Task Environment", "/host:metadata",
    ]  # fmt: skip


def test_the_id_of_a_thread_only_tells_namesakes_apart() -> None:
    lines = ("main/3116817", 3116817), ("tasks/18", 18), ("tasks/19", 19), ("python", 8464432645517210927)
    assert named(*lines) == ["main", "tasks/18", "tasks/19", "python"]


def test_a_number_that_is_not_the_id_belongs_to_the_name() -> None:
    assert named(("pool/2", 18), ("pool/2", 19), ("Stream #2", 2)) == ["pool/2 18", "pool/2 19", "Stream #2"]


def test_handles_are_no_ids_that_people_know() -> None:
    lines = ("exec/-1472503042444199177", -1472503042444199177), ("exec/7", 7), ("exec/-323994573397450197", 5)
    assert named(*lines) == ["exec #1", "exec #2", "exec/-323994573397450197"]
    assert named(("x", 0), ("x", 0)) == ["x #1", "x #2"]
    assert named(("gpu/-1199079105", 3095888191), ("gpu/39759893", 39759893)) == ["gpu #2", "gpu #1"]


def test_lines_without_a_name() -> None:
    assert named(("", -8464432645517210927)) == ["Thread"]
    assert named(("", -8464432645517210927), ("", -1)) == ["Thread #1", "Thread #2"]
    assert named(("", 17), of="/device:GPU:0") == ["Line 17"]


def test_namesakes_are_those_of_a_plane() -> None:
    assert line_names(["a", "b"], [Line(0, 1, "x/1"), Line(1, 2, "x/2")]) == ["x", "x"]


def test_lines_of_a_device_stand_from_the_whole_to_the_parts() -> None:
    names = ["_counters_", "XLA TraceMe", "Stream #10(Compute)", "Async XLA Ops", "Stream #9(Compute)", "XLA Ops"]
    names += ["TensorFlow Ops", "TensorFlow Name Scope", "XLA Modules", "Sparse Core Steps", "Steps"]
    assert ordered(names, of="/device:GPU:0") == [
        "Sparse Core Steps", "Steps", "XLA Modules", "XLA Ops", "Async XLA Ops", "TensorFlow Name Scope",
        "TensorFlow Ops", "Stream #9(Compute)", "Stream #10(Compute)", "XLA TraceMe", "_counters_",
    ]  # fmt: skip


def test_threads_stand_in_natural_order() -> None:
    assert ordered(["worker 10", "Steps", "main", "worker 9"]) == ["Steps", "main", "worker 9", "worker 10"]


def test_a_core_is_called_as_its_plane_says(tmp_path: Path) -> None:
    first, second = core("/device:TPU:4"), core("/device:TPU:5", w.number(3, 1), w.number(4, 2))
    processes = read_bytes(tmp_path, first, second).summary.processes
    assert [(process.name, process.detail) for process in processes] == [
        ("Chip 0: TPU Core 0", "/device:TPU:4"),
        ("Chip 2: TPU Core 1", "/device:TPU:5"),
    ]
    assert all(process.is_device for process in processes)


@pytest.mark.parametrize(
    "cores",
    [
        [core("/device:TPU:0"), core("/device:TPU:1")],  # the same core twice
        [core("/device:TPU:0", b"\x20"), core("/device:TPU:1", b"\xff" * 11)],  # damaged
        [core("/device:TPU:0", stat="other"), plane("/device:TPU:1")],
    ],
)
def test_a_core_that_is_not_known_keeps_the_name_of_its_plane(tmp_path: Path, cores: list[bytes]) -> None:
    names = [process.name for process in read_bytes(tmp_path, *cores).summary.processes]
    assert names == ["/device:TPU:0", "/device:TPU:1"]


def test_only_planes_of_tpus_are_cores(tmp_path: Path) -> None:
    (process,) = read_bytes(tmp_path, core("/device:GPU:0")).summary.processes
    assert process.name == "/device:GPU:0"


def test_threads_of_the_host_are_called_so(tmp_path: Path) -> None:
    (tmp_path / "twice").mkdir()
    stat = w.message(6, w.number(1, 1), w.number(3, 9)), w.stat_metadata(1, "cores")
    (process,) = read_bytes(tmp_path, plane("/host:CPU", *stat)).summary.processes
    assert (process.name, process.detail) == ("Host threads", "/host:CPU · cores 9")
    twice = read_bytes(tmp_path / "twice", plane("/host:CPU"), plane("/host:CPU")).summary.processes
    assert [process.name for process in twice] == ["/host:CPU", "/host:CPU"]


def test_lines_of_a_file(tmp_path: Path) -> None:
    lines = [line(w.number(1, id_), w.data(2, name)) for name, id_ in [("b/12", 12), ("Steps", 2), ("a/13", 13)]]
    tracks = read_bytes(tmp_path, plane("/host:CPU", *lines)).summary.tracks
    assert [(track.name, track.detail, track.sort_index) for track in tracks] == [
        ("b", "line 12", 2),
        ("Steps", "line 2", 0),
        ("a", "line 13", 1),
    ]
