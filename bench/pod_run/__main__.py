"""Writes a synthetic training run of a TPU pod, with its truth beside it.

python -m bench.pod_run FOLDER                                                  small
python -m bench.pod_run FOLDER --hosts 2 --chips 4 --layers 13300 --steps 31    10 million of 40,000 instructions
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from bench.pod_run import PodShape, write_pod


def main(argv: Sequence[str] | None = None) -> int:
    """Says what was written."""
    parser = argparse.ArgumentParser(prog="python -m bench.pod_run", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="a log folder that is made")
    usual = PodShape()
    names = [field.name for field in fields(PodShape)]
    for name in names:
        value = getattr(usual, name)
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=value, help=f"default: {value}")
    args = parser.parse_args(argv)
    pod = write_pod(args.folder, PodShape(**{name: getattr(args, name) for name in names}))
    for path in pod.files:
        print(path)
    print(f"{pod.events:,} operations")
    return 0


if __name__ == "__main__":
    sys.exit(main())
