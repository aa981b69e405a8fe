"""A run whose files are tables beside a timeline."""

from __future__ import annotations

import csv
import json
from pathlib import Path

HEADER = ["Name", "Type", "Accelerator Core", "Start Time(us)", "Duration(us)", "Block Dim", "aiv_ratio"]


def kernel_rows(count: int) -> list[list[str]]:
    """Rows as msprof writes them: N/A, decimals of many digits, and a text among numbers."""
    return [
        [
            f"aclnnAdd_{k % 7}",
            ("Add", "MatMul", "Cast")[k % 3],
            "AI_CORE" if k % 3 == 1 else "AI_VECTOR_CORE",
            f"{1736413971558972 + 13 * k}.{k * 37 % 1000:03d}\t",
            f"{(k * 7919) % 5000 / 100}",
            str(k % 40),
            "N/A" if k % 5 == 0 else ("1e-05" if k % 11 == 0 else f"0.{k % 997}"),
        ]
        for k in range(count)
    ]


def write_tables(folder: Path, count: int = 300) -> list[Path]:
    """A timeline, and two tables of the same run."""
    trace, kernels, unknown = folder / "trace_view.json", folder / "kernel_details.csv", folder / "l2_cache.csv"
    events = [{"ph": "X", "name": "op", "pid": 1, "tid": 1, "ts": 10 * k, "dur": 5} for k in range(3)]
    trace.write_text(json.dumps(events))
    with kernels.open("w", newline="") as file:
        csv.writer(file).writerows([HEADER, *kernel_rows(count)])
    unknown.write_text("Stream Id,Task Id,Hit Rate,Victim Rate\n1,2,0.5,0.25\n1,3,,0.125\n")
    return [trace, kernels, unknown]
