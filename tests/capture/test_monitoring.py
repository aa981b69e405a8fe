"""Monitoring: what servers say of themselves, and what captures say where they do not. Time is a fake."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.capture.fake_profiler import FakeProfiler, answering, refusing
from tests.tpu_trace import Instruction, Run, plane
from tilescope.capture import (
    CaptureCause,
    CaptureFailed,
    MonitorOptions,
    MonitorSample,
    MonitorSource,
    ProfilerAddress,
    monitor,
)
from tilescope.capture.monitor_text import monitor_figures
from tilescope.cli import main
from tilescope.cli.monitor import line_of
from tilescope.profiler import profiler_pb2 as pb
from tilescope.tiler.errors import UsageError

TEXT: Final = """
  Timestamp: 20:41:52
  TPU type: TPU v2
  Number of TPU cores: 8 (Replica count = 8, num cores per replica = 1)
  TPU idle time (lower is better): 36.9%
  Utilization of TPU Matrix Units (higher is better): 10.7%
  Step time: 90.8ms (avg), 89.8ms (min), 1.2s (max)
  Infeed percentage: 87.5% (avg). 87.2% (min), 87.8 (max)
"""
FIGURES: Final = {
    "device_type": "TPU v2",
    "devices": 8,
    "device_idle": 0.369,
    "matrix_unit_utilization": 0.107,
    "step_mean_ms": 90.8,
    "step_min_ms": 89.8,
    "step_max_ms": 1200.0,
    "infeed_mean": 0.875,
    "infeed_min": 0.872,
    "infeed_max": 0.878,
}


class FakeTime:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.now_ns = 10**18
        self.slept: list[float] = []

    def unix_ns(self) -> int:
        return self.now_ns

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now_ns += int(seconds * 1e9)

    def chance(self) -> float:
        return 0.5


async def samples(
    address: ProfilerAddress, options: MonitorOptions, clock: FakeTime | None = None
) -> list[MonitorSample]:
    return [sample async for sample in monitor(address, options, clock=clock or FakeTime())]


def test_the_text_of_a_server() -> None:
    assert monitor_figures(pb.MonitorResponse(data=TEXT)) == pytest.approx(FIGURES)
    short = "Timestamp: 20:47:16\nTPU type: TPU v2\nUtilization of TPU Matrix Units is (higher is better): 0.000%"
    assert monitor_figures(pb.MonitorResponse(data=short)) == {
        "device_type": "TPU v2",
        "matrix_unit_utilization": 0.0,
    }
    for nothing in ("", "No step was found.", "TPU idle time: nan%\nStep time: 1ms (avg)", "TPU type:\n", "x" * 10**6):
        assert monitor_figures(pb.MonitorResponse(data=nothing)) == {}


def test_numbers_are_those_of_the_result_where_the_text_has_them() -> None:
    result = pb.MonitorResult(
        device_idle_time_percent=36.91, matrix_unit_utilization_percent=float("nan"), step_time_ms_avg=90.84
    )
    told = monitor_figures(pb.MonitorResponse(data=TEXT, monitor_result=result))
    assert told["device_idle"] == pytest.approx(0.3691)
    assert told["matrix_unit_utilization"] == pytest.approx(0.107), "never NaN"
    assert told["step_mean_ms"] == pytest.approx(90.84)
    scarce = monitor_figures(pb.MonitorResponse(data="TPU type: TPU v4", monitor_result=result))
    assert scarce == pytest.approx({"device_type": "TPU v4", "device_idle": 0.3691, "step_mean_ms": 90.84}), (
        "zeros of what was not measured are not figures"
    )
    alone = monitor_figures(pb.MonitorResponse(monitor_result=pb.MonitorResult(device_idle_time_percent=5)))
    assert alone["device_idle"] == pytest.approx(0.05)
    assert "step_mean_ms" not in alone
    assert "infeed_mean" not in alone


DOCUMENT: Final = """
    TPU type: TPU v2
    Number of TPU Cores: 8
    TPU idle time (lower is better): 0.091%
    Utilization of TPU Matrix Units is (higher is better): 10.7%
    Step time: 1.95 kms (avg), 1.90kms (minute), 2.00 kms (max)
    Infeed percentage: 87.5% (avg). 87.2% (min), 87.8 (max)
