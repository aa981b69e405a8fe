"""Errors."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

ErrorCode = Literal[
    "bad_message",
    "bad_request",
    "bad_store",
    "bad_trace",
    "busy",
    "cancelled",
    "disk_full",
    "forbidden",
    "internal",
    "method_not_allowed",
    "not_acceptable",
    "not_available",
    "not_built_yet",
    "not_found",
    "not_indexed",
    "precondition_failed",
    "precondition_required",
    "question_failed",
    "too_large",
    "too_many",
    "too_slow",
    "tool_failed",
    "unauthorized",
    "unknown_build",
]


class Refusal(Struct, frozen=True, kw_only=True):
    """Code and message of an error."""

    code: Annotated[ErrorCode, Meta(description="For programs.")]
    message: Annotated[str, Meta(description="For people: one line.")]


class ErrorAnswer(Struct, frozen=True, kw_only=True):
    """The body of every answer with an error status."""

    error: Refusal

    @classmethod
    def from_code(cls, code: ErrorCode, message: str) -> ErrorAnswer:
        """That of a code and a line."""
        return cls(error=Refusal(code=code, message=message))
