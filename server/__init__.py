"""The tile server: HTTP, WebSocket, which runs there are, and the indexing of those that are new.

Re-exports nothing: the indexing process lives in this package too, and must not load an HTTP server to start.
"""
