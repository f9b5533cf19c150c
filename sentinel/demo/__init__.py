"""A simulated support assistant whose true hallucination rate is known: the traffic of `sentinel demo`."""
