"""A part of a build as a file that other viewers open."""

from tilescope.tiler.export.collapsed_stacks import collapsed_stacks
from tilescope.tiler.export.cursor import Cursor
from tilescope.tiler.export.gzip_stream import GzipStream
from tilescope.tiler.export.trace_event import PIECE_BYTES, ExportQuestion, next_piece, pieces

__all__ = ["PIECE_BYTES", "Cursor", "ExportQuestion", "GzipStream", "collapsed_stacks", "next_piece", "pieces"]
