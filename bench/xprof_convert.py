"""Run by an interpreter that has xprof: makes the streaming tables of one trace, and says what that took.

    PYTHON xprof_convert.py LOGDIR/plugins/profile/RUN/HOST.xplane.pb

Prints JSON: xprof's version, and wall and processor seconds of the conversion alone, without imports. It imports
nothing of this project, which need not be installed there. The tables lie beside the trace, as HOST*.SSTABLE.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

from xprof.convert import raw_to_tool_data

OPTIONS = {"resolution": "8000", "start_time_ms": None, "end_time_ms": None}


def main(path: Path) -> None:
    """Converts as xprof's server does when its trace viewer is opened."""
    host = path.name.removesuffix(".xplane.pb")
    parameters = {"trace_viewer_options": OPTIONS, "hosts": [host], "use_saved_result": False}
    begin, cpu_begin = time.perf_counter(), time.process_time()
    data, _content_type = raw_to_tool_data.xspace_to_tool_data([str(path)], "trace_viewer@", parameters)
    seconds, cpu_seconds = time.perf_counter() - begin, time.process_time() - cpu_begin
    if not data:
        sys.exit("xprof gave no answer")
    # On a line of its own, whatever logs are around it.
    print("\n" + json.dumps({"version": version("xprof"), "seconds": seconds, "cpu_seconds": cpu_seconds}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
