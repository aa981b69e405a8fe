"""Contents of a store: each kind of record with its codec. Knows nothing of where records are kept."""
