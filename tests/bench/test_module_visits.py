"""The count of visits to modules that the code of an answer makes a reader do."""

from __future__ import annotations

from pathlib import Path

from bench.module_visits import Visits, module_visits, within
from tests.gpu_trace import Kernel, gpu_plane
from tests.hlo_protos import computation, hlo_plane, hlo_proto, instruction, shape, write_space
from tests.run_kinds import RUN_KINDS
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store

# There were 76 on both kinds of devices when each step of a table of operations had a module of its own.
MOST_VISITS = 42
MOST_GPU_VISITS = 45  # five of them ask for kernels of graphs, and two for streams together


def test_returns_are_visits_to_modules_that_were_visited_before() -> None:
    visits = Visits(["a/b.py", "c.py", "a/d.py", "a/b.py", "c.py"])
    assert (visits.distinct, visits.returns) == (3, 2)
    assert within(visits, "a/").modules == ["a/b.py", "a/d.py", "a/b.py"]
    assert within(visits, "c").modules == ["c.py"]


def test_the_operations_of_an_answer_are_followed_in_few_visits(tmp_path: Path) -> None:
    build_store([RUN_KINDS["devices"](tmp_path)], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    visits = within(module_visits(QueryReader(store), "op_profile"), "facts/operations")
    store.close()
    assert "facts/operations/tpu_source.py" in visits.modules
    assert "facts/operations/gpu_source.py" not in visits.modules
    assert 10 < len(visits.modules) <= MOST_VISITS


def test_the_operations_of_gpus_are_followed_in_few_visits(tmp_path: Path) -> None:
    main = computation(
        1,
        "main",
        instruction(1, "p", "parameter", shape("f32", 100, 200)),
        instruction(2, "add.1", "add", shape("f32", 100, 200), 1, 1, op_name="jit(f)/add"),
    )
    kernels = [Kernel("k", 0, 5, op="add.1", module="jit_f"), Kernel("copy", 7, 2)]
    planes = [gpu_plane(0, {"Stream #1(Compute)": kernels}), hlo_plane({"jit_f(7)": hlo_proto("jit_f", main)})]
    build_store([write_space(tmp_path / "t.xplane.pb", *planes)], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    visits = within(module_visits(QueryReader(store), "op_profile"), "facts/operations")
    store.close()
    assert "facts/operations/gpu_source.py" in visits.modules
    assert 10 < len(visits.modules) <= MOST_GPU_VISITS
