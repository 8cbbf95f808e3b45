"""The former name of processes.py."""

from demo.processes import OFFLINE, ROOT, Child, Children, free_port

__all__ = ["OFFLINE", "ROOT", "Child", "Children", "free_port"]
