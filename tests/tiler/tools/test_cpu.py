"""Use of processors while data are prepared: figures of real files, and of others against plain Python."""

from __future__ import annotations

import json
import sys
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bench.ascend_run import AscendShape, Training, write_profiler
from bench.ascend_run.data_files import PIPELINE, PROCESSORS, processors
from tests.corpus import corpus_path
from tests.table_answers import column, table_answer, texts
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, tool, why_not
from tilescope.tiler.tools.answer import values_of


def cpu(store: Path, **values: Any) -> Answer:
    return table_answer("cpu", store, **values)


def write(folder: Path, content: dict[str, Any]) -> Path:
    """The store of one file."""
    path = folder / "minddata_cpu_utilization_0.json"
    path.write_text(json.dumps(content))
    build_store([path], folder / "store")
    return folder / "store"


def test_figures_of_a_real_run(tmp_path: Path) -> None:
    build_store(sorted(corpus_path("ascend/run_2").iterdir()), tmp_path / "store")
    answer = cpu(tmp_path / "store")
    assert column(answer, "cpu_means", "mean") == [0.2, 0.2, 0.1, 0.1, 0.2, 0.2]
    assert column(answer, "cpu_means", "rounded") == [20, 20, 10, 10, 20, 20]
    assert column(answer, "cpu_load", "mean") == [20, 20]
    assert (column(answer, "cpu_load", "least"), column(answer, "cpu_load", "greatest")) == ([10, 10], [30, 30])
    assert column(answer, "cpu_operations", "user") == [0.2]
    assert answer.table("cpu_operations").column("user").total == "max"  # means are no parts of a whole
    assert (answer.fact("busy").value, answer.fact("busy_rounded").value) == (0.9, 90)
    assert "90 % of all processors are busy on average, more than 80 %" in texts(answer)
    assert "every 100 ms: mindspore.dataset.config.set_monitor_sampling_interval(ms) changes that" in texts(answer)
    assert (answer.fact("processors").value, answer.fact("samples").value) == (100, 3)
    assert column(answer, "cpu_operations", "operation") == ["MapOp_1"]
    assert column(answer, "cpu_operations", "workers") == [8]
    charts = {series.id: series for series in answer.series}
    assert [y.title for y in charts["machine"].ys] == ["User", "System", "IO", "Idle"]
    assert list(values_of(charts["machine"].ys[0])) == [0.1, 0.2, 0.3]
    assert [list(values_of(y)) for y in charts["process"].ys] == [[0.2, 0.4, 0.6]] * 2


def test_a_synthetic_rank_beside_its_pipeline(tmp_path: Path) -> None:
    training = Training(AscendShape(ranks=2, stages=1))
    build_store(write_profiler(tmp_path / "profiler", training), tmp_path / "store")
    answer = cpu(tmp_path / "store", rank=1)
    made = json.loads(processors(training.shape, 1))
    use = {operation.number: operation for operation in PIPELINE}
    numbers = column(answer, "cpu_operations", "number")
    assert numbers == sorted(use, key=lambda number: (-sum(use[number].processor), number))
    assert column(answer, "cpu_operations", "workers") == [use[number].workers for number in numbers]
    assert column(answer, "cpu_operations", "verdict") == ["heavy", None, None, None, None]
    assert "Map_2 takes 67.4 % of what all operations take with 2 workers: look at its code" in texts(answer)
    machine = sum(sum(made["device_info"][name]) for name in ("user_utilization", "sys_utilization"))
    process = sum(sum(made["process_info"][name]) for name in ("user_utilization", "sys_utilization"))
    others = Fraction(machine - process, 100 * len(made["time_stamp"]))
    assert answer.fact("others").value == float(others)
    assert answer.fact("processors").value == PROCESSORS
    assert "nothing of rank 7" in texts(cpu(tmp_path / "store", rank=7)).lower()


PERCENTS = st.one_of(st.integers(0, 100), st.decimals(0, 100, places=2).map(float))


@given(rows=st.lists(st.tuples(PERCENTS, PERCENTS, PERCENTS), min_size=1, max_size=30))
def test_means_are_exact_and_rounded(rows: list[tuple[float, ...]]) -> None:
    user, system, idle = map(list, zip(*rows, strict=True))
    content = {
        "sampling_interval": 1000,
        "device_info": {"user_utilization": user, "sys_utilization": system, "idle_utilization": idle},
    }
    with TemporaryDirectory() as folder:
        answer = cpu(write(Path(folder), content))
    means = [Fraction(sum(Fraction(str(value)) for value in values), len(rows)) for values in (user, system, idle)]
    assert column(answer, "cpu_means", "mean") == [float(mean / 100) for mean in means]
    assert column(answer, "cpu_means", "rounded") == [round(mean) for mean in means]
    assert answer.fact("busy").value == float((100 - means[2]) / 100)
    assert ("more than 80 %" in texts(answer)) == (100 - means[2] > 80)


SLOW_DATA = "".join(f"1 64 {step} 0 10\n" for step in range(1, 11))


@pytest.mark.parametrize(("idle", "is_advised"), [(90, True), (40, False)])
def test_idle_processors_while_data_are_late_ask_for_threads(idle: int, is_advised: bool, tmp_path: Path) -> None:
    path = tmp_path / "minddata_cpu_utilization_0.json"
    machine = {"user_utilization": [100 - idle] * 3, "idle_utilization": [idle] * 3}
    path.write_text(json.dumps({"sampling_interval": 1000, "device_info": machine}))
    queue = tmp_path / "device_queue_profiling_0.txt"
    queue.write_text(SLOW_DATA)
    build_store([path, queue], tmp_path / "store")
    assert ("raise num_parallel_workers" in texts(cpu(tmp_path / "store"))) == is_advised


