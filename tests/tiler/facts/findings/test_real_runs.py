"""The first finding of real traces, which people have read as well."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.corpus import corpus_path
from tests.tiler.facts.findings.answers import reading
from tilescope.tiler.query import finish
from tilescope.tiler.readers import find_run
from tilescope.tiler.tools import Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of

RUNS = {
    "kineto/h100_gpt_stack.pt.trace.json.gz": ("launch", ""),
    "kineto/h100_two_ranks": ("collective", "gloo"),
    "kineto/nccl_data.json.gz": ("launch", ""),
    "kineto/ns_resolution.pt.trace.json.gz": ("none", ""),
    "xplane/gpu_v100x8_bert.xplane.pb": ("idle_devices", ""),
    "xplane/h100_jax_train.xplane.pb": ("input", ""),
    "xplane/jax_cpu_10steps.xplane.pb": ("host_only", ""),
    "xplane/tpu_v6e_4core.xplane.pb": ("copy", ""),
    "ascend/msprof_0_2_10.json": ("unclear", ""),
    "pod": ("input", "tpu-pod-w-2"),
}


def first_row(path: Path, folder: Path) -> dict[str, object]:
    """The first row of the table, as the overview has it."""
    files: Sequence[Path] = list(find_run(path).files)
    overview = tool("overview")
    with reading(files, folder) as reader:
        answer = finish(ask(overview, Scope(reader), from_values(overview.question, {})))
        table = answer.tables[0]
        assert table.id == "findings"
        return {column.id: values_of(column)[0] for column in table.columns}


@pytest.mark.parametrize("name", RUNS)
def test_the_first_finding_of_a_real_run(tmp_path: Path, name: str) -> None:
    cause, where = RUNS[name]
    row = first_row(corpus_path(name), tmp_path)
    assert row["class"] == cause, row
    assert where in str(row["where"]), row
    if name.startswith("ascend"):
        assert row["share"] == pytest.approx(0.627, abs=0.002)
