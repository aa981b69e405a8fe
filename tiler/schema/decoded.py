"""Tracks, groups and the manifest of a run as code reads them: the same fields, with integers of 64 bits as integers.

They are decoded once, when a run is opened. What is stored and sent stays as `Track`, `Group` and `StoredManifest` say.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType

from tilescope.tiler.schema.manifest import Manifest, MissingHost, NameCounts, StepCounts
from tilescope.tiler.schema.outliers import Outliers
from tilescope.tiler.schema.tracks import Group, GroupKind, Track, TrackKind


class _FieldsByName(Struct, frozen=True, kw_only=True):
    """Fields by name, as JSON has them: tools of other packages read groups and tracks as dicts in version 0.2."""

    as_text: ClassVar[frozenset[str]] = frozenset()  # integers that are text in JSON

    def __getitem__(self, name: str) -> Any:
        value = getattr(self, name) if name in self.__struct_fields__ else UNSET
        if value is UNSET:
            raise KeyError(name)
        return str(value) if name in self.as_text else value

    def __contains__(self, name: object) -> bool:
        return name in self.keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a field, as `dict.get`."""
        try:
            return self[name]
        except KeyError:
            return default

    def items(self) -> list[tuple[str, Any]]:
        """The fields that it has with their values, as `dict.items`."""
        return [(name, self[name]) for name in self]

    def values(self) -> list[Any]:
        """The values of the fields that it has, as `dict.values`."""
        return [self[name] for name in self]

    def keys(self) -> list[str]:
        """The names of the fields that it has, as `dict.keys`."""
        return [name for name, value in msgspec.structs.asdict(self).items() if value is not UNSET]


class TreeGroup(_FieldsByName, frozen=True, kw_only=True):
    """A group of a track tree, decoded: a process, a host, or all hosts."""

    id: int
    parent: int | None = None
    kind: GroupKind
    name: str
    detail: str = ""
    rollup: int | None = None
    missing: str | UnsetType = UNSET


class TreeTrack(_FieldsByName, frozen=True, kw_only=True):
    """A track of a track tree, decoded. Times are ticks; a field is UNSET where JSON does not have it."""

    as_text: ClassVar[frozenset[str]] = frozenset({"events", "busy", "first", "last"})

    id: int
    group: int
    kind: TrackKind
    name: str
    detail: str = ""
    rows: int
    events: int
    busy: int = 0
    first: int | UnsetType = UNSET
    last: int | UnsetType = UNSET
    frames: bool | UnsetType = UNSET
    lanes: int | UnsetType = UNSET
    min: float | UnsetType | None = UNSET
    max: float | UnsetType | None = UNSET


class TreeMembers(Struct, frozen=True):
    """The groups and the tracks of a track tree, decoded, by id."""

    groups: Sequence[TreeGroup]
    tracks: Sequence[TreeTrack]

    @classmethod
    def decode(cls, text: bytes) -> TreeMembers:
        """From JSON as it is stored. Raises ValueError where it is no track tree."""
        try:
            _STORED.decode(text)  # no integer is written as 1.0 or 1e3 there, which decoding text would take
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError:  # names may have text that no UTF-8 has, which `json` reads
            return cls.from_json(json.loads(text))
        return _MEMBERS.decode(text)

    @classmethod
    def from_json(cls, tree: Mapping[str, Any]) -> TreeMembers:
        """From groups and tracks as docs/api.md has them. Raises ValueError where it is no track tree."""
        msgspec.convert(tree, _STORED_TREE)
        return msgspec.convert(tree, cls, strict=False)


def _as_stored(decoded: type[Struct], stored: type[Struct]) -> type[Struct]:
    """A struct with the fields of a decoded one, of the types that they are stored in: no integer is a float there."""
    types = {field.name: field.type for field in msgspec.structs.fields(stored)}
    return msgspec.defstruct(
        f"Stored{decoded.__name__}",
        [
            (field.name, types[field.name]) if field.required else (field.name, types[field.name], field.default)
            for field in msgspec.structs.fields(decoded)
        ],
        kw_only=True,
    )


_STORED_GROUP: Final = _as_stored(TreeGroup, Group)
_STORED_TRACK: Final = _as_stored(TreeTrack, Track)
_STORED_TREE: Final = msgspec.defstruct(
    "StoredTree",
    [("groups", Sequence[_STORED_GROUP]), ("tracks", Sequence[_STORED_TRACK])],  # type: ignore[valid-type]
)
_STORED: Final = msgspec.json.Decoder(_STORED_TREE)
_MEMBERS: Final = msgspec.json.Decoder(TreeMembers, strict=False)


def decode_tracks(text: bytes) -> list[TreeTrack]:
    """A list of tracks, from JSON as it is stored. Raises ValueError where it is none."""
    tracks = json.loads(text)
    msgspec.convert(tracks, list[_STORED_TRACK])  # type: ignore[valid-type]
    return msgspec.convert(tracks, list[TreeTrack], strict=False)


class EventTotals(Struct, frozen=True, kw_only=True):
    """Events as they are written in the files, by what they are."""

    total: int
    slices: int
    instants: int
    counter_samples: int
    async_slices: int
    flow_ends: int
    other: int


class FlowTotals(Struct, frozen=True, kw_only=True):
    """Launches and work of devices, by what joins them to their partner."""

    edges: int  # flows of the files
    derived: int
    ambiguous: int
    calls_without_work: int | None  # None: nothing was joined by correlation, for want of room
    work_without_launch: int | None


class RunManifest(Struct, frozen=True, kw_only=True):
    """The manifest of a build, decoded. Times are ticks."""

    build: str
    revision: int
    format: str
    tick_ps: int
    origin_ns: int
    start: int
    end: int
    root_level: int
    empty: bool
    hosts: Sequence[str]
    files: Sequence[str]
    processes: int
    tracks: int
    blocks: int
    names: NameCounts
    events: EventTotals
    flows: FlowTotals
    steps: StepCounts | None
    outliers: Outliers | None = None
    ignored: Mapping[str, int]
    warnings: Sequence[str]
    missing: Sequence[MissingHost] = ()
    source_bytes: int
    created_ns: int
    store_bytes: int

    @classmethod
    def from_json(cls, manifest: Mapping[str, Any]) -> RunManifest:
        """From the manifest as docs/api.md has it. Raises ValueError where a field is missing or of another type."""
        msgspec.convert(manifest, _STORED_MANIFEST)
        return msgspec.convert(manifest, cls, strict=False)


_STORED_MANIFEST: Final = _as_stored(RunManifest, Manifest)
