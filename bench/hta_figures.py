"""Run by an interpreter that has HolisticTraceAnalysis: what it says of the ranks of one PyTorch run.

    PYTHON hta_figures.py TRACE ...

Prints JSON: of each analysis its tables as lists of rows; a text says why there are none. It imports nothing of this
project. Mean and percentiles of queues depend on the order of events of one microsecond, which HTA
sorts anew, and are left out.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import pandas
from hta.trace_analysis import TraceAnalysis  # type: ignore[import-not-found]

QUEUE_COLUMNS = ("count", "min", "max")


def main(paths: list[Path]) -> None:
    """All analyses that need no picture."""
    warnings.simplefilter("ignore")
    analysis = quietly(
        lambda: TraceAnalysis({rank: str(path) for rank, path in enumerate(paths)}, str(paths[0].parent))
    )
    analyses = {
        "temporal breakdown": quietly(lambda: analysis.get_temporal_breakdown(visualize=False)),
        "kernels": quietly(lambda: analysis.get_gpu_kernel_breakdown(visualize=False)),
        "overlap": quietly(lambda: analysis.get_comm_comp_overlap(visualize=False)),
        "idle time": quietly(lambda: analysis.get_idle_time_breakdown(visualize=False)),
        "launches": quietly(lambda: analysis.get_cuda_kernel_launch_stats(visualize=False)),
        "user annotations": quietly(lambda: analysis.get_gpu_user_annotation_breakdown(visualize=False)),
        "memory bandwidth": quietly(analysis.get_memory_bw_summary),
        "queue lengths": quietly(lambda: queues(analysis.get_queue_length_summary())),
    }
    print(json.dumps({name: rows(answer) for name, answer in analyses.items()}))


def quietly(ask: Any) -> Any:
    """The answer, without what is logged meanwhile; a text where HTA has none."""
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return ask()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def queues(summary: Any) -> Any:
    return summary[[column for column in summary.columns if column[-1] in QUEUE_COLUMNS]]


def rows(answer: Any) -> Any:
    """Tables as sorted rows of texts, in any depth."""
    if isinstance(answer, pandas.DataFrame):
        table = answer.reset_index() if any(answer.index.names) else answer  # others are places of rows
        return sorted([text(value) for value in row] for row in table.to_numpy().tolist())
    if isinstance(answer, dict):
        return {str(key): rows(value) for key, value in answer.items()}
    if isinstance(answer, tuple | list):
        return [rows(value) for value in answer]
    return str(answer)


def text(value: Any) -> str:
    """A value as text, ten digits of a double: its last ones depend on the order in which values were added up."""
    return f"{value:.10g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])
