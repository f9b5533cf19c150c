"""Second opinions and their adjudication."""
