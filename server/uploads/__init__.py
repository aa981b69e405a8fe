"""Traces that browsers send: in pieces, within limits, and listed once they are whole."""
