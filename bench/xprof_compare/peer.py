"""xprof's answers: our side. What runs there is `peer_answers.py`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.xprof_compare.case import Case

SCRIPT = Path(__file__).with_name("peer_answers.py")


def ask_xprof(python: Path, cases: Sequence[Case], tools: Sequence[str], folder: Path) -> str:
    """Gives each case xprof's answers; its version. xprof leaves files beside a trace: it gets links to them."""
    request: dict[str, Any] = {"tools": list(tools), "cases": {}, "out": str(folder / "answers")}
    for case in cases:
        run = folder / "links" / case.name / "plugins" / "profile" / "run"
        run.mkdir(parents=True)
        for path in case.files:
            (run / path.name).symlink_to(path.resolve())
        request["cases"][case.name] = sorted(str(path) for path in run.glob("*.xplane.pb"))
    request_path = folder / "request.json"
    request_path.write_text(json.dumps(request))
    done = subprocess.run([python, SCRIPT, request_path], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"xprof gave no answers: {done.stderr[-2000:]}")
    for case in cases:
        paths = {which: folder / "answers" / case.name / f"{which}.json" for which in tools}
        case.theirs = {which: json.loads(path.read_text()) for which, path in paths.items() if path.exists()}
    return (folder / "answers" / "version").read_text()
