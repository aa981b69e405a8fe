"""Operators around launches: those that PyTorch itself says by `External id`, kernel for kernel."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from bench.kineto_run import KinetoShape, write_job
from tests.corpus import corpus_path
from tests.reports.traces import answer, rows
from tests.tiler.facts.launches.test_step_work import reading
from tilescope.tiler.facts.devices import devices_of
from tilescope.tiler.facts.launches.frames import StreamFrames
from tilescope.tiler.facts.stacks.chains import FrameChains
from tilescope.tiler.query import EVERYTHING, ArgumentReader, QueryReader, Reading, finish

EXTERNAL = "External id"


def operators_by_external_id(path: Path) -> dict[int, str]:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    events = json.loads(text)["traceEvents"]
    return {event["args"][EXTERNAL]: event["name"] for event in events if event.get("cat") == "cpu_op"}


def owners(reader: QueryReader) -> list[tuple[str, int]]:
    """The innermost operator around the launch of each kernel and copy, and its External id."""
    pairs = []
    for device in finish(devices_of(reader)):
        for work in device.tracks:
            chains = FrameChains()
            frames = StreamFrames(reader, work.track, chains)
            plan = reader.plan(work.track, EVERYTHING)
            for events in Reading(reader).events_and_outliers(plan, plan.leaf_runs):
                worked = events.take(work.kinds[events.name + 1] != 0)
                worked = worked.take(np.argsort(worked.ordinal))
                numbers = finish(frames.behind(worked.ordinal)).tolist()
                listed = chains.listed()
                names = [reader.names[listed[number][-1]].text if number else "" for number in numbers]
                for batch in ArgumentReader(reader.store).values(work.track, worked.ordinal, (EXTERNAL,)):
                    (values,) = batch.values
                    pairs += [
                        (names[row], int(str(values.value(place))))
                        for place, row in enumerate(np.arange(len(names))[batch.which].tolist())
                    ]
    return pairs


def test_owners_by_launch_are_those_by_external_id(tmp_path: Path) -> None:
    path = corpus_path("kineto/h100_gpt_stack.pt.trace.json.gz")
    by_id = operators_by_external_id(path)
    with reading(path, tmp_path) as reader:
        pairs = owners(reader)
    assert len(pairs) == 1728
    assert [pair for pair in pairs if pair[0] != by_id[pair[1]]] == []


def test_owners_of_a_synthetic_run_are_those_by_external_id(tmp_path: Path) -> None:
    write_job(tmp_path / "traces", KinetoShape(ranks=1, hosts=1, slow_rank=-1, cycles=1))
    (path,) = (tmp_path / "traces").iterdir()
    by_id = operators_by_external_id(path)
    with reading(path, tmp_path) as reader:
        pairs = owners(reader)
    assert {operator for operator, number in pairs if number not in by_id} == {"", "record_param_comms"}
    assert all(operator == by_id[number] for operator, number in pairs if number in by_id)


@pytest.mark.parametrize(
    ("operator", "figures"),
    [
        ("aten::mm", (200, None, 9_552_710, 2_992_562)),
        ("aten::copy_", (600, None, 10_493_523, 3_066_346)),
        ("aten::_to_copy", (564, None, 4_317_850, 0)),
        ("aten::native_layer_norm_backward", (48, 2_781_741, 1_866_575, 1_057_009)),
    ],
)
def test_operators_of_a_real_trace(tmp_path: Path, operator: str, figures: tuple[int, int | None, int, int]) -> None:
    with reading(corpus_path("kineto/h100_gpt_stack.pt.trace.json.gz"), tmp_path) as reader:
        table = [row for row in rows(answer(reader, "framework_ops"), "host") if row["count"]]
        kernels = rows(answer(reader, "kernels", limit=10_000), "kernels")
    assert (sum(row["count"] for row in table), len(table)) == (10_264, 91)
    row = next(row for row in table if row["name"] == operator)
    total = row["total"] if figures[1] is not None else None
    assert (row["count"], total, row["self"], row["device_self"]) == figures
    own = sum(row["total"] for row in kernels if row["operation"] == operator)
    assert own <= figures[3]
    if operator == "aten::_to_copy":
        assert row["device_total"] == 2_552_963
    if operator == "aten::native_layer_norm_backward":
        assert (row["kernels"], own) == (96, figures[3])
