"""Mutation fuzzing of the whole way from a file to a proved store, over the module with sanitizers.

    make fuzz FUZZ_MINUTES=30            so many minutes of processor time, seeds from FUZZ_SEED on
    make fuzz FUZZ_SEED=1234 FUZZ_MINUTES=0    one seed again, with its files kept

A finding is an exception that is no refusal, a store that does not prove, or the end of the process: a sanitizer's
report, a signal, two minutes without an answer. Each is printed with its seed. Exit code 1 if there was one.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests import run_sanitized
from tests.fuzz.wrapping import write_mutant

ROOT = Path(__file__).resolve().parent.parent.parent
KEPT = ROOT / "build" / "fuzz"
REPORT_CHARS = 6000


@dataclass
class Tally:
    """What has been seen so far."""

    trials: int = 0
    indexed: int = 0
    empty: int = 0
    events: int = 0
    cpu_seconds: float = 0.0
    refusals: Counter[str] = field(default_factory=Counter)
    findings: dict[str, list[int]] = field(default_factory=dict)  # by what they have in common: seeds

    def line(self) -> str:
        share = self.indexed / max(1, self.trials)
        return (
            f"{self.trials:,} mutants in {self.cpu_seconds / 60:.1f} CPU-minutes: {self.indexed:,} ({share:.0%}) "
            f"indexed and proved with {self.events:,} events, {self.empty:,} empty, "
            f"{sum(self.refusals.values()):,} refused, {len(self.findings)} findings"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    run_sanitized.lay_out()
    tally = Tally()
    shown = 0.0
    with tempfile.TemporaryDirectory(prefix="fuzz-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as scratch:
        for _ in trials(tally, args.seed, args.minutes * 60, scratch):
            if tally.cpu_seconds - shown > 60:
                shown = tally.cpu_seconds
                print(tally.line(), flush=True)
    print(tally.line())
    for refusal, count in tally.refusals.most_common(12):
        print(f"  {count:6,} × {refusal}")
    for what, seeds in tally.findings.items():
        print(f"FINDING {what}: seeds {seeds[:8]}, {len(seeds)} in all")
    return 1 if tally.findings else 0


def trials(tally: Tally, seed: int, cpu_seconds: float, scratch: str) -> Iterator[None]:
    """Runs workers until the time is over; a new one where one has ended."""
    spent_before = 0.0
    step = 1 if cpu_seconds else 0
    while True:
        errors = Path(scratch) / "errors"
        command = [sys.executable, "-S", "-P", "-m", "tests.fuzz.worker", str(seed), str(step), scratch]
        with (
            errors.open("wb") as log,
            subprocess.Popen(
                command, env=_environment(), cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True
            ) as worker,
        ):
            assert worker.stdout is not None
            doing = "begin"
            for line in worker.stdout:
                said = json.loads(line)
                seed, doing = said["seed"], said["doing"]
                tally.cpu_seconds = spent_before + said["cpu_seconds"]
                _count(tally, said)
                yield
                if doing != "begin" and step and tally.cpu_seconds >= cpu_seconds:
                    worker.terminate()
                    return
            worker.wait()
        if doing == "begin":
            _found(tally, seed, errors.read_text(errors="replace"))
        if not step:
            return
        spent_before, seed = tally.cpu_seconds, seed + 1


def _environment() -> dict[str, str]:
    environment = run_sanitized.environment()
    environment["ASAN_OPTIONS"] += ":hard_rss_limit_mb=4096:max_allocation_size_mb=2048"
    return environment


def _count(tally: Tally, said: dict[str, object]) -> None:
    if said["doing"] == "begin":
        tally.trials += 1
    elif said["doing"] == "finding":
        _found(tally, int(str(said["seed"])), str(said["report"]))
    elif said["refusal"]:
        tally.refusals[_kind(str(said["refusal"]))] += 1
    elif said["events"]:
        tally.indexed += 1
        tally.events += int(str(said["events"]))
    else:
        tally.empty += 1


def _kind(refusal: str) -> str:
    """A refusal without what differs from file to file."""
    return re.sub(r"[\d,]*\d", "N", re.sub(r"/\S+/", "", refusal))[:100]


def _found(tally: Tally, seed: int, report: str) -> None:
    what = _what(report)
    seeds = tally.findings.setdefault(what, [])
    seeds.append(seed)
    if len(seeds) > 1:
        return
    kept = KEPT / str(seed)
    kept.mkdir(parents=True, exist_ok=True)
    if not any(kept.iterdir()):
        write_mutant(seed, kept)
    (kept / "report.txt").write_text(report)
    print(f"FINDING with seed {seed} (files and report in {kept}): {what}\n{report[-REPORT_CHARS:]}", flush=True)


def _what(report: str) -> str:
    """What findings of one cause have in common: a sanitizer's summary, or the last line and where it was raised."""
    for mark in ("SUMMARY: ", "runtime error: "):
        if mark in report:
            return report.partition(mark)[2].splitlines()[0]
    lines = report.strip().splitlines() or ["the process ended without a word"]
    places = [line.strip() for line in lines if line.lstrip().startswith("File ")]
    return f"{re.sub(r'[0-9]+', 'N', lines[-1])[:160]} at {re.sub(r'.*/', '', places[-1]) if places else '?'}"


if __name__ == "__main__":
    sys.exit(main())
