"""Tables of operations: sums of all of them are columns, and a row is made of those alone that are looked at."""

from __future__ import annotations

import random
from dataclasses import asdict
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from bench.pod_run import PodShape, write_pod
from tests.tiler.store.reads import answer_with
from tests.tpu_trace import Instruction, Run, in_order, plane, write_trace
from tilescope.tiler.facts import metadata_codes as metadata_codes_module
from tilescope.tiler.facts.metadata_codes import metadata_codes
from tilescope.tiler.facts.operations import OpTable, op_table, tpu_cores, xla_instructions
from tilescope.tiler.facts.operations.exact_columns import exact, products, sum_of
from tilescope.tiler.facts.operations.framework import framework_operations, longest_framework_operations
from tilescope.tiler.facts.operations.operation import OpColumns
from tilescope.tiler.facts.operations.operation_table import OpRows
from tilescope.tiler.facts.operations.rates import program
from tilescope.tiler.facts.operations.tpu_source import TpuSource
from tilescope.tiler.facts.operations.track_records import OperationRecords
from tilescope.tiler.facts.operations.xla_instructions import instruction_places
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.records.device.step_sums import STEP_SUMS
from tilescope.tiler.store import open_run_store
from tilescope.tiler.windows import Windows, everywhere

pytestmark = pytest.mark.slow


