"""Trace-event JSON: what Chrome, PyTorch, MindSpore and many others write."""

from tilescope.tiler.readers.trace_event.reader import TraceEventReader, count_events

__all__ = ["TraceEventReader", "count_events"]
