"""Formats that are translated to trace events while they are read."""

from tilescope.tiler.readers.translated.reader import TranslatedReader
from tilescope.tiler.readers.translated.translation import Translation

__all__ = ["TranslatedReader", "Translation"]
