"""Commands: one file per group; the only place that wires things together."""
