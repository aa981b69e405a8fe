"""Recorders of the operations of devices, from what XLA's profilers write of them."""
