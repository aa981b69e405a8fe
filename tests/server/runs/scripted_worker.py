"""A worker process that does what the name of the trace says. Speaks as `tilescope.server.runs.worker` does."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path


def say(**message: object) -> None:
    print(json.dumps(message), flush=True)


def main() -> int:
    job = json.loads(sys.stdin.buffer.readline())
    what = Path(job["files"][0]).stem
    say(type="progress", phase="read", fraction=0.5, events=2**60)
    if what == "bad":
        say(type="failed", error="bad.trace: byte 7: no trace")
    elif what == "full":
        say(type="failed", error=f"{job['store']}: the disk is full: 5 MB are free there", no_room=True)
    elif what == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif what == "exit":
        print("MemoryError: no more", file=sys.stderr)
        return 3
    elif what == "silent":
        return 0
    elif what == "half":
        sys.stdout.write('{"type": "do')
        return 1
    elif what == "noisy":
        sys.stderr.write("noise\n" * 200_000)
        say(type="done")
    elif what == "rich":
        counts = {"events": 7, "bytes_read": 8, "bytes_total": 9, "tracks": 10, "blocks_done": 2, "blocks": 11}
        of_build = {"seconds_left": 1.5, "build": "b1", "revision": 3, "built": [4, 1], "unheard_of": None}
        say(type="progress", phase="build", fraction=0.75, **counts, **of_build)
        say(type="done")
    elif what == "hears":
        wanted = json.loads(sys.stdin.buffer.readline())["want"]
        say(type="progress", phase="heard", fraction=0.5, events=0, built=wanted)
        say(type="done")
    elif what in ("slow", "stubborn"):
        if what == "stubborn":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        Path(job["store"]).with_suffix(".pid").write_text(str(os.getpid()))
        say(type="progress", phase="wait", fraction=0.5, events=1)
        time.sleep(60)  # until it is ended; by itself, should nobody do so
    else:
        say(type="done")
    return 0


if __name__ == "__main__":
    sys.exit(main())
