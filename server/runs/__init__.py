"""Runs that are served: their states, and their open stores."""
