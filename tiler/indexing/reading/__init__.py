"""From files to timed events of one track: reading, gathering, one time axis."""
