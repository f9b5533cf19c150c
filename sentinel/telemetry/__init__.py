"""What operators see: the catalogue of metrics, health, the metrics server, logs."""