def test_columns_say_what_rows_say_and_rows_are_made_when_asked_for(tmp_path: Path) -> None:
    build_store([Path(path) for path in write_pod(tmp_path / "pod", PodShape()).files], tmp_path / "store")
    reader = QueryReader(open_run_store(tmp_path / "store"))
    for start, stop in ((0, reader.end + 1), (reader.end // 3, reader.end // 2)):
        table = finish(op_table(reader, tpu_cores(reader), everywhere(Windows.one(start, stop))))
        with patch.object(OpRows, "_rows", side_effect=AssertionError("a row is made")):
            columns, order = table.columns, table.columns.by_time()
            assert table.busy == sum_of(columns.own) > 0
            assert len(order) > 10
        rows = list(table.operations)
        of_rows = OpColumns.from_operations(rows)
        for name in ("count", "total", "own", "flops", "model_flops", "bytes", "known_hbm", "rank"):
            assert len(rows) == len(getattr(columns, name))
            if name != "rank":  # of all instructions there, of those in the windows here
                assert getattr(columns, name).tolist() == getattr(of_rows, name).tolist(), name
        for name in ("tells_flops", "tells_bytes", "tells_memory"):
            assert getattr(columns, name).tolist() == getattr(of_rows, name).tolist(), name
        assert [columns.categories[of] for of in columns.category] == [of.metadata.category for of in rows]
        by_hand = sorted(rows, key=lambda of: (-of.own, of.metadata.program, of.metadata.symbol))
        assert [rows[place] for place in order] == by_hand
        assert [asdict(table.operations[-1])] == [asdict(of) for of in table.operations[-1:]]
        assert table.operations[0] is rows[0]
        of_list = OpTable(rows, table.span, table.cores, table.tracks)
        for with_feeds in (True, False):
            assert program(table, with_feeds=with_feeds) == program(of_list, with_feeds=with_feeds)


@pytest.mark.parametrize("seed", range(12))
def test_any_window_is_the_same_by_programs_and_in_the_table(tmp_path: Path, seed: int) -> None:
    """On the device some operations lie in others beside which their events stand."""
    rng = random.Random(seed)
    stats: list[dict[str, int | str]] = [
        {"program_id": 7, "symbol_id": 1, "hlo_category": "fusion"},
        {"program_id": 7, "symbol_id": 2, "hlo_category": "infeed"},
    ]
    runs, at = [], 0
    for _ in range(3):
        length = rng.randrange(9)
        runs.append(Run(rng.randrange(2), at, length, (at, length * rng.choice((1, 2)))))
        if length > 4 and rng.random() < 0.6:
            runs.append(Run(rng.randrange(2), at + 1, length - 3, (at + 1, length - 3)))
        at += length + rng.randrange(3)
    instructions = [Instruction(f"op.{at}", its) for at, its in enumerate(stats)]
    core = plane("/device:TPU:0", instructions, {"XLA Ops": in_order(runs)})
    build_store([write_trace(tmp_path / "t.xplane.pb", [core])], tmp_path / "store")
    reader = QueryReader(open_run_store(tmp_path / "store"))
    cores = tpu_cores(reader)
    for start, stop in ((a, b) for a in range(at) for b in range(a + 1, at + 1)):
        windows = everywhere(Windows.one(start, stop))
        table = finish(op_table(reader, cores, windows))
        (sums,) = finish(TpuSource().programs(reader, cores, [windows], with_feeds=False))
        of_table = program(table, with_feeds=False) if table.operations else None
        assert (sums and sums.total) == (of_table and of_table.total), (start, stop)
        assert table.idle >= 0, (start, stop)


def test_programs_in_many_windows_are_those_of_the_table_of_each(tmp_path: Path) -> None:
    rng = random.Random(5)
    instructions = [
        Instruction(
            f"op.{at}", {"program_id": 7, "symbol_id": at and at + 1, "flops": 10**at, "hlo_category": category}
        )
        for at, category in enumerate(("fusion", "infeed", "while", "custom-call", "custom-call", "fusion"))
    ]
    runs = [
        Run(rng.randrange(6), at, rng.randrange(30), (at, rng.randrange(40)), stats=(("flops", at),) if at % 3 else ())
        for at in range(0, 400, 5)
    ]
    write_trace(tmp_path / "t.xplane.pb", [plane("/device:TPU:0", instructions, {"XLA Ops": in_order(runs)})])
    pod = [Path(path) for path in write_pod(tmp_path / "pod", PodShape()).files]
    for number, files in enumerate(([tmp_path / "t.xplane.pb"], pod)):
        build_store(files, tmp_path / f"store{number}")
        reader = QueryReader(open_run_store(tmp_path / f"store{number}"))
        cores, end = tpu_cores(reader), reader.end
        cuts = [sorted(rng.randrange(end + 9) for _ in range(4)) for _ in range(12)]
        asked = [everywhere(Windows.of(of[::2], of[1::2])) for of in cuts]
        asked += [everywhere(Windows.one(0, end + 1)), everywhere(Windows.one(end + 5, end + 6)), asked[0]]
        for with_feeds in (True, False):
            found = finish(TpuSource().programs(reader, cores, asked, with_feeds=with_feeds))
            assert found[0] is found[-1]  # it is kept
            assert found[-2] is None
            for of, windows_of in zip(found, asked, strict=True):
                table = finish(op_table(reader, cores, windows_of))
                assert of == (program(table, with_feeds=with_feeds) if table.operations else None)


@pytest.mark.parametrize("says", [1, 3, 400])
def test_programs_in_whole_steps_are_those_of_the_table_of_these(tmp_path: Path, says: int) -> None:
    rng = random.Random(says)
    categories = ("fusion", "infeed", "while", "custom-call", "custom-call", "fusion")
    instructions = [
        Instruction(f"op.{at}", {"program_id": 7, "symbol_id": at + 1, "flops": 10**at, "hlo_category": category})
        for at, category in enumerate(categories)
    ]
    marks = [(0, 90), (90, 150), (150, 210), (230, 330), (335, 336), (340, 420)]
    steps = [Run(6 + at, start, stop - start) for at, (start, stop) in enumerate(marks)]
    instructions += [Instruction(str(at)) for at in range(len(marks))]
    planes = []
    for core in range(2):
        runs = [
            Run(
                rng.randrange(6),
                at,
                rng.randrange(9),
                (at, rng.randrange(9)),
                stats=(("flops", at),) if at % says else (),
            )
            for at in range(0, 400, 3)
        ]
        planes.append(plane(f"/device:TPU:{core}", instructions, {"Steps": steps, "XLA Ops": in_order(runs)}))
    write_trace(tmp_path / "t.xplane.pb", planes)
    build_store([tmp_path / "t.xplane.pb"], tmp_path / "store")
    reader = QueryReader(open_run_store(tmp_path / "store"))
    cores = tpu_cores(reader)
    some = [marks[at : at + 1] for at in range(4)] + [marks[:2], marks[:4], [*marks[1:2], *marks[3:4]]]
    asked = [everywhere(Windows.of(*zip(*of, strict=True))) for of in some]
    for with_feeds in (True, False):
        alone = QueryReader(open_run_store(tmp_path / "store"))
        with patch.object(OperationRecords, "count_in", side_effect=AssertionError("operations are read")):
            found = finish(TpuSource().programs(reader, cores, asked, with_feeds=with_feeds))
        with pytest.MonkeyPatch.context() as patched:
            answer_with(patched, alone.store, lambda _track: None, STEP_SUMS)
            assert found == finish(TpuSource().programs(alone, cores, asked, with_feeds=with_feeds))
        for of, windows_of in zip(found, asked, strict=True):
            assert of == program(finish(op_table(reader, cores, windows_of)), with_feeds=with_feeds)
        cut = [everywhere(Windows.one(*span)) for span in ((0, 91), (1, 90), (90, 230), (335, 336), (420, 500))]
        for of, windows_of in zip(
            finish(TpuSource().programs(reader, cores, cut, with_feeds=with_feeds)), cut, strict=True
        ):
            table = finish(op_table(reader, cores, windows_of))
            assert of == (program(table, with_feeds=with_feeds) if table.operations else None)


def test_sums_and_products_have_no_limit() -> None:
    large = exact([2**62, 2**62, 5])
    assert large.dtype == np.int64
    assert sum_of(large) == 2**63 + 5
    assert products(large, exact([3, 0, 7])).tolist() == [3 * 2**62, 0, 35]
    assert products(exact([3, 4]), exact([5, 6])).dtype == np.int64
    assert sum_of(exact([2**70, -1])) == 2**70 - 1
    assert sum_of(exact([])) == 0


def test_the_longest_operations_of_a_framework_are_those_of_all(tmp_path: Path) -> None:
    build_store([Path(path) for path in write_pod(tmp_path / "pod", PodShape()).files], tmp_path / "store")
    reader = QueryReader(open_run_store(tmp_path / "store"))
    table = finish(op_table(reader, tpu_cores(reader), everywhere(Windows.one(0, reader.end + 1))))
    every = sorted(framework_operations(list(table.operations)), key=lambda of: (-of.sums.own, of.name))
    assert len(every) > 5
    for limit in (0, 3, len(every) + 1):
        assert longest_framework_operations(table, limit) == every[:limit]
    rows = OpTable(list(table.operations), table.span, table.cores, table.tracks)
    assert longest_framework_operations(rows, 3) == every[:3]


def test_what_hosts_say_alike_of_an_instruction_is_read_once(tmp_path: Path) -> None:
    build_store([Path(path) for path in write_pod(tmp_path / "pod", PodShape()).files], tmp_path / "store")
    reader = QueryReader(open_run_store(tmp_path / "store"))
    every = everywhere(Windows.one(0, reader.end + 1))
    table = finish(op_table(reader, tpu_cores(reader), every))
    assert len(instruction_places(reader)) == len(table.operations)  # of three hosts
    rows = metadata_codes(reader).matrix
    assert len(np.unique(rows, axis=0)) == len(rows)
    alone = QueryReader(open_run_store(tmp_path / "store"))
    for core in tpu_cores(alone):
        of_one = finish(op_table(QueryReader(open_run_store(tmp_path / "store")), [core], every))
        assert {of.metadata for of in of_one.operations} <= {of.metadata for of in table.operations}


def test_a_cached_table_keeps_the_instructions_that_it_holds(tmp_path: Path) -> None:
    build_store([Path(path) for path in write_pod(tmp_path / "pod", PodShape()).files], tmp_path / "store")
    reader = QueryReader(open_run_store(tmp_path / "store"))
    source, whole = TpuSource(), everywhere(Windows.one(0, reader.end + 1))
    table = finish(source.table(reader, source.devices(reader), whole))
    assert isinstance(table.operations, OpRows)
    instructions = table.operations.instructions
    for cache in (xla_instructions._PLACES, metadata_codes_module._CODES):
        cache.clear()
    assert finish(source.table(reader, source.devices(reader), whole)) is table
    assert instruction_places(reader) is instructions
    assert metadata_codes(reader) is instructions.codes
    metadata_codes_module._CODES.clear()
    assert instruction_places(reader).codes is metadata_codes(reader)
