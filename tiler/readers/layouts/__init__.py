"""Layouts: from the files of a folder or archive to runs."""

from tilescope.tiler.readers.layouts.layout import Candidate, FileLabel, FileLayout, Folder, PlannedRun, RunFile

__all__ = ["Candidate", "FileLabel", "FileLayout", "Folder", "PlannedRun", "RunFile"]
