"""Calibration: new reviewers try themselves on answers whose label is known."""