"""


@pytest.mark.parametrize(
    "result",
    [None, pb.MonitorResult(step_time_ms_avg=1950, step_time_ms_min=1900, step_time_ms_max=2000)],
    ids=["text", "with numbers"],
)
def test_the_example_of_the_documents(result: pb.MonitorResult | None) -> None:
    figures = monitor_figures(pb.MonitorResponse(data=DOCUMENT, monitor_result=result))
    assert [figures[f"step_{name}_ms"] for name in ("mean", "min", "max")] == pytest.approx([1950, 1900, 2000])
    sample = MonitorSample(ProfilerAddress("host", 1), 1, 10**18, 2, MonitorSource.MONITOR, 1000, **figures)
    assert line_of(sample)[10:] == (
        "TPU v2, matrix units 10.7 %, 8 devices, idle 0.091 %, step 1,950 ms (1,900 to 2,000), "
        "waits for input 87.5 % (87.2 to 87.8)"
    )


def test_nearly_all_is_not_all() -> None:
    figures = monitor_figures(pb.MonitorResponse(data=DOCUMENT.replace("10.7%", "99.97%")))
    sample = MonitorSample(ProfilerAddress("host", 1), 1, 10**18, 2, MonitorSource.MONITOR, 1000, **figures)
    assert "matrix units >99.9 %," in line_of(sample)


@pytest.mark.parametrize("unit", ["ns", "us", "µs", "ms", "s", "min"])
@pytest.mark.parametrize(("prefix", "factor"), [("", 1), ("k", 1e3), ("M", 1e6)])
def test_a_prefix_may_stand_before_any_unit(unit: str, prefix: str, factor: float) -> None:
    def mean(step: str) -> float:
        text = f"Step time: {step} (avg), {step} (min), {step} (max)"
        return float(monitor_figures(pb.MonitorResponse(data=text))["step_mean_ms"])

    assert mean(f"3 {prefix}{unit}") == pytest.approx(factor * mean(f"3{unit}"))


def test_numbers_win_over_a_line_that_cannot_be_read() -> None:
    result = pb.MonitorResult(step_time_ms_avg=3, step_time_ms_min=2, step_time_ms_max=4, infeed_percent_max=5)
    text = "Step time: long (avg), longer (min), longest (max)"
    figures = monitor_figures(pb.MonitorResponse(data=text, monitor_result=result))
    assert figures == pytest.approx(
        {"step_mean_ms": 3, "step_min_ms": 2, "step_max_ms": 4, "infeed_mean": 0, "infeed_min": 0, "infeed_max": 0.05}
    )


async def test_a_server_that_measures_itself() -> None:
    fake = FakeProfiler({"Monitor": lambda request, context: pb.MonitorResponse(data=TEXT)})
    clock = FakeTime()
    with fake.serving() as address:
        found = await samples(address, MonitorOptions(level=2, duration_ms=250, queries=3), clock)
        (basic,) = await samples(address, MonitorOptions(level=1, queries=1))
    assert [sample.number for sample in found] == [1, 2, 3]
    assert {sample.source for sample in found} == {MonitorSource.MONITOR}
    assert {name: asdict(found[0])[name] for name in FIGURES} == pytest.approx(FIGURES)
    assert found[0].steps is None
    assert clock.slept == [0.25, 0.25], "it answers at once, and is not asked all the time"
    asked = fake.requests("Monitor")
    assert [(request.duration_ms, request.monitoring_level) for request in asked] == [(250, 2)] * 3 + [(1000, 1)]
    assert (basic.device_type, basic.matrix_unit_utilization) == ("TPU v2", 0.107)
    assert basic.devices is None


def xspace(infeed: Run | None = None) -> bytes:
    """A core with two steps of 1 and 2 ms, which computes for a half of each; with an infeed, where there is one."""
    runs = [Run(0, 0, 10**9 // 2), Run(0, 10**9, 10**9)]
    steps = [Run(1, 0, 10**9), Run(2, 10**9, 2 * 10**9)]
    runs += [] if infeed is None else [infeed]
    timed = [Run(run.instruction, run.start, run.duration, (run.start, run.duration)) for run in (*runs, *steps)]
    of_program: dict[str, int | str] = {"program_id": 1, "symbol_id": 1, "hlo_category": "loop fusion", "flops": 1000}
    instructions = [Instruction("fusion.1", of_program), Instruction("7"), Instruction("8")]
    instructions.append(Instruction("infeed.1", {"program_id": 1, "symbol_id": 2, "hlo_category": "infeed"}))
    return plane("/device:TPU:0", instructions, {"Steps": timed[len(runs) :], "XLA Ops": timed[: len(runs)]})


async def test_a_server_that_does_not_is_captured() -> None:
    fake = FakeProfiler({"Profile": answering(xspace())})
    with fake.serving() as address:
        first, second = await samples(address, MonitorOptions(level=2, duration_ms=100, queries=2))
    assert first.source is second.source is MonitorSource.CAPTURES
    assert first.devices == 1
    assert first.steps == 2
    assert (first.step_min_ms, first.step_mean_ms, first.step_max_ms) == (1.0, 1.5, 2.0)
    assert first.device_idle == pytest.approx(0.5)
    assert (first.infeed_mean, first.infeed_max) == (None, None), "it has no operation of input"
    assert line_of(first).endswith(
        "matrix units not recorded, 1 device, idle 50.0 %, step 1.5 ms (1 to 2), input not recorded"
    )
    assert first.matrix_unit_utilization is None
    assert [request.opts.duration_ms for request in fake.requests("Profile")] == [100, 100]


async def test_input_that_is_never_waited_for_is_nought_and_not_unknown() -> None:
    """The infeed runs between the steps."""
    fake = FakeProfiler({"Profile": answering(xspace(infeed=Run(3, 4 * 10**9, 10)))})
    with fake.serving() as address:
        (sample,) = await samples(address, MonitorOptions(level=2, duration_ms=100, queries=1))
    assert (sample.infeed_mean, sample.infeed_max) == (0.0, 0.0)
    assert line_of(sample).endswith("waits for input 0.0 % (0.0 to 0.0)")


@given(st.floats(0, 1))
def test_shares_are_plain_decimals(share: float) -> None:
    sample = MonitorSample(ProfilerAddress("host", 1), 1, 10**18, 1, MonitorSource.MONITOR, 1000)
    text = line_of(replace(sample, matrix_unit_utilization=share)).removesuffix(" %").rpartition(" ")[2]
    digits = text.lstrip("<>")
    assert set(digits) <= set("0123456789.")
    if text == digits:
        assert float(digits) == pytest.approx(100 * share, rel=0.05, abs=0.05 if share >= 0.001 else 0)
    elif text.startswith("<"):
        assert 0 < 100 * share < float(digits)
    else:
        assert float(digits) < 100 * share < 100


async def test_a_job_that_does_nothing_has_samples_without_figures() -> None:
    with FakeProfiler({"Profile": answering(empty_trace=True)}).serving() as address:
        (sample,) = await samples(address, MonitorOptions(level=2, queries=1))
    assert sample.device_type is None
    assert sample.device_idle is None
    assert line_of(sample).endswith(
        "device not recorded, matrix units not recorded, devices not recorded, idle not recorded, "
        "step not recorded, input not recorded"
    )


async def test_failures_have_their_causes() -> None:
    async def cause(methods: dict[str, Any]) -> CaptureCause:
        with FakeProfiler(methods).serving() as address:
            with pytest.raises(CaptureFailed) as caught:
                await samples(address, MonitorOptions(queries=1))
            assert str(address) in str(caught.value)
            return caught.value.failure.cause

    assert await cause({"Monitor": refusing(grpc.StatusCode.PERMISSION_DENIED, "no")}) is (
        CaptureCause.REFUSED_BY_SERVER
    )
    assert await cause({"Profile": answering(b"\x0a\xff\xff")}) is CaptureCause.BAD_ANSWER
    busy = refusing(grpc.StatusCode.INTERNAL, "Another profiling session active.")
    with FakeProfiler({"Monitor": busy}).serving() as address, pytest.raises(CaptureFailed, match="another profiling"):
        await samples(address, MonitorOptions(queries=1))


def test_what_makes_no_sense_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for wrong in ({"level": 3}, {"duration_ms": 0}, {"queries": 0}):
        with pytest.raises(UsageError):
            MonitorOptions(**wrong)
    assert main(["monitor", "nowhere"]) == 2
    assert "it has no port" in capsys.readouterr().err


def test_lines_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    with FakeProfiler({"Monitor": lambda request, context: pb.MonitorResponse(data=TEXT)}).serving() as address:
        assert main(["monitor", str(address), "--num-queries", "2", "--duration-ms", "1", "--level", "2"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == 2
        assert lines[0][10:] == (
            "TPU v2, matrix units 10.7 %, 8 devices, idle 36.9 %, step 90.8 ms (89.8 to 1,200), "
            "waits for input 87.5 % (87.2 to 87.8)"
        )
        assert main(["monitor", str(address), "--num-queries", "1", "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
    assert told["source"] == "monitor"
    assert told["step_mean_ms"] is None, "not asked at level 1"
    assert int(told["time_ns"]) > 10**18
    assert main(["monitor", str(address), "--num-queries", "1"]) == 1
    assert "nothing listens at this port" in capsys.readouterr().err


JOB: Final = """
import sys
import jax, jax.numpy as jnp
work = jax.jit(lambda x: (x @ x).sum())
work(jnp.ones((64, 64))).block_until_ready()
import socket
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
jax.profiler.start_server(port)
print(port, flush=True)
step = 0
while True:
    with jax.profiler.StepTraceAnnotation("train", step_num=step):
        work(jnp.ones((64, 64))).block_until_ready()
    step += 1
