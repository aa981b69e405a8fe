"""Captures running jobs through their profiler servers, indexes the run, and with --view opens it in the browser.

ADDRESS is where the server of a job listens: HOST:PORT, several separated by commas, IPv6 as [::1]:PORT. A job starts
its server with jax.profiler.start_server(PORT) or tf.profiler.experimental.server.start(PORT). All hosts are
captured at the same moment, into one run: DIR/plugins/profile/RUN/HOST.xplane.pb. The traces come over
the network, so no shared file system is needed; files appear whole or not at all.

Failures that may be temporary are retried, after growing pauses. If some hosts fail, the traces of the others
are kept, and the exit code is 1. Ctrl-C ends the capture early: the servers send what they have, which is
kept and indexed, and the exit code is 130; a second one ends at once.

Servers before jaxlib 0.7.2 and TensorFlow 2.21 cannot send traces, and write them to their own disk. They are
read from there if this machine sees that disk under the same path: below DIR, or below --repository-root.

With --continuous the servers record all the time, and a run is written every --interval seconds. The newest are
kept: --keep of them, up to --keep-size together; other runs in DIR are left alone. `tilescope view DIR` shows them
as they come. Ctrl-C ends it, with exit code 0. The servers need jaxlib 0.9 or TensorFlow 2.21, or newer.

Examples:

    tilescope capture localhost:9012 --logdir logs --view
    tilescope capture 10.0.0.1:8466,10.0.0.2:8466 --logdir logs --duration-ms 5000
    tilescope capture localhost:9012 --logdir logs --duration-ms 60000 --python-tracer-level 1
    tilescope capture localhost:9012 --logdir logs --continuous --interval 30 --keep 20
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tilescope.cli.cache_options import add_cache_options, cache_directory
from tilescope.cli.capture_progress import CaptureDisplay
from tilescope.cli.capture_report import report
from tilescope.cli.command import EXIT_BAD, EXIT_INTERRUPTED
from tilescope.cli.memory_option import DEFAULT_MEMORY_BYTES
from tilescope.cli.option_rules import not_with, only_with
from tilescope.cli.progress import ProgressDisplay
from tilescope.cli.say import complain, say
from tilescope.cli.server_options import parse_port
from tilescope.cli.sizes import parse_size
from tilescope.cli.text import seconds_text
from tilescope.tiler.count_text import plural

if TYPE_CHECKING:
    from tilescope.capture import CaptureOptions, CaptureResult, ProfilerAddress

NAME = "capture"
HELP = "capture a running job of JAX or TensorFlow"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments; a test compares the defaults with `CaptureOptions`."""
    parser.add_argument("addresses", metavar="ADDRESS", help="profiler servers: HOST:PORT[,HOST:PORT...]")
    parser.add_argument("--logdir", type=Path, metavar="DIR", required=True, help="the log directory to write to")
    parser.add_argument("--run-name", metavar="NAME", help="name of the run; default: date and time")
    parser.add_argument(
        "--duration-ms", type=int, metavar="N", default=1000, help="how long to capture; default: 1000 ms"
    )
    parser.add_argument("--delay-ms", type=int, metavar="N", default=0, help="how long to wait before; default: 0 ms")
    parser.add_argument(
        "--num-tracing-attempts",
        type=int,
        metavar="N",
        default=3,
        help="attempts for each host, the first included; default: 3",
    )
    parser.add_argument(
        "--host-tracer-level",
        type=int,
        metavar="N",
        default=2,
        help="0: nothing of the host; 1: annotations of the program; 2: costly operations, too; 3: all; default: 2",
    )
    parser.add_argument(
        "--device-tracer-level", type=int, metavar="N", default=1, help="0: nothing of devices; default: 1"
    )
    parser.add_argument(
        "--python-tracer-level", type=int, metavar="N", default=0, help="1: calls of Python functions; default: 0"
    )
    parser.add_argument(
        "--include-dataset-ops",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="record operations of tf.data; default: yes",
    )
    parser.add_argument(
        "--answer-within",
        type=float,
        metavar="SECONDS",
        default=120.0,
        help="how long a server may take to put its trace together; default: 120",
    )
    parser.add_argument(
        "--max-trace",
        type=parse_size,
        metavar="SIZE",
        default=0xFFFF_FFFF,
        help="largest trace of one host; default: 4GiB",
    )
    parser.add_argument(
        "--repository-root",
        metavar="PATH",
        help="a folder that old servers write to, and that this machine sees under the same path",
    )
    parser.add_argument(
        "--view", action="store_true", help="serve the run and open the browser, as tilescope view does"
    )
    parser.add_argument("--no-browser", action="store_true", help="with --view: only print the URL")
    parser.add_argument(
        "--port", type=parse_port, metavar="N", help="with --view: the port to listen on, as in tilescope view"
    )
    group = parser.add_argument_group("continuous")
    group.add_argument("--continuous", action="store_true", help="record until Ctrl-C, window by window")
    group.add_argument(
        "--interval", type=float, metavar="SECONDS", default=10.0, help="length of a window; default: 10"
    )
    group.add_argument("--keep", type=int, metavar="N", default=10, help="windows to keep; default: 10")
    group.add_argument(
        "--keep-size",
        type=parse_size,
        metavar="SIZE",
        default=2 * 10**9,
        help="most bytes of all windows together; default: 2GB",
    )
    group.add_argument(
        "--take-over", action="store_true", help="first end a continuous recording that was left running on the servers"
    )
    add_cache_options(parser)
    only_with(parser, "--continuous", "--interval", "--keep", "--keep-size", "--take-over")
    not_with(parser, "--continuous", "--view", "--run-name", "--duration-ms", "--delay-ms", "--num-tracing-attempts")
    not_with(parser, "--continuous", "--repository-root", "--cache-dir", "--cache-size")
    only_with(parser, "--view", "--no-browser", "--port", "--cache-size")


