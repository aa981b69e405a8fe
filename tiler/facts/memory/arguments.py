"""The arguments of events that tell of allocations, as columns: what each says, whoever wrote it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.values import ValueKind, Values

Ints = NDArray[np.int64]
Texts = dict[str, int]  # each text with its number: those from 0 on

# Figures beyond are those of no memory: sums of two of them still fit.
_MOST_BYTES: Final = 1 << 61

_FIGURES: Final = ("stack", "heap", "free", "lifetime", "requested", "size", "address")
_TEXTS: Final = ("memory", "operation", "region", "data_type", "shape")


@dataclass(frozen=True, slots=True)
class AllocationArguments:
    """Arguments of allocations; columns of shape (n,), bytes; -1: none. Texts are numbers, as in their `Texts`."""

    is_free: NDArray[np.bool_]
    stack: Ints  # reserved beside the heap: what programs need while they run
    heap: Ints  # allocated, after the event
    free: Ints
    fragmentation: NDArray[np.float64]  # 0 to 1, NaN: not recorded
    lifetime: Ints  # the most that was ever allocated, before the trace as well
    requested: Ints
    size: Ints  # of the allocation
    address: Ints  # what identifies it; 0 with `size` -1: nothing does
    memory: NDArray[np.int32]
    operation: NDArray[np.int32]
    region: NDArray[np.int32]
    data_type: NDArray[np.int32]
    shape: NDArray[np.int32]
    device: NDArray[np.int32]  # number of the device whose memory an allocator of PyTorch shares out

    def __len__(self) -> int:
        return len(self.heap)

    @property
    def columns(self) -> list[NDArray[Any]]:
        """All of them."""
        return [getattr(self, field.name) for field in fields(self)]

    def take(self, which: Ints | NDArray[np.bool_]) -> AllocationArguments:
        """Some of them."""
        return AllocationArguments(*(column[which] for column in self.columns))

    @staticmethod
    def joined(parts: Sequence[AllocationArguments]) -> AllocationArguments:
        """One after the other."""
        return AllocationArguments(
            *(np.concatenate(columns) for columns in zip(*(part.columns for part in (EMPTY, *parts)), strict=True))
        )


class Runtime(ABC):
    """One that writes such events: how it calls what it says."""

    names: tuple[str, ...]

    @abstractmethod
    def read(self, values: Sequence[Values], is_free: NDArray[np.bool_], texts: Texts) -> AllocationArguments:
        """Arguments of some events; `values` are those of `names`. New texts get numbers."""


class _XSpace(Runtime):
    """`MemoryAllocation` and `MemoryDeallocation`, of allocators of TensorFlow, JAX and the TPU runtime."""

    names = (
        "allocator_name",
        "index_on_host",
        "device_ordinal",
        "bytes_reserved",
        "bytes_allocated",
        "bytes_available",
        "peak_bytes_in_use",
        "requested_bytes",
        "allocation_bytes",
        "fragmentation",
        "addr",
        "tf_op",
        "region_type",
        "data_type",
        "shape",
    )

    def read(self, values: Sequence[Values], is_free: NDArray[np.bool_], texts: Texts) -> AllocationArguments:
        values_by_name = dict(zip(self.names, values, strict=True))
        memory = _texts(values_by_name["allocator_name"], texts)
        for key in ("device_ordinal", "index_on_host"):  # what is known best comes last
            numbered = _texts(values_by_name[key], texts)
            memory = np.where(numbered >= 0, numbered, memory)
        heap = _bytes(values_by_name["bytes_allocated"])
        memory[heap < 0] = -1  # it tells nothing
        return AllocationArguments(
            is_free,
            stack=_bytes(values_by_name["bytes_reserved"]),
            heap=heap,
            free=_bytes(values_by_name["bytes_available"]),
            fragmentation=_shares(values_by_name["fragmentation"]),
            lifetime=_bytes(values_by_name["peak_bytes_in_use"]),
            requested=_bytes(values_by_name["requested_bytes"]),
            size=_bytes(values_by_name["allocation_bytes"]),
            address=_addresses(values_by_name["addr"]),
            memory=memory,
            operation=_texts(values_by_name["tf_op"], texts),
            region=_texts(values_by_name["region_type"], texts),
            data_type=_texts(values_by_name["data_type"], texts, _DATA_TYPES),
            shape=_texts(values_by_name["shape"], texts),
            device=np.full(len(heap), -1, np.int32),
        )


class _PyTorch(Runtime):
    """`[memory]` instants. Older ones do not say how much is allocated in all: -1, to be summed up."""

    names = ("Device Type", "Device Id", "Bytes", "Total Allocated", "Total Reserved", "Addr")

    def read(self, values: Sequence[Values], is_free: NDArray[np.bool_], texts: Texts) -> AllocationArguments:
        values_by_name = dict(zip(self.names, values, strict=True))
        change, is_known = _numbers(values_by_name["Bytes"])
        kind, has_kind = _numbers(values_by_name["Device Type"])
        device, has_device = _numbers(values_by_name["Device Id"])
        is_device = has_kind & has_device & (kind != _CPU) & (device >= 0) & (device < _MOST_DEVICES)
        pairs, inverse = np.unique(np.stack([kind, device]), axis=1, return_inverse=True)
        codes = [texts.setdefault(_device(*pair), len(texts)) for pair in pairs.T.tolist()]
        memory = np.array([*codes, -1], np.int32)[inverse.reshape(-1)]
        memory[~(is_known & has_kind)] = -1
        heap, reserved = _bytes(values_by_name["Total Allocated"]), _bytes(values_by_name["Total Reserved"])
        nothing = np.full(len(change), -1, np.int32)
        return AllocationArguments(
            change < 0,
            nothing.astype(np.int64),
            heap,
            np.where((reserved >= heap) & (heap >= 0) & (reserved > 0), reserved - heap, -1),
            np.full(len(change), np.nan),
            nothing.astype(np.int64),
            nothing.astype(np.int64),
            np.abs(change),
            _addresses(values_by_name["Addr"]),
            memory,
            **dict.fromkeys(_TEXTS[1:], nothing),
            device=np.where(is_device, device, -1).astype(np.int32),
        )


def _device(kind: int, number: int) -> str:
    """As people call it."""
    name = _DEVICE_TYPES.get(kind, f"device type {kind}")
    return name if number < 0 else f"{name} {number}"


def _numbers(values: Values) -> tuple[Ints, NDArray[np.bool_]]:
    """Whole numbers, 0 where there is none or one of no memory, and where there is one."""
    numbers = np.where(values.kind == ValueKind.INTEGER, values.bits, 0)
    is_known = values.kind == ValueKind.INTEGER
    for row in np.flatnonzero(values.kind == ValueKind.REAL).tolist():
        real = float(values.reals[row])
        if real.is_integer() and abs(real) <= _MOST_BYTES:
            numbers[row], is_known[row] = int(real), True
    is_known &= np.abs(numbers) <= _MOST_BYTES
    return np.where(is_known, numbers, 0), is_known


def _bytes(values: Values) -> Ints:
    numbers, is_known = _numbers(values)
    return np.where(is_known & (numbers >= 0), numbers, -1)


def _addresses(values: Values) -> Ints:
    """Numbers that tell addresses apart, be they of 64 bits."""
    is_known = (values.kind == ValueKind.INTEGER) | (values.kind == ValueKind.UNSIGNED)
    addresses: Ints = np.where(is_known, values.bits, -1)
    return addresses


def _shares(values: Values) -> NDArray[np.float64]:
    shares = np.full(len(values), np.nan)
    real = values.kind == ValueKind.REAL
    shares[real] = values.reals[real]
    whole = values.kind == ValueKind.INTEGER
    shares[whole] = values.bits[whole]
    shares[~((shares >= 0) & (shares <= 1))] = np.nan
    return shares


def _texts(values: Values, texts: Texts, called: dict[int, str] | None = None) -> NDArray[np.int32]:
    """Numbers of texts; numbers among them are written out, or as they are called. Empty texts are none."""
    codes_of_rows = np.full(len(values), -1, np.int32)
    for kind in (ValueKind.INTEGER, ValueKind.TEXT):
        rows = values.where(kind)
        distinct, inverse = np.unique(values.bits[rows], return_inverse=True)
        codes = []
        for bits in distinct.tolist():
            if kind == ValueKind.TEXT:
                text = str(values.objects[bits])
            else:
                text = str(bits) if called is None else called.get(bits, f"type {bits}")
            codes.append(texts.setdefault(text, len(texts)) if text else -1)
        codes_of_rows[rows] = np.array(codes, np.int32)[inverse]
    return codes_of_rows


# Of TensorFlow, which all runtimes write; 0 is none.
_DATA_TYPE_NAMES: Final = """
float double int32 uint8 int16 int8 string complex64 int64 bool qint8 quint8 qint32 bfloat16 qint16 quint16 uint16
complex128 half resource variant uint32 uint64 float8_e5m2 float8_e4m3fn float8_e4m3fnuz float8_e4m3b11fnuz
float8_e5m2fnuz int4 uint4 int2 uint2
"""
_DATA_TYPES: Final = {0: "", **dict(enumerate(_DATA_TYPE_NAMES.split(), 1))}

# Of PyTorch's c10.
_CPU: Final = 0
_MOST_DEVICES: Final = 1 << 20
_DEVICE_TYPES: Final = {
    _CPU: "CPU",
    1: "GPU",
    6: "GPU",
    9: "XLA",
    12: "XPU",
    13: "MPS",
    15: "HPU",
    19: "MTIA",
    20: "PrivateUse1",
}


def _empty() -> AllocationArguments:
    whole, codes = np.zeros(0, np.int64), np.zeros(0, np.int32)
    columns: dict[str, Any] = dict.fromkeys(_FIGURES, whole) | dict.fromkeys((*_TEXTS, "device"), codes)
    return AllocationArguments(is_free=np.zeros(0, np.bool_), fragmentation=np.zeros(0), **columns)


EMPTY: Final = _empty()
XSPACE: Final = _XSpace()
PYTORCH: Final = _PyTorch()
