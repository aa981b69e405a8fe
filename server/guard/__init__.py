"""Access control: tokens, TLS, origins, roots, and limits on how much clients may ask at once."""
