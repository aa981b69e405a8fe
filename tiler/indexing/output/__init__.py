"""What is stored once for a run, and which stored run is that of these files."""
