"""Leading indicators of one answer: pure, cheap, one file each."""
