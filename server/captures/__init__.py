"""Captures and monitors of running jobs, for those who ask this server for them."""
