"""Records of the operations of devices, with all words of XLA programs that storing needs."""
