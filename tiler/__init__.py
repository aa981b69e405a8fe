"""Turns traces into stores of tiles, and reads them."""
