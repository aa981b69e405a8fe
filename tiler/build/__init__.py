"""Builds stores: from trace files to a published generation."""
