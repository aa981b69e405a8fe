"""What kind of work operations are, by what formats say of them; and which tracks are those of devices."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.corpus import corpus_path
from tests.device_trace import HOST, DeviceTrace
from tests.example import Example
from tests.reports.traces import answer, rows
from tests.tiler.query.conftest import _many_histograms, example
from tests.tiler.tools.conftest import devices
from tests.tpu_trace import Instruction, Run, plane, write_trace
from tilescope.tiler.facts import Work, devices_of
from tilescope.tiler.facts.work import classifier, work_of
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import Name, QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.verify import verify_store
from tilescope.tiler.work_rules import NO_WORK_RULES

__all__ = ["_many_histograms", "devices", "example"]

NONE, COMPUTATION, COMMUNICATION, COPY, CONTROL, *_ = Work
RULES: Final = classifier(NO_WORK_RULES)
xla_operation, gpu_stream = RULES.xla_operation, RULES.gpu_stream
pytorch_event, ascend_stream = RULES.pytorch_event, RULES.ascend_stream


@pytest.mark.parametrize(
    ("rule", "text", "category", "work"),
    [
        (xla_operation, "fusion.3", "convolution fusion", COMPUTATION),
        (xla_operation, "fusion.4", "all-reduce fusion", COMMUNICATION),
        (xla_operation, "all-gather-start.3", "", COMMUNICATION),
        (xla_operation, "reduce-scatter.1", "", COMMUNICATION),
        (xla_operation, "ragged-all-to-all.1", "", COMMUNICATION),
        (xla_operation, "reduce.1", "", COMPUTATION),
        (xla_operation, "send-done.1", "", COMMUNICATION),
        (xla_operation, "fusion.9", "host send", COPY),
        (xla_operation, "infeed.1", "infeed", COPY),
        (xla_operation, "copy-done.4", "", COPY),
        (xla_operation, "async-copy", "copy-start", COPY),
        (xla_operation, "copy.4", "data formatting", COMPUTATION),
        (xla_operation, "copy.4", "", COMPUTATION),
        (xla_operation, "while.2", "while", CONTROL),
        (xla_operation, "call.2", "", CONTROL),
        (xla_operation, "call_custom.2", "", COMPUTATION),
        (gpu_stream, "MemcpyH2D", "", COPY),
        (gpu_stream, "Memset", "", COMPUTATION),
        (gpu_stream, "ncclDevKernel_AllGather_RING_LL", "", COMMUNICATION),
        (gpu_stream, "__amd_rocclr_copyBuffer.kd", "", COMPUTATION),
        (pytorch_event, "ncclKernel_AllReduce", "kernel", COMMUNICATION),
        (pytorch_event, "void cross_device_all_reduce_kernel", "kernel", COMMUNICATION),
        (pytorch_event, "nccl:all_reduce", "user_annotation", NONE),
        (pytorch_event, "gemm", "Kernel", COMPUTATION),
        (pytorch_event, "Memcpy DtoD", "gpu_memcpy", COPY),
        (pytorch_event, "Memcpy DtoD", "Memcpy", COPY),
        (pytorch_event, "Memset (Device)", "gpu_memset", COMPUTATION),
        (pytorch_event, "aten::add", "cpu_op", NONE),
        (pytorch_event, "pe_exe", "mtia_ccp_events", COMPUTATION),
        (pytorch_event, "merge", "mtia_ccp_events", COMPUTATION),
        (pytorch_event, "dma_request", "mtia_ccp_events", COPY),
        (pytorch_event, "event_wait", "mtia_ccp_events", NONE),
        (pytorch_event, "event_record", "mtia_ccp_events", NONE),
        (ascend_stream, "MEMCPY_ASYNC", "", COPY),
        (ascend_stream, "SDMA_SQE", "SDMA_SQE", COPY),
        (ascend_stream, "Default/Conv2D-op1", "MEMCPY_ASYNC", COPY),
        (ascend_stream, "MEMCPY_ASYNC", "AI_CORE", COMPUTATION),
        (ascend_stream, "Default/DropoutGenMask-op1", "DSA_SQE", COMPUTATION),
        (ascend_stream, "allreduceAicpuKernel", "AI_CPU", COMMUNICATION),
        (ascend_stream, "Broadcast", "HCCL", COMMUNICATION),
        (ascend_stream, "NOTIFY_WAIT", "NOTIFY_WAIT", NONE),
        (ascend_stream, "MEMCPY_ASYNC", "Other", COPY),
        (ascend_stream, "aclnnMm", "Other", COMPUTATION),
        (ascend_stream, "REDUCE_ASYNC_V2", "", NONE),
        (ascend_stream, "Default/network/Conv2D-op1", "", COMPUTATION),
    ],
)
def test_kinds_of_work(rule: Callable[[Name], int], text: str, category: str, work: Work) -> None:
    assert work_of(rule(Name(text, category))) is work


def test_devices_of_a_pytorch_trace(devices: DeviceTrace, example: Example) -> None:
    found = finish(devices_of(devices.reader))
    assert [(device.name, len(device.tracks), device.beside) for device in found] == [
        ("GPU 0", 2, ()),
        ("GPU 1", 3, ()),
    ]
    assert devices.track(HOST, 1) not in found[0].track_ids | found[1].track_ids
    assert finish(devices_of(devices.reader)) is found
    assert finish(devices_of(example.reader)) == []


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("xplane/tpu_v6e_4core.xplane.pb", {"XLA Ops", "Async XLA Ops"}),
        ("xplane/gpu_mi300x8_conv.xplane.pb", {"Stream"}),
        ("ascend/msprof_0_2_10.json", {"Stream", "Communication Kernel"}),
        ("kineto/mtia_inference_rank_0.json.gz", {"Stream"}),
        ("ascend/timeline_display_1.json", {"Stream"}),
        ("xplane/jax_cpu_10steps.xplane.pb", set()),
    ],
)
def test_devices_of_real_traces(name: str, wanted: set[str], tmp_path: Path) -> None:
    build_store([corpus_path(name)], tmp_path / "real.store")
    reader = QueryReader(open_run_store(tmp_path / "real.store"))
    found = finish(devices_of(reader))
    tracks = [reader.tree.tracks[of.track].name for device in found for of in (*device.tracks, *device.beside)]
    assert {"Stream" if track.startswith("Stream") else track for track in tracks} == wanted


def test_operations_of_one_name_are_what_their_own_metadata_says(tmp_path: Path) -> None:
    """Programs of one core may share names: `fusion.1` computes in the one and communicates in the other."""
    instructions = [
        Instruction("fusion.1", {"hlo_category": "loop fusion"}),
        Instruction("fusion.1", {"hlo_category": "all-reduce fusion"}),
        Instruction("fusion.1"),
    ]
    runs = [Run(0, 0, 10), Run(1, 10, 200), Run(2, 300, 3)]
    path = write_trace(tmp_path / "t.xplane.pb", [plane("/device:TPU:0", instructions, {"XLA Ops": runs})])
    build_store([path], tmp_path / "store")
    reader = QueryReader(open_run_store(tmp_path / "store"))
    (device,) = finish(devices_of(reader))
    names = [reader.names[name] for name in range(reader.names.count)]
    assert names == [Name("fusion.1", of) for of in ("loop fusion", "all-reduce fusion", "")]
    assert device.tracks[0].kinds.tolist() == [COMPUTATION, COMPUTATION, COMMUNICATION, COMPUTATION]
    overlap = {fact.id: fact.value for fact in answer(reader, "overlap").facts}
    assert (overlap["exposed_communication"], overlap["busy"]) == (200, 213)
    table = rows(answer(reader, "stats", by="category"), "names")
    assert {row["category"]: (row["count"], row["busy"]) for row in table} == {
        "loop fusion": (1, 10),
        "all-reduce fusion": (1, 200),
        "": (1, 3),
    }
    verify_store(tmp_path / "store")
