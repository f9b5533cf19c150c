"""The queue: which answers a person can open, reserving them, giving them to others."""
