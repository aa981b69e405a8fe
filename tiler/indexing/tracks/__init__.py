"""From the events of a track to what is stored of it: rows, tiles, histograms, steps, rollups."""
