"""Run by an interpreter that has xprof: writes its answers about some traces into a folder.

    PYTHON peer_answers.py REQUEST.json

The request has `tools`, `cases` (files of the hosts, by name) and `out`. Imports nothing of this project.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from xprof.convert import raw_to_tool_data


def main(request: dict[str, Any]) -> None:
    """A file for each answer; a tool that has none for a trace leaves none."""
    out = Path(request["out"])
    for name, paths in request["cases"].items():
        (out / name).mkdir(parents=True)
        hosts = [Path(path).name.removesuffix(".xplane.pb") for path in paths]
        for tool in request["tools"]:
            which, _, group = tool.partition(".by_")
            options: dict[str, Any] = {"use_saved_result": False, "hosts": hosts, "tqx": "out:json;"}
            if group:
                options["group_by"] = group
            try:
                data, _content_type = raw_to_tool_data.xspace_to_tool_data(paths, which, options)
            except Exception as error:  # whatever it raises: it has no answer
                print(f"{name}: {which}: {error}", file=sys.stderr)
                continue
            if data:
                raw = data if isinstance(data, bytes) else data.encode()
                (out / name / f"{tool}.json").write_bytes(raw)
    (out / "version").write_text(version("xprof"))


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text()))
