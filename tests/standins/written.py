"""All stand-ins in a folder, by the names that tests know them by."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.demo import DEMO_TRACE
from tests.standins.gap import write_gap
from tests.standins.training import write_training
from tilescope.tiler.synth import write_synthetic_trace

DEVICES = "devices.xplane.pb"
TRAINING = "training.pt.trace.json"
GAP = "gap.json"
DEMO = "jax-on-cpu.xplane.pb"
STANDINS = (DEVICES, DEMO, TRAINING, GAP)
MANGLED = "mangled.xplane.pb"


def write_standins(folder: Path) -> list[Path]:
    """Writes them, and returns the paths of the sound ones in the order of `STANDINS`, and last the damaged one's."""
    write_synthetic_trace(folder / DEVICES, format="xspace", events=20_000, tracks=24, seed=3)
    shutil.copyfile(DEMO_TRACE, folder / DEMO)
    write_training(folder / TRAINING)
    write_gap(folder / GAP)
    # What becomes of bytes that somebody has read and written as text.
    (folder / MANGLED).write_text(DEMO_TRACE.read_bytes().decode(errors="replace"), encoding="utf-8")
    return [folder / name for name in (*STANDINS, MANGLED)]
