"""A program as somebody writes it who knows docs/client.md and nothing else: `python stranger.py ADDRESS`.

`mypy --strict` reads it with all tests; test_stranger.py runs it against a store and against servers.
"""

from __future__ import annotations

import sys
from datetime import timedelta

import duckdb
import numpy as np
import polars

import tilescope
from tilescope import Progress, Refused, RunState, Track, TrackKind, Unreachable, UsageError, connect


def busiest(run: tilescope.Run, kind: TrackKind) -> Track:
    return max(run.tracks(kind=kind), key=lambda track: track.busy)


def share_of(run: tilescope.Run, name: str) -> float:
    stats = run.stats(tracks=busiest(run, "slice"))
    rows = {row["name"]: row["self"] for row in stats}
    return float(rows[name] / stats.total.self)


def how_far(progress: Progress) -> str:
    state: RunState = progress.state
    return f"{state} {progress.fraction:.0%}"


def main(address: str) -> None:
    with connect(address) as client:
        print(client, [(info.name, info.state, info.size_bytes) for info in client.runs()])
        print([how_far(progress) for progress in client.watch(client.runs()[0].name)])
        run = client.run()
        print(run)

        # Times, there and back.
        length = run.end - run.start
        window = run.ticks(us=100)
        assert window == run.ticks("100 us") == run.ticks(s=0.0001) == run.ticks(timedelta(microseconds=100))
        print(run.time_text(length), run.timedelta(length))
        try:
            run.stats(0, 0.1)  # type: ignore[arg-type]
        except UsageError as error:
            print("refused:", error)

        # Tables, in whatever reads them.
        track = busiest(run, "slice")
        print(track.path, track.name)
        events = run.events("0 s", "10 s", tracks=track)
        print(events)
        milliseconds = run.timedelta(events["duration"]) / np.timedelta64(1, "ms")
        frame = polars.DataFrame(events).with_columns(ms=milliseconds)
        top = frame.group_by("name").agg(polars.len(), polars.col("duration").sum()).sort("duration", descending=True)
        query = "SELECT name, count(*), sum(duration) FROM events GROUP BY name ORDER BY 3 DESC, name LIMIT 1"
        ((name, count, duration),) = duckdb.execute(query).fetchall()
        assert (count, duration) == top.row(0)[1:]
        assert sum(len(batch) for batch in run.event_batches(tracks=track)) == track.events == len(events)
        assert len(polars.DataFrame(run.tracks())) == len(run.tracks())

        # Answers.
        stats = run.stats(tracks=track, limit=5)
        print(stats)
        assert stats.columns[:6] == ["name", "category", "count", "share", "busy", "self"]
        found = run.find(name, tracks=[track], match="exact")
        first = next(iter(found))
        event = run.event(first["track"], first["ordinal"])
        assert (event.start, event.duration) == (first["start"], first["duration"])
        print(event.name, dict(event.args), event.flags)
        print(f"{share_of(run, name):.1%}")
        print(run.ask("stats", tracks=track, limit=2).fact("names").value)
        bins = run.ask("bins", track=track.id, px=200).table("bins")
        view = run.view(px=200, tracks=track)
        assert bins["count"].sum() == view.bins["count"].sum()
        print(view.bins)

        # What goes wrong.
        try:
            run.event(track, 10**12)
        except Refused as refused:
            print("refused:", refused.code, refused)
    try:
        connect("http://127.0.0.1:1").runs()
    except Unreachable as error:
        print("unreachable:", error)


if __name__ == "__main__":
    main(sys.argv[1])
