"""Everything that measures speed."""
