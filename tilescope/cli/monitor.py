"""Prints how a running job does, one line for each query of its profiler server.

HOST:PORT is where the job listens: jax.profiler.start_server(PORT), tf.profiler.experimental.server.start(PORT), or the
profiler of a TPU worker. Level 1 prints the type of the devices and how well their matrix units are used. Level 2 adds
the number of devices, their idle time, the time of steps (mean, shortest and longest) and the share of it that they
wait for input.

Servers on TPUs measure this themselves. Others, such as JAX on CPUs and GPUs, do not: then each query is a short
capture that Tilescope evaluates, and a line on standard error says so. Such captures cost the job a little, and nobody
else can capture it meanwhile. What is not recorded is printed as such.

With --json each line is a JSON object; what is not recorded is null, shares are fractions, times are milliseconds:

    address, number, time_ns, level, source ("monitor" or "captures"), duration_ms, device_type,
    matrix_unit_utilization, devices, device_idle, steps, step_mean_ms, step_min_ms, step_max_ms,
    infeed_mean, infeed_min, infeed_max

`time_ns` is nanoseconds since the epoch, a decimal string. Ctrl-C ends the command, with exit code 0 unless
--num-queries is given.

Examples:

    tilescope monitor localhost:9012
    tilescope monitor tpu-worker-0:8466 --level 2 --num-queries 100
    tilescope monitor localhost:9012 --level 2 --json | jq .step_mean_ms
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tilescope.cli.command import EXIT_INTERRUPTED
from tilescope.cli.say import complain, say
from tilescope.tiler.percent_text import percent_text

if TYPE_CHECKING:
    from tilescope.capture import MonitorOptions, MonitorSample, ProfilerAddress

NAME = "monitor"
HELP = "print how a running job does, query by query"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("address", metavar="HOST:PORT", help="a profiler server")
    parser.add_argument("--level", type=int, choices=(1, 2), default=1, help="how much to ask; default: 1")
    parser.add_argument("--num-queries", type=int, metavar="N", help="number of queries; default: until Ctrl-C")
    parser.add_argument(
        "--duration-ms", type=int, default=1000, metavar="MS", help="length of each query; default: 1000"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object for each line")


def run(args: argparse.Namespace) -> int:
    """Prints samples until there were enough."""
    import asyncio

    from tilescope.capture import MonitorOptions, parse_address

    options = MonitorOptions(args.level, args.duration_ms, args.num_queries)
    address = parse_address(args.address)
    try:
        asyncio.run(_print_samples(address, options, as_json=args.json))
    except KeyboardInterrupt:
        if options.queries is None:
            return 0
        complain("stopped")
        return EXIT_INTERRUPTED
    return 0


async def _print_samples(address: ProfilerAddress, options: MonitorOptions, *, as_json: bool) -> None:
    from contextlib import aclosing

    from tilescope.capture import MonitorSource, monitor

    has_said_so = False
    async with aclosing(monitor(address, options)) as samples:
        async for sample in samples:
            if sample.source is MonitorSource.CAPTURES and not has_said_so:
                has_said_so = True
                complain(f"{address} does not measure itself: each line is a capture of {options.duration_ms:,} ms")
            say(_json(sample) if as_json else line_of(sample))


def _json(sample: MonitorSample) -> str:
    import json
    from dataclasses import asdict

    fields = {**asdict(sample), "address": str(sample.address), "time_ns": str(sample.time_ns)}
    return json.dumps(fields, ensure_ascii=False)


def line_of(sample: MonitorSample) -> str:
    """A sample for people."""
    from datetime import datetime

    from tilescope.tiler.count_text import plural

    time = datetime.fromtimestamp(sample.time_ns // 10**9).strftime("%H:%M:%S")
    device = sample.device_type or "device not recorded"
    parts = [f"{time}  {device}", f"matrix units {_share(sample.matrix_unit_utilization)}"]
    if sample.level == 2:
        parts += [
            "devices not recorded" if sample.devices is None else plural(sample.devices, "device", "devices"),
            f"idle {_share(sample.device_idle)}",
            f"step {_step_time(sample)}",
            _waits(sample),
        ]
    return ", ".join(parts)


def _share(value: float | None) -> str:
    """A share in percent; a small one with two digits: 0.091 % is not 0.1 %."""
    return "not recorded" if value is None else f"{_percent(value)} %"


def _percent(value: float) -> str:
    if value == 0 or value >= 0.001:
        return percent_text(value).removesuffix(" %")
    return "<0.0001" if value < 1e-6 else f"{100 * value:.2g}"  # less would have an exponent


def _step_time(sample: MonitorSample) -> str:
    if sample.step_mean_ms is None:
        return "not recorded"
    text = f"{sample.step_mean_ms:,.3g} ms" if sample.step_mean_ms < 1000 else f"{sample.step_mean_ms:,.0f} ms"
    if sample.step_min_ms is not None and sample.step_max_ms is not None:
        text += f" ({sample.step_min_ms:,.4g} to {sample.step_max_ms:,.4g})"
    return text


def _waits(sample: MonitorSample) -> str:
    if sample.infeed_mean is None:
        return "input not recorded"
    text = f"waits for input {_share(sample.infeed_mean)}"
    if sample.infeed_min is not None and sample.infeed_max is not None:
        text += f" ({_percent(sample.infeed_min)} to {_percent(sample.infeed_max)})"
    return text
