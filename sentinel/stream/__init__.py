"""The source port and its implementations, decoders, dead letters."""
