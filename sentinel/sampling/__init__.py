"""Size measure, inclusion probability and draw: pure functions of schedule row and answer."""
