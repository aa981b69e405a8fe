"""Writes a synthetic training on Ascend, with its truth beside it.

python -m bench.ascend_run FOLDER                                                    small
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from bench.ascend_run import AscendShape, Training, truth, write_profiler


def main(argv: Sequence[str] | None = None) -> int:
    """Says what was written."""
    parser = argparse.ArgumentParser(prog="python -m bench.ascend_run", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="a folder that is made")
    usual = AscendShape()
    names = [field.name for field in fields(AscendShape)]
    for name in names:
        value = getattr(usual, name)
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=value, help=f"default: {value}")
    args = parser.parse_args(argv)
    training = Training(AscendShape(**{name: getattr(args, name) for name in names}))
    files = write_profiler(args.folder / "summary" / "profiler", training)
    (args.folder / "truth.json").write_text(json.dumps(truth(training)))
    for path in files:
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
