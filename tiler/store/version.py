"""The version of what a store holds."""

# Raised when what is stored changes: stores of another version are not read, and their runs are indexed anew.
STORE_VERSION = 35
