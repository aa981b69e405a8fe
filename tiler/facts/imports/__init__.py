"""Pages of the Cloud TPU profiler that a run has in place of events, as they were saved."""

from tilescope.tiler.facts.imports.saved_pages import SavedPage, saved_page, saved_pages

__all__ = ["SavedPage", "saved_page", "saved_pages"]
