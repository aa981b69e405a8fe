"""Formats of other packages: whatever they raise, or give against the contract, is one error that names them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

from tilescope.tiler.details import ArgsCodec, Arguments
from tilescope.tiler.details.nesting import cut
from tilescope.tiler.errors import FormatFailed, TilescopeError
from tilescope.tiler.plugins import fault_place, fault_text
from tilescope.tiler.readers.format import Format, Likeness, Opener
from tilescope.tiler.readers.memory_budget import Room
from tilescope.tiler.readers.plugin_reader import PluginReader
from tilescope.tiler.readers.reader import Reader
from tilescope.tiler.readers.source import ByteSource

_ID: Final = re.compile("[a-z0-9_]{1,64}")
_NAME: Final = re.compile("[A-Za-z0-9_.-]{1,64}")
_LEVELS: Final = 256  # of values within each other, as in trace-event JSON

P = ParamSpec("P")
R = TypeVar("R")


def why_no_format(offered: object) -> str | None:
    """Fault in the registration of a format; None if there is none."""
    if not isinstance(offered, Format):
        return f"a {type(offered).__name__} is no format"
    if not isinstance(offered.args, ArgsCodec):
        return f"its args are of type {type(offered.args).__name__}, which is no codec"
    for name in (offered.id, offered.args.id):
        if not isinstance(name, str) or _ID.fullmatch(name) is None:
            return f"{name!r} is no id: small letters, digits and _ are, at most 64"
    if not isinstance(offered.title, str) or not offered.title.isprintable():
        return "its title is no text of one line"
    for name in (*offered.suffixes, *offered.endings, *offered.copy_names):
        if not isinstance(name, str) or _NAME.fullmatch(name) is None:
            return f"{name!r} is no part of a file's name"
    if not all(name.startswith(".") and len(name) > 1 for name in (*offered.suffixes, *offered.endings)):
        return "its suffixes and endings do not all begin with a dot"
    return None


def guarded(original: Format, complain: Callable[[str], None], *, is_codec_ours: bool) -> Format:
    """The same format, of which every fault is a FormatFailed. `complain` is told of those that are passed over."""
    blame = Blame(original.id)

    def looks_like(head: bytes) -> Likeness:
        try:
            with blame("<head>"):
                return Likeness(original.looks_like(head))
        except FormatFailed as error:
            complain(error.what)
            return Likeness.NONE

    return replace(
        original,
        looks_like=looks_like,
        open=_guarded_open(original, blame),
        args=original.args if is_codec_ours else _guarded_codec(original.args, blame),
    )


class Blame:
    """Makes FormatFailed of what must not be raised, for one format."""

    def __init__(self, name: str) -> None:
        self._name = name

    @contextmanager
    def __call__(self, path: Path | str) -> Iterator[None]:
        """Within the block."""
        try:
            yield
        except (TilescopeError, OSError, MemoryError):
            raise
        except (Exception, SystemExit) as error:
            raise FormatFailed(
                path, f"the format {self._name!r} failed{fault_place(error)}: {fault_text(error)}"
            ) from error


def _guarded_open(original: Format, blame: Blame) -> Opener:
    def open_reader(source: ByteSource, *, scratch_dir: Path | None, room: Room | None) -> Reader:
        with blame(source.path):
            reader = original.open(source, scratch_dir=scratch_dir, room=room)
        return PluginReader(reader, original.id, source.path, blame)

    return open_reader


def _guarded_codec(codec: ArgsCodec, blame: Blame) -> ArgsCodec:
    def guard(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            with blame("arguments"):
                return function(*args, **kwargs)

        return call

    def decode(raw: bytes, tables: Any) -> Arguments:
        arguments = [(name, cut(value, _LEVELS)) for name, value in codec.decode(raw, tables)]
        if not all(isinstance(name, str) for name, _ in arguments):
            raise TypeError("a name of an argument is no text")
        json.dumps(arguments, ensure_ascii=False, allow_nan=True).encode()  # raises for what no client can be told
        return arguments

    integers = None if codec.integers is None else guard(codec.integers)
    return replace(codec, decode=guard(decode), tables=guard(codec.tables), integers=integers, in_pages=False)
