"""Layouts: from the files of a folder or archive to runs."""

from tilescope.tiler.readers.layouts.layout import Candidate, FileLabel, Folder, Layout, PlannedRun, RunFile

__all__ = ["Candidate", "FileLabel", "Folder", "Layout", "PlannedRun", "RunFile"]
