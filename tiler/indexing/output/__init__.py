"""Records that are stored once for a run, and the check that a stored run is that of these files."""
