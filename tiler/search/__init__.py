"""Searches: the language, names that match, and the hits, from the store alone."""
