"""From annotations to the label that counts: pure."""
