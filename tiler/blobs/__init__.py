"""Blobs: the contracts of objects of bytes and of the places that hold them, and local files."""

from tilescope.tiler.blobs.blob import Blob, BlobRange, BlobState
from tilescope.tiler.blobs.file_blob import FileBlob
from tilescope.tiler.blobs.local_place import LocalPlace
from tilescope.tiler.blobs.place import MAX_PAGE_ENTRIES, BlobEntry, BlobPlace, EntryPage, PartWriter

__all__ = [
    "MAX_PAGE_ENTRIES",
    "Blob",
    "BlobEntry",
    "BlobPlace",
    "BlobRange",
    "BlobState",
    "EntryPage",
    "FileBlob",
    "LocalPlace",
    "PartWriter",
]
