"""The tile server."""
