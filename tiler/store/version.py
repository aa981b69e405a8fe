"""The version of what a store holds."""

# Raised when stores that were written before cannot be read any more.
STORE_VERSION = 24
