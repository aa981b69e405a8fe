from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from tilescope.server import errors
from tilescope.server.errors import ServerError, answer_to, message_of
from tilescope.tiler.errors import (
    DamagedStore,
    DamagedTrace,
    DiskFull,
    NoStore,
    NotAvailable,
    StoreVersion,
    TilescopeError,
    ToolFailed,
)
from tilescope.tiler.schema import ErrorCode


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (errors.NotFound("x"), 404, "not_found"),
        (errors.UnknownBuild("x"), 404, "unknown_build"),
        (errors.Unauthorized("x"), 401, "unauthorized"),
        (errors.Forbidden("x"), 403, "forbidden"),
        (errors.PreconditionRequired("x"), 428, "precondition_required"),
        (errors.TooManyRequests("x"), 429, "too_many"),
        (errors.TooSlow("x"), 408, "too_slow"),
        (errors.NoRoomToIndex("x"), 507, "disk_full"),
        (DiskFull("x"), 507, "disk_full"),
        (errors.NotIndexed("x"), 409, "not_indexed"),
        (errors.IndexingFailed("x"), 422, "bad_trace"),
        (NoStore("x"), 409, "not_indexed"),
        (StoreVersion("x"), 422, "bad_store"),
        (DamagedStore("x"), 500, "bad_store"),
        (DamagedTrace(Path("t"), "cut"), 422, "bad_trace"),
        (NotAvailable("x"), 422, "not_available"),
        (ToolFailed("x"), 500, "tool_failed"),
        (TilescopeError("x"), 500, "internal"),
        (KeyError("x"), 500, "internal"),
    ],
)
def test_table(error: Exception, status: int, code: str) -> None:
    answer = answer_to(error)
    assert (answer.status, answer.code) == (status, code)
    assert code in get_args(ErrorCode)


def test_every_error_of_the_server_is_in_the_table() -> None:
    for kind in ServerError.__subclasses__():
        assert answer_to(kind("x")).code != "internal", kind


def test_only_messages_for_people_are_told() -> None:
    assert message_of(DamagedStore("track 3")) == "track 3"
    assert "secret" not in message_of(ValueError("secret"))
