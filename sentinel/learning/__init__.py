"""The risk model learns from labels: gather, fit, compare, and adopt through the schedule."""
