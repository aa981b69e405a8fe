"""What is wrong with a graph: the texts say it, without the name of the file."""


class GraphDamage(Exception):
    """It is cut short, or makes no sense."""


class GraphTooLarge(Exception):
    """It has more of something than may be."""
