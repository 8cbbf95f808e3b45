"""Restricts what a worker process may do, should the guard fail."""
