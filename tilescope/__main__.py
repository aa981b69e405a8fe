"""`python -m tilescope` is the same as `tilescope`."""

from tilescope.cli import command

if __name__ == "__main__":  # workers of MPI import the module of the command
    command()
