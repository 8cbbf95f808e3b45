"""Completions from inference servers; knows no Atropos."""
