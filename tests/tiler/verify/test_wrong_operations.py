"""Operations that are other ones than the events' arguments say are noticed, whichever column is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgpack
import numpy as np
import pytest
from msgspec import structs

from tests.tiler.verify.altered_store import AlteredStore
from tests.tpu_trace import Instruction, Run, plane, write_trace
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.facts.operations.track_records import whole_sums
from tilescope.tiler.indexing import build_store
from tilescope.tiler.pages import compress, decompress
from tilescope.tiler.query import QueryReader
from tilescope.tiler.records.arguments import ARGUMENT_TABLES
from tilescope.tiler.records.device.operation_sums import OPERATION_SUMS, OperationSums
from tilescope.tiler.records.device.operations import KINDS, OPERATIONS, Operations, TrackKinds
from tilescope.tiler.store import open_run_store
from tilescope.tiler.verify import verify_store
from tilescope.tiler.windows import Windows

RUNS = [Run(0, 0, 50, (7, 50)), *(Run(1, 3 * k, 2, (7 + 3 * k, 2), k) for k in range(1, 12))]


@pytest.fixture
def tpu(tmp_path: Path) -> AlteredStore:
    instructions = [Instruction(f"op.{k}", {"program_id": 7, "symbol_id": k + 1}) for k in range(3)]
    lines = {"XLA Ops": RUNS, "Steps": [Run(2, 0, 60)], "Overlay": [Run(2, 1, 1)]}
    write_trace(tmp_path / "t.xplane.pb", [plane("/device:TPU:0", instructions, lines), plane("/host:CPU", [], {})])
    build_store([tmp_path / "t.xplane.pb"], tmp_path / "store")
    return AlteredStore(tmp_path / "store")


def record(store: AlteredStore) -> tuple[bytes, int, Operations]:
    """Of the line of operations, which has the most."""
    key, value = max(store.records(b"X").items(), key=lambda record: len(decompress(record[1])))
    track = int.from_bytes(key[1:5], "big")
    return key, track, Operations.decode(decompress(value), track)


def test_all_lines_of_work_and_no_others(tpu: AlteredStore) -> None:
    assert verify_store(tpu.path).operations == len(RUNS) + 1
    assert len(tpu.records(b"K")) == 2


@pytest.mark.parametrize("column", ["kind", "parent", "duration"])
@pytest.mark.parametrize("more", [1, -1, 1 << 40])
def test_a_wrong_value(tpu: AlteredStore, column: str, more: int) -> None:
    key, track, operations = record(tpu)
    values = getattr(operations, column).copy()
    values[2] += more
    wrong = structs.replace(operations, **{column: values})
    with (
        tpu.replaced({key: compress(wrong.encode(track))}),
        pytest.raises(DamagedStore, match=r"'XLA Ops'.*: operations from event 0 on are other ones"),
    ):
        verify_store(tpu.path)


def test_a_wrong_number(tpu: AlteredStore) -> None:
    key, track, operations = record(tpu)
    stalls = operations.numbers["dma_stall_duration_ps"].copy()
    stalls[0] += 1
    for numbers in ({"dma_stall_duration_ps": stalls}, {}, {**operations.numbers, "flops": stalls}):
        wrong = structs.replace(operations, numbers=numbers)
        with tpu.replaced({key: compress(wrong.encode(track))}), pytest.raises(DamagedStore, match="other ones"):
            verify_store(tpu.path)


@pytest.mark.parametrize("told", [[], [0], [0, 1 << 40], [-1, 3], [3, 3], [4, 3]])
def test_numbers_of_operations_that_there_are_not(tpu: AlteredStore, told: list[int]) -> None:
    key, track, operations = record(tpu)
    numbers = {"dma_stall_duration_ps": np.full(2, 7, np.int64)}
    wrong = structs.replace(operations, told=np.array(told, np.int64), numbers=numbers)
    with tpu.replaced({key: compress(wrong.encode(track))}), pytest.raises(DamagedStore, match="are damaged"):
        verify_store(tpu.path)


def test_numbers_of_some_operations(tpu: AlteredStore) -> None:
    _, _, operations = record(tpu)
    stalls = operations.numbers["dma_stall_duration_ps"]
    places = np.arange(len(operations))
    found = operations.number("dma_stall_duration_ps", places)
    assert found[operations.told].tolist() == stalls.tolist()
    assert (np.delete(found, operations.told) == -1).all()
    assert operations.number("flops", places[::-1]).tolist() == [-1] * len(operations)


def test_records_that_are_missing_or_too_many(tpu: AlteredStore) -> None:
    key, track, operations = record(tpu)
    with tpu.replaced({key: None}), pytest.raises(DamagedStore, match="operations from event 0 on are missing"):
        verify_store(tpu.path)
    again = {OPERATIONS.key(track, len(operations)): compress(operations.encode(track))}
    with tpu.replaced(again), pytest.raises(DamagedStore, match="should not be there"):
        verify_store(tpu.path)
    with tpu.replaced({KINDS.key(track): None}), pytest.raises(DamagedStore, match="kinds of its operations"):
        verify_store(tpu.path)
    value = tpu.records(b"K")[KINDS.key(track)]
    with tpu.replaced({KINDS.key(4): value}), pytest.raises(DamagedStore, match="should not be there"):
        verify_store(tpu.path)


@pytest.mark.parametrize("data", [b"spam", b"\x81\xa5kinds\x01", b"\xc1"])
def test_damaged_records(tpu: AlteredStore, data: bytes) -> None:
    key, track, _ = record(tpu)
    for of in (key, KINDS.key(track)):
        with tpu.replaced({of: compress(data)}), pytest.raises(DamagedStore, match=r"'XLA Ops'"):
            verify_store(tpu.path)


@pytest.mark.parametrize("changed", ["first_ps", "last_ps", "start", "last_start", "stop", "is_cut", "kinds"])
def test_kinds_that_are_others(tpu: AlteredStore, changed: str) -> None:
    _, track, _ = record(tpu)
    kinds = TrackKinds.decode(decompress(tpu.records(b"K")[KINDS.key(track)]))
    value: Any = getattr(kinds, changed)
    others: dict[str, Any] = {"is_cut": True, "kinds": kinds.kinds[:1]}
    wrong: Any = others[changed] if changed in others else value + 1
    altered = structs.replace(kinds, **{changed: wrong})
    with (
        tpu.replaced({KINDS.key(track): compress(altered.encode())}),
        pytest.raises(DamagedStore, match="kinds of its operations are other ones"),
    ):
        verify_store(tpu.path)


def test_kinds_without_records(tpu: AlteredStore) -> None:
    _, track, _ = record(tpu)
    kinds = TrackKinds.decode(decompress(tpu.records(b"K")[KINDS.key(track)]))
    none = {name: getattr(kinds, name)[:0] for name in ("start", "last_start", "stop", "busy")}
    with tpu.replaced({KINDS.key(track): compress(structs.replace(kinds, **none).encode())}):
        with pytest.raises(DamagedStore, match="without records"):
            verify_store(tpu.path)
        reader = QueryReader(open_run_store(tpu.path))
        with pytest.raises(DamagedStore, match="without records"):
            whole_sums(reader, track, Windows.single(0, reader.end))


def test_metadata_that_is_like_other_than_it_was(tpu: AlteredStore) -> None:
    key = ARGUMENT_TABLES.key(0)
    head = msgpack.unpackb(decompress(tpu.records(b"A")[key]), strict_map_key=False)
    alike = np.cumsum(np.frombuffer(head["alike"], "<i4"), dtype="<i4")
    assert alike.tolist() == list(range(len(alike)))
    alike[-1] = 0
    wrong = {key: compress(msgpack.packb({**head, "alike": np.diff(alike, prepend=np.int32(0)).tobytes()}))}
    with tpu.replaced(wrong), pytest.raises(DamagedStore, match="tables of arguments of file 0 are damaged"):
        verify_store(tpu.path)


def test_sums_that_are_missing_or_of_nothing(tpu: AlteredStore) -> None:
    key, value = next(iter(tpu.records(b"Y").items()))
    with tpu.replaced({key: None}), pytest.raises(DamagedStore, match=r"sums of operations of track \d+ are missing"):
        verify_store(tpu.path)
    with tpu.replaced({OPERATION_SUMS.key(4): value}), pytest.raises(DamagedStore, match="should not be there"):
        verify_store(tpu.path)


@pytest.mark.parametrize("changed", ["count", "total", "inner", "longest", "longest_at", "alone", "busy_ticks"])
def test_sums_that_are_others(tpu: AlteredStore, changed: str) -> None:
    key, value = next(iter(tpu.records(b"Y").items()))
    track = int.from_bytes(key[1:], "big")
    sums = OperationSums.decode(decompress(value), track)
    altered = structs.replace(sums, **{changed: getattr(sums, changed) + 1})
    with (
        tpu.replaced({key: compress(altered.encode(track))}),
        pytest.raises(DamagedStore, match="are other ones than its operations say"),
    ):
        verify_store(tpu.path)
