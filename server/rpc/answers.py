"""Answers to questions as gRPC sends them: serialised messages, made where the answers are found."""

from __future__ import annotations

import json

from msgspec import to_builtins

from tilescope.server.rpc.messages import to_message
from tilescope.tiler.pages import decompress
from tilescope.tiler.schema import Manifest
from tilescope.v1 import tiles_pb2 as pb


def open_answer(manifest: Manifest, tree: bytes) -> bytes:
    """An `OpenResponse`; the tree as it is stored."""
    return to_message(
        {"manifest": to_builtins(manifest), **json.loads(decompress(tree))}, pb.OpenResponse()
    ).SerializeToString()
