"""Which runs there are, what state they are in, and their open stores."""
