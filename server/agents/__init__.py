"""Answers for agents over HTTP: `tilescope serve --mcp`."""
