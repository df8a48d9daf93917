"""A terminal app that watches eval configs and runs and re-runs only what changed."""

__version__ = "0.1.0"
