"""Single things that a store has, decoded: an event, arguments, flows, tiles."""
