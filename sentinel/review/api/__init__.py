"""The API: everything the pages do, as JSON, with a description of itself."""
