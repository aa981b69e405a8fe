"""Stacks of a dictionary of frames, whatever is written in it."""

from __future__ import annotations

import json

import pytest

from tilescope.tiler.details.stack_frames import MAX_FRAMES, StackFrames

FRAMES = {
    "1": {"name": "main", "category": "app"},
    "2": {"name": "parse", "parent": "1"},
    "3": {"name": "alloc", "parent": 2},
    "4": {"parent": "3"},
    "5": {"name": 7, "parent": "missing"},
    "6": {"name": "round", "parent": "7"},
    "7": {"name": "about", "parent": "6"},
    "8": ["no frame"],
    "9": {"name": "leaf", "parent": "8"},
    "0x1a": {"name": "text id", "parent": None},
}


@pytest.mark.parametrize(
    ("frame", "names"),
    [
        (3, ["main", "parse", "alloc"]),
        ("3", ["main", "parse", "alloc"]),
        (2, ["main", "parse"]),
        (4, ["main", "parse", "alloc", "4"]),  # a frame without a name
        (5, ["7"]),
        (6, ["about", "round"]),  # a circle
        (8, []),
        (9, ["leaf"]),
        ("0x1a", ["text id"]),
        (99, []),
        (None, []),
        (True, []),
        (1.0, []),
        ([1], []),
    ],
)
def test_stack(frame: object, names: list[str]) -> None:
    assert StackFrames(json.dumps(FRAMES).encode()).stack(frame) == names


def test_deep_stacks_end() -> None:
    frames = {str(k): {"name": f"f{k}", "parent": k - 1} for k in range(5 * MAX_FRAMES)}
    stack = StackFrames(json.dumps(frames).encode()).stack(5 * MAX_FRAMES - 1)
    assert len(stack) == MAX_FRAMES
    assert stack[-1] == f"f{5 * MAX_FRAMES - 1}"


def test_of_several_dictionaries_the_first_counts() -> None:
    frames = StackFrames(b'{"1": {"name": "a"}}', b"[]", b'{"1": {"name": "b"}, "2": {"name": "c", "parent": 1}}')
    assert frames.stack(2) == ["a", "c"]


@pytest.mark.parametrize("text", [b"", b"[1]", b"{", b'{"1": ' + b"[" * 100_000, b"\xff\xfe", b"null"])
def test_what_is_no_dictionary_has_no_frames(text: bytes) -> None:
    assert StackFrames(text).stack(1) == []
