"""One module a gate: the graph of a subject -> its verdict."""