def run(args: argparse.Namespace) -> int:
    """Captures and reports, then indexes or shows."""
    import asyncio

    from tilescope.capture import parse_addresses
    from tilescope.cli.capture_windows import capture_windows

    addresses = parse_addresses(args.addresses)
    if args.continuous:
        return asyncio.run(capture_windows(addresses, options_of(args), args))
    result = asyncio.run(_capture(addresses, options_of(args), args.logdir))
    report(result)
    if result.folder is None:
        return EXIT_INTERRUPTED if result.was_stopped else EXIT_BAD
    if args.view and not result.was_stopped:
        return _view(result.folder, args)
    _index(result.folder, args)
    if result.was_stopped:
        return EXIT_INTERRUPTED
    return EXIT_BAD if result.failed else 0


def options_of(args: argparse.Namespace) -> CaptureOptions:
    """Options of the capture, from the command line. Raises `UsageError`."""
    from tilescope.capture import CaptureOptions

    return CaptureOptions(
        duration_ms=args.duration_ms,
        delay_ms=args.delay_ms,
        host_tracer_level=args.host_tracer_level,
        device_tracer_level=args.device_tracer_level,
        python_tracer_level=args.python_tracer_level,
        include_dataset_ops=args.include_dataset_ops,
        attempts=args.num_tracing_attempts,
        run_name=args.run_name,
        answer_within_s=args.answer_within,
        most_answer_bytes=args.max_trace,
        repository_root=args.repository_root,
    )


async def _capture(addresses: tuple[ProfilerAddress, ...], options: CaptureOptions, logdir: Path) -> CaptureResult:
    from tilescope.capture import capture
    from tilescope.cli.stop_signals import stop_on_signals

    with CaptureDisplay() as display, stop_on_signals() as stop:
        return await capture(addresses, options, logdir, display.tell, stop)


def _index(folder: Path, args: argparse.Namespace) -> None:
    """Indexes the run where `tilescope view` will look for it."""
    from tilescope.tiler.indexing import build_store
    from tilescope.tiler.lookup.manifest import run_manifest
    from tilescope.tiler.readers import find_run
    from tilescope.tiler.readers.fingerprint import stamps_digest
    from tilescope.tiler.store import open_run_store
    from tilescope.tiler.store.cached_traces import remember_traces

    captured_run = find_run(folder)
    store_path = cache_directory(args).store_of(captured_run.id, stamps_digest(captured_run.files))
    begin = time.monotonic()
    with ProgressDisplay() as display:
        build_store(captured_run.files, store_path, progress=display.update_build, memory_bytes=DEFAULT_MEMORY_BYTES)
    remember_traces(store_path, captured_run.files)
    store = open_run_store(store_path)
    try:
        events = run_manifest(store).events.total
    finally:
        store.close()
    for note in captured_run.notes:
        complain(note)
    took = seconds_text(time.monotonic() - begin)
    say(f"indexed {plural(events, 'event', 'events')} in {took}; to see them: tilescope view {folder}")


def _view(folder: Path, args: argparse.Namespace) -> int:
    """Serves the run, as `tilescope view` does."""
    from tilescope.cli import view

    parser = argparse.ArgumentParser()
    view.add_arguments(parser)
    passed = ["--no-browser"] if args.no_browser else []
    viewed = parser.parse_args([*passed, "--", str(folder)])
    viewed.port, viewed.cache_dir, viewed.cache_size = args.port, args.cache_dir, args.cache_size
    return view.run(viewed)
