"""The weekly audited-rate report: gather from the store, assemble a document, render it."""
