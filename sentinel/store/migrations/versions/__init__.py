"""The first and every later shape of the tables."""
