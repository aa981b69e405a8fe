"""Readers of trace files, one module per format, and what finds and recognises the files."""

from tilescope.tiler.readers.container import trace_paths
from tilescope.tiler.readers.discovered_run import DiscoveredRun
from tilescope.tiler.readers.logdir import discover, find_run, join_runs
from tilescope.tiler.readers.reader import Reader
from tilescope.tiler.readers.recognise import open_trace
from tilescope.tiler.readers.source import ByteSource

__all__ = ["ByteSource", "DiscoveredRun", "Reader", "discover", "find_run", "join_runs", "open_trace", "trace_paths"]
