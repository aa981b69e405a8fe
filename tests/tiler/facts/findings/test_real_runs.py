"""The first finding of real traces, which people have read as well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.corpus import corpus_path
from tests.reports.traces import answer
from tests.tiler.facts.findings.answers import reading
from tilescope.tiler.facts.findings.where import short
from tilescope.tiler.query import QueryReader, Reading, finish
from tilescope.tiler.query.events import join, no_events
from tilescope.tiler.readers import find_run
from tilescope.tiler.tools import Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of
from tilescope.tiler.windows import Windows

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


@contextmanager
def findings_of(path: Path, folder: Path) -> Iterator[tuple[QueryReader, list[dict[str, object]]]]:
    """A run and the rows of the table, as the overview has them."""
    files: Sequence[Path] = list(find_run(path).files)
    overview = tool("overview")
    with reading(files, folder) as reader:
        answer = finish(ask(overview, Scope(reader), from_values(overview.question, {})))
        table = answer.tables[0]
        assert table.id == "findings"
        columns = [values_of(column) for column in table.columns]
        ids = [column.id for column in table.columns]
        yield reader, [dict(zip(ids, row, strict=True)) for row in zip(*columns, strict=True)]


@pytest.mark.parametrize("name", RUNS)
def test_the_first_finding_of_a_real_run(tmp_path: Path, name: str) -> None:
    cause, where = RUNS[name]
    with findings_of(corpus_path(name), tmp_path) as (reader, (row, *_)):
        assert row["class"] == cause, row
        assert where in str(row["where"]), row
        if name.startswith("ascend"):
            assert row["share"] == pytest.approx(0.627, abs=0.002)
        # Its link leads to the slice that it names, or to work of the device.
        track, start, end = (int(str(row[column])) for column in ("track", "start", "end"))
        plan = reader.plan(track, Windows.single(start, end))
        events = join([no_events(track), *Reading(reader).events(plan, plan.leaf_runs)])
        assert len(events), row
        if row["event"] is not None:
            ordinals = [f"{track}.{ordinal}" for ordinal in events.ordinal.tolist()]
            place = ordinals.index(str(row["event"]))
            assert short(reader.names[int(events.name[place])].text) in str(row["where"])


def test_a_host_that_is_slow_all_over_in_one_step_does_nothing_else_there(tmp_path: Path) -> None:
    """Step 9 takes 163 ms among 116 to 127: each of its operators takes longer, and none of them a third of it."""
    with findings_of(corpus_path("kineto/resnet50_workers4.pt.trace.json.gz"), tmp_path) as (reader, rows):
        (pause,) = (row for row in rows if row["class"] == "host_pause")
        assert pause["steps"] == "9"
        assert "the host is slower than in other steps, in many places" in str(pause["sentence"])
        steps = answer(reader, "steps")
        assert steps.headline is not None
        assert steps.headline.text.startswith(str(pause["sentence"]))
        assert "in another thread, or less often" not in steps.notes[0].text


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        (
            "xplane/tpu_v6e_4core.xplane.pb",
            "; it copies from the host's memory, and 3 other operations take about as much",
        ),
        ("pod", ""),
    ],
)
def test_operations_that_take_as_much_as_the_one_named_are_counted(tmp_path: Path, name: str, ends: str) -> None:
    """Four copies take 77.8 to 72.9 s; of the all-reduces of the pod the second takes 0.9 s, the first 2.4 s."""
    with findings_of(corpus_path(name), tmp_path) as (_, rows):
        alike = [str(row["sentence"]) for row in rows if "about as much" in str(row["sentence"])]
        assert len(alike) == bool(ends)
        assert all(sentence.endswith(ends) for sentence in alike)
