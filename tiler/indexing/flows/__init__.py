"""From flow ends to edges: which slice each belongs to, which are joined, what is stored."""
