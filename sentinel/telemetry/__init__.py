"""The catalogue of metrics, logging, health."""
