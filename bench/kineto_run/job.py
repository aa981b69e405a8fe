"""All ranks of a job, which wait for each other in collectives, and the truth about them."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from bench.kineto_run.collective import Meeting
from bench.kineto_run.rank_program import RankProgram
from bench.kineto_run.shape import BASE_NS, KinetoShape

TRUTH = "truth.json"


def write_job(folder: Path, shape: KinetoShape) -> dict[str, object]:
    """Writes a file for each rank and cycle into a folder, which is made; what is true of them.

    Times of files are ns since `base` by the clock of their rank, those of collectives true times: without the
    `offsets` of ranks.
    """
    folder.mkdir(parents=True, exist_ok=True)
    ranks = [RankProgram(shape, rank, folder) for rank in range(shape.ranks)]
    meeting = Meeting()
    meeting.run([rank.run() for rank in ranks])
    meeting.done.sort(key=lambda instance: (instance["cycle"], instance["end"], instance["ranks"]))
    return {
        "shape": asdict(shape),
        "base": BASE_NS,
        "offsets": [shape.offset(rank) for rank in range(shape.ranks)],
        "ranks": [rank.files for rank in ranks],
        "collectives": meeting.done,
    }


def write_truth(folder: Path, truth: dict[str, object]) -> None:
    """Writes it beside the folder's files, where no trace is looked for."""
    (folder / TRUTH).write_text(json.dumps(truth))
