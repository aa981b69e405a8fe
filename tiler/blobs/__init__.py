"""Blobs: the contracts of objects of bytes and of the places that hold them, and local files."""

from tilescope.tiler.blobs.blob import Blob, BlobRange, BlobState
from tilescope.tiler.blobs.blob_file import BlobFile
from tilescope.tiler.blobs.file_blob import FileBlob
from tilescope.tiler.blobs.head_blob import HeadBlob
from tilescope.tiler.blobs.local_place import LocalPlace
from tilescope.tiler.blobs.mirror import (
    Mirror,
    MirrorState,
    is_mirrored,
    mirror_of,
    mirrored_blob,
    open_mirrored,
    register,
    unregister,
)
from tilescope.tiler.blobs.place import MAX_PAGE_ENTRIES, BlobEntry, BlobPlace, EntryPage, PartWriter
from tilescope.tiler.blobs.scratch_copy import ScratchCopy
from tilescope.tiler.blobs.scratch_space import DEFAULT_SCRATCH_BYTES, ScratchSpace
from tilescope.tiler.blobs.trace_errors import trace_errors

__all__ = [
    "DEFAULT_SCRATCH_BYTES",
    "MAX_PAGE_ENTRIES",
    "Blob",
    "BlobEntry",
    "BlobFile",
    "BlobPlace",
    "BlobRange",
    "BlobState",
    "EntryPage",
    "FileBlob",
    "HeadBlob",
    "LocalPlace",
    "Mirror",
    "MirrorState",
    "PartWriter",
    "ScratchCopy",
    "ScratchSpace",
    "is_mirrored",
    "mirror_of",
    "mirrored_blob",
    "open_mirrored",
    "register",
    "trace_errors",
    "unregister",
]
