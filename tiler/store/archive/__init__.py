"""Archives: all records of a run in one read-only file, which any host serves that answers requests for ranges."""

from tilescope.tiler.store.archive.opening import archive_build, is_archive_file, open_archive

__all__ = ["archive_build", "is_archive_file", "open_archive"]
