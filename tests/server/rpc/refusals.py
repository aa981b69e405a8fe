"""How calls are refused."""

from __future__ import annotations

from typing import Any

import grpc
import pytest


async def refusal(call: Any) -> tuple[grpc.StatusCode, str, str]:
    """Status code, code of the API and message of a call that is refused."""
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await call
    metadata = dict(tuple(refused.value.trailing_metadata()))
    return refused.value.code(), metadata.get("tilescope-code", ""), refused.value.details()
