"""People: who may use the workbench, with which role and which tokens."""
