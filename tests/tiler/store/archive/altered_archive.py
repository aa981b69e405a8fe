"""Archives with other headers and directories than they should have, as somebody with a grudge would write them."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tests.tiler.store.archive.dict_store import DictStore, random_records
from tests.tiler.store.archive.plain_archive import HEADER, NAMES, SECTIONS
from tilescope.tiler.pages import compress, container, decompress
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.store.archive.writer import write_archive

Columns = dict[int, np.ndarray]


@dataclass
class AlteredArchive:
    """The parts of an archive, each of which can be replaced. Sizes and checksums of the header follow."""

    fields: dict[str, int | bytes]
    sections: dict[str, bytes]

    @classmethod
    def of_records(cls, count: int = 9000, seed: int = 1) -> AlteredArchive:
        file = io.BytesIO()
        write_archive(DictStore(random_records(seed, count)), file)
        return cls.parse(file.getvalue())

    @classmethod
    def parse(cls, data: bytes) -> AlteredArchive:
        fields = dict(zip(NAMES, HEADER.unpack_from(data), strict=True))
        sections = {}
        position = HEADER.size
        for name in SECTIONS:
            sections[name] = data[position : position + fields[name]]
            position += fields[name]
        return cls(fields, sections)

    def bounds(self) -> list[int]:
        """The beginnings of sections, and the end of the last."""
        return [HEADER.size + sum(len(part) for part in list(self.sections.values())[:k]) for k in range(6)]

    def encode(self, **fields: int | bytes) -> bytes:
        """The file; `fields` of the header are as given, whatever the sections are."""
        sizes = {name: len(part) for name, part in self.sections.items()}
        total = {"size": HEADER.size + sum(sizes.values())}
        crcs = {
            "root_crc": zlib.crc32(self.sections["root_bytes"]),
            "boot_directory_crc": zlib.crc32(self.sections["boot_directory_bytes"]),
        }
        values = self.fields | sizes | total | crcs | fields
        head = HEADER.pack(*(values[name] for name in NAMES))[:-4]
        return head + struct.pack("<I", zlib.crc32(head)) + b"".join(self.sections.values())

    def leaf(self, number: int) -> slice:
        """The place of a leaf in its section."""
        sizes = container.decode(decompress(self.sections["root_bytes"])).ints(Col.ENTRY_SIZE).tolist()
        return slice(sum(sizes[:number]), sum(sizes[: number + 1]))

    def change_leaf(self, number: int, change: Callable[[Columns], None]) -> None:
        """Changes the columns of a leaf, and its size in the root."""
        place = self.leaf(number)
        leaves = self.sections["leaves_bytes"]
        member = changed(leaves[place], change)
        self.sections["leaves_bytes"] = leaves[: place.start] + member + leaves[place.stop :]

        def resize(columns: Columns) -> None:
            columns[Col.ENTRY_SIZE][number] = len(member)

        self.change("root_bytes", resize)

    def change(self, section: str, change: Callable[[Columns], None]) -> None:
        """Changes the columns of the root, or of the boot directory."""
        self.sections[section] = changed(self.sections[section], change)


def changed(member: bytes, change: Callable[[Columns], None]) -> bytes:
    """A directory with other columns."""
    decoded = container.decode(decompress(member))
    columns: Columns = {column: decoded.ints(column).copy() for column in decoded.columns}
    change(columns)
    return compress(container.encode(decoded.magic, decoded.level, decoded.n_tiles, 0, columns))
