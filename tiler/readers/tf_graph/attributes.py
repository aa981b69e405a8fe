"""Attributes of a node as text, a line for each: what is long is cut, and the values of tensors are left out."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Final

from google.protobuf.message import DecodeError

from tilescope.graph import graph_pb2 as pb
from tilescope.tiler.details.wire import WireDamage, varint

MAX_ATTRIBUTES: Final = 64  # of a node
MAX_KEY: Final = 100  # characters
MAX_TEXT: Final = 200  # characters of a value
MAX_ITEMS: Final = 16  # of a list or a shape
HEAD_BYTES: Final = 1 << 12  # of an attribute that is not parsed as a whole

# By the first byte of their encoding, as graph.proto has the fields.
_KINDS: Final = {0x0A: "a list", 0x3A: "a shape", 0x4A: "a placeholder", 0x52: "a function"}

# Types that are called otherwise than their constants.
_NAMES: Final = {"FLOAT": "float32", "DOUBLE": "float64", "HALF": "float16"}
_BITS: Final = re.compile(r"(?:q?u?int|b?float|complex)([0-9]+)")
_BOOL_BITS: Final = 8
_MOST_ELEMENTS: Final = 1 << 48

_TEXT_BYTES: Final = 4 * MAX_TEXT
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class Attributes:
    """The attributes of one node, while they are read: at most 64."""

    def __init__(self, more: int = 0) -> None:
        """`more`: others, which are not read."""
        self._lines: list[str] = []
        self._more = more

    def add(self, key: str, text: str) -> None:
        """Takes another one, whose value reads so."""
        if len(self._lines) < MAX_ATTRIBUTES:
            self._lines.append(f"{_plain(key, MAX_KEY)}: {text}")
        else:
            self._more += 1

    def text(self) -> str:
        """A line for each, by name."""
        more = [f"{self._more:,} more attributes are left out"] if self._more else []
        return "\n".join([*sorted(self._lines), *more])


def entries_text(entries: Iterable[bytes]) -> str:
    """Attributes of a node that was parsed as a whole."""
    attributes = Attributes()
    for encoded in entries:
        try:
            entry = pb.AttrEntry.FromString(encoded)
        except DecodeError:
            attributes.add("?", f"makes no sense ({len(encoded):,} bytes)")
        else:
            attributes.add(entry.key, encoded_text(entry.value, len(entry.value)))
    return attributes.text()


def entry_head(head: bytes, length: int) -> tuple[str, str]:
    """The key of an attribute and how its value reads, from its first bytes, in which the key stands first."""
    try:
        size, start = varint(head, 1)
        key = head[start : start + size]
        value_bytes, value = varint(head, start + size + 1)
    except (WireDamage, IndexError):
        return "?", f"makes no sense ({length:,} bytes)"
    if (head[0], head[start + size]) != (0x0A, 0x12):
        return "?", f"makes no sense ({length:,} bytes)"
    return key.decode("utf-8", "replace"), encoded_text(head[value : value + value_bytes], value_bytes)


def encoded_text(head: bytes, length: int) -> str:
    """A value from its encoding, or the head of a long one."""
    if len(head) == length:
        try:
            return value_text(pb.AttrValue.FromString(head))
        except DecodeError:
            return f"makes no sense ({length:,} bytes)"
    try:
        size, start = varint(head, 1)
        match head[0]:
            case 0x12:
                return _string_text(head[start:], size)
            case 0x42:
                return _tensor_text(_tensor_of_head(head[start:]), f"{size:,} bytes")
    except (WireDamage, DecodeError):
        return f"makes no sense ({length:,} bytes)"
    return f"{_KINDS.get(head[0], 'a value')} of {size:,} bytes"


def value_text(value: pb.AttrValue) -> str:
    """A value, such as [1, 2, 2, 1], float32, "SAME" in quotes, or float32[3,3,64,64], 147,456 bytes."""
    match value.WhichOneof("value"):
        case "list":
            return _list_text(value.list)
        case "s":
            return _string_text(value.s)
        case "i":
            return str(value.i)
        case "f":
            return f"{value.f:.7g}"
        case "b":
            return _flag_text(value.b)
        case "type":
            return type_text(value.type)
        case "shape":
            return _shape_text(value.shape)
        case "tensor":
            return _tensor_text(value.tensor)
        case "placeholder":
            return f"placeholder {_plain(value.placeholder)}"
        case "func":
            return f"function {_plain(value.func.name)}"
    return "empty"


def type_text(number: int) -> str:
    """A type of elements; of a reference to a variable, too: "float32 reference"."""
    if number not in pb.DataType.values():
        return f"type {number}"
    name = pb.DataType.Name(pb.DataType.ValueType(number)).removeprefix("DT_")
    base = name.removesuffix("_REF")
    text = _NAMES.get(base, base.lower())
    return text if name == base else f"{text} reference"


def _list_text(values: pb.AttrValue.List) -> str:
    kinds: tuple[tuple[int, Iterator[str]], ...] = (
        (len(values.s), map(_string_text, values.s)),
        (len(values.i), map(str, values.i)),
        (len(values.f), (f"{value:.7g}" for value in values.f)),
        (len(values.b), map(_flag_text, values.b)),
        (len(values.type), map(type_text, values.type)),
        (len(values.shape), map(_shape_text, values.shape)),
        (len(values.tensor), map(_tensor_text, values.tensor)),
        (len(values.func), (f"function {_plain(value.name)}" for value in values.func)),
    )
    count = sum(size for size, _ in kinds)
    texts = [text for size, items in kinds if size for text, _ in zip(items, range(MAX_ITEMS), strict=False)]
    return _listed(texts, count)


def _listed(texts: list[str], count: int) -> str:
    """As "[1, 2, … 300 in all]"; cut where it is long."""
    shown: list[str] = []
    for text in texts[:MAX_ITEMS]:
        if shown and sum(map(len, shown)) + len(text) > MAX_TEXT:
            break
        shown.append(text)
    more = [f"… {count:,} in all"] if count > len(shown) else []
    return f"[{', '.join([*shown, *more])}]"


def _string_text(head: bytes, size: int | None = None) -> str:
    """A text in quotes, or how many bytes are no text; a long one is cut, and says how long it is."""
    size = len(head) if size is None else size
    is_whole = size <= _TEXT_BYTES
    try:
        text = head[:_TEXT_BYTES].decode("utf-8", "strict" if is_whole else "ignore")
    except UnicodeDecodeError:
        return f"{size:,} bytes that are no text"
    return f'"{_plain(text)}"' if is_whole and len(text) <= MAX_TEXT else cut_text(text, f"{size:,} bytes")


def cut_text(text: str, size: str) -> str:
    """The begin of a long text in quotes."""
    return f'"{_CONTROL.sub("·", text[:MAX_TEXT])}…" (cut, {size})'


def _flag_text(value: bool) -> str:
    return "true" if value else "false"


def _shape_text(shape: pb.TensorShape) -> str:
    if shape.unknown_rank:
        return "[not known]"
    sizes = ["?" if dim.size < 0 else str(dim.size) for dim in shape.dim[:MAX_ITEMS]]
    more = [f"… {len(shape.dim):,} dimensions"] if len(shape.dim) > MAX_ITEMS else []
    return f"[{','.join([*sizes, *more])}]"


def _tensor_text(tensor: pb.Tensor, size: str = "") -> str:
    """Its type, shape and bytes, else `size`: its values are not read."""
    element = type_text(tensor.dtype)
    match = _BITS.match(element)
    bits = int(match[1]) if match is not None else _BOOL_BITS if element == "bool" else 0
    sizes = [dim.size for dim in tensor.tensor_shape.dim]
    is_sized = not tensor.tensor_shape.unknown_rank and len(sizes) <= MAX_ITEMS
    if bits and is_sized and all(0 <= dim < _MOST_ELEMENTS for dim in sizes):
        size = f"{-(-math.prod(sizes) * bits // 8):,} bytes"
    return f"{element}{_shape_text(tensor.tensor_shape)}" + (f", {size}" if size else "")


def _tensor_of_head(head: bytes) -> pb.Tensor:
    """A tensor from its first bytes: type and shape stand before the values, whoever writes it. Raises WireDamage."""
    end = 0
    while end < len(head) and head[end] in (0x08, 0x12):
        number, behind = varint(head, end + 1)
        behind += number if head[end] == 0x12 else 0
        if behind > len(head):
            break
        end = behind
    return pb.Tensor.FromString(head[:end])


def _plain(text: str, most: int = MAX_TEXT) -> str:
    text = text if len(text) <= most else f"{text[:most]}…"
    return _CONTROL.sub("·", text)
