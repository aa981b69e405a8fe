"""Tilescope: a streaming trace server with level-of-detail tiling."""

__version__ = "0.1.0"
