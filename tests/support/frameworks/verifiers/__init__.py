"""Stands for verifiers; v1 has what the adapter imports."""
