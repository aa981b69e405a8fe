"""The events of a span as batches of columns."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

import numpy as np

from tilescope.server.rpc.requests import optional, tracks_of
from tilescope.server.services import EventPart, EventsQuestion, Questions
from tilescope.server.services.workers import Asking
from tilescope.tiler.pages import SliceFlag
from tilescope.tiler.tools import from_values
from tilescope.v1 import tiles_pb2 as pb


async def batches(
    questions: Questions, asking: Asking, request: pb.EventsRequest
) -> AsyncGenerator[pb.EventBatch, None]:
    """A batch for each page of events, until all are sent, or as many as the request wants."""
    values = {
        "tracks": tracks_of(request),
        "start": optional(request, "start"),
        "end": optional(request, "end"),
        "after": request.after or None,
        "steps": request.steps or None,
        "step_name": request.step_name or None,
    }
    question = from_values(EventsQuestion, values)
    left = optional(request, "limit")
    async with aclosing(questions.all_events(asking, request.run, request.build, question)) as parts:
        async for part in parts:
            if left is not None:
                part = EventPart(part.events.take(slice(left)), part.names)
                left -= len(part.events)
            if len(part.events):
                yield _batch(part)
            if left == 0:
                return


def _batch(part: EventPart) -> pb.EventBatch:
    events = part.events
    is_open = (events.flags & SliceFlag.OPEN) != 0
    return pb.EventBatch(
        track=events.track,
        ordinal=events.ordinal.tolist(),
        name_id=events.name.tolist(),
        start=events.start.tolist(),
        duration=events.duration.tolist(),
        row=events.row.tolist(),
        open=is_open.tolist() if is_open.any() else [],
        flags=events.flags.tolist() if events.flags.any() else [],
        value=[] if np.isnan(events.value).all() else events.value.tolist(),
        names={name_id: pb.Name(name=name.text, category=name.category) for name_id, name in part.names.items()},
    )
