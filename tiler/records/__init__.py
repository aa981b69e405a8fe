"""What a store keeps besides tiles: each kind of record with its codec. Knows nothing of where records are kept."""
