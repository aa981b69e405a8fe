"""The WebSocket of pages: messages, what a client wants, the connection."""
