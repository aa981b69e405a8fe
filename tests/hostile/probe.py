"""What a store holds, as a line of JSON: `python -m tests.hostile.probe STORE`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.pages import decompress
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store import open_run_store
from tilescope.tiler.store.store import need

# Events are listed one by one in stores of so few.
FEW_EVENTS = 300


def probe(path: Path) -> dict[str, Any]:
    """`events`, `tracks`, `hosts`, `said` (counts and warnings), and `spans` of slices where there are few."""
    store = open_run_store(path)
    try:
        manifest = store.manifest()
        tree = json.loads(decompress(need(store, TRACKS)))
        tracks = [track for track in tree["tracks"] if track["kind"] != "rollup"]
        few = sum(int(track["events"]) for track in tracks) <= FEW_EVENTS
        tick_ps = int(manifest["tick_ps"])
        spans = []
        for track in tracks if few else ():
            for ordinal in range(int(track["events"])):
                event = event_details(store, track["id"], ordinal)
                assert event is not None, f"track {track['id']} has no event {ordinal}"
                if track["kind"] in ("slice", "async"):
                    spans.append((event["name"], int(event["start"]) * tick_ps, int(event["duration"]) * tick_ps))
        return {
            "events": int(manifest["events"]["total"]),
            "tracks": len(tracks),
            "hosts": manifest["hosts"],
            "said": [*(f"{n} × {reason}" for reason, n in manifest["ignored"].items()), *manifest["warnings"]],
            "spans": sorted(spans) if few else None,
        }
    finally:
        store.close()


if __name__ == "__main__":
    print(json.dumps(probe(Path(sys.argv[1]))))