@pytest.mark.parametrize(("runnable", "words"), [(9, "9.0 processes want 8 processors: lower"), (7, "fewer threads")])
def test_much_system_time_asks_for_fewer_threads(runnable: int, words: str, tmp_path: Path) -> None:
    machine = {"sys_utilization": [30], "idle_utilization": [60], "runable_process": [runnable]}
    assert words in texts(cpu(write(tmp_path, {"cpu_processor_num": 8, "device_info": machine})))


def test_other_processes_are_seen_beside_the_own(tmp_path: Path) -> None:
    content = {
        "device_info": {"user_utilization": [50, 60], "sys_utilization": [10, 10], "idle_utilization": [40, 30]},
        "process_info": {"user_utilization": [20, 20], "sys_utilization": [5, 5]},
    }
    assert "Other processes take 40 % of all processors" in texts(cpu(write(tmp_path, content)))


HOSTILE: dict[str, Any] = {
    "lists of several lengths": {"device_info": {"user_utilization": [1, 2], "idle_utilization": [3]}},
    "no lists": {"device_info": {"user_utilization": [], "idle_utilization": None}},
    "wrong values": {"device_info": {"user_utilization": [1, "x", -1], "idle_utilization": [90, 90, 90]}},
    "wrong operations": {
        "op_info": [
            {"op_id": 1, "metrics": {"user_utilization": [1, "x"], "sys_utilization": [1e300]}},
            {"op_id": 1, "metrics": {"user_utilization": [1]}},
            {"op_id": -1, "metrics": {"user_utilization": [1]}},
            {"op_id": "x", "metrics": None},
        ]
    },
}
NOTED = {"wrong values": "2 values could not be read", "wrong operations": "3 values could not be read"}


@pytest.mark.parametrize("case", HOSTILE)
def test_what_cannot_be_read_is_counted(case: str, tmp_path: Path) -> None:
    answer = cpu(write(tmp_path, {"sampling_interval": 1000, **HOSTILE[case]}))
    assert ("could not be read" in texts(answer)) == (case in NOTED)
    assert NOTED.get(case, "") in texts(answer)
    if case == "lists of several lengths":
        assert column(answer, "cpu_means", "mean") == [0.015, 0.03]


def test_tiny_exponents_take_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "minddata_cpu_utilization_0.json"
    path.write_text('{"op_info": [{"op_id": 1, "metrics": {"user_utilization": [1e-999999999, 1e999999999]}}]}')
    build_store([path], tmp_path / "store")
    assert "1 value could not be read" in texts(cpu(tmp_path / "store"))


def test_a_second_file_of_a_rank_is_left_out_and_named(tmp_path: Path) -> None:
    for folder, user in (("a", 10), ("b", 90)):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / "minddata_cpu_utilization_0.json"
        path.write_text(json.dumps({"sampling_interval": 10, "device_info": {"user_utilization": [user]}}))
    build_store(sorted(tmp_path.rglob("*.json")), tmp_path / "store")
    answer = cpu(tmp_path / "store")
    assert column(answer, "cpu_means", "mean") == [0.1]
    assert "1 file is left out, as another of the same rank comes first: minddata_cpu_utiliz" in texts(answer)


def test_the_greatest_count_is_drawn(tmp_path: Path) -> None:
    answer = cpu(write(tmp_path, {"device_info": {"context_switch_count": [1, (1 << 63) - 1, 2]}}))
    (chart,) = answer.series
    assert list(values_of(chart.ys[0])) == [1, float((1 << 63) - 1), 2]


def test_many_samples_take_little_work(tmp_path: Path) -> None:
    """Function calls, which are the same on any machine: adding fractions one by one takes more than 60 a cell."""
    count = 4000
    samples = [(37 * number % 9973) / 100 for number in range(count)]
    names = ("user_utilization", "sys_utilization", "idle_utilization")
    store = write(tmp_path, {"device_info": dict.fromkeys(names, samples), "process_info": {names[0]: samples}})
    calls = 0

    def on_event(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(on_event)
    try:
        cpu(store)
    finally:
        sys.setprofile(None)
    assert calls < 50 * 4 * count


def test_why_there_is_no_answer(tmp_path: Path) -> None:
    build_store([corpus_path("ascend/profiler/flops_0.txt")], tmp_path / "store")
    with closing(open_run_store(tmp_path / "store")) as store:
        assert "Profiler(data_process=True)" in why_not(tool("cpu"), Scope(QueryReader(store)))


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 1 << 64), st.floats(), st.text(max_size=3)),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=6,
)
MEMBERS = st.sampled_from(
    ["user_utilization", "sys_utilization", "idle_utilization", "runable_processes", "op_id", "metrics"]
)
OBJECTS = st.dictionaries(MEMBERS, VALUES)


@given(machine=OBJECTS, process=OBJECTS, operations=st.lists(OBJECTS, max_size=3), interval=VALUES)
@example(machine={}, process={}, operations=[], interval="ph")  # no member of a trace event, but a value
def test_any_json_has_an_answer(machine: Any, process: Any, operations: Any, interval: Any) -> None:
    content = {
        "sampling_interval": interval,
        "device_info": machine,
        "process_info": process,
        "op_info": operations,
    }
    with TemporaryDirectory() as folder:
        answer = cpu(write(Path(folder), content))
    named = [name for name in ("user_utilization", "sys_utilization", "idle_utilization") if name in machine]
    assert sum(part == "machine" for part in column(answer, "cpu_means", "part")) <= len(named)
