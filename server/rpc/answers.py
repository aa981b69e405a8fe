"""Answers to questions as gRPC sends them: serialised messages, made where the answers are found."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tilescope.server.rpc.messages import to_message
from tilescope.tiler.pages import decompress
from tilescope.v1 import tiles_pb2 as pb


def open_answer(manifest: Mapping[str, Any], tree: bytes) -> bytes:
    """An `OpenResponse`; the tree as it is stored."""
    return to_message({"manifest": manifest, **json.loads(decompress(tree))}, pb.OpenResponse()).SerializeToString()
