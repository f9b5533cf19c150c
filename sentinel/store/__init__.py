"""What is kept: schedule, checkpoints, frame, units, annotations, reports."""
