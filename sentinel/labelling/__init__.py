"""What a label is and which of several opinions counts: pure rules, no store, no clock."""
