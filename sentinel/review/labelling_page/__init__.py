"""The labelling page: its view, drafts that are saved as they are written, opinions given."""
