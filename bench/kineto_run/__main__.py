"""Writes a synthetic training with PyTorch, with its truth beside it.

python -m bench.kineto_run FOLDER                small: eight ranks on two hosts, two cycles of two steps
python -m bench.kineto_run FOLDER --hostile      damaged copies, a folder each

Ten million events:
python -m bench.kineto_run FOLDER --cycles 1 --steps 50 --layers 396
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from bench.kineto_run.hostile import VARIANTS, write_hostile
from bench.kineto_run.job import write_job, write_truth
from bench.kineto_run.shape import KinetoShape


def main(argv: Sequence[str] | None = None) -> int:
    """Says what was written."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.kineto_run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="a folder that is made")
    parser.add_argument("--hostile", action="store_true", help="damaged copies of one cycle")
    usual = KinetoShape()
    names = [field.name for field in fields(KinetoShape)]
    for name in names:
        value = getattr(usual, name)
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=value, help=f"default: {value}")
    args = parser.parse_args(argv)
    folder: Path = args.folder
    shape = KinetoShape(**{name: getattr(args, name) for name in names})
    if args.hostile:
        for variant in VARIANTS:
            write_hostile(folder / variant.name, shape, variant)
        print(f"{folder}: {len(VARIANTS)} damaged copies")
        return 0
    truth = write_job(folder / "traces", shape)
    write_truth(folder, truth)
    files = [file for rank in truth["ranks"] for file in rank]  # type: ignore[attr-defined]
    print(f"{folder}: {len(files)} files, {sum(file['events'] for file in files):,} events, truth.json beside them")
    return 0


if __name__ == "__main__":
    sys.exit(main())
