"""Finding shifts in counts: baselines, charts and the life of an alarm. Pure mathematics on arrays."""
