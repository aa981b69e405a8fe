"""The header of an archive: versions, the sizes of its sections, and checksums.

Sections follow each other without gaps, in the order root, boot directory, boot records, leaves, records. Nothing in an
archive says where something lies but by sizes that add up, so no part can point outside of the file or at itself.
"""

from __future__ import annotations

import struct
import zlib
from typing import Final

from msgspec import Struct

from tilescope.tiler.blobs import BlobRange
from tilescope.tiler.errors import DamagedStore, StoreVersion
from tilescope.tiler.store.version import STORE_VERSION

MAGIC: Final = b"TSAR\r\n\x1a\n"  # as that of PNG: a transfer that changes ends of lines or the eighth bit changes it
VERSION: Final = 2
ENTRIES_PER_LEAF: Final = 4096
MAX_LEAVES: Final = 1 << 16  # 268 M records, of 2.4e11 events: the root is 1 MB at most

_FIELDS: Final = struct.Struct("<8sHHIQ24sQQQQQQQII12x")
_CHECKSUM: Final = struct.Struct("<I")
HEADER_BYTES: Final = _FIELDS.size + _CHECKSUM.size


class Header(Struct, frozen=True):
    """The fields of a header. Sizes are in bytes."""

    size: int  # of the file
    build: str
    records: int
    boot_records: int
    root_bytes: int
    boot_directory_bytes: int
    boot_bytes: int
    leaves_bytes: int
    data_bytes: int
    root_crc: int  # CRC-32 of the section
    boot_directory_crc: int
    store_version: int = STORE_VERSION

    @classmethod
    def decode(cls, data: bytes, location: str) -> Header:
        """The header that a file begins with. Raises DamagedStore; StoreVersion for one that we cannot read."""
        if data[: len(MAGIC)] != MAGIC:
            is_altered = data[:4] == MAGIC[:4]
            what = "was changed by a transfer as text (copy it anew)" if is_altered else "is no archive of a run"
            raise DamagedStore(f"{location}: byte 0: {what}")
        if len(data) < HEADER_BYTES:
            raise DamagedStore(f"{location}: byte {len(data):,}: the archive is cut short in its header (copy it anew)")
        fields = data[: _FIELDS.size]
        _, version, store_version, per_leaf, size, build, *numbers = _FIELDS.unpack(fields)
        if version != VERSION:
            advice = "use a newer Tilescope" if version > VERSION else "write it again with `tilescope archive`"
            raise StoreVersion(f"{location}: an archive of version {version}, this reads version {VERSION} ({advice})")
        if _CHECKSUM.unpack_from(data, _FIELDS.size) != (zlib.crc32(fields),):
            raise DamagedStore(f"{location}: byte 0: the header of the archive is damaged (copy it anew)")
        if store_version != STORE_VERSION:
            raise StoreVersion(
                f"{location}: an archive of store version {store_version}, this is version {STORE_VERSION} "
                "(index the trace again, and archive it)"
            )
        try:
            sizes = dict(zip(cls.__struct_fields__[2:-1], numbers, strict=True))
            header = cls(size, build.rstrip(b"\0").decode("ascii"), **sizes, store_version=store_version)
        except UnicodeDecodeError:
            raise DamagedStore(f"{location}: byte 24: the build id of the archive is damaged") from None
        most = min(header.records, ENTRIES_PER_LEAF)
        if per_leaf != ENTRIES_PER_LEAF or header.leaves > MAX_LEAVES or header.boot_records > most:
            raise DamagedStore(f"{location}: byte 12: the archive has an impossible number of records")
        if header.end != size:
            raise DamagedStore(f"{location}: byte 8: the sections of the archive do not add up to its size")
        return header

    def encode(self) -> bytes:
        """Its bytes."""
        build = self.build.encode("ascii")
        assert len(build) <= 24, "a build id that no header has room for"
        fields = _FIELDS.pack(
            MAGIC,
            VERSION,
            self.store_version,
            ENTRIES_PER_LEAF,
            self.size,
            build,
            self.records,
            self.boot_records,
            self.root_bytes,
            self.boot_directory_bytes,
            self.boot_bytes,
            self.leaves_bytes,
            self.data_bytes,
            self.root_crc,
            self.boot_directory_crc,
        )
        return fields + _CHECKSUM.pack(zlib.crc32(fields))

    @property
    def leaves(self) -> int:
        """Number of leaves: each but the last has `ENTRIES_PER_LEAF` records."""
        return -(-self.records // ENTRIES_PER_LEAF)

    @property
    def root(self) -> BlobRange:
        """The place of the root."""
        return BlobRange(HEADER_BYTES, HEADER_BYTES + self.root_bytes)

    @property
    def boot_directory(self) -> BlobRange:
        """The place of the directory of boot records."""
        return BlobRange(self.root.stop, self.root.stop + self.boot_directory_bytes)

    @property
    def boot_start(self) -> int:
        """The beginning of boot records."""
        return self.boot_directory.stop

    @property
    def leaves_start(self) -> int:
        """The beginning of leaves, and the end of boot records."""
        return self.boot_start + self.boot_bytes

    @property
    def data_start(self) -> int:
        """The beginning of the other records, and the end of leaves."""
        return self.leaves_start + self.leaves_bytes

    @property
    def end(self) -> int:
        """The end of the last section."""
        return self.data_start + self.data_bytes

    def place(self, start: int, size: int) -> BlobRange:
        """The bytes of a record. Places in directories count all records one after the other, boot records first."""
        shift = self.boot_start if start < self.boot_bytes else self.data_start - self.boot_bytes
        return BlobRange(start + shift, start + shift + size)
