"""HTTP below the routes: connections, bodies, caching, ranges, files of the viewer."""
