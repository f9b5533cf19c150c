"""decode → indicate → draw → redact → write, and the one commit point."""
