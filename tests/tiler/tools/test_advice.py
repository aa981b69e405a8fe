"""No answer advises to record what its trace has: of all tools, on traces with programs and devices and without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tests.gpu_trace import Kernel, gpu_plane
from tests.hlo_protos import hlo_plane, small_program, write_space
from tests.tpu_trace import Instruction, Run, plane
from tilescope.tiler.errors import NotAvailable, UsageError
from tilescope.tiler.facts import devices_of
from tilescope.tiler.facts.hlo.programs import programs_of
from tilescope.tiler.facts.kernels import has_kernels
from tilescope.tiler.facts.operations import gpu_devices, tpu_cores
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Scope, ask, from_values, tool, tools

pytestmark = pytest.mark.slow

FILES = [
    "xplane/tpu_v6e_4core.xplane.pb",
    "xplane/gpu_mi300x8_conv.xplane.pb",
    "xplane/gpu_v100x8_bert.xplane.pb",
    "xplane/h100_jax_train.xplane.pb",
    "xplane/jax_cpu_10steps.xplane.pb",
    "kineto/resnet50_workers4.pt.trace.json.gz",
]
ABOUT_DEVICES = ["gaps", "overlap", "overview", "op_profile", "hlo_stats", "framework_ops", "kernels", "roofline"]


def said(reader: QueryReader, tool_id: str, **question: Any) -> str:
    """All texts of an answer, or why there is none."""
    try:
        answer = finish(ask(tool(tool_id), Scope(reader), from_values(tool(tool_id).question, question)))
    except (NotAvailable, UsageError) as error:
        return str(error)
    headline = [] if answer.headline is None else [answer.headline]
    return "\n".join([*(note.text for note in (*headline, *answer.notes)), *(fact.note for fact in answer.facts)])


def answers(reader: QueryReader) -> Iterator[tuple[str, str]]:
    """What each tool says of the run, of a moment in which nothing happens, and of one track."""
    for known in tools().values():
        if not any(field in known.question.__struct_fields__ for field in ("query", "text", "track")):
            yield known.id, said(reader, known.id)
    first = next((number for number, of in enumerate(reader.tree.tracks) if of.busy != 0), None)
    for tool_id in ABOUT_DEVICES:
        yield tool_id, said(reader, tool_id, start=0, end=1)
        for track in (first, len(reader.tree.tracks) - 1):
            if track is not None:
                yield tool_id, said(reader, tool_id, tracks=[track])


def check(reader: QueryReader) -> None:
    untrue = {
        "record with HLO protos on": bool(programs_of(reader)),
        "has no HLO protos": bool(programs_of(reader)),
        "the trace has no program": bool(programs_of(reader)),
        "record a program that runs on such devices": bool(tpu_cores(reader) or gpu_devices(reader)),
        "record with the device's activities on": bool(finish(devices_of(reader))),
        "record with the GPU's tracer on": has_kernels(reader) or bool(gpu_devices(reader)),
        "the trace marks no steps": bool(reader.steps.series),
    }
    for tool_id, text in answers(reader):
        for advice, is_there in untrue.items():
            assert not is_there or advice not in text, f"{tool_id}: {text}"


@pytest.fixture
def open_trace(tmp_path: Path) -> Iterator[Any]:
    stores = []

    def opened(path: Path) -> QueryReader:
        build_store([path], tmp_path / "store")
        stores.append(open_run_store(tmp_path / "store"))
        return QueryReader(stores[-1])

    yield opened
    for store in stores:
        store.close()


@pytest.mark.parametrize("name", FILES)
def test_of_real_traces(open_trace: Any, name: str) -> None:
    check(open_trace(corpus_path(name)))


DEVICES = {
    "tpu": plane(
        "/device:TPU:0", [Instruction("fusion.1", {"program_id": 7, "symbol_id": 1})], {"XLA Ops": [Run(0, 0, 1000)]}
    ),
    "gpu": gpu_plane(0, {"Stream #1": [Kernel("gemm", 0, 1000)]}),
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("has_protos", [True, False])
def test_what_is_said_of_costs(open_trace: Any, tmp_path: Path, device: str, *, has_protos: bool) -> None:
    """HLO protos are advised where there are none; where they are of another program than what runs, that is said."""
    protos = [hlo_plane({"jit_other(9)": small_program()})] if has_protos else []
    reader = open_trace(write_space(tmp_path / "t.xplane.pb", DEVICES[device], *protos))
    check(reader)
    text = said(reader, "roofline")
    assert ("they belong to none of the programs of which the trace has HLO protos" in text) == has_protos
    assert ("it has no HLO protos" in text) != has_protos
