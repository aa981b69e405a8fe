"""Makes docs/client.ipynb: `python -m tests.client.write_notebook`. A test runs its cells and compares the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).resolve().parents[2] / "docs" / "client.ipynb"

# "#" begins a cell of text; every other one is code.
CELLS = (
    """# A profile in a notebook

This notebook asks questions of the trace that ships with Tilescope. It needs
Tilescope with its extra `notebook` (docs/install.md), and no server: `connect` takes the URL of one
(`http://localhost:8808`) or, as here, a store.""",
    """import tempfile
from pathlib import Path

import tilescope

store = tilescope.index("demo", Path(tempfile.mkdtemp()) / "demo.store")  # as `tilescope index` does
run = tilescope.connect(store).run()
run""",
    """# Where the time goes

The busiest names of the whole run. Counts and times are exact: each tick of `self` belongs to one event.""",
    """stats = run.stats(limit=10)
stats.to_pandas()""",
    """# What is the slowest step made of?

A table of the operations of that step. This trace is one of a CPU, where they are events by their names. For a run of
TPUs or GPUs ask `hlo_stats`, table `operations`, or `framework_ops`, table `device`: they have rates and bounds.""",
    """steps = run.ask("steps").table("steps").to_pandas()
slowest = int(steps.loc[steps["duration"].idxmax(), "step"])
print("step", slowest, "of", len(steps))
in_slowest = run.ask("stats", steps=str(slowest)).table("names").to_pandas()
in_slowest.nlargest(10, "self")[["name", "count", "self", "share"]]""",
    """# Which of a track's events are the longest?""",
    """busiest = max(run.tracks(kind="slice"), key=lambda track: track.busy)
events = run.events(tracks=busiest).to_pandas()
events.nlargest(5, "duration")[["name", "start", "duration", "row"]]""",
    """# Where does a name occur, and what was it called with?""",
    """found = run.find("dot", limit=100)
first = next(iter(found))
print(found.count, "times on", len(found.per_track), "tracks")
dict(run.event(first["track"], first["ordinal"]).args)""",
    """# Arguments of many events, as columns""",
    """ops = run.events(columns=["name", "duration", "args.hlo_op"], where="arg:program_id>0 dur>1us").to_pandas()
ops.groupby("args.hlo_op", observed=True)["duration"].sum().nlargest(5)""",
    """# What a viewer would draw

The same pages that the browser gets: long events by themselves, the others in bins that count every one of them.""",
    """view = run.view(px=800, tracks=busiest)
assert view.bins["count"].sum() + len(view.slices) == busiest.events
view.bins.to_pandas().head()""",
)


def notebook() -> dict[str, Any]:
    """The file's content, without outputs: they would change with every version of pandas."""
    return {
        "cells": [_cell(number, text) for number, text in enumerate(CELLS)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _cell(number: int, text: str) -> dict[str, Any]:
    cell = {"id": f"cell-{number}", "metadata": {}, "source": text.splitlines(keepends=True)}
    if text.startswith("#"):
        return {"cell_type": "markdown", **cell}
    return {"cell_type": "code", "execution_count": None, "outputs": [], **cell}


def text() -> str:
    """The file."""
    return json.dumps(notebook(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    NOTEBOOK.write_text(text())
