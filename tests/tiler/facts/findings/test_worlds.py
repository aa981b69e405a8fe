"""Runs of which a confident sentence would be false: parts of jobs, independent devices, names that mislead."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.corpus import corpus_path
from tests.tiler.facts.findings.answers import findings, reading, text
from tests.tiler.facts.findings.pytorch_causes import FIRST_STEP, STEPS, end_of_step, layers
from tests.tiler.facts.findings.pytorch_run import Rank, all_reduce, write_ranks
from tests.tiler.facts.findings.tpu_run import Pod, write_hosts
from tests.tiler.facts.findings.tpu_run import run as pod_run
from tilescope.tiler.facts import devices_of
from tilescope.tiler.facts.findings import Cause, RunFindings, findings_of
from tilescope.tiler.facts.findings.host_kinds import HostKind, host_kinds
from tilescope.tiler.query import Name, finish
from tilescope.tiler.resolver import TickRange

NUMBERS = range(FIRST_STEP, FIRST_STEP + STEPS)


def findings_of_ranks(ranks: Sequence[Rank], folder: Path) -> RunFindings:
    """The findings of some ranks, whose devices work to the end."""
    for rank in ranks:
        rank.wait("cudaDeviceSynchronize")
    with reading(write_ranks(ranks, folder), folder) as reader:
        return findings(reader)


def slow_host(rank: Rank, number: int) -> None:
    """A step whose launches are slower than its device."""
    with rank.step(number):
        layers(rank, 24, kernel_us=70, host_us=190)


@pytest.mark.parametrize("recorded", [2, 4])
def test_communication_of_a_part_of_the_ranks_is_unclear(tmp_path: Path, recorded: int) -> None:
    ranks = [Rank(number, 4) for number in range(recorded)]
    for number in NUMBERS:
        for rank in ranks:
            with rank.step(number):
                layers(rank)
        all_reduce(ranks, 5_000)
        end_of_step(ranks, number)
    rows = findings_of_ranks(ranks, tmp_path).rows
    expected = [Cause.COLLECTIVE] if recorded == 4 else [Cause.UNCLEAR, Cause.COLLECTIVE, Cause.STRAGGLER]
    assert [row.cause for row in rows] == expected, text(rows)


def test_communication_of_one_host_of_several_is_unclear(tmp_path: Path) -> None:
    """It waits for the other, whose input is late."""
    files = write_hosts(pod_run(Pod(batch=(900, 9_400))), tmp_path)
    with reading(files, tmp_path) as reader:
        devices = [device for device in finish(devices_of(reader)) if reader.file_of(device.tracks[0].track) == 0]
        assert len(devices) == 2
        rows = finish(findings_of(reader, reader.steps, devices, TickRange(0, reader.end + 1))).rows
    assert rows[0].cause is Cause.UNCLEAR, text(rows)


def test_devices_that_nothing_ties_keep_nobody_waiting(tmp_path: Path) -> None:
    ranks = [Rank(0, 2), Rank(1, 2)]
    for number in NUMBERS:
        for rank in ranks:
            with rank.step(number):
                layers(rank, factor=1.5 if rank.number == 0 else 1)
    rows = findings_of_ranks(ranks, tmp_path).rows
    assert [row.cause for row in rows] == [Cause.NONE], text(rows)


def test_ranks_without_steps_in_common_are_not_compared(tmp_path: Path) -> None:
    ranks = [Rank(0, 2), Rank(1, 2)]
    for rank, numbers in zip(ranks, (range(31, 41), range(131, 133)), strict=True):
        for number in numbers:
            with rank.step(number):
                layers(rank)
            all_reduce([rank], 300)
            end_of_step([rank], number)
    rows = findings_of_ranks(ranks, tmp_path).rows
    assert not {Cause.STRAGGLER, Cause.UNEVEN_WORK} & {row.cause for row in rows}, text(rows)


def test_exchanges_of_all_ranks_are_no_pipeline(tmp_path: Path) -> None:
    """NCCL calls the kernels of both the same."""
    files = [corpus_path(f"kineto/sampled_rank-{rank}.json.gz") for rank in (0, 1)]
    with reading(files, tmp_path) as reader:
        rows = findings(reader).rows
    assert rows[0].cause is Cause.UNCLEAR, text(rows)  # two of 128 ranks
    assert Cause.PIPELINE_BUBBLE not in {row.cause for row in rows}, text(rows)


@pytest.mark.parametrize(
    "program",
    ["/data/datasets/run/train.py(20): <module>", "eval.py(20): evaluate", "/checkpoints/a/train.py(4): main"],
)
def test_the_function_that_runs_all_steps_does_not_say_what_the_host_does(tmp_path: Path, program: str) -> None:
    rank = Rank()
    with rank.frame(program):
        for number in NUMBERS:
            slow_host(rank, number)
    rows = findings_of_ranks([rank], tmp_path).rows
    assert [row.cause for row in rows] == [Cause.LAUNCH], text(rows)
    assert "aten::" in rows[0].where


@pytest.mark.parametrize(
    ("has_host", "causes"),
    [(False, [Cause.UNCLEAR, Cause.INPUT, Cause.HOST_PAUSE]), (True, [Cause.HOST_PAUSE])],
)
def test_a_longer_step_is_not_laid_on_a_host_of_which_nothing_is_seen(
    tmp_path: Path, has_host: bool, causes: Sequence[Cause]
) -> None:
    pod = pod_run(Pod(hosts=1, chips=1))
    border, pause = pod.ends[4] + 500, 30_000
    for (_, plane, line), slices in list(pod.slices.items()):
        if plane == "/host:CPU" and not has_host:
            del pod.slices[0, plane, line]
            continue
        slices[:] = [
            # Of what runs across the border the steps alone take longer.
            (
                name,
                start + pause * (start >= border),
                stop + pause * (start >= border or (line == "Steps" and stop > border)),
            )
            for name, start, stop in slices
        ]
    with reading(write_hosts(pod, tmp_path), tmp_path) as reader:
        rows = findings(reader).rows
    assert [(row.cause, len(row.steps)) for row in rows] == [(cause, 1) for cause in causes], text(rows)
    assert "no thread of their host" in rows[0].sentence or has_host, text(rows)
    assert not any("the host is slower" in row.sentence for row in rows), text(rows)


def test_what_the_host_does_besides_in_each_step_is_named(tmp_path: Path) -> None:
    rank = Rank()
    for number in NUMBERS:
        with rank.step(number):
            layers(rank)
            with rank.frame("torch/serialization.py(967): save"):
                rank.call("<built-in method write>", 9_000)
    rows = findings_of_ranks([rank], tmp_path).rows
    assert (rows[0].cause, rows[0].steps) == (Cause.HOST_PAUSE, ()), text(rows)
    assert "save" in rows[0].where


def test_a_cause_of_all_steps_is_not_said_of_the_longest_alone(tmp_path: Path) -> None:
    rank = Rank()
    for number in NUMBERS:
        with rank.step(number):
            layers(rank)
            with rank.frame("torch/utils/data/dataloader.py(1492): _next_data"):
                rank.call("speech/corpus.py(61): __getitem__", 70_000 if number == 35 else 10_000)
    rows = findings_of_ranks([rank], tmp_path).rows
    assert (rows[0].cause, rows[0].steps) == (Cause.INPUT, ()), text(rows)
    assert rows[0].sentence.startswith("Each step loses")


def test_a_range_in_which_devices_are_idle_is_not_called_one_without_devices(tmp_path: Path) -> None:
    with reading(write_hosts(pod_run(Pod()), tmp_path), tmp_path) as reader:
        rows = findings(reader, TickRange(0, 1)).rows
        assert [(row.cause, row.sentence) for row in rows] == [(Cause.NONE, "No device computes in this range")]


def test_hosts_without_the_devices_of_the_run_are_not_called_a_run_without_devices(tmp_path: Path) -> None:
    rank = Rank()
    for number in NUMBERS:
        slow_host(rank, number)
    with reading(write_ranks([rank], tmp_path), tmp_path) as reader:
        (row,) = finish(findings_of(reader, reader.steps, [], TickRange(0, reader.end + 1))).rows
    assert row.cause is Cause.HOST_ONLY
    assert row.sentence.startswith("No device is among these tracks"), row


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("torch/utils/checkpoint.py(488): checkpoint", HostKind.NONE),
        ("torch/distributed/algorithms/_checkpoint/checkpoint_wrapper.py(170): forward", HostKind.NONE),
        ("deepspeed/runtime/activation_checkpointing/checkpointing.py(993): checkpoint", HostKind.NONE),
        ("utils.py(18): save_checkpoint", HostKind.PAUSE),
        ("torch/_inductor/compile_fx.py(540): run", HostKind.NONE),
        ("torch/_inductor/compile_fx.py(1234): compile_fx", HostKind.COMPILATION),
    ],
)
def test_kinds_of_names_that_are_alike(name: str, kind: HostKind) -> None:
    assert host_kinds([Name(name, "")]) == [kind]
