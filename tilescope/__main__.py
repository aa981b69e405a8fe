"""`python -m tilescope` is the same as `tilescope`."""

from tilescope.cli import command

command()
