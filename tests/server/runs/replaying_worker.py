"""A worker process that writes a finished store anew, block by block. Speaks as `tilescope.server.runs.worker` does.

`python replaying_worker.py FINISHED`. It shows the run, finishes its last block, waits to be told what is wanted, and
finishes that first, then the others; it publishes when it is told what is wanted once more.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))  # a process of its own knows nothing of how tests are found

from tests.tiler.store.replayed_build import ReplayedBuild

BUILD = "00ff00ff00ff00ff00ff00ff"


def main(finished: str) -> None:
    job = json.loads(sys.stdin.buffer.readline())
    build = ReplayedBuild(Path(finished), Path(job["store"]), BUILD)
    done: list[int] = []

    def say(phase: str, built: list[int]) -> None:
        of_build = {"build": BUILD, "revision": 1, "blocks": build.blocks, "blocks_done": len(done), "built": built}
        message = {"type": "progress", "phase": phase, "fraction": len(done) / build.blocks, "events": 7, **of_build}
        print(json.dumps(message), flush=True)

    def finish(block: int) -> None:
        build.finish(block)
        done.append(block)
        say("build", [block])

    build.show(1)
    say("read", [])
    finish(build.blocks - 1)
    wanted = json.loads(sys.stdin.buffer.readline())["want"]
    for block in [*wanted, *range(build.blocks)]:
        if block not in done:
            finish(block)
    sys.stdin.buffer.readline()
    build.publish()
    print(json.dumps({"type": "done"}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
