"""The WebSocket on which clients follow a run while it is indexed."""
