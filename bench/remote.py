"""An XSpace of 400 MB that is indexed from a bucket, beside the local file; and an archive of it, asked from there.

The bucket is moto's, on this machine: `pip install "moto[s3,server]"`. It serves from one process of Python, which
takes a core meanwhile, and copies the whole object for each range. What reading by ranges costs beside that is the row
of nginx. Yardstick: the same object read to its end by the same client, and thrown away.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Final

import urllib3

from bench.machine import machine_lines
from bench.measure import Measurement, measure
from bench.table import Row, Target, compared_row, measured_row, table_lines
from bench.traces import TraceSpec
from tests.absence import find_program
from tests.remote.s3_server import make_bucket, s3_server
from tests.server.nginx import static_nginx

EVENTS: Final = 10_200_000  # about 400 MB
BUCKET: Final = "bench"
_PLACES: Final = ("a bucket", "nginx")
_TIMES = Target(1.3, 1.1, "{:.2f}×".format, at_most=True)
_COMMAND: Final = (sys.executable, "-m", "tilescope")
_DOWNLOAD: Final = """
import sys
from tilescope.remote import open_blob
print(sum(map(len, open_blob(sys.argv[1]).stream())))
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Prints where it ran, and the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.remote", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--events", type=int, default=EVENTS, help="default: 10.2 million")
    parser.add_argument("--runs", type=int, default=3, help="of each, of which the median counts; default: 3")
    args = parser.parse_args(argv)
    for line in machine_lines("bench.remote", argv):
        print(line)
    with tempfile.TemporaryDirectory(prefix="tilescope-bench-") as name, s3_server() as environment:
        os.environ.update(environment)
        make_bucket(BUCKET)
        rows = _rows(Path(name), args.events, args.runs)
    print("\n".join(table_lines(rows)))
    return 0


def _rows(folder: Path, events: int, runs: int) -> list[Row]:
    trace = TraceSpec("xspace", events).write(folder / "files")
    store, archive = folder / "store", folder / "run.tsarc"
    upload(trace.path)
    with _web_server(folder) as origin:
        web = [] if origin is None else [f"{origin}{trace.path.name}"]
        sources = [str(trace.path), f"s3://{BUCKET}/{trace.path.name}", *web]
        measured: list[list[Measurement]] = [[] for _ in sources]
        for _ in range(runs):  # by turns, so that all have the same machine
            for source, measurements in zip(sources, measured, strict=True):
                shutil.rmtree(store, ignore_errors=True)
                measurements.append(measure([*_COMMAND, "index", source, "-o", store]))
        bare = [[measure([sys.executable, "-c", _DOWNLOAD, source]) for _ in range(runs)] for source in sources[1:]]
    measure([*_COMMAND, "archive", store, "-o", archive])
    upload(archive)
    question = ("stats", "--limit", "10")
    questions = {run: [measure([*_COMMAND, "ask", run, *question]) for _ in range(runs)] for run in _runs(archive)}
    local, *remote = measured
    size = f"{trace.size_bytes / 1e6:,.0f} MB"
    return [
        *(
            _row(f"index of {size} from {place}, beside the file", local, measurements)
            for place, measurements in zip(_PLACES, remote, strict=False)
        ),
        *(
            compared_row(f"{size} from {place} to nowhere, by the same client", _text(measurements))
            for place, measurements in zip(_PLACES, bare, strict=False)
        ),
        _row(f"`stats` of an archive of {archive.stat().st_size / 1e6:,.0f} MB in a bucket", *questions.values()),
    ]


@contextmanager
def _web_server(folder: Path) -> Iterator[str | None]:
    """The URL of the traces in a folder, from a server that is no bottleneck; None where nginx is not installed."""
    if find_program("nginx") is None:
        yield None
        return
    (folder / "files").chmod(0o755)
    folder.chmod(0o755)  # its workers may be somebody else
    with static_nginx(folder, f"root {folder / 'files'};") as url:
        yield url


def _runs(archive: Path) -> tuple[str, str]:
    return str(archive), f"s3://{BUCKET}/{archive.name}"


def _row(work: str, local: Sequence[Measurement], remote: Sequence[Measurement]) -> Row:
    seconds = [median(measurement.seconds for measurement in part) for part in (local, remote)]
    cpu_seconds = [median(measurement.cpu_seconds for measurement in part) for part in (local, remote)]
    detail = f"{seconds[1]:.2f} s, not {seconds[0]:.2f} s; CPU {cpu_seconds[1]:.2f} s, not {cpu_seconds[0]:.2f} s"
    return measured_row(work, _TIMES, seconds[1] / seconds[0], detail)


def _text(measurements: Sequence[Measurement]) -> str:
    seconds = median(measurement.seconds for measurement in measurements)
    cpu_seconds = median(measurement.cpu_seconds for measurement in measurements)
    return f"{seconds:.2f} s, CPU {cpu_seconds:.2f} s"


def upload(path: Path) -> None:
    """Puts a file into the bucket, in one request: a slow answer to the last part of several is taken for a failure."""
    url = f"{os.environ['AWS_ENDPOINT_URL']}/{BUCKET}/{path.name}"
    with path.open("rb") as file:
        response = urllib3.request("PUT", url, body=file, retries=False, timeout=600)
    if response.status != 200:
        raise OSError(f"{url}: answers with status {response.status}")


if __name__ == "__main__":
    sys.exit(main())
