"""The parent's side of the worker processes."""
