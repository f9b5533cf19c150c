"""Design-based estimators and their intervals: pure."""
