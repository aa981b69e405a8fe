"""A run whose files say what ranks transfer and wait for, as newer profilers of Ascend devices write it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def _operator(step: int) -> dict[str, Any]:
    packets = {"4.194304": [2 + step, 0.5], "0.003072": [1, 0.002]}
    return {
        "Communication Time Info": {
            "Start Timestamp(us)": 1_767_225_600_000_000.5 + 1000 * step,
            "Elapse Time(ms)": 1.25,
            "Transit Time(ms)": 0.502,
            "Wait Time(ms)": 0.7 + step / 100,
            "Synchronization Time(ms)": 0.6,
            "Idle Time(ms)": 0.04,
        },
        "Communication Bandwidth Info": {
            "HCCS": {"Transit Size(MB)": 8.391680, "Transit Time(ms)": 0.502, "Size Distribution": packets},
            "SDMA": {"Transit Size(MB)": 8.391680, "Transit Time(ms)": 0.502, "Size Distribution": {}},
        },
    }


_HEADER = "Step,Type,Index,Computing,Communication(Not Overlapped),Overlapped,Free,Stage,Bubble"


def write_communication(folder: Path, steps: int = 5) -> Path:
    """A folder: `communication.json` with an all-reduce in each step, and what steps of two ranks are made of."""
    by_step = {
        f"step{step}": {"p2p": {}, "collective": {f"hcom_allReduce__501_{step}@7": _operator(step)}}
        for step in range(1, steps + 1)
    }
    folder.mkdir()
    (folder / "communication.json").write_text(json.dumps(by_step))
    rows = [
        f"{step},rank,{rank},{80_000.5 + 9000 * rank},{700 + step},55.25,{1000 * step},{90_000},0"
        for step in range(1, steps + 1)
        for rank in range(2)
    ]
    (folder / "cluster_step_trace_time.csv").write_text("\n".join([_HEADER, *rows]) + "\n")
    return folder
