"""Messages of the watch: JSON texts, parsed strictly on the way in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from tilescope.server.errors import BadMessage
from tilescope.server.json_text import json_body
from tilescope.server.runs.run import IndexProgress, RunStatus

MAX_MESSAGE_BYTES: Final = 64 * 1024
MAX_BLOCKS: Final = 4096  # in one message
_BLOCK_LIMIT: Final = 2**32

_NOTHING_YET: Final = IndexProgress("", 0.0, 0)


def progress_message(status: RunStatus) -> str:
    """How far a run is that cannot be shown in full yet."""
    progress = (status.progress or _NOTHING_YET).to_json()
    if status.progress is None:
        progress["phase"] = status.state
    return _text({"type": "progress", "state": status.state, "build": status.build, **progress})


def blocks_message(build: str, blocks: Sequence[int]) -> str:
    """These blocks of a build that grows are done."""
    return _text({"type": "blocks", "build": build, "blocks": list(blocks)})


def ready_message(build: str) -> str:
    """All is done and published."""
    return _text({"type": "ready", "build": build})


def failed_message(error: str) -> str:
    """The run cannot be shown."""
    return _text({"type": "failed", "error": error})


def error_message(code: str, message: str) -> str:
    """Why the server is about to close."""
    return _text({"type": "error", "code": code, "message": message})


def parse_want(text: str) -> tuple[int, ...]:
    """The blocks that a client looks at, most urgent first. Raises `BadMessage`."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise BadMessage("a message is a JSON object") from None
    if not isinstance(message, dict) or message.get("type") != "want":
        raise BadMessage('the type of a message is "want"')
    blocks = message.get("blocks")
    if not isinstance(blocks, list) or len(blocks) > MAX_BLOCKS:
        raise BadMessage(f'"blocks" is an array of at most {MAX_BLOCKS:,} block numbers')
    if not all(type(block) is int and 0 <= block < _BLOCK_LIMIT for block in blocks):
        raise BadMessage("a block is an integer from 0 on")
    return tuple(blocks)


def _text(message: dict[str, Any]) -> str:
    return json_body(message).decode()
