"""Who may ask, how much at once, and for what: tokens, TLS, origins, roots, limits."""
