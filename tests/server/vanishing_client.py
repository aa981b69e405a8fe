"""A gRPC client that makes calls of every kind at once and is gone: `vanishing_client.py ADDRESS RUN BUILD SEED`."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

import grpc

import tilescope.v1.tiles_pb2_grpc as tiles_pb2_grpc
from tilescope.v1 import tiles_pb2 as pb


def calls_of(tiles: Any, run: str, build: str) -> list[Callable[[], Any]]:
    def ask(tool: str, question: bytes = b"{}") -> Any:
        return tiles.Ask(pb.AskRequest(run=run, build=build, tool=tool, question=question))

    place: dict[str, Any] = {"run": run, "build": build}
    return [
        lambda: ask("stats"),
        lambda: ask("search", b'{"query": "/./"}'),
        lambda: ask("overview"),
        lambda: tiles.Events(pb.EventsRequest(**place)),
        lambda: tiles.Watch(pb.WatchRequest(run=run)),
        lambda: tiles.View(pb.ViewRequest(**place, start=0, end=10**12, px=1000)),
        lambda: tiles.Pages(iter([pb.PagesRequest()])),
        lambda: tiles.ReadAttachment(pb.ReadAttachmentRequest(**place)),
        lambda: tiles.Details.future(pb.DetailsRequest(**place, track=1, ordinal=1)),
        lambda: tiles.Names.future(pb.NamesRequest(**place)),
        lambda: tiles.Shape.future(pb.ShapeRequest(**place)),
        lambda: tiles.ListRuns.future(pb.ListRunsRequest()),
        lambda: tiles.ListTools.future(pb.ListToolsRequest()),
        lambda: tiles.Open.future(pb.OpenRequest(run=run)),
    ]


def main() -> None:
    address, run, build, seed = sys.argv[1:]
    rng = random.Random(int(seed))
    channel = grpc.insecure_channel(address)
    kinds = calls_of(tiles_pb2_grpc.TilesStub(channel), run, build)
    calls = [rng.choice(kinds)() for _ in range(rng.randrange(1, 30))]
    print("asked", flush=True)
    time.sleep(rng.random() ** 3 * 0.2)
    match rng.randrange(3):
        case 0:
            os.kill(os.getpid(), signal.SIGKILL)
        case 1:
            for call in calls:
                call.cancel()
    os._exit(0)


if __name__ == "__main__":
    main()
