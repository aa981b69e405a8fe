"""Faults of a graph: the texts describe them, without the name of the file."""


class GraphDamage(Exception):
    """It is cut short, or makes no sense."""


class GraphTooLarge(Exception):
    """It has more of something than may be."""
