"""Answers for agents, by the Model Context Protocol: few tools, made of the registry, short answers with a way back."""
