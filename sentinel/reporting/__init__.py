"""The audited-rate report: gather, estimate, render."""
