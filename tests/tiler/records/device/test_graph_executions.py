"""Executions of graphs on a track: against a plain reference, cut into records anywhere; damaged records."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path

import msgpack
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from tests.gpu_trace import Kernel, gpu_plane
from tests.hlo_protos import write_space
from tests.tiler.verify.altered_store import AlteredStore
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.indexing import build_store
from tilescope.tiler.pages import compress, decompress
from tilescope.tiler.records.device import graph_maker, operation_maker
from tilescope.tiler.records.device.graph_executions import GRAPH_EXECUTIONS, GraphExecutions
from tilescope.tiler.records.device.operations import KINDS, TrackKinds
from tilescope.tiler.store import open_run_store
from tilescope.tiler.verify import verify_store

KERNELS = st.builds(
    Kernel,
    st.sampled_from(["a", "b"]),
    st.just(0),
    st.just(3),
    st.sampled_from(["", "add.1", "command_buffer", "command_buffer_1"]),
    st.sampled_from([7, 8]),
    st.just("jit_f"),
    st.sampled_from([None, 1, 2]),
    st.sampled_from([None, 0, 5]),
)


def is_of_graph(kernel: Kernel) -> bool:
    return bool(kernel.op) and (kernel.op.startswith("command_buffer") or (kernel.graph or 0) > 0)


def plainly(kernels: list[Kernel]) -> list[tuple[int, list[str]]]:
    """The first kernel of each execution, and the names of all."""
    keys = [(k.op, k.program, k.correlation, k.graph) if is_of_graph(k) else None for k in kernels]
    matches, first = [], 0
    for key, stretch in itertools.groupby(keys):
        size = len(list(stretch))
        if key is not None:
            matches.append((first, [kernel.name for kernel in kernels[first : first + size]]))
        first += size
    return matches


def placed(kernels: list[Kernel]) -> list[Kernel]:
    return [dataclasses.replace(kernel, start=5000 * place) for place, kernel in enumerate(kernels)]


def stored(kernels: list[Kernel], folder: Path) -> tuple[GraphExecutions | None, list[str]]:
    """Executions of a stream, and the name of each of its kinds."""
    trace = write_space(folder / "t.xplane.pb", gpu_plane(0, {"Stream #1(Compute)": placed(kernels)}))
    build_store([trace], folder / "store")
    store = open_run_store(folder / "store")
    kinds = TrackKinds.decode(decompress(store.get(KINDS, 0) or b""))
    record = store.get(GRAPH_EXECUTIONS, 0)
    names = list(dict.fromkeys(kernel.name for kernel in kernels))
    of_kind = [names[kind.metadata] for kind in kinds.kinds]
    store.close()
    return (None if record is None else GraphExecutions.decode(decompress(record), len(kinds.kinds))), of_kind


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(KERNELS, min_size=1, max_size=12), st.integers(1, 4))
def test_executions(tmp_path_factory: pytest.TempPathFactory, kernels: list[Kernel], size: int) -> None:
    folder = tmp_path_factory.mktemp("run")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(operation_maker, "CHUNK_OPERATIONS", size)
        graphs, names = stored(kernels, folder)
    expected = plainly(kernels)
    if graphs is None:
        assert not expected
        return
    orders = [[names[kind] for kind in pattern] for pattern in graphs.patterns]
    rows = zip(graphs.first.tolist(), graphs.pattern.tolist(), strict=True)
    assert [(first, orders[pattern]) for first, pattern in rows] == expected
    assert len({pattern.tobytes() for pattern in graphs.patterns}) == len(graphs.patterns)
    assert not graphs.is_cut


def test_executions_beyond_the_limits_are_left_out_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels = [Kernel("ab"[place // 2 % 2], 0, 3, "command_buffer", 7, correlation=place // 2) for place in range(20)]
    monkeypatch.setattr(graph_maker, "MAX_EXECUTIONS", 3)
    (tmp_path / "few").mkdir()
    graphs, _ = stored(kernels, tmp_path / "few")
    assert graphs is not None
    assert (graphs.first.tolist(), graphs.pattern.tolist(), graphs.is_cut) == ([0, 2, 4], [0, 1, 0], True)
    monkeypatch.setattr(graph_maker, "MAX_EXECUTIONS", 99)
    monkeypatch.setattr(graph_maker, "MAX_PATTERN_OPERATIONS", 3)
    (tmp_path / "short").mkdir()
    graphs, _ = stored(kernels, tmp_path / "short")
    assert graphs is not None
    assert (graphs.first.tolist(), len(graphs.patterns), graphs.is_cut) == ([0, 4, 8, 12, 16], 1, True)


def test_tracks_without_graphs_have_no_record(tmp_path: Path) -> None:
    kernels = [Kernel("a", 0, 3, "add.1", 7, correlation=place, graph=0) for place in range(3)]
    assert stored(kernels, tmp_path)[0] is None


EXAMPLE = GraphExecutions([np.array([0, 1]), np.array([2])], np.array([3, 5, 6]), np.array([0, 1, 0]), False)


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"first": np.array([3, 4, 6])}, "overlap"),
        ({"first": np.array([-1, 5, 6])}, "overlap"),
        ({"first": np.array([3, 5])}, "orders that there are not"),
        ({"pattern": np.array([0, 2, 0])}, "orders that there are not"),
        ({"pattern": np.array([0, -1, 0])}, "orders that there are not"),
        ({"patterns": [np.array([0, 1]), np.array([3])]}, "other kinds"),
        ({"patterns": [np.array([0, 1]), np.zeros(0, np.int64)]}, "without operations"),
    ],
)
def test_records_that_make_no_sense(wrong: dict[str, object], match: str) -> None:
    decoded = GraphExecutions.decode(EXAMPLE.encode(), 3)
    assert decoded.encode() == EXAMPLE.encode()
    with pytest.raises(DamagedStore, match=match):
        GraphExecutions.decode(structs.replace(EXAMPLE, **wrong).encode(), 3)


@pytest.mark.parametrize("data", [b"", b"\xc1", msgpack.packb({}), msgpack.packb([1]), EXAMPLE.encode()[:-3]])
def test_no_record(data: bytes) -> None:
    with pytest.raises(DamagedStore, match="make no sense"):
        GraphExecutions.decode(data, 3)


def test_other_executions_than_the_arguments_say_are_noticed(tmp_path: Path) -> None:
    kernels = [Kernel("ab"[place % 2], 0, 3, "command_buffer", 7, correlation=place // 2) for place in range(8)]
    graphs, _ = stored(kernels, tmp_path)
    assert graphs is not None
    verify_store(tmp_path / "store")
    store, key = AlteredStore(tmp_path / "store"), GRAPH_EXECUTIONS.key(0)
    for wrong in (
        {"pattern": graphs.pattern[:-1], "first": graphs.first[:-1]},
        {"patterns": [graphs.patterns[0][::-1]]},
        {"is_cut": True},
    ):
        record = compress(structs.replace(graphs, **wrong).encode())
        with (
            store.replaced({key: record}),
            pytest.raises(DamagedStore, match="executions of graphs on track 0 are other"),
        ):
            verify_store(tmp_path / "store")
    with store.replaced({GRAPH_EXECUTIONS.key(9): b""}), pytest.raises(DamagedStore):
        verify_store(tmp_path / "store")
