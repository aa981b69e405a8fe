"""Writes a synthetic training on Ascend, with its truth beside it.

python -m bench.ascend_run FOLDER                        small, as MindSpore Insight had it
python -m bench.ascend_run FOLDER --kind ascend_pt       as torch_npu writes it; ascend_ms: as MindSpore does
python -m bench.ascend_run FOLDER --kind base            500 trainings of 8 ranks: 80,000 files
python -m bench.ascend_run FOLDER --kind hostile         damaged copies

Ten million events, a million kernels of each rank:
python -m bench.ascend_run FOLDER --kind ascend_pt --ranks 8 --steps 10 --layers 6662 --reduce-every 100 \\
    --pause-every 8 --launches 0
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from bench.ascend_run import (
    AscendShape,
    Training,
    truth,
    write_ascend,
    write_base_folder,
    write_hostile,
    write_profiler,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Says what was written."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.ascend_run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="a folder that is made")
    kinds = ("profiler", "ascend_pt", "ascend_ms", "base", "hostile")
    parser.add_argument("--kind", choices=kinds, default="profiler", help="default: profiler")
    usual = AscendShape()
    names = [field.name for field in fields(AscendShape)]
    for name in names:
        value = getattr(usual, name)
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=value, help=f"default: {value}")
    args = parser.parse_args(argv)
    folder: Path = args.folder
    if args.kind == "base":
        print(f"{write_base_folder(folder):,} files")
        return 0
    training = Training(AscendShape(**{name: getattr(args, name) for name in names}))
    folder.mkdir(parents=True, exist_ok=True)
    if args.kind == "hostile":
        (folder / "damage.json").write_text(json.dumps(write_hostile(folder, training), indent=2))
    elif args.kind == "profiler":
        write_profiler(folder / "summary" / "profiler", training)
    else:
        write_ascend(folder, training, "pt" if args.kind == "ascend_pt" else "ms")
    (folder / "truth.json").write_text(json.dumps(truth(training)))
    print(f"{folder}: {args.kind}, truth.json beside it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
