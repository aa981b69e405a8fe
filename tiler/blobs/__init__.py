"""Blobs: the contracts of objects of bytes and of the places that hold them, and local files."""

from tilescope.tiler.blobs.blob import Blob, BlobRange, BlobState
from tilescope.tiler.blobs.file_blob import FileBlob
from tilescope.tiler.blobs.local_place import LocalPlace
from tilescope.tiler.blobs.place import MAX_PAGE_ENTRIES, BlobEntry, EntryPage, PartWriter, Place

__all__ = [
    "MAX_PAGE_ENTRIES",
    "Blob",
    "BlobEntry",
    "BlobRange",
    "BlobState",
    "EntryPage",
    "FileBlob",
    "LocalPlace",
    "PartWriter",
    "Place",
]