"""


@pytest.mark.deep
@pytest.mark.skipif(find_spec("jax") is None, reason="jax is not installed: make deep-tools")
def test_a_real_job(tmp_path: Path) -> None:
    """JAX on a processor has no `Monitor`: the command says so once, and goes on until it is interrupted."""
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    with subprocess.Popen([sys.executable, "-c", JOB], stdout=subprocess.PIPE, text=True, env=environment) as job:
        try:
            assert job.stdout is not None
            port = job.stdout.readline().strip()
            command = [sys.executable, "-m", "tilescope", "monitor", f"127.0.0.1:{port}", "--level", "2", "--json"]
            with subprocess.Popen(
                [*command, "--duration-ms", "200"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            ) as watching:
                assert watching.stdout is not None
                assert watching.stderr is not None
                told = [json.loads(watching.stdout.readline()) for _ in range(2)]
                watching.send_signal(signal.SIGINT)
                said = watching.stderr.read().splitlines()
                assert watching.wait(60) == 0
        finally:
            job.kill()
    assert [sample["source"] for sample in told] == ["captures"] * 2
    assert [sample["number"] for sample in told] == [1, 2]
    for sample in told:
        assert sample["device_type"] == "CPU"
        assert sample["steps"] > 0
        assert 0 < sample["step_min_ms"] <= sample["step_mean_ms"] <= sample["step_max_ms"] < 200
        assert sample["matrix_unit_utilization"] is None
    assert len(said) == 1
    assert "does not measure itself" in said[0]
